"""Sockets with a name in the file system, however long the path of their folder is."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def bind(listener: socket.socket, path: Path) -> None:
    """Give ``listener`` the name ``path``: by way of an open folder, since its path holds a hundred characters."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)
