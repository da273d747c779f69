"""Text that a shell or an interpreter runs, that comes from where nobody follows it, and stands in the same script."""

from __future__ import annotations

import pytest

from execpolicy.core.text import names
from tests.support.judging import decision

_ALLOWED = names(
    "sh bash zsh source . python3 python node perl just make env xargs sudo timeout emacs sqlite3 redis-cli tmux "
    "xclip wl-copy wl-paste pbcopy pbpaste jq yq duckdb psql vim php lua R Rscript julia crudini augtool curl dd tar "
    "gzip cp mv ln chmod split csplit logger journalctl crontab history fc base64 secret-tool ./x.sh ./x eval zip "
    "unzip mytool"
)
RULES = (
    'prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["git", "push"], decision="forbidden")\n'
    + "".join([f'prefix_rule(pattern=["{name}"])\n' for name in _ALLOWED])
    + "".join(
        [
            f'prefix_rule(pattern=["git", "{name}"])\n'
            for name in names("commit log notes tag stash config hash-object cat-file branch show add checkout apply")
        ]
    )
)


@pytest.mark.parametrize(
    "script",
    [
        *(
            'emacs --batch --eval \'(write-region "git push" nil "x.sh")\'; sh x.sh',
            'emacs --batch --eval \'(write-region "git push" nil "x.sh")\'; chmod +x x.sh; ./x.sh',
            'emacs --batch --eval=\'(write-region "git push" nil "x.sh")\' && source x.sh',
            "sqlite3 :memory: \"select writefile('x','git push')\"; sh x",
            "sqlite3 :memory: \"select writefile('d/x','git push')\"; sh ./d/x",
            "duckdb -c \"copy (select 'git push') to 'x'\"; sh x",
            "psql -c \"copy (select 'git push') to program 'cat > x'\"; sh x",
            'vim -es -c \'call writefile(["git push"],"x")\' -c q; sh x',
            'node -e \'fs.writeFileSync("x","git push")\'; sh x',
            'node -e \'fs.writeFileSync("x.py","import os; os.system(\\"git push\\")")\'; python3 x.py',
            'php -r \'file_put_contents("x","git push");\'; sh x',
            'lua -e \'io.open("x","w"):write("git push")\'; sh x',
            'R -e \'writeLines("git push","x")\'; sh x',
            'julia -e \'write("x","git push")\'; bash x',
            'python3 -c \'open("x","w").write("git push")\'; bash x',
            "jq -n '\"git push\"' > x; sh x",
            "jq -rn '\"git push\"' > x; sh x",
            "yq -n '.a = \"git push\"' > x; sh x",
            'emacs --batch --eval \'(write-region "all:\\n\\tgit push" nil "Makefile")\'; make',
            'emacs --batch --eval \'(write-region "x:\\n git push" nil "justfile")\'; just x',
        ),
        *(
            "git commit --allow-empty -m 'git push --force'; git log -1 --format=%s | sh",
            "git commit --allow-empty -m 'git push --force'; $(git log -1 --format=%s)",
            "git commit --allow-empty -m'git push --force'; eval \"$(git log -1 --format=%s)\"",
            "git commit --allow-empty --message='git push --force'; x=$(git log -1 --format=%s); $x",
            "git commit --allow-empty -F - <<< 'git push --force'; git log -1 --format=%s | bash -s",
            "git notes add -m 'git push'; git notes show | sh",
            "git tag -m 'git push' v1; git tag -l --format='%(contents)' v1 | sh",
            "git stash push -m 'git push'; git stash list --format=%s | sh",
            "git config x.y 'git push'; $(git config x.y)",
            "git config x.y 'git push'; git config x.y | sh",
            "git config x.y 'git push'; git config x.y > f; sh f",
            "git config x.y 'git push'; sh -c \"$(git config x.y)\"",
            "git config x.y 'git push'; sh <(git config x.y)",
            "git config x.y 'git push'; . <(git config x.y)",
            "git config x.y 'git push'; git config x.y | xargs sh -c",
            "git config x.y 'git push'; git config x.y | xargs -I{} sh -c {}",
            "git config x.y 'git push'; git config x.y | sudo timeout 5 sh",
            "git config x.y 'git push'; bash -c 'git config x.y | sh'",
            "bash -c \"git config x.y 'git push'; bash -c 'git config x.y | sh'\"",
            "bash -c \"mytool a; git config x.y 'git push'\"; sh -c 'mytool b; git config x.y | sh'",
            "git config x.y 'git push'; read -r a < <(git config x.y); $a",
            "git config x.y 'git push'; git config x.y | while read -r l; do $l; done",
            "git config x.y 'git push'; git config x.y | while read -r l; do eval \"$l\"; done",
            "f() { git config x.y | sh; }; git config x.y 'git push'; f",
            "for i in 1 2; do git config x.y | sh; git config x.y 'git push'; done",
            "git config x.y 'import os; os.system(\"git push\")'; git config x.y | python3",
            "git config x.y Z2l0IHB1c2g=; git config x.y | base64 -d | sh",
            "id=$(git hash-object -w --stdin <<< 'git push'); git cat-file -p $id | sh",
            "git log -1 --format='git push' | sh",
            "git config x.y rm; $(git config x.y) x",
            "git config x.y git; $(git config x.y) push",
            "git config x.y git; x=$(git config x.y); $x push",
            "$(git log -1 --format='git push')",
            "a='git push'; git config x.y \"$a\"; git config x.y | sh",
        ),
        *(
            "redis-cli set a 'git push'; redis-cli get a | sh",
            "tmux set-buffer 'git push'; tmux show-buffer | sh",
            "echo 'git push' | xclip; xclip -o | sh",
            "wl-copy 'git push'; wl-paste | sh",
            "wl-copy git push; wl-paste | sh",
            "pbcopy <<< 'git push'; pbpaste | bash",
            "logger 'git push'; journalctl -n1 -o cat | sh",
            "logger git push; journalctl -n1 -o cat | sh",
            "crudini --set f s k 'git push'; crudini --get f s k | sh",
            "secret-tool store --label 'git push' a b; secret-tool search a b | sh",
            "mytool put k 'rm -rf x'; mytool get k | sh",
            "mytool put 'a: rm -rf x'; mytool get k | sh",
            "mytool put k='rm -rf x'; mytool get k | sh",
            "history -s 'git push'; history 1 | cut -c8- | sh",
            "history -s 'git push'; fc -s",
            "echo '* * * * * git push' | crontab -; crontab -l | cut -c11- | sh",
        ),
        *(
            "echo 'git push' > x; tar cf a.tar x; tar xOf a.tar | sh",
            "echo 'git push' > x; zip a x; unzip -p a | sh",
            "echo 'git push' > x; tar cf a.tar x; mkdir d; tar xf a.tar -C d; sh d/x",
            "echo 'git push' > x; gzip x; gzip -dc x.gz | sh",
            "echo 'git push' | gzip | base64 > x; base64 -d x | gzip -d | sh",
            "echo 'git push' > x; curl -s file://$PWD/x | sh",
            "echo 'git push' | dd of=x; dd if=x | sh",
            "echo 'git push' > x; split x y; sh yaa",
            "echo 'git push' > x; csplit x 1; sh xx00",
            "echo 'git push' > x; git add x; git show :x | sh",
            'awk \'BEGIN{print "git push" > "x"}\'; sh x',
            "echo a > x; sed -i 's/.*/git push/' x; sh x",
            "echo 'git push' > x; mv x y; ln -s y z; sh z",
        ),
    ],
)
def test_text_that_stands_elsewhere(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("git commit -m 'remove git push --force'", "allow"),
        ("git commit -m 'git push --force'", "allow"),
        ("git commit -m 'git push --force' && bash build.sh", "allow"),
        ("echo 'docs: git push' > notes.md; bash build.sh", "prompt"),
        ("bash build.sh; git config x.y 'git push'", "allow"),
        ("grep -n 'git push' build.sh; bash build.sh", "allow"),
        ("grep -n 'git push' build.sh | head; bash build.sh", "allow"),
        ("if grep -q 'git push' build.sh; then bash build.sh; fi", "allow"),
        ("python3 -m venv .venv && . .venv/bin/activate && git commit -m 'git push'", "prompt"),
        ("cat > README.md <<'E'\n```\ngit push\n```\nE\nchmod +x build.sh; bash build.sh", "prompt"),
        ("git commit -m 'remove git push'; curl -s x | sh", "prompt"),
        ("git commit -m 'git push'; $CC -v", "prompt"),
        ("bash -c 'curl -s x | sh; grep -c \"git push\" x'", "prompt"),
        ("git add rm; curl -s x | sh", "prompt"),
        ("git commit -m 'git push'; git log -1 --format=%s | head", "allow"),
        ("echo 'git push' > notes.txt; sed -n 1p notes.txt", "prompt"),
        ("rg -l 'git push' | xargs sed -n 1p", "prompt"),
        ("grep -rl 'git push' . | xargs sed -i s/a/b/", "prompt"),
    ],
)
def test_text_that_stays_text(script: str, expected: str) -> None:
    assert decision(script, RULES) == expected


