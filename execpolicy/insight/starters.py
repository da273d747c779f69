"""The starter rule files and the packs that ship with the package, and their decisions on samples."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from execpolicy.atomic_write import make_draft, usual_mode
from execpolicy.core.text import glob_matches
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.resources import rules_folder
from execpolicy.safe_open import read_named
from execpolicy.source import Source

SAMPLES = {
    "files": ("cp a.txt b.txt", "rm -r build", "rm -rf /"),
    "git": ("git commit -m done", "git push origin main", "git push --force"),
    "interpreters": ("python3 -c 'print(1)'", "sudo ls", "npx tsc"),
    "network": ("curl https://example.org", "ssh host uptime", "nc -l 4444"),
    "packages": ("npm install", "npm publish", "pip install requests"),
}
"""Commands that show the effect of each starter file."""

PACK_SAMPLES = {
    "agents": ("bd show app-1", "bd delete app-1"),
    "aws": ("cdk diff MyStack", "cdk deploy MyStack"),
    "disaster": ("rm -rf ~/", "git push --force origin main", "rm -rf build"),
    "docker": ("docker compose ps", "docker compose -f /elsewhere.yml ps"),
    "dotnet": ("dotnet test", "dotnet publish"),
    "elixir": ("mix test", "mix ecto.migrate"),
    "go": ("go test ./...", "go test -exec ./program ./..."),
    "java": ("mvn -q test", "mvn deploy"),
    "kubernetes": ("kubectl describe pod web-1", "kubectl delete pod web-1"),
    "make": ("make test", "make test SHELL=./program"),
    "node": ("npm test", "npm publish"),
    "php": ("php artisan route:list", "php artisan migrate"),
    "python": ("pytest -q tests", "pytest -p plugin"),
    "ruby": ("bundle exec rspec", "rails db:migrate"),
    "rust": ("cargo test", "cargo publish"),
    "scripts": ("./scripts/check.sh", "./scripts/deploy.sh"),
    "sql": ("sqlite3 shop.db 'SELECT * FROM orders'", "sqlite3 shop.db 'DELETE FROM orders'"),
    "terraform": ("terraform plan", "terraform apply"),
}
"""For each pack a command that it decides, and one that it leaves at *prompt*."""


PACK_FILES = {
    "agents": ".beads .workmux.yaml",
    "aws": "cdk.json",
    "disaster": ".",
    "docker": "compose.y*ml docker-compose.y*ml",
    "dotnet": "*.csproj *.fsproj *.sln *.slnx global.json",
    "elixir": "mix.exs",
    "go": "go.mod",
    "java": "pom.xml build.gradle build.gradle.kts",
    "kubernetes": "Chart.yaml kustomization.y*ml skaffold.y*ml helmfile.y*ml k8s kubernetes",
    "make": "Makefile makefile GNUmakefile justfile Justfile Taskfile.yml",
    "node": "package.json",
    "php": "composer.json",
    "python": "pyproject.toml setup.py setup.cfg requirements.txt tox.ini",
    "ruby": "Gemfile",
    "rust": "Cargo.toml",
    "scripts": "*.sh scripts tools",
    "terraform": "*.tf",
}
"""For each pack globs of the files by which a project is one that it fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """One starter file or one pack.

    Attributes:
        name: the file name without ``.rules``.
        title: its first comment line.
        prefix: the text before the name in the name of the written file.
        samples: commands that show its effect.
    """

    name: str
    title: str
    text: str
    prefix: str
    samples: tuple[str, ...]

    @property
    def file_name(self) -> str:
        """The name of the file to write."""
        return f"{self.prefix}{self.name}.rules"


def starters() -> tuple[Starter, ...]:
    """Every starter file, by name."""
    return _shipped(rules_folder(), "", SAMPLES)


def packs() -> tuple[Starter, ...]:
    """Every pack, by name: the commands that a person who trusts a project lets it run, in this package's dialect."""
    return _shipped(os.path.join(rules_folder(), "packs"), "pack-", PACK_SAMPLES)


def fitting_packs(project: str) -> tuple[Starter, ...]:
    """The packs that fit the folder ``project``, by name."""
    names = [".", *os.listdir(project)]
    return tuple(
        pack
        for pack in packs()
        if any(glob_matches(glob, name) for glob in PACK_FILES.get(pack.name, "").split() for name in names)
    )


def workspace_starter() -> Starter:
    """The rules that the workspace setting turns on."""
    return _shipped(os.path.join(rules_folder(), "workspace"), "", {})[0]


def _shipped(folder: str, prefix: str, samples: Mapping[str, tuple[str, ...]]) -> tuple[Starter, ...]:
    found: list[Starter] = []
    for file_name in sorted(os.listdir(folder)):
        name, ending = os.path.splitext(file_name)
        if ending == ".rules":
            with open(os.path.join(folder, file_name), encoding="utf-8") as file:
                text = file.read()
            title = text.split("\n", 1)[0].lstrip("# ").rstrip()
            found.append(Starter(name=name, title=title, text=text, prefix=prefix, samples=samples.get(name, ())))
    return tuple(found)


def decisions(starter: Starter, base: Rulebook, situation: Situation) -> tuple[tuple[str, str], ...]:
    """``(command, decision)`` for the samples of one starter on top of ``base``."""
    rulebook = base.with_statements(*compile_source(Source(starter.file_name, starter.text)).statements)
    return tuple((command, check(command, rulebook, situation=situation).decision.word) for command in starter.samples)


def write_starter(starter: Starter, folder: str) -> bool:
    """Writes the file into ``folder``, which is created; ``False`` if a file of that name exists.

    The file appears whole or not at all, and an existing one is never replaced.

    Raises:
        OSError: the folder or the file cannot be created.
    """
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, starter.file_name)
    draft = make_draft(target, starter.text.encode("utf-8"), usual_mode())
    try:
        os.link(draft, target)  # unlike a rename, a link never replaces
    except FileExistsError:
        return False
    finally:
        os.unlink(draft)
    return True


def remove_starter(starter: Starter, folder: str, *, even_changed: bool) -> bool:
    """Removes the file from ``folder``; ``False`` if its content was changed, unless ``even_changed``.

    Raises:
        OSError: there is no such file, or it cannot be read or removed.
    """
    path = os.path.join(folder, starter.file_name)
    if read_named(path) != starter.text.encode("utf-8") and not even_changed:
        return False
    os.unlink(path)
    return True
