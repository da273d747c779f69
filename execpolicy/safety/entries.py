"""Entries of rule files that say what is safe: ``safe_command(…)``."""

from __future__ import annotations

from _collections_abc import Mapping, Sequence

from execpolicy.core.text import glob_matches
from execpolicy.errors import InvalidRuleError
from execpolicy.programs.options import USAGE, sure_reading
from execpolicy.safety.checks import BY_PATH, ProgramEntry, boolean, head, several, texts
from execpolicy.safety.dangers import DangerousCommand, build_dangerous
from execpolicy.safety.grammar import KEYS, Alternatives, Grammar, Refusal, Subcommands, parse_grammars
from execpolicy.safety.locations import Location
from execpolicy.safety.values import NAMED, PATHS, Form, parse_form
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word
from execpolicy.source import Place

__all__ = ["SafeCommand", "build_dangerous", "build_safe", "restore"]

_OWN = (
    *("name", "program", "reason", "environment", "obeys", "piped", "connects", "input", "project", "alternatives"),
    *("disabled", "match", "not_match"),
)


class SafeCommand(ProgramEntry):
    """Ways of calling programs that read, print and leave no trace, as ``docs/heuristics.md`` describes them."""

    __slots__ = ("_grammars", "connects", "obeys", "piped", "project")

    kind = "safe_command"

    def __init__(self, arguments: Mapping[str, object], place: Place | None = None) -> None:
        ProgramEntry.__init__(self, arguments, place)
        get = arguments.get
        self.obeys = several(get("obeys")) if "obeys" in arguments else ()
        self.piped = bool(get("piped"))
        self.connects = bool(get("connects"))
        self.project = bool(get("project"))
        self._grammars: Alternatives | None = None

    @property
    def environment(self) -> dict[str, tuple[str, ...]]:
        """The values (globs) that each variable in front of these programs may have."""
        written = self.arguments.get("environment")
        return {name: several(values) for name, values in written.items()} if isinstance(written, dict) else {}

    @property
    def input(self) -> str:
        """The form of a here-document that the call must be given, as its only input; empty for any input."""
        return str(self.arguments.get("input", ""))

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
        start = 0 if BY_PATH in self.programs else 1
        return accepting(self.grammars, words, start, [] if located is None else located)

    def opens_no_pager(self, command: Command) -> bool:
        """True if ``command``, which this entry accepts, turns the pager off by what ``piped`` names."""
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
        """True if ``value`` of a variable that names the pager names none, or one that only prints."""
        return value == "" or (
            value is not None and any(glob_matches(glob, value) for glob in self.environment.get(variable, ()))
        )


def _grammars(arguments: Mapping[str, object]) -> Alternatives:
    where = f"safe_command `{arguments['name']}`"
    if "alternatives" in arguments:
        return parse_grammars(arguments["alternatives"], f"{where}: alternatives")
    return parse_grammars({key: value for key, value in arguments.items() if key not in _OWN}, where)


def build_safe(arguments: Mapping[str, object], place: Place | None = None) -> SafeCommand:
    """The entry that a call of ``safe_command`` with these keyword arguments describes.

    Raises:
        InvalidRuleError: a parameter is unknown, missing or not of the right shape.
    """
    where, disabled = head(arguments, (*_OWN, *KEYS), "safe_command")
    if disabled:
        return SafeCommand(dict(arguments), place)
    if "program" not in arguments:
        raise InvalidRuleError(f"{where} needs a program")
    for program in texts(arguments["program"], f"{where}: program"):
        if "/" in program and not (program == BY_PATH and arguments.get("project")):
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
    if "input" in arguments:
        parse_form(arguments["input"], f"{where}: input")
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


_ANY = NAMED["any"]


_TOO_LONG = Refusal("operand-count", 0, "it has more words")
"""Its refusal is worked out only if no other grammar accepts the call."""


_UNSIGNED = frozenset("#?$") | {"PPID", "UID", "EUID"}
"""Parameters that are integers without a sign, where they are integers."""


