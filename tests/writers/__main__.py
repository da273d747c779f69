"""``python -m tests.writers [--writers 8 --appends 1000]``: save, and save and undo, while writers are killed."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.writers.race import race


def main() -> int:
    """Run both races and print what was lost; 0 if nothing was."""
    parser = argparse.ArgumentParser(prog="python -m tests.writers", description=__doc__)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--appends", type=int, default=1000)
    parser.add_argument("--foreign", type=int, default=1)
    parser.add_argument("--kills", type=int, default=40)
    given = parser.parse_args()
    clean = True
    for undo in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            found = race(
                Path(folder),
                writers=given.writers,
                appends=given.appends,
                foreign=given.foreign,
                undo=undo,
                kills=given.kills,
            )
        print(f"{'save and undo' if undo else 'save'}: {found}", flush=True)
        clean = clean and found.is_clean()
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
