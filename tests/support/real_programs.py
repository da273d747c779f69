"""Real programs say what thousands of spellings of their command lines mean.

Each program runs in a scratch folder and is judged by what it did there, not by what its manual says. `python -m
tests.support.real_programs FOLDER` records the answers under `tests/data/meaning`, a JSON list for each spelling: the
words behind the program, and which of its patterns they turned out to mean (null: it refused them).
"""

from __future__ import annotations

import http.server
import json
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.command_shapes import QUIET, RECORDED, Shape
from tests.support.real_developer_tools import TOOLS
from tests.support.real_npm import Npm, npm_folder

if TYPE_CHECKING:
    from tests.support.command_shapes import Words

SPELLINGS = 700
MORE = ("git", "npm", "pip", "go", "terraform", "psql")
"""Programs that are asked three times as much: they have many sub-commands, or answer fast."""
OUTPUT = "printed"
"""The file in which the effect finds what the program printed."""

GIT_HEADS = ["", "-C .", "--no-pager", "-c x.y=z", "--git-dir .git", "--git-dir=.git", "-P"]
GIT_SHAPES = {
    "push": Shape(
        [f"{head} push" for head in GIT_HEADS],
        "--force|--delete|--force-with-lease|--no-force|--tags|--atomic|--no-verify|--all|--mirror|--prune|--quiet|-o x"
        "|-ox|-o -f|--push-option=-f|--push-option --force|--repo .|--receive-pack git-receive-pack|-f|-d|-u|--verbose"
        "|--follow-tags|--set-upstream|--signed=no|--recurse-submodules no|--recurse-submodules=no|--thin"
        "|--no-thin",
        "fuqv46",
        ["", "origin", "origin main", "origin +main", "origin :topic", "origin topic", "origin HEAD:main"]
        + ["origin +refs/heads/main:refs/heads/main", "origin main topic", "origin main :topic", "origin : "],
    ),
    "reset": Shape(
        [f"{head} reset" for head in GIT_HEADS],
        "--hard|--hard|--soft|--mixed|--keep|--quiet|-q|--no-hard|--intent-to-add|--no-recurse-submodules",
        "q",
        ["", "HEAD", "a", "HEAD a", "main"],
    ),
    "clean": Shape(
        [f"{head} clean" for head in GIT_HEADS],
        "--force|-d|-f|-q|--quiet|-e x|-ex|--exclude=f|--exclude -f|-e -fd|-n|--dry-run|-x|--no-force",
        "fdqx",
        ["", ".", "d", "u"],
    ),
    "branch": Shape(
        [f"{head} branch" for head in GIT_HEADS],
        "--delete|--force|-D|-D|-d|-f|--quiet|-q|--no-force|--verbose|--no-color|--list|-r",
        "Ddfqv",
        ["topic", "topic", "--", "new"],
    ),
    "checkout": Shape(
        [f"{head} checkout" for head in GIT_HEADS],
        "--force|-f|--quiet|-q|--ours|--no-force|--merge|--detach|--no-guess|--progress|--no-overlay",
        "fq",
        ["", ".", "-- .", "-- a", "a", "HEAD -- .", "HEAD .", "main"],
    ),
}
GIT_PATTERNS = ["push --force", "push --delete", "reset --hard", "clean -fd", "branch -D", "checkout --force"]
GIT_PATTERNS += ["checkout -- ."]


