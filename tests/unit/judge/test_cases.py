"""Commands whose words have values that are proven: variables, loops, functions, counted lines."""

import pytest

from tests.support.each import each
from tests.support.judging import decision

SETTLED = [
    'n=3; head -n "$n" a.txt',
    "n=5; tail -n $n a.txt",
    'for f in a.txt b.txt; do sort "$f"; done',
    "for f in a.txt b.txt; do wc -l < $f; done",
    'for f in src/*.py; do sed -n 1,3p "$f"; done',
    'for f in *.txt; do wc -l < "$f"; done | sort',
    'for x in {1..3}; do sed -n "${x}p" a.txt; done',
    'files=(a.txt b.txt); sort "${files[@]}"',
    'for t in git jq; do command -v "$t"; done',
    'base=$(git merge-base main topic); git log --oneline "$base"..HEAD',
    "for c in $(git rev-list -3 HEAD); do git show -s $c; done",
    'x=$(git log --format=%H | tail -1); git show "$x"',
    'a=$(wc -l < a.txt); sed -n "${a},9p" b.txt',
    'x=a.txt && sort "$x"',
    'x=a.txt; while read -r line; do sort "$x"; done < b.txt',
]
UNSETTLED = [
    'x=-oout; sort "$x"',
    'sort "$x"; x=a.txt',
    'if true; then x=a.txt; fi; sort "$x"',
    'false && x=a.txt; sort "$x"',
    'x=a.txt | cat; sort "$x"',
    'x=a.txt & sort "$x"',
    'x=a.txt true; sort "$x"',
    '(x=a.txt); sort "$x"',
    'x=a.txt; read -r x; sort "$x"',
    'x=a.txt; read -rax; sort "$x"',
    'x=a.txt; printf -vx %s -oout; sort "$x"',
    'x=a.txt; declare x=-oout; sort "$x"',
    'x=a.txt; local x; sort "$x"',
    'x=a.txt; unset x; sort "$x"',
    'x=a.txt; x+=b; sort "$x"',
    'x=a.txt; f() { x=-oout; }; f; sort "$x"',
    'x="a.txt -oout"; sort $x',
    'x="*"; sort $x',
    'REPLY=a.txt; read; sort "$REPLY"',
    'for x in {-oout,a.txt}; do sort "$x"; done',
    'for x in *; do sort "$x"; done',
    'for x in [-]*; do sort "$x"; done',
    'a=(a.txt); a[0]=-oout; sort "${a[@]}"',
    'a=(a.txt); a+=(-oout); sort "${a[@]}"',
    'x=$(cat a.txt); sort "$x"',
    'x=$(git rev-parse HEAD; echo -oout); sort "$x"',
    'x=$(git rev-parse HEAD | tail -c 3); git show "$x"',
    'x=$(git rev-parse HEAD | sed s/^/-/); git show "$x"',
    'n=$(wc -l < a.txt); sed -n "${n}w out" a.txt',
    'n=$(wc -l < a.txt); sed "s${n}ab${n}e" a.txt',
    'n=$(wc -l < a.txt); sed -i "${n}d" a.txt',
    'x=/dev/tcp/h/1; cat < "$x"',
    'for f in /dev/*/h/1; do cat < "$f"; done',
    'x=a.txt; exec {x}< b.txt; sort "$x"',
]


@pytest.mark.parametrize("script", SETTLED)
def test_proven_values_are_judged_as_if_they_were_written(script: str) -> None:
    assert decision(script) == "allow"


@each("script", UNSETTLED)
def test_a_value_that_is_not_proven_is_unknown(script: str) -> None:
    assert decision(script) == "prompt"


def test_braces_are_expanded_by_bash_only() -> None:
    assert decision('for x in {1,2}; do sed -n "${x}p" a.txt; done', shell="sh") == "prompt"


