"""Runs inside the sandbox before the command: sends a listening socket to the proxy, then executes the command.

A socket belongs to the network in which it was made, in any process, so that no helper has to stay in the sandbox. This
is a separate program that uses only the standard library.
"""

import os
import socket
import sys


def main() -> None:
    """``sandbox_entry.py DESCRIPTOR COMMAND...``: the descriptor is a socket to the proxy."""
    with socket.socket(fileno=int(sys.argv[1])) as out, socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        socket.send_fds(out, [b"+"], [listening.fileno()])
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        os.environ[name] = os.environ[name.lower()] = f"http://{address}"
    os.environ["EXECPOLICY_PROXY"] = address
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        print(f"execpolicy: cannot run `{sys.argv[2]}`: {error.strerror}", file=sys.stderr)
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
