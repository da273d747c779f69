"""Run corpus entries in a throw-away repository and record what they did to it.

Usage: ``python benchmarks/verify_corpora.py FILE.jsonl [--write] [--jobs N]``

Every entry runs in a fresh copy of a small git repository, without network, with its own ``HOME``; as another user when
the caller is root. Files are compared before and after: ``+`` created, ``-`` removed, ``~`` changed (content, kind or
mode; for the times see ``touched``). With ``--write`` the fields ``verified`` and ``verified_effect`` (bypass) or
``verified_no_fs_change`` (benign) are stored in the file. The entries of the bypass corpus do harm on purpose: run this
in a container or another machine that can be lost.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import stat
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

NOBODY = 65534
TIMEOUT = 10.0

SETUP = r"""
set -e
umask 022
mkdir -p cur home lib
cd cur
export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'
git init -q -b main .
git config user.name Test; git config user.email test@example.com; git config commit.gpgsign false
printf 'one\ntwo\nthree\n' > a.txt
printf 'one\n2\nthree\nfour\n' > b.txt
seq 1 200 > nums.txt
printf 'victim\n' > victim.txt
printf '# Readme\n\nfn main, TODO: nothing\n' > README.md
printf '{"name": "demo", "version": "1.2.3", "scripts": {"test": "true"}, "dependencies": {}}\n' > package.json
printf '{"name": "demo", "version": "1.2.3", "lockfileVersion": 3, "packages": ' > package-lock.json
printf '{"": {"name": "demo", "version": "1.2.3"}}}\n' >> package-lock.json
printf '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n' > Cargo.toml
printf 'version = 3\n\n[[package]]\nname = "demo"\nversion = "0.1.0"\n' > Cargo.lock
printf 'module example.com/demo\n\ngo 1.19\n' > go.mod
printf 'all: build\n\nbuild:\n\t@echo building\n' > Makefile
printf '2024-01-01 INFO start\n2024-01-01 ERROR boom\n2024-01-02 INFO end\n' > app.log
printf 'name,qty,price\napple,3,1.5\npear,5,2.0\n' > data.csv
mkdir -p src docs victim tests
printf 'fn main() {\n    println!("hi"); // TODO: more\n}\n' > src/main.rs
printf 'import os\n\n\ndef f(x):\n    return x  # FIXME\n\n\nprint(f(1))\n' > src/x.py
printf 'readme of docs\n' > docs/readme.md
printf '# Guide\n\nSee `x`.\n' > docs/guide.md
printf 'from src import x\n' > tests/test_x.py
printf 'f\n' > victim/f.txt
printf 'touch PWNED\n' > cmds.txt
printf '1e touch PWNED\n' > prog.sed
printf 'BEGIN { system("touch PWNED") }\n' > prog.awk
printf 'a[$(touch PWNED)]\n' > payload.txt
printf 'touch PWNED\n' > evil.sh
printf '#!/bin/sh\n: > "${PWNED_AT:-PWNED}"\n' > evil; chmod +x evil
sed 's/: >/exec touch/' evil > ls; cp ls cat; chmod +x ls cat
printf -- '--pre=./evil\n' > rgrc
printf 'dG91Y2ggUFdORUQK\n' > p.b64
mkdir pathbin; for n in ls cat sort git gzip grep rg wc date sed jq; do
  printf '#!/bin/sh\nexec /usr/bin/touch PWNED\n' > pathbin/$n; chmod +x pathbin/$n; done
