"""An allow of one command and nothing behind it: a rule covers whatever follows, so it becomes a ``safe_command``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from execpolicy.exchange.covered import spelled
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.render import render_strings
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.resources import builtin_rules_folder


def exact_entry(words: Sequence[str], *, allowed_by: str) -> str | None:
    """The ``safe_command`` that accepts exactly ``words``; ``None`` if an entry cannot say it.

    Behind the first operand it reads all words as operands, so only the first may not look like an option.

    Args:
        allowed_by: the agent's own entry, which is the reason.
    """
    program, *rest = words
    text = spelled(words)
    if text is None or "/" in program or (rest and rest[0].startswith("-")):
        return None
    operands = "".join(f"{render_strings([word])}, " for word in rest).rstrip(", ")
    grammar = f"operands=[{operands}], permute=False, separator=False" if rest else 'operands="none", separator=False'
    name, reason = render_strings([f"imported: {text}"])[1:-1], render_strings([f"imported: {allowed_by}"])[1:-1]
    return (
        f"safe_command(name={name}, program={render_strings([program])}, reason={reason}, "
        f'{grammar}, dynamic="none", match={render_strings([text])})'
    )


def known_danger(words: Sequence[str]) -> bool:
    """Whether a built-in entry calls ``words`` dangerous: an entry that accepts them does not help then."""
    verdict = judge_script(read_command(tuple(words)), _builtin_rulebook(), Situation(cwd="/"))
    return any(one.opinion is not None and one.opinion.verdict == "dangerous" for one in verdict.commands)


@lru_cache(maxsize=1)
def _builtin_rulebook() -> Rulebook:
    options = LayerOptions(cwd="/", builtin_folder=builtin_rules_folder(), project=False)
    return Rulebook(load_layers(options).statements)
