"""The closed list of what an allow may rest on, which is in ``grammar/grounds.txt``.

Every allow carries its grounds and each of them is of a kind listed there; a kind claims one thing about the shell or
about a program. A new way to allow is a new row, with an attack that tries to make its claim false and a mutation that
the attack finds (``tests/attacks``), or it does not exist. ``docs/evidence/grounds.md`` is written from this list.
"""

from __future__ import annotations

from execpolicy.resources import grammar_folder
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Reach: TypeAlias = Literal["none", "plain", "flow"]

NONE: Reach = "none"
PLAIN: Reach = "plain"
FLOW: Reach = "flow"
REACHES = (NONE, PLAIN, FLOW)
"""How far grants may go, narrowest first: the setting ``grants``."""

SHELLS = "bash 5.2.15, dash 0.5.12, zsh 5.9, mksh R59c, busybox ash 1.35"
_TRIED = {"shells": SHELLS, "korn": SHELLS + ", ksh93 u+m 1.0.4", "any": "any: it is about the program"}


@value
class GroundKind:
    """A kind of ground.

    Attributes:
        code: stable, for programs and for the audit trail.
        reach: the narrowest setting of ``grants`` under which it may be used.
        tried: the shells and versions with which its attack was run.
        rests_on: codes of other kinds without which it claims nothing.
        claim: what it says about the shell or the program.
    """

    code: str
    reach: Reach
    tried: str
    rests_on: tuple[str, ...]
    claim: str


def _kinds() -> dict[str, GroundKind]:
    with open(f"{grammar_folder()}/grounds.txt", encoding="utf-8") as opened:
        _, *paragraphs = opened.read().split("\n\n")
    found: dict[str, GroundKind] = {}
    for paragraph in paragraphs:
        head, _, claim = paragraph.partition("\n")
        code, reach, tried, *rests_on = head.split()
        level = REACHES[REACHES.index(reach)]
        found[code] = GroundKind(code, level, _TRIED[tried], tuple(rests_on), " ".join(claim.split()))
    return found


KINDS = _kinds()


def beyond(code: str, reach: Reach) -> bool:
    """True if grounds of this kind may not be used under the setting ``grants = reach``."""
    return REACHES.index(KINDS[code].reach) > REACHES.index(reach)
