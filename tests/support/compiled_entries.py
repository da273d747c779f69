"""The built-in entries as a wheel contains them, beside the sources for as long as tests run.

A checkout parses the records anew in every process, and tests start many: most of the time of the whole run went there.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from execpolicy.lang import precompiled
from execpolicy.resources import precompiled_path


def keep_compiled() -> Path | None:
    """Write the file, anew if a run that was killed left one; ``None`` in an installed wheel, which has its own."""
    path = Path(precompiled_path())
    if (path.parent / "rules").is_dir():
        return None
    path.unlink(missing_ok=True)
    data = precompiled.precompile()
    path.parent.mkdir(exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(beside, path)
    return path
