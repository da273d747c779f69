"""A write rule that forbids finds the file however a script comes to write it; what only reads stays as it was."""

import pytest

from execpolicy.core.writes import WriteRule
from tests.support.each import each
from tests.support.judging import decision

RULES = """
prefix_rule(pattern=[["echo", "tee", "cp", "mv", "rm", "cd", "cat", "sed", "touch", "ln"]])
write_rule(paths=["./**", "/tmp/**"])
write_rule(paths=["./build/**"], decision="forbidden")
write_rule(paths=["~/notes/**"], decision="forbidden")
"""
FORBIDDEN = [
    "echo x > build/a",
    "cd build && echo x > a",
    "cd build; echo x > a",
    "cd src; cd ../build; echo x > a",
    "pushd build; echo > a",
    "(cd build; echo > a)",
    "if true; then cd build; fi; echo > a",
    "b=build; echo x > $b/a",
    "d=$(echo build); echo > $d/a",
    "for d in build; do echo > $d/a; done",
    "echo x > $PWD/build/a",
    "echo x > /srv/project/build/a",
    "echo x > ~/notes/a",
    "echo x > $HOME/notes/a",
    "echo x > /home/u/notes/a",
    "cd /tmp; rm -r ~/notes",
    "bash -c 'cd build; echo x > a'",
    "cd build; bash -c 'echo x > a'",
    "bash <<< 'echo > build/a'",
    "f() { echo > build/a; }; f",
    "tee build/a",
    "sudo tee build/a",
    "timeout 5 tee build/a",
    "cd src; tee ../build/a",
    "cp a build",
    "cp a build/b",
    "cp -t build a",
    "mv build/a x",
    "rm build/a",
    "rm -r build",
    "rm -rf .",
    "sed -i s/a/b/ build/a",
    "touch build/a",
    "ln -s x build/l",
    "dd of=build/a",
    "git checkout build/a",
    "git -C build rm x",
    "git -C src -C ../build mv a b",
    "echo build/a | xargs rm",
]
OTHERWISE = [
    ("echo x > src/a", "allow"),
    ("tee a", "allow"),
    ("cp build/a x", "allow"),
    ("cat build/a", "allow"),
    ("cd build; cat a", "allow"),
    ("sed -n 1p build/a", "allow"),
    ("rm -r src", "allow"),
    ("touch buildx", "allow"),
    ("mv a b", "allow"),
    ("cd src && echo > a", "prompt"),
    ("cd /tmp; echo > a", "prompt"),
    ("echo > $x", "prompt"),
    ('rm -rf "$1"', "prompt"),
    ('rm -r ""', "allow"),
]


@each("script", FORBIDDEN)
def test_it_is_found(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each("script, expected", OTHERWISE)
def test_nothing_else_is_forbidden(script: str, expected: str) -> None:
    assert decision(script, RULES) == expected


@pytest.mark.parametrize("word", ["prompt", "forbidden"])
@each("script", ["echo x > build/a", "cd build; echo > a", "rm -r build", "tee build/a"])
def test_the_word_is_the_one_of_the_rule(word: str, script: str) -> None:
    rules = (
        f'prefix_rule(pattern=[["echo", "tee", "rm", "cd"]])\nwrite_rule(["./**"])\nwrite_rule(["./build/*"], "{word}")'
    )
    assert decision(script, rules) == word


@each(
    "glob, folder, reaches",
    [
        ("/a/**/keep", "/a/b/c", True),
        ("/a/**/keep", "/a", True),
        ("/a/**/keep", "/b", False),
        ("/**", "/b", True),
        ("/a/*/keep", "/a/b", True),
        ("/a/*/keep", "/a/b/keep", False),
        ("/a/*/keep", "/a/b/c", False),
        ("/a/keep", "/", True),
        ("/a/keep", "/a", True),
        ("/a/keep", "/a/keep", False),
        ("~/x/*", "/home", True),
        ("./x", "/srv", True),
        ("./x", "/srv/project/y", False),
    ],
)
def test_what_lies_below_a_folder_is_reached(glob: str, folder: str, reaches: bool) -> None:
    assert WriteRule((glob,)).reaches_below(folder, root="/srv/project", home="/home/u") is reaches