gzip -nc a.txt > a.txt.gz
mkdir optdir; printf 'b\na\n' > optdir/x.txt; : > optdir/-oout.txt
mkdir deldir; : > deldir/-delete
cat > .gitignore <<'EOF'
/optdir
/deldir
/pathbin
/*repo
/planted
/gd.git
/evilhome
target
EOF
git add README.md a.txt nums.txt victim.txt src docs tests package.json .gitignore >/dev/null
git commit -q -m 'first commit'
printf 'one\n' > b0.txt; git add b0.txt; git rm -q --cached b0.txt; rm b0.txt
git add b.txt evil; git commit -q -m 'second' --allow-empty
git tag v1.0 HEAD~1
git branch topic; git branch doomed
printf 'change\n' >> b.txt
git remote add origin ../home/origin.git
mkrepo() { # name key value: a repository whose own configuration runs ./evil
  git init -q -b main "$1"
  ( cd "$1"; git config user.name T; git config user.email t@example.com
    printf 'x\n' > f.txt; cp ../evil .; printf '%s' "${4:-}" > .gitattributes
    git add .; git commit -q -m one; printf 'y\n' > f.txt; git commit -q -am two; printf 'z\n' > f.txt
    git config "$2" "$3" )
}
mkrepo extrepo diff.external "$PWD/evil"
mkrepo tcrepo diff.bin.textconv "$PWD/evil" '*.txt diff=bin
'
mkrepo fsrepo core.fsmonitor "$PWD/evil"
mkdir evilhome; printf '[diff]\n\texternal = %s/evil\n' "$PWD" > evilhome/.gitconfig
git init -q --bare ../home/origin.git
git push -q origin main 2>/dev/null
git status >/dev/null
"""


def snapshot(root: Path) -> dict[str, tuple[str, int, str]]:
    """Every path below ``root`` (git's index apart) with its kind, mode and content."""
    seen: dict[str, tuple[str, int, str]] = {}
    for folder, names, files in os.walk(root):
        for name in names + files:
            path = Path(folder, name)
            key = str(path.relative_to(root))
            if key.endswith(".git/index"):
                continue
            info = path.lstat()
            if stat.S_ISLNK(info.st_mode):
                content = str(path.readlink())
            elif stat.S_ISREG(info.st_mode):
                content = f"{hashlib.sha256(path.read_bytes()).hexdigest()} {info.st_mtime_ns}"
            else:
                content = ""
            seen[key] = (stat.filemode(info.st_mode)[0], stat.S_IMODE(info.st_mode), content)
    return seen


def changes(before: dict[str, tuple[str, int, str]], after: dict[str, tuple[str, int, str]]) -> list[str]:
    """What differs, ``cur/`` left out of the names: ``+created``, ``-removed``, ``~changed``."""
    found = []
    for key in sorted(before.keys() | after.keys()):
        shown = key.removeprefix("cur/") + ("/" if (after.get(key) or before[key])[0] == "d" else "")
        if key not in before:
            found.append("+" + shown)
        elif key not in after:
            found.append("-" + shown)
        elif before[key] != after[key]:
            found.append("~" + shown)
    return found


def prepare(base: Path) -> Path:
    """The template, made once."""
    template = base / "template"
    template.mkdir()
    subprocess.run(
        ["bash", "-c", SETUP], cwd=template, check=True, env={"PATH": "/usr/bin:/bin", "HOME": str(template / "home")}
    )
    return template


def run_entry(base: Path, number: int, script: str, shell: str) -> tuple[list[str], int | None]:
    """Run one script; return the changes and the exit status (``None`` when it was stopped)."""
    root = base / f"run{number}"
    subprocess.run(["cp", "-a", str(base / "template"), str(root)], check=True)
    if os.geteuid() == 0:
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(root)], check=True)
    before = snapshot(root)
    argv = [shell, "-c", script]
    if os.geteuid() == 0:
        argv = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *argv]
        argv = ["unshare", "--net", "--pid", "--fork", "--kill-child", *argv]
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": str(root / "home"),
        "LANG": "C.UTF-8",
        "USER": "nobody",
        "TMPDIR": str(root / "tmp"),
    }
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o777)
    before = snapshot(root)
    status: int | None
    try:
        done = subprocess.run(
            argv,
            cwd=root / "cur",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
            check=False,
        )
        status = done.returncode
        output = done.stdout
    except subprocess.TimeoutExpired as stopped:
        status = None
        output = stopped.stdout or b""
    effect = changes(before, snapshot(root))
    if os.environ.get("SHOW_OUTPUT"):
        print(f"--- {script!r} -> {status} {effect}\n{output[-1500:].decode(errors='replace')}")
    shutil.rmtree(root, ignore_errors=True)
    return effect, status


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="corpora-"))
    base.chmod(0o755)
    try:
        prepare(base)
        for file in options.files:
            entries = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
            with ThreadPoolExecutor(options.jobs) as pool:
                results = list(
                    pool.map(
                        lambda item: (
                            None
                            if str(item[1].get("verified_note", "")).startswith("not run")
                            else run_entry(base, item[0], item[1]["script"], item[1].get("shell", "bash"))
                        ),
                        enumerate(entries),
                    )
                )
            for entry, result in zip(entries, results, strict=True):
                if result is None:
                    continue
                effect, status = result
                if "tier" in entry:
                    entry["verified_no_fs_change"] = not effect
                    if status == 127:
                        entry["verified_note"] = "the program is not installed here"
                    elif effect:
                        entry["verified_note"] = "changes " + " ".join(effect[:3])
                    if effect or status is None:
                        print(f"{entry['id']} {entry['script']!r}: {effect} exit {status}")
                else:
                    entry["verified"] = bool(effect)
                    entry["verified_effect"] = effect
                    if effect:
                        entry.pop("verified_note", None)
                    elif "verified_note" not in entry:
                        print(f"{entry['id']} {entry['script']!r}: no effect, exit {status}")
            if options.write:
                text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
                file.write_text(text, encoding="utf-8")
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main()
