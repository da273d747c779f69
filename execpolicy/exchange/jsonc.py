"""JSON with comments and trailing commas, as editors and agents write their settings, to plain values."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

from execpolicy.exchange.broken_settings import broken

if TYPE_CHECKING:
    from execpolicy.source import Source

_SKIPPED = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n\r]*|/\*.*?\*/|/\*', re.DOTALL)
_TRAILING = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[\]}])')
_BLANKED = re.compile(r"[^\n\r]")


def parse_jsonc(source: Source) -> Any:
    """The value that ``source`` holds; of a key that stands twice the last value, as in the agents themselves.

    Raises:
        RuleFileError: it is no such text; line and column are those of the file.
    """
    text = source.text
    text = (" " if text.startswith("\ufeff") else "") + text.removeprefix("\ufeff")

    def comment_as_blanks(found: re.Match[str]) -> str:
        if found[0] == "/*":
            raise broken(source, "a comment is not closed", found.start())
        return found[0] if found[0].startswith('"') else _BLANKED.sub(" ", found[0])

    def comma_as_blank(found: re.Match[str]) -> str:
        return " " if found[0] == "," and _behind_a_value(bare, found.start()) else found[0]

    bare = _SKIPPED.sub(comment_as_blanks, text)  # the same length, so that offsets stay what they are
    plain = _TRAILING.sub(comma_as_blank, bare)
    try:
        return json.loads(plain, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise broken(source, _in_words(error.msg), error.pos) from None
    except RecursionError:
        raise broken(source, "it is nested too deep") from None
    except ValueError as error:
        raise broken(source, str(error)) from None


def _behind_a_value(text: str, comma: int) -> bool:
    """Whether a comma ends a value: ``[,]`` is a mistake, ``[1,]`` is not."""
    return text[:comma].rstrip()[-1:] not in ("", ",", "[", "{", ":")


def _in_words(message: str) -> str:
    return message[:1].lower() + message[1:]


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is no JSON value")
