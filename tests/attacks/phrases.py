"""Parts of scripts that several attacks use: lines that end early, harmless decoys, other spellings of a word."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tests.attacks.attack import Attack

DROPPING = (
    "echo $((1/0))",
    "echo $((08))",
    ": $((1%0))",
    "echo $((2**-1))",
    "q=$((1/0))",
    "q=$((1/0)) true",
    "readonly q=1; q=2",
    "readonly q; q=2",
    "q=(1); q[-5]=1",
    "q=abc; echo ${q:1:-9}",
    "echo ${q:?no}",
    "for i in $((08)); do :; done",
    "case $((1/0)) in *) ;; esac",
    "cat <<< $((1/0))",
    "g() { q=$((1/0)); }; g",
    "g() { local q=$((09)); }; g",
    "n=0; echo $((5/n))",
    "n=$(wc -l < /dev/null); echo $((5/n))",
    "if [ $((1/0)) ]; then :; fi",
    "(( 1/0 ))",
    "[[ 08 -eq 1 ]]",
    "echo < $((1/0))",
    "q=abc; echo ${q:$((1/0))}",
    "a[08]=1",
    "declare -r q=1; q+=1",
    "while [ $((1/0)) ]; do break; done",
    "echo ${!q}",
    "{ echo $((1/0)); }",
    "! echo $((08))",
    "true $((1/0)) || true",
    "readonly q=1; echo $((q=2))",
    "readonly q=1; q=(2)",
    "readonly q=1; q[0]=2",
    "readonly q=1; true && q=2",
    "readonly q=1; if q=2; then :; fi",
    "readonly q=1; g() { q=2; }; g",
    "readonly q=1; q=2 true",
    "readonly q; : ${q:=2}",
    "readonly num=1; for num in 2; do :; done",
    "echo $((1 +))",
    "echo $((1++))",
    "echo $((2#3))",
    "echo $((1 ? 2))",
    "echo $((1 2))",
    "echo $((3 = 4))",
    "echo $[1/0]",
    'echo "a$((1/0))b"',
    "[ $((1/0)) = 1 ]",
    "[[ $((1/0)) -eq 1 ]]",
    "q=(1); echo ${#q[-5]}",
    "q=abc; echo ${q:1/0}",
    "q=abc; echo ${q:0:08}",
    "q=(1 2); echo ${q[@]:0:-1}",
    "set -- a; echo ${@:1:-1}",
    "echo ${q:-$((1/0))}",
    "head -n $((08)) a.txt",
    "command echo $((1/0))",
    "case x in $((1/0))) :;; esac",
    "echo a 2> /dev/null $((1/0))",
    "read -r q <<< $((1/0))",
    "shopt -s failglob; echo *.none",
    "UID=5",
    "cat < nofile",
    "exit 0",
    "return 0",
    "false",
    "( exit 3 )",
    "echo ./*.none",
)
"""Commands behind which the rest of the line, or of the script, may not be run."""

DECOYS = (
    "true",
    "echo hi",
    ": ok",
    "set -e",
    "set -u",
    "set -x",
    "q=1",
    "cat a.txt",
    "cd .",
    "[ -f a.txt ]",
    "set -o pipefail",
    "shopt -p nullglob",
    "ls > /dev/null",
    "A x",
    "for j in 1 2; do echo $j; done",
    "if true; then echo y; fi",
    "echo $((1+1))",
    "# a comment",
    "read -r l < a.txt",
    "echo a | cat",
    "sleep 0 & wait",
)
ENDING_DECOYS = tuple([each for each in DECOYS if each[:1] != "#"])
"""Those behind which a line goes on."""


EVIDENT = (
    "evil x",
    "evil",
    "'evil' x",
    "A x; evil x",
    "x=1 evil y",
    "sudo evil x",
    "timeout 5 evil x",
    "command evil x",
)
"""What a rule forbids, where everybody sees it."""


def quoted(text: str) -> str:
    """``text`` between single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def spelt(attack: Attack, word: str) -> str:
    """``word`` in one of the ways in which it can be quoted."""
    if len(word) < 2 or attack.chance(0.6):
        return word
    at = attack.random.randrange(1, len(word))
    return attack.pick(
        f"'{word}'",
        f'"{word}"',
        "\\" + word,
        f"{word[:at]}''{word[at:]}",
        f'{word[:at]}"{word[at:]}"',
        f"{word[:at]}\\{word[at:]}",
        f"{word[:at]}\\\n{word[at:]}",
        f"$'{word}'",
        f"{word[:at]}$nothing{word[at:]}",
    )


def behind(attack: Attack, word: str) -> str:
    """The builtin ``word``, perhaps behind others that only hand on to it."""
    before = [
        attack.pick("command", "builtin", "command --", "command -p", "command -pp", "builtin --") for _ in range(3)
    ]
    some = before[: attack.random.choice((0, 0, 0, 1, 1, 2, 3))]
    return " ".join([*some, spelt(attack, word)])


def inside(attack: Attack, script: str) -> str:
    """``script``, perhaps as the text of an inner shell, in a group, in a function or under a condition."""
    if attack.chance(0.55):
        return script
    return attack.pick(
        f"bash -c {quoted(script)}",
        f"sh -c {quoted(script)}",
        f"timeout 5 bash -c {quoted(script)}",
        f"( {script}\n)",
        f"{{ {script}\n}}",
        f"if true; then {script}\nfi",
        f"for k in 1; do {script}\ndone",
        f"h() {{ {script}\n}}; h",
        f"h() {{ {script}\n}}\nh",
        f"case x in x) {script}\n;; esac",
        f'echo "$({script}\n)"',
        f"true && {{ {script}\n}}",
        f"{{ {script}\n}} | cat",
    )
