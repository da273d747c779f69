"""Finds a patch in a command: ``apply_patch PATCH``, or a script that is nothing but a call of ``apply_patch``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from execpolicy.codex.split import parse_script, shell_script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

_NAMES = frozenset({"apply_patch", "applypatch"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchCall:
    """A command that asks for a patch.

    Attributes:
        patch: its text, not yet parsed.
        cwd: the absolute folder that its paths are taken from.
        explicit: false for a patch given where a command belongs; that is a mistake to report, not a call.
    """

    patch: str
    cwd: str
    explicit: bool = True


def find_patch(command: Sequence[str], *, cwd: str) -> PatchCall | None:
    """The patch that ``command`` asks for; ``None`` if it is some other command.

    Accepted are ``[apply_patch, PATCH]`` and the scripts ``apply_patch <<'EOF'…`` and
    ``cd DIR && apply_patch <<'EOF'…`` with nothing in front or behind. The here-document is taken as written, also
    where its delimiter is not quoted.
    """
    if len(command) == 2 and command[0] in _NAMES:
        return PatchCall(patch=command[1], cwd=cwd)
    script = shell_script(command)
    if script is None:
        if len(command) == 1 and command[0].lstrip().startswith("*** Begin Patch"):
            return PatchCall(patch=command[0], cwd=cwd, explicit=False)
        return None
    if script.lstrip().startswith("*** Begin Patch"):
        return PatchCall(patch=script, cwd=cwd, explicit=False)
    return _in_script(script, cwd)


def _in_script(script: str, cwd: str) -> PatchCall | None:
    if not any(name in script for name in _NAMES):
        return None
    root, data = parse_script(script)
    if root.has_error or root.named_child_count != 1:
        return None
    statement = root.named_children[0]
    if statement.type != "redirected_statement" or statement.named_child_count != 2:
        return None
    body, redirect = statement.named_children
    heredoc = _heredoc(redirect, data)
    if heredoc is None:
        return None
    if body.type == "command":
        return PatchCall(patch=heredoc, cwd=cwd) if _words(body, data) in [[name] for name in _NAMES] else None
    if body.type != "list" or [child.type for child in body.children] != ["command", "&&", "command"]:
        return None
    first, second = body.named_children
    moved = _words(first, data)
    if _words(second, data) not in [[name] for name in _NAMES] or moved is None or len(moved) != 2 or moved[0] != "cd":
        return None
    if moved[1].startswith("-") or not moved[1]:
        return None
    return PatchCall(patch=heredoc, cwd=os.path.normpath(os.path.join(cwd, moved[1])))


def _heredoc(redirect: Node, data: bytes) -> str | None:
    """The text of a plain ``<<`` here-document, or ``None``."""
    if redirect.type != "heredoc_redirect" or [child.type for child in redirect.children][:1] != ["<<"]:
        return None
    kinds = [child.type for child in redirect.named_children]
    if kinds != ["heredoc_start", "heredoc_body", "heredoc_end"]:
        return None
    node = redirect.named_children[1]
    return data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")


def _words(command: Node, data: bytes) -> list[str] | None:
    """The words of a command without redirections, assignments or anything to expand; ``None`` otherwise."""
    words: list[str] = []
    for child in command.named_children:
        node = child.named_children[0] if child.type == "command_name" else child
        text = data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")
        if node.type == "word" and not any(mark in text for mark in "\\*?[{~$`="):
            words.append(text)
        elif node.type == "raw_string" or (node.type == "string" and not any(mark in text for mark in "\\$`")):
            words.append(text[1:-1])
        else:
            return None
    return words
