"""Simple commands, and those among them that change how the rest of the script is read."""

from __future__ import annotations

from execpolicy.core.text import is_integer, word_set
from execpolicy.shell.grammar.elements import read_array, read_word
from execpolicy.shell.grammar.reader import DIGITS, META, Reader
from execpolicy.shell.grammar.redirections import read_redirect, redirect_ahead
from execpolicy.shell.grammar.state import Draft, Pending
from execpolicy.shell.grammar.word_building import build_word, build_words
from execpolicy.shell.pieces import Piece, bare_text
from execpolicy.shell.script import ALIAS, DYNAMIC_PROGRAM, SHELL_OPTION, Assignment, Redirect, replace
from execpolicy.shell.variables import assignment_name
from execpolicy.shell.vocabulary import DECLARING, LOOKED_THROUGH, NOTED, RESERVED, run_here
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.grammar.state import State
    from execpolicy.source import Span

HARMLESS_LETTERS = frozenset("eux")
"""Letters of ``set`` that do not change the executed commands, except that the script may stop earlier or be traced."""
HARMLESS_NAMES = frozenset(("errexit", "nounset", "pipefail", "xtrace"))


_REREADING_LETTERS = frozenset("kB")
_REREADING = frozenset(("keyword", "braceexpand", "posix"))
"""Options of ``set`` after which the same text is split into different words."""
_READ_ALIKE = word_set(
    "-s -u -q -p -su -us nullglob dotglob globstar failglob nocasematch lastpipe inherit_errexit checkwinsize extglob "
    "expand_aliases huponexit histappend cmdhist autocd globskipdots checkjobs execfail interactive_comments "
    "sourcepath xpg_echo cdspell histverify histreedit hostcomplete progcomp progcomp_alias lithist mailwarn direxpand "
    "dirspell force_fignore no_empty_cmd_completion gnu_errfmt cdable_vars complete_fullquote"
)
"""Arguments of ``shopt`` that do not change the reading of words, or whose new syntax is an error wherever it occurs.
"""
_FINDING = word_set("-s -u nullglob globstar")
"""Arguments of ``shopt`` after which a pattern may become no word, or several: its number of words is never certain.

With ``failglob`` it may be an error that drops the rest of the line.
"""
_SETTINGS = HARMLESS_NAMES | word_set("-s -u -q -o history noclobber noglob")
"""Valid names for ``shopt -o``: options of ``set`` that do not change the reading of words."""


def note_settings(state: State, words: Sequence[Word], span: Span) -> None:
    """Records how the command ``words`` (not empty) changes the reading of the rest of the script."""
    program = words[0].literal
    if program is None:
        state.effect(DYNAMIC_PROGRAM, words[0].span, "the program is only known at run time")
    if (words[-1].literal or "").endswith("\\\n") and words[run_here(words)].literal == "eval":
        # bash 5.2 then reads the next line as the rest of a command: a reserved word in it is an ordinary word.
        state.mark_ambiguous("`eval` of a text that ends in a line continuation")
    if program not in NOTED:
        return
    at = run_here(words)
    program, arguments = words[at].literal, [word.literal for word in words[at + 1 :]]
    if program == "set":
        if not _harmless_set(arguments):
            if any(text is None or (text[:1] in "-+" and set(text) & _REREADING_LETTERS) for text in arguments) or (
                set(arguments) & _REREADING
            ):
                state.mark_ambiguous("`set` changes how words are read")
            state.effect(SHELL_OPTION, span, "`set` changes how commands are read or run")
    elif program == "shopt":
        if any(text is None or (text.startswith("-") and text not in ("-p", "-q")) for text in arguments):
            known = _READ_ALIKE if "-o" not in arguments else _SETTINGS
            if not known.issuperset(arguments):
                state.mark_ambiguous("`shopt` changes how words are read")
            if not _FINDING.issuperset(arguments):
                state.effect(SHELL_OPTION, span, "`shopt` changes how commands are read or run")
    elif program in ("alias", "unalias") and arguments:
        for word in words[at + 1 :]:
            if word.literal is None or "=" in word.literal:
                name, _, value = word.prefix.partition("=")
                state.aliases.append((name, value))
        state.effect(ALIAS, span, "an alias may change what later lines run")


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


def note_failing(state: State, words: Sequence[Word]) -> None:
    """Records causes of failures: a function whose body may fail, a variable that is read-only from now on."""
    if state.failing and words[0].literal in state.functions:
        state.may_fail()
    builtin = words[run_here(words)].literal
    if builtin in DECLARING:
        marked = any(word.literal is None or (word.literal[:1] == "-" and "r" in word.literal) for word in words)
        state.freezes = state.freezes or marked or builtin == "readonly"


_REDIRECTING = DIGITS | frozenset("<>&{")
"""The first characters of a redirect."""


