"""Builtins that stand in the way of a grant, and those that do not."""

from __future__ import annotations

import pytest

from execpolicy.programs.builtin_effects import builtin_effects
from execpolicy.programs.catalog import facts_of
from execpolicy.shell.read import read_script
from tests.support.each import each
from tests.support.judging import decision


def _kinds(text: str, shell: str = "bash") -> list[str]:
    script = read_script(text, shell=shell)
    return [effect.kind for command in script.commands for effect in builtin_effects(command, facts_of(script))]


@each(
    ("script", "kind"),
    [
        ("export PATH=x", "assignment"),
        ("export PATH+=/usr/bin", "assignment"),
        ("export -n X; declare -x PATH=x", "assignment"),
        ("typeset -x PATH=x", "assignment"),
        ("readonly PATH=x", "assignment"),
        ("local IFS=x", "assignment"),
        ("declare LD_PRELOAD=x", "assignment"),
        ("export foo=1", "exported"),
        ("declare -x FOO=1", "exported"),
        ("export http_proxy=x", "assignment"),
        ("export PATH", "assignment"),
        ('export "$x"', "assignment"),
        ("export $x", "assignment"),
        ("export -f f", "assignment"),
        ("declare -n r=x", "assignment"),
        ("declare -i x='a[$(c)]'", "arithmetic"),
        ("declare 'a[$(c)]=x'", "arithmetic"),
        ("declare a=$x a=(1)", "arithmetic"),
        ('typeset -g a=$x a=("$x")', "arithmetic"),
        ("declare a=(1); declare a=$x", "arithmetic"),
        ("export a=(1); export a=$x", "arithmetic"),
        ("readonly a=$x b=1 a+=()", "arithmetic"),
        ("read -aa; declare a=$x", "arithmetic"),
        ("f() { declare a=(1); }; f; declare a=$x", "arithmetic"),
        ("hash -p ./evil ls", "hash"),
        ("hash -rp ./evil ls", "hash"),
        ("hash ls=./evil", "hash"),
        ("printf -v PATH x", "assignment"),
        ("printf -vPATH x", "assignment"),
        ('printf -v "$x" y', "assignment"),
        ("printf -v 'a[$(c)]' y", "arithmetic"),
        ("read PATH", "assignment"),
        ("read -r a PATH", "assignment"),
        ("read -a PATH", "assignment"),
        ('read "$x"', "assignment"),
        ("read 'a[$(c)]'", "arithmetic"),
        ("mapfile PATH", "assignment"),
        ("mapfile -t -C cmd x", "trap"),
        ("readarray PATH", "assignment"),
        ("getopts a PATH", "assignment"),
        ("unset PATH", "unset"),
        ("unset -f ls", "unset"),
        ("unset 'a[$(c)]'", "arithmetic"),
        ('unset "$x"', "arithmetic"),
        ("test -v 'a[$(c)]'", "arithmetic"),
        ("[ -v 'a[$(c)]' ]", "arithmetic"),
        ('[ -v "$x" ]', "arithmetic"),
        ("test $x", "arithmetic"),
        ("test -n a -a $x", "arithmetic"),
        ("let 'x=a[$(c)]'", "arithmetic"),
        ("let x=y", "arithmetic"),
        ("let i++", "arithmetic"),
        ("hash -p ./evil ls", "hash"),
        ("enable -f x.so y", "enable"),
        ("enable -n test", "enable"),
        ("source f", "source"),
        (". ./f", "source"),
        ("exec > f", "exec"),
        ("exec 3<f", "exec"),
        ("trap 'c' EXIT", "trap"),
        ("history -w f", "history"),
        ("history -a f", "history"),
        ("history -s x", "history"),
        ("fc", "history"),
        ("fc -e ed", "history"),
        ("fc -s", "history"),
        ("bind -x '\"a\": c'", "completion"),
        ("complete -C c ls", "completion"),
        ("ulimit -c unlimited", "limit"),
        ("umask 000", "umask"),
        ("cd d", "cd"),
        ("pushd d", "cd"),
        ("popd", "cd"),
        ("command cd d", "cd"),
        ("builtin export PATH=x", "assignment"),
        ("command -p read PATH", "assignment"),
        ("command -- read PATH", "assignment"),
        ("local PATH=$1", "assignment"),
        ("command local x=$1", "assignment"),
        ("'local' x=$1", "assignment"),
    ],
)
def test_a_builtin_that_matters(script: str, kind: str) -> None:
    assert kind in _kinds(script)


