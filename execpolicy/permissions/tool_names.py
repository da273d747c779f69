"""A shell command as a permission request, and the names of tools as permissions.

Every command that a script runs is a pattern, also inside a wrapper, a substitution or a quote. Other effects are
patterns in a form that no pattern for a command matches by accident: ``> FILE`` for a file that is written,
``(unreadable) SCRIPT`` for a script that cannot be fully parsed. A command with an assignment that may change what runs
has two patterns: with the assignment (``LD_PRELOAD=./x.so git status``) and without it.

Sources: seed 001 ("tool categories"), seed 002 (``EDIT_TOOLS``, "Rule Sources"), seed 003 (handler names of the shell
tool), seed 004 (``shell.exec``); https://opencode.ai/docs/permissions; names that agents are known to use.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise

from execpolicy.amend.preview import reusable_prefix, why_not_savable
from execpolicy.core.quoting import join
from execpolicy.judge.reading import read_command
from execpolicy.permissions.judged import NO_FILE, ShellCommandReader
from execpolicy.permissions.request import PermissionRequest, Shell, ToolCall
from execpolicy.programs.catalog import facts_of
from execpolicy.resources import word_lists
from execpolicy.shell.script import Command, Script
from execpolicy.validators import command as shell_command
from execpolicy.validators import text

_SECTIONS = dict(word_lists("tools.txt"))
OWN_WRITERS = _SECTIONS.pop("writers")
"""The names that agents give their own tools that only write files."""


def _plain(name: str) -> str:
    """``name`` case-folded and without the separators between its words."""
    return "".join(char for char in name.casefold() if char not in "_-. ")


_SECTION = {_plain(called): section for section, all_of in _SECTIONS.items() for called in (section, *all_of)}
_SECTION.update(dict.fromkeys(map(_plain, OWN_WRITERS), "edit"))


def section_of(tool: str) -> str | None:
    """The section for calls of ``tool``, in any spelling of its word breaks; ``None`` if only its own name applies.

    A server's tool is looked up by the part after the server's name.
    """
    names = (tool, tool.rpartition(".")[2], tool.rpartition("__")[2])
    return next((_SECTION[plain] for plain in map(_plain, names) if plain in _SECTION), None)


SHELL_NAMES = frozenset({"bash", "shell", "shell.exec", "container.exec", "local_shell"})
"""Names of tools that run a shell command; the permission ``bash`` applies to all of them."""

EDIT_TOOLS = frozenset({"edit", "write", "patch", "multiedit", "apply_patch"})
"""Tools that the permission ``edit`` applies to. Source: opencode; older versions have ``patch``, newer
``apply_patch``.
"""

EXTERNAL_DIRECTORY, DOOM_LOOP = "external_directory", "doom_loop"

_OTHERS = frozenset({
    "read", "grep", "glob", "list", "ls", "task", "skill", "lsp", "todoread", "todowrite", "webfetch", "fetch",
    "websearch", "codesearch", "question", "bash_output", "kill_bash", "todo", "askuserquestion",
    EXTERNAL_DIRECTORY, DOOM_LOOP,
})  # fmt: skip
_KNOWN = SHELL_NAMES | EDIT_TOOLS | _OTHERS


def folded(name: str) -> str:
    """``name`` case-folded and without blanks around it."""
    return name.strip().casefold()


def permission_of(tool: str) -> str:
    """The permission that applies to a tool of this name: ``bash``, ``edit``, a known name, or the name itself."""
    known = folded(tool)
    if known in SHELL_NAMES:
        return "bash"
    if known in EDIT_TOOLS:
        return "edit"
    return known if known in _KNOWN else tool


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The names under which rules apply to one tool.

    Attributes:
        granting: names whose rules apply to the tool.
        restricting: names that may mean the tool as well: their rules can deny or ask, but never grant.
    """

    granting: tuple[str, ...]
    restricting: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """The granting names, followed by the restricting names."""
        return (*self.granting, *self.restricting)

    def meaning(self, other: ToolNames) -> ToolNames:
        """The names of a tool that has these names and acts as ``other``: only rules for ``other`` can grant it."""
        restricting = (*other.restricting, *self.all)
        return ToolNames(other.granting, _unique([name for name in restricting if name not in other.granting]))