class Git:
    """git against a repository whose remote went on without it."""

    name = "git"
    patterns = GIT_PATTERNS

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        remote, other = str(folder / "remote.git"), str(folder / "other")
        for words in (["init", "-q", "--bare", "-b", "main", remote], ["init", "-q", "-b", "main", str(self.folder)]):
            subprocess.run(["git", *words], env=self.environment, check=True)
        (self.folder / "a").write_text("1")
        self._git("add", "a")
        self._git("commit", "-qm", "1")
        self._git("branch", "topic")
        self._git("remote", "add", "origin", remote)
        self._git("push", "-q", "origin", "main", "topic")
        subprocess.run(["git", "clone", "-q", remote, other], env=self.environment, check=True)
        for words in (["commit", "-q", "--allow-empty", "-m", "2"], ["push", "-q"]):
            subprocess.run(["git", "-C", other, *words], env=self.environment, check=True)
        self._git("config", "push.default", "current")
        self._git("branch", "--set-upstream-to=origin/main")
        self._git("commit", "-q", "--allow-empty", "-m", "3")
        self._git("checkout", "-q", "topic")
        self._git("commit", "-q", "--allow-empty", "-m", "4")
        self._git("checkout", "-q", "main")
        self.refs = {name: (self.folder / ".git/refs/heads" / name).read_text() for name in ("main", "topic")}
        self.index = (self.folder / ".git/index").read_bytes()

    def _git(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *words], cwd=self.folder, env=self.environment, check=False, **QUIET)

    def _restore(self) -> None:
        heads = self.folder / ".git/refs/heads"
        for name, text in self.refs.items():
            (heads / name).write_text(text)
        for path in heads.iterdir():
            if path.name not in self.refs:
                path.unlink()
        (self.folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (self.folder / ".git/index").write_bytes(self.index)
        (self.folder / "a").write_text("changed")
        (self.folder / "u").write_text("u")
        (self.folder / "d").mkdir(exist_ok=True)
        (self.folder / "d/x").write_text("x")

    def spelling(self, chance: random.Random) -> Words:
        return GIT_SHAPES[chance.choice(["push", "push", "push", *GIT_SHAPES])].spelling(chance)

    def meant(self, words: Words) -> Words:
        command = next(word for word in words if word in GIT_SHAPES)
        self._restore()
        if command == "push":
            at = words.index("push") + 1
            run = self._git(*words[:at], "--dry-run", "--porcelain", *words[at:])
            self.refused = run.returncode != 0
            flags = {line[0] for line in run.stdout.splitlines() if line[1:2] == "\t"}
            return ["push --force"] * ("+" in flags) + ["push --delete"] * ("-" in flags)
        self.refused = self._git(*words).returncode != 0
        lost = (self.folder / "a").read_text() != "changed"
        if command == "reset":
            return ["reset --hard"] * lost
        if command == "clean":
            gone = not (self.folder / "d").exists() and not (self.folder / "u").exists()
            return ["clean -fd"] * gone
        if command == "branch":
            return ["branch -D"] * (not (self.folder / ".git/refs/heads/topic").exists())
        whole = "." in words[words.index("checkout") :]
        return (["checkout -- ."] if whole else ["checkout --force"]) * (lost and "a" not in words)


class Rm:
    """rm over a folder, a file and a name that does not exist."""

    name = "rm"
    patterns = ("-rf", "-r", "-f")
    shape = Shape(
        [""],
        "--recursive|--force|-r|-f|-R|--verbose|-i|-I|--interactive=never|--interactive|--one-file-system"
        "|--preserve-root|--no-preserve-root|--dir|-d|-rf",
        "rRfvd",
        ["d missing", "d missing", "missing d", "missing d -- -rf"],
    )

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def spelling(self, chance: random.Random) -> Words:
        return self.shape.spelling(chance)

    def meant(self, words: Words) -> Words:
        (self.folder / "d").mkdir(exist_ok=True)
        (self.folder / "d/x").write_text("x")
        run = subprocess.run(["rm", *words], cwd=self.folder, check=False, **QUIET)
        self.refused = run.returncode != 0
        recursive = not (self.folder / "d").exists()
        force = not any(word in run.stderr for word in ("missing", "remove ", "descend", "Try", "abbreviate"))
        return ["-r"] * recursive + ["-f"] * force + ["-rf"] * (recursive and force)


class Tar:
    """tar over an archive with one file."""

    name = "tar"
    patterns = ("-x", "--to-command", "-c", "--remove-files", "-t")
    shape = Shape(
        [
            "",
            "",
            "xf a.tar",
            "cf b.tar",
            "tf a.tar",
            "fx a.tar",
            "xvf a.tar",
            "xCf out a.tar",
            "cvfC b.tar .",
            "vtf a.tar",
        ]
        + ["fc b.tar", "ft a.tar", "cfb b.tar 20"],
        "-x -f a.tar|--extract --file=a.tar|--get -fa.tar|-xf a.tar|-xvfa.tar|-c -f b.tar|--create --file b.tar"
        "|-cvf b.tar|-t -f a.tar|--list --file a.tar|--to-command cat|--to-command=cat|--remove-files|--verbose"
        "|-C out|--directory=out|--directory out|--overwrite|-k|--exclude -x|--exclude=-c|-X none|--no-recursion"
        "|--checkpoint=9|--transform s,x,y,|--numeric-owner|--owner x|--mode 600",
        "vpkm",
        ["", "f", "f", "-- f"],
    )

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "none").write_text("")
        self._fresh()
        subprocess.run(["tar", "cf", "kept.tar", "f"], cwd=folder, check=True)

    def _fresh(self) -> None:
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "out").mkdir()
        (self.folder / "f").write_text("old")
        os.utime(self.folder / "f", (1, 1))
        (self.folder / "b.tar").unlink(missing_ok=True)

    def spelling(self, chance: random.Random) -> Words:
        return self.shape.spelling(chance)

    def meant(self, words: Words) -> Words:
        self._fresh()
        shutil.copy(self.folder / "kept.tar", self.folder / "a.tar")
        (self.folder / "f").write_text("new")
        run = subprocess.run(["tar", *words], cwd=self.folder, check=False, **QUIET)
        self.refused = run.returncode != 0
        file = self.folder / "f"
        created = (self.folder / "b.tar").exists() and (self.folder / "b.tar").stat().st_size > 0
        piped = run.returncode == 0 and "old" in run.stdout
        extracted = (self.folder / "out/f").exists() or (file.exists() and file.read_text() == "old") or piped
        listed = run.returncode == 0 and not created and not extracted and "f" in run.stdout.split()
        found = ["-x"] * extracted + ["--to-command"] * piped + ["-c"] * created + ["-t"] * listed
        return found + ["--remove-files"] * (created and not file.exists())


