"""Which commands get a rule, and how wide it is: one case for each kind of mistake that was made."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType

import pytest

from execpolicy.core.quoting import split
from execpolicy.insight.history import History
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import replay
from execpolicy.insight.suggest import grant_for, why_not
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook


def refusal(command: str) -> str | None:
    return why_not(tuple(split(command) or ()))


@pytest.mark.parametrize(
    "command",
    [
        "/tmp/evil/bin/rspec",  # where the program lies
        "../other/gradlew test",
        "~/bin/phpunit",
        "./gradlew publishToMavenCentral",  # a name in camel case
        "./gradlew flywayClean",
        "make redeploy",
        "mill api.run",
        "make deps",  # what a task of any program is called
        "mvn dependency:resolve",
        "rebar3 get-deps",
        "tflint --init",
        "mix deps.get",  # three letters behind a dot
        "ninja -C build install",  # known to be harmless alone, and there is more
        "dotnet watch run",  # others were looked at, this was not
        "stack ghci",
        "swift src/a.swift",
        "iex -S mix",  # runs program text
        "bun run src/a.ts",
        "docker compose exec api pytest -q",  # a checker, elsewhere
        "bazel clean --expunge",
        "pio run -t upload",
        "cmake --install build",
        "terraform -chdir=../other plan",  # an option in front
        "pnpm --filter api publish",
        "nx run-many -t deploy",
    ],
)
def test_no_rule_is_suggested_for(command: str) -> None:
    assert refusal(command) is not None


@pytest.mark.parametrize(
    "command",
    [
        "./gradlew assembleRelease",
        "npm run build:prod",
        "bundle exec rspec spec/a_spec.rb",
        "vendor/bin/phpunit tests/test_login.php",  # the name of a file says nothing of what is done
        "terraform -chdir=envs/dev plan",
        "pnpm --filter api test",
        "nx run-many -t build test",
        "npx nx build api",
        "pnpm exec vitest run src/a.test.ts",
        "./gradlew :app:test --tests LoginTest",  # the value of an option says nothing of what is done
        "conda run -n api pytest",
        "deno task build",
        "bun run build",
        "composer run lint",
        "rake spec",
        "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release",
        "swift build -c release",
    ],
)
def test_a_rule_is_suggested_for(command: str) -> None:
    assert refusal(command) is None


@pytest.mark.parametrize("command", ["deno task fmt", "cargo xtask check", "bun run test", "cargo xtask build"])
def test_a_name_of_the_project_is_not_taken_for_what_is_known_of_the_program(command: str) -> None:
    assert grant_for(tuple(command.split())).unless == ("*",)


def test_what_does_something_else_is_left_out_of_a_rule_for_files() -> None:
    assert "init" in grant_for(("vitest", "src/a.test.ts")).unless
    assert "init" not in grant_for(("vitest", "run", "src/a.test.ts")).unless


def test_what_is_said_of_a_runner_is_not_said_of_what_it_runs() -> None:
    assert "upgrade" in (refusal("uv run alembic upgrade head") or "")
    assert "fetches" in (refusal("uv run pip install x") or "")


KINDS = (
    "pytest tests/test_{}.py",
    "tool{} run x",
    "git commit -m m{}",
    "kubectl get pod-{}",
    "npm run s{}",
    "foo sub{} a",
)


def steps(size: int) -> int:
    """How many functions are called to suggest rules for ``size`` distinct commands."""
    history = History(counts=Counter([KINDS[at % len(KINDS)].format(at) for at in range(size)]))
    policy = PortablePolicy.of(rulebook(), situation=Situation("/project"))
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        replay(history, policy)
    finally:
        sys.setprofile(None)
    return count


def test_suggestions_cost_in_proportion_to_the_commands() -> None:
    steps(60)  # records are read
    few, more, most = steps(300), steps(600), steps(1_200)
    assert more < 2.3 * few
    assert most < 2.3 * more
