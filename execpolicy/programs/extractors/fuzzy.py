"""Fuzzy finders: what they show beside an item is printed by a command, and keys are bound to commands.

Source: the manual of fzf 0.65. A placeholder (``{}``, ``{1}``, ``{+}``, ``{q}``) becomes a quoted text, one or several.
"""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import UNKNOWN_INPUT, Inner, run_text, run_unknown
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import run_word
from execpolicy.shell.script import Command

_TEXTS = word_set("--preview --with-shell --info-command --bind")
"""Options whose value holds commands; that of ``--bind`` in the actions of keys."""
_PURE = word_set(
    "abort accept accept-non-empty accept-or-print-query backward-char backward-delete-char backward-delete-char/eof "
    "backward-kill-word backward-word beginning-of-line cancel clear-screen clear-selection close clear-query "
    "delete-char delete-char/eof deselect deselect-all disable-search down down-match down-selected enable-search "
    "end-of-line exclude exclude-multi first forward-char forward-word half-page-down half-page-up hide-header "
    "hide-preview hide-input ignore jump kill-line kill-word last next-history next-selected offset-down offset-middle "
    "offset-up page-down page-up preview-bottom preview-down preview-half-page-down preview-half-page-up "
    "preview-page-down preview-page-up preview-top preview-up prev-history prev-selected previous-history print-query "
    "refresh-preview replace-query select select-all show-header show-preview show-input toggle toggle-all toggle-bind "
    "toggle-header toggle-hscroll toggle-in toggle-input toggle-multi-line toggle-out toggle-preview "
    "toggle-preview-wrap toggle-search toggle-sort toggle-track toggle-track-current toggle-wrap toggle+down toggle+up "
    "top track track-current unix-line-discard unix-word-rubout untrack-current up up-match up-selected wait yank "
    "backward-subword forward-subword best"
)
"""Actions that move, choose or show, and take no argument."""
_OBEYED = word_set("transform bg-transform")
"""Actions that obey what their command prints, which are actions again."""
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


def fuzzy(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """What a fuzzy finder runs by ``--preview`` and on keys (``--bind 'enter:execute(rm {})'``)."""
    words = command.words
    for at, word in enumerate(words[1:], 1):
        text = word.prefix
        option, equals, value = text.partition("=")
        if option not in _TEXTS:
            continue
        if equals and word.literal is None:
            yield run_unknown(name, command, UNKNOWN_INPUT)
            continue
        held = value if equals else words[at + 1].literal if at + 1 < len(words) else ""
        if held is None:
            yield from run_word(name, command, facts, words[at + 1])
        elif option != "--bind":
            yield _run(held, name, command)
        else:
            yield from [_run(each, name, command) for each in _bound(held)]


def _run(text: str | None, name: str, command: Command) -> Inner:
    """What the finder hands to the shell; an item that it puts there without quotes is text of the shell itself."""
    filled = _with_items(text) if text is not None else None
    return run_unknown(name, command, UNKNOWN_INPUT) if filled is None else run_text(name, command, filled)


def _with_items(text: str) -> str | None:
    """``text`` with its placeholders as parameters that only the run knows; ``None`` if one is text of the shell.

    The finder hands the text to ``$SHELL`` with each item in single quotes: one word, or with ``+`` and ``*`` any
    number of them, in whatever shell that is. ``"$1"`` and ``"$@"`` say so to every one. Without quotes (``{r}``) an
    item is text, and so it is where its quotes meet others: ``"{}"`` and ``'{}'`` run what ``a$(date)`` says.
    """
    kept: list[str] = []
    at = 0
    while at < len(text):
        close = text.find("}", at) if text[at] == "{" and text[at - 1 : at] not in ("$", "\\") else -1
        inside = text[at + 1 : close] if close > 0 else "-"
        if close > 0 and inside.strip("+*sfqnr0123456789.,:-") == "":
            if "r" in inside or not _stands_free(text[:at]):
                return None
            kept.append('"$@"' if "+" in inside or "*" in inside else '"$1"')
            at = close + 1
        else:
            kept.append(text[at])
            at += 1
    return "".join(kept)


def _stands_free(before: str) -> bool:
    """Whether what follows ``before``, text of a shell, is in no quotes, backquotes, comment or here-document."""
    quotes = [""]  # by depth of `$(…)`
    at = 0
    while at < len(before):
        char = before[at]
        if char == "\\" and quotes[-1] != "'":
            at += 1
        elif quotes[-1] != "'" and before.startswith("$(", at):
            quotes.append("")
            at += 1
        elif quotes[-1]:
            quotes[-1] = "" if char == quotes[-1] else quotes[-1]
        elif char in "'\"":
            quotes[-1] = char
        elif char in "`#" or before.startswith("<<", at):
            return False
        elif char == ")" and len(quotes) > 1:
            quotes.pop()
        at += 1
    return not quotes[-1]


def _bound(text: str) -> list[str | None]:
    """The commands of a list of bindings; what is not understood may be one, and whatever else (``None``)."""
    found: list[str | None] = []
    rest = text
    while rest:
        _, colon, actions = rest[1:].partition(":")  # a key may be `:` or `,` itself
        if not colon:
            return [*found, rest, None]
        rest = actions
        while True:
            end = len(rest) - len(rest.lstrip("abcdefghijklmnopqrstuvwxyz-/"))
            action, behind = rest[:end], rest[end:]
            if behind[:1] not in ("", ",", "+"):
                argument, behind = _argument(behind)
                if argument is None or action in _OBEYED:
                    return [*found, rest, None]
                found.append(argument)
            elif action not in _PURE:
                return [*found, rest, None]
            rest = behind[1:]
            if behind[:1] != "+":
                break
    return found


def _argument(text: str) -> tuple[str | None, str]:
    """The argument that ``text`` begins with, and what follows it: in brackets, or all of it behind a colon."""
    if text[0] == ":":
        return text[1:], ""
    close = _CLOSING.get(text[0], text[0])
    at = 1
    while at < len(text):
        at = text.find(close, at)
        if at < 0:
            return None, ""
        if text[at + 1 : at + 2] in ("", "+", ","):
            return text[1:at], text[at + 1 :]
        at += 1
    return None, ""
