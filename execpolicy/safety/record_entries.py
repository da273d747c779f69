"""The entries in a record of ``grammar/programs``: what is safe and what is dangerous, see ``docs/records.md``."""

from __future__ import annotations

import json

from execpolicy.errors import InvalidRuleError
from execpolicy.safety.entries import build_dangerous, build_safe
from execpolicy.source import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand
    from execpolicy.source import Source

    Arguments = dict[str, object]

_KINDS = {"": "flags", ":": "options", "?": "optional_values", "&": "pairs"}
"""The parameter that lists an option, by the character behind its name."""
_FLAGS = {
    "@numeric": ("numeric", True),
    "@no-clusters": ("clusters", False),
    "@no-glued": ("glued", False),
    "@no-permute": ("permute", False),
    "@no-separator": ("separator", False),
    "@options-first": ("options_first", True),
    "@connects": ("connects", True),
}
_DANGER = (
    *("subcommand", "flags", "options", "operands", "arguments", "last", "writes", "without", "piped_from"),
    *("text_from", "effect"),
)
"""Conditions of a dangerous command that are lists of words."""


class EntryError(InvalidRuleError):
    """A mistake in an entry, with its line."""

    def __init__(self, error: InvalidRuleError, line: int) -> None:
        super().__init__(error.message, help=error.help)
        self.line = line


def record_entries(source: Source) -> Iterator[SafeCommand | DangerousCommand]:
    """The entries of a record, in the order written.

    Raises:
        EntryError: an entry is not what it should be.
    """
    record = _Record(source)
    for lines in record.entries:
        try:
            yield record.entry(lines)
        except InvalidRuleError as error:
            raise EntryError(error, lines[0][0]) from None
        except ValueError as error:
            raise EntryError(
                InvalidRuleError(f"its quotes do not end where they should: {error}"), lines[0][0]
            ) from None


