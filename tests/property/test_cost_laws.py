"""No script costs more than it is long: time and memory of a judgement are bounded, whatever the script is made for.

Each script is judged in a process of its own, which may not take more memory or time than is said here. On the machine
where it was written 100,000 characters take 0.2 s mostly, and up to 2 s where they are dense; what is measured below
leaves room for slower ones, but none for a cost that grows faster than its script.
"""

import json
import os
import resource
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from execpolicy.core.decision import Decision
from tests.attacks.cost import judged
from tests.attacks.leak import attack_rules
from tests.support import hostile
from tests.support.each import share, slow_ones
from tests.support.judging import PLACE, verdict

RULES = 'prefix_rule(pattern=["pwn"],decision="forbidden")\nprefix_rule(pattern=["git"])\n'
SECONDS = 6
MEMORY = 512 << 20
EVERY = {2_000: share(23), 100_000: share(67)}
"""Of each size one of so many scripts is judged."""


def cost(script: str, shell: str = "bash") -> str | None:
    """What is wrong with judging ``script``, in a process of its own; ``None`` if nothing is."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        problem = ""
        try:
            used = int(open("/proc/self/statm", "rb").read().split()[0]) * resource.getpagesize()  # noqa: SIM115
            resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
            problem = "; ".join(
                block.detail for block in verdict(script, RULES, shell=shell).blocks if block.code == "internal-error"
            )
        except BaseException:
            problem = traceback.format_exc()
        os.write(writing, problem.encode()[-2000:])
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as answer:
        said = answer.read().decode()
    _, status = os.waitpid(child, 0)
    return f"ended with status {status}" if status else said or None


@pytest.mark.parametrize("size", slow_ones(EVERY, [100_000]))
@pytest.mark.parametrize("made", [hostile.nested, hostile.repeated, hostile.flowing])
def test_judging_is_bounded(made: Callable[[int], Iterator[str]], size: int) -> None:
    verdict("ls | sed s/a/b/ > x; cat x | bash", RULES)  # what is loaded is not measured
    every = EVERY[size]
    found = {script[:80]: cost(script) for at, script in enumerate(made(size)) if at % every == size % every}
    assert not {script: problem for script, problem in found.items() if problem}


_LOOPED = "; ".join([f"f{at}() {{ x=$x$1; f{(at + 1) % 8} $x; $x; }}" for at in range(8)])
MULTIPLYING = {
    "words that are read": "x=$(echo "
    + "$x " * 90
    + "| while read -r a b; do A $a; x=$x$b; done; $x\n"
    + "".join([line.format(n=0, m=0) + "\n" for line in (*hostile.LINES[2:6], *hostile.LINES[10:18])])
    + ")",
    "elements": "x=(" + "${x[@]} " * 60 + f")\n{_LOOPED}\nfor i in 1 2 3; do f0 $i; done",
    "elements of a scalar": "x=(" + "$x " * 2_000 + f")\n{_LOOPED}\nfor i in 1 2 3; do f0 $i; done",
    "files that are named": "x=$x{a,b}$x{a,b}$x{a,b}; $x; A " + "$x " * 400 + "\nx='a b c d e f g h i j k l'; $x",
    "arguments handed on": "".join([f'f{at}() {{ f{(at + 1) % 11} "$@" "$@"; }}\n' for at in range(23)]) + "f0 $(f0)",
}
"""Short scripts of which each value is many words, each of which is many words."""


@pytest.mark.parametrize("script", MULTIPLYING.values(), ids=MULTIPLYING)
def test_values_that_multiply_one_another_are_bounded(script: str) -> None:
    rules = attack_rules(RULES + 'prefix_rule(pattern=["A"])\nprefix_rule(pattern=["evil"], decision="forbidden")\n')
    for made in (script, f"evil\n{script}", f"{script}\nevil"):
        found, excess = judged(made, "bash", rules, PLACE)
        assert excess is None
        assert found.decision.word == ("prompt" if made is script else "forbidden")


GROWING = {
    "replaced": "import os; os.system('{a}'.replace({pairs}))",
    "filled in": "a='{b}'\nb='{c}'\nc='{d}'\nd='{e}'\nimport os; os.system(f'{x}')",
    "formatted": "import os; os.system('{many}'.format({texts}))",
    "percent": "import os; os.system('{percents}' % ({texts}))",
}
"""Program texts whose constants would multiply one another, ``{…}`` standing for what is said below."""


@pytest.mark.parametrize("code", GROWING.values(), ids=GROWING)
def test_constants_that_multiply_one_another_are_bounded(code: str) -> None:
    """900 marks in a text of 1,900 characters, filled with such texts: the third time that is a thousand million."""
    parts = {
        "{pairs}": ",".join(["'a'", repr("a" * 1_900)] * 20),
        "{texts}": ",".join([repr("{}" * 900)] * 40),
        "{many}": "{}" * 900,
        "{percents}": "%s" * 900,
        "{x}": "{a}",
        **{f"'{{{name}}}'": repr(f"{{{name}}}" * 600) for name in "abcde"},
    }
    for mark, text in parts.items():
        code = code.replace(mark, text)
    assert cost(f'python3 -c "{code}"') is None


SAID_OTHERWISE = {
    "keys": "xtool " + " ".join([f"k{at}" for at in range(16_000)]),
    "the same word": "xtool " + "ab " * 30_000,
    "letters": "perl -e 'system " + "a b " * 22_000 + "'",
    "variables": "perl -e 'system " + "a = b\n" * 14_000 + "$a'",
    "blanks": "perl -e 'system set" + " " * 90_000 + "'",
    "lines": "docker build - <<'E'\n" + "\n" * 90_000 + "RUN\nE\n",
    "calls": ";".join([f"xtool {at}" for at in range(9_000)]),
    "settings": "npm set a=b;" * 6_000,
    "filters": "cat $f; echo a" + "|colrm 1" * 9_000 + "|xargs cat",
    "escapes": "xtool " + "\\\\x20" * 20_000,
}
"""Texts in which something is looked for that is said in other letters, or word by word."""


@pytest.mark.parametrize("script", SAID_OTHERWISE.values(), ids=SAID_OTHERWISE)
def test_looking_for_what_is_said_otherwise_is_bounded(script: str) -> None:
    allowed = 'prefix_rule(pattern=[["xtool", "perl", "docker", "npm"]])\n'
    rules = attack_rules(RULES + allowed + 'prefix_rule(pattern=["evil", "x"], decision="forbidden")\n')
    assert judged(script, "bash", rules, PLACE)[1] is None


CARRIED = {
    "each word may start a command": "chronic " + "-e 'a;' " * 2_600,
    "each line may start a command": "schedtool -x='" + "exec x\n" * 2_600 + "'",
    "each word may start a text": "watchexec " + "-x '!x ' " * 2_000,
    "each word may be a sub-command": "mise --shell x " + "-e x " * 3_000,
    "each word is code": "escript " + "-i 'a=\"' " * 2_000,
    "each word is a pattern": "ionice " + "-e '../[a-z]' " * 1_400,
    "each word holds a command": "docker " + "--args '$(x)' " * 1_500,
    "each place takes a long item": "parallel " + "{}" * 10_000 + " ::: " + "y" * 20_000,
    "each of many jobs takes a long item": "parallel x {1} {2} ::: " + "y" * 10_000 + " ::: " + "a " * 10_000,
    "each job takes from each source": "parallel --header : {a} ::: " + " ::: ".join(["a b"] * 3_000),
}
"""Words of programs that run others: what each of them may mean was once looked at with all that stand behind it."""


@pytest.mark.parametrize("script", CARRIED.values(), ids=CARRIED)
def test_words_of_programs_that_run_others_are_bounded(script: str) -> None:
    verdict("chronic parallel x", RULES)
    assert cost(script) is None
    assert verdict(script + "\npwn", RULES).decision is Decision.FORBIDDEN


FILES = {
    "files and unknown programs": "".join([f"echo a > f{at}; zz{at} push\n" for at in range(1_500)]),
    "files named": "".join([f"cp a{at} f{at}; zz{at} f{at}\n" for at in range(1_500)]) + "echo > x\n",
    "copies called by one name": "".join([f"cp a{at} bin/f; f push\n" for at in range(1_500)]),
    "copies in folders": "".join([f"ln -s a{at} d{at}/f; cd d{at}; ./f push\n" for at in range(1_500)]),
    "copies of copies": "".join([f"cp f{at} f{at + 1}\n" for at in range(1_500)]) + "./f1500 push\n" * 200,
    "copies to somewhere": "".join([f"cp a{at} $x/f{at}; ./g{at} push\n" for at in range(1_500)]),
    "words that are found": "echo " + "a " * 6_000 + "| xargs -I{} cp " + "{} " * 60 + " f; ./f push",
    "copies through pipes": "cat a" + " | cat" * 1_900 + " > f; ./f push",
    "names that grow": "rename a " + "b" * 40_000 + " " + "a" * 40_000 + "; ./f push",
    "printed copies": "".join([f"cat a{at} | tee f; ./f push{at}\n" for at in range(1_500)]),
}
"""Files that a script makes: which of them a command runs or obeys was once asked of each file, for each command."""


@pytest.mark.parametrize("script", FILES.values(), ids=FILES)
def test_files_that_a_script_makes_are_bounded(script: str) -> None:
    verdict("echo a > f; ./f; zz f", RULES)
    assert cost(script) is None
    assert verdict("pwn\n" + script, RULES).decision is Decision.FORBIDDEN


COSTLY = [json.loads(line) for line in (Path(__file__).parents[1] / "data" / "costly.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", COSTLY, ids=lambda case: case["shell"])
def test_many_scripts_within_one_another_are_gone_through_once(case: dict[str, str]) -> None:
    """`costly-scripts` made these: each took 9 to 14 s when every command went through all scripts, the last 24 GB."""
    verdict("bash -c 'echo a > f'; ./f; zz f", RULES)
    assert cost(case["script"], case["shell"]) is None
