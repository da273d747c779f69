"""The process inside the sandbox: one call a line, what it did a line. Run by ``place.py``; standard library only."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import threading

ROOT = sys.argv[1]
CALLS = (
    "execve,execveat,open,openat,openat2,creat,truncate,ftruncate,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,"
    "rmdir,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,utime,utimes,utimensat,mknod,"
    "mknodat,kill,tkill,tgkill,connect,sendto,bind,setxattr,lsetxattr,settimeofday,clock_settime,sethostname,mount,umount2,"
    "reboot,setpriority,ptrace"
)


def main():
    if os.getppid() != 1:  # it ends every process that it sees
        sys.exit("only for the sandbox that place.py makes")
    folder = os.path.join(ROOT, "w")
    log = os.path.join(ROOT, "log")
    for line in sys.stdin:
        request = json.loads(line)
        environment = {
            "HOME": os.path.join(ROOT, "home"),
            "PATH": os.path.join(ROOT, "bin") + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm",
            "GITHUB_TOKEN": request["secret"],
            "PIP_RETRIES": "0",  # there is no network to try again
            "npm_config_fetch_retries": "0",
        }
        tracer = ["strace", "-f", "-qq", "--seccomp-bpf", "-s", "300", "-e", "trace=" + CALLS, "-e", "signal=none"]
        output = Collected()
        master = slave = None
        if request["terminal"]:
            master, slave = pty.openpty()
            writing = {"stdout": slave, "stderr": slave}
        else:
            master, slave = os.pipe()
            writing = {"stdout": slave, "stderr": slave}
        try:
            process = subprocess.Popen(
                [*tracer, "-o", log, *request["argv"]],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                **writing,
            )
        except OSError as error:
            print(json.dumps({"error": str(error)}), flush=True)
            continue
        os.close(slave)
        thread = threading.Thread(target=output.read, args=(master,))
        thread.start()
        finished = True
        try:
            process.wait(timeout=request["timeout"])
        except subprocess.TimeoutExpired:
            finished = False
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        end_all()
        thread.join(2)
        os.close(master)
        try:
            with open(log, encoding="utf-8", errors="replace") as file:
                trace = file.read(2_000_000).splitlines()
            os.unlink(log)
        except OSError as error:
            print(json.dumps({"error": str(error)}), flush=True)
            continue
        print(json.dumps({"trace": trace, "output": output.text(), "finished": finished}), flush=True)


class Collected:
    """The first part of what is printed; the rest is thrown away."""

    def __init__(self):
        self.parts = []
        self.size = 0

    def read(self, descriptor):
        while True:
            try:
                part = os.read(descriptor, 65536)
            except OSError:
                return
            if not part:
                return
            if self.size < 400_000:
                self.parts.append(part)
                self.size += len(part)

    def text(self):
        return b"".join(self.parts)[:400_000].decode("utf-8", "replace")


def end_all():
    """End what the call left behind: this process is alone in its sandbox, but for the init that started it."""
    own = {1, os.getpid(), os.getppid()}
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in own:
            with contextlib.suppress(OSError):
                os.kill(int(name), signal.SIGKILL)


if __name__ == "__main__":
    main()
