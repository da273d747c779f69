"""Record the counts of this checkout as the budget that CI compares with.

    python -m benchmarks.record_budgets

Do so after a change that is meant to cost more, or that made something much cheaper, and say in the commit what it was.
Budgets are kept for each minor version of Python, since bytecode differs between them.
"""

from __future__ import annotations

import json
import sys

from benchmarks.counts import ROOT, counts

BUDGETS = ROOT / "tests" / "data" / "budgets.json"


def main() -> None:
    """Count, write, and print what changed."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    budgets = json.loads(BUDGETS.read_text("utf-8")) if BUDGETS.exists() else {}
    old = budgets.get(version, {})
    new = counts()
    budgets[version] = new
    BUDGETS.write_text(json.dumps(budgets, indent=1, sort_keys=True) + "\n", "utf-8")
    for kind, found in new.items():
        for name, count in found.items():
            before = old.get(kind, {}).get(name)
            if before != count:
                change = "new" if not before else f"{(count - before) / before:+.1%} from {before:,}"
                print(f"{kind:>12}  {name:<44} {count:>10,}  {change}")


if __name__ == "__main__":
    main()
