"""Ways that experts found past the tool: what must not be allowed is not, and what must be forbidden is.

``tests/data/corpora/attacks.jsonl``: ``cls``, ``script``, ``must``, maybe ``rules`` and ``shell``.
"""

import json
from pathlib import Path

import pytest

from tests.support.judging import decision

ATTACKS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "corpora" / "attacks.jsonl").read_text("utf-8").splitlines()
]


def holds(attack: dict[str, str]) -> bool:
    found = decision(attack["script"], attack.get("rules", ""), shell=attack.get("shell", "bash"))
    return found == "forbidden" if attack["must"] == "forbidden" else found != "allow"


@pytest.mark.parametrize("kind", sorted({attack["cls"] for attack in ATTACKS}))
def test_a_class_of_attacks(kind: str) -> None:
    through = [attack["script"] for attack in ATTACKS if attack["cls"] == kind and not holds(attack)]
    assert not through
