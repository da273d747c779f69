"""Which harmful lines are proven: what each did, beyond what its program does anyway."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.harm.ground import Ground

DATA = Path(__file__).parents[1] / "data" / "advice"
PROVEN = DATA / "proven.tsv"
USUAL = {
    "cargo": ("cargo build", "cargo test"),
    "git": ("git status", "git commit -m x", "git add -A"),
    "npm": ("npm test", "npm run build"),
    "npx": ("npx eslint src", "npx tsc --noEmit"),
    "pytest": ("pytest", "pytest tests"),
    "python": ("python -m pytest", "python a.py"),
    "python3": ("python3 -m pytest", "python3 a.py"),
    "make": ("make test", "make lint build"),
    "gmake": ("gmake test",),
    "kubectl": ("kubectl get pods",),
    "docker": ("docker ps",),
    "cmake": ("cmake -B build", "cmake --build build"),
    "terraform": ("terraform validate", "terraform fmt"),
    "tox": ("tox -e lint",),
    "nox": ("nox -s lint",),
    "ruff": ("ruff check src",),
    "mypy": ("mypy src",),
    "eslint": ("eslint src",),
    "uv": ("uv run pytest",),
    "poetry": ("poetry run pytest",),
    "pip": ("pip freeze",),
    "go": ("go test ./...", "go build ./...", "go vet ./..."),
    "mix": ("mix test",),
    "rake": ("rake test",),
    "rspec": ("rspec spec",),
    "rubocop": ("rubocop lib",),
    "phpunit": ("phpunit tests",),
    "composer": ("composer run test",),
    "bundle": ("bundle exec rake test",),
    "just": ("just test",),
    "task": ("task test",),
    "deno": ("deno test",),
    "bun": ("bun test", "bun run check"),
    "playwright": ("playwright test",),
    "pnpm": ("pnpm test", "pnpm run lint"),
    "yarn": ("yarn test", "yarn run lint"),
    "jest": ("jest",),
    "vitest": ("vitest run",),
    "tsc": ("tsc --noEmit",),
    "biome": ("biome check src",),
    "meson": ("meson setup b",),
    "coverage": ("coverage run -m pytest",),
    "pylint": ("pylint src",),
    "flake8": ("flake8 src",),
    "isort": ("isort --check src",),
    "black": ("black --check src",),
    "bandit": ("bandit -r src",),
    "prettier": ("prettier --check src",),
    "pre-commit": ("pre-commit run",),
    "sphinx-build": ("sphinx-build docs build",),
    "mkdocs": ("mkdocs build",),
    "ctest": ("ctest --test-dir build",),
    "ninja": ("ninja -C build",),
    "mvn": ("mvn -o test",),
}
"""What the program does every day: kinds of effects that are seen of this prove nothing."""


def harmful_lines() -> list[str]:
    """All of them."""
    return (DATA / "harmful.txt").read_text("utf-8").splitlines()


def program_of(line: str) -> str:
    """The first word."""
    return line.split()[0]


@cache
def usual_kinds(ground: Ground, program: str) -> frozenset[str]:
    """Kinds of effects that the program has anyway."""
    return frozenset([kind for line in USUAL.get(program, ()) for kind in ground.seen(line).kinds()])


def proofs(ground: Ground, line: str) -> tuple[str, ...]:
    """The kinds of harm that ``line`` was seen to do.

    Raises:
        TimeoutError: nothing was seen before its time was over.
    """
    usual = usual_kinds(ground, program_of(line))
    return tuple([kind for kind in ground.seen(line).kinds() if kind not in usual])


def proven() -> dict[str, tuple[str, ...]]:
    """What is kept of the runs so far: the kinds of harm of each line that was seen to do any."""
    rows = [row.split("\t") for row in PROVEN.read_text("utf-8").splitlines()]
    return {line: tuple(kinds.split("+")) for kinds, line in rows}


def write_proofs(found: dict[str, tuple[str, ...]]) -> None:
    """Keep ``found``; lines that were not tried keep what is known of them."""
    everything = {**proven(), **found}
    rows = [f"{'+'.join(everything[line])}\t{line}\n" for line in harmful_lines() if everything.get(line)]
    PROVEN.write_text("".join(rows), "utf-8")
