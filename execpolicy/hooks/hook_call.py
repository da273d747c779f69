"""A tool call that an agent asks its hook about: what it would run and write, and where."""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.errors import UsageError
from execpolicy.programs.names import names_system_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    Shell: TypeAlias = str | tuple[str, ...]
    """A script, or an argv."""

_COMMANDS = ("command", "cmd", "commands", "script", "command_line", "commandLine")
"""Arguments that are shell text, or lists of it."""
_TYPED = ("chars", "input", "text", "data", "keys", "stdin")
"""Arguments that are typed into a shell which was started before."""
_FOLDERS = ("workdir", "cwd", "dir_path", "directory", "working_directory", "workingDirectory", "working_dir")
_ENVIRONMENT = ("env", "environment", "envs")
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "filename", "uri")
_SHELL_WORDS = names(
    "bash sh zsh fish shell shells exec execute terminal console powershell pwsh cmd stdin subprocess process"
)
"""Parts of a tool's name that say that it runs commands."""
_TYPING_WORDS = names("write send type input stdin paste keys")
"""Parts of a shell tool's name that say that it types into what runs already."""
_WRITING_WORDS = names("write edit editor multiedit create patch replace insert append notebookedit writefile")
_EDITOR_WORDS = names("view create write edit read insert str_replace undo_edit append delete rename")
"""What an editor's tool can be told in its ``command``."""
_PATCH_HEADS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/", "+++ ")
_WINDOWS_SHELLS = names("powershell pwsh cmd")


class HookCall:
    """A tool call, as far as it matters to a policy.

    Attributes:
        event: the agent's word for the occasion (``PreToolUse``, ``PermissionRequest``, ``BeforeTool`` …).
        tool: the agent's name for the tool.
        commands: what it would run in a shell, each a script or an argv.
        cwd: the folder that they would run in, or ``None`` if the agent does not say.
        root: the folder that the agent works in, which ``./`` in write rules stands for, or ``None``.
        shell: the name of the shell that reads the scripts, or ``None`` for the user's own.
        writes: the files that it would write, as the agent names them.
        doubts: what keeps it from being allowed, whatever its commands and files are.
        person: whether somebody is there to be asked; ``None`` where the agent does not say.
        skill: the name of the skill that it would load.
    """

    __slots__ = ("commands", "cwd", "doubts", "event", "person", "root", "shell", "skill", "tool", "writes")

    def __init__(
        self,
        event: str,
        tool: str,
        *,
        commands: tuple[Shell, ...] = (),
        cwd: str | None = None,
        root: str | None = None,
        shell: str | None = None,
        writes: tuple[str, ...] = (),
        doubts: tuple[str, ...] = (),
        person: bool | None = None,
        skill: str | None = None,
    ) -> None:
        self.event = event
        self.tool = tool
        self.commands = commands
        self.cwd = cwd
        self.root = root if root is not None else cwd
        self.shell = shell
        self.writes = writes
        self.doubts = doubts
        self.person = person
        self.skill = skill

    @property
    def concerns_us(self) -> bool:
        """Whether there is anything to decide."""
        return bool(self.commands or self.writes or self.doubts or self.skill)


def read_call(
    event: str,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    cwd: str | None,
    person: bool | None,
    is_shell: bool,
    everything: bool = False,
) -> HookCall:
    """The call of ``tool`` with ``arguments``.

    Args:
        is_shell: it is known to be a shell: without a command, the call is broken.
        everything: every text in the arguments is taken for a script (a tool that the settings name).

    Raises:
        UsageError: it is the call of a shell and has no command.
    """
    words = name_words(tool)
    doubts: list[str] = []
    writes = tuple(_written(words, arguments))
    commands = _commands(arguments, doubts)
    if not is_shell and words & _WRITING_WORDS:
        commands = [each for each in commands if not _is_for_an_editor(each)]
    if everything:
        commands += [text for text in _texts(arguments) if text not in commands]
    looks_like_shell = is_shell or bool(words & _SHELL_WORDS)  # `stdin` is one
    if looks_like_shell and not commands:
        typed = _typed(arguments)
        if typed:
            commands.append(typed)
            doubts.append("it is typed into a program that was started before")
        elif is_shell and not words & _TYPING_WORDS:
            raise UsageError(f"the call of `{tool}` has no `command`")
    skill = arguments.get("skill") or arguments.get("command") if tool in ("Skill", "SlashCommand") else None
    if not commands:
        known = skill if isinstance(skill, str) else None
        return HookCall(event, tool, cwd=cwd, writes=writes, doubts=tuple(doubts), person=person, skill=known)
    if skill is not None:
        return HookCall(event, tool, cwd=cwd, person=person, skill=str(skill))
    folder = _folder(arguments, cwd, doubts)
    shell = "powershell" if words & _WINDOWS_SHELLS else _shell(arguments, doubts)
    settings = _settings(arguments, doubts)
    if settings:
        commands = [settings + each if isinstance(each, str) else each for each in commands]
        if not all(isinstance(each, str) for each in commands):
            doubts.append("it runs with variables of its own")
    return HookCall(
        event,
        tool,
        commands=tuple(commands),
        cwd=folder,
        root=cwd,
        shell=shell,
        writes=writes,
        doubts=tuple(doubts),
        person=person,
    )


