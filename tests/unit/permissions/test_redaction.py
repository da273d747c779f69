"""What is taken out of logs and prompts, and what is not."""

from typing import Any

import pytest
from hypothesis import strategies as st

from execpolicy.permissions.audit import MAX_TEXT, is_secret_name, redact, redact_text
from tests.support.each import drawn

KEY = "ghp_" + "a1B2" * 6
SECRET_TEXTS = [
    "curl -u bob:hunter2 https://example.test",
    "mysql --password hunter2 db",
    "mysql --password=hunter2",
    "mysql --db-password 'hunter2'",
    "DB_PASSWORD=hunter2 make",
    'export API_KEY="hunter2 hunter2"',
    '{"apiKey": "hunter2"}',
    "git clone https://bob:hunter2@example.test/r",
    "curl -H 'Authorization: Bearer hunter2hunter2'",
    "echo AKIA" + "HUNTER2" + "HUNTER2HU",
    "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nhunter2",
    "eyJhbGciOiJIUzI1.eyJhunter2XX.sig",
    "npm config set //r/:_authToken=hunter2",
    "sk-hunter2hunter2",
    "--client-secret hunter2 --id 5",
    "access_token=hunter2&x=1",
]


@pytest.mark.parametrize("text", SECRET_TEXTS)
def test_secrets_in_text(text: str) -> None:
    found = redact_text(text)
    assert "hunter2" not in found.lower()
    assert "[redacted]" in found


@pytest.mark.parametrize(
    "text",
    [
        "ls -la /home",
        "git log --author=Bob",
        "run --max-tokens 10",
        "pytest -p no:cacheprovider",
        "cat src/auth.py src/tokens.py",
        "echo spinner=1",
        "sort -u file",
        "https://example.test/a?b=c",
        "git commit -m 'fix: the thing'",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact_text(text) == text


@pytest.mark.parametrize(
    "text", ["AKIA" + "HUNTER2" * 2 + "HU", "AIza" + "hunter2" * 3, "token hunter2hunter2", "x ya29.hunter2x"]
)
def test_secrets_without_punctuation(text: str) -> None:
    assert "hunter2" not in redact_text(text).lower()


@pytest.mark.parametrize("name", ["password", "apiKey", "DB_PASS", "x-auth-token", "accessToken", "Cookie", "PIN"])
def test_secret_names(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["author", "path", "max_tokens", "spinner", "compass", "command", "monkey"])
def test_ordinary_names(name: str) -> None:
    assert not is_secret_name(name)


def test_values_of_every_shape() -> None:
    given: dict[str, Any] = {
        "token": 5,
        "empty": {"password": ""},
        "list": [{"secret": ["a"]}, (1, 2.5, None, True)],
        "argv": ["mysql", "--password", "hunter2", "--user", "bob"],
        "odd": {"nan": float("nan"), "bytes": b"x", "set": {1}},
        5: "number",
    }
    assert redact(given) == {
        "token": "[redacted]",
        "empty": {"password": ""},
        "list": [{"secret": "[redacted]"}, [1, 2.5, None, True]],
        "argv": ["mysql", "--password", "[redacted]", "--user", "bob"],
        "odd": {"nan": "nan", "bytes": "b'x'", "set": "{1}"},
        "5": "number",
    }


def test_what_is_too_long_or_too_deep_is_cut() -> None:
    assert redact_text("x" * MAX_TEXT) == "x" * MAX_TEXT
    assert redact_text("x" * (MAX_TEXT + 1)) == "x" * MAX_TEXT + "…"
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    assert "…" in repr(redact(deep))


@drawn(
    10, 100, st.recursive(st.none() | st.floats() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v))
)
def test_redacting_twice_changes_nothing(value: Any) -> None:
    once = redact({"args": value})
    assert redact(once) == once
