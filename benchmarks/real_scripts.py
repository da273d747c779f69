"""``python -m benchmarks.real_scripts FOLDER``: commands missed in scripts that people wrote; how long it takes.

The programs that tree-sitter's grammar of bash finds in each script of ``FOLDER/real-*.jsonl`` are compared with those
that the reader finds. Scripts in which tree-sitter sees an error are left out; those that are opaque to the reader are
never allowed and count apart. The time is that of ``check`` with the built-in layer, without start-up.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from pathlib import Path

from benchmarks.samples import read_lines
from execpolicy.codex.segments import parse_script
from execpolicy.judge.check import check
from execpolicy.shell.read import read_script
from tests.support.judging import PLACE, builtin

UNSURE = frozenset("\\*?[{~")
"""Names with one of these may become others."""
KEYWORDS = frozenset(["time", "coproc", "}"])
"""Words of the grammar of bash that tree-sitter takes for programs."""


def foreign_programs(script: str) -> Counter[str] | None:
    """The literal names of programs that tree-sitter finds in ``script``; ``None`` if it does not understand it."""
    root, data = parse_script(script)
    if root.has_error:
        return None
    found: Counter[str] = Counter()
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == "command_name" and [child.type for child in node.children] == ["word"]:
            name = data[node.start_byte : node.end_byte].decode("utf-8", "replace")
            if name not in KEYWORDS and not UNSURE & set(name):
                found[name] += 1
        pending.extend(node.children)
    return found


def own_programs(script: str) -> Counter[str] | None:
    """The literal names of programs that the reader finds; ``None`` if the script is opaque to it."""
    read = read_script(script)
    if read.status == "opaque":
        return None
    return Counter(
        [command.words[0].literal for command in read.commands if command.words and command.words[0].literal]
    )


def compared(folder: Path, *, name: bool = False) -> str:
    """What was counted in the scripts of ``folder``; ``name`` prints each script in which a program was missed."""
    scripts = [row["script"] for path in sorted(folder.glob("real-*.jsonl")) for row in read_lines(path)]
    both = programs = missed = opaque = 0
    rulebook = builtin()
    times: list[float] = []
    for script in scripts:
        start = time.perf_counter()
        check(script, rulebook, situation=PLACE)
        times.append(time.perf_counter() - start)
        foreign = foreign_programs(script)
        own = own_programs(script)
        opaque += own is None
        if foreign is None or own is None:
            continue
        both += 1
        programs += foreign.total()
        lost = foreign - own
        missed += lost.total()
        if lost and name:
            print(dict(lost), repr(script))
    return (
        f"{len(scripts)} scripts, {opaque} opaque; {both} compared: {programs} programs, {missed} missed\n"
        f"check: median {statistics.median(times) * 1000:.2f} ms"
    )


def main() -> None:
    """Print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds real-*.jsonl")
    parser.add_argument("--list", action="store_true", help="name the scripts in which something was missed")
    options = parser.parse_args()
    print(compared(options.folder, name=options.list))


if __name__ == "__main__":
    main()
