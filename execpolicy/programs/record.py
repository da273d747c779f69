"""The record of one program, and its parser; each is a file of ``grammar/programs``.

``docs/records.md`` describes the format and every fact.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_TEXTS = (
    *("leading", "options", "runs", "texts", "writes", "broad", "always", "extensions", "example", "same"),
    *("means", "aliases", "does"),
)
"""Facts that are a line of text."""
_MARKS = (
    *("language", "extractor", "form", "prints", "task", "fetches", "far", "fed", "reaches", "runner"),
    *("script", "does"),
)
"""Facts that are a word behind the names."""
_WRAPPING = (
    *("operands", "grant", "assignments", "joined", "each", "direct", "through_shell", "split", "stop", "shell"),
    *("optional", "called", "folder", "bare", "keeps", "after", "perhaps"),
)
"""Facts of a wrapper: words among its options."""


_TABLE_MARKS = ("@anywhere", "@bundle", "@nopt", "@numeric", "@permute")
"""Marks of a form that say how options are read."""
ENTRY_STARTS = ("safe ", "danger ", "$", "@")
"""How the paragraphs behind the forms begin, see :mod:`execpolicy.safety.record_entries`."""


class RecordError(ValueError):
    """A text that is no record; ``offset`` is the place of the mistake in it."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Wrapper:
    """How a program runs a command that is in its own argument vector: a line ``wraps`` of its record.

    A table that lacks an option stays right for restricting: an unknown option is read both with and without a value.
    """

    options = ""
    operands = 0
    grant: str | None = None
    assignments = False
    joined = False
    each = False
    direct = ""
    through_shell = ""
    split = ""
    stop = ""
    shell = False
    optional = False
    called = ""
    folder = ""
    bare = ""
    keeps = False
    perhaps = False
    after = ""

    def __init__(self, subcommands: str) -> None:
        self.subcommands = subcommands
        if subcommands:
            self.after = "--"


class Program:
    """Everything that is known of one program, or of several that are the same.

    Attributes:
        names: base names.
        grammar: the lines of the forms of its command lines, see :mod:`execpolicy.programs.meaning.command_grammar`.
        wraps: how it finds the commands in its arguments; each way counts.
    """

    leading: str
    options: str
    runs = ""
    texts = ""
    writes = ""
    broad: str | None = None
    always = ""
    extensions = ""
    example = ""
    same = ""
    means = ""
    aliases = ""
    language = ""
    extractor = ""
    form = ""
    prints = ""
    task = ""
    does = ""
    fetches = False
    far = False
    reaches = False
    fed = False
    runner = False
    script = False

    def __init__(self, names: list[str], grammar: str) -> None:
        self.names = names
        self.grammar = grammar
        self.wraps: list[Wrapper] = []

    def __getattr__(self, fact: str) -> str:
        """Without a fact ``leading`` or ``options``, the options of the form of the program itself."""
        if fact not in ("leading", "options"):
            raise AttributeError(fact)
        found: str = vars(self).setdefault(fact, _options_of_forms(self.grammar))
        return found

    def runs_others(self) -> bool:
        """True if it runs commands that its arguments or its input contain."""
        return bool(self.wraps or self.runs or self.texts or self.language or self.extractor)


def parse_record(text: str) -> Program:
    """The program that ``text`` describes.

    Raises:
        RecordError: the text is not a record.
    """
    facts, _, rest = text.partition("\n\n")
    forms = "" if is_about_entries(rest) else rest.partition("\n\n")[0]
    first, *lines = facts.replace("\n ", "  ").splitlines() or [""]
    names, _, marks = first.removeprefix("program ").partition(":")
    if not first.startswith("program ") or not names.strip():
        raise RecordError("a record begins with `program` and the names of the program", 0)
    record = Program(names.split(), forms)
    if left := _with_marks(record, marks.split(), _MARKS):
        raise _unknown("mark", left[0], [f"@{mark}" for mark in _MARKS], first.rfind(left[0]))
    offset = len(first) + 1
    for line in lines:
        key, _, rest = line.partition(" ")
        if key in _TEXTS:
            vars(record)[key] = " ".join(rest.split())
        elif line.startswith(("wraps:", "wraps ")):
            head, colon, options = f"{line} ".partition(": ")
            if not colon or " -" in head:
                raise RecordError("write a colon in front of the options: `wraps: -q` or `wraps exec: -q`", offset)
            wrapper = Wrapper(" ".join(head.split()[1:]))
            wrapper.options = " ".join(_with_marks(wrapper, options.split(), _WRAPPING))
            record.wraps.append(wrapper)
        elif line[:1] != "#":
            raise _unknown("fact", key, [*_TEXTS, "wraps"], offset)
        offset += len(line) + 1
    return record


def _options_of_forms(forms: str) -> str:
    """The options of the program itself that its forms describe, as a table."""
    at = 0 if forms.startswith(":") else forms.find("\n:") + 1
    if not forms or (not at and forms[0] != ":"):
        return ""
    items = forms[at + 1 :].replace("\n ", " ").partition("\n")[0].partition(";")[0].split()
    options = [
        item for item in items if (item[0] != "@" and "=>" not in item and "==" not in item) or item in _TABLE_MARKS
    ]
    return " ".join(options).replace(",", " ")


def is_about_entries(text: str) -> bool:
    """True if ``text`` begins with an entry, or a list for entries: it has no facts and no forms."""
    while text[:1] == "#":
        text = text.partition("\n")[2].lstrip("\n")
    return text.startswith(ENTRY_STARTS)


def _with_marks(described: Program | Wrapper, items: Iterable[str], known: Iterable[str]) -> list[str]:
    """Set the marks among ``items``, ``@far`` or ``@task=2,run=3``, and return the other items."""
    others = []
    for item in items:
        mark, _, value = item.partition("=")
        name = mark[1:].replace("-", "_")
        if mark[0] != "@" or name not in known or (name == "operands" and not value.isdigit()):
            others.append(item)
            continue
        usual = getattr(described, name)
        kind = str if usual is None else type(usual)
        vars(described)[name] = True if kind is bool else kind(value.replace(",", " "))
    return others


def _unknown(kind: str, word: str, known: Iterable[str], offset: int) -> RecordError:
    return RecordError(f"`{word}` is no {kind}; there are {', '.join(known)}", offset)


def summary(text: str) -> tuple[list[str], bool, bool]:
    """The names in a record, unless it contains entries alone, if the program runs others, and if there are entries.

    It costs less than parsing the record.
    """
    entries = text.startswith(ENTRY_STARTS[:2]) or "\n\nsafe " in text or "\n\ndanger " in text
    if text[:8] != "program ":
        return [], False, entries
    facts = text.partition("\n\n")[0]
    first = facts.replace("\n ", "  ").partition("\n")[0]
    runs = "\nwraps" in facts or "\nruns " in facts or "\ntexts " in facts or " @language=" in first or " @ext" in first
    return first[8:].partition(":")[0].split(), runs, entries
