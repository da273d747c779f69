"""Files of settings that a script writes count where a program runs behind them that may obey them."""

from execpolicy.programs.files.recipes import orders
from execpolicy.programs.files.source_files import is_settings
from tests.support.each import each
from tests.support.judging import decision

RULES = (
    'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n'
    'prefix_rule(pattern=[["alacritty", "cat", "firebase", "launchctl", "makers", "moon", "nowhere", "printf"]])\n'
    'prefix_rule(pattern=[["run-parts", "sed"]])\n'
)


@each(
    "script",
    [
        "printf 'tasks:\\n  x:\\n    command: git push\\n' > moon.yml; moon run x",
        'printf \'[tasks.x]\\ncommand = "git"\\nargs = ["push"]\\n\' > Makefile.toml; makers x',
        'printf \'{"hosting":{"predeploy":["git push"]}}\' > firebase.json; firebase deploy',
        "printf '<string>git</string><string>push</string>' > x.plist; launchctl load x.plist",
        'printf \'[shell]\\nprogram = "git"\\nargs = ["push"]\\n\' > a.toml; alacritty --config-file a.toml',
        "printf 'web: git push' > Procfile; nowhere start",
        "printf 'git push' > d/x; run-parts d",
        # a file, or a constant beside it, is called like the program
        "printf 'x: git push' > git; nowhere start",
        'sed -i \'1c cmd = ["git", "push"]\' moon.yml; moon run x',
    ],
)
def test_what_they_say_is_forbidden(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        "printf 'then run git push' > README.md; moon run x",
        "printf 'tasks: git push' > notes.txt; moon run x",
        "printf 'tasks: git log' > moon.yml; moon run x",
        "printf 'tasks: git push' > moon.yml; cat moon.yml",
    ],
)
def test_other_files_and_readers_are_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"


@each(("path", "is_one"), [("a/moon.yml", True), ("Procfile", True), (".rc", True), ("x.md", False), ("x.py", False)])
def test_is_settings(path: str, is_one: bool) -> None:
    assert is_settings(path) is is_one


def test_words_of_one_command_in_several_places() -> None:
    assert "git push" in orders('{"command": "git", "args": ["push"]}')
    assert "git push" in orders('command = "git"\nargs = ["push"]')
    assert "git push" in orders("<string>git</string><string>push</string>")
