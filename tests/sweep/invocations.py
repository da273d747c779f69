"""Writes the calls that an entry accepts, systematically: every option alone and in pairs, every form of value.

What is written is hostile wherever a word is free: names of outputs, programs, addresses and options. What the entry
refuses is left out, so that whatever is yielded here would be allowed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations, islice
from typing import TYPE_CHECKING, NamedTuple

from execpolicy.safety.grammar import Grammar
from execpolicy.safety.languages import find
from execpolicy.safety.values import NAMED, Form
from tests.support.entries import words_of

if TYPE_CHECKING:
    from execpolicy.safety.entries import SafeCommand

HOSTILE = (
    *(
        "a.txt",
        "out",
        "-oout",
        "--output=out",
        "@opts",
        "|evil",
        "!evil",
        "$(evil)",
        "`evil`",
        "%(evil)",
        "%(signature)",
    ),
    *("signature", "-signature", "*signature", "format:%G?", "%G?", "+3f", "+2", "3f", "http://127.0.0.1:9/x", "w out"),
    *(
        "127.0.0.1:9",
        "h:x",
        "h::x",
        "/inet/tcp/0/127.0.0.1/9",
        "sub",
        ".",
        "",
        "-",
        "x=y",
        "PATH=x",
        "1",
        "-1",
        "0",
        "7",
    ),
    *(
        ".env",
        ".ssh/id_rsa",
        "*.env",
        ".en*",
        ":(icase).ENV",
        "x:.env",
        "s/x/y/w out",
        "1e evil",
        'BEGIN{system("evil")}',
    ),
    *(
        "ext::sh -c evil",
        "./evil",
        "evil",
        "/dev/stdin",
        "a.out",
        "a.zip",
        "a.json",
        "a.yaml",
        "big.txt",
        "main.go",
        "HEAD",
    ),
    *(
        "core.bare",
        "alias.x",
        "credential.helper",
        "-c",
        "-x",
        "-i",
        "--help",
        "-f",
        "-e",
        "always",
        "all",
        "environ",
        "e",
    ),
    *(
        "%(bare)",
        "{evil}",
        "a.gz",
        "sums.txt",
        "link",
        "-n",
        "-w",
        "--",
        "1,2",
        "pid",
        "args",
        "uptime",
        "root",
        "^x",
        "x",
    ),
)
"""Words that some program somewhere takes for more than a name."""
PATHS = (
    "a.txt",
    "sub",
    "missing",
    "out",
    "-oout",
    "@opts",
    "a.out",
    "a.json",
    "a.zip",
    "big.txt",
    "sums.txt",
    "/dev/stdin",
)
PROGRAMS = {
    "sed-script": (
        "p",
        "1p",
        "s/one/two/g",
        "/one/d",
        "1,3{p;d}",
        "y/abc/xyz/",
        "a text",
        "5q",
        ":a;N;ba",
        "s|a|b|2p",
        "F",
    ),
    "perl-program": (
        "print if /one/",
        "s/one/two/g; print",
        "tr/a-z/A-Z/",
        "my $x = 1; print $x",
        'print "$.: $_" unless /^#/',
        "$n++; END { print $n }",
        "next if 2..3; chomp; print qq",
    ),
    "awk-program": (
        "{print}",
        "NR==2",
        'BEGIN{printf "%d\\n", 3/2}',
        '{gsub(/o/,"0");print}',
        "length>3",
        '{print > "/dev/stderr"}',
    ),
    "jq-program": (
        ".",
        ".a",
        "keys",
        "1+1",
        "[.[]?]",
        '"\\(.a)"',
        "input_filename",
        "input",
        "debug",
        "$__loc__",
        "now|type",
    ),
    "yq-program": (".", ".a", ".a.b", "(.a)", "[.a]", '"x"'),
    "python-program": ("print(1)", "import json; print(json.dumps({}))"),
    "python-library": ("print(1)", "import json; print(json.dumps({}))"),
    "sql-query": ("SELECT 1", "select a from t", "SELECT count(*) FROM t WHERE a = 'x'"),
    "date-format": ("+%F", "+%s", "+x%n"),
    "variable-name": ("line", "x", "REPLY"),
    "number": ("0", "1", "3", "-3", "+3"),
    "path": PATHS,
    "file": PATHS,
    "ps-columns": ("pid,comm", "user", "-pcpu", "args=", "etime,stat"),
}


class Way(NamedTuple):
    """One grammar of an entry, with the words that lead to it (the program and sub-commands)."""

    words: tuple[str, ...]
    grammar: Grammar


_ANY = NAMED["any"]


OPERATIONS = 3
"""So many of the names in one group of operations are tried; they are thousands, all of one form."""


def ways(entry: SafeCommand, program: str) -> list[Way]:
    """Every grammar of ``entry``, those of sub-commands at any depth included; of operations a few."""
    found: list[Way] = []
    pending = [Way((program,), grammar) for grammar in reversed(entry.grammars)]
    while pending:
        way = pending.pop()
        found.append(way)
        if way.grammar.subcommands is not None:
            in_entry = way.grammar.subcommands.in_entry
            for name in islice(way.grammar.subcommands, None if in_entry else OPERATIONS):
                pending += [Way((*way.words, name), grammar) for grammar in way.grammar.subcommands[name]]
    return found


def invocations(entry: SafeCommand, program: str, most: int, seed: int = 1) -> list[list[str]]:
    """At most ``most`` calls of ``program`` that ``entry`` accepts, no two the same; the plain ones always among them.

    Of each grammar come first its options alone, then what is drawn from pairs, values and operands.
    """
    rng = random.Random(f"{entry.name}-{program}-{seed}")
    each = ways(entry, program)
    share = max(12, most // len(each))
    found: dict[tuple[str, ...], None] = {}
    for way in each:
        plain = [call for call in _alone(way, rng) if _accepted(entry, call)]
        varied = [call for call in _varied(way, rng, 6 * share) if _accepted(entry, call)]
        if len(plain) > share:
            plain = rng.sample(plain, share)
        for call in [*plain, *varied[: max(share // 2, share - len(plain))]]:
            found[tuple(call)] = None
    return [list(call) for call in found]


def _accepted(entry: SafeCommand, call: list[str]) -> bool:
    return entry.judge(words_of(*call))[0] is not None


def _alone(way: Way, rng: random.Random) -> Iterator[list[str]]:
    """Each option by itself, with the least that must stand beside it."""
    words, grammar = list(way.words), way.grammar
    if grammar.expression is not None:
        return
    yield words
    for operands in _operand_lists(grammar, rng, 3):
        yield [*words, *_needed(grammar, rng), *operands]
    if not grammar.subcommands:
        for text in HOSTILE:
            yield [*words, *_needed(grammar, rng), text]
            yield [*words, *_needed(grammar, rng), "a.txt", text]
    for name in sorted(grammar.options.kinds):
        for written in _spellings(grammar, name, rng, values=2):
            yield [*words, *_needed(grammar, rng, name), *written]
            for operands in _operand_lists(grammar, rng, 2):
                yield [*words, *_needed(grammar, rng, name), *written, *operands]
                yield [*words, *_needed(grammar, rng, name), *operands, *written]


def _varied(way: Way, rng: random.Random, count: int) -> Iterator[list[str]]:
    """Pairs of options, abbreviations, hostile values and operands, options in odd places."""
    words, grammar = list(way.words), way.grammar
    if grammar.expression is not None:
        for _ in range(count):
            yield [*words, *expression(grammar.expression, rng)]
        return
    pairs = list(combinations(sorted(grammar.options.kinds), 2))
    for _ in range(count):
        chosen = (
            rng.choice(pairs)
            if pairs and rng.random() < 0.7
            else tuple(rng.sample(sorted(grammar.options.kinds), min(1, len(grammar.options.kinds))))
        )
        written = [rng.choice(_spellings(grammar, name, rng, values=3)) for name in chosen]
        needed = _needed(grammar, rng, *chosen)
        operands = rng.choice(_operand_lists(grammar, rng, 4))
        if rng.random() < 0.1 and chosen and chosen[0].startswith("--"):
            written[0] = [chosen[0][: rng.randrange(3, len(chosen[0]) + 1)], *written[0][1:]]
        if (
            rng.random() < 0.25
            and all(len(name) == 2 and grammar.options.kinds[name] == "" for name in chosen)
            and chosen
        ):
            written = [["-" + "".join(name[1] for name in chosen)]]
        flat = [word for option in written for word in option]
        layout = rng.random()
        if layout < 0.6:
            yield [*words, *needed, *flat, *operands]
        elif layout < 0.75:
            yield [*words, *needed, *flat, "--", *operands]
        elif layout < 0.9:
            yield [*words, *operands, *needed, *flat]
        else:
            yield [*words, *needed, *operands, "--", *flat]


def _needed(grammar: Grammar, rng: random.Random, *given: str) -> list[str]:
    if not grammar.requires or grammar.requires & set(given):
        return []
    return rng.choice(_spellings(grammar, rng.choice(sorted(grammar.requires)), rng, values=1))


def _spellings(grammar: Grammar, name: str, rng: random.Random, *, values: int) -> list[list[str]]:
    """How the option ``name`` can be written, with some values where it takes one."""
    kind, form = grammar.options.kinds[name], grammar.forms.get(name, _ANY)
    if kind == "":
        return [[name]]
    found = [[name]] if kind == "?" else []
    for value in texts(form, rng, values):
        if kind == "&":
            found.append([name, *texts(form, rng, 1), value])
            continue
        glued = f"{name}={value}" if name.startswith("--") else name + value
        found.append([glued])
        if kind != "?":
            found.append([name, value])
    return found


def _operand_lists(grammar: Grammar, rng: random.Random, count: int) -> list[list[str]]:
    found: list[list[str]] = []
    for _ in range(count):
        most = len(grammar.operands) + (0 if grammar.repeated is None else 2)
        length = rng.randint(grammar.required, max(grammar.required, most))
        forms = [*grammar.operands, *([grammar.repeated] * 2 if grammar.repeated is not None else [])][:length]
        found.append([texts(form, rng, 1)[0] for form in forms if form is not None])
    return found


def texts(form: Form, rng: random.Random, count: int) -> list[str]:
    """``count`` texts that ``form`` takes, mostly hostile ones."""
    plain, hostile = _fitting(form)
    pool = plain if plain and rng.random() < 0.5 else hostile
    return [rng.choice(pool or ("x",)) for _ in range(count)]


@cache
def _fitting(form: Form) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The plain texts and the hostile ones that ``form`` takes."""
    plain = (*PROGRAMS.get(form.name, ()), *_listed(form))
    return (
        tuple(text for text in plain if form.check(text) is None),
        tuple(text for text in HOSTILE if form.check(text) is None),
    )


