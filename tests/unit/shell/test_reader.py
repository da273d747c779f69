"""The reader against recorded shells, everyday scripts, hidden commands and hostile input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from execpolicy.programs.catalog import facts_of
from execpolicy.shell.read import read_script
from execpolicy.shell.script import Script
from tests.bash_judge.compare import unreported
from tests.support.each import each

DATA = Path(__file__).parents[2] / "data"


def load(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def argvs(text: str, shell: str = "bash") -> list[list[str | None]]:
    return [list(command.argv()) for command in read_script(text, shell=shell).commands]


CARRIED = ("exec", "eval", "trap")
"""Programs that run their arguments: looked through by ``unwrap``, not by the reader."""
CONTAMINATED = ("shell-064", "bash_argv")
"""One recorded line holds a process of the script before it; bash 5.2 runs only ``A`` there."""


@pytest.mark.parametrize("case", load("peer/shell_split.jsonl"), ids=lambda case: str(case["id"]))
@pytest.mark.parametrize(("shell", "key"), [("bash", "bash_argv"), ("sh", "dash_argv")])
def test_what_the_shells_ran_is_reported(case: dict[str, object], shell: str, key: str) -> None:
    text = str(case["script"])
    ran = case[key]
    assert isinstance(ran, list)
    if text.startswith(CARRIED) or (case["id"], key) == CONTAMINATED:
        ran = []
    facts = facts_of(read_script(text, shell=shell))
    assert [argv for argv in ran if unreported(facts, argv)] == []
    if facts.script.status == "plain" and ran:
        assert sorted(ran) == sorted(list(command.argv()) for command in facts.script.commands) or "||" in text


def test_everyday_scripts_are_understood() -> None:
    scripts = [read_script(str(case["script"])) for case in load("corpora/benign.jsonl")]
    opaque = [script.text for script in scripts if script.status == "opaque"]
    assert len(opaque) <= len(scripts) * 0.02


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=r; b=m; $a$b x", (("rm",),)),
        ('set -- rm -rf v; "$@"', (("rm", "-rf", "v"),)),
        ('c=(rm -rf v); "${c[@]}"', (("rm", "-rf", "v"),)),
        ("${x:-touch} P", (("touch",),)),
        ('rm$IFS-rf$IFS""victim', (("rm", "-rf", "victim"),)),
        ("for x in rm ls; do $x y; done", (("rm",), ("ls",))),
        ("$(echo rm) -rf v", (("rm",),)),
        ("`echo rm -rf` v", (("rm", "-rf"),)),
        ("r$@m x", (("rm",),)),
        ('$"touch" P', (("touch",),)),
        ("$x rm a", ((),)),
        ("read x <<< rm; $x a", (("rm",),)),
        ("export A=rm; $A b", (("rm",),)),
        ("$(printf '\\x72m') x", (("rm",),)),
        ("printf -v x %s rm; $x y", (("rm",),)),
    ],
)
def test_evidence_for_a_dynamic_program(text: str, values: tuple[tuple[str, ...], ...]) -> None:
    script = read_script(text)
    program = next(
        command.words[0] for command in script.commands if command.words and command.words[0].literal is None
    )
    assert facts_of(script).values(program) == values
    assert "dynamic-program" in [effect.kind for effect in script.effects]


def test_positional_arguments_are_evidence() -> None:
    facts = facts_of(read_script('"$@"', positional=("_", "touch", "P")))
    assert facts.values(facts.script.commands[0].words[0]) == (("touch", "P"),)
    facts = facts_of(read_script("$0 P", positional=("touch",)))
    assert facts.values(facts.script.commands[0].words[0]) == (("touch",),)


@each(
    ("text", "kinds"),
    [
        ("echo $((1+2))", []),
        ("echo $((x))", ["arithmetic"]),
        ("i=0; echo $((i+1))", []),
        ("i=a; echo $((i+1))", ["arithmetic"]),
        ("false && i=1; echo $((i))", ["arithmetic"]),
        ("i=1; read i; echo $((i))", ["arithmetic"]),
        ("i=1 A; echo $((i))", ["arithmetic"]),
        ("(i=1); (echo $((i)))", ["arithmetic"]),
        ("i=1 & echo $((i))", ["arithmetic"]),
        ("if A; then i=1; else echo $((i)); fi", ["arithmetic"]),
        ("if A; then i=1; echo $((i)); fi", []),
        ("for j in; do i=1; done; for j in 1; do echo $((i)); done", ["arithmetic"]),
        ("for i in; do :; done; for j in 1; do echo $((i)); done", ["arithmetic"]),
        ("A | i=1; echo $((i))", ["arithmetic"]),
        ("for ((i=0;i<3;i++)); do A $((i)); done", []),
        ("for i in 1 2; do echo $((i*2)); done", []),
        ("for i in $x; do echo $((i*2)); done", ["arithmetic"]),
        ("[[ 'a[$(c)]' -eq 0 ]]", ["arithmetic"]),
        ("echo ${x@P}", ["prompt-expansion"]),
        ("echo ${x:=y}", ["assign-default"]),
        ("echo ${!x}", ["indirect"]),
        ("f() { f; }", ["redefinition", "recursion"]),
        (":(){ :|:& };:", ["redefinition", "recursion", "recursion"]),
        ("cat < /dev/tcp/h/1", ["network-redirect"]),
        ('cat < "$f"', ["dynamic-redirect"]),
        ("set -f; A", ["shell-option"]),
        ("set -euo pipefail; A", []),
        ("command set -k; A", ["shell-option"]),
        ("shopt -s extglob", ["shell-option"]),
        ("shopt", []),
    ],
)
def test_effects(text: str, kinds: list[str]) -> None:
    assert [effect.kind for effect in facts_of(read_script(text)).effects] == kinds


def test_the_output_of_a_command_in_arithmetic_is_named() -> None:
    facts = facts_of(read_script("echo $(( $(cat a | wc -l) + 1 ))"))
    (effect,) = facts.effects
    assert [facts.script.commands[index].argv() for index in effect.inner] == [("wc", "-l")]


def test_pipes_and_bodies_are_connected() -> None:
    script = read_script("cat <<'E' | sh\nrm x\nE\nwhile read l; do A; done <<< text")
    cat, sh, read, program = script.commands[:4]
    assert cat.body is not None
    assert cat.body.literal == "rm x\n"
    assert sh.piped_from == (0,)
    assert read.body is not None
    assert read.body.literal == "text"
    assert program.context == ("loop",)


def test_contexts() -> None:
    script = read_script("f() { (A $(B)) & }; ! time C | D")
    contexts = {command.words[0].literal: command.context for command in script.commands}
    assert contexts["A"] == ("function:f", "background", "subshell") or contexts["A"][0] == "function:f"
    assert contexts["B"][-1] == "substitution"
    assert "pipeline" in contexts["D"]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("echo `rm x", ["rm", "x"]),
        ("ls )) ; rm x", ["rm", "x"]),
        ("if; rm x", ["rm", "x"]),
        ('echo "$(rm x', ["rm", "x"]),
        ("echo 'a; rm x", ["rm", "x"]),
        ("A @(x|y); rm x", ["rm", "x"]),
        ("for x in (a); do rm x; done", ["rm", "x"]),
        ("A <(", ["A"]),
        ("echo \0; rm x", ["rm", "x"]),
        ("echo \ud800; rm x", ["rm", "x"]),
        ("x=1 r\\m x &&", ["rm", "x"]),
        ("case x in @($y)) 'r'm x;; esac", ["rm", "x"]),
    ],
)
def test_commands_in_opaque_scripts_are_seen(text: str, hidden: list[str]) -> None:
    script = read_script(text)
    assert script.status == "opaque"
    assert script.reason
    assert hidden in argvs(text)


@pytest.mark.parametrize("operator", [">", ">>", "<>", "1<>", ">|", "&>"])
def test_files_that_opaque_scripts_write_are_seen(operator: str) -> None:
    script = read_script(f"for x in a; {{ A; }} &&& B {operator}\\\n'f'")
    assert script.status == "opaque"
    assert [each.target.literal for one in script.commands for each in one.redirects if each.writes] == ["f"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("A &>f", "opaque"),
        ("A {a,b}", "opaque"),
        ("A $'x'", "opaque"),
        ("A <<< x", "opaque"),
        ("[[ a ]]", "opaque"),
        ("A x > f", "structured"),
        ("A x", "plain"),
    ],
)
def test_what_only_bash_reads_is_opaque_for_sh(text: str, status: str) -> None:
    assert read_script(text, shell="sh").status == status


def test_aliases_of_sh_are_followed_to_restrict() -> None:
    assert ["B", "x"] in argvs("alias A=B\nA x", "sh")
    assert read_script("alias A=B\nA x", shell="sh").status == "opaque"


@pytest.mark.parametrize(
    "text",
    [
        "=ls",
        "> out < in",
        "ls &! A",
        "repeat 3 A",
        "- A",
        "print ${(e)x}",
        "ls *(e:A:)",
        "A >>! f",
        "A $x[1]",
        "noglob A",
        "{ ls } always { A x; }",
        "echo $({ ls } always { A x; })",
        "x==A; $x y",
        "a=(=A y); $a",
        "(( `case x in x) echo 5;; esac` > 1 ))",
        "A $(( `echo ')'` > 1 ))",
    ],
)
def test_what_only_zsh_reads_is_opaque_for_zsh(text: str) -> None:
    assert read_script(text, shell="zsh").status == "opaque"


@pytest.mark.parametrize(
    "text", ["{ ls } always { A x; }", "repeat 2 { A x }", "if [[ 1 ]] { A x }", "function { A x }"]
)
def test_what_only_zsh_reads_is_seen_nevertheless(text: str) -> None:
    assert any(argv[:2] == ["A", "x"] for argv in argvs(text, "zsh"))


def test_other_shells_are_opaque() -> None:
    script = read_script("Remove-Item -Force x; ls", shell="powershell")
    assert script.status == "opaque"
    assert ("Remove-Item", "-Force", "x") in [command.argv() for command in script.commands]


@pytest.mark.parametrize(
    "text",
    [
        "A $(" * 10_000,
        "(" * 100_000,
        "x" * 1_000_000,
        '"$(' * 10_000,
        "${x:-" * 10_000,
        "{" * 50_000,
        "A " + "{a," * 3_000,
        "A {a..z}" + "{a..z}" * 5,
        "[[ " + "(" * 10_000,
        "$((" * 10_000,
        "a[$(" * 3_000,
        "if " * 10_000,
        "f(){ " * 5_000,
        "case x in x) " * 5_000,
        '"`' * 20_000,
    ],
    ids=lambda text: text[:8],
)
def test_hostile_scripts_are_opaque(text: str) -> None:
    script = read_script(text)
    assert isinstance(script, Script)
    assert script.status == "opaque"
    assert script.reason


@pytest.mark.parametrize("front", ["{,}", "{,} {,}", ">f {,}"])
def test_behind_a_word_that_comes_to_nothing_nothing_is_assigned(front: str) -> None:
    (command,) = read_script(f"{front} x=A b").commands
    assert command.argv() == ("x=A", "b")
    assert command.assignments == ()


@pytest.mark.parametrize("option", ["expand_aliases", "expand_alia\\ses", "expand_'aliases'", "${x}aliases", "$x"])
def test_aliases_of_bash_make_a_script_opaque_however_their_option_is_written(option: str) -> None:
    assert read_script(f"x=expand_; shopt -s {option}\nalias z='A x'\nz {{b,c}}").status == "opaque"


@pytest.mark.parametrize("broken", ["", "\\\n", "\\\n\\\n"])
def test_a_line_break_in_front_of_a_subscript_changes_nothing(broken: str) -> None:
    assert read_script(f"A{broken}[ x ] y").status == "opaque"
    [command] = read_script(f"a{broken}[0]=1 b").commands
    assert ([one.name for one in command.assignments], command.argv()) == (["a"], ("b",))
