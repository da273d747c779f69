"""What dynamic words are seen to become: a rule on the program finds it, in time that grows with the script."""

from __future__ import annotations

from pathlib import Path

import pytest

from execpolicy.programs.catalog import facts_of
from execpolicy.shell.read import read_script
from tests.support.each import each
from tests.support.reach import reaches
from tests.support.running import run_captured

FOUND = (
    "a=arm; ${a:1:2} x",
    "a=arm; ${a:1} x",
    "a=xrm; ${a:1:2} x",
    "a=rmz; ${a:0:2} x",
    "a=rmz; ${a: -3:2} x",
    "a=xrm; ${a#x} x",
    "a=rm.y; ${a%.*} x",
    "a=/bin/rm; ${a##*/} x",
    "a=rxm; ${a/x/} x",
    "a=kitty; a=${a/kitty/rm}; $a x",
    "a=txm; ${a/tx/r} x",
    "a=RM; ${a,,} x",
    "a=RM; ${a@L} x",
    "a=Rm; ${a~} x",
    "a=r; ${a?}m x",
    "a=r; a+=m; ${a:?unset} x",
    "a=r; a+=m; eval ${a@Q} x",
    r"a='\x72m'; ${a@E} x",
    "for i in r m; do a+=$i; done; $a x",
    'a=; for i in r m; do a="$a$i"; done; "$a" x',
    "for i in r m; do a=${a}$i; done; $a x",
    "a=rm; a=${a^^}; ${a,,} x",
    "a=r; a+=m; $a x",
    "a=(r); a+=(x); a=(rm); ${a[0]} x",
    'a=(); a+=(rm); a+=(x); "${a[@]}"',
    "set rm x; $1 $2",
    'set -- rm x; "$1" x',
    "set -- rm x; $*",
    'set -- rm x; "$@"',
    "set -- y rm x; shift; $1 $2",
    'set -- y rm x; shift; "$@"',
    'f() { local c="$1"; $c x; }; f rm',
    "f() { c=$1; $c x; }; f rm",
    "f() { $1 x; }; f rm",
    "f() { g $1; }; g() { $1 x; }; f rm",
    "read x <<< rm; $x x",
    'read -r x y <<< "rm x"; $x $y',
    "mapfile -t a <<< rm; ${a[0]} x",
    'mapfile -t a <<< rm; "${a[0]}" x',
    "mapfile -t a < <(echo rm); $a x",
    'read -ra a <<< "rm x"; "${a[@]}"',
    "read x < <(echo rm); $x x",
    'readarray a <<< "rm x"; $a',
    "[[ 'a[$(rm x)]' -eq 0 ]]",
    "x='a[$(rm x)]'; [[ $x -eq 0 ]]",
    "x='a[$(rm x)]'; ((x))",
    "x='a[$(rm x)]'; echo $((x+1))",
    "let 'a[$(rm x)]=1'",
    "declare -i y='a[$(rm x)]'",
    "test -v 'a[$(rm x)]'",
    "[ -v 'a[$(rm x)]' ]",
    "printf -v 'a[$(rm x)]' x",
    "read 'a[$(rm x)]' <<< 1",
    "unset 'a[$(rm x)]'",
    "(( a[$(rm x)] ))",
    "x='$(rm x)'; echo ${x@P}",
    "x='a[`rm x`]'; echo ${y:x}",
    "mapfile 'a[$(rm x)]' < f",
    "wait -n -p 'a[$(rm x)]'",
    "getopts a 'b[$(rm x)]'",
    "x='a[$(rm x)]'; echo ${b[x]}",
    "x='a[$(rm x)]'; echo ${b[$x]}",
    "x='a[$(rm x)]'; echo ${!x}",
    "[[ -v 'a[$(rm x)]' ]]",
    "x='a[$(rm x)]'; [[ -v $x ]]",
    "export 'a[$(rm x)]=1'",
    "declare 'a[$(rm x)]=1'",
    "$BASH -c 'rm x'",
    "\"$BASH\" -c 'rm x'",
    "$SHELL -c 'rm x'",
    "$0 -c 'rm x'",
    "${BASH} -c 'rm x'",
    "echo $(coproc X { rm x; })",
    "coproc X { rm x; }",
    "x=rm; y=x; ${!y} x",
    "a=(x rm); ${a[1]} x",
    "a=(x rm); i=1; ${a[i]} x",
    "a=(x rm); ${a[-1]} x",
    'a=(x rm y); "${a[@]:1}"',
    'set -- x rm y; "${@:2}"',
    "set -- x rm y; ${@:2:1} x",
    "declare -A m=([k]=rm); ${m[k]} x",
    "a=([0]=rm); ${a[0]} x",
    "printf -v x rm; $x x",
    "printf -v x %s%s r m; $x x",
    "x=$(printf %s r m); $x x",
    "IFS=,; x=rm,x; $x",
    'eval "x=rm"; $x x',
    "x=r; y=m; $x$y x",
    'x="r"m; "$x" x',
    "x=${y:-rm}; $x x",
    "x=${y-rm}; $x x",
    ": ${x:=rm}; $x x",
    "for x in rm; do $x x; done",
    "while read x; do $x x; done <<< rm",
    "echo rm | while read x; do $x x; done",
    "export x=rm; $x x",
    "declare x=rm; $x x",
    "readonly x=rm; $x x",
    "x=${z}rm; $x x",
    'a=(r m); IFS=; "${a[*]}" x',
    'x=( $(echo rm x) ); "${x[@]}"',
    "x=$'\\x72m'; $x x",
    "x=`echo rm`; $x x",
    "x=$(cat <<< rm); $x x",
    "x=$(cat <<E\nrm\nE\n); $x x",
    "case rm in *) x=rm;; esac; $x x",
    "x=m; x=r$x; $x x",
    "alias q=rm; q x",
    'x="rm x"; $x',
    'x="rm x"; eval $x',
    'x="rm x"; bash -c "$x"',
    "f() { echo rm; }; $(f) x",
    "x[0]=rm; ${x[0]} x",
    "x[0]=rm; $x x",
    "a=rm b=a; eval \\$$b x",
    'x=%s; printf "$x" rm | xargs -I{} {} x',
    "${x:-rm} x",
    "x=rm y; rm",
    "$(command -v rm) x",
    "$(which rm) x",
)
"""Scripts that run ``rm``, each through a value that the script shows."""

