"""What zsh reads as bash does is read so, and what it reads otherwise is opaque. zsh itself is the judge."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest

from execpolicy.shell.read import read_script
from tests.support.each import each

ALIKE = (
    "echo hi 2>&1",
    "echo hi >&2",
    "echo hi 1>&2",
    "echo hi >& 2",
    "echo hi >f 2>&1",
    "echo hi 2>f 1>&2",
    "echo hi 2>/dev/null 1>f",
    "echo hi &>f",
    "echo hi &>>f",
    "echo hi >&f",
    "echo hi&>f",
    "echo hi >|f",
    "echo hi >1",
    "echo hi &>1",
    "echo hi 2>&-",
    "ls nope 2>&1 | wc -l",
    "ls nope |& wc -l",
    "echo hi | cat 2>&1 | cat >f",
    "echo hi | (cat <in1)",
    "{ echo hi >a; } >b",
    "(echo hi; echo ho >&2) >a 2>b",
    "if true; then echo hi; fi >a 2>&1",
    "while read x; do echo $x; done <in1 >f",
    "x=$(echo hi >a); echo $x",
    "cat <(echo hi >a)",
    "cat <in1 2>&1",
    "cat <<<x >f",
    "exec 3>f; echo hi >&3",
    "echo hi {x}>f",
    'x=1; echo "$x: $x:/ $x:1"',
    'for f in in1 in2; do echo "$f: $(cat $f)"; done',
    "for f in in{1,2}; do cat $f; done",
    "for i in {1..3} {01..03} {c..a} {1..9..2}; do echo $i; done",
    "echo a{,.bak} HEAD@{1} x}y {} {a}",
    "f() { cat $1; }; f in1",
    'x=in1; cat $x "${x}"',
    "a=(in1 in2); cat \"${a[@]}\"",
    "n=$(wc -l < in1); [ $n -gt 0 ] && echo some",
    "echo HEAD^ HEAD~1 a^b a%b hi#there a!b # it's",
)  # fmt: skip
"""Scripts that do and print the same in both shells."""
OTHERWISE = (
    "echo hi >a >b",
    "echo hi >a | cat",
    "echo hi 2>&1 >a | cat",
    "echo hi >&2 | cat",
    "echo hi >a >&2",
    "exec 2>f; echo hi >&2 >a",
    "echo hi &>a >b",
    "echo hi >&a >b",
    "ls nope 2>f |& cat",
    "(echo hi) >a >b",
    "{ echo hi; } >a | cat",
    "if true; then echo hi; fi >a >b",
    "for i in 1; do echo $i; done >a | cat",
    "echo hi | cat <in1",
    "echo hi | cat <<<x",
    "echo hi | cat <<x\ny\nx",
    "echo hi | while read x; do echo $x; done <in1",
    "cat <in1 <in2",
    "cat <<<x <in2",
    "x=$(echo hi >a | cat); echo $x",
    "cat <(echo hi >a | cat)",
    "echo hi >&p",
    'echo hi >&"p"',
    "echo hi >&1-",
    "echo hi 3>&1- >&3",
    "echo hi >>!b",
    "echo hi &>!b",
    "echo hi >&!b",
    "echo hi >>&b",
    "echo hi &>|b",
    "echo hi >&|b",
    "echo hi >>|b",
    "echo hi 12>f",
    "echo hi 02>f",
    "echo 2&>f",
    "wc -c < =true",
    "touch 1-9; cat <1-9>out",
    ": >-; cat <->out",
    "<in1",
    "> f < in1",
    ">f while echo hi; do break; done",
    "{ echo a} always { echo b; }",
    '{ echo "a"} always { echo b; }',
    "{ echo $x} always { echo b; }",
    "{ echo {a}} always { echo b; }",
    "{ echo a >f} always { echo b; }",
    "{ cat <<<a} always { echo b; }",
    "echo ===",
    "[ a == a ] && echo hi",
    "printf '<%s>' {,a}",
    "echo {a..e..2}",
    "echo {1..3..-1}",
    "echo {0..03}",
    "echo {1..+3}",
    "x=/a/b; echo $x:t",
    'x=/a/b; echo "$x:h"',
    "x=abc; echo $x[1]",
    "echo in(1|2)",
    "echo =ls",
)
"""Scripts that do or print something else in zsh, and would be misread."""


@each("script", ALIKE)
def test_what_zsh_reads_alike_is_read(script: str) -> None:
    as_bash, as_zsh = read_script(script, shell="bash"), read_script(script, shell="zsh")
    assert as_zsh.status == as_bash.status != "opaque"
    assert [one.argv() for one in as_zsh.commands] == [one.argv() for one in as_bash.commands]


@each("script", OTHERWISE)
def test_what_zsh_reads_otherwise_is_opaque(script: str) -> None:
    assert read_script(script, shell="zsh").status == "opaque"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is missing")
@each("script", (*ALIKE, *OTHERWISE))
def test_zsh_is_the_judge(script: str, tmp_path: Path) -> None:
    alike = _done(["bash", "-c"], script, tmp_path) == _done(["zsh", "-fc"], script, tmp_path)
    assert alike == (script in ALIKE)


def _done(shell: list[str], script: str, around: Path) -> tuple[str, dict[str, str]]:
    """What ``script`` prints, and the files that it leaves in a new folder."""
    folder = Path(mkdtemp(dir=around))
    (folder / "in1").write_text("one\n")
    (folder / "in2").write_text("two\n")
    done = subprocess.run(
        [*shell, script], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=30
    )
    return done.stdout, {each.name: each.read_text() for each in folder.iterdir()}
