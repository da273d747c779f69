"""Programs that run commands on the files that they find: ``find -exec`` and ``fd -x``."""

from __future__ import annotations

from execpolicy.programs.carriers.lists import filled, unknown_word
from execpolicy.programs.inner import Inner, literal_words, run_command, run_unknown
from execpolicy.programs.options import option_table
from execpolicy.programs.walk import walk
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command

_FIND_RUNS = frozenset(["-exec", "-execdir", "-ok", "-okdir"])
_FD_PLACES = ("{}", "{/}", "{//}", "{.}", "{/.}")
MAX_CLAUSE_WORDS = 40_000
"""Words in the clauses of one ``find``; those of clauses inside of each other count for each."""
MAX_GUESSED = 16
"""How many words that may turn out as ``-exec`` are taken for it."""


def find(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``find … -exec COMMAND ;`` in its four forms, and ``-delete`` as the ``rm`` that it is."""
    words, span = command.words, command.span
    count = len(words)
    start = _starting_point(words)
    found: list[Inner] = []
    ends = _clause_ends(words)
    # From the first unknown word on, a `find` around this one has looked at the same words itself.
    last = next((at for at in range(1, count) if _may_end(words[at])), count)
    last = last if "wrapper:find" in command.context else count
    inside = guessed = bare = spent = 0
    for at in range(1, last):
        text = words[at].literal
        if at < inside:
            continue  # what `find -exec find …` runs is the inner one's to tell
        if text == "-delete":
            target = unknown_word(span, prefix=start)
            removal = (*literal_words(["rm"], span), target)
            found.append(run_command(name, command, removal, stdin=False))
        uncertain = text is None and words[at].may_start_with_dash()
        if text not in _FIND_RUNS and not uncertain:
            continue
        end = ends[at + 1]
        if uncertain:
            guessed += 1
            if end == count or guessed > MAX_GUESSED:
                continue
        elif at + 1 < end and _is_program(words[at + 1]):
            # A word that is only known at run time may be the `;` that ends it.
            inside = next((each for each in range(at + 1, end) if _may_end(words[each])), end)
        else:
            bare += 1
            if bare > MAX_GUESSED:
                continue
        spent += end - at
        if spent > MAX_CLAUSE_WORDS:
            continue
        prefix = "./" if text in ("-execdir", "-okdir") else start
        batch = end < count and words[end].literal == "+"
        inner = [filled(word, ("{}",), span, prefix) for word in words[at + 1 : end]]
        if batch and inner:
            inner[-1] = unknown_word(span, many=True, prefix=prefix)
            if prefix and prefix[0] != "-":
                inner[-1].kind = "names"  # each of them starts so
        if inner:
            found.append(run_command(name, command, tuple(inner), evidence=uncertain))
    if max(guessed, bare) > MAX_GUESSED or spent > MAX_CLAUSE_WORDS:
        found.append(run_unknown(name, command, "may run more commands than are looked at"))
    return found


def _clause_ends(words: Sequence[Word]) -> list[int]:
    """For each place the next ``;`` or ``{} +``, or the end."""
    count = len(words)
    ends = [count] * (count + 1)
    for at in range(count - 1, 0, -1):
        ends[at] = at if words[at].literal == ";" or _ends_batch(words, at) else ends[at + 1]
    return ends


def _may_end(word: Word) -> bool:
    """Whether a word that is only known at run time may be ``;``. A path that ``find`` fills in begins with others."""
    return word.literal is None and (word.span.start < word.span.end or word.prefix.startswith(";"))


def _is_program(word: Word) -> bool:
    """Whether ``find`` cannot go on with ``word`` if ``-exec`` in front of it is the value of another option."""
    text = word.literal
    return text is not None and not text.startswith("-") and text not in ("(", ")", "!", ",")


def _ends_batch(words: Sequence[Word], at: int) -> bool:
    return words[at].literal == "+" and words[at - 1].literal == "{}"


def _starting_point(words: Sequence[Word]) -> str:
    """What every path that ``find`` hands on starts with."""
    points: list[str] = []
    for word in words[1:]:
        text = word.literal
        if text is None:
            if word.may_start_with_dash():
                return ""
            points.append(word.prefix)
        elif text in ("-H", "-L", "-P"):
            continue
        elif text.startswith(("-", "(", "!", ")", ",")):
            break
        else:
            points.append(text)
    if not points:
        return "."
    low, high = min(points), max(points)
    same = 0
    while same < len(low) and low[same] == high[same]:
        same += 1
    return low[:same]


def fd(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``fd … -x COMMAND`` and ``-X COMMAND``: up to ``;`` or the end; a path is appended if no place is named."""
    words, span = command.words, command.span
    found: list[Inner] = []
    table = option_table(record.options)
    for at in range(1, len(words)):
        text = words[at].literal
        if text is None or not text.startswith("-"):
            continue
        for seen in walk(table, words[: at + 2], at).seen:
            if seen.at != at or seen.kind != "*":
                continue
            rest = words[at + 1 :]
            if seen.glued is not None:
                rest = (Word(seen.glued, span), *rest)
            end = next((i for i, word in enumerate(rest) if word.literal == ";"), len(rest))
            inner = [filled(word, _FD_PLACES, span) for word in rest[:end]]
            if all(made is word for made, word in zip(inner, rest, strict=False)):
                inner.append(unknown_word(span, many=True))
            if inner:
                found.append(run_command(name, command, tuple(inner)))
    return found
