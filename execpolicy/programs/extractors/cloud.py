"""Command lines of clouds and of services elsewhere."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_argv, run_text
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import run_joined
from execpolicy.shell.script import Command


def gh(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``gh alias set NAME TEXT``, where ``TEXT`` is for a shell, or a command line of gh without its name; and what git
    gets of ``gh repo clone NAME -- OPTION…``.
    """
    texts = [word.literal or "" for word in command.words[1:]]
    if texts[:2] == ["config", "set"] and len(texts) > 3 and texts[2] in ("pager", "editor", "browser"):
        return [run_text(name, command, texts[3], evidence=True)]
    if texts[:1] == ["repo"] and "--" in texts and not {"clone", "fork"}.isdisjoint(texts[:3]):
        return [run_argv(name, command, ["git", "clone", *texts[texts.index("--") + 1 :]], evidence=True)]
    if "alias" not in texts or "set" not in texts:
        return []
    shell = "-s" in texts or "--shell" in texts
    return [
        run_text(name, command, text.removeprefix("!"))
        if shell or text.startswith("!")
        else run_text(name, command, f"gh {text}", evidence=True)
        for text in texts[2:]
        if shell or text[:1] != "-"
    ]


def aws(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``aws configure set credential_process TEXT``, and ``--parameters commands=TEXT`` of Systems Manager."""
    from itertools import pairwise

    texts = [word.literal or "" for word in command.words[1:]]
    found = [after for before, after in pairwise(texts) if before.rpartition(".")[2] == "credential_process"]
    for text in texts:
        if "commands" in text:
            found += [each for each in text.partition("commands")[2].strip("=:\"' ]}").split('"') if each.strip("[, '")]
    return [run_text(name, command, text.strip("[]'"), evidence=True) for text in found]


def salt(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``salt TARGET cmd.run TEXT``."""
    words = command.words
    for at, word in enumerate(words):
        if (word.literal or "").startswith("cmd."):
            yield from run_joined(name, command, facts, words[at + 1 :])
