"""Commands that a program text makes itself, which a rule for its interpreter says nothing of."""

import pytest

from execpolicy.programs.computed_commands import computed_commands
from tests.support.judging import decision


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ('"xgit push"=~/x(.*)/; system $1', "perl"),
        ('"xt push"=~/x(.*)/; system "gi".$1', "perl"),
        ('system "ls; $x"', "perl"),
        ('$c="ls"; $c=$1 if /x(.*)/; system $c', "perl"),
        ('$c="ls"; $c =~ s/ls/git/; system $c', "perl"),
        ('$c="gis"; $c++; system $c', "perl"),
        ('$c="xit"; substr($c,0,1)="g"; system $c', "perl"),
        ("print `ls $x`", "perl"),
        ('open F, "$x|"', "perl"),
        ('open(F, "-|", $x)', "perl"),
        ("eval $x", "perl"),
        ("exec @ARGV", "perl"),
        ("import os; os.system(f())", "python"),
        ('import os; os.system("ls " + x)', "python"),
        ('import os; os.system(f"ls {x}")', "python"),
        ("import subprocess; subprocess.run(args=x)", "python"),
        ("exec(x)", "python"),
        ('{system("mv " $1)}', "awk"),
        ("{print | x}", "awk"),
        ("{x | getline}", "awk"),
        ("exec [string cat g it] push", "tcl"),
        ('open "|[f]"', "tcl"),
        ('require("child_process").execSync(`ls ${x}`)', "javascript"),
        ("open(x)", "ruby"),
        ('import os; getattr(os,"sys"+"tem")(f())', "python"),
        ('&{"sys"."tem"}(f())', "perl"),
        ("syscall(59, $x)", "perl"),
        ("set c [f]; exec {*}$c", "tcl"),
        ("uplevel #0 [f]", "tcl"),
        ("call system(F())", "vim"),
    ],
)
def test_nobody_knows_what_runs(code: str, language: str) -> None:
    assert "" in list(computed_commands(code, language))


@pytest.mark.parametrize(
    ("code", "language", "program"),
    [
        ('import subprocess; subprocess.run(["git", x])', "python", "git"),
        ('import subprocess; subprocess.run(["git", *a], check=True)', "python", "git"),
        ('system "git", $1', "perl", "git"),
        ('c="git"; import subprocess; subprocess.run([c, x])', "python", ""),
    ],
)
def test_the_program_of_a_list_is_known(code: str, language: str, program: str) -> None:
    assert list(computed_commands(code, language)) == [program]


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ('system "ls"', "perl"),
        ("system qw(ls -l)", "perl"),
        ('$c="ls"; system $c', "perl"),
        ("eval { f($x) }; print $@", "perl"),
        ('open(my $f, "<", $name)', "perl"),
        ('import subprocess; subprocess.run(["ls","-l"], capture_output=True, text=True)', "python"),
        ('import subprocess; print(subprocess.check_output(["git","log"]).decode())', "python"),
        ('import os; os.system("l" + "s")', "python"),
        ('import os; os.system("echo $HOME")', "python"),
        ('print("the system is down")', "python"),
        ("import asyncio; asyncio.run(main())", "python"),
        ("def run(x): pass", "python"),
        ("import ast; ast.literal_eval(x)", "python"),
        ('{print | "sort"}', "awk"),
        ("{if (a || b) print}", "awk"),
        ('"date" | getline d', "awk"),
        ("exec ls $x", "tcl"),
        ('print(getattr(o, "name"))', "python"),
        ("%s/a/b/g", "vim"),
        ("const m=/x/.exec(s)", "javascript"),
        ('require("child_process").execSync("git log", {stdio: x})', "javascript"),
    ],
)
def test_what_is_constant_is_known(code: str, language: str) -> None:
    assert list(computed_commands(code, language)) == []


def test_a_rule_for_the_interpreter_covers_it_where_nothing_is_restricted() -> None:
    allowing = 'prefix_rule(pattern = ["perl"], decision = "allow")\n'
    restricting = 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n'
    script = "perl -e 'system $x'"
    assert decision(script, allowing) == "allow"
    assert decision(script, allowing + restricting) == "prompt"
