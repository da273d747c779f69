"""Well-known secrets, wherever a script reads them."""

import pytest

from execpolicy.safety import secret_names
from execpolicy.safety.secret_names import COMMON_FILES, FILES, FOLDERS, WHERE
from execpolicy.safety.secrets import exposing_root, secret_in, secret_matching
from tests.support.judging import decision


@pytest.mark.parametrize(
    "path", [".env", "a/.env", "HEAD:.env", "HEAD:a/.npmrc", "/root/.ssh/x", ".aws", "x.pem", "/proc/kmsg"]
)
def test_paths_of_secrets(path: str) -> None:
    assert secret_in(path) is not None


@pytest.mark.parametrize("address", ["a/.env?ref=main", "a/%2eenv", "files/x%2F.env", "a/.%65nv?x=y", "a?/%2E%65nv"])
def test_names_in_addresses(address: str) -> None:
    assert (secret_in(address) is None) is address.startswith("a?")


@pytest.mark.parametrize("path", ["a%", "%", "?", "a?", "100%25", "src%2Fa.py"])
def test_what_looks_like_an_address_and_names_no_secret(path: str) -> None:
    assert secret_in(path) is None


@pytest.mark.parametrize("path", ["a.txt", ".env.example", "HEAD:src/env.py", "environment.md", "ssh/config", "a:b"])
def test_paths_that_are_no_secrets(path: str) -> None:
    assert secret_in(path) is None


@pytest.mark.parametrize(
    "pattern",
    [
        ".e*",
        ".env*",
        ".??*",
        ".*",
        "id_*",
        "*_rsa",
        "*.pem",
        "*.env",
        "?.tfvars",
        "*/.ssh/config",
        "/home/*/.ssh/*",
        "~/.en[v]",
    ],
)
def test_patterns_that_find_secrets(pattern: str) -> None:
    assert secret_matching(pattern) is not None


@pytest.mark.parametrize("pattern", ["*", "*.json", "*.py", "src/*", ".github/*", "*/x.txt", "a*.md", "\\.env\\*x"])
def test_patterns_that_find_other_things(pattern: str) -> None:
    assert secret_matching(pattern) is None


def test_the_dot_of_hidden_files() -> None:
    assert secret_matching("*env") is None
    assert secret_matching("*env", hidden=True) is not None
    assert secret_matching("*.json", hidden=True) is None


