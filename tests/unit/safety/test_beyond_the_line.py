"""Scripts beyond the line: ``docs/guarantees.md`` does not promise to forbid them, and says why.

``tests/data/corpora/beyond.jsonl``: ``script``, maybe ``shell``, the rules that forbid what it does, and the number of
the paragraph of "Not promised". No rule allows the interpreter, the builder or the shell.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support.judging import decision

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "corpora" / "beyond.jsonl").read_text("utf-8").splitlines()
]
MAY_BE_ALLOWED = (4, "allow 6")
"""What entries alone may allow: reads through names, and names that the text spells out (guarantee 6 of *allow*)."""


@pytest.mark.parametrize("paragraph", sorted({row["paragraph"] for row in ROWS}, key=str))
def test_what_is_not_promised_still_asks(paragraph: int | str) -> None:
    rows = [row for row in ROWS if row["paragraph"] == paragraph]
    got = {row["script"]: decision(row["script"], row.get("rules", ""), shell=row.get("shell", "bash")) for row in rows}
    if paragraph in MAY_BE_ALLOWED:
        assert set(got.values()) <= {"allow", "prompt"}
    else:
        assert "allow" not in Counter(got.values()), [script for script, answer in got.items() if answer == "allow"]