EXPANDED_TWICE = ("A >&'$(rm x)'", 'A >&"\\$(rm x)"', "x='`rm`'; A >&$x", "x='$(rm x)'; echo ${x@P}")
"""Text that the shell expands again."""

SPLIT_OR_PUT_TOGETHER = (
    'a[0]=rm; a[1]=x; "${a[@]}"',
    "a[0]=rm; a[1]=x; ${a[*]}",
    'a[1]=x; a[0]=rm; "${a[@]}"',
    'a[5]=rm; a[9]=x; "${a[@]}"',
    'a=(rm); a[1]=x; "${a[@]}"',
    'a=(ls x); a[0]=rm; "${a[@]}"',
    'a=([1]=x [0]=rm); "${a[@]}"',
    'a[${#a[@]}]=rm; a[${#a[@]}]=x; "${a[@]}"',
    'a[0]=r; a[0]+=m; a[1]=x; "${a[@]}"',
    'a=("rm x"); ${a[@]}',
    'a=("rm x"); ${a[*]}',
    'set -- "rm x"; $*',
    'set -- "rm x"; $@',
    "IFS=,; set -- rm,x; $*",
    "IFS=:; a=(rm:x); ${a[@]}",
    "IFS=,; a[0]=rm,x; $a",
)
"""Scripts that run ``rm x`` by arrays built element by element, or by elements that are split once more."""

IN_ANOTHER_ORDER = (
    'a[0]=x; a[1]=rm; "${a[@]}"',
    'a=([0]=x [1]=rm); "${a[@]}"',
    'a=("rm x"); "${a[@]}"',
    'set -- "rm x"; "$@"',
)
"""Scripts that do not."""

DATA = (
    "echo 'a[$(rm x)]'",
    "x='$(rm x)'; echo \"$x\"",
    "printf '$(rm x)\\n'",
    "[[ 'a[$(rm x)]' == b ]]",
    "git commit -m 'a[1] `rm`'",
)
"""Scripts in which ``rm`` is text that nothing evaluates."""

LONG = (
    "x=$(ls); sudo $x; ",
    "x=a; A $x; ",
    "x+=a; A $x; ",
    "x+=(a); A ${x[@]}; ",
    "x=(a b); A ${x[@]}; ",
    "x=$(echo $x); $x a; ",
    "i=1; A $((i+1)); ",
    "set -- rm x; $1 $2; ",
    "read x <<< rm; $x a; ",
    'f() { local c="$1"; $c x; }; f rm; ',
    "x=$x$x; A $x; ",
    "x=abc; A ${x:1} ${x#a} ${x/b/c}; ",
    "x=$(echo a | rev); A $x; ",
    "IFS=,; A $x; ",
    "a[1]=x; A ${a[@]}; ",
    "a[0]=x; a[n]=y; A ${a[*]}; ",
    "a[0]+=x; A ${a[@]}; ",
)


@each("text", FOUND + EXPANDED_TWICE)
def test_what_a_value_becomes_is_found(text: str) -> None:
    assert reaches(text, ("rm",))


def _runs_in_bash(text: str, folder: Path) -> bool:
    stub = folder / "rm"
    stub.write_text(f'#!/bin/sh\necho "$*" >>{folder}/log\n')
    stub.chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin"}
    run_captured(["bash", "-c", text], env=environment, cwd=folder)
    log = folder / "log"
    return log.exists() and log.read_text() == "x\n"


@pytest.mark.parametrize("text", SPLIT_OR_PUT_TOGETHER)
def test_elements_are_put_together_and_split_as_bash_does(text: str, tmp_path: Path) -> None:
    assert _runs_in_bash(text, tmp_path)
    assert reaches(text, ("rm", "x"))


@pytest.mark.parametrize("text", IN_ANOTHER_ORDER)
def test_elements_in_another_order_are_another_command(text: str, tmp_path: Path) -> None:
    assert not _runs_in_bash(text, tmp_path)
    assert not reaches(text, ("rm", "x"))


@pytest.mark.parametrize("text", DATA)
def test_text_that_nothing_evaluates_is_data(text: str) -> None:
    assert not reaches(text, ("rm",))


def _steps(text: str) -> int:
    facts = facts_of(read_script(text))
    before = facts.budget.left
    assert facts.effects is not None
    for command in facts.script.commands:
        for word in command.words:
            facts.values(word)
    assert facts.assigned is not None
    return before - facts.budget.left


@pytest.mark.parametrize("part", LONG)
def test_steps_grow_with_the_length(part: str) -> None:
    # 64 values of a variable are kept: below that many, each use looks at every one of them.
    short, long = _steps(part * 250), _steps(part * 1000)
    assert 0 < long <= 6 * short


def test_steps_end_at_a_limit() -> None:
    text = "".join([f"x{i}=$x{i - 1}$x{i - 1}; " for i in range(1, 300)]) + "A $x299"
    assert _steps("x0=(a b c d); x0=b; " + text) < 1_000_000
