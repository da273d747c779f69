"""Programs that read text and print text."""

from __future__ import annotations

from execpolicy.flow.streams import fed_texts
from execpolicy.flow.texts import word_texts
from execpolicy.programs.constants import replacements
from execpolicy.programs.inner import run_text, run_unknown
from execpolicy.programs.interpreted import handed_on
from execpolicy.programs.options import every_option, option_table, walk
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import shown_texts, value_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def _programs(command: Command, facts: Facts, record: Program) -> tuple[list[str], int]:
    """The program texts: option values, or else the first operand; and where the words begin that are none."""
    words = command.words
    texts: list[str] = []
    behind = 1
    from_file = False
    # An option may follow the operands; GNU programs permute.
    way = every_option(option_table(record.options), words, 1)
    for seen in way.seen:
        if seen.kind == "!":
            texts += value_texts(seen, facts)
        elif seen.name in ("-f", "--file", "-E", "--exec") and seen.kind == ":":
            from_file = True
            if seen.word is not None:
                texts.extend(shown_texts(seen.word, command, facts))
        elif seen.name == "-W" and seen.value() == "exec":  # mawk
            from_file = True
            texts.extend([text for at in way.operands[:1] for text in shown_texts(words[at], command, facts)])
    if not texts and not from_file:
        for start in way.operands[: 4 if way.ambiguous else 1]:
            texts.extend(word_texts(words[start], facts))
        if way.operands and not way.ambiguous:
            behind = way.operands[0] + 1
    return texts, behind


