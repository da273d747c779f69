"""A file under a name that no redirection gave it: backups, orders of editors, archives; bash runs each here."""

import pytest

from tests.support.each import each
from tests.support.judging import decision
from tests.support.stub_git import logged_calls

RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n' + "".join(
    [
        f'prefix_rule(pattern=["{name}"])\n'
        for name in (
            "sh",
            "bash",
            "cp",
            "mv",
            "ln",
            "sed",
            "tar",
            "find",
            "tee",
            "perl",
            "echo",
            "env",
            "python3",
            "awk",
        )
    ]
)
WRITTEN = "echo git push > s.sh; "
SCRIPTS = [
    WRITTEN + "cp -b --suffix=.k /dev/null s.sh; sh s.sh.k",
    WRITTEN + "cp --backup=numbered /dev/null s.sh; sh s.sh.~1~",
    WRITTEN + "ln -sfb /dev/null s.sh; sh s.sh~",
    WRITTEN + "sed -i.b s/g/x/ s.sh; sh s.sh.b",
    WRITTEN + "sed -i'old_*' d s.sh; sh old_s.sh",
    WRITTEN + "perl -i.b -pe s/g/x/ s.sh; bash s.sh.b",
    WRITTEN + "sed -n 'w t' s.sh; sh t",
    WRITTEN + "sed 's/^/x=1; /w t' s.sh; sh t",
    WRITTEN + "sed -n 'w t' s.sh; . ./t",
    WRITTEN + "tar cf x.tar s.sh; tar xf x.tar --transform=s/s/t/; sh t.sh",
    WRITTEN + "tar cf x.tar s.sh; tar xf x.tar -O | tee t.sh; sh t.sh",
    WRITTEN + "python3 -m zipfile -c x.zip s.sh; python3 -m zipfile -e x.zip d; sh d/s.sh",
    WRITTEN + "find . -name '*.sh' -exec sh {} \\;",
    WRITTEN + "find . -name s.sh -exec env sh {} \\; -quit",
    WRITTEN + "find ./s.sh -exec sh -x {} +",
    WRITTEN + 'sh ./../"${PWD##*/}"/s.sh',
    "echo 'BEGIN{system(\"git push\")}' > s.awk; find . -name '*.awk' -exec awk -f {} \\;",
]


@pytest.mark.slow
@each("script", SCRIPTS)
def test_bash_runs_it(script: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    calls = logged_calls(script, tmp_path_factory.mktemp("place"), folder="here")
    assert calls.startswith("push\n")


@each("script", SCRIPTS)
def test_it_is_forbidden(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        "echo git push > notes; sh build.sh",
        "echo git push > notes; sed -i s/a/b/ other; sh other",
        "echo git status > s.sh; cp -b /dev/null s.sh; sh s.sh~",
        "echo git push > s.sh; cp -b /dev/null s.sh; echo s.sh~",
        WRITTEN + "sed -n 'w t' s.sh; sh other",
    ],
)
def test_another_file_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"


def test_find_names_the_files_that_count() -> None:
    rules = RULES + 'prefix_rule(pattern=["pwn"], decision="forbidden")\n'
    assert decision("echo pwn > s.sh; find . -name '*.sh' -exec sh {} \\;", rules) == "forbidden"
    assert decision("echo pwn > notes; find . -name '*.sh' -exec sh {} \\;", rules) != "forbidden"


PWN = RULES + 'prefix_rule(pattern=["pwn"], decision="forbidden")\n'


@each(
    "script",
    [
        "sort -o s <<< pwn; sh s",
        "uniq - s <<< pwn; sh s",
        "touch pwn.q; find . -name '*.q' -fprintf t '%f\\n'; sed -i 's/.q//' t; sh t",
        "split --filter=sh <<< pwn",
        "printf '%s\\n' -I pwn > list; tar cf x -T list",
        "tar cTf <(echo --to-command=pwn) x",
        "echo pwn > s; tar cf x s; tar xf x --to-command='sh -s'",
        "vim -es -c '%!sh' <(echo pwn)",
        "cargo --config 'credential-alias.x=[\"pwn\"]' login",
        "php -d sendmail_path=pwn -r 'mail();'",
        'declare -A m; m[pwn]=1; for k in "${!m[@]}"; do $k; done',
        "touch pwn; for f in *; do env $f; done",
        "exec 3<<< pwn; read -u 3 c; $c",
    ],
)
def test_a_command_of_one_word_is_found(script: str) -> None:
    assert decision(script, PWN) == "forbidden"


@each(
    "script",
    [
        "sort -o s <<< pwn; sh t",
        "touch pwn.q; find . -name '*.q'; sh t",
        "split --filter='sort > $FILE' <<< pwn",
        "printf '%s\\n' pwn > list; tar cf x -T list",
        "echo pwn > s; tar cf x s; tar xf x",
        "vim -es -c '%!sort' <(echo pwn)",
        "cargo --config 'net.git-fetch-with-cli=true' build",
        "php -d include_path=pwn x.php",
        "touch pwn; for f in *; do ls $f; done",
    ],
)
def test_a_word_that_is_no_command_is_not(script: str) -> None:
    assert decision(script, PWN) != "forbidden"
