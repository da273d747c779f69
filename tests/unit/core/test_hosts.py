"""Normal forms of host names and executable paths (source: Codex 0.169.0)."""

import pytest

from execpolicy.core.hosts import normalise_host, normalise_path, normalise_protocol, resolve_executable
from execpolicy.errors import InvalidRuleError


@pytest.mark.parametrize(
    ("raw", "host"),
    [
        (" Example.COM. ", "example.com"),
        ("example.com:443", "example.com"),
        ("example.com:abc", "example.com:abc"),
        (":443", ":443"),
        ("a:b:c", "a:b:c"),
        ("[::1]:443", "::1"),
        ("[x.com]", "x.com"),
        ("user@x.com", "user@x.com"),
        ("ÄX.com", "Äx.com"),
    ],
)
def test_hosts_are_normalised(raw: str, host: str) -> None:
    assert normalise_host(raw) == host


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("", "network_rule host cannot be empty"),
        (" . ", "network_rule host cannot be empty"),
        ("http://x", "without scheme or path"),
        ("x/y", "without scheme or path"),
        ("[::1", "invalid bracketed IPv6 literal"),
        ("[::1]x", "contains an unsupported suffix: [::1]x"),
        ("*.x.com", "wildcards are not allowed"),
        ("a b", "cannot contain whitespace"),
    ],
)
def test_bad_hosts_are_refused(raw: str, message: str) -> None:
    with pytest.raises(InvalidRuleError) as caught:
        normalise_host(raw)
    assert message in caught.value.message


def test_protocol_aliases() -> None:
    assert normalise_protocol("https_connect") == normalise_protocol("http-connect") == "https"
    with pytest.raises(InvalidRuleError):
        normalise_protocol("HTTP")


@pytest.mark.parametrize(("path", "normal"), [("/a/./b//c/", "/a/b/c"), ("/a/../b", "/b"), ("/../..", "/"), ("/", "/")])
def test_paths_are_normalised_lexically(path: str, normal: str) -> None:
    assert normalise_path(path) == normal


@pytest.mark.parametrize(
    ("token", "resolved"),
    [
        ("/usr/bin/git", ("/usr/bin/git", "git")),
        ("./git", ("/srv/dir/git", "git")),
        ("~/bin/x", ("/home/u/bin/x", "x")),
        ("~", ("/home/u", "u")),
        ("~root/git", ("/srv/dir/~root/git", "git")),
        ("", ("/srv/dir", "dir")),
        ("..", ("/srv", "srv")),
        ("/", None),
    ],
)
def test_program_tokens_resolve(token: str, resolved: tuple[str, str] | None) -> None:
    assert resolve_executable(token, cwd="/srv/dir", home="/home/u") == resolved
