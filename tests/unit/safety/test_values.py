"""Forms, globs and secrets."""

from __future__ import annotations

import pytest

from execpolicy.core.text import glob_matches
from execpolicy.safety.secrets import secret_in
from execpolicy.safety.values import NAMED, parse_form
from tests.support.entries import dynamic


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("*", ""),
        ("*", "a/b"),
        ("a*c", "abbc"),
        ("a?c", "abc"),
        ("*.py", "x.py"),
        ("**", "x"),
        ("a*b*c", "a-b-b-c"),
        ("[*]", "*"),
        ("*/[*]", "a/*"),
    ],
)
def test_globs_match(pattern: str, text: str) -> None:
    assert glob_matches(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"), [("", "a"), ("a", ""), ("a?", "a"), ("*.py", "x.pyc"), ("[*]", "a"), ("a*b", "ac")]
)
def test_globs_do_not_match(pattern: str, text: str) -> None:
    assert not glob_matches(pattern, text)


def test_choices() -> None:
    form = parse_form(["never", "at*", "!atx"], "x")
    assert form.check("never") is None
    assert form.check("atom") is None
    assert form.check("atx") is not None
    assert form.check("nev") is not None
    assert form.refusal(dynamic("at")) is not None
    assert parse_form(["at*"], "x").refusal(dynamic("at")) is not None  # it could become `at/../x`


def test_numbers() -> None:
    number = NAMED["number"]
    for text in ("0", "-5", "+3"):
        assert number.check(text) is None
    for text in ("", "-", "x", "1x", "1.5", "٣"):
        assert number.check(text) is not None
    assert number.refusal(dynamic(number=True)) is None
    assert number.refusal(dynamic()) is not None


@pytest.mark.parametrize(
    "path",
    [
        "/home/u/.ssh/id_rsa",
        ".ssh/config",
        "id_ed25519",
        ".env",
        "app/.env.production",
        ".netrc",
        "/etc/shadow",
        "/proc/self/environ",
        "/dev/sda",
        "/dev/mem",
        "server.pem",
        "/home/u/.kube/config",
        "/home/u/.config/gh/hosts.yml",
        "//dev/sda",
        "/dev/./sda",
    ],
)
def test_secrets_and_devices(path: str) -> None:
    assert secret_in(path) is not None


@pytest.mark.parametrize(
    "path",
    ["a.txt", "src/ssh/a", ".env.example", "/dev/null", "/dev/stdin", "/dev/fd/63", "environment", "config", "-"],
)
def test_ordinary_files(path: str) -> None:
    assert secret_in(path) is None


@pytest.mark.parametrize(
    "name",
    [
        "http.extraHeader",
        "sendemail.smtppass",
        "http.https://a.b/.extraheader",
        "proxy/password",
        "^http$",
        "tok.en.TOKEN",
    ],
)
def test_settings_that_open_doors(name: str) -> None:
    assert NAMED["setting-name"].check(name) is not None


@pytest.mark.parametrize(
    "name", ["user.name", "remote.origin.url", "core/project", "passwords.x", "^remote", "http.proxy"]
)
def test_plain_settings(name: str) -> None:
    assert NAMED["setting-name"].check(name) is None


@pytest.mark.parametrize("regex", [r"\.env$", "^[.]e", "", ".", "rsa", "pem$", "(", r"\.conf$"])
def test_expressions_that_find_names_of_secrets(regex: str) -> None:
    assert NAMED["name-regex"].check(regex) is not None


@pytest.mark.parametrize("regex", [r"\.py$", "test_", r"\.(ts|js)x?$"])
def test_expressions_that_find_none(regex: str) -> None:
    assert NAMED["name-regex"].check(regex) is None
