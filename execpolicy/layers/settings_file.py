"""``execpolicy.toml``: settings of the machine and of the user that are no rules."""

from __future__ import annotations

from execpolicy.errors import UsageError
from execpolicy.named_files import read_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KNOWN = ("grants", "hook")


def settings_in(path: str) -> dict[str, Any]:
    """The settings in a file.

    Raises:
        UsageError: it cannot be read, is no TOML, or holds a setting that there is not.
    """
    import tomllib

    try:
        settings = tomllib.loads(read_named(path).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # TOML's and Unicode's own errors are ValueErrors
        raise UsageError(f"{path}: {error}") from error
    unknown = sorted(settings.keys() - {*_KNOWN})
    if unknown:
        raise UsageError(
            f"{path}: there is no setting `{unknown[0]}`; known are {', '.join(map('`{}`'.format, _KNOWN))}"
        )
    return settings
