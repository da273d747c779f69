"""Runs inside the sandbox, in front of the command: hands a listening socket out to the proxy and becomes the command.

A socket belongs to the network that it was made in, whoever uses it: the proxy outside accepts what is connected here,
and nothing has to stay behind. A program of its own, by the standard library alone.
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
