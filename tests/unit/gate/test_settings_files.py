"""Over settings files as people have them: in and out again, and nothing else is touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from execpolicy.errors import ExecPolicyError
from execpolicy.gate.installing import SCOPES, Scope, Site, plan_install, plan_uninstall
from execpolicy.gate.settings_edit import SettingsEdit, hook_names
from execpolicy.hooks.agents import AGENTS, Agent

DATA = Path(__file__).parents[2] / "data" / "gate"
SETTINGS = sorted((DATA / "settings").iterdir())
BROKEN = sorted((DATA / "broken").iterdir())
NAMES = [path.name for path in SETTINGS]


def make_site(folder: Path, **environ: str) -> Site:
    home, cwd = folder / "home", folder / "project"
    home.mkdir()
    cwd.mkdir()
    return Site(home=str(home), cwd=str(cwd), environ={"PATH": "/nowhere", **environ}, root=str(folder / "machine"))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path)


def put(site: Site, agent: Agent, content: bytes, scope: Scope = "user") -> Path:
    path = Path(site.settings_file(agent, scope))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def install(site: Site, agent: Agent, scope: Scope = "user") -> None:
    change = plan_install(site, agent, scope)
    assert change.changed()
    change.install()


def tree(folder: str) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in Path(folder).rglob("*")
    }


def test_there_are_fifty() -> None:
    assert len(SETTINGS) >= 50
    assert len(BROKEN) >= 15


@pytest.mark.parametrize("file", SETTINGS, ids=NAMES)
def test_what_was_there_comes_back(site: Site, file: Path) -> None:
    agent = AGENTS[file.name.partition("-")[0]]
    path = put(site, agent, file.read_bytes())
    path.chmod(0o640)
    before = tree(site.home)
    install(site, agent)
    assert path.stat().st_mode & 0o777 == 0o640
    assert not plan_install(site, agent, "user").changed()
    change = plan_uninstall(site, agent, "user")
    change.uninstall()
    assert path.read_bytes() == file.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert {name: content for name, content in tree(site.home).items() if not name.startswith(".config")} == {
        name: content for name, content in before.items() if not name.startswith(".config")
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "scope"),
    [
        (agent, scope)
        for agent in AGENTS.values()
        for scope in SCOPES
        if (getattr(agent.place, scope) or "").endswith(".json")
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_every_layout_comes_back_for_every_agent(tmp_path: Path, agent: Agent, scope: Scope) -> None:
    """All of the files as settings of each agent: what others have hooked there stands at the event of the agent."""
    events = [event for one in AGENTS.values() for event in one.place.events]
    for at, file in enumerate(SETTINGS):
        content = file.read_bytes()
        for event in events:
            content = content.replace(f'"{event}"'.encode(), f'"{(agent.place.events or (event,))[0]}"'.encode())
        folder = tmp_path / str(at)
        folder.mkdir()
        site = make_site(folder)
        path = put(site, agent, content, scope)
        install(site, agent, scope)
        assert not plan_install(site, agent, scope).changed(), file.name
        plan_uninstall(site, agent, scope).uninstall()
        assert path.read_bytes() == content, file.name


@pytest.mark.parametrize("file", SETTINGS, ids=NAMES)
def test_every_line_of_others_stays(site: Site, file: Path) -> None:
    """All bytes that were there are there in their order, and what was said before is still said."""
    agent = AGENTS[file.name.partition("-")[0]]
    path = put(site, agent, file.read_bytes())
    install(site, agent)
    before, after = file.read_bytes().decode(), path.read_bytes().decode()
    rest = iter(after)
    if "by-hand" not in file.name and before.strip():
        assert all(char in rest for char in before if not char.isspace())
    comments = [
        part for part in ("// keep", "/* last */", "// add more here", "// nothing yet", "// looks") if part in before
    ]
    assert all(part in after for part in comments)
    old = SettingsEdit("old", before).value
    new = SettingsEdit("new", after).value
    assert [key for key in old if key not in ("hooks", "amp.permissions") and old[key] != new[key]] == []
    assert ("\r\n" in before) <= (after.count("\r\n") >= before.count("\r\n"))


@pytest.mark.parametrize("file", [path for path in SETTINGS if "by-hand" not in path.name], ids=lambda path: path.name)
def test_what_was_added_since_stays(site: Site, file: Path) -> None:
    """Somebody adds a setting and a hook between installation and removal."""
    agent = AGENTS[file.name.partition("-")[0]]
    path = put(site, agent, file.read_bytes())
    install(site, agent)
    edit = SettingsEdit("x", path.read_text("utf-8"))
    edit.put(("addedSince",), {"a": [1, 2]})
    path.write_text(edit.text, "utf-8")
    plan_uninstall(site, agent, "user").uninstall()
    left = SettingsEdit("x", path.read_text("utf-8")).value
    assert left.pop("addedSince") == {"a": [1, 2]}
    assert left == SettingsEdit("old", file.read_text("utf-8")).value
    assert "hook_start" not in path.read_text("utf-8")
    bare = SettingsEdit("x", path.read_text("utf-8"))
    bare.drop(("addedSince",))
    if file.read_text("utf-8").strip().strip("\ufeff"):
        assert "".join(bare.text.split()) == "".join(file.read_text("utf-8").split())


@pytest.mark.parametrize("touched", [False, True], ids=["as written", "touched since"])
@pytest.mark.parametrize("upgrade", [False, True], ids=["removed", "written anew, removed"])
@pytest.mark.parametrize("file", [path for path in SETTINGS if "by-hand" not in path.name], ids=lambda path: path.name)
def test_what_an_older_version_wrote_goes(
    site: Site, file: Path, upgrade: bool, touched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It wrote fewer events and keys."""
    agent = AGENTS[file.name.partition("-")[0]]
    path = put(site, agent, file.read_bytes())
    with monkeypatch.context() as older:
        older.setattr(agent.place, "events", agent.place.events[:1])
        older.setattr(agent.place, "extra", ())
        install(site, agent)
    if touched:
        edit = SettingsEdit("x", path.read_text("utf-8"))
        edit.put(("addedSince",), 1)
        path.write_text(edit.text, "utf-8")
    if upgrade:
        plan_install(site, agent, "user").install()
    plan_uninstall(site, agent, "user").uninstall()
    if not touched:
        assert path.read_bytes() == file.read_bytes()
        return
    left = SettingsEdit("x", path.read_text("utf-8")).value
    assert left.pop("addedSince") == 1
    assert left == SettingsEdit("old", file.read_text("utf-8")).value


