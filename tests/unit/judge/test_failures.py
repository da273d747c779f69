"""Whatever goes wrong while a command is judged: what is forbidden stays forbidden, and nothing is granted."""

import os

import pytest

from execpolicy.flow.script_facts import ScriptFacts
from execpolicy.judge import judge as judging
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from execpolicy.safety.heuristics import Heuristics
from tests.support.judging import PLACE, rulebook

RULES = 'prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["make"])\n'


def broken(*_: object, **__: object) -> object:
    raise RuntimeError("a mistake of ours")


@pytest.mark.parametrize("part", ["opinion", "run_by", "Grants", "Facts"])
def test_a_mistake_of_ours_hides_no_restriction(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    book = rulebook(RULES)
    if part == "opinion":
        monkeypatch.setattr(Heuristics, "opinion", broken)
    elif part == "Facts":
        monkeypatch.setattr(ScriptFacts, "effects", property(broken))
    else:
        monkeypatch.setattr(judging, part, broken)
    for script, expected in (("make; sudo /bin/rm x", "forbidden"), ("make", "prompt"), ("ls", "prompt")):
        if script.startswith("make; sudo") and part in ("run_by", "Grants", "Facts"):
            script = script.replace("sudo ", "")  # wrappers are not looked through any more
        verdict = check(script, book, situation=PLACE, fallback=lambda _: judging.ask_unless_safe("safe"))
        assert verdict.decision.word == expected, (part, script)
        assert any(block.code == "internal-error" for block in verdict.blocks)


def test_a_failure_in_one_command_leaves_the_others_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Heuristics.opinion

    def sometimes(self: Heuristics, command: object, facts: object) -> object:
        if getattr(command, "words", ())[0].literal == "ls":
            raise ValueError("only here")
        return found(self, command, facts)  # type: ignore[arg-type]  # handed on

    monkeypatch.setattr(Heuristics, "opinion", sometimes)
    verdict = check("ls; sudo rm x", rulebook(RULES), situation=PLACE)
    assert verdict.decision.word == "forbidden"


@pytest.mark.parametrize("target", ["a\0b", "a\ud800b"])
def test_a_file_that_cannot_exist_blocks_and_hides_nothing(target: str) -> None:
    from execpolicy.shell.script import Command, Redirect, Script
    from execpolicy.shell.words import Word
    from execpolicy.source import Span

    span = Span(0, 1)
    words = tuple([Word(text, span) for text in ("rm", "x")])
    redirect = Redirect(">", None, Word(target, span), span, writes=True)
    script = Script("rm x > f", "bash", "structured", (Command(words, span, redirects=(redirect,)),))
    place = Situation(os.getcwd())
    verdict = judging.judge_script(script, rulebook(RULES), place)
    assert verdict.decision.word == "forbidden"
    verdict = judging.judge_script(script, rulebook('write_rule(paths=["./**"])\nprefix_rule(pattern=["rm"])'), place)
    assert verdict.decision.word == "prompt"


def test_links_are_followed_before_a_step_back(tmp_path: object) -> None:
    from pathlib import Path

    root = Path(str(tmp_path))
    (root / "build").mkdir()
    (root / "elsewhere" / "deep").mkdir(parents=True)
    (root / "build" / "ext").symlink_to(root / "elsewhere" / "deep")
    place = Situation(str(root))
    assert place.paths_of("build/ext/../x") == (f"{root}/build/x", f"{root}/elsewhere/x")
    book = rulebook('write_rule(paths=["./build/**"], decision="allow")')
    assert check("echo x > build/x", book, situation=place).decision.word == "allow"
    assert check("echo x > build/ext/../x", book, situation=place).decision.word == "prompt"


@pytest.mark.parametrize(
    ("script", "decision"),
    [
        ("./run.sh", "allow"),
        ("cd sub && ./run.sh", "prompt"),
        ("cd sub && bash -c ./run.sh", "prompt"),
        ("cd sub; sh -c 'bash -c ./run.sh'", "prompt"),
        ("python3 tools/x.py", "allow"),
        ("cd sub && python3 tools/x.py", "prompt"),
        ("cd sub && make all", "allow"),
        ("cd sub && bash -c 'echo x > out/y'", "prompt"),
        ("bash -c 'echo x > out/y'", "allow"),
    ],
)
def test_a_relative_name_is_looked_up_where_the_command_runs(script: str, decision: str) -> None:
    rules = (
        'prefix_rule(pattern=["./run.sh"])\nprefix_rule(pattern=["python3", "tools/x.py"])\n'
        'prefix_rule(pattern=["make"])\nwrite_rule(paths=["./out/**"], decision="allow")\n'
    )
    assert check(script, rulebook(rules), situation=PLACE).decision.word == decision


@pytest.mark.parametrize(
    "script",
    ["printf './a x; ./b\\n' > b; printf './b; ./a; ./a z\\n' > a; ./a; ./b; awk 'BEGIN { system(\"evil\") }'"],
)
def test_files_that_run_themselves_hide_nothing(script: str) -> None:
    assert check(script, rulebook('prefix_rule(pattern=["evil"], decision="forbidden")')).decision.word == "forbidden"


@pytest.mark.parametrize(
    "script", ["eval " * 20 + "xargs " * 70 + "evil", "eval " * 70 + "env " * 70 + "evil x", "xargs " * 300 + "evil"]
)
def test_wrappers_that_are_not_opened_any_more_hide_nothing(script: str) -> None:
    assert check(script, rulebook('prefix_rule(pattern=["evil"], decision="forbidden")')).decision.word == "forbidden"
