"""Secrets in words. Every secret here is made up."""

from __future__ import annotations

import hashlib
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.core.credentials import credential_in
from tests.support.each import each

LONG = "abcdefghij0123456789ABCDEFGHIJ0123456789"


@each(
    "words",
    [
        ["gh", "auth", "ghp_" + LONG],
        ["curl", f"https://x.y?t=github_pat_{LONG}"],
        ["x", "glpat-" + LONG[:20]],
        ["x", "sk-" + LONG],
        ["x", "sk-ant-api03-" + LONG],
        ["x", "sk_live_" + LONG[:24]],
        ["x", "AKIA" + "ABCDEFGHIJKLMNOP"],
        ["x", "AIza" + LONG[:35]],
        ["x", "xoxb-123456789012-abcdefghijkl"],
        ["curl", "https://hooks.slack.com/services/T000/B000/XXXX"],
        ["x", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"],
        ["echo", "-----BEGIN RSA PRIVATE KEY-----"],
        ["x", "npm_" + LONG[:36]],
        ["x", "pypi-AgEIcHlwaS5vcmc" + LONG],
        ["x", "hf_" + LONG[:34]],
        ["x", "SG." + LONG[:22] + "." + LONG],
        ["x", "dop_v1_" + "0123456789abcdef" * 4],
        ["x", "123456789:AA" + LONG[:33]],
        ["psql", "postgres://me:hunter2@db/x"],
        ["git", "clone", "https://user:tok3n@host/x.git"],
        ["git", "clone", "https://:tok3n@host/x.git"],
        ["curl", "-H", "Authorization: Bearer abcdefgh1234"],
        ["curl", "-H", "X-Api-Key: abcdef123"],
        ["curl", "-H", "Cookie: session=abc"],
        ["curl", "-u", "me:hunter2", "https://x"],
        ["mysql", "-phunter2"],
        ["sshpass", "-p", "hunter2", "ssh", "x"],
        ["foo", "--password", "hunter2"],
        ["foo", "--password=hunter2"],
        ["foo", "--db-password=hunter2"],
        ["foo", "--token", "abc"],
        ["env", "API_KEY=abcdef", "foo"],
        ["env", "AWS_SECRET_ACCESS_KEY=abcdef", "foo"],
        ["docker", "run", "-e", "POSTGRES_PASSWORD=hunter2", "x"],
        ["foo", "client_secret=abcdef"],
        ["foo", "Zq8kR2vXw9LmT4bYc7NdH3sJ"],
        ["foo", "--data=Zq8kR2vXw9LmT4bYc7NdH3sJ"],
    ],
)
def test_secrets_are_found_and_never_repeated(words: list[str]) -> None:
    found = credential_in(words)
    assert found is not None
    assert all(word not in found for word in words if len(word) >= 12 and not word.startswith("--"))


@pytest.mark.parametrize(
    "words",
    [
        "git show 0123456789abcdef0123456789abcdef01234567",
        "git log --author=someone --since=2024-01-01",
        "kubectl get pod web-7d4b9c6f5-x2x9z",
        "npm run build:production-with-sourcemaps",
        "pytest tests/unit/some_module/test_very_long_name.py::TestSomething::test_that_it_works_123",
        "cargo test --package my-great-package-name --lib",
        "docker run --rm -it ghcr.io/owner/repository-name:v1.2.3",
        "docker pull x@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "ls /home/user/Projects/SomeVeryLongProjectName2024/src/components/UserProfileCard.tsx",
        "curl https://example.com/api/v1/users?page=2&limit=100",
        "foo --no-password",
        "foo --token-file path",
        "foo --password-stdin",
        "foo --max-tokens 4096",
        "foo --use-auth=true",
        "psql postgres://localhost:5432/database_name",
        "git clone https://github.com/owner/repo.git",
        "git clone ssh://git@github.com/owner/repo.git",
        "sort -u a:b",
        "mvn -Dtest=MyVeryLongClassNameIntegrationTest#shouldDoSomethingUseful test",
        "terraform plan -out=tfplan-2024-01-01T10:00:00Z",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "go test -run TestSomethingVeryLongAndDescriptive123 ./...",
        "echo token",
    ],
)
def test_ordinary_words_are_not_secrets(words: str) -> None:
    assert credential_in(words.split(" ")) is None


@pytest.mark.parametrize("length", [32, 40, 64])
def test_most_random_words_are_found(length: int) -> None:
    alphabet = string.ascii_letters + string.digits

    def word(seed: int) -> str:
        stream = b"".join(hashlib.sha512(f"{seed}/{block}".encode()).digest() for block in range(4))
        return "".join(alphabet[byte % 62] for byte in stream[:length])

    found = sum(credential_in(["x", word(seed)]) is not None for seed in range(200))
    assert found >= 190


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_it_answers_for_any_words(words: list[str]) -> None:
    credential_in(words)
