"""Shell builtins that change what later commands mean, write files or evaluate text: what blocks a grant beside them.

``set``, ``shopt``, ``alias`` and ``unalias`` change how the script is read: the reader reports them itself.
``cd`` alone does no harm; it says that relative names behind it mean something else.
Source: the bash 5.2 manual (builtins), zsh 5.9 ``zshbuiltins``; each evaluating form was tried with bash 5.2.15.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterator, Sequence

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.evaluating import (
    EVALUATING_SHELLS,
    compgen_evaluates,
    print_evaluates,
    printf_evaluates,
    read_evaluates,
    test_evaluates,
)
from execpolicy.programs.options import option_table, walk
from execpolicy.shell.script import ARITHMETIC, ASSIGNMENT, EXPORTED, SOURCE, Command, ShellEffect
from execpolicy.shell.variables import harmless_assignment, plain_variable, stays_in_shell
from execpolicy.shell.vocabulary import REFERRING
from execpolicy.shell.words import Word
from execpolicy.shell.words import Word as Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.programs.evaluating import Said


CD = "cd"
COMPLETION = "completion"
ENABLE = "enable"
EXEC = "exec"
HASH = "hash"
HISTORY = "history"
LIMIT = "limit"
TRAP = "trap"
UMASK = "umask"
UNSET = "unset"
ZSH = "zsh"

_LETTERS_OF_PLACE = frozenset("aAgrxpf")
"""Options of ``declare`` that say where a variable is and who sees it. Others say what becomes of its value: ``-L4`` of
zsh, mksh and ksh93 cuts it off."""


def _renames(text: str) -> bool:
    """True if ``hash`` says with this word where a program is, or forgets it: ``-rp FILE``, ``NAME=FILE`` of zsh."""
    return "=" in text or (text[:1] == "-" and ("p" in text or "d" in text))


def _beside(harmless: str) -> Callable[[list[str | None]], bool]:
    """True if some argument is none of the ``harmless`` ones."""
    known = word_set(harmless)
    return lambda texts: not known.issuperset(texts)


def _always(texts: list[str | None]) -> bool:
    return True


_CHANGES: dict[str, tuple[str, Callable[[list[str | None]], bool], str]] = {
    "moves": (CD, _always, "`{}` may change what relative names mean"),
    "sources": (SOURCE, _always, "`{}` runs a file in this shell"),
    "completes": (COMPLETION, lambda texts: texts[:1] not in ([], ["-p"]), "`{}` sets what completion runs"),
    "enable": (ENABLE, _beside("-a -p -s -ap -ps"), "`enable` adds or removes builtins"),
    "bind": (COMPLETION, _beside("-l -p -P -s -S -v -V -X"), "`bind` sets what keys do"),
    "umask": (UMASK, _beside("-S -p"), "`umask` changes the permissions of files made later"),
    "ulimit": (
        LIMIT,
        lambda texts: not all(text is not None and text.startswith("-") for text in texts),
        "`ulimit` changes limits of this shell",
    ),
    "hash": (
        HASH,
        lambda texts: any(text is None or _renames(text) for text in texts),
        "`hash` changes which program a name runs",
    ),
    "let": (
        ARITHMETIC,
        lambda texts: not all(map(_is_number_assignment, texts)),
        "`let` evaluates its arguments, subscripts with substitutions included",
    ),
    "trap": (
        TRAP,
        lambda texts: (
            bool(texts) and texts[0] not in ("-p", "-l", "-P") and (len(texts) == 1 or texts[0] not in ("-", ""))
        ),
        "`trap` sets a command to run later",
    ),
    "history": (
        HISTORY,
        lambda texts: bool(texts) and not (len(texts) == 1 and (texts[0] or "").isdigit()),
        "`history` reads or writes the history file or list",
    ),
    "fc": (HISTORY, lambda texts: not _lists(texts[0] if texts else ""), "`fc` runs commands from the history"),
}
"""Changes by builtins, by form: the kind of the effect, the arguments that cause it, and the message."""


def _lists(option: str | None) -> bool:
    """True if ``fc`` only lists with this option."""
    return option is not None and option.startswith("-") and "l" in option and "e" not in option


def effects_of(form: str, name: str, words: Sequence[Word], command: Command, facts: Facts) -> tuple[ShellEffect, ...]:
    """Returns what is in the way of a grant when the builtin ``name``, which does ``form``, runs with ``words``."""
    if form in _CHANGES:
        kind, changes, detail = _CHANGES[form]
        if changes([word.literal for word in words]):
            return (ShellEffect(kind, command.span, detail.format(name)),)
        return ()
    said = _said(form, name, words, command, facts)
    return tuple([ShellEffect(one[0], command.span, one[1], inner=one[2] if len(one) > 2 else ()) for one in said])


def _said(form: str, name: str, words: Sequence[Word], command: Command, facts: Facts) -> Iterator[Said]:
    shell = facts.script.shell
    if form == "declares":
        yield from _declared(name, words, command, facts)
    elif form == "printf":
        first = words[0].literal if words else ""
        if first is None or first.startswith("-v"):
            yield from _target("printf -v", (first or "")[2:] or (words[1].literal if len(words) > 1 else None), shell)
        if shell in EVALUATING_SHELLS and printf_evaluates(words, facts):
            yield ARITHMETIC, f"`printf` evaluates numbers in {shell}"
    elif form == "reads":
        yield from _reads(name, words, facts)
    elif form == "unset":
        yield from _unset(words, shell)
    elif form == "tests":
        yield from test_evaluates(words, facts)
    elif form == "counts":
        if shell in EVALUATING_SHELLS and not all(word.number or (word.literal or "x").isdigit() for word in words):
            yield ARITHMETIC, f"`{name}` evaluates its operand in {shell}"
    elif form == "exec":
        if not words and command.redirects:
            yield EXEC, "`exec` redirects the rest of the script"
    elif form == "print":
        if shell in EVALUATING_SHELLS and print_evaluates(words):
            yield ZSH, "`print` has an option that does more than print"
    elif form == "compgen":
        if compgen_evaluates(words):
            yield COMPLETION, "`compgen` expands what it is given"
    elif form == "zsh":
        yield ZSH, f"zsh's `{name}` is not looked into"


def _unset(words: Sequence[Word], shell: str) -> Iterator[Said]:
    for word in words:
        text = word.literal
        if text is None or "[" in text:
            yield ARITHMETIC, "`unset` evaluates the subscript of its argument"
        elif text not in ("-v", "-n", "--") and (text == "-f" or not stays_in_shell(text, shell)):
            yield UNSET, f"`unset {text}` may change what later commands do"


def _declared(name: str, words: Sequence[Word], command: Command, facts: Facts) -> Iterator[Said]:
    """``export``, ``declare`` and their like."""
    shell = facts.script.shell
    exported = name == "export"
    options = [word.literal for word in words if word.literal is not None and word.literal[:1] == "-"]
    prints = any("p" in option for option in options)
    arrays = any(set(option) & set("aA") for option in options)
    for word in words:
        text = word.literal if word.literal is not None else word.prefix or _unsplit(name, word, command, facts)
        if word.literal is not None and text[:1] in "-+" and len(text) > 1 and "=" not in text:
            if text == "--":
                continue
            letters = text[1:]
            if "x" in letters and text[0] == "-":
                exported = True
            if name == "export" and letters.strip("pn"):
                yield ASSIGNMENT, "`export -f` hands functions to other programs"
            # in bash -F lists functions; `sh` may be zsh
            floats = shell in EVALUATING_SHELLS and not set(letters).isdisjoint("EF")
            listing = letters in ("F", "f", "p") and not floats
            if name != "export" and not (listing or set(letters) <= _LETTERS_OF_PLACE):
                kind = ARITHMETIC if "i" in letters or floats else ASSIGNMENT
                yield kind, f"`{name} {text}` changes how values are read"
            continue
        given, equals, _ = text.partition("=")
        variable = given.removesuffix("+")
        if word.literal is None and not equals:
            yield ASSIGNMENT, f"`{name}` sets a variable that is only known at run time"
        elif "[" in variable:
            yield ARITHMETIC, f"`{name}` evaluates the subscript of `{variable}`"
        elif equals and _read_again(variable, word, arrays, facts):
            yield ARITHMETIC, f"`{name}` reads the value of an array again"
        elif not equals and not exported:
            # without a value it is an array, local or nothing from now on: `declare -a PATH`; zsh prints its value
            stays = plain_variable if shell == "zsh" else stays_in_shell
            if not stays(variable, shell) and not prints:
                yield ASSIGNMENT, f"`{name} {variable}` changes a variable that has a meaning"
        elif name in ("integer", "float", "nameref"):
            yield ARITHMETIC, f"`{name}` evaluates the value"
        elif not harmless_assignment(
            variable, _value(word) if given == variable else None, exported=exported, shell=shell
        ):
            kind = EXPORTED if exported and plain_variable(variable, shell) else ASSIGNMENT
            yield kind, f"`{name}` gives `{variable}` a value that other commands see"


def _read_again(variable: str, word: Word, arrays: bool, facts: Facts) -> bool:
    """True if bash reads a value once more, as a list in parentheses, because its variable is or becomes an array.

    ``declare -a 'a=($(c))'`` runs ``c``; so does ``declare "a=$x"`` where ``a`` is an array (bash 5.2, tried). A list
    that is written as one is read once.
    """
    if any(piece.kind == "mixed" and piece.source.startswith("(") for piece in word.pieces):
        return False
    text = word.prefix
    value = text.partition("=")[2]
    if value:
        return value[0] == "("
    return word.literal is None and (arrays or variable in facts.once(_arrays))


def reads_list_again(name: str, variable: str, word: Word, command: Command, facts: Facts) -> bool:
    """True if ``name`` surely reads a list in ``word`` again, as its variable is an array. zsh 5.9 does not (tried)."""
    arrays = any(one.literal and one.literal[:1] == "-" and set(one.literal) & set("aA") for one in command.words[1:])
    listed = arrays or (name in REFERRING and variable in facts.once(_arrays))
    return listed and facts.script.shell != "zsh" and _read_again(variable, word, True, facts)


def _arrays(facts: Facts) -> frozenset[str]:
    """The variables that may be arrays: by a list, an element, or a builtin that fills one (``read -aname``)."""
    script = facts.script
    found = {one.name for one in script.seen.given if (one.array and not one.loop) or one.element is not None}
    for command in script.commands:
        found.update([one.name for one in command.assignments if one.value is None or one.subscript])
        texts = [word.prefix for word in command.words]
        options = [text for text in texts[1:] if text[:1] == "-" and set(text) & set("aA")]
        if options or "mapfile" in texts or "readarray" in texts:
            found.update([text.partition("=")[0].removesuffix("+") for text in texts[1:]])
            found.update([text.partition("a")[2] for text in options])
    return frozenset(found)


def _unsplit(name: str, word: Word, command: Command, facts: Facts) -> str:
    """``x=`` of ``local x=$1``: the arguments of a declaration are assignments, which are not split.

    Only where the shell sees that it is one: bash, ksh and zsh, the name of the builtin unquoted and in front. In dash
    the value is split, so that it may hold further assignments.
    """
    program = command.words[0]
    if program.literal != name or program.quoted or facts.script.shell not in ("bash", "ksh", "zsh"):
        return ""
    if [each.span for each in command.words].count(word.span) > 1:
        return ""  # braces made several words of one, which are split
    first = word.pieces[0] if word.pieces else None
    if first is None or first.kind != "literal" or first.quoted:
        return ""
    variable, equals, _ = (first.text or "").partition("=")
    return variable + equals if variable.removesuffix("+").isidentifier() else ""


def _value(word: Word) -> Word:
    if word.literal is None:
        return Value(None, word.span, kind=word.kind)
    return Value(word.literal.partition("=")[2], word.span)


def _target(what: str, name: str | None, shell: str) -> Iterator[Said]:
    """A builtin that stores into the variable ``name``."""
    if name is None:
        yield ASSIGNMENT, f"`{what}` sets a variable that is only known at run time"
    elif "[" in name:
        yield ARITHMETIC, f"`{what}` evaluates the subscript of `{name}`"
    elif not stays_in_shell(name, shell):
        yield ASSIGNMENT, f"`{what}` sets `{name}`"


def _reads(name: str, words: Sequence[Word], facts: Facts) -> Iterator[Said]:
    """``read a b``, ``mapfile a``, ``getopts spec name``."""
    shell = facts.script.shell
    if name == "getopts":
        yield from _target(name, words[1].literal if len(words) > 1 else None, shell)
        return
    if shell in EVALUATING_SHELLS and name == "read" and read_evaluates(words, facts):
        yield ARITHMETIC, f"`read` evaluates what it is given in {shell}"
    record = record_of(name)
    way = walk(option_table(record.options if record is not None else ""), words, 0)
    for seen in way.seen:
        if seen.name == "-C":
            yield TRAP, f"`{name} -C` runs a command for the lines it reads"
        elif seen.name == "-a":
            yield from _target(f"{name} -a", seen.value(), shell)
    if way.ambiguous:
        yield ASSIGNMENT, f"`{name}` has an option that is not known"
    for word in words[min(way.starts, default=len(words)) :]:
        text = word.literal
        # zsh and ksh: read 'name?prompt'.
        yield from _target(name, text.partition("?")[0] if text is not None else None, shell)


def _is_number_assignment(text: str | None) -> bool:
    """``i=0``, ``i=1+2``: the form of ``let`` that evaluates no name."""
    if text is None:
        return False
    name, equals, value = text.partition("=")
    return bool(equals) and stays_in_shell(name, "bash") and bool(value) and _CONSTANT.issuperset(value)


_CONSTANT = frozenset("0123456789+-*/%() ")