@pytest.mark.parametrize("file", BROKEN, ids=[path.name for path in BROKEN])
def test_a_broken_file_is_refused_and_left(site: Site, file: Path) -> None:
    agent = AGENTS["claude"]
    path = put(site, agent, file.read_bytes())
    before = tree(site.home)
    with pytest.raises(ExecPolicyError) as caught:
        plan_install(site, agent, "user")
    assert str(path) in str(caught.value)
    assert "left as it is" in str(caught.value)
    if file.name != "not-utf-8.json":
        place = str(caught.value).removeprefix(str(path)).split(":")
        assert int(place[1]) > 0
        assert int(place[2]) > 0
    assert tree(site.home) == before


@pytest.mark.parametrize(
    ("agent", "scope"),
    [(agent, scope) for agent in AGENTS.values() for scope in SCOPES if getattr(agent.place, scope)],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_file_that_was_not_there_goes_again(site: Site, agent: Agent, scope: Scope) -> None:
    before = [tree(folder) for folder in (site.home, site.cwd, site.root)]
    install(site, agent, scope)
    assert not plan_install(site, agent, scope).changed()
    assert Path(site.settings_file(agent, scope)).is_file()
    plan_uninstall(site, agent, scope).uninstall()
    after = [tree(folder) for folder in (site.home, site.cwd, site.root)]
    assert not any(content is not None for folder in after for content in folder.values())
    assert set(after[1]) == set(before[1])


def test_a_link_is_followed_not_replaced(site: Site, tmp_path: Path) -> None:
    agent = AGENTS["claude"]
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text('{"model": "opus"}\n')
    path = Path(site.settings_file(agent, "user"))
    path.parent.mkdir()
    path.symlink_to(target)
    install(site, agent)
    assert path.is_symlink()
    assert "hook_start" in target.read_text()
    assert not plan_install(site, agent, "user").changed()
    plan_uninstall(site, agent, "user").uninstall()
    assert path.is_symlink()
    assert target.read_text() == '{"model": "opus"}\n'


@pytest.mark.skipif(os.getuid() != 0, reason="only the administrator has files of others")
def test_a_file_of_somebody_else_stays_his(site: Site) -> None:
    path = put(site, AGENTS["claude"], b'{"model": "opus"}\n')
    os.chown(path, 12345, 23456)
    path.chmod(0o640)
    for change in (install, lambda *_: plan_uninstall(site, AGENTS["claude"], "user").uninstall()):
        change(site, AGENTS["claude"])
        found = path.stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (12345, 23456, 0o640)


def test_a_linked_folder_is_followed(site: Site, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (Path(site.home) / ".claude").symlink_to(tmp_path / "dotfiles")
    install(site, AGENTS["claude"])
    assert (tmp_path / "dotfiles" / "settings.json").is_file()
    plan_uninstall(site, AGENTS["claude"], "user").uninstall()
    assert not (tmp_path / "dotfiles" / "settings.json").exists()


def test_a_change_under_our_hands_is_not_overwritten(site: Site) -> None:
    path = put(site, AGENTS["claude"], b"{}\n")
    change = plan_install(site, AGENTS["claude"], "user")
    path.write_text('{"model": "opus"}\n')
    with pytest.raises(ExecPolicyError, match="changed since"):
        change.install()
    assert path.read_text() == '{"model": "opus"}\n'


def test_a_folder_that_cannot_be_written_leaves_all_as_it_was(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(site, AGENTS["claude"], b"{}\n")
    before = tree(site.home)
    change = plan_install(site, AGENTS["claude"], "user")

    def refuse(old: str, new: str) -> None:
        monkeypatch.undo()
        raise OSError(28, "No space left on device", new)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ExecPolicyError, match="No space left"):
        change.install()
    assert tree(site.home) == before
    assert path.read_bytes() == b"{}\n"


def test_the_former_content_is_kept(site: Site) -> None:
    path = put(site, AGENTS["claude"], b'{"model":"opus"}')
    change = plan_install(site, AGENTS["claude"], "user")
    change.install()
    backup = Path(change.keeping.backup(str(path)))
    assert backup.read_bytes() == b'{"model":"opus"}'
    assert backup.stat().st_mode & 0o777 == 0o600


def test_another_version_of_our_hook_is_replaced_and_the_first_content_stays_known(site: Site) -> None:
    agent = AGENTS["claude"]
    path = put(site, agent, b'{"model": "opus"}\n')
    install(site, agent)
    again = plan_install(site, agent, "user", ("--on-prompt", "deny"))
    assert again.changed()
    again.install()
    hooks = json.loads(path.read_text())["hooks"]["PreToolUse"]
    assert len(hooks) == 1
    assert hooks[0]["hooks"][0]["command"].endswith("claude --on-prompt deny")
    plan_uninstall(site, agent, "user").uninstall()
    assert path.read_bytes() == b'{"model": "opus"}\n'


@pytest.mark.parametrize("text", [None, "{}", '{"model": "opus"}\n', '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n'])
def test_what_was_changed_before_another_installation_is_what_comes_back(site: Site, text: str | None) -> None:
    agent = AGENTS["claude"]
    path = Path(site.settings_file(agent, "user"))
    if text is not None:
        put(site, agent, text.encode())
    install(site, agent)
    edit = SettingsEdit("x", path.read_text())
    edit.put(("since",), True)
    path.write_text(edit.text)
    plan_install(site, agent, "user", ("--on-prompt", "deny")).install()
    plan_uninstall(site, agent, "user").uninstall()
    assert "hook_start" not in path.read_text()
    assert json.loads(path.read_text()) == {**json.loads(text or "{}"), "since": True}


@pytest.mark.parametrize("name", ["cline", "pi", "opencode", "amp"])
def test_a_program_of_ours_that_was_changed_goes_all_the_same(site: Site, name: str) -> None:
    agent = AGENTS[name]
    path = Path(site.settings_file(agent, "user"))
    install(site, agent)
    program = path.parent / "execpolicy-hook" if name == "amp" else path
    program.write_text(program.read_text() + "\n")
    install(site, agent)
    plan_uninstall(site, agent, "user").uninstall()
    assert not path.exists()
    assert not program.exists()


def test_a_script_that_cannot_be_started_is_made_startable(site: Site) -> None:
    agent = AGENTS["cline"]
    install(site, agent)
    path = Path(site.settings_file(agent, "user"))
    path.chmod(0o640)
    install(site, agent)
    assert path.stat().st_mode & 0o777 == 0o751
    assert not plan_install(site, agent, "user").changed()


def test_another_program_where_ours_should_be_is_left_alone(site: Site) -> None:
    program = Path(site.settings_file(AGENTS["amp"], "user")).parent / "execpolicy-hook"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    with pytest.raises(ExecPolicyError, match="another program is there"):
        plan_install(site, AGENTS["amp"], "user")


def test_a_hook_written_by_hand_is_replaced_beside_others(site: Site) -> None:
    agent = AGENTS["claude"]
    path = put(site, agent, (DATA / "settings" / "claude-by-hand.json").read_bytes())
    install(site, agent)
    groups = json.loads(path.read_text())["hooks"]["PreToolUse"]
    assert [group["matcher"] for group in groups] == ["Bash", "*"]
    assert groups[0]["hooks"] == [{"type": "command", "command": "log"}]


@pytest.mark.parametrize("name", ["goose", "crush"])
def test_where_a_matcher_is_a_regular_expression_there_is_none(site: Site, name: str) -> None:
    """``*`` is none, and the hook that stands behind it is never asked."""
    install(site, AGENTS[name])
    (entry,) = json.loads(Path(site.settings_file(AGENTS[name], "user")).read_text())["hooks"]["PreToolUse"]
    assert "matcher" not in entry


def test_another_script_in_the_only_place_is_left_alone(site: Site) -> None:
    put(site, AGENTS["cline"], b"#!/bin/sh\nexit 0\n")
    with pytest.raises(ExecPolicyError, match="another hook is there"):
        plan_install(site, AGENTS["cline"], "user")


def test_our_permissions_come_first_where_the_first_decides(site: Site) -> None:
    agent = AGENTS["amp"]
    path = put(site, agent, (DATA / "settings" / "amp-usual.json").read_bytes())
    install(site, agent)
    permissions = SettingsEdit("x", path.read_text()).value["amp.permissions"]
    assert [each["action"] for each in permissions] == ["delegate", "delegate", "allow", "ask"]
    assert os.access(permissions[0]["to"], os.X_OK)


def test_ours_are_put_first_again_where_another_permission_got_before_them(site: Site) -> None:
    agent = AGENTS["amp"]
    install(site, agent)
    path = Path(site.settings_file(agent, "user"))
    value = json.loads(path.read_text())
    value["amp.permissions"].insert(0, {"tool": "Bash", "action": "allow"})
    path.write_text(json.dumps(value))
    install(site, agent)
    actions = [each["action"] for each in json.loads(path.read_text())["amp.permissions"]]
    assert actions == ["delegate", "delegate", "allow"]


def test_a_hook_has_a_name_that_stays_where_hooks_are_switched_off_by_name(site: Site, tmp_path: Path) -> None:
    agent = AGENTS["gemini"]
    path = Path(site.settings_file(agent, "user"))
    install(site, agent)
    (name,) = hook_names(path.read_text())
    plan_install(site, agent, "user", ("--on-prompt", "deny")).install()
    assert hook_names(path.read_text()) == [name]
    install(site, agent, "machine")
    assert hook_names(Path(site.settings_file(agent, "machine")).read_text()) != [name]


def test_settings_of_the_machine_switch_hooks_on(site: Site) -> None:
    put(site, AGENTS["gemini"], b'{"hooksConfig": {"enabled": false}}', "machine")
    install(site, AGENTS["gemini"], "machine")
    value = json.loads(Path(site.settings_file(AGENTS["gemini"], "machine")).read_text())
    assert value["hooksConfig"] == {"enabled": True}
    plan_uninstall(site, AGENTS["gemini"], "machine").uninstall()
    assert Path(site.settings_file(AGENTS["gemini"], "machine")).read_bytes() == b'{"hooksConfig": {"enabled": false}}'


@pytest.mark.parametrize(
    ("name", "text"), [("gemini", '{"hooksConfig": {"enabled": false}}'), ("qwen", '{"disableAllHooks": true}')]
)
def test_a_switch_is_as_it_was_when_the_hook_goes_from_a_file_that_was_changed(
    site: Site, name: str, text: str
) -> None:
    agent = AGENTS[name]
    path = put(site, agent, text.encode(), "machine")
    install(site, agent, "machine")
    edit = SettingsEdit("x", path.read_text())
    edit.put(("since",), 1)
    path.write_text(edit.text)
    plan_uninstall(site, agent, "machine").uninstall()
    assert json.loads(path.read_text()) == {**json.loads(text), "since": 1}


def test_other_folders_are_taken_from_the_variables(tmp_path: Path) -> None:
    site = make_site(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere"), XDG_CONFIG_HOME=str(tmp_path / "xdg"))
    assert site.settings_file(AGENTS["claude"], "user") == str(tmp_path / "elsewhere/settings.json")
    assert site.settings_file(AGENTS["opencode"], "user") == str(tmp_path / "xdg/opencode/plugin/execpolicy.js")


def test_the_patience_of_qwen_means_the_same_in_every_version(site: Site) -> None:
    """Since 0.24 a value below 1000 is in seconds; before, every value is in milliseconds."""
    install(site, AGENTS["qwen"])
    (group,) = json.loads(Path(site.settings_file(AGENTS["qwen"], "user")).read_text("utf-8"))["hooks"]["PreToolUse"]
    assert group["hooks"][0]["timeout"] == 30_000
