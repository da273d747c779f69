"""What commands run themselves: everything hidden is reached, and only exact transparent wrappers carry a grant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from execpolicy.programs.catalog import facts_of, runners
from execpolicy.programs.inner import Inner
from execpolicy.programs.unwrap import unwrap
from execpolicy.shell.read import read_script
from tests.support.each import each
from tests.support.judging import decision
from tests.support.reach import reaches

DATA = Path(__file__).parents[2] / "data"
CARRIED = [json.loads(line) for line in (DATA / "shell" / "carried.jsonl").read_text("utf-8").splitlines()]
BYPASS = [json.loads(line) for line in (DATA / "corpora" / "bypass.jsonl").read_text("utf-8").splitlines()]


def _inner(text: str) -> list[Inner]:
    """What the last command of a script runs, without what is only evidence."""
    script = read_script(text)
    return [inner for inner in unwrap(script.commands[-1], facts_of(script)) if not inner.evidence]


def _argv(inner: Inner) -> list[str | None]:
    return [word.literal for word in inner.words]


@each("script", CARRIED)
def test_a_carried_command_is_reached(script: str) -> None:
    assert reaches(script, ["rm"])


@each("entry", [entry for entry in BYPASS if "inner" in entry], ids=lambda entry: entry["id"])
def test_the_inner_command_of_a_bypass_is_reached(entry: dict[str, object]) -> None:
    shell, inner = entry.get("shell", "bash"), entry["inner"]
    assert isinstance(shell, str)
    assert isinstance(inner, list)
    assert reaches(str(entry["script"]), inner, shell)


@each(
    "script",
    [
        "echo 'rm -rf /'",
        "git commit -m 'rm x'",
        "git log --grep 'rm x'",
        "grep 'system(\"rm x\")' f",
        "cat <<'EOF'\nrm x\nEOF\n",
        "sed -n '/rm x/p' f",
        "sed 's/rm x/e/' f",
        "sed 's/a/rm x/g;s/b/c/' f",
        "sed '/e/,/rm/d' f",
        "sed -e 's,a,rm x,w out' f",
        "sed 'a rm x' f",
        "sed 's/[/]/rm x/;y/e/r/' f",
        "awk '/rm x/{print}' f",
        "awk '{print \"rm x\"}' f",
        "awk 'x==\"rm x\" || y' f",
        "awk 'x=\"rm x\"; x || y' f",
        "awk '\"rm x\" || getline' f",
        'awk \'{print "rm x" > "f"}\'',
        "python3 -c 'print(\"rm x\")'",
        "python3 -c '# os.system(\"rm x\")'",
        "python3 -c 'l = []; l.remove(\"x\"); print(l)'",
        "node -e 'console.log(\"rm x\")'",
        "perl -ne 'print if /rm x/'",
        "echo 'rm x' | cat",
        "echo 'rm x' | grep rm",
        "printf 'rm x' > notes.txt",
        "xargs echo < f",
        "echo rm | xargs echo",
        "find . -name rm",
        "docker rm x",
        "kubectl delete rm",
        "npm rm x",
        "env",
        "env rm=1 ls",
        "timeout 5 echo rm",
        "bash script.sh rm",
        "trap - rm",
        "trap",
        "command -v rm",
        "command -V rm",
        "type rm",
        "which rm",
        "sudo -l",
        "sudo -V rm",
        "rg -e rm -g '*.sh'",
        "sort -k rm",
        "tar -cf rm x",
        "vim rm",
        "vim -c 'set nu' rm",
        "less +/rm f",
        "taskset -p rm",
        "man rm",
        "PAGER=cat git log rm",
        "PS1='rm x' ls",
        "make rm",
        "ssh -G rm",
        "tmux ls",
        "gdb -batch -ex 'print 1'",
        "x='rm y'; echo $x",
    ],
)
def test_text_is_not_a_command(script: str) -> None:
    assert not reaches(script, ["rm"])


@each(
    ("script", "argv"),
    [
        ("timeout 5 ls", ["ls"]),
        ("timeout -k 1 5 ls -la", ["ls", "-la"]),
        ("timeout -k1 -s KILL 5m ls", ["ls"]),
        ("timeout --signal=9 5 ls", ["ls"]),
        ("timeout --foreground --preserve-status 5 ls", ["ls"]),
        ("timeout -v -- 5 ls", ["ls"]),
        ("/usr/bin/timeout 5 ls", ["ls"]),
        ("timeout 5 ls $x", ["ls", None]),
        ("nice ls", ["ls"]),
        ("nice -n 5 ls", ["ls"]),
        ("nice -n-5 ls", ["ls"]),
        ("nice -5 ls", ["ls"]),
        ("nice --adjustment 5 ls", ["ls"]),
        ("command ls", ["ls"]),
        ("command -- ls", ["ls"]),
        ("builtin echo a", ["echo", "a"]),
        ("exec ls", ["ls"]),
        ("env ls", ["ls"]),
        ("env NO_COLOR=1 LC_ALL=C ls", ["ls"]),
        ('env CI="$x" ls', ["ls"]),
        ("stdbuf -oL -e0 ls", ["ls"]),
        ("ionice -c3 ls", ["ls"]),
        ("taskset -c 0 ls", ["ls"]),
        ("ls | xargs wc -l", ["wc", "-l", None]),
        ("ls | xargs -0 -n1 -r wc", ["wc", None]),
        ("ls | xargs -I{} wc a{}b", ["wc", None]),
        ("xargs -a list -r wc -l", ["wc", "-l", None]),
    ],
)
def test_transparent_wrappers(script: str, argv: list[str | None]) -> None:
    [inner] = _inner(script)
    assert inner.transparent
    assert _argv(inner) == argv


@pytest.mark.parametrize(
    ("script", "moved", "bare"),
    [
        ("env -i ls", False, True),
        ("env - ls", False, True),
        ("env -u A ls", False, True),
        ('env A="$x" foo=1 ls', False, False),
        ("env -C / ls", True, False),
        ("env --chdir=/ -i ls", True, True),
        ("command -p ls", False, False),
        ("nohup ls > /dev/null", False, False),
        ("arch -x86_64 ls", False, False),
    ],
)
def test_wrappers_that_change_the_surroundings(script: str, moved: bool, bare: bool) -> None:
    [inner] = _inner(script)
    assert inner.transparent
    assert (inner.moved, inner.bare) == (moved, bare)


@pytest.mark.parametrize(
    "script", ['env --split-string="$x" ls', 'env --chdir="$x" ls', 'env "--unset=$x" ls', 'env A=1 --chdir="$x" ls']
)
def test_an_option_with_an_unknown_value_is_no_assignment(script: str) -> None:
    assert not any(inner.transparent for inner in _inner(script))


@pytest.mark.parametrize(
    "script", ["bash -c 'ls a'", "bash -lc 'ls a'", "sh -ec 'ls a'", "/bin/bash -o pipefail -c 'ls a'"]
)
def test_a_literal_script_is_transparent(script: str) -> None:
    [inner] = _inner(script)
    assert inner.transparent
    assert inner.script is not None
    assert [command.argv() for command in inner.script.commands] == [("ls", "a")]


@each(
    "script",
    [
        "./timeout 5 ls",
        "/tmp/timeout 5 ls",
        "/usr/local/bin/timeout 5 ls",
        "timeout.exe 5 ls",
        "/usr/bin/timeout9 5 ls",
        "timeout9 5 ls",
        "TIMEOUT 5 ls",
        "/bin/../bin/timeout 5 ls",
        "timeout $t ls",
        'timeout "$t" ls',
        "timeout --kill 1 5 ls",
        "timeout --frob 5 ls",
        "timeout -k $x 5 ls",
        "timeout 5 $x ls",
        "nice $x ls",
        "nice -n $x ls",
        "nice --adjustment 2 --frob ls",
        "sudo ls",
        "nohup ls",
        "setsid ls",
        "env PATH=x ls",
        "env LD_PRELOAD=x ls",
        "env LC_ALL=../x ls",
        "env LC_ALL=$x ls",
        "env -i bash -c ls",
        "env -u PATH timeout 5 ls",
        "env -u PATH ls",
        "env -u $x ls",
        "env A=1 B=1 LD_PRELOAD=x ls",
        "env -0 ls",
        "nohup ls 2> /dev/null",
        "nohup ls >&2",
        "env -S ls",
        "exec -a x ls",
        "exec -c ls",
        "bash -ic ls",
        "bash --rcfile x -c ls",
        'bash -c "ls $x"',
        'bash -c "$x"',
        "bash $x -c ls",
        "bash -kc ls",
        "fish -c ls",
        "echo ls | sh",
        "bash <<< ls",
        "xargs -p ls",
        "ls | xargs -I{} {} a",
        "xargs $o ls",
        "./xargs ls",
        "find . -exec ls {} +",
        "find . -exec ls {} \\;",
        "/usr/bin/time -o f ls",
        "watch ls",
        "flock f ls",
        "ssh h ls",
        "docker run a ls",
        "eval ls",
        "trap ls EXIT",
        "strace ls",
        "$x timeout 5 ls",
        "/usr/bin/ti[m]eout 5 ls",
        "parallel ls",
        "busybox ls",
        "unshare ls",
        "git -c alias.a='!ls' a",
        "git bisect run ls",
    ],
)
def test_everything_else_only_restricts(script: str) -> None:
    found = _inner(script)
    assert found
    assert not any(inner.transparent for inner in found)


def test_appended_words_are_told() -> None:
    [inner] = _inner("ls | xargs rm")
    assert inner.appended
    assert inner.words[-1].many
    assert inner.words[-1].may_start_with_dash()


def test_a_wrapper_s_assignments_belong_to_the_inner_command() -> None:
    [inner] = _inner('sudo -u x A=1 "B=$y" env C=2 ls')
    assert [(one.name, one.value and one.value.literal) for one in inner.assignments] == [("A", "1"), ("B", None)]
    assert inner.command is not None
    assert inner.command.assignments == inner.assignments


def test_standard_input_reaches_the_inner_command() -> None:
    script = read_script("cat <<< 'ls' | sudo -u x sh")
    [inner] = unwrap(script.commands[-1], facts_of(script))
    assert inner.command is not None
    assert inner.command.piped_from == (0,)


@pytest.mark.parametrize(
    "script", ["sh", "cat f | sh", 'bash -c "$x"', "eval $x", "source <(cat f)", "curl x | sudo bash -s"]
)
def test_unknown_text_is_opaque(script: str) -> None:
    read = read_script(script)
    found = [inner for command in read.commands for inner in unwrap(command, facts_of(read))]
    found.extend(
        [deep for inner in found if inner.command is not None for deep in unwrap(inner.command, facts_of(read))]
    )
    assert any(inner.opaque and inner.reason for inner in found)


@each("name", sorted(runners()))
def test_every_carrier_copes_with_any_arguments(name: str) -> None:
    for rest in (
        "",
        "-",
        "--",
        "-c",
        "-x -- y",
        '"$@"',
        "$x",
        "*",
        "-e -e",
        "a b c",
        "--a=b",
        "-c $x y",
        "exec",
        "run -- x",
    ):
        read = read_script(f"{name} {rest}")
        for command in read.commands:
            unwrap(command, facts_of(read))


def test_unsure_readings_are_bounded() -> None:
    read = read_script("sudo " + "$x " * 4000 + "ls")
    assert len(unwrap(read.commands[0], facts_of(read))) <= 1_001


@pytest.mark.parametrize(
    "script",
    [
        "awk 'BEGIN{" + 'system("ls");' * 300 + 'system("rm x")' + "}'",
        "find . " + "-exec ls {} + " * 300 + "-exec rm {} +",
        "for c in " + " ".join([f"c{n}" for n in range(40)]) + " rm; do $c x y z; done",
        "printf '%s\\n' " + "'ls x' " * 60 + "'rm x' | xargs -I{} sh -c {}",
        "printf '%s\\n' " + "ls " * 60 + "'rm x' | sh",
        "git " + "-C d " * 60 + "rm x",
        "sudo " + "-Z y " * 60 + "rm x",
    ],
)
def test_padding_does_not_hide_a_command(script: str) -> None:
    assert reaches(script, ["rm"])


def test_functions_that_call_each_other_come_to_an_end() -> None:
    assert reaches('f() { g "$@"; }; g() { sudo "$@"; f "$@"; }; f rm x', ["rm"])
    assert not reaches('f() { g "$@"; }; g() { f "$@"; }; f ls x', ["rm"])


@each(
    "script",
    [
        "exec -a rm busybox x",
        "exec -arm busybox x",
        "env -a rm busybox x",
        "env --argv0=rm busybox x",
        "bwrap --argv0 rm busybox x",
        "qemu-x86_64 -0 rm busybox x",
    ],
)
def test_a_program_is_also_what_it_is_called(script: str) -> None:
    # busybox and its kin are all the programs that they are called by
    assert decision(script, 'prefix_rule(pattern=["rm"], decision="forbidden")') == "forbidden"
    allowing = 'prefix_rule(pattern=[["exec", "env", "bwrap", "qemu-x86_64", "busybox"]])'
    assert decision(script, allowing) == "prompt"


def test_a_program_may_be_called_what_it_is() -> None:
    allowing = 'prefix_rule(pattern=[["exec", "deploy"]])'
    assert decision("exec -a deploy deploy x", allowing) == "allow"
