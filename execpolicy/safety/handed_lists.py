"""Lists of names that a script hands on, to ``xargs``, a loop, a substitution, and that may hold the name of a secret.

Evidence for asking. A list of one folder with its hidden names is what ``cat .*`` finds, whatever is cut out of it by
count; a whole tree is only looked at where a pattern chooses among its names, as for ``grep -r``. What exists to name
files that are not for others (``.gitignore``, ``git check-ignore``) names secrets.
"""

from __future__ import annotations

import re

from execpolicy.core.text import names
from execpolicy.programs.names import base_name
from execpolicy.safety.listings import (
    EDITING,
    OF_FOLDER,
    READING,
    SELECTING,
    UNQUOTED,
    concerned,
    has_letter,
    kind_of_list,
    run_words,
    short_letters,
    shows_hidden,
)
from execpolicy.safety.name_regex import found_names
from execpolicy.shell.limits import COMMAND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.safety.name_regex import Dialect
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_REPEATING = names("echo printf stat gstat basename realpath readlink file")
"""Programs that print the names which the shell's patterns find for them."""
_IGNORED = names(
    ".gitignore .dockerignore .npmignore .ignore .rgignore .fdignore .hgignore .eslintignore .gcloudignore"
)
"""Files of names that are not to be handed on; ``.git/info/exclude`` is git's own."""
_CUTTING = names("head tail sort uniq cut tr cat tac nl rev column shuf ghead gtail gsort paste fold less more")
"""Programs that say nothing of the names which they hand on."""
_COUNTING = names("wc")
_CAUGHT = names("substitution process")
_ASKING = names("[ test echo printf")
"""Programs that open none of the files which a substitution among their words names."""
_COMPARING = names("diff comm cmp cat paste join grep egrep fgrep")
"""Programs that print of a list which they read as a file ``<(…)`` no more than its lines."""
_HIDDEN_NAMES = (
    *(".env", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd", ".envrc", ".vault-token"),
    *(".bash_history", ".zsh_history", ".python_history", ".my.cnf", ".s3cfg", ".boto", ".dockercfg", ".xauthority"),
)
"""What a list of a folder may show of usual secrets because it shows hidden names."""
_NAMES_IN_TREES = (".env", "./.env", "id_rsa", "id_ed25519")
"""What a pattern finds that chooses in a tree; short ones find too much of the rarer names: ``py`` finds `.pypirc`."""
_LONG = "-rw------- 1 user group 123 Jan  1 12:00 "
_ONE_PATTERN = re.compile(r"/((?:[^/\\]|\\.)+)/(p|I?p|\s*\{[^{}!]*\})?")
_FARTHEST = 8
"""Programs in a pipeline behind a list that are followed."""
_MOST = 64
"""Ways on which they are."""
_ESCAPES = {"git": re.compile(r"%x?([0-9a-fA-F]{2})"), "": re.compile(r"\\x([0-9a-fA-F]{1,2})|\\([0-7]{1,4})")}
_FORMATTING = names("git find gfind bfs stat gstat")


_CONCERNED = re.compile(rf"\b(?:{'|'.join(sorted(_REPEATING))})\b|ignore|info/exclude")
"""What a script mentions that may hand on such a list without a program that prints names."""


def handed_secret(facts: Facts) -> str | None:
    """A usual secret that a list which the script hands on may name, or the format that spells a name by numbers."""
    if not facts.once(concerned) and _CONCERNED.search(facts.script.text.translate(UNQUOTED)) is None:
        return None
    for at, words in enumerate(facts.once(run_words)):
        name = _name(words)
        if name in _FORMATTING and (spelled := _spelled(name, words)) is not None:
            return spelled
        if _names_ignored(facts.script.commands[at], words) and any(True for _ in _ways(at, facts)):
            return ".env"
        kind = _kind(words)
        left = list(_HIDDEN_NAMES if kind == "folder" else _NAMES_IN_TREES if kind == "tree" else ())
        if kind == "folder" and has_letter(words, "l"):
            left += [_LONG + each for each in _HIDDEN_NAMES]
        for way in _ways(at, facts) if left else ():
            through, chosen = left, False
            for each in way:
                if name == "echo":  # in one line
                    break
                if not facts.budget.spend(COMMAND * len(through)):
                    return ".env"
                through, chooses = _let_through(each, through)
                chosen = chosen or chooses
            if through and (chosen or kind == "folder"):
                return through[0].rpartition(" ")[2]
    return None


def _name(words: Sequence[Word]) -> str:
    return base_name(words[0].literal or "") if words else ""


def _kind(words: Sequence[Word]) -> str:
    """Whether what is listed is a folder with its hidden names, a tree with them, or none of the two."""
    name = _name(words)
    if (name in OF_FOLDER or name in _REPEATING) and any(
        word.kind == "glob" and (word.pattern or "").rpartition("/")[2][:1] == "." for word in words[1:]
    ):
        return "folder"
    kind = kind_of_list(words)
    if not kind or not shows_hidden(words):
        return ""
    operands = [word for word in words[1:] if word.literal is None or word.literal[:1] != "-"]
    if kind == "folder" and operands and all(word.kind == "glob" and word.suffix for word in operands):
        return ""
    return kind


def _has(words: Sequence[Word], letters: str) -> bool:
    """Whether one of ``letters`` is a short option; what stands behind ``e`` is a pattern."""
    return any(not set(letters).isdisjoint(short_letters(word).partition("e")[0]) for word in words[1:])


def _names_ignored(command: Command, words: Sequence[Word]) -> bool:
    """Whether ``command``, which runs ``words``, prints, or reads for a list, the names of what is not for others."""
    name = _name(words)
    texts = [word.literal or "" for word in words[1:]]
    if name == "git":
        if "check-ignore" in texts:
            return not _has(words, "q")
        if "ls-files" in texts:
            ignored = _has(words, "i") or "--ignored" in texts
            others = _has(words, "o") or "--others" in texts
            return ignored or (others and not any(text.startswith("--exclude") or text == "-X" for text in texts))
        if "show" in texts and any(text.endswith(tuple([":" + each for each in _IGNORED])) for text in texts):
            return True
        return "status" in texts and any(text[:9] == "--ignored" and text != "--ignored=no" for text in texts)
    read = [each.target.literal or "" for each in command.redirects if each.operator in ("<", "<>")]
    prints = name in _CUTTING or name in EDITING or name in READING or not words
    if name in SELECTING:
        prints = not _has(words, "qcl") and texts[:1] != ["--files"]
    return prints and any(
        base_name(text) in _IGNORED or text.endswith((".gitignore", "info/exclude")) for text in [*texts, *read]
    )


def _ways(at: int, facts: Facts) -> Iterator[list[Sequence[Word]]]:
    """The words of the filters behind the command ``at`` on each way on which what it prints is handed on as names."""
    run = facts.once(run_words)
    if not run[at] or _name(run[at]) in READING:
        yield []
        return
    readers = facts.once(_readers)
    waiting: list[tuple[int, list[Sequence[Word]]]] = [(at, [])]
    while waiting:
        here, filters = waiting.pop()
        behind = readers.get(here, ())
        if not behind and _is_caught(here, facts):
            yield filters
        for index in behind:
            each = run[index]
            program = _name(each)
            if program in _COUNTING or (program in SELECTING and _has(each, "qc")):
                continue
            if program not in _CUTTING and program not in SELECTING and program not in EDITING:
                yield filters
            elif len(filters) < _FARTHEST and len(waiting) < _MOST:
                waiting.append((index, [*filters, each]))
            else:  # too far to follow
                yield filters
                return


def _is_caught(at: int, facts: Facts) -> bool:
    """Whether what the command ``at`` prints becomes words or a file to read, and more than a question."""
    command = facts.script.commands[at]
    if not any(each in _CAUGHT or each[:9] == "function:" for each in command.context):
        return False
    if any(span.start <= command.span.start < span.end for span in facts.script.seen.conditions):
        return False
    return (at, _depth(command)) not in facts.once(_only_asked)


def _depth(command: Command) -> int:
    return sum(each in _CAUGHT for each in command.context)


def _only_asked(facts: Facts) -> frozenset[tuple[int, int]]:
    """The commands of substitutions in the words of what opens no file that they name, each with its depth."""
    readers = facts.once(_readers)
    found: list[tuple[int, int]] = []
    for index, each in enumerate(facts.script.commands):
        name = each.words[0].literal if each.words else None
        last = name in _COMPARING and index not in readers and not each.context
        if last or name in _ASKING:
            read = [word for word in each.words if not last or word.kind == "process"]
            found += [(at, _depth(each) + 1) for word in read for at in word.inner]
    return frozenset(found)


def _readers(facts: Facts) -> dict[int, list[int]]:
    """The commands that read through a pipe what each prints."""
    found: dict[int, list[int]] = {}
    for index, command in enumerate(facts.script.commands):
        for at in command.piped_from if command.words else ():
            found.setdefault(at, []).append(index)
    return found


def _let_through(words: Sequence[Word], listed: list[str]) -> tuple[list[str], bool]:
    """Those of the names ``listed`` that a filter may hand on, and whether it chooses them by a pattern."""
    name = _name(words)
    texts = [word.literal for word in words[1:]]
    if name in EDITING:
        dialect: Dialect = "basic" if "sed" in name and not _has(words, "Er") else "extended"
        for text in texts:
            match = _ONE_PATTERN.fullmatch((text or "").strip())
            if match is not None and ("sed" not in name or _has(words, "n")):
                return found_names(match[1].replace("\\/", "/"), dialect, listed), True
        return listed, any("/" in (text or "") for text in texts)
    if name not in SELECTING:
        return listed, False
    regexes, inverted = _patterns(words)
    if regexes is None or _has(words, "ABC"):  # with the lines around
        return listed, True
    dialect = _dialect(name, words)
    found = {each for regex in regexes for each in found_names(regex, dialect, listed)}
    return [each for each in listed if (each in found) != inverted], not inverted


def _dialect(name: str, words: Sequence[Word]) -> Dialect:
    if name == "fgrep" or _has(words, "F"):
        return "fixed"
    if name in ("rg", "ag", "ack") or _has(words, "P"):
        return "perl"
    return "extended" if name == "egrep" or _has(words, "E") else "basic"


def _patterns(words: Sequence[Word]) -> tuple[list[str] | None, bool]:
    """The expressions of a grep, ``None`` where they are not known, and whether it leaves out what they find."""
    regexes: list[str] = []
    operands: list[str] = []
    inverted = False
    waiting = ""
    for word in words[1:]:
        text = word.literal
        if text is None or text[:7] in ("--file=", "--regex"):
            return None, inverted
        if waiting:
            if waiting == "e":
                regexes.append(text)
            waiting = ""
        elif text[:2] == "--":
            inverted = inverted or text == "--invert-match"
        elif text[:1] == "-":
            flags, marked, glued = text[1:].partition("e")
            inverted = inverted or "v" in flags
            if "f" in flags:
                return None, inverted
            if marked and glued:
                regexes.append(glued)
            waiting = "e" if marked and not glued else flags[-1:] if flags[-1:] in ("m", "A", "B", "C") else ""
        else:
            operands.append(text)
    found = regexes or operands[:1]
    return [line for regex in found for line in regex.split("\n")] or None, inverted


def _spelled(name: str, words: Sequence[Word]) -> str | None:
    """The word of a format that writes letters of what it prints by their numbers."""
    escapes = _ESCAPES["git" if name == "git" else ""]
    for word in words[1:]:
        for match in escapes.finditer(word.literal or ""):
            digits, octal = match[1], match[2] if name != "git" else None
            char = chr(int(octal, 8) if octal else int(digits, 16))
            if char.isascii() and (char.isalnum() or char in "._-"):
                return word.literal
    return None
