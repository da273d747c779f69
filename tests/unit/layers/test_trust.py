"""Who trusts a project."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from execpolicy.layers.discover import discover
from tests.support.machine import Machine
from tests.support.running import run_captured


def project_layers(machine: Machine, **changes: object) -> list[tuple[str, bool, str | None]]:
    layers, _ = discover(machine.options(**changes))
    return [(str(layer.folder), layer.trusted, layer.reason) for layer in layers if layer.name == "project"]


@pytest.fixture
def codex_folder(machine: Machine) -> Path:
    folder = machine.project / ".codex"
    folder.mkdir()
    return folder / "rules"


def test_an_unknown_project_is_not_trusted_and_the_reason_says_how_to_trust_it(
    machine: Machine, codex_folder: Path
) -> None:
    reason = (
        "To load project-local config, hooks, and exec policies, "
        f"add {machine.project} as a trusted project in {machine.codex_home}/config.toml."
    )
    assert project_layers(machine) == [(str(codex_folder), False, reason)]


def test_a_project_marked_untrusted_says_so(machine: Machine, codex_folder: Path) -> None:
    machine.trust(machine.project, "untrusted")
    reason = (
        f"{machine.project} is marked as untrusted in {machine.codex_home}/config.toml. "
        "To load project-local config, hooks, and exec policies, mark it trusted."
    )
    assert project_layers(machine) == [(str(codex_folder), False, reason)]


def test_a_trusted_project_has_no_reason(machine: Machine, codex_folder: Path) -> None:
    machine.trust(machine.project)
    assert project_layers(machine) == [(str(codex_folder), True, None)]


@pytest.mark.parametrize("level", ["Trusted", "yes", ""])
def test_any_other_level_is_not_trusted(machine: Machine, codex_folder: Path, level: str) -> None:
    machine.trust(machine.project, level)
    assert [trusted for _, trusted, _ in project_layers(machine)] == [False]


def test_a_level_that_is_not_text_does_not_count(machine: Machine, codex_folder: Path) -> None:
    (machine.codex_home / "config.toml").write_text(f'[projects."{machine.project}"]\ntrust_level = true\n')
    assert [trusted for _, trusted, _ in project_layers(machine)] == [False]


def test_the_folder_itself_decides_before_the_project_root(machine: Machine, codex_folder: Path) -> None:
    inner = machine.project / "inner"
    (inner / ".codex").mkdir(parents=True)
    machine.trust(machine.project)
    machine.trust(inner, "untrusted")
    assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(inner))] == [True, False]


def test_a_folder_below_inherits_from_the_project_root(machine: Machine, codex_folder: Path) -> None:
    inner = machine.project / "a" / "b"
    (inner / ".codex").mkdir(parents=True)
    machine.trust(machine.project)
    assert project_layers(machine, cwd=str(inner)) == [
        (str(codex_folder), True, None),
        (str(inner / ".codex" / "rules"), True, None),
    ]


def test_a_folder_reached_through_a_link_is_looked_up_by_its_real_path(machine: Machine, codex_folder: Path) -> None:
    machine.trust(machine.project)
    link = machine.root / "link"
    link.symlink_to(machine.project)
    assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(link))] == [True]


def test_the_literal_path_counts_too(machine: Machine, codex_folder: Path) -> None:
    link = machine.root / "link"
    link.symlink_to(machine.project)
    machine.trust(link)
    assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(link))] == [True]


def test_the_real_path_goes_before_the_literal_one(machine: Machine, codex_folder: Path) -> None:
    link = machine.root / "link"
    link.symlink_to(machine.project)
    machine.trust(link)
    machine.trust(machine.project, "untrusted")
    assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(link))] == [False]


def test_the_project_cannot_trust_itself(machine: Machine, codex_folder: Path) -> None:
    machine.write(machine.project / ".codex/config.toml", f'[projects."{machine.project}"]\ntrust_level = "trusted"\n')
    assert [trusted for _, trusted, _ in project_layers(machine)] == [False]


def test_the_system_configuration_can_trust_and_the_user_goes_above_it(machine: Machine, codex_folder: Path) -> None:
    machine.write(machine.system / "config.toml", f'[projects."{machine.project}"]\ntrust_level = "trusted"\n')
    assert [trusted for _, trusted, _ in project_layers(machine)] == [True]
    machine.trust(machine.project, "untrusted")
    assert [trusted for _, trusted, _ in project_layers(machine)] == [False]


def test_a_profile_goes_above_the_user_configuration(machine: Machine, codex_folder: Path) -> None:
    machine.trust(machine.project, "untrusted")
    machine.write(machine.codex_home / "work.config.toml", f'[projects."{machine.project}"]\ntrust_level = "trusted"\n')
    assert [trusted for _, trusted, _ in project_layers(machine)] == [False]
    assert [trusted for _, trusted, _ in project_layers(machine, profile="work")] == [True]


@pytest.mark.parametrize("text", ["[projects\n", "\ufeff\x00=", "a = 1\na = 2\n"])
def test_a_broken_configuration_trusts_nothing_and_is_reported(machine: Machine, codex_folder: Path, text: str) -> None:
    machine.write(machine.system / "config.toml", f'[projects."{machine.project}"]\ntrust_level = "trusted"\n')
    machine.write(machine.codex_home / "config.toml", text)
    _, problems = discover(machine.options())
    assert [trusted for _, trusted, _ in project_layers(machine)] == [False]
    assert [found.path for found in problems] == [str(machine.codex_home / "config.toml")]


def test_a_configuration_that_is_not_utf8_is_reported(machine: Machine, codex_folder: Path) -> None:
    (machine.codex_home / "config.toml").write_bytes(b"\xff")
    _, problems = discover(machine.options())
    path = machine.codex_home / "config.toml"
    assert [found.message for found in problems] == [f"failed to read {path}: it is not valid UTF-8"]


class TestMadeAgain:
    """A path is trusted because of the folder that it was."""

    def trusted(self, machine: Machine, folder: Path) -> list[tuple[bool, str | None]]:
        return [(trusted, reason) for _, trusted, reason in project_layers(machine, cwd=str(folder))]

    def again(self, folder: Path) -> None:
        shutil.rmtree(folder)
        (folder / ".git").mkdir(parents=True)
        (folder / ".codex").mkdir()

    def test_a_project_that_was_removed_and_made_again(self, machine: Machine, codex_folder: Path) -> None:
        machine.trust(machine.project)
        assert self.trusted(machine, machine.project) == [(True, None)]
        self.again(machine.project)
        record = machine.own_home / "trusted-folders"
        reason = (
            f"{machine.project} is trusted in {machine.codex_home}/config.toml, but another folder was made in its "
            f"place since. If you made it, take its line out of {record}."
        )
        assert self.trusted(machine, machine.project) == [(False, reason)]
        machine.trust(machine.root / "other")  # the configuration is written again, for something else
        assert self.trusted(machine, machine.project) == [(False, reason)]
        record.unlink()
        assert self.trusted(machine, machine.project) == [(True, None)]

    def test_one_that_was_never_used_before_it_was_removed(self, machine: Machine, codex_folder: Path) -> None:
        machine.trust(machine.project)
        time.sleep(0.02)  # clocks of file systems tick slowly
        self.again(machine.project)
        ((trusted, reason),) = self.trusted(machine, machine.project)
        assert (trusted, "was made after" in str(reason)) == (False, True)
        machine.trust(machine.root / "other")
        assert self.trusted(machine, machine.project) == [(True, None)]

    def test_all_that_are_trusted_are_remembered_as_soon_as_one_is_used(
        self, machine: Machine, codex_folder: Path
    ) -> None:
        other = machine.root / "other"
        (other / ".codex").mkdir(parents=True)
        machine.trust(machine.project)
        machine.trust(other)
        assert self.trusted(machine, machine.project) == [(True, None)]
        self.again(other)
        machine.trust(machine.root / "third")
        assert [trusted for trusted, _ in self.trusted(machine, other)] == [False]

    def test_a_link_that_is_pointed_elsewhere(self, machine: Machine, codex_folder: Path) -> None:
        link, hostile = machine.root / "link", machine.root / "hostile"
        (hostile / ".codex").mkdir(parents=True)
        link.symlink_to(machine.project)
        machine.trust(link)
        assert self.trusted(machine, link) == [(True, None)]
        link.unlink()
        link.symlink_to(hostile)
        assert [trusted for trusted, _ in self.trusted(machine, link)] == [False]

    def test_one_that_moved_away_and_came_back(self, machine: Machine, codex_folder: Path) -> None:
        machine.trust(machine.project)
        assert self.trusted(machine, machine.project) == [(True, None)]
        machine.project.rename(machine.root / "away").rename(machine.project)
        assert self.trusted(machine, machine.project) == [(True, None)]

    @pytest.mark.parametrize("own_home", [None, "/proc/nowhere"])
    def test_where_nothing_can_be_remembered(self, machine: Machine, codex_folder: Path, own_home: str | None) -> None:
        machine.trust(machine.project)
        assert [trusted for _, trusted, _ in project_layers(machine, own_home=own_home)] == [True]
        time.sleep(0.02)
        self.again(machine.project)
        assert [trusted for _, trusted, _ in project_layers(machine, own_home=own_home)] == [False]


class TestRoots:
    """Where the chain of project folders begins."""

    def chain(self, machine: Machine, cwd: Path) -> list[str]:
        return [folder for folder, _, _ in project_layers(machine, cwd=str(cwd))]

    def test_from_the_root_down_to_the_working_folder(self, machine: Machine) -> None:
        deep = machine.project / "a" / "b"
        for folder in (machine.project, machine.project / "a", deep, deep / "c", machine.root):
            (folder / ".codex").mkdir(parents=True)
        expected = [machine.project, machine.project / "a", deep]
        assert self.chain(machine, deep) == [str(folder / ".codex" / "rules") for folder in expected]

    def test_without_a_marker_only_the_working_folder_counts(self, machine: Machine) -> None:
        plain = machine.root / "plain" / "inner"
        for folder in (plain, plain.parent):
            (folder / ".codex").mkdir(parents=True)
        assert self.chain(machine, plain) == [str(plain / ".codex" / "rules")]

    def test_markers_come_from_the_configuration(self, machine: Machine) -> None:
        inner = machine.project / "inner"
        for folder in (machine.project, inner):
            (folder / ".codex").mkdir(parents=True)
        machine.write(inner / "ROOT", "")
        machine.write(machine.codex_home / "config.toml", 'project_root_markers = ["ROOT"]\n')
        assert self.chain(machine, inner) == [str(inner / ".codex" / "rules")]

    def test_no_markers_switch_the_search_off(self, machine: Machine) -> None:
        inner = machine.project / "inner"
        for folder in (machine.project, inner):
            (folder / ".codex").mkdir(parents=True)
        machine.write(machine.codex_home / "config.toml", "project_root_markers = []\n")
        assert self.chain(machine, inner) == [str(inner / ".codex" / "rules")]

    def test_markers_of_the_wrong_type_are_reported(self, machine: Machine, codex_folder: Path) -> None:
        machine.write(machine.codex_home / "config.toml", "project_root_markers = [1]\n")
        _, problems = discover(machine.options())
        assert [found.message for found in problems] == ["project_root_markers must be an array of strings"]

    def test_a_codex_that_is_a_file_is_no_layer(self, machine: Machine) -> None:
        machine.write(machine.project / ".codex", "")
        assert self.chain(machine, machine.project) == []

    def test_the_users_own_folder_is_not_a_project(self, machine: Machine) -> None:
        home = machine.codex_home.parent
        assert self.chain(machine, home) == []

    def test_nor_is_a_link_to_it(self, machine: Machine) -> None:
        (machine.project / ".codex").symlink_to(machine.codex_home)
        assert self.chain(machine, machine.project) == []


class TestWorkTrees:
    """A linked work tree has the trust of its main checkout, if that checkout knows it."""

    @pytest.fixture
    def linked(self, machine: Machine) -> Path:
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        (machine.project / ".git").rmdir()
        for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
            subprocess.run([*git, *arguments], cwd=machine.project, check=True)
        linked = machine.root / "linked"
        subprocess.run([*git, "worktree", "add", "-q", str(linked)], cwd=machine.project, check=True)
        (linked / ".codex").mkdir()
        machine.trust(machine.project)
        return linked

    def test_a_real_one_is_trusted(self, machine: Machine, linked: Path) -> None:
        assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(linked))] == [True]

    def test_one_that_was_removed_and_made_again_by_somebody_else(self, machine: Machine, linked: Path) -> None:
        pointer = (linked / ".git").read_text()
        time.sleep(0.02)
        shutil.rmtree(linked)
        (linked / ".codex").mkdir(parents=True)
        (linked / ".git").write_text(pointer)
        assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(linked))] == [False]
        run_captured(["git", "status"], cwd=linked, check=True)
        assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(linked))] == [False]

    @pytest.mark.parametrize("how", ["again", "move"])
    def test_one_that_git_made_again_or_moved_is_trusted(self, machine: Machine, linked: Path, how: str) -> None:
        git = ["git", "-C", str(machine.project), "worktree"]
        if how == "again":
            subprocess.run([*git, "remove", "--force", str(linked)], check=True)
            subprocess.run([*git, "add", "-q", str(linked), "linked"], check=True)
            (linked / ".codex").mkdir()
        else:
            moved = machine.root / "moved"
            subprocess.run([*git, "move", str(linked), str(moved)], check=True)
            linked = moved
        assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(linked))] == [True]

    def test_a_git_file_that_points_at_a_trusted_repository_proves_nothing(
        self, machine: Machine, linked: Path
    ) -> None:
        hostile = machine.root / "hostile"
        (hostile / ".codex").mkdir(parents=True)
        (hostile / ".git").write_text((linked / ".git").read_text())
        assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(hostile))] == [False]

    @pytest.mark.parametrize("target", ["linked", "code/repo"])
    def test_nor_does_one_that_is_a_link_into_it(self, machine: Machine, linked: Path, target: str) -> None:
        hostile = machine.root / "hostile"
        (hostile / ".codex").mkdir(parents=True)
        (hostile / ".git").symlink_to(machine.root / target / ".git")
        assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(hostile))] == [False]

    def test_nor_does_a_folder_below_a_hostile_one(self, machine: Machine, linked: Path) -> None:
        inner = machine.root / "hostile" / "linked"
        (inner / ".codex").mkdir(parents=True)
        (inner / ".git").symlink_to(linked / ".git")
        assert [trusted for _, trusted, _ in project_layers(machine, cwd=str(inner))] == [False]
