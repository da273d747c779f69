"""How far grants may go.

``execpolicy.toml`` in ``/etc/execpolicy`` and in the own user folder, ``EXECPOLICY_GRANTS`` and ``--grants`` may each
say it; the narrowest of them holds, so that nobody widens what somebody else narrowed.
"""

from __future__ import annotations

from execpolicy.errors import UsageError
from execpolicy.layers.settings_file import settings_files, settings_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    Reach: TypeAlias = Literal["none", "plain", "flow"]

_REACHES: tuple[Reach, ...] = ("none", "plain", "flow")


def grants_of(asked: str | None, environ: Mapping[str, str], own_home: str | None) -> Reach:
    """How far grants may go: the narrowest of the option, the environment and the settings files.

    Raises:
        UsageError: one of them cannot be read or says something else than ``none``, ``plain`` or ``flow``.
    """
    found = [_reach(asked, "--grants"), _reach(environ.get("EXECPOLICY_GRANTS"), "EXECPOLICY_GRANTS")]
    found += [_of_file(path) for path in settings_files(own_home)]
    return min(found, key=_REACHES.index)


def _reach(word: str | None, where: str) -> Reach:
    for known in _REACHES:
        if word == known:
            return known
    if word is None or word == "":
        return "flow"
    raise UsageError(f"{where}: grants are `none`, `plain` or `flow`, not `{word}`")


def _of_file(path: str) -> Reach:
    word = settings_in(path).get("grants")
    if word is not None and not isinstance(word, str):
        raise UsageError(f"{path}: `grants` is a word in quotes: none, plain or flow")
    return _reach(word, path)
