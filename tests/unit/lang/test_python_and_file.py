"""What a rule file refuses, Python refuses: the classes check themselves, and a file makes its rules of them."""

from collections.abc import Callable

import pytest

import execpolicy as ep
from tests.support.each import each

REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: ep.PrefixRule([]), "prefix_rule(pattern=[])"),
    (lambda: ep.PrefixRule(["a"], "deny"), 'prefix_rule(pattern=["a"], decision="deny")'),
    (lambda: ep.PrefixRule(["a"], justification=" "), 'prefix_rule(pattern=["a"], justification=" ")'),
    (lambda: ep.PrefixRule(["a"], exact=True), 'prefix_rule(pattern=["a"], spelling="exact")'),
    *[
        (
            lambda word=word: ep.PrefixRule(["a"], word, unless=("-x",)),
            f'prefix_rule(pattern=["a"], decision="{word}", unless=["-x"])',
        )
        for word in ("forbidden", "prompt")
    ],
    *[
        (
            lambda entry=entry: ep.PrefixRule(["a"], unless=("-x", entry)),
            f'prefix_rule(pattern=["a"], unless=["-x", "{entry}"])',
        )
        for entry in ("", " ", " x", "-", "--")
    ],
    (lambda: ep.PrefixRule(["a"], unless=("-x", 7)), 'prefix_rule(pattern=["a"], unless=["-x", 7])'),  # type: ignore[arg-type]  # what a caller without types passes
    *[
        (
            lambda host=host: ep.NetworkRule(host, "https", "forbidden"),
            f'network_rule(host="{host}", protocol="https", decision="deny")',
        )
        for host in ("", " ", "*.example", "a b", "http://a", "[::1", "...")
    ],
    (
        lambda: ep.NetworkRule("a\0b", "https", "allow"),
        'network_rule(host="a\\0b", protocol="https", decision="allow")',
    ),
    (lambda: ep.NetworkRule("a", "ftp", "allow"), 'network_rule(host="a", protocol="ftp", decision="allow")'),
    (
        lambda: ep.NetworkRule("a", "http", "allow", ""),
        'network_rule(host="a", protocol="http", decision="allow", justification="")',
    ),
    *[
        (lambda name=name: ep.HostExecutable(name, (f"/{name}",)), f'host_executable(name="{name}", paths=["/{name}"])')
        for name in ("", ".", "..", "a/b")
    ],
    *[
        (
            lambda path=path: ep.HostExecutable("a", ("/x/a", path)),
            f'host_executable(name="a", paths=["/x/a", "{path}"])',
        )
        for path in ("", "a", "/x/b", "/")
    ],
    (lambda: ep.WriteRule((), "forbidden"), 'write_rule(paths=[], decision="forbidden")'),
    *[
        (lambda path=path: ep.WriteRule(path, "forbidden"), f'write_rule(paths=["{path}"], decision="forbidden")')
        for path in ("", "a", "~", "/a/../b")
    ],
    (lambda: ep.WriteRule("/a", "forbidden", ""), 'write_rule(paths=["/a"], decision="forbidden", justification="")'),
]


@each(("made", "line"), REFUSED)
def test_what_a_rule_file_refuses_python_refuses(made: Callable[[], object], line: str) -> None:
    with pytest.raises(ep.RuleFileError):
        ep.compile_source(ep.Source("my.rules", line))
    with pytest.raises(ep.ExecPolicyError):
        made()


def test_what_is_forbidden_stays_forbidden_beside_an_allow_rule() -> None:
    with pytest.raises(ep.InvalidRuleError, match="only an allow rule may leave something out"):
        ep.PrefixRule(["aa"], "forbidden", unless=("-x",))
    book = ep.Rulebook([ep.PrefixRule(["aa"]), ep.PrefixRule(["aa"], "forbidden")])
    assert ep.check("aa -x", book).decision is ep.Decision.FORBIDDEN


def test_entries_are_held_once_and_as_texts() -> None:
    rule = ep.PrefixRule(["a"], unless=["-x", "-x", "y"])  # type: ignore[arg-type]  # a list will do
    assert rule.unless == ("-x", "y")
