"""What `lint` calls a secret: known shapes and named values, not paths, identifiers, numbers and plain words."""

import pytest

from execpolicy.core.credentials import sure_credential_in


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
    assert sure_credential_in(line.split()) is None


@pytest.mark.parametrize(
    "line",
    [
        "foo --token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "foo --password hunter2",
        "foo --token abc123def",
        "foo --token 8f3b2a1c9d8e7f60",
        "curl -u admin:pa55word http://x",
        "env API_KEY=sk-abcdefghijklmnopqrstuvwx",
        "mysql -pS3cret",
        "foo --secret-key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "env AWS_SECRET_ACCESS_KEY=abc/DEF12345",
        "PGPASSWORD=tr0ub4dor psql",
        "curl https://user:pa55@example.com",
    ],
)
def test_a_secret(line: str) -> None:
    assert sure_credential_in(line.split()) is not None
