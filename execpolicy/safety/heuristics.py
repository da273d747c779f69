"""All entries in force, and the opinion that they give on a command.

Folders in which looking for a name asks another machine: ``/net/HOST`` of autofs(5) and of automount(8) of macOS.

Looking for ``/net/HOST/x`` lets the automounter ask name servers for ``HOST`` and mount what it exports.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator, Mapping, Sequence

from execpolicy.core.decision import Decision
from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs import spellings
from execpolicy.programs.catalog import record_of
from execpolicy.programs.names import base_name, names_matching
from execpolicy.safety import dangers as dangers_module
from execpolicy.safety import entries as entries_module
from execpolicy.safety.checks import BY_PATH
from execpolicy.safety.grammar import Refusal
from execpolicy.safety.locations import PROJECT, Location
from execpolicy.safety.opinion import Opinion
from execpolicy.safety.secrets import secret_in, secret_named
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand

    Entry: TypeAlias = SafeCommand | DangerousCommand

SYSTEM_FOLDERS = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/")
"""Folders that only the administrator and the package manager write to: a program there is what its name says."""

FUNCTION = "function"
"""The code of the opinion on a call of a function of the script, which is safe as far as its body is."""
_EVALUATING = frozenset(("printf", "read", "exit", "return", "break", "continue", "shift"))
"""Builtins that evaluate arithmetic in ksh and zsh where bash and dash want a plain number; ``test`` has an effect."""
_EVALUATED_OPERATORS = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
"""Operators of ``test`` that print an operand which is no number."""
_SILENT = frozenset(("test", "[", "exit", "return", "cd", "true", "false", ":", "sleep", "break", "continue", "shift"))
"""Programs that print no argument."""
READING_NOTHING = (_SILENT - {"cd"}) | word_set(
    "echo printf pwd ls stat basename dirname realpath readlink date seq command type which export local declare"
    " typeset readonly unset set read expr du df file find gfind bfs fd fdfind locate tree wc md5sum sha1sum sha256sum"
    " sha512sum b2sum cksum sum md5 shasum"
)
"""Programs that print no content of a file that an argument names, now or behind them: ``cd`` is none of them."""
_SERVED = ("/net", "/net/")
"""How paths below the folder begin that an automounter serves."""
_ENVIRONMENTS = ("/.venv/bin", "/venv/bin", "/node_modules/.bin", "/vendor/bin")
"""Ends of folders of a project's environment, whose files are tools by their names for entries of a project."""
_LAUNCHERS = {"gradlew": "gradle", "mvnw": "mvn"}
"""Files of a project that start a tool, and the name of the tool."""
_REMEMBERED = 2_000
"""Opinions on plain commands, which agents repeat in one script after the other: ``cd src``, ``head -20``."""
_FEW, _SHORT = 32, 1_000
"""Words of a command, and characters of its script, that are worth the memory."""


