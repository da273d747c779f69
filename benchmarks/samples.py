"""The inputs of the suite: rule files of any size, and scripts."""

from __future__ import annotations

from pathlib import Path

SCRIPT = "cd src && grep -rn main . | head -5"


def saved_rules(count: int) -> str:
    """``count`` rules of the shape that amendments write, each for a program of its own."""
    return "".join(f'prefix_rule(pattern=["prog{at}", "sub"], decision="allow")\n' for at in range(count))


def written_rules(count: int) -> str:
    """``count`` rules as people write them: wrapped, with alternatives, a reason and examples."""
    return "".join(
        f'prefix_rule(\n    pattern = ["prog{at}", ["one", "two"]],  # comment\n    decision = "prompt",\n'
        f'    justification = "reason {at}",\n    match = ["prog{at} one x"],\n    not_match = ["prog{at} three"],\n)\n'
        for at in range(count)
    )


def looped_rules(count: int) -> str:
    """``count`` rules made by a loop, which takes Starlark."""
    return f'[prefix_rule(pattern = ["prog" + str(at), "sub"], decision = "allow") for at in range({count})]\n'


def rule_files(folder: str, sizes: list[int]) -> dict[int, str]:
    """Files of saved rules, by size."""
    found = {}
    for size in sizes:
        found[size] = f"{folder}/{size}.rules"
        Path(found[size]).write_text(saved_rules(size))
    return found