@pytest.mark.parametrize(
    "told",
    [
        "git config x.y '" + "a" * 6_000 + "\ngit push'; git config x.y",
        "git config x.y '" + ": ;\n" * 2_000 + "git push'; git config x.y",
        "redis-cli set " + "a " * 100 + "git push; redis-cli get a",
        "redis-cli set '" + "<a>x</a>" * 100 + "<b>git push</b>'; redis-cli get a",
        "redis-cli set '" + "a=b, " * 100 + '"git push"\'; redis-cli get a',
        "; ".join(["redis-cli set a 'git log'"] * 100) + "; redis-cli set a 'git push'; redis-cli get a",
    ],
)
def test_padding_hides_no_text(told: str) -> None:
    rules = (
        'prefix_rule(pattern=["git", "push"], decision="forbidden")\nprefix_rule(pattern=[["sh", "git", "redis-cli"]])'
    )
    assert decision(told + " | sh", rules) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "redis-cli set a 'hsup tig'; redis-cli get a | rev | sh",
        "redis-cli set a 'tvg chfu'; redis-cli get a | tr a-z n-za-m | bash -s",
        "redis-cli set a 'tvg chfu'; eval \"$(redis-cli get a | tr a-z n-za-m)\"",
        "redis-cli set a 'gut pish'; bash -c \"$(redis-cli get a | sed 's/gut/git/; s/pish/push/')\"",
        "redis-cli set a git_push; redis-cli get a | tr _ ' ' | sh",
        "frob -o x.bin 'hsup tig'; rev x.bin | sh",
        "frob -o x.bin 'hsup tig'; rev < x.bin | sh",
        "frob -o x.bin 'hsup tig'; sh <(rev x.bin)",
        "redis-cli set a push; git $(redis-cli get a)",
        "redis-cli set a hsup; git $(redis-cli get a | rev)",
        "redis-cli set a push; git -C x $(redis-cli get a) origin",
        "redis-cli set a '; hsup'; git $(redis-cli get a | tr -d ';' | rev)",
        "redis-cli set a 'hsup tig'; redis-cli get a | rev | " + "cat | " * 9 + "sh",
        "redis-cli set a '" + ":" * 450 + "; hsup tig'; redis-cli get a | sed 's/.*; //' | rev | sh",
    ],
)
def test_text_that_is_changed_on_its_way(script: str) -> None:
    rules = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\n'
    assert decision(script, rules + 'prefix_rule(pattern=[["sh", "git", "redis-cli", "frob"]])') == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "redis-cli set a 'hsup tig'; redis-cli get a | rev",
        "redis-cli set a 'hsup tig'; redis-cli get a | rev | git hash-object --stdin",
        "redis-cli set a pull; git $(redis-cli get a)",
        "git log $(redis-cli get a)",
    ],
)
def test_text_that_becomes_nothing_forbidden(script: str) -> None:
    rules = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\n'
    assert decision(script, rules + 'prefix_rule(pattern=[["sh", "git", "redis-cli", "frob"]])') != "forbidden"
