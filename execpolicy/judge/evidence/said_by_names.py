"""Commands that options and settings hold whose names say so, of any program: ``--sftp-ssh CMD``, ``-o shell=CMD``.

A record lists the options of its program that were known when it was written; others come with every version. What an
option is called says often enough that its value is run: ``--on-port``, ``--editor``, ``hooks.before_backup``,
``default_prog``. It is evidence, as all of :mod:`execpolicy.judge.evidence.evidently_given`: it never helps a grant.
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.judge.evidence.evidently_given import in_text
from execpolicy.judge.evidence.prose import PROSE, is_forge, is_prose, tells_prose
from execpolicy.judge.evidence.spelt_out import MOST_PARTS, is_meant, row
from execpolicy.programs.inner import run_command, run_text
from execpolicy.programs.shelf import record_of
from execpolicy.shell.limits import COMMAND, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_LETTERS = frozenset(("-c", "-e", "-x", "-E"))
"""Options of one letter whose value, where it is a text of several words, is usually run or evaluated."""
_PROGRAM = names(
    "exec execute command commands cmd cmds run runner shell hook hooks script scripts editor pager browser wrapper "
    "launcher linker interpreter program prog askpass compiler linkerexe viewer helper exe pgm pgml pgmf pgmc pgma "
    "pgmp pgmi pgmlm pgmlo pgmlc gcc cc cxx ld git subst"
)
"""Parts of a name that say that its value is a program, which may be a single word: ``--server-wrapper rm``."""
_TEXT = _PROGRAM | names(
    "ssh rsh sshcmd proxy diff merge build ar pp ppx alias aliases trigger task tasks job "
    "jobs mapper auth template schema teardown setup workload hdr runonchange execcmd initstmt visual notify "
    "callback provider providers "
    "bin plugin daemon builders"
)
"""Those that say it of a value of several words, which anything else would not be: ``--metadata-mapper 'git push'``."""
_MOMENTS = frozenset(("pre", "post", "before", "after", "on"))
"""First parts of names of what runs at some time: ``--on-port``, ``--post-commit-hooks``, ``--onpass``."""
_SETTING = names("set add config settings setting setpref option options put policy")
"""Words behind which a name and its value follow: ``gh config set editor CMD``."""
_DEFINING = names(
    "alias aliases task tasks hook hooks script scripts trigger triggers exec shell sh forall foreach lock "
    "trackdown run start"
)
"""Parts of sub-commands that say that commands follow: ``pixi task add x CMD``, ``meta exec CMD``."""
_JOINING = frozenset(";&|`$\n")
_LIST = r"\[([^][]*)\]"
_CONSTANT = r"\"([^\"]*)\"|'([^']*)'"
_OF_KEYS = frozenset(".:/-_+[]")
"""What stands in the name of a setting beside letters and digits."""


def said_by_names(command: Command, facts: Facts, rulebook: Rulebook) -> Iterator[Inner]:
    """What the options and settings among the words of ``command`` hold, where their names say so."""
    words = command.words
    name = words[0].literal or ""
    record = record_of(name.rpartition("/")[2])
    if tells_prose(name) or (record is not None and record.language == "shell"):  # a script is read as what it is
        return
    if is_forge(name) and any(word.literal == "--push" for word in words[1:]):
        yield run_text(name, command, "git push", evidence=True)
    interpreted = record is not None and record.language != ""
    setting = defining = False
    for at in range(1, len(words)):
        text = words[at].literal
        if not text or not facts.budget.spend(STEP + len(text)):
            continue
        following = words[at + 1].literal if at + 1 < len(words) else None
        before = words[at - 1].literal or ""
        plain = before[:1] != "-"
        if defining and plain and text[:1] != "-":
            if " " in text.strip() and _is_command(text, rulebook):
                yield from _run(name, command, facts, text, single=False)
            elif is_meant(row([word.literal for word in words[at : at + MOST_PARTS]]), rulebook):
                yield run_command(name, command, command.words[at:], stdin=False, evidence=True)
        elif defining and text == "--":
            yield run_command(name, command, command.words[at + 1 :], stdin=False, evidence=True)
        told = _without_assignments(text) if interpreted else text
        if before in _LETTERS and " " in told.strip() and _is_command(told, rulebook):
            yield from _run(name, command, facts, told, single=False)
        if before in _LETTERS or before in ("eval", "--eval"):
            yield from in_text(text, command, name, facts)
        yield from _option(text, before, at, command, facts)
        if setting and plain and following and text[:1] != "-":
            yield from _held(text, following, name, command, facts)
        setting = setting or text in _SETTING or text == "-w"
        defining = defining or (plain and not _DEFINING.isdisjoint(text.split("-"))) or _ends_in_command(text)


def _without_assignments(text: str) -> str:
    """A program text without ``rm = 3``, which no shell runs as a command."""
    statements = text.replace("\n", ";").split(";")
    return ";".join(
        [each for each in statements if not each.partition(" = ")[0].strip().isidentifier() or " = " not in each]
    )


def _ends_in_command(text: str) -> bool:
    """``--content-from-command``, ``--test-command``: an option that says that a command follows somewhere."""
    return text[:1] == "-" and text.endswith("-command")


def _option(text: str, before: str, at: int, command: Command, facts: Facts) -> Iterator[Inner]:
    """What the option or setting ``text``, the word at ``at`` behind ``before``, holds."""
    name = command.words[0].literal or ""
    mark = ":" if text[:1] == "-" and "=" not in text else "="
    if mark in text and not is_prose(name, text, before):
        yield from _assigned(text.lstrip("-"), name, command, facts, mark)
    elif text[:1] == "-" and len(text) > 2 and at + 1 < len(command.words):
        following = command.words[at + 1].literal
        if following and following[:1] != "-":
            yield from _held(text.lstrip("-"), following, name, command, facts)


def _assigned(text: str, name: str, command: Command, facts: Facts, mark: str) -> Iterator[Inner]:
    """``KEY=VALUE``, whose value may be another one: ``config=alias.x=!CMD``."""
    for _ in range(3):
        key, equals, value = text.partition(mark)
        mark = "="
        if not equals or not _is_key(key.strip()) or key in PROSE:
            return
        yield from _held(key, value, name, command, facts)
        text = value.strip(" \"'").lstrip("-")


def _held(key: str, value: str, name: str, command: Command, facts: Facts) -> Iterator[Inner]:
    """What ``value`` runs, where ``key`` says that it does."""
    parts = _parts(key)
    if not parts or parts[0] in ("no", "dry", "dryrun") or key in PROSE:
        return
    timed = not _MOMENTS.isdisjoint(parts[:2]) or any(
        parts[0].startswith(each) for each in ("on", "pre", "post", "after", "before")
    )
    program = not _PROGRAM.isdisjoint(parts) or any(part.endswith(("cmd", "command", "exec")) for part in parts)
    if program or timed or not _TEXT.isdisjoint(parts):
        named = not key.isupper() or key in ("CC", "CXX", "GCC", "LD")
        yield from _run(name, command, facts, value, single=(program and named) or value[:1] == "/")


def _is_key(text: str) -> bool:
    return (text[:1].isalpha() or text[:1] == "_") and all(char.isalnum() or char in _OF_KEYS for char in text)


def _parts(key: str) -> list[str]:
    """The words of a name: ``sftp.sshCommand`` is ``sftp ssh command``."""
    spaced = ""
    for at, char in enumerate(key):
        if not char.isalpha():
            char = " "
        elif char.isupper() and at and not key[at - 1].isupper():
            spaced += " "
        spaced += char
    return spaced.lower().split()


def _run(name: str, command: Command, facts: Facts, value: str, *, single: bool) -> Iterator[Inner]:
    """The texts in ``value`` as commands; where not ``single``, those of several words."""
    if not facts.budget.spend(COMMAND):
        return
    for text in dict.fromkeys(_texts(value)):
        if (text and single) or " " in text:
            yield run_text(name, command, text, evidence=True)


def _is_command(text: str, rulebook: Rulebook) -> bool:
    """Whether ``text`` begins as a command does, and not as prose for another agent: ``codex exec 'say git push'``."""
    first = text.split(None, 1)[0].rpartition("/")[2]
    return (
        first in rulebook.restricting or record_of(first) is not None or "=" in first or not _JOINING.isdisjoint(text)
    )


def _texts(value: str) -> Iterator[str]:
    """``value``, and what it is as a list (``["git", "push"]``, ``git,push``), in a table or behind a mark (``!``)."""
    plain = value.strip().strip("|").strip().lstrip("!:@|<").strip()
    yield plain.strip("\"'")
    if " " not in plain and ("," in plain or ";" in plain):
        yield plain.replace(",", " ").replace(";", " ")
        yield plain.rpartition(",")[2]
    if ":" in plain and " " in plain:
        yield plain.rpartition(":")[2].strip()
    if '"' not in value and "'" not in value and "[" not in value:
        return
    import re  # which costs a third of a check that reads no such text

    constants = [one or other for one, other in re.findall(_CONSTANT, value)]
    if constants:
        yield " ".join(constants)
        yield from constants
    for inside in re.findall(_LIST, value):
        yield " ".join([part.strip(" \"'") for part in inside.split(",")])
