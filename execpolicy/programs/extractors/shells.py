"""Shells and interpreters, and the builtins with which a shell runs text.

Source for PowerShell: "about_Pwsh" and the help of ``Invoke-Expression``, ``Start-Process`` and ``Start-Job`` of 7.4.
"""

from __future__ import annotations

from _collections_abc import Iterator
from binascii import Error, a2b_base64

from execpolicy.core import quoting
from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.flow.filled import texts_of, with_variables, word_texts
from execpolicy.flow.streams import fed_texts
from execpolicy.programs.builtin_forms import reads_list_again
from execpolicy.programs.inner import UNKNOWN_INPUT, Inner, literal_words, run_command, run_text, run_unknown
from execpolicy.programs.options import every_option, option_table
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.programs.run_by_variables import assigned_command, called_so, expanded_text
from execpolicy.programs.text_runs import (
    option_value,
    run_file,
    run_joined,
    run_stdin,
    run_word,
    shown_texts,
    with_input,
)
from execpolicy.shell import read as read_module
from execpolicy.shell.script import SHELLS, Command, replace
from execpolicy.shell.script import Assignment as Declared
from execpolicy.shell.words import Word

MAX_EVALS = 8
_VALUED_LONG = frozenset(["--init-file", "--rcfile", "--command", "--init-command", "--features", "--emulate"])
_PLAIN_LETTERS = frozenset("celuvx")
_PLAIN_SETTINGS = frozenset(["pipefail", "errexit", "nounset"])


