"""What a simple command says about the reading itself: dynamic programs, shell options, aliases."""

from __future__ import annotations

from execpolicy.shell import effects
from execpolicy.shell.grammar.state import Given
from execpolicy.shell.grammar.words import assignment_name
from execpolicy.shell.pieces import Piece, literal_text
from execpolicy.shell.reserved import DECLARING, LOOKED_THROUGH, NOTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.grammar.state import State
    from execpolicy.shell.script import Command

HARMLESS_LETTERS = frozenset("eux")
"""Letters of ``set`` that change nothing of what is run, except that it may stop earlier or be traced."""
HARMLESS_NAMES = frozenset(("errexit", "nounset", "pipefail", "xtrace"))


_REREADING_LETTERS = frozenset("kB")
_REREADING = frozenset(("keyword", "braceexpand", "posix"))
"""Options of ``set`` after which the same text is other words."""
_READ_ALIKE = frozenset(
    (
        *(
            "-s",
            "-u",
            "-q",
            "-p",
            "-su",
            "-us",
            "nullglob",
            "dotglob",
            "globstar",
            "failglob",
            "nocasematch",
            "lastpipe",
        ),
        *(
            "inherit_errexit",
            "checkwinsize",
            "extglob",
            "expand_aliases",
            "huponexit",
            "histappend",
            "cmdhist",
            "autocd",
        ),
        *("globskipdots", "checkjobs", "execfail", "interactive_comments", "sourcepath", "xpg_echo", "cdspell"),
    )
)
"""Arguments of ``shopt`` that leave the reading of words alone, or whose new syntax is refused where it stands."""


def note_builtin(state: State, command: Command) -> None:
    """Add the effects of ``command`` that concern how the rest of the script is read."""
    words = command.words
    if not words:
        return
    program = words[0].literal
    if program is None:
        state.effect(effects.DYNAMIC_PROGRAM, words[0].span, "the program is only known at run time")
        return
    if program not in NOTED:
        return
    texts = [word.literal for word in words]
    at = 0
    while at < len(texts) - 1 and texts[at] in LOOKED_THROUGH:
        at += 1
        while at < len(texts) - 1 and (texts[at] or "").startswith("-") and texts[at] not in ("-v", "-V"):
            at += 1
    program, arguments = texts[at], texts[at + 1 :]
    if program == "set":
        if not _harmless_set(arguments):
            if any(text is None or (text[:1] in "-+" and set(text) & _REREADING_LETTERS) for text in arguments) or (
                set(arguments) & _REREADING
            ):
                state.doubt("`set` changes how words are read")
            state.effect(effects.SHELL_OPTION, command.span, "`set` changes how commands are read or run")
    elif program == "shopt":
        if any(text is None or (text.startswith("-") and text not in ("-p", "-q")) for text in arguments):
            if not _READ_ALIKE.issuperset(arguments):
                state.doubt("`shopt` changes how words are read")
            state.effect(effects.SHELL_OPTION, command.span, "`shopt` changes how commands are read or run")
    elif program in ("alias", "unalias") and arguments:
        for word in words[at + 1 :]:
            if word.literal is None or "=" in word.literal:
                name, _, value = word.prefix.partition("=")
                state.aliases.append((name, value))
        state.effect(effects.ALIAS, command.span, "an alias may change what later lines run")


def _harmless_set(arguments: list[str | None]) -> bool:
    expect_name = False
    for text in arguments:
        if expect_name:
            expect_name = False
            if text not in HARMLESS_NAMES:
                return False
            continue
        if text is None:
            return False
        if text in ("--", "-", ""):
            return True
        if text[0] not in "-+":
            return True
        for letter in text[1:]:
            if letter == "o":
                expect_name = True
            elif letter not in HARMLESS_LETTERS:
                return False
    return True


def note_failing(state: State, command: Command) -> None:
    """Note what may make later expansions fail: a function whose body may, a variable that is read-only from now on."""
    texts = [word.literal for word in command.words]
    if texts[0] in state.functions and state.failing:
        state.may_fail()
    first = [text for text in texts[:4] if text is not None]
    if "readonly" in first or (
        not DECLARING.isdisjoint(first) and any(text is None or (text[:1] == "-" and "r" in text) for text in texts)
    ):
        state.freezes = True


