"""A tool call that an agent sends to its hook: its commands, the files that it would write, and its directory."""

from __future__ import annotations

from execpolicy.core.quoting import quote
from execpolicy.core.text import words_in
from execpolicy.errors import UsageError
from execpolicy.hooks import other_tools
from execpolicy.programs.names import names_system_program
from execpolicy.resources import word_lists
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

Shell: TypeAlias = "str | tuple[str, ...]"
"""A script, or an argv."""


_WORDS = word_lists("tool_words.txt")
_COMMANDS, _HARMLESS = _WORDS["commands"], _WORDS["harmless"]
_TYPED = ("chars", "input", "text", "data", "keys", "stdin")
"""Arguments that are typed into a shell that is already running."""
_PRESSED = "\x03\x04\r\n\t "
"""Keys that type no text."""


@value
class HookCall:
    """A tool call, as far as it matters to a policy.

    Attributes:
        event: the agent's word for the occasion (``PreToolUse``, ``PermissionRequest``, ``BeforeTool`` …).
        tool: the agent's name for the tool.
        commands: the commands that it would run in a shell, each a script or an argv.
        cwd: their working directory, or ``None`` if the agent does not name it.
        root: the folder that the agent works in, which ``./`` in write rules means, or ``None``.
        shell: the name of the shell that reads the scripts, or ``None`` for the user's own.
        writes: the files that it would write, as the agent names them.
        doubts: reasons against an allow that do not depend on its commands and files.
        person: True if a person is present to answer; ``None`` where the agent does not say.
        skill: the name of the skill that it would load.
        foreign: no known agent has a tool of this name: its effect on files, other than writing them, is unknown.
        arguments: the arguments as the tool receives them.
        session: the agent's name for its session, or empty.
        mode: the agent's name for its mode of permissions, or empty.
    """

    event: str
    tool: str
    _: KW_ONLY
    commands: tuple[Shell, ...] = ()
    cwd: str | None = None
    root: str | None = None
    shell: str | None = None
    writes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    person: bool | None = None
    skill: str | None = None
    foreign: bool = False
    arguments: Mapping[str, Any] = {}
    session: str = ""
    mode: str = ""

    @property
    def has_actions(self) -> bool:
        """True if there is anything to decide."""
        return bool(self.commands or self.writes or self.doubts or self.skill)

    @property
    def terminal(self) -> bool:
        """True if the commands run in a terminal, where some open a pager."""
        return bool(self.arguments.get("tty")) or not _WORDS["terminal"].isdisjoint(name_words(self.tool))

    @property
    def is_first(self) -> bool:
        """True for the agent's first question about the call; False for the one that it puts to its user."""
        return self.event.lower() != "permissionrequest"


def read_call(
    event: str,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    cwd: str | None,
    person: bool | None,
    session: str = "",
    mode: str = "",
    is_shell: bool,
    everything: bool = False,
    of_agent: bool = False,
    doubts: tuple[str, ...] = (),
) -> HookCall:
    """The call of ``tool`` with ``arguments``.

    Args:
        is_shell: it is known to be a shell: without a command, the call is malformed.
        everything: every text in the arguments is read as a script (a tool that the settings name).
        of_agent: the agent wrote ``arguments``, not the model, and may add fields of its own to the command.
        doubts: further reasons against an allow.

    Raises:
        UsageError: it is the call of a shell and has no command.
    """
    words = name_words(tool)
    known = _Arguments(arguments)
    found, commands = known.doubts, known.commands
    other = None
    if not is_shell:
        other = other_tools.OtherTool(tool, words, arguments)
        commands = other.without_editing(commands)
        inner = [] if everything or other.edits else other.inner_commands(known.unknown, is_command=_is_command)
        if inner:
            commands += inner
            found.append("a call inside its arguments runs something")
    if everything:
        commands += [text for text in texts_in(arguments) if text not in commands]
    if not commands:
        commands = _unnamed_commands(tool, words, arguments, known.unknown, is_shell, found)
    elif known.unknown and not (everything or of_agent):
        found.append(f"the effect of its argument `{next(iter(known.unknown))[:80]}` is unknown")
    skill = _skill(tool, arguments)
    commands = commands if skill is None else []
    return HookCall(  # reading its folder and its shell may add to the doubts
        event,
        tool,
        commands=known.with_settings(commands),
        cwd=known.folder(cwd) if commands else cwd,
        root=cwd,
        shell=None if not commands else "powershell" if words & _WORDS["windows-shells"] else known.shell(),
        writes=() if other is None else other.writes(),
        doubts=(*found, *doubts),
        person=person,
        skill=skill or None,
        foreign=other is not None and other.is_foreign,
        arguments=arguments,
        session=session,
        mode=mode,
    )


