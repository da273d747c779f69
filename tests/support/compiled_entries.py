"""The built-in entries as a wheel carries them, beside the sources for as long as tests run.

A checkout compiles the built-in files anew for every home folder, since the cache belongs to one, and almost every test
has a home of its own: most of the time of the whole run went there. What was compiled is found by the text that it came
from, so a file that is changed meanwhile is compiled as ever.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from execpolicy.lang import precompiled
from execpolicy.lang.compile import compile_source
from execpolicy.resources import builtin_rules_folder, precompiled_path
from execpolicy.source import Source


def keep_compiled() -> Path | None:
    """Write the file, anew if a run that was killed left one; ``None`` in an installed wheel, which has its own."""
    path = Path(precompiled_path())
    if (path.parent / "rules").is_dir():
        return None
    texts = [(each.name, each.read_text("utf-8")) for each in sorted(Path(builtin_rules_folder()).glob("*.rules"))]
    entries = [(text, compile_source(Source(name, text), trusted=True).statements) for name, text in texts]
    path.parent.mkdir(exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(precompiled.precompile(entries))  # type: ignore[arg-type]  # a test sees to it that all are entries
    os.replace(beside, path)
    precompiled._table = None  # this process has seen that there is none
    return path