class Heuristics:
    """An immutable set of entries, indexed by program."""

    __slots__ = ("_all", "_dangerous", "_dangerous_any", "_known", "_safe")

    _safe: Mapping[str, Sequence[SafeCommand]]
    _dangerous: Mapping[str, Sequence[DangerousCommand]]
    _dangerous_any: Iterable[DangerousCommand]

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        """Later ``entries`` replace earlier ones of the same kind and name; a disabled one removes it."""
        named: dict[tuple[str, str], Entry] = {}
        for entry in entries:
            named[entry.kind, entry.name] = entry
        in_force = tuple([entry for entry in named.values() if not entry.disabled])
        safe: dict[str, list[entries_module.SafeCommand]] = {}
        dangerous: dict[str, list[DangerousCommand]] = {}
        anywhere: list[DangerousCommand] = []
        safe_command = entries_module.SafeCommand
        for entry in in_force:
            if isinstance(entry, safe_command):
                for program in entry.programs:
                    safe.setdefault(program, []).append(entry)
            elif entry.programs:
                for program in entry.programs:
                    dangerous.setdefault(program, []).append(entry)
            else:
                anywhere.append(entry)
        self._put(safe, dangerous, anywhere, lambda: in_force)

    def _put(
        self,
        safe: Mapping[str, Sequence[SafeCommand]],
        dangerous: Mapping[str, Sequence[DangerousCommand]],
        anywhere: Iterable[DangerousCommand],
        everything: Callable[[], tuple[Entry, ...]],
    ) -> None:
        self._safe = safe
        self._dangerous = dangerous
        self._dangerous_any = anywhere
        self._all = everything
        self._known: dict[tuple[str, ...], Opinion] = {}

    @classmethod
    def of_index(
        cls,
        safe: Mapping[str, Sequence[SafeCommand]],
        dangerous: Mapping[str, Sequence[DangerousCommand]],
        anywhere: Iterable[DangerousCommand],
        everything: Callable[[], tuple[Entry, ...]],
    ) -> Heuristics:
        """Entries whose index exists already and that may be made when they are asked for.

        Args:
            safe: by program.
            dangerous: by program; ``anywhere`` holds those without one.
            everything: all entries in force, in the order in which they were first named.
        """
        heuristics = object.__new__(cls)
        heuristics._put(safe, dangerous, anywhere, everything)
        return heuristics

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Those in force, in the order in which they were first named."""
        return self._all()

    def opinion(self, command: Command, facts: Facts) -> Opinion:
        """Returns what the entries say about ``command``, which is one of ``script``'s. Danger goes before safety.

        Only its words are judged (and, for danger, what it writes by redirection and what feeds it): wrappers, effects,
        assignments and redirections are for the caller.
        """
        dangers = tuple(self.dangers(command, facts))
        if not dangers:
            return self.safety(command, facts)
        disasters = [each for each in dangers if each.files is not None or each.decision is Decision.FORBIDDEN]
        found = next((each for each in dangers if each.files is None), None)
        if found is not None:
            return Opinion("dangerous", "danger", found.reason, entry=found, disasters=disasters)
        return self.safety(command, facts).with_disasters(disasters)

    def safety(self, command: Command, facts: Facts) -> Opinion:
        """Returns what the entries that say what is safe say about ``command``."""
        if command.words and command.words[0].literal in facts.script.functions:
            from execpolicy.flow.functions import runs_function

            if runs_function(command, facts):
                why = "it runs a function of the script, whose commands are judged themselves"
                return Opinion("safe", FUNCTION, why)
        opinion = self._remembered(command, facts)
        while opinion.verdict == "safe" and (opinion.piped or opinion.input):
            from execpolicy.safety.outputs import by_streams

            found = by_streams(opinion, command, facts)
            if found.verdict == "safe" or opinion.otherwise is None:
                opinion = found
                break
            opinion = opinion.otherwise
        if opinion.verdict == "safe" and _asks_machine(command, facts):
            why = "below `/net` each name is that of another machine, which an automounter asks"
            return Opinion("unknown", "connection", why, entry=opinion.entry)
        return opinion

    def _remembered(self, command: Command, facts: Facts) -> Opinion:
        """The opinion on the words. That on plain ones is kept: the same words get it anywhere."""
        argv = command.plain_argv
        if not argv or len(argv) > _FEW or len(facts.script.text) > _SHORT:
            return self._safety(command.words, facts)
        name = _name_of(argv[0], command.words, facts)
        if isinstance(name, Opinion):
            return self._of_project(name, command.words)
        found = self._known.get(argv)
        if found is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            found = self._known[argv] = self._of_entries(name, command.words)
        return found

    def _safety(self, words: Sequence[Word], facts: Facts) -> Opinion:
        if not words:
            return Opinion("unknown", "no-entry", "there is no program to know")
        program = words[0].literal
        if program is None:
            return Opinion("unknown", "dynamic-program", "the program is only known at run time")
        name = _name_of(program, words, facts)
        if isinstance(name, Opinion) and name.code != "program-path":
            return name
        if [word for word in words if word.inner]:
            from execpolicy.safety.outputs import marked

            words = marked(words, facts, self._safety)
        opinion = self._of_project(name, words) if isinstance(name, Opinion) else self._of_entries(name, words, words)
        if opinion.verdict == "safe" and [word for word in words if word.literal is None]:
            secret = secret_among(program, words, facts) or self._computed_among(program, words, facts, opinion)
            if secret is not None:
                return Opinion("unknown", "secret", secret, entry=opinion.entry)
        return opinion

    def _computed_among(self, name: str, words: Sequence[Word], facts: Facts, opinion: Opinion) -> str | None:
        """The objection to file names among ``words`` that an inline program of the script may compute."""
        if name in READING_NOTHING or not facts.outermost.once(self._reads_inline_output) or _is_inline(opinion.entry):
            return None
        if any(word.literal is None and not word.number and word.kind != "glob" for word in words):
            return "a word that is only known at run time may name a secret that an inline program computes"
        return None

    def _reads_inline_output(self, facts: Facts) -> bool:
        """True if a command of the script, or of one inside it, reads what an inline program prints."""
        from execpolicy.flow.effects import is_only_printed

        scripts: Sequence[Facts] = (facts,)
        if facts.finds_within is not None:
            scripts = facts.asked(facts.finds_within, facts, otherwise=scripts)
        names = {word.literal or "-" for each in scripts for command in each.script.commands for word in command.words}
        inline = {name: self._inline_entries(base_name(name)) for name in names if name[0] != "-"}
        return any(inline.values()) and any(
            entry.judge(command.words[at:])[0] is not None
            for each in scripts
            for command in each.script.commands
            for at, word in enumerate(command.words)
            for entry in inline.get(word.literal or "", ())
            if (command.body is not None or not entry.input)
            and (each is not facts or not is_only_printed(command, facts))
        )

    def _inline_entries(self, name: str) -> list[SafeCommand]:
        return [entry for entry in self._safe.get(name, ()) if _is_inline(entry)]

    def _of_project(self, refused: Opinion, words: Sequence[Word]) -> Opinion:
        """Returns what entries that speak for the project alone say of a program by its path, else ``refused``.

        A file in the folder of an environment is the tool of its name.
        """
        folder, _, name = (words[0].literal or "").rpartition("/")
        found = refused
        if f"/{folder}".endswith(_ENVIRONMENTS) or name in _LAUNCHERS:
            entries = [entry for entry in self._safe.get(_LAUNCHERS.get(name, name), ()) if entry.project]
            place = words[0].literal if name in _LAUNCHERS else folder
            found = self._of_entries(name, words, words, entries, Location(place or "/", (PROJECT,)))
        if found.verdict != "safe":
            found = self._of_entries(name, words, words, self._safe.get(BY_PATH, ()))
        return found if found.verdict == "safe" else refused

    def _of_entries(
        self,
        name: str,
        words: Sequence[Word],
        shown: Sequence[Word] = (),
        entries: Sequence[SafeCommand] | None = None,
        place: Location | None = None,
    ) -> Opinion:
        """Returns what the entries for the program ``name`` say of ``words``; of plain words always the same.

        ``shown`` are those that the opinion tells its reader of. ``entries`` are asked instead, if they are given, and
        ``place`` must be true of the folders around.
        """
        furthest: Refusal | None = None
        nearest: SafeCommand | None = None
        under_condition: list[Opinion] = []  # another entry may speak for it whatever lies in the folder
        for entry in self._safe.get(name, ()) if entries is None else entries:
            located = [] if place is None else [place]
            grammar, refused = entry.judge(words, located)
            if grammar is not None and (entry.connects or grammar.connects):
                refused = _sent(words)
            if grammar is not None and refused is None:
                found = Opinion(
                    "safe", "accepted", entry.reason, entry=entry, output=grammar.output, words=shown, locations=located
                )
                if not (entry.obeys or entry.piped or entry.input or entry.project or located):
                    return found
                if under_condition:
                    under_condition[-1].otherwise = found
                under_condition.append(found)
            if refused is not None and (furthest is None or refused.tells_more(furthest)):
                furthest, nearest = refused, entry
        if under_condition:
            return under_condition[0]
        if furthest is None:
            return Opinion("unknown", *(_does(name, None, words) or ("no-entry", f"no entry speaks for `{name}`")))
        does = _does(name, furthest, words)
        if does is None and nearest is not None and _acts(nearest.arguments):
            does = _does(name, None, words)  # what it does matters more than which word is on no list
        return Opinion("unknown", *(does or (furthest.code, furthest.why)), entry=nearest)

    def dangers(self, command: Command, facts: Facts) -> Iterator[DangerousCommand]:
        """The dangerous entries whose conditions on words, redirections, pipes and effects hold for ``command``."""
        words = command.words
        surrounded = command.redirects or command.piped_from or facts.effects
        if surrounded or (command.plain_argv is None and [word for word in words if word.inner]):
            for entry in self._dangerous_any:  # each of them is about what surrounds a command
                if dangers_module.circumstances_hold(entry, command, facts):
                    yield entry
        if not words:
            return
        for name, view in self._views(words, facts):
            entries = self._dangerous.get(name, ())
            if not entries:
                continue

            arguments = [dangers_module.text_for_globs(word) for word in view[1:]]
            for entry in entries:
                if entry.matches_words(arguments) and dangers_module.circumstances_hold(entry, command, facts):
                    yield entry

    def _views(self, words: Sequence[Word], facts: Facts) -> Iterable[tuple[str, Sequence[Word]]]:
        """Every dangerous program that the command could be, with its words: other spellings, visible values, globs."""
        first = words[0]
        if first.literal is not None:
            name = base_name(first.literal)
            if name not in self._dangerous:
                return ()

        found: list[tuple[str, Sequence[Word]]] = []
        for view in spellings.restrict_views(words, facts):
            program = view[0]
            if program.literal is not None:
                found.append((base_name(program.literal), view))
            elif program.pattern is not None and facts.budget.spend(len(self._dangerous)):
                found += [(name, view) for name in names_matching(program.pattern, self._dangerous)]
        return found


def _names_form(value: object, forms: frozenset[str]) -> bool:
    """True if one of ``forms`` occurs in an argument of an entry."""
    if isinstance(value, dict):
        return any(_names_form(each, forms) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(_names_form(each, forms) for each in value)
    return isinstance(value, str) and value.rstrip("*+?").lstrip("%") in forms


def _is_inline(entry: Entry | None) -> bool:
    """True if the program of ``entry`` runs the text of a program, which it finds in its words or in its input."""
    return entry is not None and _has_form(entry.arguments, ("input", "options"), INLINE)


def _acts(arguments: Mapping[str, Any]) -> bool:
    """True if an entry is about what a call writes, deletes, fetches or sends."""
    return _has_form(arguments, ("operands", "last", "options"), EFFECTS)


def _has_form(arguments: Mapping[str, Any], keys: Sequence[str], forms: frozenset[str]) -> bool:
    grammars = (arguments, *arguments.get("alternatives", ()))
    return any(_names_form(each.get(key), forms) for each in grammars for key in keys)


CONNECTIONS = frozenset(("url", "url-sent"))
INLINE = frozenset(("python-program", "python-library", "perl-program"))
"""Forms of programs that may print any text, such as the name of a secret that they put together."""
EFFECTS = CONNECTIONS | {"write", "write-below", "unpacked", "delete", "delete-tree", "moved", "copied-tree", "link"}
"""Forms of words that name what a call does, which rules must allow."""
_OF_THE_CALL = frozenset(("operand-count", "subcommand", "required"))
"""Refusals of a call as a whole, of which people want to know what it would do."""


def _sent(words: Sequence[Word]) -> Refusal | None:
    """The first word that is only known at run time, of a program that sends its words to another machine."""
    for at, word in enumerate(words):
        if word.literal is None:
            shown = f"`{word.written}`" if word.written else "a word"
            return Refusal("dynamic", at, f"{shown} is only known at run time and would be sent to another machine")
    return None


_OPERANDS = ("all", "1st", "2nd", "rest", "into")
"""The first part of the fact ``writes`` of a program that writes what it is given."""


def _does(name: str, refused: Refusal | None, words: Sequence[Word]) -> Purpose | None:
    """Returns what the program is known to do, where that says more than which word is on no list."""
    if refused is not None and refused.code not in _OF_THE_CALL:
        return None
    last = refused.at if refused is not None else 0
    does = purpose(name, [word.literal or "" for word in words[1 : last + 1]])
    record = record_of(name) if does is None and (refused is None or refused.code != "subcommand") else None
    if record is not None and record.writes.partition(",")[0] in _OPERANDS:
        return _DOES["writes"]
    return _DOES["runs"] if record is not None and record.runs_others() else does


def _name_of(program: str, words: Sequence[Word], facts: Facts) -> str | Opinion:
    """The name by which entries know ``program``, or why they cannot speak for it in this script."""
    name = program
    if "/" in program:
        name = program[program.rfind("/") + 1 :]
        if program[: len(program) - len(name)] not in SYSTEM_FOLDERS:
            return Opinion("unknown", "program-path", f"`{program}` is not in a system folder")
    elif name in facts.script.functions:
        return Opinion("unknown", "shadowed", f"the script defines a function `{name}`")
    if name in _EVALUATING and facts.script.shell in ("ksh", "zsh", "sh"):
        from execpolicy.safety.languages.expressions import evaluates_arithmetic

        if evaluates_arithmetic(name, words):
            return Opinion(
                "unknown", "expression", f"{facts.script.shell} evaluates the numbers that `{name}` is given"
            )
    return name


def _named_secret(facts: Facts) -> str | None:
    """The secret that the text of the script names, or the text of what hands it its words."""
    from execpolicy.safety.secret_variables import own_variables, secret_place

    for script in dict.fromkeys((facts, facts.outermost)):
        found = secret_named(script.script.text) or secret_named(script.once(_spelled_otherwise))
        found = found or secret_place(script.script.text, own_variables(script))
        if found is not None:
            return found
    return None


def _spelled_otherwise(facts: Facts) -> str:
    """The words that the script writes in another way than programs get them: ``.e''nv``, ``"$x"nv``."""
    text = facts.script.text
    found: list[str] = []
    for command in facts.script.commands:
        for word in command.words:
            literal = word.literal
            if literal is None:
                found += [field for value in facts.values(word) for field in value if field not in text]
            elif literal not in text:
                found.append(literal)
    return "\n".join(found)


def secret_among(name: str, words: Sequence[Word], facts: Facts) -> str | None:
    """Returns what could be a secret among what ``words`` make a safe program print, ``None`` if nothing is known."""
    from execpolicy.safety.secret_variables import own_variables, secret_variable

    compares = (
        name in ("test", "[")
        and not any(word.many for word in words)
        and not _EVALUATED_OPERATORS.intersection([word.literal for word in words])
    )
    if not compares:  # everything else may print it, if only as an error
        for word in words:
            if word.literal is None:
                variable = secret_variable(word.written)
                if variable is not None and variable not in own_variables(facts):
                    return f"the value of `{variable}` is usually a secret"
    if name in READING_NOTHING or all(word.literal is not None or word.number for word in words):
        return None
    return next((found for word in words[1:] if (found := secret_behind(word, facts)) is not None), None)


def _asks_machine(command: Command, facts: Facts) -> bool:
    """True if a word of ``command`` names a machine that an automounter asks, or anything in the script does."""
    if "net" in facts.script.text and facts.once(automounted):
        return True
    return any((word.literal or word.prefix)[:5] in _SERVED for word in command.words)


def secret_behind(word: Word, facts: Facts) -> str | None:
    """Returns what could be secret about the file that ``word``, only known at run time, names; ``None`` if nothing
    is known.

    It may be any secret that the script names, and what its variables visibly hold.
    """
    if word.literal is not None or word.number:
        return None

    for value in facts.values(word) if word.kind != "glob" else ():
        for field in value:
            found = secret_in(field)
            if found is not None:
                return f"a word that is only known at run time is `{field}`: {found}"
    secret = facts.once(_named_secret)
    if secret is not None:
        return f"a word that is only known at run time could be `{secret}`, which the script names or lists"
    return None


SERVED = "/net"
"""The folder that autofs and macOS serve by default (``/net -hosts`` of auto.master)."""
_BETWEEN = dict.fromkeys(map(ord, "\"'`$(){}<>|&;,=:\n\t"), " ")


def automounted(facts: Facts) -> bool:
    """True if the script names such a machine, or the folder, anywhere: in a loop, a condition, a redirection."""
    parts = facts.script.text.translate(_BETWEEN).split()
    return any(part == SERVED or part.startswith(SERVED + "/") for part in parts)


Purpose = tuple[str, str]
"""The code of an :class:`~execpolicy.safety.opinion.Opinion`, and why."""

_DOES = {
    "sends": ("sends", "it opens a connection, and sends what it is given"),
    "remote": ("sends", "it connects to the remote"),
    "writes": ("writes", "it writes, moves or removes files, or changes who owns them"),
    "repository": ("writes", "it changes the repository or the working tree"),
    "runs": ("runs", "it runs code from a file or from its options"),
    "manual": ("runs", "it opens a manual in a pager, in which programs can be started"),
    "secret": ("secret", "it prints the environment or the shell history, which may contain secrets"),
    "installs": ("installs", "it installs, changes or fetches packages"),
    "system": ("system", "it changes how the system is set up, or takes locks to look at it"),
    "settings": ("settings", "it changes the settings of git, which name programs and remotes"),
    "tools": ("settings", "it starts a tool that the settings of git name"),
}
"""The meanings of the fact ``does``."""


def purpose(program: str, words: Sequence[str]) -> Purpose | None:
    """Returns what ``program`` does with ``words``, by the fact ``does`` of its record."""
    record = record_of(program)
    if record is None or not record.does:
        return None
    named = {word: kind for kind, *listed in map(str.split, record.does.split(",")) for word in listed or [""]}
    return next((_DOES[named[word]] for word in ("", *words) if word in named), None)