def note_values(state: State, command: Command, raw: list[list[Piece]], blocks: tuple[int, ...]) -> None:
    """Collect what ``set --``, ``export``, ``declare``, ``printf -v`` and their like visibly give to variables.

    ``raw`` holds the pieces of the words of ``command`` before brace expansion.
    """
    if not raw or not command.words:
        return
    if (command.words[-1].literal or "").endswith("\\\n") and any(word.literal == "eval" for word in command.words[:4]):
        # bash 5.2 then takes the next line for the rest of a command: a reserved word in it is none.
        state.doubt("`eval` of a text that ends in a line continuation")
    program = literal_text(raw[0])
    if program is None or len(raw) < 2:
        return
    at = command.span.start
    state.calls.append((program, raw[1:], at, blocks))
    if program not in ("set", "read", "printf", "eval") and program not in DECLARING:
        return
    if program == "set":
        for index, pieces in enumerate(raw[1:], 1):
            text = literal_text(pieces)
            if text == "--" or text is None or text[:1] not in ("-", "+"):
                values = raw[index + 1 :] if text == "--" else raw[index:]
                state.give(Given("@", values, at, blocks, array=True, certain=False))
                return
    elif program == "printf":
        _note_printf(state, raw, at, blocks)
    elif program == "read":
        _note_read(state, command, raw, at, blocks)
    elif program == "eval":
        for pieces in raw[1:]:
            for text in (literal_text(pieces) or "").split():
                name = assignment_name(text)
                if name and text[len(name)] == "=":
                    value = [Piece("literal", text[len(name) + 1 :].strip("\"';"), True)]
                    state.give(Given(name, [value], at, blocks, certain=False))
    else:
        _note_declared(state, raw, at, blocks)


def _note_printf(state: State, raw: list[list[Piece]], at: int, blocks: tuple[int, ...]) -> None:
    """``printf -v name format words``."""
    texts = [literal_text(pieces) for pieces in raw]
    if len(raw) > 3 and texts[1] == "-v" and texts[2]:
        known = [text for text in texts[3:] if text is not None]
        value = raw[4] if texts[3] in ("%s", "%b") and len(raw) == 5 else raw[3]
        if len(known) == len(texts) - 3 and len(known) > 2:
            from execpolicy.shell.printed import printed

            text = printed(["printf", *known])
            value = [Piece("literal", text, True)] if text is not None else value
        state.give(Given(texts[2], [value], at, blocks, certain=False))


def _note_read(state: State, command: Command, raw: list[list[Piece]], at: int, blocks: tuple[int, ...]) -> None:
    """``read name … <<< text``."""
    bodies = [redirect.body for redirect in command.redirects if redirect.operator == "<<<"]
    body = bodies[-1].literal if bodies and bodies[-1] is not None else None
    if body is None:
        return
    texts = [literal_text(pieces) or "" for pieces in raw[1:]]
    names = [text for text in texts if text.isidentifier()]
    if any(text.startswith("-") and text.endswith("a") for text in texts) and names:
        words = [[Piece("literal", word, True)] for word in body.split()]
        state.give(Given(names[0], words, at, blocks, array=True, certain=False))
        return
    parts = body.split(None, len(names) - 1) if len(names) > 1 else []
    for index, name in enumerate(names):
        for text in dict.fromkeys((body, *parts[index : index + 1])):
            state.give(Given(name, [[Piece("literal", text, True)]], at, blocks, certain=False))


def _note_declared(state: State, raw: list[list[Piece]], at: int, blocks: tuple[int, ...]) -> None:
    """``declare name=value`` and its like."""
    reference = False
    for pieces in raw[1:]:
        first = pieces[0]
        text = first.text or ""
        if first.kind != "literal" or first.quoted:
            continue
        if text.startswith("-"):
            reference = reference or "n" in text
            continue
        name = assignment_name(text)
        if reference:
            state.references.add(name or text)
        if name and text[len(name)] != "[":
            value_text = text.partition("=")[2]
            value = ([Piece("literal", value_text, False)] if value_text else []) + pieces[1:]
            state.give(Given(name, [value], at, blocks, certain=False))
