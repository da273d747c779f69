"""Probes of five systems, written from their pages alone: a line of Python each, with the answer that the page gives.

``tests/support/probing.py`` holds the short forms in which they are written.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import execpolicy as ep
from tests.support import probing

PROBES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "probes.jsonl").read_text("utf-8").splitlines()
]  # fmt: skip
PAGES = Path(__file__).parents[2] / "docs"
NAMES = {"ep": ep, **vars(probing)}


@pytest.mark.parametrize("probe", PROBES, ids=[f"{at} {one['run'][:60]}" for at, one in enumerate(PROBES)])
def test_what_the_page_says_is_so(probe: dict[str, Any]) -> None:
    assert eval(probe["run"], NAMES) == probe["answer"]


def test_every_system_is_probed() -> None:
    assert len({probe["run"] for probe in PROBES}) >= 186
    assert len({probe["doc"] for probe in PROBES}) == 5
    for page, _, section in {probe["doc"].partition("#") for probe in PROBES}:
        headings = re.findall(r"^## (.*)$", (PAGES / page).read_text("utf-8"), re.MULTILINE)
        assert not section or section in [heading.lower().replace(" ", "-") for heading in headings]
