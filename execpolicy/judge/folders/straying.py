"""Whether a command leaves the folder that it is judged for: an allow rule was written for what lies there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing


def strays(standing: Standing, situation: Situation) -> bool:
    """Whether what stands there may be outside of the project.

    A folder below the one that the script starts in, or below the project root, is inside, also by its absolute path;
    so is the one that a link leads to.
    """
    inside = [path for folder in (situation.cwd, situation.root) for path in situation.places_of(folder)]
    return not standing.folders or not all(
        _is_below(situation.places_of(folder), inside) for folder in standing.folders
    )


def _is_below(paths: tuple[str, ...], inside: list[str]) -> bool:
    return bool(paths) and all(any(f"{path}/".startswith(f"{each}/") for each in inside) for path in paths)
