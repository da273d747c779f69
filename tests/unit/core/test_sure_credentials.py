"""What `lint` calls a secret: known shapes and named values, not paths, identifiers, numbers and plain words."""

import pytest

from execpolicy.core.credentials import credential_in
from tests.support.made_up import made_up


@pytest.mark.parametrize(
    "line",
    [
        "xdotool windowactivate 0x3a00007",
        "kill-window --window-id 123e4567-e89b-12d3-a456-426614174000",
        "foo --token /run/secrets/token",
        "foo --password-file secrets/pw.txt",
        "foo --auth basic",
        "foo --secret my-secret",
        "foo --session-key 2026-11-22",
        "foo --token ${GITHUB_TOKEN}",
        "codex resume 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b",
        "kubectl get secret my-app-secret",
        "git show 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "open /Users/x/Library/Application/Support/AbCdEfGhIjKlMnOp1234567",
    ],
)
def test_no_secret(line: str) -> None:
    assert credential_in(line.split(), sure=True) is None


@pytest.mark.parametrize(
    "line",
    [
        "foo --token ghp_b7Qx0LmT4bYc7NdH3sJZq8kR2vXw9LmT4bYc",
        "foo --password hunter2",
        "foo --token abc123def",
        "foo --token 8f3b2a1c9d8e7f60",
        "curl -u admin:pa55word http://x",
        "env API_KEY=sk-Zq8kR2vXw9LmT4bYc7NdH3sJ",
        "mysql -pS3cret",
        "foo --secret-key wJ4lrXUtnF3MI/K7MD2NG/bPxRfiCY5PAM8LRKUY",
        "env AWS_SECRET_ACCESS_KEY=abc/DEF12345",
        "PGPASSWORD=tr0ub4dor psql",
        "curl https://user:pa55@example.com",
    ],
)
def test_a_secret(line: str) -> None:
    assert credential_in(line.split(), sure=True) is not None


def test_every_made_up_token_is_found() -> None:
    commands = made_up("true.txt", 3)
    assert len(commands) >= 600
    assert len({kind for kind, _ in commands}) >= 120
    assert [" ".join(words) for _, words in commands if credential_in(words, sure=True) is None] == []


def test_what_only_looks_like_one_is_not() -> None:
    commands = made_up("harmless.txt", 3)
    assert len({words for _, words in commands}) >= 500
    assert [" ".join(words) for _, words in commands if credential_in(words, sure=True) is not None] == []


def test_the_answer_never_repeats_the_secret() -> None:
    for _, words in made_up("true.txt", 1):
        found = credential_in(words, sure=True) or ""
        secrets = [word for word in words if len(word) >= 12 and any(map(str.isdigit, word))]
        assert not any(word in found for word in secrets), found
