"""The option grammar of a program: what an invocation may contain, and what it is refused for.

The operations of a vendor's program that only read, from ``grammar/operations/NAME.txt``.

Such a file is made from the vendor's own description of the program (``python -m tests.operations``); its head says
which. ``[group of words]`` opens the operations of one group, each a line: its name, and its options without dashes
(``name:`` takes a value); ``=3`` means the third list of options. What is not in the file does
more than reading, or is not known to only read.
"""

from __future__ import annotations

from _collections_abc import Iterator, Mapping, Sequence

from execpolicy.errors import InvalidRuleError
from execpolicy.programs.options import Options
from execpolicy.resources import grammar_folder
from execpolicy.safety.checks import boolean, only_keys, spellings, text, unknown_word
from execpolicy.safety.values import EXPRESSIONS, NAMED, Form, parse_form
from execpolicy.value import value

KEYS = (
    *("letters", "flags", "options", "optional_values", "pairs", "numeric", "clusters", "glued", "operands", "last"),
    *("dynamic", "permute", "options_first", "separator", "subcommands", "operations", "values", "requires"),
    *("most_words", "expression", "output", "command", "connects"),
)
_DYNAMIC = ("none", "operands", "anywhere")
_ANY = NAMED["any"]


@value
class Refusal:
    """The refusal of the first word that a grammar does not accept.

    Attributes:
        at: the index of the word that was refused; the number of words when something is missing.
    """

    code: str
    at: int
    why: str

    def tells_more(self, other: Refusal) -> bool:
        """True if it came further than ``other``, or as far and knows that a sub-command is missing from the list."""
        return self.at > other.at or (self.at == other.at and self.code == "subcommand" != other.code)

    def __repr__(self) -> str:
        return f"Refusal({self.code}, {self.at}, {self.why})"


class Grammar:
    """One way in which a program may be called, as ``docs/heuristics.md`` describes it.

    Attributes:
        forms: the forms of the values of ``options``, by name; an option that is not in it takes any or none.
        operands: the forms of the first operands; the first ``required`` of them must be there.
        repeated: the form of all operands behind those; ``None`` if there may be none.
        command: options behind which everything is a command, which is judged by itself.
    """

    __slots__ = (
        *("command", "connects", "dynamic", "expression", "forms", "last", "most_words", "operands", "options"),
        *("options_first", "output", "repeated", "required", "requires", "subcommands"),
    )

    def __init__(self, arguments: Mapping[str, object], where: str) -> None:
        """Read the grammar keys of an entry or of a sub-command, those of its own sub-commands when they are needed.

        Raises:
            InvalidRuleError: an argument is not what it should be; the message starts with ``where``.
        """
        only_keys(arguments, KEYS, where)
        get = arguments.get
        kinds, self.forms = _options(arguments, where)
        self.options = Options(
            kinds,
            numeric=boolean(get("numeric", False), f"{where}: numeric"),
            permute=boolean(get("permute", True), f"{where}: permute"),
            clusters=boolean(get("clusters", True), f"{where}: clusters"),
            glued=boolean(get("glued", True), f"{where}: glued"),
            separator=boolean(get("separator", True), f"{where}: separator"),
        )
        self.options_first = boolean(get("options_first", False), f"{where}: options_first")
        self.dynamic = _choice(get("dynamic", "operands"), _DYNAMIC, f"{where}: dynamic must be one of")
        self.operands: tuple[Form, ...]
        self.operands, self.required, self.repeated = _operands(get("operands", "none"), f"{where}: operands")
        self.last = _last(arguments, where, fits=self.repeated is not None and self.dynamic != "anywhere")
        self.subcommands: Subcommands | None = None
        if "operations" in arguments:
            if "operands" in arguments or "subcommands" in arguments:
                raise InvalidRuleError(f"{where}: operations stand for all operands", help="use alternatives")
            parse_form(arguments.get("values", "any"), f"{where}: values")
            found = Operations(arguments["operations"], arguments, where)
            self.subcommands = Subcommands(None, where, operations=found)
        elif "values" in arguments:
            raise InvalidRuleError(f"{where}: values are those of operations, which it does not have")
        if "subcommands" in arguments:
            self.subcommands = Subcommands(arguments["subcommands"], where)
            if "operands" in arguments:
                raise InvalidRuleError(f"{where} cannot have both operands and subcommands")
        self.requires = frozenset(spellings(get("requires", ()), f"{where}: requires"))
        for name in self.requires:
            if name not in kinds:
                raise unknown_word(f"{where}: requires an option that it does not list:", name, kinds)
        most = get("most_words")
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
            raise InvalidRuleError(f"{where}: most_words must be a positive number")
        self.most_words: int | None = most
        self.expression: str | None = None
        if "expression" in arguments:
            self.expression = _choice(arguments["expression"], EXPRESSIONS, f"{where}: expression must be one of")
            if set(arguments) - {"expression", "output"}:
                raise InvalidRuleError(
                    f"{where}: an expression covers all arguments, so leave the other parameters away"
                )
        self.output: str | None = None
        if "output" in arguments:
            self.output = _choice(arguments["output"], ("number", "hash", "path"), f"{where}: output must be one of")
        self.command = frozenset(spellings(get("command", ()), f"{where}: command"))
        self.connects = "connects" in arguments and _connects(arguments, where)
        if self.dynamic == "anywhere" and (self.repeated is None or self.subcommands is not None or self.requires):
            raise InvalidRuleError(
                f"{where}: dynamic words anywhere need a program that takes any number of operands",
                help='use dynamic="operands", or end the operands with a repeated form',
            )

    def check(self) -> None:
        """Read the grammars of all sub-commands, at every depth.

        Raises:
            InvalidRuleError: one is not what it should be.
        """
        if self.subcommands is not None and self.subcommands.in_entry:
            for name in self.subcommands:
                for grammar in self.subcommands[name]:
                    grammar.check()


