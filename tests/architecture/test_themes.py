"""The commands in the table of ``docs/evidence/themes.md`` work as written and show what their row says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (\d+) \| .* \| (\S.*) \|$", re.MULTILINE)
EXPECTED = {
    1: (0, 'prefix_rule(pattern=["git", "fetch"], decision="allow")'),
    2: (1, "word 3 looks like an authorization header"),
    3: (0, '{"decision":"allow"'),
    4: (0, '{"decision":"allow"'),
    5: (0, '{"decision":"allow"'),
    6: (0, "dangerous\n      entry `find-delete`"),
    7: (0, "would be allowed with:\n    prefix_rule("),
    8: (126, "not run: `rm -rf build` is forbidden"),
    9: (0, '"code": "'),
    12: (1, "`bash` is too broad"),
    14: (0, '{"decision":"forbidden"'),
    15: (0, '"permissionDecision":"ask"'),
    16: (0, '{"decision":"allow"'),
    19: (1, "warning[EP203]"),
    20: (0, '{"decision":"prompt"'),
    22: (0, '"permission":"deny"'),
    23: (0, '{"decision":"prompt"'),
}
"""Row → exit status, and a text in the output. The other rows point at a block that the test of all examples runs."""


def rows() -> dict[int, str]:
    """What the last column says."""
    text = (ROOT / "docs" / "evidence" / "themes.md").read_text("utf-8")
    return {int(number): cell.replace(r"\|", "|") for number, cell in ROW.findall(text)}


def test_every_theme_has_a_command_or_a_block() -> None:
    page = (ROOT / "docs" / "evidence" / "themes.md").read_text("utf-8")
    found = rows()
    assert list(found) == list(range(1, 26))
    for number, cell in found.items():
        if number in EXPECTED:
            assert re.fullmatch(r"`.*execpolicy .*`", cell)
        else:
            target = re.fullmatch(r"\[below\]\(#(.*)\)", cell)
            assert target is not None
            title = target.group(1).replace("-", "[ -]")
            assert re.search(rf"^## {title}\n\n```console\n", page, re.MULTILINE | re.IGNORECASE)


@pytest.mark.parametrize("number", EXPECTED)
def test_row_shows_what_it_says(number: int, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    shutil.copytree(ROOT / "rules", project / "rules")
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {rows()[number].strip('`')}"],
        cwd=project,
        env={
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
            "HOME": str(tmp_path),
            "LANG": "C.UTF-8",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    status, text = EXPECTED[number]
    shown = (done.stdout + done.stderr).decode()
    assert (done.returncode, text in shown) == (status, True), shown
