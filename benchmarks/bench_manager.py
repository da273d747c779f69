"""The policy of a running program: a read, a look at the files, a swap, and reads in eight threads while swaps go on.

python benchmarks/bench_manager.py
"""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path

from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.watch import fingerprint
from execpolicy.manager.policy_manager import PolicyManager

RULES = 1_000
SWAPS = 100
READERS = 8
SECONDS = 2.0


def reads_per_second(manager: PolicyManager, swaps: int, path: Path) -> tuple[float, float]:
    """Decisions per second of all readers, and the seconds that ``swaps`` swaps took beside them."""
    stop = threading.Event()
    counts = [0] * READERS

    def read(slot: int) -> None:
        while not stop.is_set():
            manager.current().policy.matches(("p500", "a", "b"))
            counts[slot] += 1

    readers = [threading.Thread(target=read, args=(slot,)) for slot in range(READERS)]
    start = time.perf_counter()
    for reader in readers:
        reader.start()
    for swap in range(swaps):
        path.write_text(f'prefix_rule(["extra{swap}"])\n')
        manager.reload()
    swapping = time.perf_counter() - start
    time.sleep(max(0.0, SECONDS - swapping))
    stop.set()
    for reader in readers:
        reader.join()
    return sum(counts) / (time.perf_counter() - start), swapping


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules"
        rules.mkdir()
        (rules / "many.rules").write_text("".join(f'prefix_rule(["p{n}", "a"])\n' for n in range(RULES)))
        extra = rules / "extra.rules"
        extra.write_text("")
        options = LayerOptions(cwd=folder, codex_home=folder)
        manager = PolicyManager(options)

        start = time.perf_counter()
        for _ in range(100_000):
            manager.current()
        print(f"current():            {(time.perf_counter() - start) * 10:8.3f} µs")
        start = time.perf_counter()
        for _ in range(1_000):
            fingerprint(options)
        print(f"a look at the files:  {(time.perf_counter() - start) * 1e3:8.1f} µs")

        idle, _ = reads_per_second(manager, 0, extra)
        busy, swapping = reads_per_second(manager, SWAPS, extra)
        print(f"decisions, idle:      {idle:8.0f} /s in {READERS} threads")
        print(f"decisions, swapping:  {busy:8.0f} /s, {SWAPS} swaps in {swapping:.1f} s")


if __name__ == "__main__":
    main()