class Subcommands:
    """The grammars of sub-commands by name, each read when it is first asked for: one call needs one of them."""

    __slots__ = ("_read", "_where", "_written", "in_entry")

    def __init__(self, value: object, where: str, *, operations: Operations | None = None) -> None:
        """Take over ``value``, a dict of names (several between blanks) to a grammar or a list of alternatives.

        Args:
            operations: what a file says, instead of ``value``; a test of this project reads all of it.

        Raises:
            InvalidRuleError: it is no such dict, or lists a name twice.
        """
        self._where = where
        self._read: dict[str, Alternatives] = {}
        self.in_entry = operations is None
        self._written = _by_name(value, where) if operations is None else operations

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __contains__(self, name: object) -> bool:
        return name in self._written

    def __getitem__(self, name: str) -> Alternatives:
        found = self._read.get(name)
        if found is None:
            found = self._read[name] = parse_grammars(self._written[name], f"{self._where} {name}")
        return found


def _by_name(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, dict) or not value:
        raise InvalidRuleError(f"{where}: subcommands must be a non-empty dict of name to grammar")
    written: dict[str, object] = {}
    for names, grammars in value.items():
        for name in text(names, f"{where}: the name of a sub-command").split():
            if name in written:
                raise InvalidRuleError(f"{where} lists the sub-command `{name}` twice")
            written[name] = grammars
    return written


def _connects(arguments: Mapping[str, object], where: str) -> bool:
    if "subcommands" in arguments or "operations" in arguments:
        raise InvalidRuleError(
            f"{where}: connects is said of a call, not of its sub-commands", help="write it for each, or for the entry"
        )
    return boolean(arguments["connects"], f"{where}: connects")


def _choice(value: object, words: tuple[str, ...], problem: str) -> str:
    if isinstance(value, str) and value in words:
        return value
    raise InvalidRuleError(f"{problem} " + ", ".join([f"`{word}`" for word in words]))