def accepting(
    grammars: Alternatives, words: Sequence[Word], start: int, located: list[Location]
) -> tuple[Grammar | None, Refusal | None]:
    """The first of ``grammars`` that accepts ``words[start:]``, or ``None`` and the refusal that came furthest.

    For a program with sub-commands the grammar returned is that of the innermost sub-command. What must be true of the
    folders around is added to ``located``.
    """
    refused: list[tuple[Grammar, Refusal]] = []
    before = len(located)
    for grammar in grammars:
        found = _judge(grammar, words, start, located)
        if not isinstance(found, Refusal):
            return found, None
        del located[before:]
        refused.append((grammar, found))
    return None, _furthest(refused)


def _furthest(refused: Sequence[tuple[Grammar, Refusal]]) -> Refusal | None:
    """The refusal of several alternatives that tells most about the call."""
    furthest: Refusal | None = None
    missing: Refusal | None = None
    for grammar, found in refused:
        if found is _TOO_LONG or (grammar.requires and grammar.requires <= USAGE):
            found = _alone(grammar)
        elif not (grammar.options.kinds or grammar.operands or grammar.repeated or grammar.subcommands):
            found = Refusal(found.code, 0, found.why)
        if found.code == "required":
            missing = found  # it says less than what another grammar found wrong with a word
        elif furthest is None or found.tells_more(furthest):
            furthest = found
    return missing if missing is not None and (furthest is None or not furthest.at) else furthest


def _judge(grammar: Grammar, words: Sequence[Word], at: int, located: list[Location]) -> Grammar | Refusal:
    """The grammar that accepts the words from ``at`` (``grammar`` or one of its sub-commands'), or why none does."""
    # One pass over the words with a branch for each kind of word: what follows depends on all that came before.
    if grammar.expression is not None:
        from execpolicy.safety.languages import expressions

        return expressions.refusal(grammar.expression, words, at) or grammar
    table = grammar.options
    end = len(words)
    if grammar.most_words is not None and end - at > grammar.most_words:
        return _TOO_LONG
    operands: list[tuple[int, Word]] = []
    given: set[str] = set()
    options_over = loose = False
    while at < end:
        word = words[at]
        text = word.literal
        if text is None:
            if options_over or not _may_be_option(word):
                pass
            elif word.pieces and word.pieces[0].number and not operands and _takes_addresses(grammar):
                pass  # `-5p`, if the number is negative, is no option of sed
            elif grammar.dynamic == "anywhere":
                loose = True
            elif table.numeric and word.number and not word.many:
                at += 1
                continue
            elif len(word.prefix) > 1 and word.prefix[0] == "-" and not word.many and grammar.dynamic != "none":
                refused = _option(grammar, words, at, word.prefix, given, located)
                if isinstance(refused, Refusal):
                    return refused
                at = refused
                continue
            else:
                return Refusal("dynamic", at, f"{_shown(word)} is only known at run time and could be an option")
            if grammar.dynamic == "none":
                return Refusal("dynamic", at, f"{_shown(word)} is only known at run time")
            if word.many and not loose and (grammar.repeated is None or len(operands) < len(grammar.operands)):
                return Refusal("dynamic", at, f"{_shown(word)} can be any number of words")
        elif not options_over and ((len(text) > 1 and text[0] == "-") or (text[:1] == "+" and text in table.kinds)):
            if operands and text[0] == "-" and grammar.options_first and (text != "--" or grammar.repeated is None):
                return Refusal("option", at, f"the option `{text}` is behind an operand")
            if text == "--" and table.separator:
                options_over = True
                at += 1
                continue
            if text in grammar.command:
                at = _behind_command(words, at + 1)
                if at < end:
                    return Refusal("expression", at, f"{_shown(words[at])} may end the command behind `{text}`")
                continue
            if grammar.dynamic == "anywhere" and text[:2] == "--" and len(text) > 2 and not text[2].isalnum():
                at += 1  # `-->` is no option of any program, and this one has none that does harm
                continue
            accepted = _option(grammar, words, at, text, given, located)
            if isinstance(accepted, Refusal):
                return accepted
            at = accepted
            continue
        elif table.numeric and not options_over and text[:1] == "+" and not text[1:].isdigit():
            return Refusal("option", at, f"`{text}` may be an option of an old form")  # `tail +3f` waits
        if grammar.subcommands is not None:
            if grammar.requires and not (given & grammar.requires):
                return _missing(grammar, at)
            return _subcommand(grammar.subcommands, words, at, located)
        operands.append((at, word))
        if grammar.repeated is None and len(operands) > len(grammar.operands):
            return _operands_refusal(grammar, operands, at, loose, located) or grammar
        if not table.permute:
            options_over = True
        at += 1
    if grammar.subcommands is not None:
        return Refusal("subcommand", end, "the sub-command is missing")
    if grammar.requires and not (given & grammar.requires):
        return _missing(grammar, end)
    return _operands_refusal(grammar, operands, end, loose, located) or grammar


