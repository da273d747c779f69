"""Where attacks are run: inside bubblewrap, each script in a folder of its own that is full of bait.

The only programs are stubs that record their argv (``evil`` and the letters ``A`` to ``D``), one that obeys a file of
its folder (``O``), one that has a pager (``P``), and real programs: those that the built-in entries speak for, and some
that run what their words say. A script that is allowed must leave no trace in :class:`Trace`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from execpolicy.core.text import word_set
from execpolicy.judge.situation import Situation
from tests.support.running import run_captured

SHELLS = {
    "bash": ["bash", "-c"],
    "sh": ["dash", "-c"],
    "dash": ["dash", "-c"],
    "zsh": ["zsh", "-f", "-c"],
    "ksh": ["mksh", "-c"],
    "busybox": ["busybox", "ash", "-c"],
    "posix-bash": ["bash", "--posix", "-c"],
    "sh-mksh": ["mksh", "-c"],
    "ksh93": ["ksh93", "-c"],
    "sh-zsh": ["zsh", "--emulate", "sh", "-f", "-c"],
    "applets": ["busybox", "ash", "-c"],
}
"""The command that runs a script, by the name of the reading that is attacked."""
READINGS = {"busybox": "sh", "applets": "sh", "posix-bash": "sh", "sh-mksh": "sh", "sh-zsh": "sh", "ksh93": "ksh"}
"""The ``--shell`` that a script for such a shell is judged with, where it is not the name itself."""
SECRET = "tOpSeCrEt-4711"
"""Stands in every secret of the folder and of the environment: no output of an allowed script may hold it."""
IN_ENVIRONMENT = SECRET + "-eNv"
"""What secrets of the environment hold, so that an attack that may find files can look for them."""
HIDDEN = "hIdDeN-0815"
"""Stands in front of a secret in the home folder, so that an attack can look for no other."""
TIMEOUT = 2.0
"""Seconds after which a script is given up."""
_LONGEST_ARGUMENT = 128 * 1024
"""Bytes of one argument, the byte that ends it included, that Linux refuses."""
_STUB = '#!/bin/dash\nprintf \'%s\\0\' "$(($#+{count}))" {name} "$@" >> "{log}"\n'
"""It names the log itself and uses builtins only, so that no environment keeps it from recording."""
_OBEDIENT = """\
#!/bin/dash
d=$(pwd -P)
while :; do
    if [ -e "$d/.obeyed" ]; then exec "{root}/bin/evil" obeyed; fi
    if [ -z "$d" ]; then exit; fi
    d=${{d%/*}}
done
"""
"""Runs a program where a file of the folder, or of one above it, says so."""
_PAGING = """\
#!/bin/dash
if [ -t 1 ]; then exec "{root}/bin/evil" paged; fi
"""
"""Runs a program where its output is a terminal."""
_LOCALES = ("zh_CN.GBK", "zh_TW.BIG5", "tr_TR.ISO-8859-9")
"""Locales in which text is read otherwise; made with ``localedef`` where that and its sources are installed."""
STUBS = ("evil", "A", "B", "C", "D")
REAL = word_set(
    "awk base64 basename cat comm cut date diff dirname du echo env expr false "
    "file find flock fold git grep gawk head id jq ls nice nl nohup od "
    "paste pr printf pwd readlink realpath rev rg sed seq sort stat stdbuf tac "
    "tail tee test timeout tr tree true uname uniq wc which xargs bash sh "
    "dash zsh mksh ksh93 busybox mkdir cp rm mv ln touch chmod kill sleep ps printenv rgrep sha256sum shuf hexdump"
)
"""The programs that a script finds beside the stubs, where they are installed."""
CARRYING = word_set(
    "perl python3 node make sqlite3 m4 ed tclsh vim vi ex dc bc gdb tar zip cmake ninja script ssh man less groff "
    "split strace unshare setpriv capsh runuser expect lua ruby php guile patch openssl base32 basenc xxd gzip fmt "
    "column red numfmt join cpio ssh-keygen mawk yq cargo tmux install dd ionice chrt taskset setsid"
)
"""Programs that run what their words say, or put text together: for attacks on what is forbidden."""


class Trace(NamedTuple):
    """What one script did.

    Attributes:
        argvs: of the stubs that ran.
        changed: paths below the folder that appeared, went or changed, the log apart.
        output: what it printed on both streams, at most 64 KB.
        finished: it ended by itself, or when nobody read it any more: so end ``tail -f`` and ``yes``.
    """

    argvs: list[list[str]]
    changed: list[str]
    output: str
    finished: bool


class Arena:
    """One sandbox with a driver in it that runs script after script. Use as a context manager."""

    def __init__(self) -> None:
        self._files = tempfile.TemporaryDirectory(prefix="arena-")
        self.root = Path(self._files.name)
        _furnish(self.root)
        self.place = Situation(str(self.root / "template"), home=str(self.root / "home"), real_path=os.path.realpath)

    def __enter__(self) -> Arena:
        driver = Path(__file__).with_name("driver.py")
        root = str(self.root)
        self._process = subprocess.Popen(
            [
                *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
                # the checkout and the interpreter may lie below /tmp
                *("--ro-bind", sys.base_prefix, sys.base_prefix, "--ro-bind", str(driver), str(driver)),
                *("--bind", root, root, "--unshare-net", "--unshare-pid", "--die-with-parent", "--chdir", root),
                *(os.path.realpath(sys.executable), "-I", "-S", str(driver), root),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._files.cleanup()

    def run(self, script: str, shell: str = "bash", *, terminal: bool = False) -> Trace:
        """What ``script`` does under ``shell``, one of :data:`SHELLS`, perhaps on a terminal.

        What no argument can hold (a NUL, half a pair of surrogates, too many characters) is the shell's input.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        by_input = not _is_argument(script)
        request = {
            "argv": SHELLS[shell][:-1] if by_input else [*SHELLS[shell], script, shell],
            "by_input": script if by_input else "",
            "timeout": TIMEOUT,
            "terminal": terminal,
            "applets": shell == "applets",
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the arena went down over {script!r}")
        return Trace(**json.loads(answer))


def _is_argument(text: str) -> bool:
    try:
        return "\0" not in text and len(os.fsencode(text)) < _LONGEST_ARGUMENT
    except UnicodeEncodeError:
        return False


def available(shells: Sequence[str]) -> list[str]:
    """Those of ``shells`` whose program is installed."""
    return [shell for shell in shells if shutil.which(SHELLS[shell][0])]


def _furnish(root: Path) -> None:
    """Programs, a home and the folder that every script gets a copy of."""
    programs = root / "bin"
    programs.mkdir()
    for name in STUBS:
        (programs / name).write_text(_STUB.format(count=1, name=name, log=root / "log"))
        (programs / name).chmod(0o755)
    (programs / "O").write_text(_OBEDIENT.format(root=root))
    (programs / "O").chmod(0o755)
    (programs / "P").write_text(_PAGING.format(root=root))
    (programs / "P").chmod(0o755)
    for name in (*REAL, *CARRYING):
        found = shutil.which(name, path="/usr/bin:/bin:/usr/sbin")
        if found:
            (programs / name).symlink_to(found)
    _link_applets(root)
    template = root / "template"
    template.mkdir()
    for name, text in BAIT.items():
        path = template / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in PROGRAMS:
        path = template / name
        known = "A" if name == "run.sh" else "evil"
        path.write_text(_STUB.format(count=2, name=f"{known} {name}", log=root / "log"))
        path.chmod(0o755)
    (template / "out").mkdir()
    (template / "link").symlink_to("sub")
    (template / "out" / "away").symlink_to("../sub")
    for name in ("ring", "out/ring"):
        (template / name).symlink_to("./ring")
    _make_locales(root / "locales")
    home = root / "home"
    (home / ".ssh").mkdir(parents=True)
    for name in ("id_rsa", "config"):  # only the folder says that the second is a secret
        (home / ".ssh" / name).write_text(f"{HIDDEN} {SECRET}\n")
    environment = {**os.environ, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    for words in (
        ("init", "-q", "--template="),
        ("add", "a.txt"),
        ("-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "one"),
        ("update-ref", "refs/tags/--output=owned", "HEAD"),
    ):
        run_captured(["git", *words], cwd=template, env=environment, check=True)


def _link_applets(root: Path) -> None:
    """A folder with those of the programs that busybox is, too."""
    folder = root / "applets"
    folder.mkdir()
    busybox = root / "bin" / "busybox"
    if busybox.exists():
        known = set(run_captured([str(busybox), "--list"], check=True).stdout.split())
        for name in known.intersection(REAL):
            (folder / name).symlink_to(busybox.resolve())


def _make_locales(folder: Path) -> None:
    folder.mkdir()
    usual = Path("/usr/lib/locale/C.utf8")
    if usual.exists():
        (folder / "C.utf8").symlink_to(usual)
    if shutil.which("localedef"):
        for name in _LOCALES:
            language, _, charset = name.partition(".")
            words = ["localedef", "-f", charset, "-i", language, str(folder / name)]
            run_captured(words)


BAIT = {
    "a.txt": "one\ntwo\nthree\n",
    "b.txt": "1\n2\n3\n",
    "n.txt": "3\n",
    "f": "a[$(evil)]\n",
    "g": "($(evil))\n",
    "opts.txt": "--pre=evil\n-e1e evil\n",
    "cmd.txt": "evil from file\n",
    "-n": "x\n",
    "-e1e evil": "x\n",
    "--compress-program=evil": "x\n",
    "-oout2": "x\n",
    "x y": "blank\n",
    "a[$(evil)]": "x\n",
    "bad": "x\n",
    "a.txt -oowned b.txt": "x\n",
    "a.txt -e1eevil b.txt": "x\n",
    "a.txt --pre=evil b.txt": "x\n",
    "a.txt owned.txt": "x\n",
    "revs": "--output=owned\nHEAD\n",
    "sub/out/keep": "x\n",
    "sub/c.txt": "c\n",
    "sub/a.txt": "sub\n",
    "sub/.obeyed": "evil\n",
    ".env": f"TOKEN={SECRET}\n",
    "sub/.env": f"TOKEN={SECRET}\n",
}
"""The files of the folder: some are named like options, some hold what a careless reading would run."""
PROGRAMS = ("run.sh", "ls", "cat", "A", "sub/run.sh", "sub/A", "evil.sh")
"""Programs of the folder: a rule allows ``./run.sh``, and nothing may run one of the others."""
