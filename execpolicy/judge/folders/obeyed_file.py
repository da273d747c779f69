"""Finds files by which a folder controls a program: the entry lists their names, and the disk is searched."""

from __future__ import annotations

import os

from execpolicy.core.decision import Decision
from execpolicy.judge.file_write import HARMLESS_TARGETS
from execpolicy.judge.folders.upwards import upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.safety.opinion import Opinion


def obeyed_file(names: Sequence[str], facts: Facts, rulebook: Rulebook, situation: Situation) -> str | None:
    """Returns why a program that starts in the situation's folder may obey a file of ``names``, ``None`` if there
    is none.

    It lies in that folder or above it; what lies in the home folder itself is the user's own. A folder that is not
    there may be one of another machine, of which nothing is known.
    """
    around = facts.outermost
    direct = around is facts or facts.script.text in [
        word.literal for command in around.script.commands for word in command.words
    ]
    if not (direct and all(each.once(_only_reads, rulebook) for each in (facts, around))):
        return f"it obeys `{names[0]}`, which something else in the script may write"
    starts = situation.places_of(".")
    if not starts or not os.path.isdir(starts[0]):
        return f"nobody can look whether `{situation.cwd}` holds `{names[0]}`, which it obeys"
    for start in starts:
        for folder in upwards(start):
            for name in names if folder != situation.home else ():
                if os.path.lexists(f"{folder}/{name}"):
                    return f"it obeys `{folder}/{name}`, which can name servers, files and programs"
    return None


def _only_reads(facts: Facts, rulebook: Rulebook) -> bool:
    """True if no command of the script can write a file before another one begins."""
    return _writes_nothing(facts) and (
        len(facts.script.commands) == 1
        or all(_reads(rulebook.heuristics.opinion(each, facts)) for each in facts.script.commands)
    )


def makes_no_files(facts: Facts, rulebook: Rulebook) -> bool:
    """True if each command of the script only reads, or would if its words were no options, which no rule allows."""
    if not _writes_nothing(facts):
        return False
    for each in facts.script.commands:
        found = rulebook.heuristics.opinion(each, facts)
        program = each.words[0].literal if each.words else None
        allowed = program is None or any(rule.decision is Decision.ALLOW for rule in rulebook.policy.rules_for(program))
        if not _reads(found) and (found.code != "dynamic" or allowed):
            return False
    return True


def _reads(opinion: Opinion) -> bool:
    return opinion.verdict == "safe" and not opinion.writes


def _writes_nothing(facts: Facts) -> bool:
    """True if no redirection of the script writes a file."""
    return not any(
        each.writes and each.target.literal not in HARMLESS_TARGETS
        for one in facts.script.commands
        for each in one.redirects
    )
