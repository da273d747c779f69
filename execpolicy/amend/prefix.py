"""How many words name what a program does: the prefix that is worth saving beside the exact command."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.core.banned import is_banned

_WORDS = {
    1: "actionlint cargo-nextest eslint gofmt hadolint jest markdownlint mypy prettier pylint pyright pytest "
    "shellcheck shfmt stylelint tox tsc vitest yamllint",
    2: "ansible-galaxy apt apt-get asdf bazel black bosh brew buf bundle cargo composer conda corepack dagger deno "
    "devbox direnv dnf docker dotnet earthly encore expo firebase flake8 flutter flyctl git git-lfs go gofumpt "
    "golangci-lint gradle ./gradlew heroku helm helmfile hg istioctl isort jj just kind kubectl kustomize lerna make "
    "mage meson minikube mix mvn ./mvnw netlify nix npm nx nvm packer pip pip3 pipx pixi pnpm podman poetry pre-commit "
    "prisma pulumi pyenv rails rake rbenv rebar3 rtk ruff rustup sbt serverless skaffold snap stack supabase svn "
    "swift systemctl task terraform terragrunt tofu turbo uv vagrant vercel wrangler xcodebuild yarn zig "
    "python python3 node npx bunx ruby perl php bash sh zsh",
    3: "aws az doctl gcloud gh glab",
}
_NESTED = {
    "bun run": 3,
    "bundle exec": 3,
    "bazel run": 3,
    "conda run": 3,
    "docker builder": 3,
    "docker buildx": 3,
    "docker compose": 3,
    "docker container": 3,
    "docker image": 3,
    "docker network": 3,
    "docker system": 3,
    "docker volume": 3,
    "dotnet tool": 3,
    "gcloud compute": 4,
    "gcloud container": 4,
    "git bisect": 3,
    "git config": 3,
    "git lfs": 3,
    "git notes": 3,
    "git remote": 3,
    "git stash": 3,
    "git submodule": 3,
    "git worktree": 3,
    "go mod": 3,
    "go tool": 3,
    "go work": 3,
    "helm repo": 3,
    "kubectl config": 3,
    "kubectl rollout": 3,
    "make -C": 4,
    "npm exec": 3,
    "npm pkg": 3,
    "npm run": 3,
    "npm run-script": 3,
    "pip config": 3,
    "pipx run": 3,
    "pnpm exec": 3,
    "pnpm dlx": 3,
    "pnpm run": 3,
    "podman compose": 3,
    "poetry run": 3,
    "python -m": 3,
    "python3 -m": 3,
    "rustup component": 3,
    "rustup target": 3,
    "rustup toolchain": 3,
    "terraform state": 3,
    "terraform workspace": 3,
    "uv pip": 3,
    "uv run": 3,
    "uv tool": 3,
    "yarn dlx": 3,
    "yarn run": 3,
    "yarn workspace": 4,
}
_COUNT = {program: count for count, programs in _WORDS.items() for program in programs.split()} | _NESTED
_NEVER = frozenset(
    ["deno run", "docker exec", "docker run", "go run", "kubectl exec", "nix develop", "nix run", "nix shell"]
    + ["podman exec", "podman run"]
)
"""These run whatever is named behind them, so a prefix of two words is as broad as a bare interpreter."""

_MAY_BE_AN_OPTION = frozenset(["make -C", "python -m", "python3 -m"])


def reusable_prefix(tokens: Sequence[str]) -> tuple[str, ...] | None:
    """The part of ``tokens`` that says what is done without saying to what: ``git push`` of ``git push origin main``.

    ``None`` where no such part is known: an unknown program, an option in between, or a prefix that is too broad.
    """
    count = max(_COUNT.get(" ".join(tokens[:length]), 0) for length in (1, 2))
    if not count or count > len(tokens):
        return None
    prefix = tuple(tokens[:count])
    options = [word for word in prefix[1:] if word.startswith("-")]
    if len(options) > 1 or (options and " ".join(prefix[:2]) not in _MAY_BE_AN_OPTION):
        return None
    return None if is_banned(prefix) or " ".join(prefix) in _NEVER else prefix
