"""Small rulebooks for tests that stand above the judge."""

from __future__ import annotations

from functools import cache

from execpolicy.judge.rulebook import Rulebook
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source

HEURISTICS = """
safe_command(name = "ls", program = "ls", reason = "lists", letters = "la", operands = "any", match = ["ls -la"])
safe_command(name = "echo", program = "echo", reason = "prints", operands = "any", dynamic = "anywhere")
dangerous_command(
    name = "rm-force",
    program = "rm",
    reason = "removes files without asking",
    flags = ["-f --force"],
    match = ["rm -f x"],
)
"""


@cache
def rulebook_of(text: str = "", *, heuristics: bool = True) -> Rulebook:
    """The rules in ``text`` above two safe programs (``ls``, ``echo``) and one danger (``rm -f``)."""
    source = Source("test.rules", (HEURISTICS if heuristics else "") + text)
    return Rulebook(compile_source(source, trusted=True).statements)
