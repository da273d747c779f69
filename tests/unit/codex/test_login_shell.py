"""``allow_login_shell`` of Codex's settings: the highest file that has it decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from execpolicy.codex.decide import allows_login_shell
from execpolicy.layers.layer_options import LayerOptions

FALSE, TRUE, TRUST = (
    "allow_login_shell = false\n",
    "allow_login_shell = true\n",
    '[projects."{}"]\ntrust_level = "trusted"\n',
)
CASES: dict[str, tuple[dict[str, str], bool]] = {
    "nothing": ({}, True),
    "user": ({"home/config.toml": FALSE}, False),
    "machine": ({"etc/config.toml": FALSE}, False),
    "user over machine": ({"etc/config.toml": FALSE, "home/config.toml": TRUE}, True),
    "profile over user": ({"home/config.toml": TRUE, "home/work.config.toml": FALSE}, False),
    "trusted project": ({"home/config.toml": TRUST, "project/.codex/config.toml": FALSE}, False),
    "untrusted project": ({"project/.codex/config.toml": FALSE}, True),
    "no truth value": ({"home/config.toml": 'allow_login_shell = "no"\n'}, True),
    "broken": ({"home/config.toml": "allow_login_shell = \n"}, True),
}


@pytest.mark.parametrize(("files", "allowed"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("named", [None, ["x.rules"]], ids=["layers", "named rules"])
def test_the_highest_file_decides(
    tmp_path: Path, files: dict[str, str], allowed: bool, named: list[str] | None
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.format(project))
    options = LayerOptions(
        cwd=str(project),
        codex_home=str(tmp_path / "home"),
        system_folder=str(tmp_path / "etc"),
        profile="work",
        files=named,
    )
    assert allows_login_shell(options) is allowed
