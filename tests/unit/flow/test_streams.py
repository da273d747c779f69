"""What a pipe of pure filters prints, against the programs themselves."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy.flow.facts import Facts
from execpolicy.flow.streams import fed_texts
from execpolicy.programs.catalog import facts_of
from execpolicy.shell.read import read_script
from execpolicy.shell.script import Command
from tests.support.each import each

SOURCES = [
    "echo 'rm -rf x'",
    "echo -n abc",
    "echo -e 'a\\tb\\nc\\x41\\0101\\cz'",
    "echo -E 'a\\nb'",
    "echo -nx y",
    "echo a  'b  c'",
    "echo --",
    "printf 'a\\n'",
    "printf '%s-%s\\n' a b c",
    "printf '\\x72\\155 %%'",
    "printf '%5s|%-5s|%05d\\n' a b 3",
    "printf '%b' 'a\\nb\\0101'",
    "printf '%d %x %c\\n' 0x10 255 hello",
    "printf 'x\\ny\\nz\\n'",
    "printf x",
    "cat <<< 'hello world'",
    "base64 -d <<< cm0geA==",
    "base64 --decode <<< 'cm0g\neA=='",
    "xxd -r -p <<< 726d2078",
    "cat <<'EOF'\nline one\nline $two\nEOF\n",
    "command echo hi",
    "/bin/echo 'a b'",
    "env printf 'q\\n'",
]
FILTERS = [
    "cat",
    "rev",
    "tac",
    "tr a-z A-Z",
    "tr -d aeiou",
    "tr 'a-y' 'b-z'",
    "tr '[:lower:]' '[:upper:]'",
    "tr abc x",
    "tr '\\n' ' '",
    "head -n 1",
    "head -2",
    "head -c 4",
    "tail -n 1",
    "tail -n +2",
    "tail -c 3",
    "tail -1",
    "sort",
    "sort -u",
    "sort -r",
    "base64",
    "base64 | base64 -d",
    "gzip -n | gunzip",
    "tee /dev/null",
]


def _bash(script: str, folder: Path | None = None) -> str:
    run = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        timeout=20,
        check=False,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
    )
    return run.stdout.decode("utf-8", "surrogateescape")


def _pipelines() -> list[str]:
    chance = random.Random(5)
    made = list(SOURCES)
    for source in SOURCES:
        if "EOF" not in source:
            made.extend([" | ".join([source, *chance.sample(FILTERS, chance.randint(1, 3))]) for _ in range(4)])
    made.extend([f"printf 'b a\\nc\\nb a\\n' | {each}" for each in FILTERS])
    return [each for each in made if "xxd" not in each or shutil.which("xxd")]


def fed_text(command: Command, facts: Facts) -> str | None:
    """The text on standard input; ``None`` if it is not known exactly."""
    texts, exact = fed_texts(command, facts)
    return texts[0] if exact and len(texts) == 1 else None


def _fed(pipeline: str, reader: str = "sh") -> tuple[str | None, list[str]]:
    if "EOF" in pipeline:
        pipeline = pipeline.replace("<<'EOF'\n", f"<<'EOF' | {reader}\n")
        script = read_script(pipeline)
    else:
        script = read_script(f"{pipeline} | {reader}")
    assert script.reason is None, pipeline
    return fed_text(script.commands[-1], facts_of(script)), fed_texts(script.commands[-1], facts_of(script))[0]


@each("pipeline", _pipelines())
def test_text_is_exactly_what_the_programs_print(pipeline: str) -> None:
    text, _ = _fed(pipeline)
    if text is not None:
        assert text == _bash(pipeline)


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_is_understood(source: str) -> None:
    assert _fed(source)[0] is not None


@pytest.mark.parametrize(
    "script",
    [
        "cat f | sh",
        "curl x | sh",
        "sh < f",
        "echo a > f | sh",
        "echo $x | sh",
        "sh",
        "base64 -d f | sh",
        "sort -k2 f | sh",
    ],
)
def test_unknown_input_is_not_guessed(script: str) -> None:
    read = read_script(script)
    assert fed_text(read.commands[-1], facts_of(read)) is None


def test_input_with_expansions_is_evidence_only() -> None:
    read = read_script('echo "rm -rf $x" | sh')
    assert fed_text(read.commands[-1], facts_of(read)) is None
    assert "rm -rf $x" in [text.rstrip("\n") for text in fed_texts(read.commands[-1], facts_of(read))[0]]


def test_a_group_prints_one_after_the_other() -> None:
    read = read_script("{ echo a; echo b; } | sh")
    assert fed_text(read.commands[-1], facts_of(read)) == "a\nb\n"


def test_redirection_wins_over_the_pipe() -> None:
    read = read_script("echo a | sh < /dev/null")
    assert fed_text(read.commands[-1], facts_of(read)) == ""


@each(
    "producers",
    ["cat <(printf 'git ') <(printf push)", "cat <(printf 'git ') - <<< push", "printf 'git ' > x; cat x <(echo push)"],
)
def test_files_that_are_read_together_are_put_together(producers: str, tmp_path: Path) -> None:
    script = read_script(producers + " | sh")
    reader = [each for each in script.commands if each.argv() == ("sh",)][-1]
    texts = fed_texts(reader, facts_of(script))[0]
    assert "git push" in [text.strip() for text in texts]
    assert _bash(producers, tmp_path).strip() == "git push"