def name_words(tool: str) -> frozenset[str]:
    """The words in a tool's name: ``mcp__sh__run``, ``runShellCommand`` and ``sh-run`` have several."""
    spaced = "".join([f" {char}" if char.isupper() else char if char.isalnum() else " " for char in tool])
    joined = "".join([char if char.isalnum() else " " for char in tool])
    return frozenset(spaced.lower().split()) | frozenset(joined.lower().split()) | {tool.lower()}


def _commands(arguments: Mapping[str, Any], doubts: list[str]) -> list[Shell]:
    found: list[Shell] = []
    for name in _COMMANDS:
        if name not in arguments:
            continue
        value = arguments[name]
        if name == "commands" and isinstance(value, str) and value.lstrip()[:1] == "[":
            value = _json_in(value)
        if isinstance(value, list) and name == "commands":
            for each in value:
                found += _one_command(each, name, doubts)
        else:
            found += _one_command(value, name, doubts)
    if sum(name in arguments for name in _COMMANDS) > 1 and len(set(found)) > 1:
        doubts.append("it says what to run more than once, and differently")
    return found


def _one_command(value: object, name: str, doubts: list[str]) -> list[Shell]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return [tuple(value)]
    if isinstance(value, dict) and isinstance(value.get("command"), str):
        return [
            value["command"],
            *(_one_command([*map(str, value["args"])], name, doubts) if value.get("args") else []),
        ]
    doubts.append(f"`{name}` is no text")
    return []


def _json_in(text: str) -> object:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _texts(value: object) -> Iterator[str]:
    """Every text in a JSON value."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _typed(arguments: Mapping[str, Any]) -> str:
    texts = [arguments[name] for name in _TYPED if isinstance(arguments.get(name), str)]
    return "\n".join([text for text in texts if text.strip("\x03\x04\r\n\t ")])


def _folder(arguments: Mapping[str, Any], cwd: str | None, doubts: list[str]) -> str | None:
    named = [arguments[name] for name in _FOLDERS if arguments.get(name) not in (None, "")]
    if not named:
        return cwd
    folder = named[0]
    if any(each != folder for each in named) or not isinstance(folder, str) or folder.startswith("~"):
        doubts.append("the folder that it runs in is not known")
        return cwd
    if folder.startswith("/"):
        return folder
    if cwd is None:
        doubts.append("the folder that it runs in is not known")
        return None
    return f"{cwd}/{folder}"


def _shell(arguments: Mapping[str, Any], doubts: list[str]) -> str | None:
    """The shell that the call names."""
    value = arguments.get("shell")
    if value is None or isinstance(value, bool):
        return None
    if not isinstance(value, str):
        doubts.append("its shell is no text")
        return None
    if not names_system_program(value):
        doubts.append(f"its shell `{value}` is not in a system folder: it may be any program")
    return value.rpartition("/")[2]


def _settings(arguments: Mapping[str, Any], doubts: list[str]) -> str:
    """The environment that the call brings, as shell text in front of its commands."""
    from execpolicy.core.quoting import quote

    lines: list[str] = []
    for name in _ENVIRONMENT:
        value = arguments.get(name)
        if not value:
            continue
        pairs = value.items() if isinstance(value, dict) else [str(each).partition("=")[::2] for each in value]
        for key, text in pairs:
            if not (isinstance(text, str) and isinstance(key, str) and key.isidentifier() and key.isascii()):
                doubts.append("it runs with variables that cannot be read")
                continue
            lines.append(f"export {key}={quote(text)}\n")
    return "".join(lines)


def _is_for_an_editor(command: Shell) -> bool:
    """Whether it is what a tool that edits files is told: one of its own words, or a patch."""
    return isinstance(command, str) and (command in _EDITOR_WORDS or command.startswith("*** Begin Patch\n"))


def _written(words: frozenset[str], arguments: Mapping[str, Any]) -> Iterator[str]:
    """The files that a file tool writes."""
    if not words & _WRITING_WORDS or arguments.get("command") in ("view", "read"):
        return
    for name in ("patch", "patchText", "diff", "input", "command"):
        if isinstance(arguments.get(name), str):
            yield from _patched(arguments[name])
    for path in [arguments.get(name) for name in _PATHS]:
        if isinstance(path, str):
            yield path
    for name in ("edits", "files", "paths"):
        value = arguments.get(name)
        for each in value if isinstance(value, list) else ():
            path = each if not isinstance(each, dict) else next((each[key] for key in _PATHS if key in each), None)
            if isinstance(path, str):
                yield path


def _patched(patch: str) -> Iterator[str]:
    """The files that a patch names, in Codex's form or as a unified diff."""
    for line in patch.splitlines():
        head = next((head for head in _PATCH_HEADS if line.startswith(head)), None)
        path = line[len(head) :].partition("\t")[0].strip() if head is not None else "/dev/null"
        if path != "/dev/null":
            yield path
