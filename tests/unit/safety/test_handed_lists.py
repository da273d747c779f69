"""Lists of names that are handed to what opens the files: which may hold a usual secret, and which are everyday."""

from __future__ import annotations

import pytest

from tests.unit.safety.test_own_corpora import builtin_rulebook, decision

SECRET = (
    "ls -A | grep '^[.]e' | xargs cat",
    "ls -A | grep nv$ | xargs head",
    "ls -A | grep 'e.v$' | xargs cat",
    "ls -A | grep '^\\.' | xargs cat",
    "ls -A | grep '^.\\{4\\}$' | xargs cat",
    "ls -A | grep -e.c$ | xargs cat",
    "ls -A | grep -v txt | xargs cat",
    "ls -A | grep -E '^.(e|x)..$' | xargs cat",
    "ls -A | grep -P '^\\W\\w{3}$' | xargs cat",
    "ls -A | awk '/^\\.e/' | xargs cat",
    "ls -A | awk '/^.e/ { print $1 }' | xargs cat",
    "ls -A | awk 'NR == 3' | xargs cat",
    "ls -A | sed -n '/nv$/p' | xargs cat",
    "ls -A | sort | sed -n 3p | xargs cat",
    "ls -A | xargs cat",
    "ls -A | head -n 4 | tail -n 1 | xargs cat",
    'ls -a | tail -n 3 | while read -r f; do cat "$f"; done',
    "ls -la | awk '{ print $9 }' | xargs cat",
    "cat $(ls -A)",
    "cat $(ls -A | grep nv$)",
    "x=$(ls -A | grep nv$); cat $x",
    'for f in $(ls -A); do cat "$f"; done',
    'mapfile -t a < <(ls -A); cat "${a[0]}"',
    "ls -d .* | grep nv$ | xargs cat",
    "printf '%s\\n' .* | grep nv$ | xargs cat",
    "command ls -A | xargs cat",
    'echo "$(f=($(ls -A)); cat "${f[0]}")"',
    "find . -name '*v' -print0 | xargs -0 cat",
    "find . -iname '.*' -print0 | xargs -0 cat",
    "find . -name '????' -exec cat {} +",
    "fd -H '^.e.v$' -x cat",
    "find . | grep nv$ | xargs cat",
    "git ls-files -o | grep nv$ | xargs cat",
    "rg --files --hidden | grep nv$ | xargs cat",
    "cat $(cat .gitignore)",
    "head -n 3 .gitignore | xargs cat",
    "xargs -a .gitignore cat",
    "xargs cat < .dockerignore",
    'while read -r f; do cat "$f"; done < .gitignore',
    'mapfile -t a < .gitignore; cat "${a[0]}"',
    "git ls-files -o | xargs cat",
    "git ls-files --others | xargs cat",
    "git ls-files -oi --exclude-standard | xargs cat",
    "git ls-files --others --ignored --exclude-standard | xargs cat",
    "git check-ignore * | xargs cat",
    "cat $(git check-ignore *)",
    "git status --ignored --porcelain | cut -c4- | xargs cat",
    "git status --ignored --short | awk '{ print $2 }' | xargs cat",
    'echo .e,nv | { IFS=, read a b; cat "$a$b"; }',
    'echo .e nv | while read a b; do cat "$a$b"; done',
    'mapfile -d, a <<< .e,nv; cat "${a[0]}${a[1]}"',
    "mapfile -t a <<< $'.e\\nnv'; cat \"${a[0]}${a[1]}\"",
    'cat "$(git log -1 --format=.e%x6ev)"',
    "git log -1 --pretty='format:.e%x6Ev' | xargs cat",
    "git for-each-ref --count=1 --format=.e%6ev | xargs cat",
    "find . -maxdepth 0 -printf '.e\\156v' | xargs cat",
    "stat --printf='.e\\x6ev' a.txt | xargs cat",
    "cat <(ls -A) | xargs cat",
    "cat $(diff <(ls) <(ls -a))",
    "f() { cat <(ls -A); }; f | xargs cat",
    "{ cat <(ls -A); } | xargs cat",
    "cat <(ls -A) <(cat $(ls -A))",
    "cat <(cat <(ls -A) | xargs cat)",
    "diff <(ls) <(ls -a) > >(xargs cat)",
    "ls -ea | xargs cat",
    'ls -eA | while read f; do cat "$f"; done',
    "timeout 5 ls -A | xargs cat",
    "stdbuf -o0 ls -A | xargs cat",
    "ls -A | timeout 5 grep env | xargs cat",
    "ls -A | nice xargs -I{} cat {}",
    "timeout 5 find /etc | xargs cat",
    "grep -rl . . | grep env | xargs cat",
    "git grep -l . | grep env | xargs cat",
    "git log --stat | grep env | awk '{ print $1 }' | xargs cat",
    "tar tf a.tar | grep env | xargs cat",
)

