"""What the shell did with generated scripts, kept on disk, so that a changed reader is judged without running them."""

from __future__ import annotations

import marshal
import os
import zlib
from collections.abc import Sequence
from pathlib import Path

from tests.bash_judge.run import Judge, Run

_MOST = 300
"""Records of one run that are kept in full; of more (a script without end) only the distinct ones."""


class Recorder:
    """Runs scripts, or finds out in ``folder`` what they did when they were run before."""

    def __init__(self, shell: str, folder: str | None = None) -> None:
        self.shell = shell
        self.folder = Path(folder) if folder is not None else None
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)

    def runs(self, name: str, texts: Sequence[str]) -> list[Run]:
        """What each of ``texts`` does. ``name`` tells one list of scripts from another."""
        if self.folder is None:
            return self._execute(texts)
        path = self.folder / f"{self.shell}-{name}.runs"
        # The same name with other scripts (the generator was changed) does not count.
        mark = zlib.crc32("\0".join(texts).encode("utf-8", "surrogatepass"))
        if path.exists():
            known, kept = marshal.loads(zlib.decompress(path.read_bytes()))
            if known == mark:
                return [Run(argvs, written, finished=finished) for argvs, written, finished in kept]
        runs = self._execute(texts)
        data = marshal.dumps((mark, [(_short(run.argvs), run.written, run.finished) for run in runs]))
        partial = path.with_suffix(".partial")
        partial.write_bytes(zlib.compress(data, 1))
        os.replace(partial, path)
        return runs

    def _execute(self, texts: Sequence[str]) -> list[Run]:
        with Judge(self.shell) as runner:
            return runner.run_many(texts)


def _short(argvs: list[list[str]]) -> list[list[str]]:
    if len(argvs) <= _MOST:
        return argvs
    return [list(argv) for argv in dict.fromkeys(map(tuple, argvs))]
