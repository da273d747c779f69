"""What the preview of an allow rule says is true once the rule is saved; what is broad is refused."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from execpolicy.amend.preview import preview, why_too_broad
from execpolicy.judge.situation import Situation
from execpolicy.programs.breadth import worst_of
from tests.support.each import slow_ones
from tests.support.judging import rulebook
from tests.support.previewing import prefixes, try_preview

HERE = Situation("/project")


@pytest.mark.parametrize("seed", slow_ones(range(4), [1, 2, 3]))
def test_what_a_preview_says_comes_true(seed: int, tmp_path: Path) -> None:
    found = [try_preview(prefix, tmp_path / str(at)) for at, prefix in enumerate(islice(prefixes(Random(seed)), 60))]
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
def test_what_is_broad_by_the_shelf_is_refused(prefix: str) -> None:
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