def names_of(tool: str, *, shell_tools: Collection[str] = ()) -> ToolNames:
    """The names of ``tool``.

    A known tool has all names of its group, in any capitals. Rules for a known tool
    also restrict tools that may be the same: those that differ in spelling only, have a namespace in front
    (``fs.write``), or have a name that some agent uses (``write_file``).

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


def correction_of(permission: str) -> str | None:
    """The known permission that ``permission`` misspells by one letter or two swapped letters, or ``None``."""
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


def shell_request(
    session_id: str, command: Shell, *, permission: str = "bash", shell: str = "bash", tool: ToolCall | None = None
) -> PermissionRequest:
    """The request that a tool makes before it runs ``command``."""
    patterns, always = shell_patterns(command, shell=shell)
    shown = command if isinstance(command, str) else join(tuple(command))
    return PermissionRequest(
        session_id=session_id,
        permission=permission,
        patterns=patterns,
        always=always,
        metadata={"command": shown},
        tool=tool,
    )


def shell_patterns(command: Shell, *, shell: str = "bash") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The patterns of ``command``, and the wildcards that *always* would add.

    A wildcard is a prefix followed by `` *`` if the words that determine the command's action are known, else the exact
    command. There are no wildcards if *always* could grant more than was shown, which is the case for:

    - a word that is only known at run time,
    - a wrapper, or a function,
    - an assignment that may change what runs,
    - a file that is written,
    - a script that is not understood,
    - text that would itself act as a wildcard.
    """
    facts = facts_of(read_command(shell_command(command, "the command"), shell=text(shell, "the shell")))
    script = facts.script
    reader = ShellCommandReader(shell=shell)
    reading, assigned = reader.read(command), reader.assigned(command)
    patterns = {_text(argv): None for argv in reading.commands}
    patterns.update({_with_assignments(each): None for each in assigned})
    writes = written_files(script)
    patterns.update({f"> {target}": None for target in writes})
    if reading.unreadable is not None or not patterns or facts.effects:
        patterns[f"(unreadable) {script.text}"] = None
    unknown = reading.unreadable is not None or any(None in argv for argv in reading.commands)
    wraps = len(reading.commands) != len(script.commands)
    # the name of a function means something else in the next script
    defines = any(part.startswith("function") for command in script.commands for part in command.context)
    if writes or assigned or wraps or defines or unknown or facts.effects or not reading.commands:
        return tuple(patterns), ()
    always: dict[str, None] = {}
    for argv in reading.commands:
        words = tuple([word for word in argv if word is not None])
        prefix = reusable_prefix(words)
        kept = prefix or words
        if why_not_savable(list(kept)) is not None or any(char in word for word in kept for char in "*?\\"):
            return tuple(patterns), ()
        always[f"{_text(kept)} *" if prefix else _text(kept)] = None
    return tuple(patterns), tuple(always)


def _text(argv: tuple[str | None, ...]) -> str:
    """The words in shell syntax; one that is only known at run time is ``$…``."""
    return " ".join([join((word,)) if word is not None else "$…" for word in argv])


def _with_assignments(command: Command) -> str:
    parts: list[str] = []
    for one in command.assignments:
        value = one.value.literal if one.value is not None else None
        parts.append(f"{one.name}{'+' * one.append}={_text((value,))}")
    return " ".join([*parts, _text(command.argv())]).rstrip()


def written_files(script: Script) -> tuple[str, ...]:
    """The files that redirections write."""
    found: dict[str, None] = {}
    for command in script.commands:
        for redirect in command.redirects:
            target = redirect.target.literal
            if redirect.writes and target not in NO_FILE:
                found[target if target is not None else "$…"] = None
    return tuple(found)
