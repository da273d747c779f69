"""The operations of a vendor's program that only read, from ``grammar/operations/NAME.txt``.

Such a file is made from the vendor's own description of the program (``python -m tests.operations``); its head says
which. ``[group of words]`` opens the operations of one group, each a line: its name, and its options without dashes
(``name:`` takes a value); ``=3`` means the third list of options. What is not in the file does
more than reading, or is not known to only read.
"""

from __future__ import annotations

from _collections_abc import Iterator, Mapping

from execpolicy.errors import InvalidRuleError
from execpolicy.resources import grammar_folder
from execpolicy.safety.checks import spellings

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
                f"{where}: there are no operations of `{name}`", help="they lie in grammar/operations"
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
