"""Commands that a rule restricts and that the words of another program spell out, whole or in pieces.

``zig test --test-cmd git --test-cmd push``, ``dar -F 'git push'``, ``vim --remote-send ':!git push<CR>'``: no
record can say how every program takes a command, but a rule says what is looked for. Where what it restricts stands in
the words of a command that is not known to be safe, at the place of a command and not in the middle of prose, it
counts for the rules that restrict. It is evidence: nothing found here ever helps a grant.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.text import names
from execpolicy.judge.evidence.prose import is_prose, is_prose_name
from execpolicy.programs.inner import literal_words, run_argv, run_text
from execpolicy.programs.shelf import record_of
from execpolicy.shell.limits import COMMAND, READ, STEP
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

MOST_PARTS = 12
"""Words of a command in pieces."""
_NAMING = names(
    "add search help install remove uninstall info show create new rename open edit comment note say send post log "
    "title translate"
)
"""Sub-commands behind which words name things, or are prose: ``task add git push``."""
_INSTALLING = names("stage hook hooks job jobs cron schedule trigger alias command task script service watch")
"""Sub-commands that say that what is named is a command: ``dvc stage add``."""
_NOWHERE = Span(0, 0)
_TOKEN = r"[\w.+@:/=~-]+"
_NAME = r"[\w.+/~-]+"
_OPENING = "\"'`!(;|&>[{<:=,\\$"
"""What stands in front of a command within a text; a blank alone is prose."""
_STRONG = "!(;|&`"
"""The same of a word that may be a name or prose."""
_SHELLS = names(
    "sh .sh shell .shell system .system host os .os exec execi execpi texeci spawn -- -> COMMAND Exec Run Process"
)
"""Words of program texts behind which a command follows without a mark: ``sh git push``, ``.os git push``."""
_LONGEST_SHELL = 16
_QUERY = r"(?is)\s*(?:select|insert|update|delete|with|create|explain|values)\b(?!.{0,200}\bfrom\s+\w*(?:exec|shell))"
"""Queries, whose constants are data unless they are asked of a table of commands."""
_ORDERS = names("command cmd run exec launch key type str up down script forcecommand proxycommand")
"""Words that make a line an order at its beginning: ``run git push``, ``ForceCommand git push``."""
_ARGUMENTS = r"[\"',;\s]{1,20}(?:args?|arguments?|argv)[\"']?\s{0,20}(?:[:=]\s{0,20})?[\[{(]{0,9}\s{0,20}[\"']?"
"""What parts a program from what it is given in data: ``command: git, args: [push]``."""
_NAMED_COMMAND = r"(?i)(?:command|cmd|exec|run|program)[\w-]{0,20}[\"']?\s{0,20}[:=]\s{0,20}[\"']$"
"""What names the program to run in data, with its arguments in another field."""
_CLOSING = {"(": ")", "[": "]", "{": "}", "!": "<", ">": "<", ":": "<"}
_QUOTES = "\"'`"
_PROGRAM_TEXT = names("-e -c -r -E -n -p -ne -pe -i -x -b -s -l --eval --execute --exec --expr --command --run")
"""Options of interpreters behind which a program text stands."""


def spelt_out(
    command: Command, lines: Sequence[str], facts: Facts, rulebook: Rulebook, *, known: bool
) -> Iterator[Inner]:
    """What ``command``, which is given ``lines``, spells out that a rule restricts.

    Args:
        known: an entry knows the program, so that its operands are rather names than commands.
    """
    name = command.words[0].literal or ""
    words = [word.literal for word in command.words]
    values = list(_assigned(command, facts))
    found: dict[str | tuple[str, ...], None] = {}
    naming = not _NAMING.isdisjoint(words[1:3]) and _INSTALLING.isdisjoint(words[1:3])
    settings = [(text or "").partition("=")[2].strip() or None for text in words[1:] if (text or "")[:1] != "-"]
    for given in ([] if naming else words[1:], list(_values_of_options(words)), settings, values):
        found.update(dict.fromkeys(_in_pieces(given, rulebook)))
    for text, marks in [
        *_told(words, name, rulebook, known=known or naming),
        *[(text, _OPENING) for text in (*values, *lines)],
    ]:
        if text and facts.budget.spend(STEP + READ * len(text)):
            found.update(dict.fromkeys(_in_text(text, facts, rulebook, marks)))
    for said in found:
        if not facts.budget.spend(COMMAND + READ * len(said)):
            return
        if isinstance(said, str):
            yield run_text(name, command, said, evidence=True)
        else:
            yield run_argv(name, command, said, evidence=True)


def _assigned(command: Command, facts: Facts) -> Iterator[str]:
    """The values of the variables in front of ``command``, which it may run: ``P4EDITOR='git push' p4 change``."""
    for one in command.assignments:
        if one.value is not None and not is_prose_name(one.name.lower()):
            yield from facts.texts(one.value)


def _told(words: Sequence[str | None], name: str, rulebook: Rulebook, *, known: bool) -> Iterator[tuple[str, str]]:
    """The ``words`` of the program ``name`` that are neither prose nor the text of a program, which is read as that.

    Each with the marks behind which a command may stand; with those of ``_OPENING`` also at its beginning.
    """
    record = record_of(name.rpartition("/")[2])
    interpreted = record is not None and record.language != ""
    for at in range(1, len(words)):
        text, before = words[at], words[at - 1] or ""
        if interpreted and before in _PROGRAM_TEXT:
            continue
        if interpreted and before[:1] != "-" and not is_meant(tuple((text or "").split()), rulebook):
            continue
        if text is not None and not is_prose(name, text, before):
            operand = text[:1] != "-" and before[:1] != "-"
            yield text, _STRONG if known and operand and not interpreted else _OPENING


def _in_pieces(words: Sequence[str | None], rulebook: Rulebook) -> Iterator[tuple[str, ...]]:
    """The commands that several ``words`` in a row are."""
    for at in range(len(words)):
        argv = row(words[at : at + MOST_PARTS])
        if is_meant(argv, rulebook) or _is_placed(argv, rulebook):
            yield argv


def _is_placed(argv: tuple[str, ...], rulebook: Rulebook) -> bool:
    """Whether ``argv`` begins with the path of a program that a rule restricts, and says more: ``tool /bin/rm x``."""
    if len(argv) < 2 or "bin/" not in argv[0] or argv[0][0] != "/" or _program(argv[0]) not in rulebook.restricting:
        return False
    matches = rulebook.policy.matches((_program(argv[0]), *argv[1:]))
    return any(match.decision is not Decision.ALLOW for match in matches)


def _values_of_options(words: Sequence[str | None]) -> Iterator[str | None]:
    """The values that stand behind options or are glued to them; an operand parts them: ``--x=git --y push``."""
    for at in range(1, len(words)):
        text, before = words[at], words[at - 1] or ""
        if text is not None and text[:1] == "-":
            if "=" in text:
                yield text.partition("=")[2]
        elif before[:1] == "-" and "=" not in before:
            yield text
        else:
            yield None


def _program(text: str) -> str:
    """The name of the program that ``text`` may be; of a path below the working folder nobody knows what it is."""
    return text.rpartition("/")[2] if text[:1] == "/" else text


def _carries(text: str) -> bool:
    """Whether ``text`` is a program that runs others: ``env git push``, ``sh -c 'git push'``."""
    record = record_of(_program(text))
    return record is not None and record.carries_others()


def row(words: Sequence[str | None]) -> tuple[str, ...]:
    """``words`` up to the first that is not known."""
    known: list[str] = []
    for text in words:
        if text is None:
            break
        known.append(text)
    return tuple(known)


def is_meant(argv: tuple[str, ...], rulebook: Rulebook) -> bool:
    """Whether a rule that restricts matches more of ``argv`` than the name of a program, which may mean anything."""
    program = _program(argv[0]) if argv else ""
    if program not in rulebook.restricting:
        return False
    matches = rulebook.policy.matches((program, *argv[1:]))
    if any(match.decision is not Decision.ALLOW and len(match.prefix) > 1 for match in matches):
        return True
    return bool(rulebook.meant_of(program).meant_by(literal_words(argv[1:], _NOWHERE)))  # in whatever order


def _in_text(text: str, facts: Facts, rulebook: Rulebook, marks: str) -> Iterator[str | tuple[str, ...]]:
    """The commands in ``text``, as texts or argvs, that begin with a restricted program behind one of ``marks``."""
    import re  # which costs a third of a check that reads no such text

    if re.match(_QUERY, text):
        return
    for match in re.finditer(_NAME, text):
        if _program(match[0]) not in rulebook.restricting and not _carries(match[0]):
            continue
        mark, word = _before(text, match.start())
        first = word.lstrip(_OPENING) in _SHELLS or _starts_order(text, match.start())
        begins = not mark or (text[:2] == "#!" and "\n" in text[: match.start()])
        placed = match[0][:1] == "/"  # no prose names a program by its path
        if not ((mark and mark in marks) or first or placed or (begins and marks == _OPENING)):
            continue
        behind = text[match.start() :]
        if not facts.budget.spend(COMMAND + READ * len(behind)):
            return
        rest = _closed(behind, mark)
        if len(rest.split(None, 1)) > 1:
            yield rest
        quoted = _constants(mark + behind) if mark and mark in _QUOTES else ()
        if quoted and re.search(_NAMED_COMMAND, text[: match.start()]):
            for at in range(2, len(quoted)):  # behind other fields
                if is_meant((match[0], *quoted[at:]), rulebook):
                    yield (match[0], *quoted[at:])
        parted = re.sub(_ARGUMENTS, " ", behind, count=1) if "arg" in behind else behind
        for argv in (*(tuple(re.findall(_TOKEN, each)[:MOST_PARTS]) for each in (behind, parted)), tuple(quoted)):
            if is_meant(argv, rulebook):
                yield argv


def _starts_order(text: str, at: int) -> bool:
    """Whether nothing but one word that makes a line an order stands in front of ``at``."""
    return at <= _LONGEST_SHELL and text[:at].strip().lower() in _ORDERS


def _before(text: str, at: int) -> tuple[str, str]:
    """The character in front of ``at``, blanks left out, and the word that it ends; empty at the beginning."""
    while at and text[at - 1].isspace():
        at -= 1
    words = text[max(0, at - _LONGEST_SHELL) : at].split(" ")
    while len(words) > 1 and words[-1].isdigit():  # ``execi 10 git push``
        words.pop()
    return text[max(0, at - 1) : at], words[-1]


def _constants(text: str) -> list[str]:
    """The texts between quotes in ``text``, in order."""
    import re

    return [one or other for one, other in re.findall(r"\"([^\"]*)\"|'([^']*)'", text)][:MOST_PARTS]


def _closed(text: str, opening: str) -> str:
    """``text`` up to what closes ``opening``, the mark in front of it."""
    if opening and opening in _QUOTES:
        return text.partition(opening)[0]
    end = _CLOSING.get(opening, "\n")
    return text.partition("\n")[0].partition(end)[0]