EVERYDAY = (
    "ls | xargs wc -l",
    "grep -rl foo . | grep -v node_modules | xargs grep -n bar",
    "git diff --name-only | xargs wc -l",
    "tar tf a.tar | grep env",
    "git log --stat | grep py",
    "ls | grep e | xargs cat",
    "ls -t | head -n 1 | xargs cat",
    "ls -la | head -n 20",
    "ls -la | grep py$ | awk '{ print $9 }' | xargs cat",
    'ls -la; cat "$1"',
    "ls -A | grep '[.]md$' | xargs cat",
    "ls -A | grep -v '^[.]' | xargs cat",
    'ls -A | wc -l; cat "$1"',
    'if [ -z "$(ls -A src)" ]; then cat "$1"; fi',
    "find . -name '*.py' | xargs grep x",
    "find . -exec grep x {} +",
    "find . -type f | grep -v node_modules | xargs grep x",
    "find . -type f | grep py | xargs cat",
    "find . -type f | grep -E '\\.(c|h)$' | xargs cat",
    "find . -type f -not -name '.*' -print0 | xargs -0 cat",
    "find . -name '.*' -prune -o -type f -print0 | xargs -0 cat",
    "find . -type f -not -path './.git/*' | xargs cat",
    "find . -name .gitignore | xargs cat",
    "ls .gitignore | xargs cat",
    "fd main -x cat",
    "fd -H . src -x cat",
    "find src -type f | head -n 5 | xargs cat",
    "git ls-files | xargs wc -l",
    "git ls-files | xargs cat",
    "git ls-files | grep sh$ | xargs cat",
    "git ls-files | head -n 4 | xargs cat",
    "git ls-files --others --exclude-standard | xargs cat",
    "git status --porcelain | awk '{ print $2 }' | xargs cat",
    "git diff --name-only | grep py$ | xargs cat",
    "fd -e py -x wc -l",
    'cat .gitignore; cat "$1"',
    'grep -q build .gitignore && cat "$1"',
    'git check-ignore -q build && cat "$1"',
    "git log --format=%h%x09%s | head -n 3 | xargs -n1 cat",
    "find . -printf '%p\\n' | xargs cat",
    'echo a.txt b.txt | { read a b; cat "$a" "$b"; }',
    "diff <(ls) <(ls -a)",
    "comm -23 <(find a | sort) <(find b | sort)",
    "grep -vxf <(ls -A x) list.txt",
)


@pytest.mark.parametrize("script", SECRET)
def test_what_opens_the_files_of_a_list_that_may_hold_a_secret_is_asked_about(script: str) -> None:
    assert decision({"script": script}, builtin_rulebook()) == "prompt"


@pytest.mark.parametrize("script", EVERYDAY)
def test_what_opens_the_files_of_an_everyday_list_is_allowed(script: str) -> None:
    assert decision({"script": script}, builtin_rulebook()) == "allow"


@pytest.mark.parametrize("shell", ["ksh", "sh", "zsh"])
@pytest.mark.parametrize(
    "script", ["x='\\056env'; echo ${x%x} | xargs cat", "cat $(echo '\\056env')", "echo '.e\\0156v' | xargs cat"]
)
def test_echo_writes_letters_by_their_numbers_in_some_shells(script: str, shell: str) -> None:
    assert decision({"script": script, "shell": shell}, builtin_rulebook()) == "prompt"