def awk(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``system("…")``, ``"…" | getline``, ``print | "…"``; and ``-v x=…`` when the program runs a variable."""
    texts, behind = _programs(command, facts, record)
    for text in texts:
        if "system" not in text and "|" not in text and "@" not in text:
            continue
        yield from code_commands(name, command, text, "awk")
        yield from handed_on(name, command, facts, text, "awk", command.words[1:], lines=True)
        if "system" in text or "|" in text:
            for seen in walk(option_table(record.options), command.words, 1).seen:
                if seen.name in ("-v", "--assign") and "=" in (seen.value() or ""):
                    value = (seen.value() or "").partition("=")[2]
                    yield run_text(name, command, value)
            for word in command.words[behind:]:  # NAME=value among the files
                variable, equals, value = (word.literal or "").partition("=")
                if equals and variable.isidentifier():
                    yield run_text(name, command, value)


def sed(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """GNU sed's ``e COMMAND`` and ``s/…/…/e``."""
    for text in _programs(command, facts, record)[0]:
        for executed in sed_commands(text):
            if executed:
                yield run_text(name, command, executed)
            else:
                put_in = [said for part in text.replace("\n", ";").split(";") for said in replacements(part)]
                yield from [run_text(name, command, said, evidence=True) for said in put_in]
            yield run_unknown(name, command, "sed runs a line of its input as a command")


def sed_commands(text: str) -> Iterator[str]:
    """The command texts that a sed script runs; an empty one stands for a line of the input."""
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if char in " \t\n;{}!,$+~" or char.isdigit():
            at += 1
        elif char in "/\\":
            # An address: /re/ or \cREc.
            if char == "\\":
                at += 1
            at = _delimited_end(text, at, text[at : at + 1])
            while at < end and text[at] in "IM":
                at += 1
        elif char in "sy":
            at, executed = _substitution(text, at)
            if executed is not None:
                yield executed
        elif char == "e":
            line = text.find("\n", at)
            line = end if line < 0 else line
            yield text[at + 1 : line].strip()
            at = line
        elif char in "aicrRwW":
            at = _text_end(text, at)
        elif char in "btT:":
            while at < end and text[at] not in ";\n}":
                at += 1
        elif char == "#":
            line = text.find("\n", at)
            at = end if line < 0 else line
        else:
            at += 1


def m4(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``syscmd(`cmd')`` and ``esyscmd(…)``: in files that can be seen, on standard input and in ``-DNAME=text``."""
    literals = [word.literal for word in command.words[1:] if word.literal is not None]
    texts = [text for text in literals if text.startswith("-D") or "syscmd(" in text]
    for word in command.words[1:]:
        texts += shown_texts(word, command, facts)
    texts += fed_texts(command, facts)[0]
    for text in texts:
        for part in text.split("syscmd(")[1:]:
            yield run_text(name, command, part.rpartition(")")[0].strip("`' "))
            yield run_text(name, command, part.partition(")")[0].strip("`' "))


def _text_end(text: str, at: int) -> int:
    """The offset behind ``a``, ``i``, ``c`` text (lines joined by backslashes) or a file name."""
    while True:
        line = text.find("\n", at)
        if line < 0:
            return len(text)
        if text[line - 1] != "\\":
            return line
        at = line + 1


def _delimited_end(text: str, at: int, delimiter: str) -> int:
    """The offset behind the part that starts with ``delimiter`` at ``at``."""
    here, bracket = at + 1, False
    while here < len(text):
        char = text[here]
        if char == "\\":
            here += 1
        elif char == "[" and not bracket:
            bracket = True
            if text[here + 1 : here + 2] in ("]", "^"):
                here += 1
        elif char == "]":
            bracket = False
        elif char == delimiter and not bracket:
            return here + 1
        here += 1
    return len(text)


def _substitution(text: str, at: int) -> tuple[int, str | None]:
    """The offset behind ``s/…/…/flags`` (or ``y``), and the replacement if the ``e`` flag runs it."""
    delimiter = text[at + 1 : at + 2]
    if not delimiter or delimiter in "\n\\":
        return at + 1, None
    middle = _delimited_end(text, at + 1, delimiter)
    last = middle
    while last < len(text) and text[last] != delimiter:
        last += 2 if text[last] == "\\" else 1
    replacement = text[middle:last]
    here = last + 1
    executed = False
    while here < len(text) and (text[here].isalnum()):
        if text[here] == "w":
            line = text.find("\n", here)
            here = len(text) if line < 0 else line
            break
        executed = executed or text[here] == "e"
        here += 1
    if text[at] == "s" and executed:
        return here, replacement.replace("\\" + delimiter, delimiter).replace("\\&", "&")
    return here, None


# fmt: off
RECORDS = (
    Program("sed gsed", options="-n -E -r -s -u -z -b -i? -e! -f: -l: --quiet --silent --expression! --file: "
        "--in-place? --line-length: --posix --regexp-extended --separate --sandbox --unbuffered --null-data "
        "--zero-terminated --follow-symlinks --debug --help --version --binary", carries=sed,
        writes="rest if -i --in-place", prints="input", broad="-f, -i, -n", example="sed '1e rm x'"),
    Program("awk gawk mawk nawk original-awk goawk frawk", options="-F: -v: -f: -b -c -C -d? -D? -e! -E: -g -h -i: -I "
        "-k -l: -L? -M -n -N -o? -O -p? -P -r -s -S -t -V -W: --field-separator: --assign: --file: --source! --exec: "
        "--include: --load: --lint? --sandbox --posix --characters-as-bytes --traditional --copyright "
        "--dump-variables? --debug? --gen-pot --help --csv --bignum --use-lc-numeric --non-decimal-data "
        "--pretty-print? --optimize --profile? --re-interval --no-optimize --version", carries=awk, prints="input",
        writes="rest if -i=inplace --include=inplace", always="an awk program runs commands with `system()` and writes "
        "files", example="awk 'BEGIN{system(\"rm x\")}'"),
    Program("m4", carries=m4, prints="input", example="m4 <<< 'syscmd(`rm x')'"),
    Program("sort gsort", settings="--compress-program*", options="-b -c? -C -d -f -g -h -i -k: -m -M -n -o: -r -R -s "
        "-S: -t: -T: -u -V -z --key: --output: --field-separator: --parallel: --batch-size: --buffer-size: --sort: "
        "--files0-from: --random-source: --temporary-directory: --compress-program* --check? --unique --reverse "
        "--stable --debug --numeric-sort --zero-terminated --merge --ignore-case --version-sort --human-numeric-sort",
        writes="-o, --output", prints="input", broad="-o", example="sort --compress-program='rm x'"),
    Program("split gsplit", settings="--filter!", example="split --filter='rm x' a"),
    Program("uniq", prints="input", broad=""),
    Program("tee", options="-a -i -p --append --ignore-interrupts --output-error?", writes="all",
        prints="input", always="it overwrites any file"),
    Program("sponge", options="-a", writes="all", prints="input"),
    Program("dos2unix unix2dos", writes="all", prints="input"),
    Program("grep egrep fgrep cut tr head tail nl paste fold iconv pv jq column envsubst fmt pr "
        "expand unexpand strings comm join tac numfmt ts", prints="input"),
    Program("date stat seq expr basename dirname shuf realpath readlink hostname locale", prints="arguments"),
)