@each(
    "script",
    [
        "export LC_ALL=C",
        "export NO_COLOR=1 CI=true",
        "export -p",
        "declare -p PATH",
        "declare x=1",
        "declare -a files",
        "declare -A m",
        "declare -r x=1",
        "local x=$1",
        "local dir",
        'declare x="$1" y=$2',
        'declare a=(1) b="$1"',
        'for a in 1 2; do declare a="$1"; done',
        "readonly x=1",
        "printf '%s' PATH",
        "printf -v out x",
        "read x",
        "read -r -p 'name? ' a b",
        "read",
        "mapfile -t lines",
        "getopts ab: opt",
        "unset x",
        "test -f PATH",
        "[ -n x ]",
        "[ -v x ]",
        "[ a -eq 1 ]",
        "let i=0",
        "hash git",
        "hash -r",
        "enable",
        "enable -p",
        "exec ls",
        "trap",
        "trap -p",
        "trap - EXIT",
        "trap '' INT",
        "history",
        "history 10",
        "fc -l",
        "bind -p",
        "complete -p",
        "ulimit -a",
        "ulimit -n",
        "umask",
        "umask -S",
        "ls cd",
        "echo export PATH=x",
        "command -v read",
        "x=1",
        "command ls PATH",
    ],
)
def test_a_builtin_that_does_not(script: str) -> None:
    assert _kinds(script) == []


@pytest.mark.parametrize(
    "script",
    [
        "zmodload zsh/files",
        "zf_rm f",
        "autoload x",
        "setopt x",
        "emulate sh",
        "bindkey a b",
        "print -z rm",
        "repeat 2 ls",
    ],
)
def test_builtins_of_zsh(script: str) -> None:
    read = read_script(script, shell="zsh")
    assert "zsh" in _kinds(script, "zsh") or read.status == "opaque"
    assert "zsh" not in _kinds(script)


def test_zsh_evaluates_the_operands_of_test() -> None:
    assert _kinds("[ 'a[$(c)]' -eq 0 ]", "zsh") == ["arithmetic"]
    for shell in ("zsh", "ksh", "sh"):
        assert _kinds('[ "$x" -gt 5 ]', shell) == ["arithmetic"]
        assert _kinds('[ "$x" = 5 ]', shell) == []
    assert _kinds("[ 1 -eq $(ls | wc -l) ]", "ksh") == ["arithmetic", "arithmetic"]
    assert _kinds("[ 1 -eq 2 ]", "zsh") == []


def test_zsh_ties_path_to_the_program_path() -> None:
    assert _kinds("read path", "zsh") == ["assignment"]
    assert _kinds("read path") == []


LISTS = [
    ("declare -a 'a=($(rm x))'", "bash", "forbidden"),
    ("declare -a 'a=($(rm x))'", "zsh", "prompt"),
    ("declare 'a=($(rm x))'", "bash", "prompt"),
    ("a=(1); export 'a=($(rm x))'", "bash", "prompt"),
    ("export A='(see $(rm x))'", "bash", "prompt"),
    ("declare -a a=('$(rm x)')", "bash", "allow"),
    ("declare -a 'a=$(rm x)'", "bash", "allow"),
]
"""What bash reads again of a declaration: a list that is quoted, where its variable is an array. All were run."""


@each("script,shell,verdict", LISTS)
def test_a_quoted_list_runs_what_is_in_it(script: str, shell: str, verdict: str) -> None:
    assert decision(script, 'prefix_rule(pattern=["rm"], decision="forbidden")', shell=shell) == verdict
