"""``python -m benchmarks.near_rules``: how much longer a check takes if rules are about the same program.

It judges every command without such a rule, with ten and with 10,000 that do not match it, in turn and in one
process. The number in it is another one each time. Prints the table of ``docs/evidence/meaning.md``.
"""

from __future__ import annotations

import gc
import json
import statistics
import time
from itertools import count

from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source
from tests.support.judging import builtin

SIZES = (0, 10, 10_000)
ROUNDS, BATCH = 15, 20
SHORT = """grep -rn main{0} src
grep -n TODO{0} README.md
find . -name 'a{0}.py' -type f
find src{0} -maxdepth 2
cat src/a{0}.py
cat -n README{0}.md
rm build/x{0}.o
rm -f tmp/a{0} tmp/b"""
OTHERS = """git status --short s{0}
git log --oneline -5 f{0}
git commit -m 'fix {0}'
git push -u origin b{0}
npm run build{0}
npm install left-pad{0}
docker run --rm -it alpine{0} ls
docker ps -a --filter n{0}
sed -n '1,{0}p' f.txt
ls -la src/{0}
make test{0}
kubectl get pods -n ns{0}
head -n {0} a.txt
sort -u f{0}
tool deploy --env stage{0}"""
WITH_SUB_COMMANDS = ("git", "npm", "docker", "kubectl", "tool")
SHAPES = ("--opt{0}", "word{0}", "-X v{0}", "dir/p{0}", "sub{0} --force")
"""The words that rules forbid behind the program and its sub-command."""
FRESH = count(1_000)
PLACE = Situation("/srv/project", home="/home/user")


def with_rules(command: str, size: int) -> Rulebook:
    """The built-in layer, a rule that allows the program, one about another program, and ``size`` about this one."""
    words = command.split()
    start = words[: 2 if words[0] in WITH_SUB_COMMANDS else 1]
    patterns = [[*start, *SHAPES[at % len(SHAPES)].format(at).split()] for at in range(size)] + [["another", "word"]]
    rules = [f'prefix_rule(pattern={json.dumps(pattern)}, decision="forbidden")\n' for pattern in patterns]
    text = f'prefix_rule(pattern=["{words[0]}"])\n' + "".join(rules)
    return builtin().with_statements(*compile_source(Source("near.rules", text)).statements)


def times(command: str) -> list[float]:
    """The least microseconds of a check, for each number of rules."""
    books = [with_rules(command, size) for size in SIZES]
    found: list[list[float]] = [[] for _ in books]
    for _ in range(ROUNDS):
        for book, values in zip(books, found, strict=True):
            texts = [command.replace("{0}", str(next(FRESH))) for _ in range(BATCH)]
            start = time.process_time()
            for text in texts:
                check(text, book, situation=PLACE)
            values.append((time.process_time() - start) / BATCH * 1e6)
    return [min(values) for values in found]


def main() -> None:
    """Measure, and print a table of ratios."""
    gc.disable()
    print("| commands | without such a rule, µs | with 10 | with 10,000 | added by 10,000, µs |")
    print("|---|---:|---:|---:|---:|")
    both = {"`grep`, `find`, `cat`, `rm`": SHORT, "all": f"{SHORT}\n{OTHERS}"}
    known = {command: times(command) for command in both["all"].splitlines()}
    for name, commands in both.items():
        rows = [known[command] for command in commands.splitlines()]
        alone, few, many, added = [
            statistics.median(values) for values in zip(*[(a, b / a, c / a, c - a) for a, b, c in rows], strict=True)
        ]
        print(f"| {name}: median of {len(rows)} | {alone:.0f} | {few:.2f} × | {many:.2f} × | {added:.0f} |")
    for command, (alone, few, many) in known.items():
        shown = command.replace("{0}", "N")
        print(f"| `{shown}` | {alone:.0f} | {few / alone:.2f} × | {many / alone:.2f} × | {many - alone:.0f} |")


if __name__ == "__main__":
    main()