class Curl:
    """curl against a server that notes what it was asked."""

    name = "curl"
    patterns = ("-X POST", "-d", "-T", "-o", "-H", "-u")
    shape = Shape(
        [""],
        "-X POST|-XPOST|--request POST|--request=POST|-X GET|--request PUT|-d x|-dx|--data x|--data-raw x|--json x"
        "|--data-binary x|--data-urlencode x|--data-ascii x|-T f|-Tf|--upload-file f|-o out|-oout|--output out"
        "|-H X-A:1|-HX-A:1|--header X-A:1|-u a:b|-ua:b|--user a:b|-A -XPOST|--user-agent -d|-e -o|-m 5|--max-time 5"
        "|--compressed|--silent|-G|--get|-w x|--retry 1|--url-query a=b|--no-progress-meter|--fail",
        "sSfvikgN",
        ["URL", "URL", "--url URL"],
    )

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "f").write_text("sent by T")
        self.seen: list[tuple[str, dict[str, str]]] = []
        noted = self.seen

        class Noting(http.server.BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if self.raw_requestline and self.parse_request():
                    noted.append((self.command, dict(self.headers)))
                    self.send_response(200)
                    self.send_header("Content-Length", "1")
                    self.end_headers()
                    self.wfile.write(b"y")
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Noting)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spelling(self, chance: random.Random) -> Words:
        return self.shape.spelling(chance)

    def meant(self, words: Words) -> Words:
        out = self.folder / "out"
        out.unlink(missing_ok=True)
        self.seen.clear()
        url = f"http://127.0.0.1:{self.server.server_port}/"
        run = subprocess.run(
            ["curl", *[url if word == "URL" else word for word in words]], cwd=self.folder, check=False, **QUIET
        )
        self.refused = run.returncode != 0
        if not self.seen:
            return []
        method, headers = self.seen[0]
        body = int(headers.get("Content-Length", "0"))
        sent = "-T" if body == 9 or "Expect" in headers else "-d"
        found = ["-X POST"] * (method == "POST" and not (sent == "-d" and body)) + [sent] * (body > 0)
        found += ["-o"] * out.exists() + ["-H"] * ("X-A" in headers) + ["-u"] * ("Authorization" in headers)
        return found


