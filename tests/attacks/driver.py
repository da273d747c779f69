"""The process inside the sandbox: one request a line, one trace a line. Run by ``arena.py``; standard library only."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time

ROOT = sys.argv[1]
SECRET = "tOpSeCrEt-4711-eNv"
LEFT = 1.5
"""Seconds that a script has to end in when nobody reads it any more."""
HOSTILE = {"num": "a[$(evil)]", "opt": "-oowned", "prog": "1eevil", "word": "bad", "code": "evil"}
"""Variables that no script may take to be empty: what is not surely assigned has come from here."""


def main():
    template = os.path.join(ROOT, "template")
    folder = os.path.join(ROOT, "w")
    shutil.copytree(template, folder, symlinks=True)
    before = state(folder)
    for line in sys.stdin:
        request = json.loads(line)
        log = os.path.join(ROOT, "log")
        open(log, "w").close()
        environment = {
            "HOME": os.path.join(ROOT, "home"),
            "PATH": os.path.join(ROOT, "bin"),
            "LANG": "C.UTF-8",
            "LOCPATH": os.path.join(ROOT, "locales"),
            "TERM": "dumb",
            "TMPDIR": os.path.join(ROOT, "tmp"),
            "TMPPREFIX": os.path.join(ROOT, "tmp", "zsh"),
            "GITHUB_TOKEN": SECRET,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "GIT_CONFIG_NOSYSTEM": "1",
            "FUNCNEST": "16",
            "GIT_AUTHOR_NAME": "n",
            "GIT_AUTHOR_EMAIL": "e@x",
            "GIT_COMMITTER_NAME": "n",
            "GIT_COMMITTER_EMAIL": "e@x",
            **HOSTILE,
        }
        if request["applets"]:
            environment["PATH"] = os.path.join(ROOT, "applets") + ":" + environment["PATH"]
        if request["by_input"]:
            with open(os.path.join(ROOT, "script"), "wb") as file:
                file.write(request["by_input"].encode("utf-8", "surrogatepass"))
        output, finished = ran(request, folder, environment)
        after = state(folder)
        changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        trace = {
            "argvs": records(log),
            "changed": changed,
            "output": output.decode("utf-8", "replace"),
            "finished": finished,
        }
        if changed:
            shutil.rmtree(folder)
            shutil.copytree(template, folder, symlinks=True)
            before = state(folder)
        print(json.dumps(trace), flush=True)


def ran(request, folder, environment):
    """What the request's command prints until it ends, and whether it did."""
    reading, writing = os.openpty() if request["terminal"] else os.pipe()
    with open(os.path.join(ROOT, "script") if request["by_input"] else os.devnull, "rb") as given:
        process = subprocess.Popen(
            request["argv"],
            cwd=folder,
            env=environment,
            stdin=given,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
    os.close(writing)
    return read_and_leave(process, reading, request["timeout"])


def read_and_leave(process, reading, timeout):
    """What ``process`` prints until it ends, and whether it did: by itself, or once nobody read it any more."""
    output, deadline = bytearray(), time.monotonic() + timeout
    while (left := deadline - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
        try:
            part = os.read(reading, 65536)
        except OSError:  # so a terminal ends
            break
        if not part:
            break
        output += part[: 65536 - len(output)]
    os.close(reading)
    try:
        process.wait(max(deadline - time.monotonic(), LEFT))
        return output, True
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return output, False


def state(folder, shown=""):
    """Path to what the system says of everything below ``folder`` but git's index, which reading refreshes."""
    found = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            path = shown + entry.name
            if path == ".git/index" or path.startswith(".git/logs"):
                continue
            about = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                found[path] = about.st_mode
                found.update(state(entry.path, path + "/"))
            else:
                found[path] = about.st_mode, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns
    return found


def records(log):
    with open(log, "rb") as file:
        words = file.read().decode("utf-8", "replace").split("\0")
    found, at = [], 0
    while at < len(words) - 1:
        try:
            count = int(words[at])
        except ValueError:
            return [*found, ["?"]]
        found.append(words[at + 1 : at + 1 + count])
        at += 1 + count
    return found


if __name__ == "__main__":
    os.mkdir(os.path.join(ROOT, "tmp"))
    main()
