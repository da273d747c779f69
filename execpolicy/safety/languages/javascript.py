"""Programs of JavaScript that only look at what they require, work something out and print it.

A program is read word by word and refused for what is not listed. What it requires is a package by its name or a file
of JSON, of which it calls nothing. Source: ECMA-262 and the manual of Node.js 22.
"""

from __future__ import annotations

import re

from execpolicy.core.text import word_set
from execpolicy.safety.locations import PROJECT, Location, path_refusal

_MOST = 2_000
_WORDS = re.compile(
    r"""\s*(?:(?P<text>'[^'\\\n]*'|"[^"\\\n]*")|(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<sign>===|!==|\?\.|&&|\|\||\?\?|[=!]=|[-+*/%!?:;,.(){}\[\]=]))"""
)
_PACKAGE = re.compile(r"(?:node:)?(?:@[a-z0-9][\w.-]*/)?[a-z0-9][\w.-]*(?:/package\.json)?")
_CALLED = word_set(
    "console.log console.error JSON.stringify JSON.parse Object.keys Object.values Object.entries String Number "
    "Boolean parseInt parseFloat Array.isArray Math.max Math.min Math.round Math.floor process.cwd process.exit"
)
"""Functions that only work out a value, print it, or end the program."""
_TOLD = word_set("process.version process.versions process.platform process.arch process.argv process.execPath")
_METHODS = word_set(
    "join slice split trim includes startsWith endsWith toUpperCase toLowerCase toFixed toString indexOf at"
)
"""Methods of texts, numbers and lists."""
_BETWEEN = word_set("=== !== && || ?? == != - + * / % ? : , instanceof in")
"""Operators. `<` begins a comment in `<!--`, and the types of a call in TypeScript."""


class _RefusedScript(Exception):
    """The program is not known to be harmless; the argument says why."""