class Coreutils:
    """chmod, cp, rsync, make and others over files of a scratch folder."""

    def __init__(
        self, name: str, patterns: Words, shape: Shape, files: dict[str, str], meant: Callable[[Path], Words]
    ) -> None:
        self.name = name
        self.patterns = patterns
        self.shape = shape
        self.files = files
        self.effect = meant

    def at(self, folder: Path) -> Coreutils:
        self.folder = folder
        return self

    def spelling(self, chance: random.Random) -> Words:
        return self.shape.spelling(chance)

    def meant(self, words: Words) -> Words:
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, text in self.files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o600)
        run = subprocess.run([self.name, *words], cwd=self.folder, check=False, **QUIET)
        self.refused = run.returncode != 0
        (self.folder / OUTPUT).write_text(run.stdout)
        return self.effect(self.folder)


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777 if path.exists() else 0


SMALL = [
    Coreutils(
        "chmod",
        ["-R 777"],
        Shape(
            [""],
            "--recursive|-R|--verbose|--changes|--quiet|--silent|--no-preserve-root|-v|-f",
            "Rvcf",
            ["777 d", "777 d", "700 d", "-- 777 d"],
        ),
        {"d/x": "x", "d/y": "x"},
        lambda folder: ["-R 777"] * (_mode(folder / "d/x") == 0o777 and _mode(folder / "d/y") == 0o777),
    ),
    Coreutils(
        "sed",
        ["-i"],
        Shape(
            [""],
            "--in-place|-i|-i.b|--in-place=.b|-n|--quiet|-E|-r|--regexp-extended|-s|--separate|-z|-u|--posix|-l 5"
            "|--debug|--line-length=5",
            "nErsuz",
            [
                "s,x,y, f",
                "-e s,x,y, f",
                "-es,x,y, f",
                "--expression=s,x,y, f",
                "--expression s,x,y, f",
                "-e s,-i,y,;s,x,y, f",
            ],
        ),
        {"f": "x\n"},
        lambda folder: ["-i"] * ((folder / "f").read_text() != "x\n"),
    ),
    Coreutils(
        "cp",
        ["-r"],
        Shape(
            [""],
            "--recursive|-r|-R|-a|--archive|--force|--verbose|-v|-p|--backup=none|--preserve=mode|--no-clobber|-S x"
            "|--suffix=x|-S -r|--reflink=auto",
            "rRafvpd",
            [
                "d out/",
                "d -t out",
                "-t out d",
                "-tout d",
                "--target-directory=out d",
                "--target-directory out d",
                "f out",
            ],
        ),
        {"d/x": "x", "out/z": "z", "f": "f"},
        lambda folder: ["-r"] * (folder / "out/d/x").exists(),
    ),
    Coreutils(
        "find",
        ["-delete", "-exec"],
        Shape(
            [".", "d", "-H .", ""],
            "-delete|-name x|-name -delete|-type f|-exec truncate -s0 {} ;|-exec truncate -s0 {} +"
            "|-print|-maxdepth 3|-depth|-path d/x"
            "|-not -name y|-newer f",
            "",
            [""],
        ),
        {"d/x": "x", "d/y": "x", "f": "f"},
        lambda folder: (
            ["-delete"] * (not (folder / "d/x").exists())
            + ["-exec"] * any(path.is_file() and not path.read_text() for path in folder.rglob("*"))
        ),
    ),
    Coreutils(
        "mv",
        ["-b"],
        Shape(
            [""],
            "--force|-f|--no-clobber|-n|--backup|--backup=simple|-b|--verbose|-v|-u|--update|-T|--no-target-directory"
            "|--suffix=.o|-S .o|-S.o|-S -n|--strip-trailing-slashes",
            "fnbvuT",
            ["f g", "f g", "f g", "-- f g"],
        ),
        {"f": "f", "g": "g"},
        lambda folder: ["-b"] * _kept(folder),
    ),
    Coreutils(
        "ln",
        ["-s", "-f"],
        Shape(
            [""],
            "--symbolic|-s|--force|-f|--backup|-b|-v|--verbose|-n|--no-dereference|-r|-T|-S .o|-S -s|--suffix=x|-L|-P"
            "|--logical|--physical|-t out|--target-directory=out|-tout",
            "sfnvbrTLP",
            ["f g", "f g", "f h", "-- f g"],
        ),
        {"f": "f", "g": "g", "out/z": "z"},
        lambda folder: (
            ["-s"] * any(path.is_symlink() for path in folder.rglob("*"))
            + ["-f"] * ((folder / "g").read_text() == "f" and not _kept(folder))
        ),
    ),
    Coreutils(
        "mkdir",
        ["-p", "-m 711"],
        Shape(
            [""],
            "--parents|-p|--verbose|-v|-m 711|-m711|--mode=711|--mode 711|-m -p|-Z",
            "pv",
            ["a/b", "a/b", "c", "-- a/b"],
        ),
        {"f": "f"},
        lambda folder: (
            ["-p"] * (folder / "a/b").exists()
            + ["-m 711"] * any(_mode(folder / name) == 0o711 for name in ("a/b", "c"))
        ),
    ),
    Coreutils(
        "chown",
        ["-R"],
        Shape(
            [""],
            "--recursive|-R|--verbose|-v|-c|--changes|-f|--quiet|-h|--no-dereference|--from=0|--from 0"
            "|--from -R|-H|-L|-P"
            "|--preserve-root",
            "RvcfhHLP",
            ["7 d", "7 d", "-- 7 d", "--reference=o d", "--reference o d", "7 d -- -R"],
        ),
        {"d/x": "x", "o": "o"},
        lambda folder: ["-R"] * ((folder / "d/x").exists() and (folder / "d/x").stat().st_uid == 7),
    ),
    Coreutils(
        "rsync",
        ["-r", "--delete", "--remove-source-files"],
        Shape(
            [""],
            "--recursive|-r|-a|--archive|--delete|--del|--delete-after|--delete-excluded|--delete-before"
            "|--delete-during"
            "|--remove-source-files|--verbose|-v|--dry-run|-n|-z|--exclude y|--exclude=y|--exclude --delete"
            "|-f -_y|-e -n"
            "|-B 700|-B700|--inplace|--checksum|-c|--max-size 9k|--bwlimit=9|--no-r|--no-dry-run|-T out|--timeout=9|-P",
            "ravnztpulc",
            ["d/ out/", "d/ out/", "-- d/ out/", "d/ out"],
        ),
        {"d/x": "x", "d/y": "y", "d/e": "e", "out/z": "z"},
        lambda folder: (
            ["-r"] * (folder / "out/x").exists()
            + ["--delete"] * (not (folder / "out/z").exists())
            + ["--remove-source-files"] * (not (folder / "d/x").exists())
        ),
    ),
    Coreutils(
        "make",
        ["-f", "-C", "-n", "-B"],
        Shape(
            [""],
            "--file=other|--file other|--makefile=other|-f other|-fother|-C d|-Cd|--directory=d"
            "|--directory d|-n|--dry-run"
            "|--just-print|--recon|-s|--silent|-k|-j 2|-j2|--jobs=2|-B|--always-make|-I -n|-I d|--include-dir=d|-o -f"
            "|-W x|--no-print-directory|--debug=n|-l 5|X=-n|--trace|-i|-S|-w",
            "nskBiwrR",
            ["", "all", "all", "-- all"],
        ),
        {
            "Makefile": "all: old\n\techo 1 >first\nold: ;echo 3 >third\n",
            "other": "all:\n\techo 1 >second\n",
            "d/Makefile": "all:\n\techo 1 >inside\n",
            "d/other": "all:\n\techo 1 >second\n",
            "old": "",
        },
        lambda folder: (
            ["-f"] * any(folder.rglob("second"))
            + ["-C"] * ((folder / "d/inside").exists() or (folder / "d/second").exists())
            + ["-B"] * (folder / "third").exists()
            + ["-n"]
            * (not any(folder.rglob("first")) and "echo" in (folder / OUTPUT).read_text() and not _made(folder))
        ),
    ),
    Coreutils(
        "grep",
        ["-r", "-o", "-v", "-l"],
        Shape(
            [""],
            "--recursive|-r|-R|--only-matching|-o|--invert-match|-v|--files-with-matches|-l|-n"
            "|--line-number|-i|-A 1|-A1"
            "|--after-context=1|-m 5|--max-count 5|-e -v|--regexp=x|-E|-F|--color=never|-s|--include=x"
            "|--exclude -o|-H|-h",
            "rovlniEFsHh",
            ["abc d", "abc f", "abc f", "-- abc d", "-eabc d"],
        ),
        {"d/x": "1abc\nnone\n", "f": "2abc\nnone\n"},
        lambda folder: _of_grep((folder / OUTPUT).read_text()),
    ),
    Coreutils(
        "ssh",
        ["-o ProxyCommand", "-p 7", "-l me", "-A", "-L 9:a:9", "-N"],
        Shape(
            ["-G", "-G", "-vG", "-4G"],
            "-o ProxyCommand=x|-oProxyCommand=x|-o proxycommand=x|-oPROXYCOMMAND=x|-p 7|-p7|-l me|-lme|-A"
            "|-a|-v|-q|-T|-N"
            "|-L 9:a:9|-L9:a:9|-o User=-A|-l -A|-C|-e none|-b 1|-m hmac-sha2-256|-o ForwardAgent=yes"
            "|-o Port=7|-i -N|-I -A",
            "AvqTNCgkXx4",
            ["h", "h", "h ls", "h ls -A", "-- h", "h -A"],
        ),
        {"f": "f"},
        lambda folder: _of_ssh((folder / OUTPUT).read_text()),
    ),
]


