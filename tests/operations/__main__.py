"""Makes the files of ``grammar/operations`` anew from what the vendors ship.

python -m tests.operations aws BOTOCORE_FOLDER VERSION
python -m tests.operations gcloud GCLOUD_COMPLETIONS.PY VERSION
python -m tests.operations az DUMP.JSON VERSION
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.operations import aws, az, gcloud
from tests.operations.listing import listing

FOLDER = Path(__file__).parents[2] / "grammar" / "operations"
MAKERS = {
    "aws": (aws.operations, "botocore {version}, its models in `botocore/data`"),
    "az": (az.operations, "azure-cli {version}, its own table of commands"),
    "gcloud": (gcloud.operations, "google-cloud-cli {version}, its table for completion"),
}


def main(program: str, source: str, version: str) -> None:
    """Write the file of ``program``."""
    make, origin = MAKERS[program]
    head = (
        f"Operations of {program} that only read.",
        f"Made by `python -m tests.operations` from {origin.format(version=version)}.",
    )
    text = listing(head, make(Path(source)))
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{program}.txt").write_text(text, encoding="utf-8")
    print(f"{program}: {sum(line[:1].isalpha() for line in text.splitlines())} operations, {len(text):,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
