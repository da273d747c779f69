"""``sed``, ``cut``, ``uniq``, ``paste`` and ``xargs`` against the programs: what is worked out is what they print."""

from __future__ import annotations

import random
import subprocess

import pytest

from execpolicy.programs.knowledge import KNOWLEDGE
from tests.support.each import each

INPUTS = [
    b"",
    b"\n",
    b"git  foo\n",
    b"git foo",
    b"a,b,c\nd,e\n\nf\n",
    b"aaa bbb\naab\nbaaac\n",
    b"a\ta\na\ta\nb\n",
    "aé/b.c\\n\n$x[1]*\n".encode(),
    b"x\nx\nX\ny\nx",
]
CASES = {
    "sed": [
        ["s/foo/push/"],
        ["s/a/b/g"],
        ["s/a*/x/g"],
        ["s/a*/x/2"],
        ["s/a/[&]/2"],
        ["s/^/git /"],
        ["s/$/ x/"],
        ["s/^a*$/gone/"],
        ["s/[abc]/-/g"],
        ["s/[^abc]/-/g"],
        ["s/./&&/g"],
        ["s,/,|,"],
        ["s/ //g;s/a/b/"],
        ["-e", "s/a/b/", "-e", "s/b/c/"],
        ["y/abc/xyz/"],
        ["-n", "2p"],
        ["-n", "1,2p"],
        ["-n", "$p"],
        ["-ne", "1p"],
        ["1d"],
        ["$d"],
        ["2s/./Z/"],
        ["p"],
        ["1p;d"],
        ["s/\\./!/"],
        ["s/\\*/!/"],
        ["s/a/\\n/"],
        ["s/A/q/I"],
        ["-E", "s/b/c/g"],
        ["2,1p"],
    ],
    "cut": [["-c1"], ["-c", "1-3"], ["-c2-"], ["-d,", "-f1"], ["-d", ",", "-f", "2-"], ["-f2"], ["-d,", "-s", "-f1,3"]]
    + [["-b-2"], ["-d ", "-f2"], ["-c3,1"]],
    "uniq": [[]],
    "paste": [["-s"], ["-sd,"], ["-s", "-d", " "], ["-sd", ","], ["-"], ["-", "-"], ["-d ", "-", "-"]]
    + [["-d", ",", "-", "-", "-"], ["-sd ", "-"], ["-d\\0", "-", "-"]],
    "xargs": [[], ["echo"]],
    "tac": [[]],
    "rev": [[]],
}


def _real(argv: list[str], text: bytes) -> bytes | None:
    run = subprocess.run(
        argv,
        input=text,
        capture_output=True,
        timeout=20,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
    )
    return run.stdout if run.returncode == 0 else None


def _worked_out(argv: list[str], text: bytes) -> bytes | None:
    try:
        run = KNOWLEDGE.filter(argv[0])
        assert run is not None
        return run(argv[1:], text, "bash")
    except ValueError:
        return None


@each("argv", [[name, *args] for name, many in CASES.items() for args in many], ids=" ".join)
def test_what_is_worked_out_is_what_the_program_prints(argv: list[str]) -> None:
    outputs = [(text, _worked_out(argv, text)) for text in INPUTS]
    assert any(out is not None for _, out in outputs)
    for text, out in outputs:
        if out is not None:
            assert out == _real(argv, text), text


def test_sed_scripts_made_by_chance() -> None:
    chance = random.Random(11)
    known = 0
    for _ in range(400):
        pattern = "".join(
            chance.choices(["a", "b", ".", "*", "^", "$", "[ab]", "\\.", " ", "x", "&", "+"], k=chance.randint(1, 4))
        )
        made = "".join(chance.choices(["a", "&", "z", "\\n", " ", "\\&"], k=chance.randint(0, 3)))
        script = f"s/{pattern}/{made}/" + chance.choice(["", "g", "2", "g;s/a/b/", ";2d", ";1p"])
        if chance.random() < 0.2:
            script = chance.choice(["1", "2", "$", "1,2"]) + script
        argv = ["sed", *chance.choice([[], ["-n"], ["-E"]]), script]
        text = chance.choice(INPUTS)
        out = _worked_out(argv, text)
        if out is not None:
            known += 1
            assert out == _real(argv, text), (argv, text)
    assert known > 100


@pytest.mark.parametrize(
    "argv",
    [
        ["sed", "s/\\(a\\)/\\1/"],
        ["sed", "-i", "s/a/b/"],
        ["sed", "s/a/b/e"],
        ["sed", "s/a/b/w f"],
        ["sed", "s/a/b/", "file"],
        ["sed", "/a/d"],
        ["sed", "-f", "x"],
        ["sed", "0d"],
        ["sed", "s/a*b*a*/x/"],
        ["cut", "-f1", "file"],
        ["cut", "--complement", "-f1"],
        ["uniq", "-c"],
        ["paste", "a", "b"],
        ["xargs", "rm"],
        ["xargs", "-n1"],
    ],
    ids=" ".join,
)
def test_what_is_not_modelled_is_not_guessed(argv: list[str]) -> None:
    assert _worked_out(argv, b"abc\n") is None
