"""The linter and formatter of ``grammar/programs``: ``python -m execpolicy.lint.record_check [--write]``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from execpolicy.core.text import word_set
from execpolicy.programs import written_by
from execpolicy.programs.extractors import extractor
from execpolicy.programs.meaning.operand_kinds import KINDS
from execpolicy.programs.options import OPTION_SIGNS, option_table
from execpolicy.programs.record import Program, RecordError, is_about_entries, parse_record
from execpolicy.programs.written_files import options_of
from execpolicy.resources import records_folder
from execpolicy.safety.record_entries import EntryError, record_entries
from execpolicy.source import Source

_WIDTH = 120
_FORMS = word_set("cargo commas")
_FORM_MARKS = word_set(
    "@abbreviate @also @anywhere @bare @bundle @caseless @clauses @configured @correct @dashes @every @file "
    "@filed @front @input @is @keyed @kinds @last @late @named @nopt @numeric @operands @parts @perhaps @permute "
    "@plus @settings @some @splits @stays @through @verbatim"
)
_PLAIN_WRITES = frozenset(["all", "rest", "into", "from", "1st", "2nd", "none", "named", "linked", ""])
_OPTION = re.compile(r"[-+]\S*|@(anywhere|bundle|nopt|numeric|permute)")
_FORM_ITEM = re.compile(r"[-+]\S+|\S*=>\S+")

Problem = tuple[str, str]
"""A message, and the word of the record that it is about."""


def formatted(text: str) -> str:
    """``text`` with one blank between words and lines of at most 120 columns; comments stay as they are."""
    parts = []
    for part in re.split(r"\n\n+", text.strip()):
        lines = part.replace("\n ", "  ").splitlines()
        parts.append("\n".join([line if line[:1] == "#" else _filled(line) for line in lines]))
    return "\n\n".join(parts) + "\n"


def _filled(line: str) -> str:
    words = " ".join(line.split())
    return "\n".join(wrap(words, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False))


def mistakes(name: str, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the mistakes in the record ``text`` of the file ``name``: line, column and what to do about each."""
    try:
        found = [] if name[0] == "@" or is_about_entries(text) else [*_mistakes_of_facts(name, text)]
        for _ in record_entries(Source(name, text)):
            pass
    except RecordError as error:
        yield *_place(text, error.offset), str(error)
        return
    except EntryError as error:
        start = sum([len(line) for line in text.splitlines(keepends=True)[: error.line - 1]])
        named = [text.find(word, start) for word in re.findall(r"`([^`]+)`", error.message)]
        yield *_place(text, max([start, *named])), f"{error.message}{f'; {error.help}' if error.help else ''}"
        return
    for message, word in found:
        match = re.search(rf"(?<![^\s=,]){re.escape(word)}", text)
        yield *_place(text, match.start() if match else 0), message
    shown = formatted(text)
    if shown != text:
        same = [a == b for a, b in zip(shown, text, strict=False)]
        place = _place(text, same.index(False) if False in same else len(same))
        yield *place, "the layout differs: run this check with `--write`"


