"""What ``docs/evidence/reliability.md`` says of faults."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap

from tests.faults.commands import COMMANDS
from tests.faults.faults import FAULTS, STAGES
from tests.faults.laboratory import PATIENCE_S, Tally

KILLED = "killed"
"""The row of stepping through system calls."""

_HOW = (
    "Every command that decides is asked about something forbidden; the agent under `arbiter` and the command "
    f"under `run` would leave a file behind if they were let. Signals come at {len(STAGES)} stages of a run, "
    "counted by the files that it opens."
)
_WORDS = (
    "*As without it*: same status, same output, same files. *Ended closed*: an error, or no milder decision. "
    f"*Hung*: no end in {PATIENCE_S:g} s. *Lost*: a file that is neither what it was nor what it should become,"
    " something left behind, or status 0 although not everything was done and said. *Laxer*: an allow, a "
    "success or a command that ran, where without the fault there was none."
)
_KILLED = (
    "And `SIGKILL`, before each system call that can change a file, in every command that writes. Afterwards "
    "each file is what it was or what it should become, and the same command ends as if nothing had been, or "
    "as a second run of it, with nothing left over:"
)


def tables(rows: Mapping[str, Mapping[str, Tally]]) -> list[str]:
    """The section: ``rows`` holds the tallies by command and kind of fault."""
    by_kind: dict[str, Tally] = {}
    killed: dict[str, Tally] = {}
    for command, kinds in rows.items():
        for kind, tally in kinds.items():
            if kind == KILLED:
                killed[command] = tally
            else:
                by_kind.setdefault(kind, Tally()).add(tally)
    wrong = [one for kinds in rows.values() for tally in kinds.values() for one in tally.wrong]
    names = ", ".join(f"`{name}`" for name in rows)
    left = [f"`{command.name}`" for command in COMMANDS if command.name not in rows]
    return [
        *wrap(f"{len(FAULTS)} faults in each of {len(rows)} commands ({names}).", 120),
        *wrap(f"Not yet in these tables: {', '.join(left)}." if left else "", 120),
        *wrap(_HOW, 120),
        "",
        *wrap(_WORDS, 120),
        "",
        *_table("fault", by_kind),
        "",
        *wrap(_KILLED, 120),
        "",
        *_table("command", killed),
        *(("", "What went wrong:", "", *[f"* `{one}`" for one in wrong]) if wrong else ()),
    ]


def _table(first: str, rows: Mapping[str, Tally]) -> list[str]:
    total = Tally()
    for tally in rows.values():
        total.add(tally)
    return [
        f"| {first} | tries | as without it | ended closed | hung | lost | laxer |",
        "|---|--:|--:|--:|--:|--:|--:|",
        *[_row(name if first == "fault" else f"`{name}`", tally) for name, tally in rows.items()],
        _row("**all**", total),
    ]


def _row(name: str, tally: Tally) -> str:
    cells = (tally.tries, tally.same, tally.closed, len(tally.hung), len(tally.lost), len(tally.laxer))
    return f"| {name} | {' | '.join(map(str, cells))} |"