def _behind_command(words: Sequence[Word], at: int) -> int:
    """The first word from ``at`` on that may end a command: ``;``, or one that is only known at run time."""
    return next((here for here in range(at, len(words)) if words[here].literal in (";", None)), len(words))


def _alone(grammar: Grammar) -> Refusal:
    """Too many words for a call that is known in one form only (``curl --version``), which says little about others."""
    forms = " or ".join([f"`{name}`" for name in sorted(grammar.requires)])
    return Refusal("operand-count", 0, f"only {forms} alone is known to be harmless" if forms else "it has more words")


def _missing(grammar: Grammar, at: int) -> Refusal:
    if grammar.most_words is not None:
        return _alone(grammar)
    wanted = ", ".join([f"`{name}`" for name in sorted(grammar.requires)])
    return Refusal("required", at, f"it needs one of {wanted}" if len(grammar.requires) > 1 else f"it needs {wanted}")


def _shown(word: Word) -> str:
    if word.literal is not None:
        return f"`{word.literal}`"
    return f"`{word.prefix}…{word.suffix}`" if word.prefix or word.suffix else f"a {word.kind} word"


def _may_be_option(word: Word) -> bool:
    """True if a dynamic word could turn into something that starts with ``-``.

    What is known of the beginning of a word holds for its first field only, where a variable or substitution is split
    at blanks; the names that a glob finds all start alike. ``names`` are the output of programs that print no dash
    (``execpolicy.safety.outputs``).
    """
    if word.number:
        return word.alone is None or word.alone.name not in _UNSIGNED
    return word.may_start_with_dash() or word.may_be_any


def _takes_addresses(grammar: Grammar) -> bool:
    return bool(grammar.operands) and grammar.operands[0].name == "sed-script"


def _subcommand(subcommands: Subcommands, words: Sequence[Word], at: int, located: list[Location]) -> Grammar | Refusal:
    name = words[at].literal
    if name is None:
        return Refusal("dynamic", at, f"the sub-command {_shown(words[at])} is only known at run time")
    if name not in subcommands:
        return Refusal("subcommand", at, f"the sub-command `{name}` is not on the list")
    grammar, refused = accepting(subcommands[name], words, at + 1, located)
    if grammar is not None:
        return grammar
    return refused or Refusal("subcommand", at, f"the sub-command `{name}` is not on the list")


