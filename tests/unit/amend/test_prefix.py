"""The reusable part of a command."""

from __future__ import annotations

import pytest

from execpolicy.amend.preview import reusable_prefix


@pytest.mark.parametrize(
    ("command", "prefix"),
    [
        ("git push origin main", "git push"),
        ("git stash pop --index", "git stash pop"),
        ("npm run test -- --watch", "npm run test"),
        ("npm install left-pad", "npm install"),
        ("docker compose up -d", "docker compose up"),
        ("docker build .", "docker build"),
        ("kubectl get pods -n x", "kubectl get"),
        ("gh pr view 1", "gh pr view"),
        ("aws s3 ls s3://x", "aws s3 ls"),
        ("cargo test --lib", "cargo test"),
        ("python3 -m pytest -q", "python3 -m pytest"),
        ("python3 script.py x", "python3 script.py"),
        ("pytest -q tests", "pytest"),
        ("make test", "make test"),
        ("make -C sub all", "make -C sub all"),
        ("uv run pytest -q", "uv run pytest"),
        ("npx prettier --check .", "npx prettier"),
        ("bash build.sh x", "bash build.sh"),
    ],
)
def test_the_words_that_say_what_is_done(command: str, prefix: str) -> None:
    assert reusable_prefix(command.split()) == tuple(prefix.split())


@pytest.mark.parametrize(
    "command",
    [
        "git",
        "git -C x push",
        "git -c a=b push",
        "npm run",
        "foo bar",
        "rm -rf x",
        "python3 -c x",
        "python3 -m",
        "sudo ls",
    ]
    + ["docker run x", "docker --context y ps", "go run .", "kubectl exec pod", "bash -c x", "find . -name x", "env"]
    + ["gh pr", "make -C"],
)
def test_none_where_it_is_unknown_or_too_broad(command: str) -> None:
    assert reusable_prefix(command.split()) is None