class _PrintingScript:
    """A program that is not refused.

    Attributes:
        opened: the files that it reads.

    Raises:
        _RefusedScript: something in it is not listed.
    """

    def __init__(self, text: str) -> None:
        self.opened: list[str] = []
        self._words = self._split(text)
        self._at = 0
        self._own: dict[str, bool] = {}
        """The variables, and whether what they hold was worked out here, so that methods of it are known."""
        self._statements("")
        if not self._is_over:
            raise _RefusedScript(f"has `{self._words[self._at][1]}` where none is known")

    @staticmethod
    def _split(text: str) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        at, text = 0, text.rstrip()
        while at < len(text):
            word = _WORDS.match(text, at)
            if word is None or len(text) > _MOST:
                raise _RefusedScript("is not read")
            found.append((word.lastgroup or "", word.group(word.lastgroup or 0)))
            at = word.end()
        return [*found, ("end", ""), ("end", "")]

    def _next(self, *wanted: str) -> str:
        """Returns the next word, which must be one of ``wanted`` if any are named."""
        kind, word = self._words[self._at]
        if kind == "end" or (wanted and (kind == "text" or word not in wanted)):
            raise _RefusedScript(f"has `{word}` where {wanted[:1] or 'more'} is known")
        self._at += 1
        return word

    @property
    def _is_over(self) -> bool:
        return self._words[self._at][0] == "end"

    def _is(self, *words: str) -> bool:
        """True if the next word is one of ``words``."""
        kind, word = self._words[self._at]
        return kind not in ("text", "end") and word in words

    def _statements(self, end: str) -> None:
        while not (self._is_over or (end and self._is(end))):
            if self._is(";"):
                self._next()
            elif self._is("try"):
                self._try()
            elif self._is("const", "let", "var"):
                self._next()
                name = self._name()
                self._next("=")
                self._own[name] = self._expression()
            else:
                self._expression()
                if not (self._is_over or (end and self._is(end))):
                    self._next(";")

    def _name(self) -> str:
        kind, word = self._words[self._at]
        if (
            kind != "name"
            or word in self._own
            or word in ("console", "JSON", "Object", "process", "require", "Math", "Array")
        ):
            raise _RefusedScript(f"gives `{word}` a value")
        self._at += 1
        return word

    def _try(self) -> None:
        self._next("try")
        self._block()
        self._next("catch")
        if self._is("("):
            self._next()
            self._own[self._name()] = False
            self._next(")")
        self._block()

    def _block(self) -> None:
        self._next("{")
        self._statements("}")
        self._next("}")

    def _expression(self, end: str = "") -> bool:
        """Read an expression up to ``end``, and return true if its value is worked out here."""
        own = self._value()
        while self._is(*_BETWEEN) and not (end and self._is(end)):
            self._next()
            own = self._value() and own
        return own

    def _value(self) -> bool:
        while self._is("!", "-", "typeof"):
            self._next()
        kind, word = self._words[self._at]
        if kind == "name":
            return self._behind(self._named())
        self._next()
        if kind in ("text", "number"):
            return self._behind(True)
        if word not in ("(", "["):
            raise _RefusedScript(f"has `{word}` where a value is known")
        own = True if self._is("]") else self._expression()
        self._next(")" if word == "(" else "]")
        return self._behind(own)

    def _named(self) -> bool:
        """Read a name with what it means, and return true if its value is worked out here."""
        name = self._next()
        if name == "require":
            return self._required()
        if name in self._own:
            return self._own[name]
        while self._is(".") and f"{name}.{self._words[self._at + 1][1]}" in _CALLED | _TOLD:
            self._next()
            name = f"{name}.{self._next()}"
        if name in _CALLED:
            self._next("(")
            self._arguments(alone=name.startswith("JSON."))
            return True
        if name not in _TOLD and name not in ("null", "undefined", "true", "false"):
            raise _RefusedScript(f"uses `{name}`")
        return True

    def _required(self) -> bool:
        if self._is("."):
            self._next()
            self._next("resolve")
        self._next("(")
        name = self._text()
        self._next(")")
        if name.endswith(".json") and name[:1] == ".":
            self._open(name)
        elif _PACKAGE.fullmatch(name) is None:
            raise _RefusedScript(f"requires `{name}`")
        if name in ("fs", "node:fs") and self._is("."):
            self._next()
            self._next("readFileSync")
            self._next("(")
            self._open(self._text())
            if self._is(","):
                self._next()
                self._text()
            self._next(")")
            return True
        return False

    def _text(self) -> str:
        kind, word = self._words[self._at]
        if kind != "text":
            raise _RefusedScript("names what only the run knows")
        self._at += 1
        return word[1:-1]

    def _open(self, path: str) -> None:
        refused = path_refusal(path)
        if refused is not None:
            raise _RefusedScript(f"reads `{path}`, which {refused}")
        self.opened.append(path)

    def _arguments(self, *, alone: bool = False) -> None:
        """Read the arguments. ``alone``: behind the first there must be no function, which would be called."""
        while not self._is(")"):
            self._expression("," if alone else "")
            while alone and self._is(","):
                self._next()
                kind = self._words[self._at][0]
                if self._next() != "null" and kind not in ("number", "text"):
                    raise _RefusedScript("hands a function on")
            if not self._is(")"):
                raise _RefusedScript("has no end")
        self._next(")")

    def _behind(self, own: bool) -> bool:
        """Read the attributes and methods behind a value, and return true if the last is worked out here."""
        while self._is(".", "?.", "["):
            if self._next() == "[":
                self._expression()
                self._next("]")
                continue
            name = self._next()
            if self._is("("):
                if not own or name not in _METHODS:
                    raise _RefusedScript(f"calls `{name}`")
                self._next()
                self._arguments()
        return own


def program_refusal(text: str) -> str | None:
    """The objection to the program ``text``, or ``None`` if it only requires, looks at, works out and prints."""
    try:
        _PrintingScript(text)
    except (_RefusedScript, RecursionError) as refused:
        return f"is a JavaScript program that {refused}"
    return None


def program_locations(text: str) -> tuple[Location, ...]:
    """The files that the program ``text``, which is not refused, opens: they must be in the project."""
    return tuple([Location(path, (PROJECT,)) for path in _PrintingScript(text).opened])
