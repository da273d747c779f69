"""Forms of zsh and ksh that bash does not have, read in its words: for the rules that restrict."""

import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest

from execpolicy.shell.in_other_words import in_other_words
from tests.support.each import each
from tests.support.judging import decision

ZSH = [
    "if [[ 1 ]] git push",
    "if (( 1 )) git push",
    "while (( i++ < 1 )) git push",
    "until [[ -n $x ]] { git push; x=1 }",
    "repeat 1 git push",
    "for x (push) git $x",
    "for x (a push b) git $x",
    "for x y (git push) $x $y",
    "for x (push) { git $x }",
    "foreach x (push)\ngit $x\nend",
    "foreach x (push); git $x; end",
    "select x (push) { git $x; break } <<< 1",
    "source =(echo git push)",
    ". =(<<<'git push')",
    "sh =(<<<'git push')",
    "zsh =(print git push)",
    "git ${${:-xpush}#x}",
    "git ${${:-pushx}%x}",
    "git ${(L):-PUSH}",
    "a=xpush; git $a[2,-1]",
    "a=xpushy; git ${a[2,5]}",
    "${$(which git)} push",
    "git ${$(<<<push)}",
    "git ${x::=push}",
    "zsh -c 'if [[ 1 ]] git push'",
    "$HOME/git(N) push",
    "./git(.) push",
    "./(x|git) push",
    "./g(i|o)t push",
]
KSH = [
    "typeset -L4 x=pushing; git $x",
    "typeset -R4 x=xxpush; git $x",
    "x=pushing; typeset -L4 x; git $x",
    "typeset -L3 g=gitting; $g push",
    "typeset -l x=PUSH; git $x",
    "./@(x|git) push",
    "./g@(i)t push",
    "./+(git) push",
]
BASH = [
    "shopt -s extglob\n./@(x|git) push",
    "shopt -s extglob\n./?(x)git push",
    'true git; "$_" push',
    "true git; $_ push",
    ': push; git "$_"',
]
PROGRAMS = ("git", "true", "echo", "sh", "zsh", "which")
RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\n' + "".join(
    [f'prefix_rule(pattern=["{program}"])\n' for program in PROGRAMS]
)


@each("script", ZSH)
def test_it_is_found_in_zsh(script: str) -> None:
    assert decision(script, RULES, shell="zsh") == "forbidden"


@each("script", KSH)
def test_it_is_found_in_ksh(script: str) -> None:
    assert decision(script, RULES, shell="ksh") == "forbidden"


@each("script", BASH)
def test_it_is_found_in_bash(script: str) -> None:
    assert decision(script, RULES, shell="bash") == "forbidden"


@each(
    "script",
    [
        "for f (*.txt) echo git $f",
        "for x (push) echo git $x",
        "foreach x (a b)\ngit log $x\nend",
        "if [[ -f push ]] git status",
        "source =(echo git log)",
        "echo $path[1,2]",
        "a=(push pull); echo $a[1,2]; git log",
        "git log ${${:-a}#b}",
    ],
)
def test_another_command_is_not(script: str) -> None:
    assert decision(script, RULES, shell="zsh") != "forbidden"


def test_nothing_is_allowed_by_it() -> None:
    assert decision("for x (log) git $x", RULES, shell="zsh") == "prompt"


@each("shell", ["bash", "sh", "fish"])
def test_other_shells_have_no_such_forms(shell: str) -> None:
    assert in_other_words("for x (push) git $x", shell) is None


@each("piece", ["for x (", "=(", "${:-", "${${:-a}", "$a[1,2]", "if [[ ", "typeset -L4 x=", "repeat 2 ", "end "])
def test_many_forms_cost_little(piece: str) -> None:
    in_other_words((piece * 20_000)[:20_000], "zsh")


@pytest.mark.slow
@pytest.mark.parametrize(("shell", "scripts"), [("zsh", ZSH), ("ksh", KSH), ("bash", BASH)])
def test_the_shell_runs_it(shell: str, scripts: list[str], tmp_path: Path) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"needs {shell}")
    for script in scripts:
        folder = Path(mkdtemp(dir=tmp_path))
        (folder / "git").write_text(f'#!/bin/sh\necho "$*" >> {folder}/log\n')
        (folder / "git").chmod(0o755)
        argv = [found, "-f", "-c", script] if shell == "zsh" else [found, "-c", script]
        environment = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder)}
        subprocess.run(argv, cwd=folder, env=environment, capture_output=True, timeout=10, check=False)
        assert (folder / "log").exists(), script
        assert "push" in (folder / "log").read_text(), script
