"""JSON with comments and trailing commas, as editors and agents write their settings, to plain values."""

from __future__ import annotations

from typing import Any, cast

from execpolicy.exchange.settings_text import BrokenSettingsError, broken, of_kind, parse_settings
from execpolicy.source import Source


def parse_jsonc(source: Source) -> Any:
    """The value that ``source`` holds; of a key that stands twice the last value, as in the agents themselves.

    Raises:
        RuleFileError: it is no such text; line and column are those of the file.
    """
    try:
        return parse_settings(source.name, source.text).value
    except BrokenSettingsError as error:
        raise broken(source, error.what, error.at) from None


def parse_object(source: Source) -> dict[str, Any]:
    """The settings that ``source`` holds.

    Raises:
        RuleFileError: it is no such text, or no object.
    """
    settings = parse_jsonc(source)
    of_kind(source, settings, dict, "the whole file")
    return cast("dict[str, Any]", settings)
