"""Everything that happens within one process: loading, reading, deciding. Prints JSON.

    python -P benchmarks/warm.py [--quick]

Runs in the environment that is measured, so it imports nothing of this folder. Times are processor time of one action
in microseconds, the median and the least of several batches.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import count

from execpolicy.judge.check import check
from execpolicy.judge.reading import read_command
from execpolicy.judge.restrictions import stricter_matches
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.stored import restored, store
from execpolicy.lang.compile import compile_source
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.programs.catalog import facts_of
from execpolicy.source import Source

QUICK = "--quick" in sys.argv
SIZES = [1, 100, 1_000, 10_000] + ([] if QUICK else [100_000])
LENGTHS = [1, 2, 4, 8, 16, 32, 64, 128] + ([] if QUICK else [256, 512])
BATCHES = 7 if QUICK else 25
SCRIPTS = {
    "`git status`": "git status --short {0}",
    "three commands": "cd src{0} && grep -rn main{0} . | head -{0}",
    "quotes": "printf '%s\\n' \"a b\" $'c{0}' d\\ e | sort -u",
    "loop": 'for f in a b c{0}; do [ -f "$f" ] && wc -l "$f"; done 2>/dev/null',
    "here-document": "cat <<'EOF' | sudo -n env A={0} timeout 5 sh -c 'rm -rf x'\nsome text\nEOF",
}
FRESH = count()


def saved(size: int) -> str:
    return "".join(f'prefix_rule(pattern=["prog{at}", "sub"], decision="allow")\n' for at in range(size))


def written(size: int) -> str:
    return "".join(
        f'prefix_rule(\n    pattern = ["prog{at}", ["one", "two"]],  # comment\n    decision = "prompt",\n'
        f'    justification = "reason {at}",\n    match = ["prog{at} one x"],\n    not_match = ["prog{at} three"],\n)\n'
        for at in range(size)
    )


def looped(size: int) -> str:
    return f'[prefix_rule(pattern = ["prog" + str(at), "sub"], decision = "allow") for at in range({size})]\n'


FORBIDDEN = ("push --opt{0}", "sub{0}", "push origin b{0}", "sub{0} --force", "push --force b{0}")
"""What many rules about one program forbid; the worst of these shapes counts."""


def forbidding(program: str, size: int, shape: str) -> str:
    """So many rules of this shape, and one that `git push -u` means if they are about git."""
    patterns = [[program, *shape.format(at).split()] for at in range(size)]
    patterns.append([program, "push", "--set-upstream"])
    rules = [f'prefix_rule(pattern={json.dumps(pattern)}, decision="forbidden")\n' for pattern in patterns]
    return "".join(rules) + 'prefix_rule(pattern=["git"])\n'


def by_meaning() -> dict[str, dict[str, list[float]]]:
    """Microseconds that rules which forbid by meaning add to the decision on a command, by their number."""
    situation = Situation("/project", home="/home/user")
    script = read_command(("git", "push", "-u", "origin", "main"))
    facts = facts_of(script)

    def restricting(text: str) -> list[float]:
        rulebook = Rulebook(compile_source(Source("default.rules", text)).statements)
        return cost(lambda: stricter_matches(script.commands[0], facts, rulebook, situation))

    found: dict[str, dict[str, list[float]]] = {}
    for size in SIZES[:4]:
        without = restricting(forbidding("other", 1, FORBIDDEN[0]))
        for name, program in (("such rules about the program", "git"), ("such rules about another program", "other")):
            every = [restricting(forbidding(program, size, shape)) for shape in FORBIDDEN]
            worst = [max(values) for values in zip(*every, strict=True)]
            found.setdefault(name, {})[str(size)] = [max(a - b, 0.0) for a, b in zip(worst, without, strict=True)]
    return found


def cost(action: Callable[[], object], *, batches: int = BATCHES, goal: float = 0.004) -> list[float]:
    """Median and least microseconds of ``action``, called as often in a batch as fits into ``goal`` seconds."""
    action()
    start = time.process_time()
    action()
    once = max(time.process_time() - start, 1e-7)
    number = max(1, min(100_000, int(goal / once)))
    found = []
    for _ in range(batches):
        loop = range(number)
        start = time.process_time()
        for _ in loop:
            action()
        found.append((time.process_time() - start) / number * 1e6)
    empty = []
    for _ in range(5):
        start = time.process_time()
        for _ in loop:
            pass
        empty.append((time.process_time() - start) / number * 1e6)
    return [max(statistics.median(found) - min(empty), 0.0), max(min(found) - min(empty), 0.0)]


def loading() -> dict[str, dict[str, list[float]]]:
    """Microseconds of a load, by kind of file and number of rules."""
    found: dict[str, dict[str, list[float]]] = {}
    for name, make in (("saved", saved), ("written by hand", written), ("made by a loop", looped)):
        for size in SIZES:
            if size > 10_000 and make is not saved:
                continue
            source = Source("default.rules", make(size))
            few = 3 if size >= 10_000 else BATCHES
            found.setdefault(name, {})[str(size)] = cost(lambda: compile_source(source), batches=few)  # noqa: B023
    return found


def main() -> None:
    """Measure and print."""
    gc.collect()
    gc.freeze()
    results: dict[str, object] = {"load": loading()}
    layers = LayerOptions.of_process({}, cwd="/", system_folder=None, files=())
    builtin = load_layers(layers).statements
    if not Rulebook(builtin).heuristics.entries:
        raise SystemExit("the built-in layer is empty")
    results["built-in layer"] = cost(lambda: load_layers(layers), batches=3)
    situation = Situation("/project", home="/home/user")
    matches: dict[str, list[float]] = {}
    evaluations: dict[str, list[float]] = {}
    misses: dict[str, list[float]] = {}
    judged: dict[str, list[float]] = {}
    stored: dict[str, list[float]] = {}
    for size in SIZES:
        compiled = compile_source(Source("default.rules", saved(size)))
        policy = compiled.policy()
        argv = (f"prog{size // 2}", "sub", "x")
        matches[str(size)] = cost(lambda: policy.matches(argv))  # noqa: B023
        evaluations[str(size)] = cost(lambda: policy.check(argv).decision)  # noqa: B023
        misses[str(size)] = cost(lambda: policy.matches(("none", "sub")))  # noqa: B023
        rulebook = Rulebook((*builtin, *compiled.statements))
        judged[str(size)] = cost(
            lambda: check(SCRIPTS["three commands"].replace("{0}", str(next(FRESH))), rulebook, situation=situation)  # noqa: B023
        )
        data = store(rulebook)
        stored[str(size)] = cost(lambda: restored(data), batches=5)  # noqa: B023
    for name, values in by_meaning().items():
        results[f"added by meaning, {name}"] = values
    results["argv, a rule matches"] = matches
    results["argv, `Policy.check` with its decision"] = evaluations
    results["argv, no rule matches"] = misses
    results["three commands judged"] = judged
    results["restore a compiled rulebook"] = stored
    rulebook = Rulebook((*builtin, *compile_source(Source("default.rules", saved(1_000))).statements))
    scripts: dict[str, dict[str, list[float]]] = {}
    for name, text in SCRIPTS.items():
        same = text.replace("{0}", "x")
        scripts[name] = {
            "read": cost(lambda: read_command(text.replace("{0}", str(next(FRESH))))),  # noqa: B023
            "judge": cost(lambda: check(text.replace("{0}", str(next(FRESH))), rulebook, situation=situation)),  # noqa: B023
            "again": cost(lambda: check(same, rulebook, situation=situation)),  # noqa: B023
        }
    results["scripts"] = scripts
    lengths: dict[str, dict[str, list[float]]] = {"read": {}, "judge": {}}
    for length in LENGTHS:
        line = " && ".join(["grep -rn main{0} src | head -5"] * length)
        few = 5 if length > 64 else BATCHES
        lengths["read"][str(length)] = cost(
            lambda: read_command(line.replace("{0}", str(next(FRESH)))),  # noqa: B023
            batches=few,
        )
        lengths["judge"][str(length)] = cost(
            lambda: check(line.replace("{0}", str(next(FRESH))), rulebook, situation=situation),  # noqa: B023
            batches=few,
        )
    results["by length"] = lengths
    print(json.dumps(results))


if __name__ == "__main__":
    main()
