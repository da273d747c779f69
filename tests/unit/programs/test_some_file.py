"""A file that a loop, a pattern or a list chooses is one of those that the script wrote."""

from tests.support.each import each
from tests.support.judging import decision

RULES = (
    'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n'
    'prefix_rule(pattern=[["echo", "find", "ls", "python3", "sh", "zsh"]])\n'
)
WRITTEN = "echo 'git push' > d/x.sh; "


@each(
    "script",
    [
        "echo 'git push' > x.sh; for f in *; do . ./$f; done",
        "echo 'git push' > x.sh; for f in *.sh; do . \"./$f\"; done",
        "echo 'git push' > x.sh; for f in ./*; do . \"$f\"; done",
        WRITTEN + "for f in d/*; do . $f; done",
        WRITTEN + 'cd d; for f in *; do sh ./"$f"; done',
        WRITTEN + "ls d | while read f; do . d/$f; done",
        WRITTEN + "find d -type f | while read -r f; do . $f; done",
        WRITTEN + ". d/*",
        WRITTEN + ". $(ls d/*)",
        # written from another folder than it is read in
        WRITTEN + "cd d && sh x.sh",
        WRITTEN + "cd d && . ./x.sh",
        WRITTEN + "cd d && f=x.sh && . ./$f",
        "cd d; echo 'git push' > x.sh; cd ..; sh d/x.sh",
        "g=<(echo git push); . $g",
    ],
)
def test_it_is_read(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        WRITTEN + ". e/*",
        WRITTEN + ". *.bash",
        WRITTEN + '. "$1"',
        WRITTEN + "sh y.sh",
        WRITTEN + "cd d; sh y.sh",
    ],
)
def test_another_one_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"


@each(
    "script",
    [
        "x==(print git push); . $x",
        "x==(print -r -- git push); sh $x",
        "if true; then print git push; fi > x.sh; . ./x.sh",
    ],
)
def test_what_zsh_prints_is_read(script: str) -> None:
    assert decision(script, RULES, shell="zsh") == "forbidden"
