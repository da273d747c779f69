"""Entries of rule files that say what is safe: ``safe_command(…)``."""

from __future__ import annotations

from _collections_abc import Callable, Mapping, Sequence

from execpolicy.core.text import glob_matches
from execpolicy.errors import InvalidRuleError
from execpolicy.safety.checks import boolean, only_keys, several, text, texts
from execpolicy.safety.dangers import DangerousCommand, build_dangerous
from execpolicy.safety.grammar import Alternatives, Grammar, Refusal
from execpolicy.safety.locations import Location
from execpolicy.safety.program_entry import ProgramEntry
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word
from execpolicy.source import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    Judging = Callable[[Alternatives, Sequence[Word], int, list[Location]], tuple[Grammar | None, Refusal | None]]

__all__ = ["SafeCommand", "build_dangerous", "build_safe", "restore"]

_OWN = (
    "name",
    "program",
    "reason",
    "environment",
    "obeys",
    "piped",
    "connects",
    "project",
    "alternatives",
    "disabled",
    "match",
    "not_match",
)


class SafeCommand(ProgramEntry):
    """Ways of calling programs that read, print and leave no trace.

    Attributes:
        obeys: names of configuration files: nothing is accepted if one is in the working directory or above it.
        piped: the entry accepts only calls whose output is no terminal, where they would open a pager, and those that
            turn the pager off, by options or variables that ``piped`` names (``--no-pager X_PAGER=``).
        connects: the programs send their words to another machine: a word only known at run time is not accepted.
        project: the entry accepts only calls that start in the project.
    """

    __slots__ = ("_accepting", "_grammars", "connects", "obeys", "piped", "project")

    kind = "safe_command"

    def __init__(self, arguments: Mapping[str, object], place: Place | None = None) -> None:
        ProgramEntry.__init__(self, arguments, place)
        get = arguments.get
        self.obeys = several(get("obeys", ()))
        self.piped = bool(get("piped"))
        self.connects = bool(get("connects"))
        self.project = bool(get("project"))
        self._grammars: Alternatives | None = None
        self._accepting: Judging | None = None  # kept, since to look for a module costs as much as to read a word

    @property
    def environment(self) -> dict[str, tuple[str, ...]]:
        """The values (globs) that each variable in front of these programs may have."""
        written = self.arguments.get("environment")
        return {name: several(values) for name, values in written.items()} if isinstance(written, dict) else {}

    @property
    def grammars(self) -> Alternatives:
        """The alternatives; a call is safe if one of them accepts it."""
        if self._grammars is None:
            self._grammars = _grammars(self.arguments)
        return self._grammars

    def judge(
        self, words: Sequence[Word], located: list[Location] | None = None
    ) -> tuple[Grammar | None, Refusal | None]:
        """The grammar that accepts ``words`` (the program is ``words[0]``), or ``None`` and why none does.

        What must be true of the folders around is added to ``located``.
        """
        if self._accepting is None:
            from execpolicy.safety.acceptance import accepting

            self._accepting = accepting
        return self._accepting(self.grammars, words, 1, [] if located is None else located)

    def opens_no_pager(self, command: Command) -> bool:
        """Whether ``command``, which this entry accepts, turns the pager off by what ``piped`` names."""
        piped = self.arguments.get("piped")
        names = piped.split() if isinstance(piped, str) else ()
        written = [word.literal or "" for word in command.words]
        options = written[: written.index("--")] if "--" in written else written
        return any(word[:1] == "-" and word in names for word in options) or any(
            f"{one.name}=" in names
            and not (one.append or one.subscript)
            and self._says_none(one.name, one.value.literal if one.value else "")
            for one in command.assignments
        )

    def _says_none(self, variable: str, value: str | None) -> bool:
        """Whether ``value`` of a variable that names the pager names none, or one that only prints."""
        return value == "" or (
            value is not None and any(glob_matches(glob, value) for glob in self.environment.get(variable, ()))
        )


def _grammars(arguments: Mapping[str, object]) -> Alternatives:
    from execpolicy.safety.grammar import parse_grammars

    where = f"safe_command `{arguments['name']}`"
    if "alternatives" in arguments:
        return parse_grammars(arguments["alternatives"], f"{where}: alternatives")
    return parse_grammars({key: value for key, value in arguments.items() if key not in _OWN}, where)


def build_safe(arguments: Mapping[str, object], place: Place | None = None) -> SafeCommand:
    """The entry that a call of ``safe_command`` with these keyword arguments describes.

    Raises:
        InvalidRuleError: a parameter is unknown, missing or not of the right shape.
    """
    from execpolicy.safety.grammar import KEYS

    only_keys(arguments, (*_OWN, *KEYS), "safe_command")
    if "name" not in arguments:
        raise InvalidRuleError("safe_command needs a name", help='write `name = "…"`, unique among the entries')
    where = f"safe_command `{text(arguments['name'], 'safe_command: name')}`"
    if boolean(arguments.get("disabled", False), f"{where}: disabled"):
        only_keys(arguments, ("name", "reason", "disabled"), f"{where}, being disabled,")
        return SafeCommand(dict(arguments), place)
    for key in ("program", "reason"):
        if key not in arguments:
            raise InvalidRuleError(f"{where} needs a {key}")
    text(arguments["reason"], f"{where}: reason")
    for program in texts(arguments["program"], f"{where}: program"):
        if "/" in program:
            raise InvalidRuleError(
                f"{where}: program `{program}` is a path", help="write the base name; system folders are understood"
            )
    for key in ("match", "not_match"):
        texts(arguments.get(key, ()), f"{where}: {key}")
    for file in texts(arguments.get("obeys", ()), f"{where}: obeys"):
        if not file or "/" in file:
            raise InvalidRuleError(
                f"{where}: obeys names files, and `{file}` is none", help="write it without a folder"
            )
    if not isinstance(arguments.get("piped"), str):
        boolean(arguments.get("piped", False), f"{where}: piped")
    for key in ("connects", "project"):
        boolean(arguments.get(key, False), f"{where}: {key}")
    environment = arguments.get("environment", {})
    if not isinstance(environment, dict):
        raise InvalidRuleError(f"{where}: environment must be a dict of variable to accepted values")
    for variable, values in environment.items():
        texts(values, f"{where}: environment `{variable}`")
    if "alternatives" in arguments:
        both = [key for key in KEYS if key in arguments and key not in _OWN]
        if both:
            raise InvalidRuleError(f"{where} has alternatives, so `{both[0]}` belongs into them")
    entry = SafeCommand(dict(arguments), place)
    if not entry.grammars:
        raise InvalidRuleError(f"{where} has no grammar")
    for grammar in entry.grammars:
        grammar.check()
    return entry


def restore(kind: str, arguments: Mapping[str, object], place: Place | None = None) -> SafeCommand | DangerousCommand:
    """An entry of arguments that were accepted before, without checking them again (for compiled caches)."""
    return SafeCommand(arguments, place) if kind == "safe_command" else DangerousCommand(arguments, place)