def _mistakes_of_facts(name: str, text: str) -> Iterator[Problem]:
    record = parse_record(text)
    keys = [line.partition(" ")[0] for line in text.partition("\n\n")[0].splitlines() if line[0] not in " #"]
    for key in dict.fromkeys(keys):
        if keys.count(key) > 1 and not key.startswith("wraps"):
            yield f"join the lines `{key}`", key
    yield from _facts(name, record)
    yield from _tables(record)
    yield from _forms(record)


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of the character at ``offset``, counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _facts(name: str, record: Program) -> Iterator[Problem]:
    if name != f"{record.names[0]}.txt":
        yield f"call the file `{record.names[0]}.txt`, after the first name", record.names[0]
    if record.prints not in ("", "input", "arguments"):
        yield "what it prints is `input` or `arguments`", f"@prints={record.prints}"
    if record.form not in ("", *_FORMS):
        yield f"there is no form `{record.form}`; there are {', '.join(sorted(_FORMS))}", f"@form={record.form}"
    usual, *others = record.task.split() or ["0"]
    if not usual.isdigit() or not all(each.partition("=")[2].isdigit() for each in others):
        yield "write a number of words and exceptions: `@task=2,stash=3`", "@task="
    try:
        if record.extractor:
            extractor(record.extractor)
    except KeyError:
        yield "register the function in `execpolicy/programs/extractors/__init__.py`", f"@extractor={record.extractor}"
    for item in record.texts.split("; ") if record.texts else ():
        if "TEXT" not in item and not item.endswith(("REST", "REST?")):
            yield "write a mark and `TEXT`, or `REST` for the words behind it: `EXEC:TEXT`", item
    known = options_of(record).kinds
    for part in record.writes.split(", ") if record.writes else ():
        what = part.rpartition(": ")[2].partition(" if ")[0].partition(" unless ")[0].rstrip("?/")
        named = hasattr(written_by, what[1:]) if what[:1] == "@" else what in known or bool(record.leading)
        if not (
            what in _PLAIN_WRITES or what.endswith("=") or what.startswith("urls -") or (what[:1] in "@-" and named)
        ):
            yield f"list `{what}` in a line `options`, or see docs/records.md for what `writes` can say", "writes "


def _tables(record: Program) -> Iterator[Problem]:
    for table in (record.leading, record.options, record.runs, *[each.options for each in record.wraps]):
        for item in table.split():
            if not _OPTION.fullmatch(item):
                yield f"`{item}` is no option and no mark, see docs/records.md", item
    for wrapper in record.wraps:
        named = (wrapper.grant or "", wrapper.stop, wrapper.direct, wrapper.split, wrapper.through_shell)
        for item in sorted({*" ".join(named).split()} - {*option_table(wrapper.options).kinds, "@numeric"}):
            yield f"`{item}` is in a mark and has to be among the options, too", item


def _forms(record: Program) -> Iterator[Problem]:
    for line in record.grammar.replace("\n ", "  ").splitlines():
        head, colon, options = f"{line} ".partition(": ")
        if line[:1] == "#":
            continue
        if not colon or " -" in head:
            yield "write a form as `SUB-COMMAND: OPTIONS`", line
        options, _, kinds = options.partition(";")
        for kind in kinds.split():
            if kind.rstrip("?*") not in KINDS:
                yield f"`{kind}` is no kind of operand; there are {', '.join(sorted(KINDS))}", kind
        for item in options.split() if head != "@kinds" else ():
            mark = item.partition("=")[0]
            signs = {name[len(name.rstrip(OPTION_SIGNS)) :] for name in item.split(",")}
            if item[0] == "-" and "=" not in item[:-1] and len(signs) > 1:
                yield f"write the same sign behind each name in `{item}`", item
            if mark not in _FORM_MARKS if item[0] == "@" else not _FORM_ITEM.fullmatch(item):
                yield f"`{item}` is no option and no mark, see docs/records.md", item


def main(arguments: list[str]) -> int:
    """Print the mistakes in all records, or write each in its layout; the exit status is 1 if there are any."""
    count = 0
    owners: dict[str, str] = {}
    paths = sorted(Path(records_folder()).iterdir())
    for path in paths:
        text = path.read_text("utf-8")
        if "--write" in arguments and text != formatted(text):
            text = formatted(text)
            path.write_text(text, "utf-8")
        found = list(mistakes(path.name, text))
        names = text.partition("\n")[0][8:].partition(":")[0].split() if text.startswith("program ") else []
        found += [(1, 1, f"`{each}` is also in {owners[each]}: leave it out") for each in names if each in owners]
        owners.update(dict.fromkeys(names, path.name))
        for line, column, message in found:
            print(f"{path}:{line}:{column}: {message}")
        count += len(found)
    print(f"{len(paths)} records, {count} mistakes")
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
