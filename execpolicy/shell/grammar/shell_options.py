"""Commands that say how the rest of the script is read: shell options, aliases, programs that nobody knows yet."""

from __future__ import annotations

from execpolicy.core.text import word_set
from execpolicy.shell.script import ALIAS, DYNAMIC_PROGRAM, SHELL_OPTION
from execpolicy.shell.vocabulary import DECLARING, NOTED, run_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.grammar.state import State
    from execpolicy.shell.words import Word
    from execpolicy.source import Span

HARMLESS_LETTERS = frozenset("eux")
"""Letters of ``set`` that change nothing of what is run, except that it may stop earlier or be traced."""
HARMLESS_NAMES = frozenset(("errexit", "nounset", "pipefail", "xtrace"))


_REREADING_LETTERS = frozenset("kB")
_REREADING = frozenset(("keyword", "braceexpand", "posix"))
"""Options of ``set`` after which the same text is other words."""
_READ_ALIKE = word_set(
    "-s -u -q -p -su -us nullglob dotglob globstar failglob nocasematch lastpipe inherit_errexit checkwinsize extglob "
    "expand_aliases huponexit histappend cmdhist autocd globskipdots checkjobs execfail interactive_comments "
    "sourcepath xpg_echo cdspell histverify histreedit hostcomplete progcomp progcomp_alias lithist mailwarn direxpand "
    "dirspell force_fignore no_empty_cmd_completion gnu_errfmt cdable_vars complete_fullquote"
)
"""Arguments of ``shopt`` that leave the reading of words alone, or whose new syntax is refused where it stands."""
_FINDING = word_set("-s -u nullglob globstar")
"""Those by which a pattern becomes no word, or more words: it is never taken for a certain number of words. With
``failglob`` it may be an error that drops the rest of the line."""
_SETTINGS = HARMLESS_NAMES | word_set("-s -u -q -o history noclobber noglob")
"""What ``shopt -o`` may name: options of ``set`` that leave the reading of words alone."""


def note_settings(state: State, words: Sequence[Word], span: Span) -> None:
    """Add what the command ``words`` (not empty) says about how the rest of the script is read."""
    program = words[0].literal
    if program is None:
        state.effect(DYNAMIC_PROGRAM, words[0].span, "the program is only known at run time")
    if (words[-1].literal or "").endswith("\\\n") and words[run_here(words)].literal == "eval":
        # bash 5.2 then takes the next line for the rest of a command: a reserved word in it is none.
        state.doubt("`eval` of a text that ends in a line continuation")
    if program not in NOTED:
        return
    at = run_here(words)
    program, arguments = words[at].literal, [word.literal for word in words[at + 1 :]]
    if program == "set":
        if not _harmless_set(arguments):
            if any(text is None or (text[:1] in "-+" and set(text) & _REREADING_LETTERS) for text in arguments) or (
                set(arguments) & _REREADING
            ):
                state.doubt("`set` changes how words are read")
            state.effect(SHELL_OPTION, span, "`set` changes how commands are read or run")
    elif program == "shopt":
        if any(text is None or (text.startswith("-") and text not in ("-p", "-q")) for text in arguments):
            known = _READ_ALIKE if "-o" not in arguments else _SETTINGS
            if not known.issuperset(arguments):
                state.doubt("`shopt` changes how words are read")
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
    """Note what may make later expansions fail: a function whose body may, a variable that is read-only from now on."""
    if state.failing and words[0].literal in state.functions:
        state.may_fail()
    builtin = words[run_here(words)].literal
    if builtin in DECLARING:
        marked = any(word.literal is None or (word.literal[:1] == "-" and "r" in word.literal) for word in words)
        state.freezes = state.freezes or marked or builtin == "readonly"