class _Record:
    """The paragraphs of a record that are about entries.

    Attributes:
        names: the names of its program; without a line `program` the name of the file, none if that begins with `@`.
        lists: words by ``$NAME``.
        groups: options by ``@NAME``.
        entries: the lines of each entry, with their numbers.
    """

    def __init__(self, source: Source) -> None:
        self.path = source.name
        facts = source.text.partition("\n\n")[0].replace("\n ", "  ").partition("\n")[0]
        stem = [self.path.rpartition("/")[2].removesuffix(".txt")]
        named = facts[8:].partition(":")[0].split() if facts.startswith("program ") else stem
        self.names = [] if stem[0][:1] == "@" else named
        self.lists: dict[str, list[str]] = {}
        self.groups: dict[str, list[str]] = {}
        self.entries: list[list[tuple[int, str]]] = []
        line = 1
        for paragraph in source.text.split("\n\n"):
            lines: list[tuple[int, str]] = []
            for number, text in enumerate(paragraph.split("\n"), line):
                if text[:1] == " " and lines:
                    lines[-1] = (lines[-1][0], f"{lines[-1][1]} {text.strip()}")
                elif text[:1] not in ("", "#"):
                    lines.append((number, text))
            line += paragraph.count("\n") + 2
            first = lines[0][1] if lines else ""
            if first.startswith(("safe ", "danger ")):
                self.entries.append(lines)
            elif first[:1] in ("$", "@") and not first.startswith("@kinds"):
                for _, text in lines:
                    self._define(text)

    def _define(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        if name[0] == "$":
            self.lists[name] = self.words(rest)
        else:
            self.groups[name.rstrip(":")] = self._options(rest)

    def entry(self, lines: list[tuple[int, str]]) -> SafeCommand | DangerousCommand:
        """The entry in ``lines``."""
        number, first = lines[0]
        head, _, rest = f"{first} ".partition(": ")
        kind, _, name = head.strip().partition(" ")
        programs = [word for word in rest.split() if word[0] != "@"]
        made: Arguments = {"name": name}
        if (programs or self.names) and "@any" not in rest.split():
            made["program"] = programs or self.names
        made.update({word[1:]: True for word in rest.split() if word in ("@project", "@connects")})
        tops: list[Arguments] = []
        for _, line in lines[1:]:
            key, _, text = line.partition(" ")
            if key in ("yes", "no"):
                made["match" if key == "yes" else "not_match"] = list(_scripts(text))
            elif key == "reason":
                made[key] = text
            elif key == "environment":
                variables = made.setdefault(key, {})
                assert isinstance(variables, dict)
                variable, *values = self.words(text)
                variables[variable] = values
            elif key == "obeys":
                made[key] = self.words(text)
            elif key == "piped":
                made[key] = text or True
            elif key == "input":
                made[key] = text
            elif kind == "safe":
                self._add_form(tops, line)
            elif key in _DANGER:
                made[key] = self.words(text)
            elif key == "operand_count":
                counts = [_number(word, line) for word in text.split()]
                made[key] = counts if len(counts) > 1 else counts[0]
            elif key == "ignore_case":
                made[key] = True
            else:
                raise InvalidRuleError(f"`{key}` is no condition of a dangerous command", help=", ".join(_DANGER))
        place = Place(self.path, number)
        if kind == "danger":
            return build_dangerous(made, place)
        if len(tops) == 1:
            return build_safe({**tops[0], **made}, place)
        return build_safe({**made, "alternatives": tops}, place)

    def _add_form(self, tops: list[Arguments], line: str) -> None:
        """Add the form of call in ``line`` to the alternatives of the program, or of the sub-commands that it names."""
        head, _, text = f"{line} ".partition(": ")
        for path in head.removeprefix(":").split(","):
            self._add_alternative(tops, path.split(), self._form(text))

    def _add_alternative(self, tops: list[Arguments], path: list[str], made: Arguments) -> None:
        if not path:
            tops.append(made)
            return
        if not tops:
            tops.append({})
        level = tops[-1]
        for at, part in enumerate(path):
            subcommands = level.setdefault("subcommands", {})
            assert isinstance(subcommands, dict)
            alternatives = subcommands.setdefault(part.replace("|", " "), [])
            if at == len(path) - 1:
                alternatives.append(made)
            else:
                if not alternatives:
                    alternatives.append({})
                level = alternatives[-1]

    def _form(self, text: str) -> Arguments:
        """The parameters of one form of call: options, marks, and operands behind a semicolon."""
        options, semicolon, operands = f" {text} ".partition(" ; ")
        made: Arguments = {}
        named: dict[str, dict[str, str]] = {}
        for item in self._options(options):
            mark, _, value = item.partition("=")
            if item in _FLAGS:
                parameter, said = _FLAGS[item]
                made[parameter] = said
            elif item[0] != "@":
                at = next((at for at in range(2, len(item)) if item[at] in ":?&"), len(item))
                alike = named.setdefault(_KINDS[item[at : at + 1]], {})
                value, names = item[at + 1 :], item[:at].replace(",", " ")
                alike[value] = f"{alike[value]} {names}" if value in alike else names
            elif mark == "@most":
                made["most_words"] = _number(value, item)
            elif mark in ("@values", "@last"):
                made[mark[1:]] = self._value(value)
            elif mark in ("@requires", "@command"):
                made[mark[1:]] = value.split(",")
            else:
                made[mark[1:]] = value
        for parameter, alike in named.items():
            if "" in alike and len(alike) > 1 and parameter != "flags":
                raise InvalidRuleError(f"`{alike['']}` has no form", help="write one behind each of these: `-x:any`")
            made[parameter] = alike[""] if "" in alike else {names: self._value(form) for form, names in alike.items()}
        if semicolon:
            made["operands"] = int(operands) if operands.strip().isdigit() else self._operands(operands)
        return made

    def _options(self, text: str) -> list[str]:
        """The words of ``text``, with the options that a group means."""
        return [each for word in text.split() for each in self.groups.get(word, [word])]

    def _operands(self, text: str) -> list[object]:
        found: list[object] = []
        for word in text.split():
            if word[0] in "($" and word[-1] in "*+?":
                found += [self._value(word[:-1]), word[-1]]
            else:
                found.append(self._value(word))
        return found

    def _value(self, text: str) -> object:
        """The name of a form, one of a few words in brackets, or a list with a name."""
        if text[:1] == "(":
            return text[1:-1].split("|")
        return self._list(text) if text[:1] == "$" else text

    def words(self, text: str) -> list[str]:
        """The words of a line, which are in double quotes if they contain blanks; ``$NAME`` is a list of them."""
        found: list[str] = []
        while text := text.lstrip(" "):
            if text[0] == '"':
                word, end = json.JSONDecoder().raw_decode(text)
                found.append(word)
                text = text[end:]
            else:
                word, _, text = text.partition(" ")
                found += self._list(word) if word[0] == "$" else [word]
        return found

    def _list(self, name: str) -> list[str]:
        if name not in self.lists:
            raise InvalidRuleError(f"there is no list `{name}`", help=f"write a line `{name} WORD …` in this file")
        return self.lists[name]


def _scripts(text: str) -> Iterator[str]:
    """The scripts of a line of examples: each in backquotes, in two of them as JSON writes it."""
    while text:
        mark = "``" if text.startswith("``") else "`"
        script, _, text = text.lstrip("`").partition(mark)
        yield json.loads(f'"{script}"') if mark == "``" else script
        text = text.lstrip(" ")


def _number(text: str, where: str) -> int:
    if not text.isdigit():
        raise InvalidRuleError(f"`{where}` needs a number")
    return int(text)
