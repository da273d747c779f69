"""Lists of names that a script hands on, to ``xargs``, a loop, a substitution, and that may hold the name of a secret.

Evidence for asking. A list of one folder with its hidden names is what ``cat .*`` finds, whatever is cut out of it by
count; a whole tree is only looked at where a pattern chooses among its names, as for ``grep -r``. What exists to name
files that are not for others (``.gitignore``, ``git check-ignore``) names secrets.
"""

from __future__ import annotations

import re

from execpolicy.core.text import names
from execpolicy.programs.names import base_name
from execpolicy.safety.name_regex import found_names
from execpolicy.shell.limits import COMMAND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.safety.name_regex import Dialect
    from execpolicy.shell.script import Command

_OF_FOLDER = names("ls gls dir gdir vdir eza exa lsd")
_REPEATING = names("echo printf stat gstat basename realpath readlink file")
"""Programs that print the names which the shell's patterns find for them."""
_GNU = names("ls gls dir gdir vdir")
"""Those of them whose ``-f`` shows hidden names as well."""
_OF_TREE = names("find gfind bfs git rg fd fdfind du gdu tree locate plocate")
_HIDDEN = names("--all --almost-all --hidden")
_IGNORED = names(
    ".gitignore .dockerignore .npmignore .ignore .rgignore .fdignore .hgignore .eslintignore .gcloudignore"
)
"""Files of names that are not to be handed on; ``.git/info/exclude`` is git's own."""
_SELECTING = names("grep egrep fgrep ggrep rg ag ack")
_EDITING = names("sed gsed awk gawk mawk nawk")
_CUTTING = names("head tail sort uniq cut tr cat tac nl rev column shuf ghead gtail gsort paste fold less more")
"""Programs that say nothing of the names which they hand on."""
_COUNTING = names("wc")
_READING = names("xargs gxargs parallel mapfile readarray read")
"""Programs that take names from what they read."""
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


_UNQUOTED = dict.fromkeys(map(ord, "'\"\\"))
_CONCERNED = re.compile(
    rf"\b(?:{'|'.join(sorted(_OF_FOLDER | _OF_TREE | _REPEATING | _FORMATTING))})\b|ignore|info/exclude"
)
"""What a script mentions that may hand on such a list; the others are not looked through."""


def handed_secret(facts: Facts) -> str | None:
    """A usual secret that a list which the script hands on may name, or the format that spells a name by numbers."""
    if _CONCERNED.search(facts.script.text.translate(_UNQUOTED)) is None:
        return None
    for at, command in enumerate(facts.script.commands):
        name = _program(command, facts)
        if name in _FORMATTING and (spelled := _spelled(name, command)) is not None:
            return spelled
        if _names_ignored(name, command) and any(True for _ in _ways(at, facts)):
            return ".env"
        kind = _kind(name, command)
        left = list(_HIDDEN_NAMES if kind == "folder" else _NAMES_IN_TREES if kind == "tree" else ())
        if kind == "folder" and _has(command, "l"):
            left += [_LONG + each for each in _HIDDEN_NAMES]
        for way in _ways(at, facts) if left else ():
            through, chosen = left, False
            for each in way:
                if name == "echo":  # in one line
                    break
                if not facts.budget.spend(COMMAND * len(through)):
                    return ".env"
                through, chooses = _let_through(_program(each, facts), each, through)
                chosen = chosen or chooses
            if through and (chosen or kind == "folder"):
                return through[0].rpartition(" ")[2]
    return None


def _program(command: Command, facts: Facts) -> str:
    """The name of the program, behind those that only run it: ``command ls``, ``env ls``."""
    running = facts.knowledge.running_next
    named = [base_name(word.literal or "") for word in command.words[:4]]
    return next((name for name in named if name not in running), "")


def _kind(name: str, command: Command) -> str:
    """Whether ``command`` lists a folder with its hidden names, a tree with them, or none of the two."""
    texts = [word.literal for word in command.words[1:]]
    if (name in _OF_FOLDER or name in _REPEATING) and any(
        word.kind == "glob" and (word.pattern or "").rpartition("/")[2][:1] == "." for word in command.words[1:]
    ):
        return "folder"
    if name in _OF_FOLDER:
        if not (_has(command, "aAf" if name in _GNU else "aA") or not _HIDDEN.isdisjoint(texts)):
            return ""
        operands = [word for word in command.words[1:] if word.literal is None or word.literal[:1] != "-"]
        return "" if operands and all(word.kind == "glob" and word.suffix for word in operands) else "folder"
    if name in ("rg", "fd", "fdfind", "tree"):
        return "tree" if _has(command, "aHu.") or not _HIDDEN.isdisjoint(texts) else ""
    if name == "git":
        return "tree" if not {"ls-files", "ls-tree", "--name-only", "--name-status"}.isdisjoint(texts) else ""
    return "tree" if name in _OF_TREE else ""