def _skill(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """The name of the skill that a call loads, empty if it is no text; ``None`` for other tools."""
    given = arguments.get("skill") or arguments.get("command") if tool in ("Skill", "SlashCommand") else None
    return given if given is None or isinstance(given, str) else ""


class _Arguments:
    """The arguments of a call, by purpose."""

    __slots__ = ("_folders", "_settings", "_shells", "commands", "doubts", "unknown")

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.commands: list[Shell] = []
        self.doubts: list[str] = []
        self.unknown: dict[str, Any] = {}
        self._folders: list[object] = []
        self._shells: list[object] = []
        self._settings = ""
        mentions = 0
        for name, given in arguments.items():
            plain = name if name in _COMMANDS or name in _HARMLESS else _plain(name)
            if plain in _HARMLESS:
                continue
            if (plain in _COMMANDS or _ends_in_command(name)) and not isinstance(given, bool):
                mentions += 1
                self.commands += _commands(name, given, self.doubts)
            elif plain in _WORDS["folders"]:
                self._folders.append(given)
            elif plain in _WORDS["environment"]:
                self._settings += _settings(given, self.doubts)
            elif plain == "shell":
                self._shells.append(given)
            elif given not in (None, "", [], {}):
                self.unknown[name] = given
        if mentions > 1 and len(set(self.commands)) > 1:
            self.doubts.append("it says what to run more than once, and differently")

    def with_settings(self, commands: list[Shell]) -> tuple[Shell, ...]:
        """``commands``, each preceded by the variables that the call sets."""
        if self._settings and not all(isinstance(each, str) for each in commands):
            self.doubts.append("it runs with variables of its own")
        return tuple([self._settings + each if isinstance(each, str) else each for each in commands])

    def folder(self, cwd: str | None) -> str | None:
        """The working directory of the commands."""
        named = [each for each in self._folders if each not in (None, "")]
        if not named:
            return cwd
        folder = named[0]
        if isinstance(folder, str) and all(each == folder for each in named):
            if folder.startswith("/"):
                return folder
            if cwd is not None and not folder.startswith("~"):
                return f"{cwd}/{folder}"
        self.doubts.append("the folder that it runs in is not known")
        return cwd

    def shell(self) -> str | None:
        """The shell that the call names."""
        named = [each for each in self._shells if each is not None and not isinstance(each, bool)]
        if not named:
            return None
        shell = named[0]
        if not isinstance(shell, str) or any(each != shell for each in named):
            self.doubts.append("its shell is no text")
            return None
        if not names_system_program(shell):
            self.doubts.append(f"its shell `{shell}` is not in a system folder: it may be any program")
        return shell.rpartition("/")[2]


def name_words(tool: str) -> frozenset[str]:
    """The words in a tool's name: ``mcp__sh__run``, ``runShellCommand`` and ``sh-run`` have several."""
    return frozenset(words_in(tool)) | frozenset(words_in(tool.lower())) | {tool.lower()}


def texts_in(value: object) -> Iterator[str]:
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


def _unnamed_commands(
    tool: str,
    words: frozenset[str],
    arguments: Mapping[str, Any],
    unknown: Mapping[str, Any],
    is_shell: bool,
    doubts: list[str],
) -> list[Shell]:
    """The commands of a tool that is named like a shell but has no argument for a command."""
    runs = is_shell or (bool(words & _WORDS["shell"]) and not words & _WORDS["other"])
    typed = _typed(arguments) if runs or words & _WORDS["running"] else ""
    if typed:
        doubts.append("it is typed into a program that was started before")
        return [typed]
    if not runs or words & _WORDS["quiet"] or arguments.get("action") in _WORDS["quiet"]:
        return []
    if is_shell and not words & _WORDS["typing"]:
        raise UsageError(f"the call of `{tool}` has no `command`")
    found: list[Shell] = [text for text in texts_in(dict(unknown)) if text.strip(_PRESSED)]
    if found:
        doubts.append("what it runs is unknown")
    return found


def _is_command(name: str) -> bool:
    """True if an argument called ``name`` holds a command."""
    return _plain(name) in _COMMANDS or _ends_in_command(name)


def _plain(name: str) -> str:
    return "".join([char for char in name if char.isalnum()]).lower()


def _ends_in_command(name: str) -> bool:
    words = words_in(name)[-2:]
    return words == ["command", "line"] or (bool(words) and words[-1] in _WORDS["last-words"])


def _commands(name: str, given: object, doubts: list[str]) -> list[Shell]:
    many = name[-1:].lower() == "s"
    if many and isinstance(given, str) and given.lstrip()[:1] == "[":
        given = other_tools.json_in(given) or given
    found: list[Shell] = []
    for each in given if many and isinstance(given, list) else [given]:
        found += _one_command(each, name, doubts)
    return found


def _one_command(given: object, name: str, doubts: list[str]) -> list[Shell]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, list) and given and all(isinstance(word, str) for word in given):
        return [tuple(given)]
    if isinstance(given, dict) and isinstance(given.get("command"), str):
        others = [key for key in given if key not in ("command", "args") and _plain(key) not in _HARMLESS]
        if others:
            doubts.append(f"the effect of its argument `{others[0][:80]}` is unknown")
        arguments = _one_command([*map(str, given["args"])], name, doubts) if given.get("args") else []
        return [given["command"], *arguments]
    doubts.append(f"`{name}` is no text")
    return []


def _typed(arguments: Mapping[str, Any]) -> str:
    texts = [arguments[name] for name in _TYPED if isinstance(arguments.get(name), str)]
    return "\n".join([text for text in texts if text.strip(_PRESSED)])


def _settings(value: object, doubts: list[str]) -> str:
    """The environment that the call sets, as shell text to precede its commands."""
    if not value:
        return ""
    if not isinstance(value, dict | list):
        doubts.append("it runs with variables that cannot be read")
        return ""
    lines: list[str] = []
    pairs = value.items() if isinstance(value, dict) else [str(each).partition("=")[::2] for each in value]
    for key, text in pairs:
        if not (isinstance(text, str) and isinstance(key, str) and key.isidentifier() and key.isascii()):
            doubts.append("it runs with variables that cannot be read")
            continue
        lines.append(f"export {key}={quote(text)}\n")
    return "".join(lines)
