"""Scripts of ``sed`` that only edit and print the text that flows through.

The reader is stricter than any sed. It takes no construct that runs over several lines. Where implementations disagree
(is a delimiter inside a bracket expression one?), the script has to be harmless both ways.
Source: sed(1) of GNU sed 4.9 with its ``compile.c``, POSIX.1-2017, the sed of FreeBSD and of macOS.
"""

from __future__ import annotations

_ALONE = "=dDgGhHnNpPxzF"
_NUMBERED = "lqQ"
_TEXT = "aic"
_JUMP = "btT"
_BLANK = " \t"
_STREAMS = frozenset(["/dev/null", "/dev/stdout", "/dev/stderr"])
"""Files that are no more than what is printed anyway."""
_READINGS = (("no", False), ("posix", False), ("posix", True), ("busybox", False), ("busybox", True))


class _BadScript(Exception):
    """The script is not known to be harmless; the argument says why."""


def script_refusal(text: str) -> str | None:
    """Returns what is wrong with the script ``text``, or ``None`` if it only prints."""
    if (len(text) - len(text.rstrip("\\"))) % 2:
        return "is a sed script that ends in a backslash, which takes in the next one"
    for brackets, everywhere in _READINGS if "[" in text else _READINGS[:1]:
        try:
            _Script(text, brackets, everywhere).read()
        except _BadScript as bad:
            return f"is a sed script that {bad}"
    return None


class _Script:
    """Reads one script.

    Args:
        brackets: where a delimiter inside ``[…]`` is an ordinary character: ``no``, ``posix`` or ``busybox``, which
            knows no classes in them.
        everywhere: they count in ``y`` too.
    """

    __slots__ = ("at", "brackets", "depth", "everywhere", "jumped", "text")

    def __init__(self, text: str, brackets: str, everywhere: bool) -> None:
        self.text = text
        self.at = 0
        self.brackets = brackets
        self.everywhere = everywhere
        self.depth = 0
        self.jumped = -1

    def read(self) -> None:
        if "\r" in self.text or "\0" in self.text:
            raise _BadScript("holds a control character")
        while True:
            self._skip(_BLANK + ";\n")
            char = self._peek()
            if char == "":
                if self.depth:
                    raise _BadScript("ends inside a block")
                return
            if char == "#":
                self._line()
            elif char == "}":
                self._close()
            else:
                self._command()

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
            raise _BadScript("goes on behind a backslash at the end of a line")
        self.at += len(line)

    def _close(self) -> None:
        self.at += 1
        self.depth -= 1
        if self.depth < 0:
            raise _BadScript("closes a block that is not open")
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
                    raise _BadScript("has an address that cannot be read")
            elif not self._address():
                raise _BadScript("has an address that cannot be read")
            self._skip(_BLANK)

    def _command(self) -> None:
        self._addresses()
        self._skip(_BLANK)
        while self._peek() == "!":
            self.at += 1
            self._skip(_BLANK)
        char = self._next()
        if char == "{":
            self.depth += 1
        elif char == "" or char == "}":
            raise _BadScript("has an address without a command")
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
            self._substitution()
        elif char == "y":
            delimiter = self._delimiter()
            self._part(delimiter, regex=self.everywhere)
            self._part(delimiter, regex=False)
            self._end_of_command()
        elif char == "w":
            self._written("w")
        elif char in "WrRe":
            what = "runs a program" if char == "e" else "writes to a file" if char == "W" else "reads another file"
            raise _BadScript(f"{what} (`{char}`)")
        else:
            raise _BadScript(f"has the command `{char}`, which is not on the list")

    def _delimiter(self) -> str:
        char = self._next()
        if not char or not char.isascii() or not char.isprintable() or char in "\\ []":
            raise _BadScript("has an unusual delimiter")
        return char

    def _part(self, delimiter: str, *, regex: bool) -> None:
        """Skip the text up to and with the next unescaped ``delimiter``."""
        while True:
            char = self._next()
            if char == "\\":
                char = self._next()
                if char in ("", "\n"):
                    raise _BadScript("runs over several lines inside a pattern")
            elif char in ("", "\n"):
                raise _BadScript("has a pattern without an end")
            elif char == delimiter:
                return
            elif char == "[" and regex and self.brackets != "no":
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

    def _substitution(self) -> None:
        delimiter = self._delimiter()
        self._part(delimiter, regex=True)
        self._part(delimiter, regex=False)
        while True:
            char = self._peek()
            if char and char in "gpiIMm0123456789":
                self.at += 1
            elif char == "e":
                raise _BadScript("runs a program (`s///e`)")
            elif char == "w":
                self.at += 1
                self._written("s///w")
                return
            else:
                break
        self._end_of_command()

    def _written(self, command: str) -> None:
        self._skip(_BLANK)
        start = self.at
        self._line()  # for every sed the name ends where the line ends
        if self.text[start : self.at] not in _STREAMS:
            raise _BadScript(f"writes to a file (`{command}`)")

    def _label(self, *, required: bool) -> None:
        self._skip(_BLANK)
        start = self.jumped = self.at
        while self._peek().isascii() and (self._peek().isalnum() or self._peek() == "_"):
            self.at += 1
        if required and start == self.at:
            raise _BadScript("has an unusual label")
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
                    raise _BadScript("has blanks between the backslash of `a`, `i` or `c` and the end of the line")
                self.at += 1
        if self.jumped >= 0 and "\n" in self.text[self.jumped : self.at]:
            # for some a label goes on to the end of the line, and takes the `a\` with it
            raise _BadScript("has text on several lines behind a label")
        if "\n" in self.text[self.at :]:
            raise _BadScript("goes on behind the text of `a`, `i` or `c`")
        if self.depth:
            raise _BadScript("has text inside a block that is not closed")
        self.at = len(self.text)

    def _end_of_command(self) -> None:
        self._skip(_BLANK)
        char = self._peek()
        if char in ("", "}"):  # no comment here: busybox takes it for a part of a label
            return
        if char not in ";\n":
            raise _BadScript(f"goes on with `{char}` behind a command")
        self.at += 1
