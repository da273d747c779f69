"""Settings of the machine and the user that are no rules: how far grants may go.

``execpolicy.toml`` in ``/etc/execpolicy`` and in the own user folder, ``EXECPOLICY_GRANTS`` and ``--grants`` may each
say it; the narrowest of them holds, so that nobody widens what somebody else narrowed.
"""

from __future__ import annotations

import os

from execpolicy.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    Reach: TypeAlias = Literal["none", "plain", "flow"]

MACHINE_FOLDER = "/etc/execpolicy"
FILE = "execpolicy.toml"
_REACHES: tuple[Reach, ...] = ("none", "plain", "flow")


def grants_of(asked: str | None, environ: Mapping[str, str], own_home: str | None) -> Reach:
    """How far grants may go: the narrowest of the option, the environment and the settings files.

    Raises:
        UsageError: one of them cannot be read or says something else than ``none``, ``plain`` or ``flow``.
    """
    found = [_reach(asked, "--grants"), _reach(environ.get("EXECPOLICY_GRANTS"), "EXECPOLICY_GRANTS")]
    for folder in (MACHINE_FOLDER, own_home):
        path = "" if folder is None else f"{folder}/{FILE}"
        if path and os.path.exists(path):
            found.append(_of_file(path))
    return min(found, key=_REACHES.index)


def _reach(word: str | None, where: str) -> Reach:
    for known in _REACHES:
        if word == known:
            return known
    if word is None or word == "":
        return "flow"
    raise UsageError(f"{where}: grants are `none`, `plain` or `flow`, not `{word}`")


def _of_file(path: str) -> Reach:
    import tomllib

    try:
        with open(path, "rb") as file:
            settings = tomllib.load(file)
    except (OSError, ValueError, RecursionError) as error:  # TOML's and Unicode's own errors are ValueErrors
        raise UsageError(f"{path}: {error}") from error
    unknown = sorted(settings.keys() - {"grants"})
    if unknown:
        raise UsageError(f"{path}: there is no setting `{unknown[0]}`; known is `grants`")
    word = settings.get("grants")
    if word is not None and not isinstance(word, str):
        raise UsageError(f"{path}: `grants` is a word in quotes: none, plain or flow")
    return _reach(word, path)
