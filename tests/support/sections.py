"""``docs/evidence/reliability.md``, of which each part is made by the program that measured it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.machine import made_by

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "reliability.md"


def put_section(heading: str, command: str, lines: Sequence[str], page: Path = PAGE) -> None:
    """Put what ``command`` measured in place of what ``## heading`` says, or at the end."""
    text = page.read_text(encoding="utf-8")
    start = f"\n## {heading}\n"
    made = start + f"\n{made_by(command)}\n\n" + "\n".join(lines).strip("\n") + "\n"
    before, found, rest = text.partition(start)
    _, more, after = rest.partition("\n## ")
    page.write_text((before if found else text.rstrip("\n") + "\n") + made + more + after, encoding="utf-8")
