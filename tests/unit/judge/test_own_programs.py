"""Programs that a script writes and runs by a name alone, and other ways round that end in what it says itself."""

import shutil
import subprocess

import pytest

from execpolicy.flow.filters import xxd
from tests.support.each import each
from tests.support.judging import decision

PROGRAMS = "git make sqlite3 find npx npm yarn pnpm bunx busybox xxd printf chmod mkdir cat echo env ls xargs e psql"
RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n' + "".join(
    [f'prefix_rule(pattern=["{program}"])\n' for program in PROGRAMS.split(" ")]
)
WRITTEN = "printf '#!/bin/sh\\ngit push' > "
INSTALLED = f"mkdir -p node_modules/.bin; {WRITTEN}node_modules/.bin/q; chmod +x node_modules/.bin/q; "
STARTS = ["npx q", "npm exec q", "npm exec -- q", "yarn q", "yarn run q", "pnpm q", "pnpm exec q", "bunx q", "npx -c q"]
PASSING = "cat > r.sh <<'E'\ngit \"$@\"\nE\n"


@each(
    "script",
    [
        *[INSTALLED + start for start in STARTS],
        f"mkdir -p node_modules/.bin; cd node_modules/.bin; {WRITTEN}q; chmod +x q; cd ../..; npx q",
        f"{WRITTEN}e; chmod +x e; find . -name e -exec {{}} \\;",
        f"{WRITTEN}e; chmod +x e; find . -type f -exec {{}} \\;",
        f"{WRITTEN}d/e; chmod +x d/e; find d -exec {{}} \\;",
        f"{WRITTEN}e; chmod +x e; ls e | xargs -I{{}} ./{{}}",
        f"{WRITTEN}e; chmod +x e; PATH=. e",
        f"{WRITTEN}e; chmod +x e; export PATH=.:$PATH; e",
        f"{WRITTEN}git-p; chmod +x git-p; PATH=.:$PATH git p",
        f"mkdir bin; {WRITTEN}bin/git-p; chmod +x bin/git-p; export PATH=$PWD/bin:$PATH; git p",
        f"{WRITTEN}git-p; chmod +x git-p; git --exec-path=. p",
        f"{PASSING}busybox sh r.sh push",
        f"{PASSING}env sh r.sh push",
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push; git p",
        "export GIT_CONFIG_COUNT=1; export GIT_CONFIG_VALUE_0=push; export GIT_CONFIG_KEY_0=alias.p; git p",
        "make C='git push' -f - <<< 'p:;$C'",
        "make 'C:=git push' -f - <<< 'p:;$(C)'",
        "make A=git B=push -f - <<< 'p:;$A ${B}'",
        "printf 'p:\\n\\t$(C)' > Makefile; make p C='git push'",
        "sqlite3 :memory: '.once |sh' \"select 'git push'\"",
        "sqlite3 :memory: '.output |sh' \"select 'git '||'push'\"",
        "sqlite3 <<< $'.once |sh\\nselect \"git push\";'",
        "psql <<< $'\\\\o |sh\\nselect \\'git push\\';'",
        "echo '0: 6769 7420 7075 7368' | xxd -r | sh",
        "echo '0: 676974207075 7368' > d; xxd -r d | sh",
    ],
)
def test_it_is_forbidden(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        f"{INSTALLED}npx tsc",
        f"{WRITTEN}e; ls e",
        f"{WRITTEN}deploy.sh; find . -name '*.txt' -exec {{}} \\;",
        f"{WRITTEN}deploy.sh; find . -name deploy.sh -exec chmod +x {{}} \\;",
        f"{WRITTEN}deploy.sh; export PATH=$PATH:/x; ls",
        f"{WRITTEN}git-p; git status",
        "sqlite3 :memory: '.once x.txt' \"select 'git push'\"",
        "sqlite3 :memory: \"select 'git push'\" | cat",
        f"{PASSING}env sh r.sh status",
    ],
)
def test_another_one_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"


@pytest.mark.skipif(shutil.which("xxd") is None, reason="needs xxd")
@each("dump", ["0: 6769 7420", "00000000: 6769 7420 70  git p\n00000005: 75", "0: 676974207075 7368\n", "", "\n0: 41"])
def test_a_dump_is_read_as_xxd_does(dump: str) -> None:
    ran = subprocess.run(["xxd", "-r"], input=dump.encode(), capture_output=True, check=True)
    assert xxd(["-r"], dump.encode(), "bash") == ran.stdout


@each("dump", ["4: 41", "0: 4", "0: 41\n9: 41", "x", "0: zz", "0: " + "41" * 17])
def test_what_else_it_reads_is_not_known(dump: str) -> None:
    assert xxd(["-r"], dump.encode(), "bash") is None