def _options(arguments: Mapping[str, object], where: str) -> tuple[dict[str, str], dict[str, Form]]:
    """All options, and the forms of their values.

    Raises:
        InvalidRuleError: an option is listed twice, or a list is not what it should be.
    """
    kinds: dict[str, str] = {}
    forms: dict[str, Form] = {}

    def add(name: str, kind: str) -> None:
        if name in kinds:
            raise InvalidRuleError(f"{where} lists the option `{name}` twice")
        kinds[name] = kind

    letters = arguments.get("letters", "")
    if letters != "":
        for letter in text(letters, f"{where}: letters"):
            if letter in "-= \t\n":
                raise InvalidRuleError(f"{where}: letters must be option letters without `-` and blanks")
            add("-" + letter, "")
    for name in spellings(arguments.get("flags", ()), f"{where}: flags"):
        add(name, "")
    for key, kind in (("options", ":"), ("optional_values", "?"), ("pairs", "&")):
        listed = arguments.get(key, ())
        if isinstance(listed, dict):
            for names, form in listed.items():
                parsed = parse_form(form, f"{where}: {key} `{names}`")
                for name in spellings(names, f"{where}: {key}"):
                    add(name, kind)
                    forms[name] = parsed
        else:
            for name in spellings(listed, f"{where}: {key}"):
                add(name, kind)
    return kinds, forms


def _operands(value: object, where: str) -> tuple[tuple[Form, ...], int, Form | None]:
    """Forms of the first operands, how many of them are required, and the form of all others.

    Raises:
        InvalidRuleError: ``value`` is neither a word, a number nor a list of forms.
    """
    if value == "none":
        return (), 0, None
    if isinstance(value, bool):
        raise InvalidRuleError(f'{where} must be "none", the greatest number, a form or a list of forms')
    if isinstance(value, int):
        if value < 1:
            raise InvalidRuleError(f'{where}: the greatest number must be positive; write "none" for no operands')
        return (_ANY,) * value, 0, None
    if isinstance(value, str):
        return (), 0, parse_form(value.removesuffix("*"), where)
    if not isinstance(value, (list, tuple)) or not value:
        raise InvalidRuleError(f'{where} must be "none", the greatest number, a form or a non-empty list of forms')
    counted: list[tuple[object, str]] = []
    for item in value:
        mark = item[-1:] if isinstance(item, str) and item[-1:] in ("*", "+", "?") else ""
        if mark and item == mark and counted and not counted[-1][1]:
            counted[-1] = (counted[-1][0], mark)
        else:
            counted.append((item[: len(item) - len(mark)] if isinstance(item, str) else item, mark))
    forms: list[Form] = []
    required = 0
    for index, (item, suffix) in enumerate(counted):
        form = parse_form(item, where)
        if suffix in ("*", "+"):
            if index != len(counted) - 1:
                raise InvalidRuleError(f"{where}: only the last form can be repeated")
            if suffix == "*":
                return tuple(forms), required, form
            if required < len(forms):
                raise InvalidRuleError(f"{where}: a required form cannot stand behind an optional one")
            return (*forms, form), required + 1, form
        if not suffix:
            if required < len(forms):
                raise InvalidRuleError(f"{where}: a required form cannot stand behind an optional one")
            required += 1
        forms.append(form)
    return tuple(forms), required, None


def _last(arguments: Mapping[str, object], where: str, *, fits: bool) -> Form | None:
    """The form of the last operand; ``None`` if it is like the others.

    Raises:
        InvalidRuleError: it is no form, or it does not fit because the operands in front of it are counted.
    """
    if "last" not in arguments:
        return None
    if not fits:
        raise InvalidRuleError(f"{where}: last needs operands of a repeated form", help='write operands="path"')
    return parse_form(arguments["last"], f"{where}: last")


class Alternatives:
    """Grammars one of which may accept a call, each read when those before it did not."""

    __slots__ = ("_read", "_where", "_written")

    def __init__(self, written: Sequence[Mapping[str, object]], where: str) -> None:
        """Take over ``written``, grammars as an entry writes them; ``where`` starts the message of an error."""
        self._written = written
        self._where = where
        self._read: list[Grammar] = []

    def __len__(self) -> int:
        return len(self._written)

    def __getitem__(self, at: int) -> Grammar:
        while len(self._read) <= at:
            self._read.append(Grammar(self._written[len(self._read)], self._where))
        return self._read[at]

    def __iter__(self) -> Iterator[Grammar]:
        if len(self._read) == len(self._written):
            return iter(self._read)
        return (self[at] for at in range(len(self._written)))


