"""A shell command as a permission request: one pattern for each command that it runs, and what *always* would allow.

Source: seed 002, comparison table ("Tree-sitter for bash command parsing"); opencode asks about the text of every
command in a script. Ours are read by the project's reader, so that what a wrapper, a substitution or a quote hides is a
pattern of its own. What is no command is one too, in a form that no pattern for a command matches by accident:
``> FILE`` for a file that is written, ``(unreadable) SCRIPT`` for a script that cannot be read whole. A command with an
assignment that may change what runs is a pattern with it (``LD_PRELOAD=./x.so git status``), and one without.
"""

from __future__ import annotations

from execpolicy.amend.prefix import reusable_prefix
from execpolicy.amend.validate import why_not_savable
from execpolicy.core.quoting import join
from execpolicy.judge.reading import read_command
from execpolicy.permissions.judged import NO_FILE, ShellCommandReader
from execpolicy.permissions.request import PermissionRequest, Shell, ToolCall
from execpolicy.programs.shelf import facts_of
from execpolicy.shell.script import Command, Script
from execpolicy.validators import command as shell_command
from execpolicy.validators import text


def shell_request(
    session_id: str, command: Shell, *, permission: str = "bash", shell: str = "bash", tool: ToolCall | None = None
) -> PermissionRequest:
    """What a tool asks before it runs ``command``."""
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
    """What ``command`` would touch, and the wildcards that *always* would add.

    The second holds a prefix with `` *`` behind it where it is known what of a command says what is done, else the
    exact command. It is empty when *always* could grant more than was shown: a word that is only known at run time, a
    wrapper, a function, an assignment that may change what runs, a file that is written, a script that is not
    understood, or text that would itself act as a wildcard.
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
    known = all(None not in argv for argv in reading.commands)
    wraps = len(reading.commands) != len(script.commands)
    # the name of a function means something else in the next script
    defines = any(part.startswith("function") for command in script.commands for part in command.context)
    if (
        writes
        or assigned
        or wraps
        or defines
        or not known
        or reading.unreadable is not None
        or facts.effects
        or not reading.commands
    ):
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
    """The words as a shell would read them; one that is only known at run time is ``$…``."""
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
