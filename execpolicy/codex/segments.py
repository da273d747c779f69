"""Codex's view of an argv: the commands that it applies rules to, and those that it searches for danger.

This is a model of another program as measured, blind spots included: this project parses scripts in
``execpolicy.shell``. Measured on 265 recorded scripts (``tests/data/peer/codex_segments.jsonl``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal, TypeAlias

from execpolicy.codex.shell_call import shell_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Language, Node

Argv: TypeAlias = tuple[str, ...]
Danger: TypeAlias = Literal["forced-rm", "other"]

_PLAIN_NODES = frozenset({
    "program", "list", "pipeline", "command", "command_name", "word", "number", "string", "string_content",
    "raw_string", "concatenation",
})  # fmt: skip
_PLAIN_TOKENS = frozenset({"&&", "||", ";", "|", '"', "'"})

_NOT_LITERAL = frozenset("{}*?[]\\~^#$`")
"""Characters that make an unquoted word non-literal for Codex."""

_ESCAPE = re.compile(r'\\[$`"\\\n]')
_MAX_WRAPPERS = 8

_language: Language | None = None


def codex_commands(argv: Sequence[str]) -> tuple[Argv, ...]:
    """The commands that rules are applied to: those of a plain script, else ``argv`` itself as the only one."""
    script = shell_script(argv)
    commands = None if script is None else _plain_commands(script)
    return commands or (tuple(argv),)


def codex_literal_commands(argv: Sequence[str]) -> tuple[Argv, ...]:
    """Every command anywhere in a script with a literal name, with its literal words only.

    Empty if ``argv`` is no shell call or the script has a syntax error.
    """
    script = shell_script(argv)
    if script is None:
        return ()
    root, data = parse_script(script)
    if root.has_error:
        return ()
    commands = [_words(node, data, plain=False) for node in _walk(root) if node.type == "command"]
    return tuple([words for words in commands if words])


def codex_dangerous(argv: Sequence[str]) -> Danger | None:
    """``forced-rm`` for a forced ``rm`` that Codex finds, ``other`` if wrappers are nested too deep to decide."""
    return _dangerous(tuple(argv), 0)


def _dangerous(argv: Argv, depth: int) -> Danger | None:
    if depth > _MAX_WRAPPERS:
        return "other"
    if not argv:
        return None
    program = argv[0][argv[0].rfind("/") + 1 :]
    if program == "rm":
        if _is_forced(argv[1:]):
            return "forced-rm"
    elif program == "sudo":
        return _dangerous(argv[1:], depth + 1)
    elif program == "env":
        return _dangerous(_behind_env(argv[1:]), depth + 1)
    elif program == "trap":
        rest = argv[2:] if argv[1:2] == ("--",) else argv[1:]
        if rest and not rest[0].startswith("-"):
            return _dangerous(("sh", "-c", rest[0]), depth + 1)
        return None
    for command in codex_literal_commands(argv):
        danger = _dangerous(command, depth + 1)
        if danger is not None:
            return danger
    return None


def _is_forced(arguments: Argv) -> bool:
    options = takewhile(lambda word: word != "--", arguments)
    return any(word == "--force" or (word[:1] == "-" and word[:2] != "--" and "f" in word) for word in options)


def _behind_env(arguments: Argv) -> Argv:
    """The command that ``env`` runs, according to Codex: it does not skip options other than ``-i``."""
    for at, word in enumerate(arguments):
        if word == "--":
            return arguments[at + 1 :]
        assigns = "=" in word and not word.startswith(("=", "-"))
        if word not in ("-i", "--ignore-environment") and not assigns:
            return arguments[at:]
    return ()


def parse_script(script: str) -> tuple[Node, bytes]:
    """The syntax tree of ``script`` and the bytes that its offsets count, as Codex's parser sees them."""
    global _language
    from tree_sitter import Language, Parser

    if _language is None:
        import tree_sitter_bash

        _language = Language(tree_sitter_bash.language())
    data = script.encode("utf-8", "surrogatepass")
    return Parser(_language).parse(data).root_node, data  # a parser of its own, because threads cannot share one


def _walk(root: Node) -> Iterator[Node]:
    """Every node in source order, without recursion: scripts may be nested deeper than Python's stack."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def _plain_commands(script: str) -> tuple[Argv, ...] | None:
    root, data = parse_script(script)
    if root.has_error:
        return None
    commands: list[Argv] = []
    for node in _walk(root):
        kind = node.type
        if not node.is_named:
            if kind.strip() and kind not in _PLAIN_TOKENS:
                return None
        elif kind not in _PLAIN_NODES:
            return None
        elif kind == "command":
            words = _words(node, data, plain=True)
            if words is None:
                return None
            commands.append(words)
    return tuple(commands)


def _words(command: Node, data: bytes, *, plain: bool) -> Argv | None:
    """The literal words of a command; ``None`` if its name, or in a ``plain`` command any word, is not literal."""
    words: list[str] = []
    for child in command.named_children:
        name = child.named_child(0) if child.type == "command_name" else None
        if name is not None:
            word = _literal(name, data) if name.type == "word" or not plain else None
        else:
            word = _literal(child, data) if plain or words else None
        if word is not None:
            words.append(word)
        elif plain or name is not None:
            return None
    return tuple(words)


def _literal(node: Node, data: bytes) -> str | None:
    """The text of a word without expansions, quotes removed; ``None`` for any other node."""
    kind = node.type
    if kind in ("word", "number"):
        text = _text(node, data)
        return None if text.startswith("=") or not _NOT_LITERAL.isdisjoint(text) else text
    if kind == "raw_string":
        return _text(node, data)[1:-1]
    if kind == "string":
        return _double_quoted(node, data)
    if kind == "concatenation":
        pieces = [_literal(piece, data) for piece in node.named_children]
        whole = [piece for piece in pieces if piece is not None]
        return "".join(whole) or None if len(whole) == len(pieces) else None
    return None


def _double_quoted(node: Node, data: bytes) -> str | None:
    if any(child.type != "string_content" for child in node.named_children):
        return None
    text = _text(node, data)
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return None
    inner = text[1:-1]
    return None if _ESCAPE.search(inner) else inner


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")
