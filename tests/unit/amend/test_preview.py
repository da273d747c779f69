"""What the preview of an allow rule says is true once the rule is saved; what is broad is refused."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from execpolicy.amend.preview import preview, why_too_broad
from execpolicy.judge.situation import Situation
from execpolicy.lint.worst import worst_of, worsts_of
from execpolicy.programs.catalog import records
from tests.support.each import slow_ones
from tests.support.judging import rulebook
from tests.support.previewing import Previews, prefixes

HERE = Situation("/project")


@pytest.mark.parametrize("seed", slow_ones(range(4), [1, 2, 3]))
def test_what_a_preview_says_comes_true(seed: int, tmp_path: Path) -> None:
    tried_here = Previews(tmp_path)
    found = [tried_here.try_one(prefix) for prefix in islice(prefixes(Random(seed)), 60)]
    assert [lie for tried in found for lie in tried.lies] == []
    assert sum(tried.claims for tried in found) >= 100
    assert any(tried.refused for tried in found)


BROAD = (
    """
pnpx|npx|bunx|uvx|pipx run|yarn dlx|pnpm dlx|pnpm exec|npm exec|bun x|npm create|deno run|deno task
watchexec|entr|watch|nodemon|hyperfine|concurrently|chronic|parallel|xargs|timeout 5|nohup
direnv exec|direnv exec .|mise exec|mise x|mise run|asdf exec|devbox run|nix shell|rbenv exec|pyenv exec
docker|docker run|docker exec|docker compose|docker-compose run|docker-compose exec|podman run|nerdctl|kubectl
kubectl exec|kubectl run|apptainer exec|singularity run|buildah run|lxc exec|toolbox run|distrobox enter
emacsclient --eval|emacsclient -e|emacs|vim|nvim|ed|nano|code|hx
codex exec|codex|claude -p|claude|gemini|aider|opencode run|goose run|cursor-agent|llm
make|just|task|rake|tox|nox|mvn|gradle|./gradlew|sbt|bazel|bazel run|invoke|gulp|grunt|run-s|npm-run-all|nx run
turbo run|lerna run|lerna exec|moon|lefthook|foreman|mage|ninja|npm run|pnpm run|yarn run|composer run|hatch run|pdm run
rye run
poetry run|pipenv run|uv run|conda run|bundle exec|php artisan|python manage.py|rails|rails runner|django-admin|flask
ssh|ssh host|ssh host uptime|mosh|ansible|ansible-playbook|salt|fab|gcloud compute ssh|aws ssm|heroku run|fly ssh
railway run|doppler run|op run|dotenv run|env-cmd|cross-env|aws-vault exec|sops exec-env
cargo|cargo run|cargo xtask|cargo watch|go|go run|go generate|dotnet run|swift run|zig run|dart run|flutter run
terraform|terraform apply|pulumi up|kubectl delete|kubectl apply|helm|gh|gh api|git|pip install|jupyter
mongosh|redis-cli
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


@pytest.mark.parametrize("prefix", BROAD)
def test_what_is_broad_by_the_catalog_is_refused(prefix: str) -> None:
    assert why_too_broad(prefix.split())


@pytest.mark.parametrize("prefix", ["pytest", "eslint", "mypy", "npm test", "make test", "go test", "mvn test", "tsc"])
def test_what_is_narrower_is_previewed_with_its_worst(prefix: str) -> None:
    assert why_too_broad(prefix.split()) is None
    shown = preview(prefix.split(), rulebook(), HERE)
    assert shown.worst is not None
    assert shown.worst.words[: len(prefix.split())] == tuple(prefix.split())


@pytest.mark.parametrize("prefix", ["watchexec make test", "hyperfine ls make"])
def test_what_a_wrapper_runs_needs_a_rule_of_its_own(prefix: str) -> None:
    assert preview(tuple(prefix.split()), rulebook(), HERE).covered == ()


@pytest.mark.parametrize("prefix", ["cargo publish", "npm publish", "pnpm publish", "yarn publish", "lerna publish"])
@pytest.mark.parametrize("more", ["", " --tag x"])
def test_what_publishes_is_said_without_a_further_word(prefix: str, more: str) -> None:
    words = tuple(f"{prefix}{more}".split())
    assert f"`{prefix}{more}`: it publishes" in [worst.beside(words) for worst in worsts_of(words)]


def test_every_record_has_a_worst_where_it_says_one() -> None:
    """For the program, and for each sub-command that its facts name."""
    for record in records():
        named = [item[1:].partition("]")[0] for item in record.extensions.split("; ") if item[:1] == "["]
        for path in ["", *named]:
            words = (record.names[0], *path.split())
            worst = worst_of(words)
            assert worst is None or worst.words[: len(words)] == words


def test_a_worst_begins_with_the_prefix() -> None:
    """Whatever is said to be covered has to be covered: the words stand first, then what may follow."""
    wrong = []
    for at, prefix in enumerate(prefixes(Random(1))):
        worst = worst_of(prefix)
        if worst is not None and worst.words[: len(prefix)] != prefix:
            wrong.append((prefix, worst.words))
        if at > 3_000:
            break
    assert wrong == []


@pytest.mark.parametrize(
    ("prefix", "worst"),
    [
        ("git commit -m", "git commit -m x --amend"),
        ("git commit -m x", "git commit -m x --amend"),
        ("pytest -k", "pytest -k x -p evil"),
        ("git -c", "git -c core.pager=./evil log"),
        ("make -f", "make -f x SHELL=./evil"),
        ("timeout -k", "timeout -k x x ./evil"),
        ("busybox", "busybox sh -c ./evil"),
        ("sh -c", "sh -c ./evil"),
        ("vim", "vim -c !./evil"),
        ("git bisect run", "git bisect run ./evil"),
        ("git bisect start", None),
        ("cargo clippy -- -D warnings", None),  # what stands behind is for clippy
        ("pytest --", "pytest -- /tmp/evil.py"),
        ("npm run build --", "npm run build -- --config=/tmp/evil"),
        ("terraform apply", "terraform apply -destroy -auto-approve"),
        ("terraform apply plan.out", None),
        ("kubectl delete", "kubectl delete namespaces --all"),
        ("kubectl delete pod x", "kubectl delete pod x --kubeconfig /tmp/evil.yaml"),
        ("docker compose up -d", "docker compose up -d worker"),
        ("gh api", "gh api -X DELETE"),
        ("gh pr list", "gh pr list -R other/project"),
        ("python manage.py migrate", "python manage.py migrate --settings=evil"),
    ],
)
def test_a_worst_is_what_the_program_takes(prefix: str, worst: str | None) -> None:
    """Tried with the programs: an option behind an operand, or in the place of a value, was none to them."""
    found = worst_of(prefix.split())
    assert (None if found is None else " ".join(found.words)) == worst
