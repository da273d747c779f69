"""Writes random command lines that an entry of the safe list accepts, from the entry's own grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from execpolicy.safety.languages import find
from execpolicy.safety.values import NAMED
from tests.support.entries import words_of

if TYPE_CHECKING:
    from random import Random

    from execpolicy.safety.entries import SafeCommand
    from execpolicy.safety.grammar import Grammar
    from execpolicy.safety.values import Form

ANY = [
    "o",
    "xo",
    "w",
    "fi",
    "e",
    "1",
    "2",
    "a.txt",
    "b.txt",
    "src",
    "one",
    "x",
    "%s",
    "a,b",
    ":",
    "new-file",
    "0",
    "never",
    "root",
    "..",
    "-",
]
PATHS = ["a.txt", "b.txt", "nums.txt", "src/main.py", "src", ".", "a.json", "missing", "a.out", "sums.txt", "a.zip"]
SED = [
    "p",
    "1p",
    "$p",
    "s/one/two/g",
    "/one/d",
    "1,3{p;d}",
    "y/abc/xyz/",
    "1!G;h;$!d",
    "a text",
    "=",
    "5q",
    "s|a|b|2p",
    "N;P;D",
    ":a;N;ba",
]
AWK = [
    "{print}",
    "{print $1}",
    "NR==2",
    "/one/{n++} END{print n+0}",
    'BEGIN{printf "%d\\n", 3/2}',
    '{gsub(/o/,"0");print}',
    "length>3",
]
JQ = [".", ".a", "keys", "to_entries[]", ".b|length", "1+1", "[.[]?]", '"\\(.a)"', "input_filename", "now|type"]
YQ = [".", ".a", ".a.b"]
FIND = ["a*", "f", "1", "-1", "+0", "a.txt", "%p\\n", "root", "posix-extended", ".*", "644", "0", "ext4", "2020-01-01"]


def argv_for(entry: SafeCommand, program: str, rng: Random) -> list[str] | None:
    """A command line that ``entry`` accepts, or ``None`` if none was found in a number of tries."""
    for _ in range(60):
        argv = [program, *_arguments(rng.choice(entry.grammars), rng)]
        if entry.judge(words_of(*argv))[0] is not None:
            return argv
    return None


def _arguments(grammar: Grammar, rng: Random) -> list[str]:
    if grammar.expression is not None:
        return _expression(grammar.expression, rng)
    options: list[list[str]] = []
    names = sorted(grammar.options.kinds)
    wanted = [rng.choice(sorted(grammar.requires))] if grammar.requires else []
    wanted += [rng.choice(names) for _ in range(rng.randrange(4)) if names]
    cluster = ""
    for name in wanted:
        kind, form = grammar.options.kinds[name], grammar.forms.get(name, NAMED["any"])
        if not kind:
            if grammar.options.clusters and len(name) == 2 and name[0] == "-" and rng.random() < 0.4:
                cluster += name[1]
            else:
                options.append([name])
        elif kind == "&":
            options.append([name, value(form, rng), value(form, rng)])
        elif kind == "?":
            text = value(form, rng)
            options.append([rng.choice([name, f"{name}={text}" if name.startswith("--") else name + text])])
        else:
            text = value(form, rng)
            glued = f"{name}={text}" if name.startswith("--") else name + text
            options.append(rng.choice([[name, text], [glued]]))
    if cluster:
        options.append(["-" + cluster])
    if grammar.options.numeric and rng.random() < 0.2:
        options.append(["-3"])
    flat = [word for option in options for word in option]
    if grammar.subcommands is not None:
        name = rng.choice(sorted(grammar.subcommands))
        return [*flat, name, *_arguments(rng.choice(grammar.subcommands[name]), rng)]
    operands = [value(form, rng) for form in grammar.operands[: max(grammar.required, rng.randrange(4))]]
    if grammar.repeated is not None:
        operands += [value(grammar.repeated, rng) for _ in range(rng.randrange(3))]
    if grammar.options.permute and not grammar.options_first and rng.random() < 0.3:
        return operands + flat
    return [*flat, *(["--"] if grammar.options.separator and rng.random() < 0.15 else []), *operands]


def value(form: Form, rng: Random) -> str:
    """A text that ``form`` accepts, as a rule."""
    pools = {
        "any": ANY + PATHS,
        "literal": ANY,
        "path": PATHS,
        "number": ["0", "1", "3", "10"],
        "ps-columns": ["pid,comm", "user", "-pcpu", "args="],
        "sed-script": SED,
        "awk-program": AWK,
        "jq-program": JQ,
        "yq-program": YQ,
        "date-format": ["+%F", "+%s", "+x%n"],
        "variable-name": ["line", "x", "REPLY"],
    }
    pool = pools.get(form.name)
    if pool is None:
        listed = [item for item in form.name.removeprefix("one of ").split(", ") if not item.startswith("!")]
        pool = [item.replace("*", "").replace("?", "a") or "x" for item in listed] or PATHS
    return rng.choice(pool)


def _expression(name: str, rng: Random) -> list[str]:
    if name == "find":
        words = [rng.choice([".", "src", "missing"]) for _ in range(rng.randrange(3))]
        for _ in range(rng.randrange(1, 5)):
            if rng.random() < 0.5:
                words.append(rng.choice(sorted(find.ALONE)))
            else:
                words += [rng.choice(sorted(find.WITH_ARGUMENT)), rng.choice(FIND)]
            words += [rng.choice(["-o", "-a", "!"])] if rng.random() < 0.2 else []
        return words
    if name == "test":
        return rng.choice(
            [["-f", "a.txt"], ["a", "=", "b"], ["!", "-d", "src"], ["1", "-lt", "2"], ["-n", "x", "-a", "-e", "b.txt"]]
        )
    if name == "printf":
        return [
            rng.choice(["%s\\n", "%5.2f", "%q", "%(%F)T", "%b%%", "x"]),
            *[rng.choice(ANY) for _ in range(rng.randrange(3))],
        ]
    return [rng.choice([*ANY, "-n", "-e", "--help", "+"]) for _ in range(rng.randrange(4))]