IN_ZSH = [
    ('x=a.txt; sort "$x"', "allow"),
    ("x=a.txt; sort $x", "allow"),
    ('for x in a b; do sort "$x"; done', "allow"),
    ("for x in {1..3}; do sort $x; done", "allow"),
    ('f() { head "$1"; }; f a.txt', "allow"),
    ('n=$(wc -l < a.txt); [ "$n" -gt 2 ] && echo many', "allow"),
    ('[ "$(wc -l < a.txt)" -gt 2 ]', "allow"),
    ('[ "$(cat a.txt)" -gt 2 ]', "prompt"),
    ("printf '%d %s' 1 a", "allow"),
    ("printf '%s %d' \"$x\" 1", "allow"),
    ('printf \'%s %d\' "$x" 1 a "$x"', "prompt"),
    ("printf '%s %d' $x 1", "prompt"),
    ("printf '%5.2f' 3.14", "allow"),
    ("x='-o b'; sort $x", "prompt"),
    ("x=(a b); sort $x", "prompt"),
    ("x=a; x[1]=-; sort $x", "prompt"),
    ("time x=a; sort $x", "prompt"),
    ("echo *.c; x=a\nsort $x", "prompt"),
    ("ls ~a; x=a\nsort $x", "prompt"),
    ("time f() { head a.txt; }; f", "prompt"),
    ("repeat() { head a.txt; }", "prompt"),
    ("chpwd() { head a.txt; }", "prompt"),
    ("cat a.txt 2>&1 | sort > /dev/null 2>&1", "allow"),
    ("cat a.txt >/dev/null | sort", "prompt"),
]


@each("script,verdict", IN_ZSH)
def test_zsh_names_and_expands_variables_alike(script: str, verdict: str) -> None:
    assert decision(script, shell="zsh") == verdict


def test_rules_see_the_values_too() -> None:
    rules = 'prefix_rule(pattern = ["make", "test"])\nprefix_rule(pattern = ["git", "push"], decision = "forbidden")\n'
    assert decision('t=test; make "$t"', rules) == "allow"
    assert decision('t=install; make "$t"', rules) == "prompt"
    assert decision('for t in test install; do make "$t"; done', rules) == "prompt"
    assert decision('v=push; git "$v"', rules) == "forbidden"


CALLED = [
    'f() { grep -n "$1" "$2"; }; f a b',
    'show() { echo "== $1"; sed -n 1,3p "$1"; }; show a.txt; show b.txt',
    'show() { sed -n 1,3p "$1"; }; for x in a.txt b.txt; do show "$x"; done',
    'has() { command -v "$1" >/dev/null 2>&1; }; has git && echo yes',
    'f() { sort "$@"; }; f a.txt b.txt',
    "function f { ls; }; f | head -1",
    "g() { ls; }; f() { g; }; f",
    "ls() { command -v ls; }; ls",
]
NOT_CALLED = [
    "f; f() { ls; }",
    "false && f() { ls; }; f",
    "if true; then f() { ls; }; fi; f",
    "(f() { ls; }); f",
    "f() { ls; } | cat; f",
    "f() { touch x; }; f",
    'f() { sort "$1"; }; f -oout',
    'f() { sort "$1"; }; f a.txt; f -oout',
    'f() { sort $1; }; f "-oout a.txt"',
    "f() { sort $1; }; f '*'",
    'f() { sort "$1"; }; f $x',
    'f() { shift; sort "$1"; }; f a -oout',
    'f() { set -- -oout; sort "$1"; }; f a',
    'f() { command shift; sort "$1"; }; f a -oout',
    'f() { builtin shift; sort "$1"; }; f a -oout',
    'f() { command -- shift 1; sort "$1"; }; f a -oout',
    'f() { \\command builtin shift; sort "$1"; }; f a -oout',
    'f() { {command,shift}; sort "$1"; }; f a -oout',
    'f() { while (($#)); do sort "$1"; builtin shift; done; }; f a -oout',
    'g() { sort "$1"; }; f() { g "$1"; }; f -oout',
    'f() { "$@"; }; f touch x',
    "f() { g; }; g() { f; }; f",
    "f() { f | f & }; f",
    "cd() { ls; }; cd",
    "command_not_found_handle() { ls; }; nosuch",
    "f() { ls; }; xargs f < a.txt",
    "f() { ls; }; find . -exec f {} \\;",
    "f() { ls; }; env f",
    "f() { ls; }; f > out",
    "f() { ls; }; PATH=. f",
    "f() { ls; }; export -f f",
    "f() { ls; }; trap f EXIT",
    'f() { cat "$1"; }; f .env',
]