def shell(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``bash -c TEXT NAME ARG…``, ``bash -s``, ``bash <(…)``, ``bash < FILE``."""
    dialect = name if name in SHELLS else {"ash": "sh", "rbash": "bash", "mksh": "ksh", "oksh": "ksh"}.get(name, "bash")
    words = command.words
    at, text_follows, plain, stdin = 1, False, name in SHELLS, False
    started: list[Inner] = []
    count = len(words)
    while at < count:
        text = words[at].literal
        if text is None:
            if words[at].may_start_with_dash() or words[at].many:
                return list(_uncertain(name, command, facts, words[at:], dialect))
            break
        if text in ("--", "-"):
            at += 1
            break
        if len(text) < 2 or text[0] not in "-+":
            break
        if text.startswith("--"):
            plain = plain and text in ("--norc", "--noprofile", "--login")
            if text in ("--version", "--help"):
                return []
            option = text.partition("=")[0]
            if option == "--command" and "=" in text:
                return [run_text(name, command, text.partition("=")[2], shell=dialect)]
            if option in ("--rcfile", "--init-file") and option == text and at + 1 < count:
                first = run_file(name, command, facts, words[at + 1], dialect)
                started += [replace(inner, evidence=True) for inner in first if not inner.opaque]
            at += 2 if text in _VALUED_LONG and option == text else 1
            text_follows = text_follows or text == "--command"
            if text == "--command":
                at -= 1
            continue
        at += 1
        for letter in text[1:]:
            if letter == "c":
                text_follows = True
            elif letter == "s":
                stdin = True
            plain = plain and (letter in _PLAIN_LETTERS or letter == "o") and text[0] == "-"
            if letter in "oO" or (letter == "C" and name == "fish"):
                plain = plain and at < count and words[at].literal in _PLAIN_SETTINGS and letter == "o"
                at += 1
    if text_follows:
        if at >= count:
            return []
        return started + with_input(_run_text_word(name, command, facts, at, dialect, plain), command, facts)
    if stdin or at >= count:
        return started + run_stdin(name, command, facts, dialect)
    return started + run_file(name, command, facts, words[at], dialect)


def _run_text_word(name: str, command: Command, facts: Facts, at: int, dialect: str, plain: bool) -> list[Inner]:
    words = command.words
    text = words[at].literal
    if text is None:
        return run_word(name, command, facts, words[at], shell=dialect)
    arguments = words[at + 1 :]
    known = tuple([word.literal for word in arguments if word.literal is not None])
    whole = len(known) == len(arguments)
    read = read_module.read_script(text, shell=dialect, positional=known if whole else None)
    found = [Inner(name, command.span, script=read, transparent=plain)]
    handed = _with_environment(text, command, facts)
    if handed is not None:
        read = read_module.read_script(handed, shell=dialect, positional=known)
        found.append(Inner(name, command.span, script=read, evidence=True))
    if not whole and (any(word.literal for word in arguments[1:]) or any(map(facts.values, arguments))):
        # once more with the positional parameters that are known, the others left empty
        filled = [value for word in arguments for value in (*facts.values(word), (word.prefix,))[0]]
        found.append(
            Inner(name, command.span, script=read_module.read_script(text, shell=dialect, positional=tuple(filled)))
        )
    return found


def _with_environment(text: str, command: Command, facts: Facts) -> str | None:
    """``text`` behind the assignments that the shell is handed; ``None`` if it uses none of them."""
    if "$" not in text:
        return None
    lines = [
        f"{one.name}={quoting.quote(one.value.literal)}\n"
        for one in command.assignments
        if one.value is not None and one.value.literal is not None and one.name in text
    ]
    return "".join(lines) + (with_variables(text, facts) or text) if lines or facts.assigned else None


def _uncertain(name: str, command: Command, facts: Facts, words: tuple[Word, ...], dialect: str) -> Iterator[Inner]:
    """Options that are only known at run time: each word behind them may be the script."""
    for word in words[:8]:
        if word.literal is None or not word.literal.startswith("-"):
            yield from [inner for inner in run_word(name, command, facts, word, shell=dialect) if not inner.opaque]
            if word.literal is None:
                yield from [inner for inner in run_file(name, command, facts, word, dialect) if not inner.opaque]
    yield from [inner for inner in run_stdin(name, command, facts, dialect) if not inner.opaque]
    yield run_unknown(name, command, UNKNOWN_INPUT)


def _operands(command: Command) -> tuple[Word, ...]:
    """The words behind the program and ``--``."""
    return command.words[2 if len(command.words) > 1 and command.words[1].literal == "--" else 1 :]


def evaluate(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``eval WORD…``: the words joined with blanks."""
    words = _operands(command)
    repeated = 0
    while repeated < len(words) and words[repeated].literal == "eval":
        repeated += 1
    if repeated <= MAX_EVALS:
        found = run_joined(name, command, facts, words, shell=facts.script.shell)
        if words and (words[-1].literal or words[-1].suffix).endswith("\\"):
            # bash 5.2 then takes the next reserved word of the script for a program (tried)
            return [*found, run_unknown(name, command, "evaluates a text that ends in a backslash")]
        return found
    # Each `eval` takes off one layer of quotes. Long before this many there is none left.
    found = run_joined(name, command, facts, words[repeated - MAX_EVALS :], shell=facts.script.shell)
    return [*found, run_unknown(name, command, "evaluates a text many times over")]


def source(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``source FILE`` and ``. FILE`` where the file's text can be seen."""
    words = _operands(command)
    return run_file(name, command, facts, words[0], facts.script.shell) if words else []


def trap(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``trap ACTION SIGNAL…``."""
    words = _operands(command)
    if len(words) < 2 or words[0].literal in ("-", "", "-p", "-l", "-P"):
        return []
    return run_word(name, command, facts, words[0], shell=facts.script.shell)


def callbacks(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Builtins with an option that holds shell text: ``mapfile -C``, ``complete -C``, ``fc -e``, ``bind -x``."""
    way = every_option(option_table(record.options), command.words, 1)
    if name == "fc" and all(seen.name != "-l" for seen in way.seen):
        yield run_unknown(name, command, UNKNOWN_INPUT)
    for seen in way.seen:
        if seen.kind == "!":
            yield from option_value(name, seen, command, facts)
        elif seen.name == "-x" and (seen.value() or "").count(":"):
            yield run_text(name, command, (seen.value() or "").split(":", 1)[1].strip(" \"'"), shell="bash")
        elif seen.name == "-W" and "$(" in (seen.value() or ""):
            yield run_text(name, command, expanded_text(seen.value() or ""), shell="bash")


def alias(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``alias NAME=TEXT``: the text runs when the name is used."""
    for word in command.words[1:]:
        text = word.literal
        if text is not None and text.find("=") > 0:
            yield run_text(name, command, text.partition("=")[2], shell=facts.script.shell)
        elif text is None and word.beginning.find("=") > 0:
            value = word.behind(word.beginning.index("=") + 1)
            yield from run_word(name, command, facts, value, shell=facts.script.shell)


def rehash(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``hash -p PATH NAME``: the path runs under the name."""
    way = every_option(option_table(record.options), command.words, 1)
    called = {command.words[at].literal for at in way.operands} - {None}
    for seen in way.seen:
        if seen.name != "-p" or (seen.word is None and seen.glued is None):
            continue
        path = seen.word if seen.word is not None else Word(seen.glued, command.span)
        yield run_command(name, command, (path,))
        yield from called_so(name, path, called, facts)


def declared(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``export GIT_PAGER=…`` and its like: an assignment. A list is read again: ``declare -a 'a=($(c))'``."""
    for word in command.words[1:]:
        variable, equals, _ = word.beginning.partition("=")
        variable = variable.rstrip("+")
        if equals:
            known = word.behind(word.beginning.index("=") + 1)
            yield from assigned_command(Declared(variable, known, word.span), command, facts)
        if reads_list_again(name, variable, word, command, facts):
            for value in [text.partition("=")[2] for text in word_texts(word, facts)]:
                if value[:1] == "(" and value[-1:] == ")":
                    yield run_text(name, command, f"_={value}", shell=facts.script.shell, evidence=True)


_TEXT, _ENCODED = "-command", "-encodedcommand"
_RUNNERS = word_set(
    "& . iex invoke-expression start-process saps start start-job invoke-command icm cmd cmd.exe sudo -filepath "
    "-argumentlist -args -scriptblock -command -wait -nonewwindow /c /k call start-threadjob foreach-object % if while"
)
"""Words in front of a command that a statement runs."""
_BREAKS = dict.fromkeys(map(ord, ";|{}\n`"), "\n") | dict.fromkeys(map(ord, "(),@"), " ")
MAX_STATEMENTS = 200


def powershell(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pwsh -c TEXT…``, ``-EncodedCommand BASE64``, ``-File`` and standard input. Options may be cut short."""
    words = command.words
    texts: list[str] = []
    for at, word in enumerate(words[1:], 1):
        option = (word.literal or "").lower().replace("--", "-")
        if len(option) > 1 and option[0] in "-/":
            option = "-" + option[1:]
            behind = words[at + 1 :]
            if option == "-ec" or (len(option) > 1 and _ENCODED.startswith(option)):
                texts += [text for one in behind[:1] for text in _decoded(one.literal or "")]
            elif _TEXT.startswith(option):
                yield from run_joined(name, command, facts, behind)
                exact, others = texts_of(behind, facts)
                texts += others if exact is None else [exact]
        else:
            texts += shown_texts(word, command, facts)
    if not texts:
        texts += fed_texts(command, facts)[0]
    for text in texts:
        yield run_text(name, command, text, evidence=True)
        yield from _statements(name, command, text, record)


def _decoded(text: str) -> list[str]:
    try:
        return [a2b_base64(text + "=" * (-len(text) % 4)).decode("utf-16-le")]
    except (Error, ValueError):
        return []


def _statements(name: str, command: Command, text: str, record: Program) -> Iterator[Inner]:
    """Each statement as a command, without what only runs it: ``iex "rm x"``, ``[Process]::Start("rm", "x")``."""
    for joint in ('"+"', "'+'", '" + "', "' + '"):
        text = text.replace(joint, "")
    for line in text.translate(_BREAKS).split("\n")[:MAX_STATEMENTS]:
        words = line.replace('"', " ").replace("'", " ").replace("::Start", "::Start ").split()
        while words and (
            words[0].lower() in _RUNNERS or words[0].endswith(("::Start", "=", "$")) or words[0][0] == "$"
        ):
            words = words[1:]
        kept = [word for word in words if word.lower() not in _RUNNERS]
        for each in [kept, *_under_other_names(kept, record)] if kept else ():
            yield run_command(name, command, literal_words(each, command.span), stdin=False, evidence=True)


def _under_other_names(words: list[str], record: Program) -> Iterator[list[str]]:
    """A statement with the cmdlet that its alias names, and with the aliases: ``Remove-Item -Recurse`` as ``rm -r``."""
    said = words[0].lower().rpartition("\\")[2]
    pairs = [(alias, cmdlet) for alias, _, cmdlet in [pair.partition("=") for pair in record.aliases.split()]]
    short = [word[:2].lower() if word[:1] == "-" and word[1:].isalpha() else word for word in words[1:]]
    for meant in dict.fromkeys([cmdlet for alias, cmdlet in pairs if said in (alias, cmdlet)]):
        yield [meant, *words[1:]]
        yield from [[alias, *short] for alias, cmdlet in pairs if cmdlet == meant and alias != said]


_QUOTED = ('"', "'")


def each_text(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Every word that holds a constant: as code and, since such languages have no common way to call, as a command."""
    texts = [word.literal or "" for word in command.words[1:]]
    for text in [*texts, *fed_texts(command, facts)[0]]:
        yield from code_commands(name, command, text, record.language)
        for quote in _QUOTED:
            yield from [run_text(name, command, part.strip(), evidence=True) for part in text.split(quote)[1::2]]
