"""What a rule restricts is found in the words of programs that nothing describes, and prose stays prose."""

from __future__ import annotations

import json
import time
from shlex import quote

import pytest

from execpolicy.judge.check import check
from tests.support.judging import PLACE, decision, rulebook

FORBIDDING = (
    'prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["git", "push"], decision="forbidden")\n'
)


def judged(script: str, *, shell: str = "bash") -> str:
    """The decision on ``script`` under rules that allow its first program, whatever its words are."""
    program = next(word for word in script.split() if "=" not in word)
    return decision(script, f"{FORBIDDING}prefix_rule(pattern=[{json.dumps(program)}])\n", shell=shell)


@pytest.mark.parametrize(
    "script",
    [
        # in options of their own
        "zig test --test-cmd git --test-cmd push x.zig",
        "ghc -F -pgmF git -optF push x.hs",
        "frob --with=git --and=push",
        "ctest --build-and-test a b --build-makeprogram /usr/bin/git --build-target push",
        # whole, behind marks, in lists and calls
        "dar -c x -F 'git push'",
        "dar -c x -F 'env git push'",
        "dar -c x -F 'sudo -n sh -c \"git push\"'",
        "unison a b -merge 'Name * -> git push'",
        "nvim --remote-send ':!git push<CR>'",
        'lint-staged --config \'{"*":"git push"}\'',
        'lint-staged --config \'{"*":["git", "push"]}\'',
        "cargo --config 'alias.x=\"!git push\"' x",
        "svn --config-option config:tunnels:x='git push' ls svn+x://h",
        "dbus-send --dest=a /b c.runCommand string:'git push'",
        "qdbus org.kde.konsole /Sessions/1 runCommand 'git push'",
        "clickhouse local --query \"select * from executable('git push','TSV','x String')\"",
        "pig -e 'sh git push'",
        # partly known at run time
        'dar -c x -F "git push $BRANCH"',
        'dar -c x -F "cd $D && git push"',
        "mytool --foo \"$(printf 'git push')\"",
        'zig test --test-cmd git --test-cmd push "$f"',
        'vim --remote-send ":!git push $x<CR>"',
        'lint-staged --config "{\\"*\\":\\"git push $x\\"}"',
        'P4EDITOR="git push $x" p4 change $y',
        # variables, input
        "P4EDITOR='git push' p4 change",
        "PYSPARK_DRIVER_PYTHON=git PYSPARK_DRIVER_PYTHON_OPTS=push pyspark",
        "julia <<< ';git push'",
        "bteq <<'E'\n.os git push\nE",
        # programs that hand their words on
        "hub push origin",
        "gita super api push",
        "vcs custom --git --args push",
        "mr push",
        "git bulk -w x push",
        "shx rm x",
        "npx husky add .husky/pre-push 'git push'",
    ],
)
def test_what_the_words_spell_out(script: str) -> None:
    assert judged(script) == "forbidden"


def test_what_variables_say_is_filled_in() -> None:
    for script in (
        'x=push; mytool --foo "git $x"',
        'x=git; mytool --foo "$x push"',
        "for c in git; do mytool --a $c --b push; done",
        'c="git push"; mytool --run "$c"',
        "for c in a b c d git; do mytool --a $c --b push; done",
        "for c in a b c d e f 'git push'; do mytool --on-exit \"$c\"; done",
        'for c in a b c d e f push; do make CC="git $c"; done',
        "for c in 1 2 3 4 5 6 git; do for d in 1 2 3 4 5 6 push; do mytool --a $c --b $d; done; done",
    ):
        assert decision(script, FORBIDDING + 'prefix_rule(pattern=[["mytool", "make"]])\n') == "forbidden", script


@pytest.mark.parametrize("program", ["mytool", "mytool run --", "cargo run", "mytool -v a"])
def test_a_rule_is_meant_in_whatever_order(program: str) -> None:
    rules = (
        'prefix_rule(pattern=["git", "push", "--force"], decision="forbidden")\n'
        'prefix_rule(pattern=[["mytool", "cargo"]])\n'
    )
    assert decision(f"{program} git push origin --force", rules) == "forbidden"
    assert decision(f"{program} git -C x push --force", rules) == "forbidden"
    assert decision(f"{program} git push origin", rules) == "allow"


@pytest.mark.parametrize(
    ("write", "run"),
    [
        ("printf 'Type \"git push\"\\nEnter\\n' > x.tape", "vhs x.tape"),
        ("printf '**/*.go {\\n prep: git push\\n}\\n' > modd.conf", "modd"),
        ("printf 'bind generic x !git push\\n' > t", "TIGRC_USER=t tig"),
        ("printf 'cmd_preexec\\tgit push\\n' > r.conf", "rsnapshot -c r.conf daily"),
        ("git config core.hooksPath x; printf 'git push' > x/pre-commit", "git commit"),
    ],
)
def test_files_that_a_program_obeys(write: str, run: str) -> None:
    assert decision(f"{write}; {run}", FORBIDDING) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "gh issue create --title 'git push fails' --body 'Please run `git push`'",
        "gh issue comment 3 --body 'Please run `git push` after `rm x`'",
        "git commit -am 'git push'",
        "git tag -a v1 -m 'git push'",
        "git config user.name 'rm x'",
        "jest -t 'git push: works'",
        "pytest -k 'git push'",
        "tmux rename-window 'git push'",
        "tmux display-message 'git push'",
        "mytool add 'git push'",
        "task add 'git push the branch'",
        "sqlite3 x.db \"insert into tasks values('git push')\"",
        "psql -c \"select * from t where cmd='git push'\"",
        "mytool --notes='git push' --summary 'rm x'",
        "mytool docs/git push.md",
        "figlet 'git push'",
        "COMMIT_MSG='git push' mytool",
        "make test T='git push'",
    ],
)
def test_prose_stays_prose(script: str) -> None:
    assert judged(script) != "forbidden"


def test_what_an_entry_knows_to_be_safe_spells_nothing_out() -> None:
    for script in ("ls git push", "git log --grep 'git push'", "head git push", "wc -l rm x"):
        assert decision(script, FORBIDDING) == "allow", script


@pytest.mark.parametrize(
    "script",
    [
        "mytool " + "a " * 500 + "--x git --y push",
        "mytool " + "--x a " * 500 + "--x git --y push",
        "mytool " + "'!git log' " * 50 + "'!git push'",
        "mytool --x '" + " " * 5_000 + "git push'",
        "mytool --x '!" + " " * 5_000 + "git push'",
        "mytool --x 'git" + " " * 5_000 + "push'",
        "mytool --x '!git" + " -c a=b" * 400 + " push'",
        "mytool --x '" + "a" * 5_000 + " !git push'",
        "mytool --x '" + "!git log; " * 100 + "!git push'",
        "mytool " + "a " * 500 + "--on-exit 'git push'",
        "mytool --on-exit '" + ": ; " * 600 + "git push'",
        "mytool " + "a " * 500 + "-- git push",
    ],
)
def test_padding_hides_nothing(script: str) -> None:
    assert judged(script) == "forbidden"


@pytest.mark.parametrize("word", ["!git ", "run", "'run ", "git(", "(a ", "a.b=", "`git ", "git push"])
def test_long_words_cost_little(word: str) -> None:
    book = rulebook(FORBIDDING + 'prefix_rule(pattern=["mytool"])\n')
    for script in ("mytool --x " + quote(word * 12_000), "mytool " + " ".join([quote(word)] * 4_000)):
        begun = time.process_time()
        check(script, book, situation=PLACE)
        assert time.process_time() - begun < 3
