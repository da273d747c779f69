"""Whether a folder tells a program what to do: an entry says which files it obeys, the disk whether one is there."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.judge.situation import Situation


def obeyed_file(names: Sequence[str], situation: Situation) -> str | None:
    """Why a program that starts in the situation's folder may obey a file of ``names``, ``None`` if there is none.

    It lies in that folder or above it; what lies in the home folder itself is the user's own. A folder that is not
    there may be one of another machine, of which nothing is known.
    """
    try:
        starts = situation.paths_of(".")
    except ValueError:
        starts = ()
    if not starts or not os.path.isdir(starts[0]):
        return f"nobody can look whether `{situation.cwd}` holds `{names[0]}`, which it obeys"
    for start in starts:
        for folder in _upwards(start):
            for name in names if folder != situation.home else ():
                if os.path.lexists(f"{folder}/{name}"):
                    return f"it obeys `{folder}/{name}`, which can name servers, files and programs"
    return None


def _upwards(path: str) -> Iterator[str]:
    yield path.rstrip("/")
    while path not in ("", "/"):
        path = os.path.dirname(path)
        yield path.rstrip("/")
