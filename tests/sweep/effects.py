"""What a call did that a reader must not do, read from the lines of strace."""

from __future__ import annotations

import re

from tests.sweep.place import SECRET, Trace

KINDS = ("writes", "starts", "connects", "secret", "hangs", "acts")
"""Kinds of findings: a file is opened to write, a program is started, a connection is tried, a secret is printed, the
call does not end, anything else is changed."""
_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
_OWN = re.compile(
    r'"(/dev/(null|tty|pts/\d+|full)|/proc/self/(task/\d+/)?(comm|oom_score_adj|coredump_filter))"|hsperfdata'
)
_TO_ITSELF = re.compile(r"kill\(-?\d+, 0\)|tgkill\(\d+, \d+, (SIGURG|SIGRT)")


def findings(done: Trace) -> list[tuple[str, str]]:
    """Everything that was done: its kind and the line that shows it."""
    found: list[tuple[str, str]] = []
    started = 0
    for line in done.trace:
        call = line.split(None, 1)[-1]
        name = call.partition("(")[0]
        if "<detached" in call or "(" not in call or not name.isidentifier():  # cut off where the call was ended
            continue
        # the sandbox shows the system read-only: what fails for that would have been done
        failed = (" = -1 " in call and "EROFS" not in call) or call.endswith("= ?")
        if name in ("execve", "execveat"):
            started += not failed
            if started > 1 and not failed:
                found.append(("starts", call[:160]))
        elif name in ("connect", "sendto"):
            if "sa_family=AF_INET" in call or ("sa_family=AF_UNIX" in call and "nscd" not in call):
                found.append(("connects", call[:160]))
        elif failed or name.startswith(("<", "+++", "---")):
            continue
        elif name.startswith("open") or name == "creat":
            if name == "creat" or (_WRITING.search(call) and not _OWN.search(call)):
                found.append(("writes", call[:160]))
        elif name != "bind" and not _TO_ITSELF.match(call):
            found.append(("acts", call[:160]))
    if SECRET in done.output:
        found.append(("secret", "it printed one"))
    if not done.finished:
        found.append(("hangs", "it does not end"))
    return found
