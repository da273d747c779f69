"""Every rule example in docs/language.md and the README loads."""

import re
from pathlib import Path

import pytest

from execpolicy.lang.compile import compile_source
from execpolicy.source import Source

ROOT = Path(__file__).parents[2]
BLOCKS = [
    (f"{name}#{at}", block)
    for name in ("README.md", "docs/language.md")
    for at, block in enumerate(re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL), 1)
]


@pytest.mark.parametrize(("name", "block"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_example_loads(name: str, block: str) -> None:
    assert compile_source(Source(name, block)).statements