def _option(
    grammar: Grammar, words: Sequence[Word], at: int, text: str, given: set[str], located: list[Location]
) -> int | Refusal:
    """Read the option ``words[at]``: the index behind it and its value.

    ``text`` is the word, or what is known of its beginning when the rest is only known at run time.
    """
    word = words[at]
    known = word.literal is not None
    if known and not grammar.requires and grammar.options.takes_no_value(text):
        return at + 1  # which options are given is asked of no call that requires none
    read = sure_reading(grammar.options, text, whole=known)
    if isinstance(read, tuple):
        code, why = read
        return Refusal(code, at, why or f"{_shown(word)} is only known at run time and could hold more options")
    given.update([each.name for each in read.given])
    last = read.given[-1]
    if not last.kind:
        return at + 1
    name, value = last.name, last.glued
    form = grammar.forms.get(name, _ANY)
    if value is not None or (last.kind == "?" and not known):
        problem = form.refusal_of_rest(value or "", word)
        if problem is not None:
            return Refusal("value", at, f"the value of `{name}` {problem}")
        if form.locate is not None:
            located += form.locate(value or "")
    for place in range(at, at + read.takes):
        refused = _separate_value(grammar, words, place, name, form)
        if form.locate is not None and refused is None:
            located += form.locations(words[place + 1].literal or "", words[place + 1])
        if refused is not None:
            return refused
    return at + 1 + read.takes


def _separate_value(grammar: Grammar, words: Sequence[Word], at: int, name: str, form: Form) -> Refusal | None:
    """Returns what is wrong with the value of option ``name``, which is the word behind ``words[at]``.

    A value that looks like an option is refused where options can do harm, unless the entry lists it: another version
    of the program might know ``name`` as a flag.
    """
    if at + 1 >= len(words):
        return Refusal("value", at + 1, f"the value of `{name}` is missing")
    value = words[at + 1]
    if value.literal is None and value.many:
        return Refusal("dynamic", at + 1, f"the value of `{name}`, {_shown(value)}, can be any number of words")
    text = value.literal or ""
    looks = len(text) > 1 and text[0] == "-" and grammar.dynamic != "anywhere"
    if looks and not text[1:].replace(".", "").isdigit() and not form.takes_dashed(text):
        return Refusal("value", at + 1, f"the value of `{name}` looks like an option")
    problem = form.refusal(value)
    return None if problem is None else Refusal("value", at + 1, f"the value of `{name}` {problem}")


def _operands_refusal(
    grammar: Grammar, operands: list[tuple[int, Word]], end: int, loose: bool, located: list[Location]
) -> Refusal | None:
    """Returns what is wrong with the operands.

    ``loose``: a dynamic word could have been an option or any number of words, so that positions say nothing.
    """
    forms, repeated = grammar.operands, grammar.repeated
    least = grammar.required if grammar.last is None else len(forms) + 2
    if len(operands) < least and not loose:
        return Refusal("operand-count", end, "an operand is missing")
    for position, (at, word) in enumerate(operands):
        expected = repeated if position >= len(forms) else forms[position]
        if grammar.last is not None and position == len(operands) - 1:
            expected = grammar.last
        if expected is None:
            return Refusal("operand-count", at, f"no entry covers the operand {_shown(word)}")
        for form in (*forms, repeated) if loose and word.literal is not None else (expected,):
            problem = None if form is None else form.refusal(word)
            if form is not None and problem is not None:
                code = "secret" if form.name in PATHS else "operand"
                return Refusal(
                    code,
                    at,
                    f"the operand {_shown(word)}: {problem}"
                    if code == "secret"
                    else f"the operand {_shown(word)} {problem}",
                )
        if expected.locate is not None:
            located += expected.locations(word.literal or "", word)
            if expected is grammar.last:
                sources = [word.literal or "" for _, word in operands[:-1]]
                located[-1] = _put_into(located[-1], sources, linked=expected.name == "link")
    return None


def _put_into(target: Location, sources: Sequence[str], *, linked: bool) -> Location:
    """``target`` with what is put into it if it is a folder: files called like ``sources``, or of unknown names.

    To rsync and to cp of macOS, a slash at the end means the contents of a folder.
    """
    names = [source[source.rfind("/") + 1 :] for source in sources]
    names = ["" if name in (".", "..") else name for name in names]
    below = target.below or "" in names
    return replace(target, names=tuple(names), below=below, links=tuple(sources) if linked else ())