def parse_grammars(value: object, where: str) -> Alternatives:
    """One grammar, or a list of alternatives.

    Raises:
        InvalidRuleError: ``value`` is neither a dict nor a non-empty list of dicts.
    """
    listed = value if isinstance(value, (list, tuple)) else (value,)
    grammars = tuple([item for item in listed if isinstance(item, dict)])
    if not grammars or len(grammars) != len(listed):
        raise InvalidRuleError(f"{where} must be a grammar, `dict(…)`, or a non-empty list of grammars")
    return Alternatives(grammars, where)


_files: dict[str, str] = {}


class Operations:
    """Names of the groups and operations behind some words of a vendor's program, to the arguments of their grammars.

    What a group holds is read when a command names it.
    """

    __slots__ = ("_arguments", "_listed", "_path", "_where")

    def __init__(self, value: object, arguments: Mapping[str, object], where: str) -> None:
        """
        Args:
            value: the name of the file, and the words so far: ``gcloud compute instances``.
            arguments: those of the grammar that names them; its options may stand behind an operation, too, and every
                value and operand has the form ``values``.

        Raises:
            InvalidRuleError: there is no such file.
        """
        if not isinstance(value, str) or not value:
            raise InvalidRuleError(f"{where}: operations must be the name of a file in grammar/operations")
        self._path = value
        self._where = where
        self._arguments = arguments
        self._listed: dict[str, str] | None = None
        text_of(value.split(" ", 1)[0], where)

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines())

    def __contains__(self, name: object) -> bool:
        return name in self._lines()

    def __getitem__(self, name: str) -> dict[str, object]:
        line = self._lines()[name]
        if line == _GROUP:
            return {**self._arguments, "operations": f"{self._path} {name}"}
        shared = {key: value for key, value in self._arguments.items() if key not in ("operations", "values")}
        values = self._arguments.get("values", "any")
        own = shared.get("options", {})
        options: dict[str, object] = dict(own) if isinstance(own, dict) else {}
        flags = spellings(shared.get("flags", ()), f"{self._where} {name}")
        known = {*flags, *(spelling for names in options for spelling in names.split())}
        for option in line.split():
            spelling = _dashed(option.removesuffix(":"))
            if spelling not in known and option[-1] == ":":
                options[spelling] = values
            elif spelling not in known:
                flags = (*flags, spelling)
        return {**shared, "options": options, "flags": flags, "operands": [values, "*"]}

    def _lines(self) -> dict[str, str]:
        """By name, the options of an operation; ``_GROUP`` for a group."""
        if self._listed is None:
            name, *words = self._path.split(" ")
            text = text_of(name, self._where)
            self._listed = dict(_within(text, " ".join(words)))
        return self._listed


_GROUP = ":"


def _dashed(option: str) -> str:
    return f"--{option}" if len(option) > 1 else f"-{option}"


def text_of(name: str, where: str) -> str:
    """The file of the program ``name``, read once.

    Raises:
        InvalidRuleError: there is none; ``where`` says who asked.
    """
    found = _files.get(name)
    if found is None:
        try:
            with open(f"{grammar_folder()}/operations/{name}.txt", encoding="utf-8") as file:
                found = _files[name] = file.read()
        except OSError as error:
            raise InvalidRuleError(
                f"{where}: there are no operations of `{name}`", help="they are in grammar/operations"
            ) from error
    return found


def _within(text: str, group: str) -> Iterator[tuple[str, str]]:
    """The names in ``group`` with their options, and the groups right below it."""
    below = f"\n[{group} " if group else "\n["
    at = text.find(below)
    while at >= 0:
        end = text.index("]", at)
        yield text[at + len(below) : end].split(" ", 1)[0], _GROUP
        at = text.find(below, end)
    start = text.find(f"\n[{group}]\n")
    if start < 0:
        return
    start += len(group) + 4
    end = text.find("\n[", start)
    for line in text[start : end if end >= 0 else len(text)].splitlines():
        name, _, options = line.partition(" ")
        if name:
            yield name, _spelled_out(text, options)


def _spelled_out(text: str, options: str) -> str:
    """``options`` with the lists that they name."""
    if not options.startswith("="):
        return options
    start = text.index(f"\n{options} ") + len(options) + 2
    return text[start : text.index("\n", start)]
