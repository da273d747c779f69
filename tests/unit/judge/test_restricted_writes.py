"""A write rule that forbids finds the file however a script comes to write it; what only reads stays as it was."""

import pytest

from execpolicy.core.path_rules import WriteRule
from tests.support.each import each
from tests.support.judging import decision, verdict

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
    "cd ~ && echo x > notes/a",
    "cd ~/notes; touch a",
    "tee build/a",
    "sudo tee build/a",
    "timeout 5 tee build/a",
    "cd src; tee ../build/a",
    "cp a build",
    "cp a build/b",
    "cp -t build a",
    "mv build/a x",
    "rm build/a",
    "cp -rT a build",
    "cp -r a/. .",
    "cp -r .. .",
    "rsync -a a/ .",
    "rm -r build",
    "rm -rf .",
    "rm -r ~",
    "mv ~ /tmp/a",
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


WRITTEN = [
    "cd build && curl -O https://example.com/a",
    "wget -P build https://example.com/a",
    "curl -w '%output{build/x}' https://example.com/a",
    "git -C build bundle create x HEAD",
    "git worktree add build/x",
    "git clone u build/x",
    """awk '{print > "build/x"}' a""",
    """awk '{print >> "build/x"}' a""",
    """awk '{ printf "%s", $1 > "build/x"; close("build/x") }' a""",
    """awk '$1 > 5 { print $2 > "build/x" }' a""",
    """awk -F: '{print | "cat > build/x"}' a""",
    "gawk -obuild/x 1 a",
    "sed 'w build/x' a",
    "sed -n '/a/{s/b/c/gpw build/x\n}' a",
    "sed -n -e '/a/w build/x' a",
    "tar cf build/x a",
    "tar czvf build/x a",
    "tar --create --file=build/x a",
    "tar -C build -xf a.tar",
    "tar xfC a.tar build",
    "tar -xf a.tar --directory build",
    "gcc -o build/x a.c",
    "gcc -O2 a.c -obuild/x",
    "uniq a build/x",
    "uniq -c a build/x",
    "shuf -o build/x a",
    "sort a -o build/x",
    "split -l 5 a build/x",
    "csplit -f build/x a 3",
    "unzip -d build a.zip",
    "zip build/x a",
    "mkdir -p build/x",
    "mkfifo build/x",
    "find . -fprint build/x",
    "find . -name a -fprintf build/x %p",
    "find build -delete",
    "iconv -o build/x a",
    "openssl rand -out build/x 3",
    "pandoc a.md -o build/x",
    "rsync -a --log-file=build/x a b",
    "curl --output-dir build -O u",
    "wget -P build u",
    "git stash push build/x",
    "git archive -o build/x HEAD",
    "git format-patch -o build HEAD",
    "git -C build format-patch -o . HEAD",
    "git log --output=build/x",
    "cd build && tar cf x a",
    """awk '{print > "build/" $1}' a""",
]
PERHAPS = [
    "ln -s build b; cp a b/x",
    "ln build/a b",
    "cp -l build/a b",
    "awk '{print > $1}' a",
    "awk -f a.awk b",
    "sed -f a.sed b",
    "sed s/a/$x/ b",
    "tar xf a.tar",
    "unzip a.zip",
    "git apply a.patch",
    "jq -n 1 | mytool build/x",
    "mytool --out=build/x",
    "mytool -obuild/x",
    'd=build; mytool "$d/x"',
    'mytool "build/$x"',
    "mytool build/*.o",
    "mytool *",
    "mytool build",
    "mytool run x build/x",
    "make -C build",
    "cd build && mytool x",
    "eslint --fix build/x.js",
    "ffmpeg -i a build/x",
    "xxd a build/x",
    "timeout 5 mytool build/x",
    "find . -exec mytool build/x \\;",
]
READING = [
    "wget https://example.com/a",
    "curl -O https://example.com/a",
    "awk '$1 > 5' a",
    """awk '{print ($1 > 5)}' build/x""",
    """awk '{print > "src/x"}' a""",
    """awk '{print > "/dev/stderr"}' a""",
    "sed -n 's/build/x/p' build/x",
    "tar tf build/x",
    "tar xOf build/x",
    "tar cf a.tar build/x",
    "grep -r x build",
    "cut -f1 build/x",
    "jq . build/x",
    "cp build/x a",
    "uniq build/x",
    "find build -name x",
    "git add build/x",
    'git commit -m "$x"',
    'cp -- "$x" src',
    "mytool run build",
    "mytool run build -- a",
    "git commit -m build/x",
    "git commit -m 'see build/x'",
    "git push origin build/x",
    "git pull --rebase origin main",
    "zip a.zip b",
    "mkdir -p src/x",
    "cd build",
    "mytool src/x",
    "mytool",
    "mytool src/*.py",
    "timeout 5 cat build/x",
    "xargs -n1 grep x build/y",
]


def all_of(word: str = "forbidden") -> str:
    """Rules that allow every program, and say ``word`` of what lies in ``build``."""
    programs = "awk gawk sed tar gcc uniq shuf sort split csplit unzip zip mkdir mkfifo find iconv openssl pandoc rsync"
    programs += " curl wget git cd python3 node perl jq mytool sqlite3 vim make eslint ffmpeg xxd timeout grep cut cp"
    programs += " cat xargs ln"
    names = ", ".join([f'"{name}"' for name in programs.split()])
    rules = f'prefix_rule(pattern=[[{names}]])\nprefix_rule(pattern=["mytool", "run", "build"])\n'
    return f'{rules}write_rule(paths=["./build/**"], decision="{word}")'


@each("script", WRITTEN)
def test_what_a_program_says_that_it_writes_is_found(script: str) -> None:
    assert decision(script, all_of()) == "forbidden"


@each("script", PERHAPS)
def test_what_is_not_proven_to_stay_unwritten_is_asked_about(script: str) -> None:
    assert decision(script, all_of()) == "prompt"


@each("script", READING)
def test_what_only_reads_or_writes_elsewhere_stays_allowed(script: str) -> None:
    assert decision(script, all_of()) == "allow"


@each("script", PERHAPS)
def test_without_a_rule_that_restricts_nothing_is_asked(script: str) -> None:
    assert decision(script, all_of("allow")) == "allow"


def test_the_reason_says_so() -> None:
    found = verdict("mytool --out=build/x", all_of()).commands[0].blocks
    assert [block.detail for block in found] == [
        "it may write `/srv/project/build/x`, and a write rule says that this is forbidden"
    ]
