"""What agents call the same tool, and the permission that speaks for it.

Source: seed 002 (``EDIT_TOOLS``, "Rule Sources"), seed 001 ("tool categories"), seed 003 (handler names of the shell
tool), seed 004 (``shell.exec``), and https://opencode.ai/docs/permissions for the names of permissions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise

from execpolicy.permissions.tool_sections import section_of

SHELL_NAMES = frozenset({"bash", "shell", "shell.exec", "container.exec", "local_shell"})
"""Names of tools that run a shell command; the permission ``bash`` speaks for all of them."""

EDIT_TOOLS = frozenset({"edit", "write", "patch", "multiedit", "apply_patch"})
"""Tools that the permission ``edit`` speaks for. Source: opencode; older versions have ``patch``, newer
``apply_patch``."""

EXTERNAL_DIRECTORY, DOOM_LOOP = "external_directory", "doom_loop"

_OTHERS = frozenset({
    "read", "grep", "glob", "list", "ls", "task", "skill", "lsp", "todoread", "todowrite", "webfetch", "fetch",
    "websearch", "codesearch", "question", "bash_output", "kill_bash", "todo", "askuserquestion",
    EXTERNAL_DIRECTORY, DOOM_LOOP,
})  # fmt: skip
_KNOWN = SHELL_NAMES | EDIT_TOOLS | _OTHERS


def folded(name: str) -> str:
    """``name`` without capitals and blanks around it."""
    return name.strip().casefold()


def permission_of(tool: str) -> str:
    """The permission that speaks for a tool of this name: ``bash``, ``edit``, a known name, or the name itself."""
    known = folded(tool)
    if known in SHELL_NAMES:
        return "bash"
    if known in EDIT_TOOLS:
        return "edit"
    return known if known in _KNOWN else tool


@dataclass(frozen=True, slots=True)
class ToolNames:
    """What rules may call one tool.

    Attributes:
        granting: a rule for one of these speaks for the tool.
        restricting: a rule for one of these may mean it as well: it can deny, or ask, and never grants.
    """

    granting: tuple[str, ...]
    restricting: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """Both."""
        return (*self.granting, *self.restricting)

    def meaning(self, other: ToolNames) -> ToolNames:
        """The names of a tool that is called so and means ``other``: only rules for that can grant it."""
        restricting = (*other.restricting, *self.all)
        return ToolNames(other.granting, _unique([name for name in restricting if name not in other.granting]))


def names_of(tool: str, *, shell_tools: Collection[str] = ()) -> ToolNames:
    """The names of ``tool``.

    Known tools go by all names of their group, however they are capitalised. A tool that is only spelled differently,
    has a namespace in front (``fs.write``), or is called so by some agent (``write_file``), may be the same: rules for
    that restrict it.

    Args:
        shell_tools: the session's own names of tools that run commands.
    """
    plain = folded(tool)
    tail = plain.rpartition(".")[2].rpartition("__")[2]
    granting = (tool, *_group(plain, shell_tools))
    restricting = (plain, tail, *_group(tail, shell_tools), *_group(section_of(tool) or "", shell_tools))
    return ToolNames(_unique(granting), _unique([name for name in restricting if name not in granting]))


def _group(name: str, shell_tools: Collection[str]) -> tuple[str, ...]:
    shells = {*SHELL_NAMES, *map(folded, shell_tools)}
    for group in (shells, EDIT_TOOLS):
        if name in group:
            return (name, *sorted(group))
    return (name,) if name in _KNOWN else ()


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def meant(permission: str) -> str | None:
    """The known permission that ``permission`` misspells (by one letter, or two that changed places), or ``None``."""
    plain = folded(permission)
    if plain in _KNOWN or len(plain) < 4 or any(char in plain for char in "*?."):
        return None
    return next((known for known in sorted(_KNOWN) if len(known) > 3 and _one_slip(plain, known)), None)


def _one_slip(word: str, known: str) -> bool:
    if len(word) == len(known):
        wrong = [at for at, (one, other) in enumerate(zip(word, known, strict=True)) if one != other]
        if len(wrong) == 1:
            return True
        return any(
            wrong == [a, b] and word[a] == known[b] and word[b] == known[a] for a, b in pairwise(range(len(word)))
        )
    long, short = (word, known) if len(word) > len(known) else (known, word)
    return len(long) == len(short) + 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