def read_simple(reader: Reader) -> None:
    """Reads a simple command at the position: assignments, words and redirects in any order bash allows."""
    state = reader.state
    start = reader.pos
    index = state.reserve(start)
    words: list[Word] = []
    assignments: list[Assignment] = []
    redirects: list[Redirect | Pending] = []
    named = declaring = False
    known = len(state.given)
    last = start
    while True:
        char = reader.skip_blanks()
        if not char:
            break
        if char in _REDIRECTING and redirect_ahead(reader):
            redirects.append(read_redirect(reader))
            last = reader.pos
            continue
        if char in META and not (char in "<>" and reader.char(reader.after(reader.pos + 1)) == "("):
            break
        begin = reader.pos
        if not named:
            pieces = read_word(reader, element=True)
            found = _read_assignment(reader, pieces, begin, bool(redirects))
            if found is not None:
                assignments.append(found)
                last = reader.pos
                continue
        else:
            pieces = read_word(reader)
            if declaring and reader.char(reader.pos) == "(":
                last = _read_declared(reader, pieces, begin, words)
                continue
        if not pieces:
            reader.fail("an empty word", begin)
        if reader.text.startswith(("<", ">"), reader.pos) and _names_descriptor(pieces[0]):
            reader.fail("a descriptor is stored in an element of an array", begin)
        if redirects and not named and bare_text(pieces) in RESERVED and (state.shell == "zsh" or reader.reparsed()):
            reader.state.mark_ambiguous("a reserved word behind a redirection, which not every shell reads alike")
        named = True  # also by a word that expands to nothing: after `{,}` nothing is assigned
        words += build_words(reader, pieces, begin)
        last = reader.pos
        if not declaring and words and words[-1].literal in DECLARING and bare_text(pieces) in DECLARING:
            declaring = all(word.literal in LOOKED_THROUGH for word in words[:-1])
    if reader.char(reader.pos) == "(":
        reader.fail("unexpected `(`")
    if not words and not assignments and not redirects:
        reader.fail("a command is missing", start)
    if words or redirects:
        # it applies to this command only, or not at all if a file cannot be opened (dash, mksh)
        mark_uncertain(reader, known, None)
    if assignments or redirects:
        state.rich = True
        state.bare_redirects = state.bare_redirects or (not words and bool(redirects))
    span = reader.span(start, last)
    state.commands[index] = Draft(span, reader.context, words, assignments, redirects)
    if words:
        note_settings(state, words, span)
        note_failing(state, words)


def mark_uncertain(reader: Reader, first: int, blocks: tuple[int, ...] | None) -> None:
    """Marks values from index ``first`` on as uncertain: the assignment may not happen, or not in this shell."""
    given = reader.state.given
    for at in range(first, len(given)):
        if given[at].certain and (blocks is None or given[at].blocks == blocks):
            given[at] = replace(given[at], certain=False)


def _read_assignment(reader: Reader, pieces: list[Piece], start: int, behind_redirect: bool) -> Assignment | None:
    """The assignment in ``pieces``, or ``None``."""
    if not pieces or pieces[0].kind != "literal" or pieces[0].quoted:
        return None
    text = pieces[0].text or ""
    element = reader.element
    if element is not None:
        name = element
        rest = text
    else:
        name = assignment_name(text)
        if not name or text[len(name)] == "[":
            return None
        rest = text[len(name) :]
    append = rest.startswith("+=")
    value_text = rest[2:] if append else rest[1:]
    if append:
        reader.bash_only("+=")
    value = ([Piece("literal", value_text, False)] if value_text else []) + pieces[1:]
    where = reader.where(start)
    if not value and reader.char(reader.pos) == "(":
        if element is not None or behind_redirect:
            reader.fail("unusual array assignment")
        items, values = read_array(reader)
        reader.state.give(name, values, where, reader.blocks, array=True, append=append)
        return Assignment(name, None, reader.span(start, reader.pos), append=append, items=tuple(items))
    if not value:
        value = [Piece("literal", "", False)]
    word = build_word(reader, value, start, split=False, glob=False)
    if ":~" in value_text or any(
        piece.kind == "literal" and not piece.quoted and ":~" in (piece.text or "") for piece in value
    ):
        word = Word(None, word.span, kind="tilde", inner=word.inner, pieces=tuple(value))
    number = all(piece.number or piece.kind == "arithmetic" for piece in value)
    if word.literal is not None and is_integer(word.literal):
        number = True
    at = None if element is None else _index(reader.text, start + len(element))
    number = number and not append
    reader.state.give(name, (tuple(value),), where, reader.blocks, append=append, number=number, element=at)
    return Assignment(name, word, reader.span(start, reader.pos), append=append, subscript=element is not None)


def _read_declared(reader: Reader, pieces: list[Piece], begin: int, words: list[Word]) -> int:
    """Reads ``declare name=(…)`` as one dynamic word."""
    text = bare_text(pieces) or ""
    name = assignment_name(text)
    if not name or text not in (name + "=", name + "+="):
        reader.fail("unexpected `(`")
    opening = reader.pos
    _, values = read_array(reader)
    append = text.endswith("+=")
    reader.state.give(name, values, reader.where(begin), reader.blocks, array=True, append=append)
    array = Piece("mixed", None, True, source=reader.text[opening : reader.pos])
    where = reader.span(begin, reader.pos)
    words.append(Word(None, where, prefix=text, kind="mixed", pieces=(*pieces, array)))
    return reader.pos


def _names_descriptor(first: Piece) -> bool:
    """True if a word is ``{name[…]}``, which receives the descriptor in front of a redirect: bash evaluates it."""
    text = first.text or ""
    return first.kind == "literal" and not first.quoted and text[:1] == "{" and "[" in text


def _index(text: str, opening: int) -> int:
    """The number between the brackets at ``opening``, or -1 if there is none or it is too large."""
    digits = text[opening + 1 : text.find("]", opening)]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else -1
