"""The branch that a ``git push`` without one pushes, as far as the script and the settings that git reads say it."""

from __future__ import annotations

from execpolicy.judge.folders.git_state import branch_pushed_from
from execpolicy.programs.catalog import record_of
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.meaning.command_readings import command_readings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.folders.whereabouts import Whereabouts
    from execpolicy.judge.situation import Situation
    from execpolicy.shell.script import Command


def pushed_branch(command: Command, facts: Facts, situation: Situation, where: Whereabouts | None) -> str | None:
    """Returns that branch, or ``None`` if settings or the script may say something else."""
    words = [word.literal for word in command.words[:4]]
    folder = "." if words[1:2] == ["push"] else words[2] if words[1:2] == ["-C"] else None
    if where is None or folder is None or facts.around is not None or command.context or facts.assigned:
        return None
    if not all(map(_stays, facts.script.commands)):
        return None
    found = {branch_pushed_from(each, situation) for each in where.of(command).joined(folder)}
    return found.pop() if len(found) == 1 else None


def _stays(command: Command) -> bool:
    """True if a command changes neither the branch of a repository nor settings, by the record of its program."""
    name = (command.words[0].literal if command.words else None) or ""
    record, grammar = record_of(name), grammar_of(name)
    if record is None or grammar is None or not record.runs_others():
        return record is not None and record.writes == "none" and not record.runs_others()
    texts = [word if word.literal is None else word.literal for word in command.words[1:]]
    lines = [grammar.line(reading.path) for reading in command_readings(grammar, texts)]
    return all(line is not None and line.stays for line in lines)
