"""The commands of a ``sed`` script that run a program or name a file.

There are two readings. The strict one, to grant, takes no construct that runs over several lines; where implementations
disagree (is a delimiter inside a bracket expression one?), the script has to be harmless both ways. The other one, to
restrict, goes on where the strict one stops.
Source: sed(1) of GNU sed 4.9 with its ``compile.c``, POSIX.1-2017, the sed of FreeBSD and of macOS.
"""

from __future__ import annotations

from _collections_abc import Iterator

_ALONE = "=dDgGhHnNpPxzF"
_NUMBERED = "lqQ"
_TEXT = "aic"
_JUMP = "btT"
_FILES = "rRwW"
_BLANK = " \t"
_STREAMS = frozenset(["/dev/null", "/dev/stdout", "/dev/stderr"])
"""Files that are no more than what is printed anyway."""
_REFUSED = {
    "e": "runs a program (`e`)",
    "s///e": "runs a program (`s///e`)",
    "r": "reads another file (`r`)",
    "R": "reads another file (`R`)",
    "W": "writes to a file (`W`)",
}
_READINGS = (("no", False), ("posix", False), ("posix", True), ("busybox", False), ("busybox", True))

Found = Iterator[tuple[str, str]]
"""The name of a command (``e``, ``w``, ``s///w`` …), and what it runs or the file that it names."""


class _BadScript(Exception):
    """The script is not understood by every sed; the argument says why."""


def script_refusal(text: str) -> str | None:
    """Returns why the script ``text`` may do more than print, or ``None`` if it only prints."""
    if (len(text) - len(text.rstrip("\\"))) % 2:
        return "is a sed script that ends in a backslash, which takes in the next one"
    for brackets, everywhere in _READINGS if "[" in text else _READINGS[:1]:
        try:
            for name, argument in _Script(text, brackets, everywhere, strict=True).read():
                if name in _REFUSED:
                    return f"is a sed script that {_REFUSED[name]}"
                if argument not in _STREAMS:
                    return f"is a sed script that writes to a file (`{name}`)"
        except _BadScript as bad:
            return f"is a sed script that {bad}"
    return None


def possible_commands(text: str) -> Found:
    """Yields what the script ``text`` may run, read and write."""
    return _Script(text, "posix", everywhere=False, strict=False).read()