def _has(command: Command, letters: str) -> bool:
    """Whether one of ``letters`` is a short option of ``command``; what stands behind ``e`` is a pattern."""
    texts = [(word.literal or "").partition("e")[0] for word in command.words[1:]]
    return any(text[:1] == "-" and text[:2] != "--" and not set(letters).isdisjoint(text) for text in texts)


def _names_ignored(name: str, command: Command) -> bool:
    """Whether ``command`` prints, or reads for a list, the names of what is not for others."""
    texts = [word.literal or "" for word in command.words[1:]]
    if name == "git":
        if "check-ignore" in texts:
            return not _has(command, "q")
        if "ls-files" in texts:
            ignored = _has(command, "i") or "--ignored" in texts
            others = _has(command, "o") or "--others" in texts
            return ignored or (others and not any(text.startswith("--exclude") or text == "-X" for text in texts))
        if "show" in texts and any(text.endswith(tuple([":" + each for each in _IGNORED])) for text in texts):
            return True
        return "status" in texts and any(text[:9] == "--ignored" and text != "--ignored=no" for text in texts)
    read = [each.target.literal or "" for each in command.redirects if each.operator in ("<", "<>")]
    prints = name in _CUTTING or name in _EDITING or name in _READING or not command.words
    if name in _SELECTING:
        prints = not _has(command, "qcl") and texts[:1] != ["--files"]
    return prints and any(
        base_name(text) in _IGNORED or text.endswith((".gitignore", "info/exclude")) for text in [*texts, *read]
    )


def _ways(at: int, facts: Facts) -> Iterator[list[Command]]:
    """The filters behind the command ``at`` on each way on which what it prints is handed on as names."""
    commands = facts.script.commands
    command = commands[at]
    if not command.words or _program(command, facts) in _READING:
        yield []
        return
    readers = facts.once(_readers)
    waiting: list[tuple[int, list[Command]]] = [(at, [])]
    while waiting:
        here, filters = waiting.pop()
        behind = readers.get(here, ())
        if not behind and _is_caught(here, facts):
            yield filters
        for index in behind:
            each = commands[index]
            program = _program(each, facts)
            if program in _COUNTING or (program in _SELECTING and _has(each, "qc")):
                continue
            if program not in _CUTTING and program not in _SELECTING and program not in _EDITING:
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


def _let_through(name: str, command: Command, listed: list[str]) -> tuple[list[str], bool]:
    """Those of the names ``listed`` that a filter may hand on, and whether it chooses them by a pattern."""
    texts = [word.literal for word in command.words[1:]]
    if name in _EDITING:
        dialect: Dialect = "basic" if "sed" in name and not _has(command, "Er") else "extended"
        for text in texts:
            match = _ONE_PATTERN.fullmatch((text or "").strip())
            if match is not None and ("sed" not in name or _has(command, "n")):
                return found_names(match[1].replace("\\/", "/"), dialect, listed), True
        return listed, any("/" in (text or "") for text in texts)
    if name not in _SELECTING:
        return listed, False
    regexes, inverted = _patterns(command)
    if regexes is None or _has(command, "ABC"):  # with the lines around
        return listed, True
    dialect = _dialect(name, command)
    found = {each for regex in regexes for each in found_names(regex, dialect, listed)}
    return [each for each in listed if (each in found) != inverted], not inverted


def _dialect(name: str, command: Command) -> Dialect:
    if name == "fgrep" or _has(command, "F"):
        return "fixed"
    if name in ("rg", "ag", "ack") or _has(command, "P"):
        return "perl"
    return "extended" if name == "egrep" or _has(command, "E") else "basic"


def _patterns(command: Command) -> tuple[list[str] | None, bool]:
    """The expressions of a grep, ``None`` where they are not known, and whether it leaves out what they find."""
    regexes: list[str] = []
    operands: list[str] = []
    inverted = False
    waiting = ""
    for word in command.words[1:]:
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


def _spelled(name: str, command: Command) -> str | None:
    """The word of a format that writes letters of what it prints by their numbers."""
    escapes = _ESCAPES["git" if name == "git" else ""]
    for word in command.words[1:]:
        for match in escapes.finditer(word.literal or ""):
            digits, octal = match[1], match[2] if name != "git" else None
            char = chr(int(octal, 8) if octal else int(digits, 16))
            if char.isascii() and (char.isalnum() or char in "._-"):
                return word.literal
    return None
