"""Every rule example in docs/language.md and the README loads."""

import re
from pathlib import Path

import pytest

from execpolicy.lang.compile import compile_source
from execpolicy.lang.scan import BUILTINS
from execpolicy.lang.statements import _HOST_EXECUTABLE, _NETWORK_RULE, _PREFIX_RULE, _WRITE_RULE
from execpolicy.safety.dangers import _KEYS as DANGER_KEYS
from execpolicy.safety.entries import _OWN
from execpolicy.safety.grammar import KEYS as GRAMMAR_KEYS
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


def test_every_builtin_and_every_parameter_stands_on_a_page() -> None:
    pages = {name: (ROOT / "docs" / name).read_text("utf-8") for name in ("language.md", "heuristics.md")}
    summary = pages["language.md"].partition("\n## ")[0]
    assert [name for name in BUILTINS if f"[`{name}`](#" not in summary] == []
    for anchor in re.findall(r"\]\(#([a-z_-]+)\)", summary):
        headings = re.findall(r"^#+ (.*)$", pages["language.md"], re.MULTILINE)
        assert anchor in [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]
    for table in (_PREFIX_RULE, _NETWORK_RULE, _HOST_EXECUTABLE, _WRITE_RULE, (("unless",), ("spelling",))):
        assert [name for name, *_ in table if f"`{name}`" not in pages["language.md"]] == []
    known = {*_OWN, *GRAMMAR_KEYS, *DANGER_KEYS}
    assert sorted(name for name in known if f"`{name}`" not in pages["heuristics.md"] + pages["language.md"]) == []