def _listed(form: Form) -> list[str]:
    """The values that a form of choices names, with something for each wildcard."""
    names = form.name.removeprefix("one of ").split(", ") if form.name.startswith("one of ") else []
    names = [name for name in names if name and name[0] not in "!%"]
    return [name.replace("*", filler).replace("?", "a") for name in names for filler in ("x", "evil", "signature")]


def expression(name: str, rng: random.Random) -> list[str]:
    """Arguments of a program that has a language instead of options."""
    if name == "find":
        words = [rng.choice((".", "sub", "missing", "-H", "-L", "/proc/self/fd")) for _ in range(rng.randrange(3))]
        for _ in range(rng.randrange(1, 5)):
            if rng.random() < 0.5:
                words.append(rng.choice(sorted(find.ALONE)))
            else:
                words += [
                    rng.choice(sorted(find.WITH_ARGUMENT)),
                    rng.choice((*HOSTILE, "a*", "f", "+0", "%p\\n", "644")),
                ]
            words += [rng.choice(["-o", "-a", "!", "(", ")", ","])] if rng.random() < 0.25 else []
        return words
    if name == "printf":
        form = rng.choice(("%s\\n", "%5.2f", "%q", "%(%F)T", "%b%%", "x", "%d", "%*d", "%c", "\\x41", "--"))
        return [form, *[rng.choice(HOSTILE) for _ in range(rng.randrange(3))]]
    if name == "test":
        unary = ["-" + letter for letter in "abcdefghknoprstuvwxzGLNORS"]
        binary = ["=", "!=", "==", "<", ">", "-eq", "-nt", "-ef", "-lt"]
        some = [
            [rng.choice(unary), rng.choice(HOSTILE)],
            [rng.choice(HOSTILE), rng.choice(binary), rng.choice(HOSTILE)],
        ]
        words = rng.choice(some)
        if rng.random() < 0.3:
            words = [*words, rng.choice(("-a", "-o")), *rng.choice(some)]
        return ["!", *words] if rng.random() < 0.2 else words
    return [
        rng.choice((*HOSTILE, "-n", "-e", "-E", "--help", "+", "*", "match", ":", "length"))
        for _ in range(rng.randrange(4))
    ]
