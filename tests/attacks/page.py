"""Writes ``docs/evidence/grounds.md`` from the closed list, the attacks and the counts of their last long run.

python -m tests.attacks.page
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path

from execpolicy.judge.grounds import KINDS, GroundKind
from tests.attacks.run import attacks

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evidence" / "grounds.md"
COUNTS = ROOT / "tests" / "data" / "attacks.json"
"""Ground to shell to ``[scripts made, allowed and run, leaks]``, and ``made``: when; of ``--record``."""
_HEAD = """\
# What an allow rests on

Every *allow* carries a list of *grounds*. Each ground is of one of the kinds below, and each kind claims one thing
about the shell or about a program. There is no other way to an allow: a verdict cannot be made without them. What an
allow guarantees, and what it does not, is on [another page](../guarantees.md). `execpolicy explain` prints the grounds
of every command, `check --jsonl` gives them to requests with `"grounds": true`, and the audit trail keeps their codes.

The setting `grants` (or `--grants`) says which may be used: `none`, `plain` (the first part of the list) or `flow` (all
of it, the default). Under `none` nothing is allowed but by the caller's own approval policy.

For each kind there is an attack, which writes scripts that try to make the claim false and runs those that are allowed
in real shells, in a sandbox full of bait (`tests/attacks`):

    python -m tests.attacks --count 10000          # all of them
    python -m tests.attacks variable-proven        # one

A script that was allowed must run no program that no rule allows, change no file that no write rule covers and print no
secret. Each claim is also weakened in the code (`tests/attacks/mutations.py`), and its attack must then find a leak.
`python -m tests.attacks.page` writes this page. The
[decision](../decisions/README.md#every-allow-is-made-of-grounds) says why it is done so.
"""


def page() -> str:
    """The whole page."""
    counts = json.loads(COUNTS.read_text("utf-8"))
    parts = [_HEAD, f"{counts['made']}\n", _table(counts)]
    for title, reach in (
        ("Under `plain` and `flow`", "plain"),
        ("Under `flow` only", "flow"),
        ("Always: what nobody proves", "none"),
    ):
        parts.append(f"## {title}\n")
        parts += [_kind(kind, counts) for kind in KINDS.values() if kind.reach == reach]
    return "\n".join(parts)


def _table(counts: dict[str, dict[str, list[int]]]) -> str:
    lines = ["| ground | scripts tried | allowed and run | leaks |", "|---|---:|---:|---:|"]
    for code in KINDS:
        sums = [sum(each) for each in zip(*counts.get(code, {}).values(), strict=True)] or [0, 0, 0]
        lines.append(f"| [`{code}`](#{code}) | {sums[0]:,} | {sums[1]:,} | {sums[2]:,} |")
    return "\n".join(lines) + "\n"


def _kind(kind: GroundKind, counts: dict[str, dict[str, list[int]]]) -> str:
    attack = attacks().get(kind.code)
    why = " ".join(inspect.cleandoc(getattr(attack, "__doc__", None) or "").split("\n\n", 1)[-1].split())
    rests = ", ".join(f"[`{code}`](#{code})" for code in kind.rests_on) or "nothing else"
    tried = "; ".join(
        f"{shell} {made:,} ({allowed:,} allowed, {leaks:,} leaks)"
        for shell, (made, allowed, leaks) in sorted(counts.get(kind.code, {}).items())
    )
    return (
        f"### {kind.code}\n\n{kind.claim}\n\n"
        f"* **Why, and what would break it.** {why}\n"
        f"* **Rests on** {rests}.\n"
        f"* **Tried with** {kind.tried}.\n"
        f"* **Attack** `tests/attacks/grounds/{kind.code.replace('-', '_')}.py`: {tried or 'not run yet'}.\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