@pytest.mark.parametrize(
    "script",
    [
        "cat < .env",
        "while read -r l; do echo $l; done < ~/.netrc",
        "cat $HOME/.ssh/id_rsa",
        "cat ${HOME}/.aws/credentials",
        "f=.env; cat $f",
        "f=.e; f+=nv; cat ${f@Q}",
        "f=.e; f+=nv; echo ${f@E} | xargs cat",
        "f=.e; f+=nv; cat ${f?}",
        "f=.env; cat < $f",
        "for f in .e*; do cat $f; done",
        "git show HEAD:.env",
        "git diff -- .env",
        "cd ~/.ssh && cat config",
        "find ~/.ssh -type f",
        "find . -name '.env*' -exec cat {} +",
        "echo .env | xargs cat",
        "grep -r x ~/.aws",
        "grep -f .env a.txt",
        "strings .env",
        'f() { head "$1"; }; f .env',
        "declare -p",
        "declare -x",
        "export",
        "export -p",
        "set",
    ],
)
def test_a_person_is_asked(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize(
    "script",
    ["ls -la .env", "test -f .env", "find . -name .env", "cat *", "cat *.json", "read x < /dev/tty", "declare -p HOME"],
)
def test_looking_at_names_is_no_reading(script: str) -> None:
    assert decision(script) == "allow"


@pytest.mark.parametrize(
    "script",
    [
        'export CI="$GITHUB_TOKEN"; printenv CI',
        "export NO_COLOR=$GITHUB_TOKEN; bash -c 'echo $NO_COLOR'",
        "f() { CI=$1; }; f $GITHUB_TOKEN; echo $CI",
        "[[ ${x:-$GITHUB_TOKEN} =~ .* ]]; echo $BASH_REMATCH",
        "bash -c 'echo $1' _ ${GITHUB_TOKEN@Q}",
        "timeout 5 sh -c 'echo $1' _ \"${GITHUB_TOKEN@A}\"",
        "bash -c 'echo $1' _ ${x:-${GITHUB_TOKEN@Q}}",
        "a=(.*); cat ${a[2]}",
        'a=(x .*); cat "${a[3]}"',
        "declare -a a=(.*); a+=(y); cat ${a[-1]}",
        "echo .env | xargs bash -c 'cat \"$@\"' _",
        "echo .env | xargs sh -c 'cat $0'",
        "for x in .env; do :; done; cat < ./$x",
        "read -r x <<< .env; while read -r l; do echo $l; done < ./$x",
        'd=.ssh; cd ~/$d; echo "$(<config)"',
        "bash -c 'cat $1' _ $(ls -A | grep .env)",
        "bash -c 'bash -c \"cat \\$1\" _ $1' _ $(ls -A | grep .env)",
        "echo .env | xargs timeout 5 bash -c 'bash -c \"cat \\$0\" $0'",
    ],
)
def test_a_secret_is_not_handed_on_to_where_nobody_looks(script: str) -> None:
    assert decision(script) == "prompt"


CHOSEN = [
    "git ls-files -z '*.env' | xargs -0 head",
    "ls .e''nv | xargs cat",
    'ls -t ~ | head -1 | sed "s,^,$HOME/," | xargs cat',
    'cat "$(find . -name .e\\nv)"',
    "git show \"$(git rev-parse 'HEAD:.e'nv)\"",
    'x=nv; git cat-file -p "$(git rev-parse HEAD:.e$x)"',
    "for e in nv; do ls .e$e; done | xargs cat",
]
NOT_CHOSEN = [
    "ls -A | grep env",
    "ls -A | grep env | xargs ls -l",
    "ls | grep test | xargs cat",
    "ls -a | grep -v '^[.]' | xargs cat",
    "find . -type f | grep -v node_modules | xargs grep -l foo",
    "find . -name '*.json' | xargs cat",
    "find . -name credentials",
    "find . -name '*.json' -path '*/credentials/*' -exec cat {} +",
    "git ls-files | grep '\\.py$' | xargs grep -n foo",
    "git ls-files | grep -E '\\.(ts|tsx)$' | xargs wc -l",
    "git diff --name-only | grep py | xargs cat",
    "ls -t | head -1 | xargs cat",
    "ps aux | grep env; cat $f",
    "fd -e py | xargs wc -l",
    "rg -l main src | xargs head -3",
    'ls /etc; cat "$f"',
    "rg --files -g '*.py' ~ | xargs head -3",
    "ls /usr/include | head -3 | xargs ls",
    "fd -e rs -x head -5",
]


@pytest.mark.parametrize("script", CHOSEN)
def test_a_secret_that_is_chosen_from_a_list_is_read_by_nobody_unasked(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize("script", NOT_CHOSEN)
def test_other_names_are_chosen_freely(script: str) -> None:
    assert decision(script) == "allow"


def test_whether_a_secret_is_set_is_no_secret() -> None:
    assert decision("[[ -n $GITHUB_TOKEN && $x == a ]] && echo set") == "allow"
    assert decision('[ -n "$GITHUB_TOKEN" ] && test x != "$GITHUB_TOKEN"') == "allow"


@pytest.mark.parametrize(
    "script",
    [
        "exit $GITHUB_TOKEN",
        'exit "${x:-$GITHUB_TOKEN}"',
        "command exit $GITHUB_TOKEN",
        "builtin -- shift $GITHUB_TOKEN",
        "cd $GITHUB_TOKEN",
        "type -t x $GITHUB_TOKEN",
        '[ "$GITHUB_TOKEN" -eq 1 ]',
        'command test 1 -lt "$GITHUB_TOKEN"',
        '[ -n "$GITHUB_TOKEN" -eq 1 ]',
        '[ 1 = "$GITHUB_TOKEN" -eq 2 ]',
        '[ x = y -o "$GITHUB_TOKEN" -eq 1 ]',
    ],
)
def test_a_builtin_that_complains_prints_what_it_was_given(script: str) -> None:
    # whoever allows `exit` has not allowed that it prints a value which is no number
    rule = 'prefix_rule(pattern = [["exit", "command", "builtin", "cd", "type", "[", "test"]])\n'
    assert decision(script, rule) == "prompt"
    assert decision(script.replace("GITHUB_TOKEN", "n"), rule) == "allow"


@pytest.mark.parametrize("script", ['[ "$GITHUB_TOKEN" == x ]', 'test x == "$GITHUB_TOKEN"'])
def test_sh_that_is_dash_complains_of_two_equals_signs(script: str) -> None:
    assert decision(script) == "allow"
    assert decision(script, shell="sh") == "prompt"


def test_a_rule_that_allows_the_program_allows_its_input() -> None:
    assert decision("cat < .env", 'prefix_rule(pattern = ["cat"])\n') == "allow"
    assert decision("cat .env", 'prefix_rule(pattern = ["cat"])\n') == "allow"


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        ("{a,b 0x,", False),
        ("}{a,b", False),
        ("{.}{a,env}", True),
        ("{a,{b,.env}}", True),
        ("{a,b}" * 30, False),
        ("{a,b}" * 30 + "/.env", True),
        ("{a,b}" * 5_000, False),
        ("{" * 40 + ",}" * 40, False),
        ("{a" + ",b" * 100_000 + "}", False),
    ],
)
def test_braces_cost_no_more_than_they_are_long(path: str, secret: bool) -> None:
    assert (secret_in(path) is not None) == secret


@pytest.mark.parametrize("script", ["cat $(find . -iregex '.*[.]ENV')"])
def test_more_lists_of_names_choose_a_secret(script: str) -> None:
    assert decision(script) == "prompt"


def test_a_bare_name_is_a_secret_only_by_the_tables_of_whole_names() -> None:
    """What a name of letters and digits is asked first rests on that: every other sign has a mark in it."""
    whole = COMMON_FILES | FILES | FOLDERS
    for table in vars(secret_names).values():
        for sign in table if isinstance(table, frozenset | tuple) else ():
            for name in (sign, f"my{sign}", f"{sign}s"):
                if isinstance(sign, str) and name.isalnum():
                    assert (secret_in(name) is not None) == (name.lower() in whole), name


def test_every_folder_above_a_secret_exposes_it() -> None:
    for place in WHERE:
        for at, char in enumerate(place):
            if char == "/":
                assert exposing_root(place[:at] or "/") is not None, place[: at + 1]
    assert exposing_root("/usr/share/doc") is None