def _kept(folder: Path) -> bool:
    """Whether what stood in ``g`` is somewhere else now."""
    return any(path.is_file() and path.read_text() == "g" for path in folder.iterdir() if path.name not in ("f", "g"))


def _made(folder: Path) -> bool:
    return any((folder / name).exists() for name in ("third", "second", "d/second", "d/inside"))


def _of_grep(text: str) -> Words:
    lines = text.splitlines()
    said = [line.rpartition(":")[2] for line in lines]
    return (
        ["-o"] * (bool(said) and set(said) == {"abc"})
        + ["-v"] * ("none" in said and "abc" not in text)
        + ["-l"] * (bool(said) and set(said) in ({"d/x"}, {"f"}))
        + ["-r"] * ("1abc" in text or "d/x" in text)
    )


def _of_ssh(text: str) -> Words:
    lines = text.splitlines()
    return (
        ["-o ProxyCommand"] * ("proxycommand x" in lines)
        + ["-p 7"] * ("port 7" in lines)
        + ["-l me"] * ("user me" in lines)
        + ["-A"] * ("forwardagent yes" in lines)
        + ["-L 9:a:9"] * ("localforward 9 [a]:9" in lines)
        + ["-N"] * ("sessiontype none" in lines)
    )


def npm_names() -> dict[str, str]:
    """Every name and abbreviation that npm takes for a command, to the command."""
    text = """
const { commands, aliases, deref } = require(process.argv[1])
const found = {}
for (const name of [...commands, ...Object.keys(aliases)])
  for (let n = 1; n <= name.length; n++) { const c = deref(name.slice(0, n)); if (c) found[name.slice(0, n)] = c }
console.log(JSON.stringify(found))
"""
    run = subprocess.run(["node", "-e", text, f"{npm_folder()}/lib/utils/cmd-list.js"], check=True, **QUIET)
    names: dict[str, str] = json.loads(run.stdout)
    return names


def record(folder: Path) -> None:
    """Ask every program, each in a new folder below ``folder``."""
    wanted = set(sys.argv[2:])
    programs: dict[str, Callable[[Path], Any]] = {"git": Git, "rm": Rm, "tar": Tar, "curl": Curl}
    programs |= {one.name: one.at for one in SMALL}
    programs |= {one.name: one for one in (*TOOLS, Npm)}
    for name, start in programs.items():
        if wanted and name not in wanted:
            continue
        place = folder / name
        place.mkdir(parents=True)
        program = start(place)
        chance = random.Random(name)
        lines = []
        for _ in range(SPELLINGS * (3 if name in MORE else 1)):
            words = program.spelling(chance)
            meant = program.meant(words)
            lines.append(json.dumps([" ".join(words), None if program.refused and not meant else meant]))
        (RECORDED / f"{name}.jsonl").write_text("\n".join(sorted(set(lines))) + "\n")
    if not wanted or "npm" in wanted:
        (RECORDED / "npm.json").write_text(json.dumps(npm_names(), indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    record(Path(sys.argv[1]))
