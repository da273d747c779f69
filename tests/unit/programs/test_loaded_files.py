"""Files that a script writes and that a program loads on an order of its own: what they run counts for restricting."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.support.each import each
from tests.support.judging import decision

PROGRAMS = ("vim", "nvim", "ex", "vi", "gdb", "lldb", "printf", "mkdir", "echo")
RULES = (
    'prefix_rule(pattern=["git", "push"], decision="forbidden")\nprefix_rule(pattern=["rm"], decision="forbidden")\n'
    + 'write_rule(paths=["./**"])\n'
    + "".join([f'prefix_rule(pattern=["{program}"])\n' for program in PROGRAMS])
)
WRITTEN = "printf '!git push\\n' > "
VIM = [
    f"printf 'so b.vim\\n' > a.vim; {WRITTEN}b.vim; vim -es -S a.vim +q",
    f"printf 'so b.vim\\n' > a.vim; {WRITTEN}b.vim; vim -u a.vim +q",
    f"{WRITTEN}a.vim; vim -es -c 'source a.vim' +q",
    f"{WRITTEN}a.vim; vim -es -c 'noautocmd so a.vim' +q",
    f"{WRITTEN}a.vim; vim -es -c 'sil! so a.vim' +q",
    f"{WRITTEN}a.vim; vim -es -c 'argdo so a.vim' x +q",
    f"{WRITTEN}a.vim; vim -es -c 'e a.vim' -c 'so %' +q",
    f"{WRITTEN}a.vim; vim -es '+so%' a.vim +q",
    f"{WRITTEN}a.vim; vim -es -c 'exe \"so a.vim\"' +q",
    f"{WRITTEN}a.vim; vim --cmd 'so a.vim' +q",
    f"{WRITTEN}a.vim; VIMINIT='so a.vim' vim +q",
    f"{WRITTEN}a.vim; export VIMINIT='so a.vim'; vim +q",
    f"{WRITTEN}.exrc; vim --cmd 'set exrc' +q",
    f"{WRITTEN}~/.vimrc; vim +q",
    f"mkdir -p colors; {WRITTEN}colors/a.vim; vim --cmd 'set rtp+=.' -c 'colo a' +q",
    f"mkdir -p p/plugin; {WRITTEN}p/plugin/x.vim; vim --cmd 'set rtp+=p' +q",
    f"ex -sc 'so a.vim'; {WRITTEN}a.vim; ex -sc 'so a.vim'",
    f"{''.join([f'echo x > f{at}; ' for at in range(40)])}{WRITTEN}a.vim; vim -c 'so a.vim' +q",
    "VIMINIT='!git push' vim +q",
    "printf ':!git push\\r:q\\r' > k; vim -s k x",
    "printf 'ggdG:!git push\\r:q!\\r' > k; vim -s k x",
    "printf 'norm! :!git push\\r' > a.vim; vim -c 'so a.vim' +q",
    "printf 'call system(\"git \" . \"push\")\\n' > a.vim; vim -c 'so a.vim' +q",
    "printf 'os.execute(\"git push\")\\n' > a.lua; nvim -c 'luafile a.lua' +q",
    "vim -es '+norm! igit push' '+w !sh' +q!",
    "vim -es \"+put ='git push'\" '+w !bash' +q!",
    "vim -es '+call setline(1, \"git push\")' '+w !sh' +q!",
    "vim -es '+r !echo git push' '+w !sh' +q!",
]
DEBUGGERS = [
    "gdb -batch -ex 'r push' git",
    "gdb -batch -ex 'ru push' git",
    "gdb -batch -ex 'start push' git",
    "gdb -batch -ex 'file git' -ex 'r push'",
    "gdb -batch -ex 'exec-file git' -ex 'r push'",
    "gdb -batch -ex 'set args push' -ex r git",
    "gdb -batch -ex 'set args push' -ex r --args git",
    "gdb -batch -ex 'r push origin' --args git x",
    "gdb -batch -ex 'r $(git push >&2)' git",
    "gdb git <<< 'r push'",
    "printf 'r push\\n' > a.gdb; gdb -batch -x a.gdb git",
    "printf 'file git\\nset args push\\nr\\n' > a.gdb; gdb -batch -ex 'source a.gdb'",
    "printf 'file git\\nr push\\n' > a.gdb; gdb -batch --command=a.gdb",
]
UNSEEN = [  # where the program is not installed, or trusts no such file by itself
    "printf 'r push\\n' > .gdbinit; gdb git",
    "lldb -b -o 'run push' git",
    "lldb -b -o 'process launch -- push' git",
    "lldb -b -o 'settings set -- target.run-args push' -o run git",
    "lldb -b -o 'target create git' -o 'r push'",
    "printf 'file git\\nr push\\n' > l; lldb -s l",
    "printf 'r push\\n' > l; lldb -b -o 'command source l' git",
]


@each("script", [*VIM, *DEBUGGERS, *UNSEEN])
def test_it_is_forbidden(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        "vim -c 'e README.md' -c q",
        "printf '# git push\\n' > a.vim; vim -c 'so a.vim'",
        "printf '\" !git push\\n' > .vimrc; vim",
        "printf 'git push is next\\n' > n.txt; vim n.txt",
        "printf 'git push\\n' > deploy.sh; vim -c 'so a.vim'",
        "printf 'if (!rm) return;\\n' > a.c; vim -c 'syntax on' x.c",
        "printf 'Do not git push!\\n' > CONTRIBUTING.md; vim -c 'set rtp+=.' x",
        "vim -es '+%!sort' '+norm! igit push' +wq f",
        "vim '+norm! irm x' +wq f",
        "gdb -batch -ex r -ex bt ./a.out",
        "gdb -batch -ex 'r push' ./stack",
        "printf 'b push\\nr status\\n' > a.gdb; gdb -x a.gdb git",
        "gdb -batch -ex r --args git log",
        "lldb -o 'r log' git",
    ],
)
def test_what_is_only_edited_or_watched_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("vim") is None or shutil.which("gdb") is None, reason="needs vim and gdb")
def test_the_programs_run_it(tmp_path: Path) -> None:
    scripts = [one for one in (*VIM, *DEBUGGERS) if "nvim" not in one and "~" not in one]
    with ThreadPoolExecutor(8) as several:  # most of them wait
        said = several.map(lambda script: said_by_real_programs(script, tmp_path), scripts)
        assert [script for script, text in zip(scripts, said, strict=True) if "push" not in text] == []


def said_by_real_programs(script: str, tmp_path: Path) -> str:
    """What ``git`` was told where ``script`` really runs, or what gdb's git said."""
    work = Path(mkdtemp(dir=tmp_path))  # gdb looks for its program here
    stub, log = work / "git", work / "log"
    shutil.copy("/bin/echo", stub)  # gdb starts no script
    if "gdb" not in script:
        stub.unlink()
        stub.write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
        stub.chmod(0o755)
    environment = {"PATH": f"{work}:/usr/bin:/bin", "HOME": str(work), "TERM": "dumb"}
    ran = subprocess.run(
        ["timeout", "5", "bash", "-c", script],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return log.read_text() if log.exists() else ran.stdout + ran.stderr