class _Script:
    """Reads one script.

    Args:
        brackets: where a delimiter inside ``[…]`` is an ordinary character: ``no``, ``posix`` or ``busybox``, which
            knows no classes in them.
        everywhere: they count in ``y`` too.
        strict: reading ends at what is not understood.
    """

    __slots__ = ("at", "brackets", "depth", "everywhere", "jumped", "strict", "text")

    def __init__(self, text: str, brackets: str, everywhere: bool, *, strict: bool) -> None:
        self.text = text
        self.at = 0
        self.brackets = brackets
        self.everywhere = everywhere
        self.depth = 0
        self.jumped = -1
        self.strict = strict

    def _bad(self, why: str) -> None:
        if self.strict:
            raise _BadScript(why)

    def read(self) -> Found:
        """Yields what the commands run, read and write."""
        if "\r" in self.text or "\0" in self.text:
            self._bad("holds a control character")
        while True:
            self._skip(_BLANK + ";\n")
            char = self._peek()
            if char == "":
                if self.depth:
                    self._bad("ends inside a block")
                return
            if char == "#":
                self._line()
            elif char == "}":
                self._close()
            else:
                yield from self._command()

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _next(self) -> str:
        char = self._peek()
        self.at += 1
        return char

    def _skip(self, chars: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1

    def _line(self) -> None:
        newline = self.text.find("\n", self.at)
        line = self.text[self.at : newline] if newline >= 0 else self.text[self.at :]
        if line.endswith("\\"):
            self._bad("goes on behind a backslash at the end of a line")
        self.at += len(line)

    def _close(self) -> None:
        self.at += 1
        self.depth -= 1
        if self.depth < 0:
            self._bad("closes a block that is not open")
        self._end_of_command()

    def _digits(self) -> str:
        start = self.at
        self._skip("0123456789")
        return self.text[start : self.at]

    def _address(self) -> bool:
        char = self._peek()
        if char == "$":
            self.at += 1
        elif char.isascii() and char.isdigit():
            self._digits()
            self._skip(_BLANK)
            if self._peek() == "~":
                self.at += 1
                self._digits()
        elif char == "/":
            self.at += 1
            self._part("/", regex=True)
            self._skip("IM")
        elif char == "\\":
            self.at += 1
            self._part(self._delimiter(), regex=True)
            self._skip("IM")
        else:
            return False
        return True

    def _addresses(self) -> None:
        if not self._address():
            return
        self._skip(_BLANK)
        if self._peek() == ",":
            self.at += 1
            self._skip(_BLANK)
            if self._peek() in ("+", "~"):
                self.at += 1
                if not self._digits():
                    self._bad("has an address that cannot be read")
            elif not self._address():
                self._bad("has an address that cannot be read")
            self._skip(_BLANK)

    def _command(self) -> Found:
        self._addresses()
        self._skip(_BLANK)
        while self._peek() == "!":
            self.at += 1
            self._skip(_BLANK)
        char = self._next()
        if char == "{":
            self.depth += 1
        elif char == "" or char == "}":
            self._bad("has an address without a command")
        elif char in _ALONE:
            self._end_of_command()
        elif char in _NUMBERED:
            self._skip(_BLANK)
            self._digits()
            self._end_of_command()
        elif char in _TEXT:
            self._text()
        elif char in _JUMP or char == ":":
            self._label(required=char == ":")
        elif char == "s":
            yield from self._substitution()
        elif char == "y":
            delimiter = self._delimiter()
            self._part(delimiter, regex=self.everywhere)
            self._part(delimiter, regex=False)
            self._end_of_command()
        elif char == "e" or char in _FILES:
            yield char, self._argument()
        else:
            self._bad(f"has the command `{char}`, which is not on the list")

    def _delimiter(self) -> str:
        char = self._next()
        if not char or not char.isascii() or not char.isprintable() or char in "\\ []":
            self._bad("has an unusual delimiter")
        return char

    def _part(self, delimiter: str, *, regex: bool) -> str:
        """The text up to the next unescaped ``delimiter``, which is skipped, too."""
        start = self.at
        while True:
            char = self._next()
            if char == "\\":
                if self._next() in ("", "\n"):
                    self._bad("runs over several lines inside a pattern")
                continue
            if char in ("", "\n"):
                self._bad("has a pattern without an end")
            if char in ("", delimiter):
                return self.text[start : self.at - 1]
            if char == "[" and regex and self.brackets != "no":
                self._bracket()

    def _bracket(self) -> None:
        """Skip a bracket expression whose ``[`` was read; one without an end is taken for a plain ``[``."""
        at = self.at
        if self.text[at : at + 1] == "^":
            at += 1
        if self.text[at : at + 1] == "]":
            at += 1
        while at < len(self.text) and self.text[at] not in "]\n":
            if self.brackets == "posix" and self.text[at : at + 2] in ("[:", "[.", "[="):
                close = self.text.find(self.text[at + 1] + "]", at + 2)
                at = close + 2 if close > 0 else at + 2
            else:
                at += 1
        if self.text[at : at + 1] == "]":
            self.at = at + 1

    def _substitution(self) -> Found:
        delimiter = self._delimiter()
        self._part(delimiter, regex=True)
        replacement = self._part(delimiter, regex=False)
        while (char := self._peek()) and char in "gpiIMm0123456789ew":
            self.at += 1
            if char == "w":
                yield "s///w", self._argument()
                return
            if char == "e":
                yield "s///e", replacement.replace(f"\\{delimiter}", delimiter).replace("\\&", "&")
        self._end_of_command()

    def _argument(self) -> str:
        """The rest of the line: for every sed the name of a file ends there."""
        self._skip(_BLANK)
        start = self.at
        self._line()
        return self.text[start : self.at]

    def _label(self, *, required: bool) -> None:
        self._skip(_BLANK)
        start = self.jumped = self.at
        while (char := self._peek()) and (char.isascii() and (char.isalnum() or char == "_")):
            self.at += 1
        while not self.strict and self._peek() not in ("", ";", "\n", "}"):
            self.at += 1
        if required and start == self.at:
            self._bad("has an unusual label")
        self._end_of_command()

    def _text(self) -> None:
        """The text of ``a``, ``i`` or ``c``: all that is left, which must be on one line."""
        self._skip(_BLANK)
        if self._peek() == "\\":
            self.at += 1
            blank = self._peek() in _BLANK and self._peek() != ""
            self._skip(_BLANK)
            if self._peek() == "\n":
                if blank:  # GNU and busybox sed take the blanks for the text and go on behind the newline
                    self._bad("has blanks between the backslash of `a`, `i` or `c` and the end of the line")
                self.at += 1
        if self.jumped >= 0 and "\n" in self.text[self.jumped : self.at]:
            # for some a label goes on to the end of the line, and takes the `a\` with it
            self._bad("has text on several lines behind a label")
        if "\n" in self.text[self.at :]:
            self._bad("goes on behind the text of `a`, `i` or `c`")
        if self.depth:
            self._bad("has text inside a block that is not closed")
        while (line := self.text.find("\n", self.at)) > 0 and self.text[line - 1] == "\\":
            self.at = line + 1
        self.at = line if line >= 0 else len(self.text)

    def _end_of_command(self) -> None:
        self._skip(_BLANK)
        char = self._peek()
        if char in ("", "}"):  # no comment here: busybox takes it for a part of a label
            return
        if char not in ";\n":
            self._bad(f"goes on with `{char}` behind a command")
        else:
            self.at += 1
