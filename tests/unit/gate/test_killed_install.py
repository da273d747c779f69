"""Settings files of a user whose ``install`` was killed at any moment: what was in them is never lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from execpolicy.errors import ExecPolicyError
from execpolicy.gate.installing import Site, plan_install, plan_uninstall
from execpolicy.hooks.agents import AGENTS

MINE = b'{"permissions":   {"allow": ["Bash(make all)"]}}'
CLAUDE = AGENTS["claude"]


def site_in(home: Path) -> Site:
    home.mkdir(exist_ok=True)
    return Site(
        home=str(home), cwd=str(home), environ={"PATH": "/usr/bin:/bin", "HOME": str(home)}, root=str(home / "m")
    )


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    (tmp_path / "home" / ".claude" / "settings.json").write_bytes(MINE)
    return site_in(tmp_path / "home")


class Killed(BaseException):
    """Nothing is done after it, as nothing is after ``SIGKILL``."""


def install(site: Site, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, at: int) -> bool:
    """Install, killed before the file number ``at`` takes its name; whether it was."""
    names = iter(range(at))

    def replace(draft: str, path: str) -> None:
        if next(names, None) is None:
            raise Killed
        os.rename(draft, path)

    with monkeypatch.context() as patch:
        patch.setattr("execpolicy.approvals.patch.os.replace", replace)
        try:
            plan_install(site, CLAUDE, "user", options).install()
        except Killed:
            return True
    return False


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("installed", [False, True], ids=["the first", "a later one"])
@pytest.mark.parametrize("again", [False, True], ids=["then uninstalled", "then installed and uninstalled"])
def test_uninstall_brings_back_every_byte(
    site: Site, monkeypatch: pytest.MonkeyPatch, at: int, installed: bool, again: bool
) -> None:
    if installed:
        plan_install(site, CLAUDE, "user").install()
    killed = install(site, ("--on-prompt", "deny"), monkeypatch, at)
    assert killed is (at < (2 if installed else 3))
    if again:
        plan_install(site, CLAUDE, "user", ("--on-prompt", "deny")).install()
    plan_uninstall(site, CLAUDE, "user").uninstall()
    assert Path(site.settings_file(CLAUDE, "user")).read_bytes() == MINE


@pytest.mark.parametrize("name", [os.fsdecode("grün-日本".encode()), "gr\udcc3\udcbcn"], ids=["known", "locale C"])
def test_a_path_is_named_by_its_bytes(tmp_path: Path, name: str) -> None:
    """Where the locale knows no letters, those of a path are read as if they were broken."""
    site = site_in(tmp_path / name)
    plan_install(site, CLAUDE, "user").install()
    written = Path(site.settings_file(CLAUDE, "user")).read_bytes()
    assert os.fsencode(name) in written
    written.decode("utf-8")


def test_a_path_that_no_agent_could_read_is_refused(tmp_path: Path) -> None:
    site = site_in(tmp_path / "a\udcff")
    with pytest.raises(ExecPolicyError, match=r"not UTF-8.*a\\xff"):
        plan_install(site, CLAUDE, "user")


@pytest.mark.parametrize("at", range(3))
def test_an_uninstall_that_was_killed_is_finished_by_the_next(
    site: Site, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    plan_install(site, CLAUDE, "user").install()
    removed = iter(range(at))
    unlink = os.unlink

    def killed(path: str) -> None:
        if next(removed, None) is None:
            raise Killed
        unlink(path)

    with monkeypatch.context() as patch:
        patch.setattr("execpolicy.approvals.patch.os.unlink", killed)
        try:
            plan_uninstall(site, CLAUDE, "user").uninstall()
        except Killed:
            assert at < 2
    plan_uninstall(site, CLAUDE, "user").uninstall()
    assert Path(site.settings_file(CLAUDE, "user")).read_bytes() == MINE
    assert [each for each in Path(site.home).rglob("*") if each.is_file()] == [Path(site.settings_file(CLAUDE, "user"))]