@pytest.mark.parametrize("script", CALLED)
def test_a_function_is_its_body_where_the_call_is_certain(script: str) -> None:
    assert decision(script) == "allow"


@each("script", NOT_CALLED)
def test_a_function_that_is_not_certain_or_not_safe(script: str) -> None:
    assert decision(script) == "prompt"


EQUAL = [
    ('n=3; sed -n "${n}p" a.txt', 'f() { sed -n "${1}p" a.txt; }; f 3'),
    ('n=3; sed -n "${n},${n}p" a.txt', 'f() { sed -n "$1,${1}p" a.txt; }; f 3'),
    ("n='3e x'; sed -n \"${n}p\" a.txt", "f() { sed -n \"${1}p\" a.txt; }; f '3e x'"),
    ('d=src; sort "$d/a.txt"', 'f() { sort "$1/a.txt"; }; f src'),
    ('d=-o; sort "${d}x" a.txt', 'f() { sort "${1}x" a.txt; }; f -o'),
    (
        'b=$(git merge-base HEAD "$(git rev-parse HEAD)"); git show "$b"',
        'git show "$(git merge-base HEAD "$(git rev-parse HEAD)")"',
    ),
    ('b=$(cat a.txt); git show "$b"', 'git show "$(cat a.txt)"'),
    ('b="x$(cat a.txt)"; git show "$b"', 'git show "x$(cat a.txt)"'),
    ("b=x$(cat a.txt); git show $b", "git show x$(cat a.txt)"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_programs_get_equal_answers(one: str, other: str) -> None:
    assert decision(one) == decision(other)


def test_a_word_that_is_split_may_become_an_option() -> None:
    assert decision('x="a$(cat f)"; git show "$x"') == "allow"
    assert decision('x="a$(cat f)"; git show $x') == "prompt"
    assert decision("for f in ./*.md; do sed -n 1,3p $f; done") == "prompt"
    assert decision("x=$(git rev-parse HEAD)a$(cat f); git show $x") == "prompt"
    assert decision("x=$(git rev-parse HEAD); git show $x") == "allow"


def test_a_call_that_nobody_sees() -> None:
    rules = 'prefix_rule(pattern = ["eval", "f -oout"])\n'
    assert decision('f() { sort "$1"; }; f a.txt; eval "f -oout"', rules) == "prompt"


def test_a_rule_reaches_as_deep_as_it_is_written() -> None:
    def by(script: str, *pattern: str) -> str:
        return decision(script, f"prefix_rule(pattern = {list(pattern)})\n")

    assert by("sudo ls /root", "sudo", "ls") == "allow"
    assert by("sudo make install", "sudo", "make") == "allow"
    assert by("sudo ls; sudo rm x", "sudo", "ls") == "prompt"
    assert by("sudo bash -c 'rm x'", "sudo", "bash") == "prompt"
    assert by("sudo bash -c 'rm x'", "sudo", "bash", "-c", "rm x") == "allow"
    assert by("sudo env rm x", "sudo", "env") == "prompt"
    assert by("sudo env rm x", "sudo", "env", "rm") == "allow"
    assert by("sudo find . -delete", "sudo", "find") == "prompt"
    assert by("sudo xargs rm", "sudo", "xargs") == "prompt"
