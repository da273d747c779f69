"""What runs the project's code is asked about where the script names a forbidden command that it may find."""

import pytest

from tests.support.judging import decision

RULES = """
prefix_rule(pattern=[["npm", "make", "pytest", "cargo", "sh", "awk", "mkdir", "just", "cat", "tee", "sort"]])
prefix_rule(pattern=[["echo", "printf", "openssl", "node", "perl", "python3", "ruby"]])
prefix_rule(pattern=["git", ["commit", "log", "checkout", "branch", "add"]])
prefix_rule(pattern=["./check.sh"])
prefix_rule(pattern=["git", "push"], decision="forbidden")
prefix_rule(pattern=["pwn"], decision="forbidden")
write_rule(paths=["./**"])
"""

ASKED = (
    # a text that runs something, under whatever name
    "echo 'import os; os.system(\"git push\")' > notes.txt; pytest -q",
    'printf \'>>> __import__("os").system("pwn")\\n0\\n\' > test_x.txt; pytest -q',
    'echo \'fn main(){ std::process::Command::new("git").arg("push"); }\' > src/gen.in; cargo run',
    "printf 'F = notes.txt\\ninclude $(F)\\n' > Makefile; printf 'test:\\n\\tpwn\\n' > notes.txt; make test",
    "echo pwn > node_modules/.bin/node; npm test",
    "echo 'const C = include_str!(\"n\"); Command::new(C)' > src/x; echo pwn > src/n; cargo run",
    # a file, or a value in one of settings, that is nothing else
    "echo pwn > src/tool.txt; cargo run",
    'echo \'{"cmd": "git push"}\' > cfg.json; npm test',
    "echo '#define CMD \"git push\"' > cfg.h; make run",
    # what git keeps and prints
    "git commit -m 'git push'; sh .git/COMMIT_EDITMSG",
    "git commit -m 'import os; os.system(\"pwn\")'; git log -1 --format=%s > tests/conftest.py; pytest",
    "git log -1 --format='%nevil%x20%npwn%n' --output=t; sh t",
    "git checkout -qb git/push; git branch --show-current | tr / ' ' > t; sh t",
    # what a shell says of itself
    "(: ${x?git push}) 2> t; sh t",
    "f() { : git push; }; declare -f f > t; sh t",
    # what hooks may run
    "echo 'git push' >> hooks.d/z; git commit -m x",
    "printf 'lint:\\n\\tgit push\\n' >> Makefile; git add .; git commit -m x",
    # what it is told
    "make q GET=pwn",
    "make test CMD::=pwn",
    "make test SUB=push",
    "echo 'exec(process.argv[2])' > test.js; npm test -- pwn",
    "npm pkg set config.tool=pwn; npm test",
    # files that are handed to a shell or an interpreter, and files of the project
    "openssl enc -d -base64 -out t <<< pwn; sh t",
    "sort -o check.sh <<< 'x pwn'; ./check.sh",
    *[f"openssl enc -d -out t <<< 'x pwn'; {run}" for run in ("sh -e t", "sh -p t", "sh -ex t", "sh -o errexit t")],
    *[
        f"openssl enc -d -out t <<< 'x pwn'; {run}"
        for run in ("node -r ./t y", "sh t -c x", "node t -e x", "perl t -e x", "perl -w t", "python3 -u t", "ruby t")
    ],
    "printf '@include \"n\"\\n' > a; echo 'BEGIN{system(\"pwn\")}' > n; awk -f a",
    "echo pwn > n; sh $x",
)


@pytest.mark.parametrize("script", ASKED)
def test_it_is_asked_about_at_least(script: str) -> None:
    assert decision(script, RULES) != "allow"


@pytest.mark.parametrize("script", ["make q", "npm test", "cargo run", "pytest -q", "sh t", "./check.sh", "awk -f a"])
def test_without_that_it_is_allowed(script: str) -> None:
    assert decision(script, RULES) == "allow"


@pytest.mark.parametrize(
    "script",
    [
        # prose, and what is only looked for or shown
        "echo 'then git push' > README.md; npm test",
        "git commit -m 'explain git push'; make test",
        "cat build.sh | grep 'git push' | head; sh build.sh",
        "echo 'git push comes later'; npm test",
        "echo 'git push' > notes; sh build.sh",
        'echo \'{"cmd": "then git push"}\' > cfg.json; npm test',
        "echo 'then git push' > README.md; git commit -m x",
        "printf '#!/bin/sh\\ngit push\\n' > release.sh; git add release.sh; git commit -m 'git push'",
        "mkdir pwn; npm test",
        # other words, and names
        "echo 'import os; os.system(\"git pull\")' > notes.txt; pytest -q",
        "echo 'os.system(\"x\"); stack.push(git)' > a.txt; pytest -q",
        "echo 'system(\"pwned\")' > a.txt; pytest tests/pwn-x",
        "make pwn",
        "npm run pwn",
        "make test BRANCH=main",
        "npm test -- pwn",
        "pytest -k pwn",
        "sh build.sh pwn",
        "awk '/pwn/ {print}' log.txt",
        "awk '/git push/' log.txt > out.txt",
    ],
)
def test_what_names_none_is_allowed(script: str) -> None:
    assert decision(script, RULES) == "allow"
