"""Checks the examples of an entry."""

from __future__ import annotations

from _collections_abc import Callable, Sequence

from execpolicy.safety.opinion import Opinion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand

    Entry: TypeAlias = SafeCommand | DangerousCommand


def example_failures(entry: Entry, judge: Callable[[str], Sequence[Opinion]]) -> list[str]:
    """Returns what is wrong with the examples of ``entry``: one line each, empty if all hold.

    A ``match`` example holds if ``entry`` gave the opinion on at least one of its commands; a ``not_match`` example if
    it gave none. The project is the working folder, and holds every program that an entry wants installed. ``judge``
    reads a script and returns the opinions on its commands.
    """
    verdict = "safe" if entry.kind == "safe_command" else "dangerous"
    failures: list[str] = []

    def gave(opinion: Opinion) -> bool:
        return opinion.verdict == verdict and opinion.entry is entry and all(one.is_nearby for one in opinion.locations)

    for example in entry.match:
        opinions = judge(example)
        if not any(map(gave, opinions)):
            why = "; ".join([opinion.why for opinion in opinions]) or "it has no command"
            failures.append(f"expected `{example}` to match {entry.kind} `{entry.name}`: {why}")
    for example in entry.not_match:
        if any(map(gave, judge(example))):
            failures.append(f"expected `{example}` not to match {entry.kind} `{entry.name}`")
    return failures
