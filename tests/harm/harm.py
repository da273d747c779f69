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
