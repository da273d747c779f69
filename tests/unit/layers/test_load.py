"""Layers in force: order, trust, broken files, modes."""

from __future__ import annotations

import itertools
import os
import time
from pathlib import Path
from typing import Any

import pytest

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import RuleFileError, RuleStoreError, UsageError
from execpolicy.lang import compile as compiler
from execpolicy.lang.compile import Compiled
from execpolicy.layers import load
from execpolicy.layers.load import FailedFiles, load_layers
from execpolicy.layers.problems import codex_display, problem
from execpolicy.source import Source
from tests.support.machine import Machine, in_force


def rule(program: str, decision: str = "forbidden") -> str:
    return f'prefix_rule(["{program}"], decision="{decision}")\n'


def fill(machine: Machine) -> dict[str, Path]:
    """One file in every folder layer."""
    inner = machine.project / "inner"
    machine.trust(machine.project)
    folders = {
        "built-in": machine.builtin,
        "system": machine.system / "rules",
        "user": machine.codex_home / "rules",
        "own": machine.own_home / "rules",
        "project": machine.project / ".codex" / "rules",
        "inner": inner / ".codex" / "rules",
    }
    return {name: machine.write(folder / "x.rules", rule(name)) for name, folder in folders.items()}


def test_the_order_is_lowest_layer_first(machine: Machine) -> None:
    fill(machine)
    machine.write(
        machine.system / "requirements.toml",
        '[rules]\nprefix_rules = [{pattern=[{token="requirements"}], decision="forbidden"}]\n',
    )
    loaded = machine.load(
        cwd=str(machine.project / "inner"),
        session=(Source("<session>", rule("session")),),
        environment=(Source("<environment>", rule("environment")),),
    )
    expected = ["built-in", "system", "user", "own", "project", "inner", "session", "environment", "requirements"]
    assert in_force(loaded) == [f"{name} forbidden" for name in expected]
    assert [layer.name for layer in loaded.layers] == [name.replace("inner", "project") for name in expected]


def test_every_rule_knows_its_layer_and_place(machine: Machine) -> None:
    files = fill(machine)
    for loaded in machine.load().rules:
        name = str(loaded.statement.pattern)  # type: ignore[union-attr]  # this machine only has prefix rules
        assert (loaded.layer.name, loaded.path) == (name, str(files[name]))
        assert str(loaded.statement.place) == f"{files[name]}:1"


def test_files_of_a_folder_come_in_byte_order_and_see_the_host_executables_of_earlier_ones(machine: Machine) -> None:
    rules = machine.codex_home / "rules"
    machine.write(rules / "b.rules", 'prefix_rule(["foo"], match=["/opt/foo"], not_match=["/bin/foo"])\n')
    machine.write(rules / "a.rules", 'host_executable("foo", ["/opt/foo"])\n')
    loaded = machine.load()
    assert not loaded.diagnostics
    (rules / "a.rules").rename(rules / "c.rules")
    assert [found.code for found in machine.load().errors()] == ["EP004"]


def test_a_missing_home_has_no_layers(machine: Machine) -> None:
    loaded = machine.load(codex_home=None, own_home=None, system_folder=None, requirements=None, builtin_folder=None)
    assert (loaded.layers, loaded.statements, loaded.fail_closed) == ((), (), False)


def test_a_built_in_folder_that_is_missing_fails_closed(machine: Machine) -> None:
    """Without its rules nothing is known to be dangerous."""
    loaded = machine.load(builtin_folder=str(machine.root / "no such folder"))
    assert [found.code for found in loaded.errors()] == ["EP005"]
    assert loaded.fail_closed


class TestGivenFiles:
    """``-r FILE``: exactly these above the built-in layer."""

    def test_nothing_else_counts(self, machine: Machine) -> None:
        fill(machine)
        machine.write(machine.system / "requirements.toml", "broken")
        given = machine.write(machine.root / "given.txt", rule("given"))
        text = Source("<text>", rule("text"))
        loaded = machine.load(files=(str(given),), texts=(text,))
        assert in_force(loaded) == ["built-in forbidden", "given forbidden", "text forbidden"]
        assert not loaded.fail_closed

    def test_a_link_and_any_extension_will_do(self, machine: Machine) -> None:
        given = machine.write(machine.root / "given.txt", rule("given"))
        link = machine.root / "link"
        link.symlink_to(given)
        assert in_force(machine.load(files=(str(link),))) == ["given forbidden"]

    @pytest.mark.parametrize(
        ("make", "reason"),
        [
            (lambda path: None, "No such file or directory"),
            (lambda path: path.mkdir(), "Is a directory"),
            (lambda path: path.write_bytes(b"\xff"), "it is not UTF-8 at byte 0"),
        ],
    )
    def test_an_unreadable_one_is_named_and_fails_closed(self, machine: Machine, make: object, reason: str) -> None:
        path = machine.root / "given.rules"
        make(path)  # type: ignore[operator]  # a parametrised callable
        loaded = machine.load(files=(str(path),))
        assert [found.message for found in loaded.errors()] == [f"failed to read policy at {path}: {reason}"]
        assert loaded.fail_closed

    def test_an_empty_list_means_the_built_in_layer_alone(self, machine: Machine) -> None:
        fill(machine)
        assert in_force(machine.load(files=())) == ["built-in forbidden"]


class TestBrokenFile:
    """One broken file in any layer."""

    LAYERS = ("built-in", "system", "user", "own", "project", "inner")

    @pytest.mark.parametrize("broken", LAYERS)
    def test_it_is_isolated_reported_and_fails_closed(self, machine: Machine, broken: str) -> None:
        files = fill(machine)
        files[broken].write_text(rule("ok") + 'prefix_rule(["x"],\n  decision="maybe")\n')
        loaded = machine.load(cwd=str(machine.project / "inner"))
        assert in_force(loaded) == [f"{name} forbidden" for name in self.LAYERS if name != broken]
        (found,) = loaded.errors()
        assert (found.path, found.line, found.message) == (str(files[broken]), 2, "invalid decision: maybe")
        assert found.column > 0
        assert loaded.fail_closed

    @pytest.mark.parametrize("name", ["session", "environment"])
    def test_a_broken_text_in_memory_too(self, machine: Machine, name: str) -> None:
        fill(machine)
        loaded = machine.load(**{name: (Source("<memory>", "nonsense("),)})
        assert [found.path for found in loaded.errors()] == ["<memory>"]
        assert len(in_force(loaded)) == 5
        assert loaded.fail_closed

    @pytest.mark.parametrize("broken", LAYERS)
    def test_strict_raises(self, machine: Machine, broken: str) -> None:
        files = fill(machine)
        files[broken].write_text("nonsense(\n")
        with pytest.raises(RuleFileError) as caught:
            machine.load(cwd=str(machine.project / "inner"), mode="strict")
        assert [found.path for found in caught.value.diagnostics] == [str(files[broken])]

    def test_strict_raises_for_a_warning_too(self, machine: Machine) -> None:
        machine.write(machine.codex_home / "rules/a.rules", "def prefix_rule(**kw):\n    pass\n")
        assert not machine.load().fail_closed
        with pytest.raises(RuleFileError, match="bound to something else"):
            machine.load(mode="strict")

    @pytest.mark.parametrize("broken", LAYERS[1:])
    def test_codex_drops_every_rule_file_but_not_the_overlay(self, machine: Machine, broken: str) -> None:
        files = fill(machine)
        files[broken].write_text("nonsense(\n")
        machine.write(
            machine.system / "requirements.toml",
            '[rules]\nprefix_rules = [{pattern=[{token="required"}], decision="forbidden"}]\n',
        )
        loaded = machine.load(cwd=str(machine.project / "inner"), mode="codex")
        assert in_force(loaded) == ["built-in forbidden", "required forbidden"]
        (warning,) = [found for found in loaded.diagnostics if found.severity == "warning"]
        (error,) = loaded.errors()
        assert warning.message == "Error parsing rules; custom rules not applied."
        assert warning.help == f"{files[broken]}:1: {error.codex} (problem is on or around line 1)"
        assert not loaded.fail_closed

    def test_codex_shows_a_problem_without_a_line_by_the_file_alone(self) -> None:
        found = Diagnostic(code="EP005", message="it is broken", path="a.rules")
        assert codex_display(found) == "a.rules: it is broken"

    def test_codex_refuses_extensions_where_it_reads(self, machine: Machine) -> None:
        write = 'write_rule(["/tmp/**"], decision="prompt")\n'
        machine.write(machine.codex_home / "rules/a.rules", write)
        assert len(machine.load().statements) == 1
        assert machine.load(mode="codex").statements == ()
        (machine.codex_home / "rules/a.rules").unlink()
        machine.write(machine.own_home / "rules/a.rules", write)
        assert len(machine.load(mode="codex").statements) == 1

    @pytest.mark.parametrize("mode", ["isolated", "codex"])
    def test_a_file_that_is_not_utf8(self, machine: Machine, mode: str) -> None:
        fill(machine)
        path = machine.codex_home / "rules/bad.rules"
        path.write_bytes(b'prefix_rule(["\xff"])\n')
        message = f"failed to read rules file {path}: it is not UTF-8 at byte 14"
        if mode == "codex":
            with pytest.raises(RuleStoreError, match="it is not UTF-8 at byte 14"):
                machine.load(mode=mode)
        else:
            loaded = machine.load()
            assert [found.message for found in loaded.errors()] == [message]
            assert loaded.fail_closed
            assert len(in_force(loaded)) == 5

    def test_a_rules_folder_that_cannot_be_listed(self, machine: Machine) -> None:
        folder = machine.codex_home / "rules"
        machine.write(folder, "a file")
        loaded = machine.load()
        assert [found.message for found in loaded.errors()] == [
            f"failed to read rules files from {folder}: Not a directory"
        ]
        assert loaded.fail_closed
        with pytest.raises(RuleStoreError, match="failed to read rules files from"):
            machine.load(mode="codex")

    def test_a_rule_file_that_is_a_link_is_reported(self, machine: Machine) -> None:
        target = machine.write(machine.root / "elsewhere.rules", rule("x"))
        link = machine.codex_home / "rules/link.rules"
        link.parent.mkdir()
        link.symlink_to(target)
        loaded = machine.load()
        assert in_force(loaded) == []
        assert [(found.path, found.severity) for found in loaded.diagnostics] == [(str(link), "warning")]


class TestLastGood:
    """A file that was fine before."""

    def test_its_last_good_version_stays_and_the_rest_fails_closed(self, machine: Machine) -> None:
        files = fill(machine)
        before = machine.load()
        files["user"].write_text("nonsense(\n")
        after = load_layers(machine.options(), last_good={file.path: file for file in before.files})
        assert in_force(after) == in_force(before)
        assert after.fail_closed
        assert [found.severity for found in after.diagnostics] == ["error", "info"]
        assert after.content_hash != before.content_hash

    def test_it_survives_a_second_reload_and_ends_with_the_repair(self, machine: Machine) -> None:
        files = fill(machine)
        loaded = machine.load()
        for text in ("nonsense(\n", "worse(\n"):
            files["user"].write_text(text)
            loaded = load_layers(machine.options(), last_good={file.path: file for file in loaded.files})
            assert "user forbidden" in in_force(loaded)
        files["user"].write_text(rule("repaired"))
        loaded = load_layers(machine.options(), last_good={file.path: file for file in loaded.files})
        assert "repaired forbidden" in in_force(loaded)
        assert "user forbidden" not in in_force(loaded)
        assert not loaded.fail_closed

    def test_the_overlay_keeps_its_last_good_version_and_then_a_person_answers_all_of_it(
        self, machine: Machine
    ) -> None:
        path = machine.write(
            machine.system / "requirements.toml",
            '[rules]\nprefix_rules = [{pattern=[{token="a"}], decision="prompt"}]\n',
        )
        before = machine.load()
        path.write_text("[rules\n")
        after = load_layers(machine.options(), last_good={file.path: file for file in before.files})
        assert (in_force(before), in_force(after)) == (["a prompt"], ["a prompt"])
        assert (len(before.human_only), len(after.human_only)) == (0, 1)
        assert [getattr(rule, "human_only", None) for rule in after.statements] == [True]
        assert after.fail_closed

    def test_a_removed_file_is_gone(self, machine: Machine) -> None:
        files = fill(machine)
        before = machine.load()
        files["user"].unlink()
        after = load_layers(machine.options(), last_good={file.path: file for file in before.files})
        assert "user forbidden" not in in_force(after)
        assert not after.fail_closed

    def test_an_unchanged_file_is_checked_again_when_its_host_executables_change(self, machine: Machine) -> None:
        rules = machine.codex_home / "rules"
        hosts = machine.write(rules / "a.rules", 'host_executable("foo", ["/opt/foo"])\n')
        machine.write(rules / "b.rules", 'prefix_rule(["foo"], match=["/opt/foo"])\n')
        before = machine.load()
        hosts.write_text('host_executable("foo", ["/usr/bin/foo"])\n')
        after = load_layers(machine.options(), last_good={file.path: file for file in before.files})
        assert [found.code for found in after.errors()] == ["EP003"]

    def test_a_project_that_lost_its_trust_loses_its_grants(self, machine: Machine) -> None:
        machine.trust(machine.project)
        machine.write(machine.project / ".codex/rules/a.rules", rule("granted", "allow"))
        before = machine.load()
        assert in_force(before) == ["granted allow"]
        (machine.codex_home / "config.toml").unlink()
        after = load_layers(machine.options(), last_good={file.path: file for file in before.files})
        assert in_force(after) == []


class TestUntrustedProject:
    """It may tighten and nothing else."""

    def write(self, machine: Machine, text: str) -> None:
        machine.write(machine.project / ".codex/rules/a.rules", text)

    def test_its_prompt_and_forbidden_rules_count_and_its_allow_rules_do_not(self, machine: Machine) -> None:
        self.write(machine, rule("a", "allow") + rule("b", "prompt") + rule("c", "forbidden"))
        loaded = machine.load()
        assert in_force(loaded) == ["b prompt", "c forbidden"]
        assert [found.inert for found in loaded.rules] == ["an untrusted project may not allow", None, None]
        assert not loaded.fail_closed

    def test_it_cannot_take_paths_out_of_reach_of_a_forbid_rule(self, machine: Machine) -> None:
        machine.write(machine.codex_home / "rules/a.rules", rule("rm"))
        self.write(machine, 'host_executable("rm", [])\n')
        loaded = machine.load()
        assert [found.statement.__class__.__name__ for found in loaded.rules if found.inert] == ["HostExecutable"]

    def test_its_own_examples_still_see_its_host_executables(self, machine: Machine) -> None:
        self.write(
            machine,
            'host_executable("foo", ["/opt/foo"])\n'
            'prefix_rule(["foo"], decision="prompt", match=["/opt/foo"], not_match=["/bin/foo"])\n',
        )
        assert not machine.load().diagnostics

    def test_all_of_its_files_together_have_a_few_seconds(
        self, machine: Machine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = itertools.count(0, 2)
        monkeypatch.setattr(load, "monotonic", lambda: next(clock))
        for name in "ab":
            machine.write(machine.project / f".codex/rules/{name}.rules", f"x = [1 for _ in range(9)]\n{rule(name)}")
        loaded = machine.load()
        assert in_force(loaded) == ["a forbidden"]
        assert loaded.fail_closed
        assert [found.message for found in loaded.diagnostics] == [
            "it was not read: untrusted rule files took more than 1 s together"
        ]

    def test_a_file_that_failed_is_remembered_by_its_text(
        self, machine: Machine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        evaluated: list[str] = []

        def compile_source(source: Source, **options: Any) -> Compiled:
            evaluated.append(source.text)
            return compiler.compile_source(source, **options)

        def faults(cache: Path | None) -> list[tuple[str, str, int]]:
            loaded = load_layers(machine.options(), cache=None if cache is None else str(cache))
            assert loaded.fail_closed
            return [(found.code, found.message, found.line) for found in loaded.diagnostics]

        monkeypatch.setattr(load, "compile_source", compile_source)
        monkeypatch.setattr(load, "_COSTLY_S", 0.0)
        cache = machine.root / "cache"
        self.write(machine, "x = 1\nnonsense()\n")
        first = faults(cache)
        assert faults(cache) == first
        assert len(evaluated) == 1
        assert [path.stat().st_mode & 0o777 for path in (cache, *cache.iterdir())] == [0o700, 0o600]
        assert faults(None) == first
        assert len(evaluated) == 2, "there is no cache"
        self.write(machine, "x = 2\nnonsense()\n")
        assert faults(cache) == first
        assert len(evaluated) == 3, "the text is another one"
        monkeypatch.setattr(load, "time", lambda: time.time() + 3601)
        assert faults(cache) == first
        assert len(evaluated) == 4, "an hour went by"
        cache.chmod(0o777)
        assert faults(cache) == first
        assert len(evaluated) == 5, "anybody may write to the cache"
        machine.trust(machine.project)
        cache.chmod(0o700)
        faults(cache)
        assert len(evaluated) > 5, "the project is trusted"

    def test_a_failure_in_less_time_says_nothing(self, machine: Machine) -> None:
        failed, source = FailedFiles(str(machine.root / "cache")), Source("a.rules", "x")
        failed.add(source, 0.5, 0.5, [problem("EP006", "evaluation took longer than 0.5 s", "a.rules")])
        assert [found.path for found in failed.find(Source("b.rules", "x"), 0.5)] == ["b.rules"]
        assert failed.find(source, 0.6) == ()

    def test_network_and_write_rules_may_only_tighten(self, machine: Machine) -> None:
        self.write(
            machine,
            'network_rule("a.b", "https", "allow")\nnetwork_rule("a.b", "https", "deny")\n'
            'write_rule(["/**"], decision="allow")\nwrite_rule(["/**"], decision="forbidden")\n',
        )
        assert [found.inert is None for found in machine.load().rules] == [False, True, False, True]

    def test_heuristic_entries_may_only_add_danger(self, machine: Machine) -> None:
        danger = 'dangerous_command(name="{0}", program="{0}", reason="x")\n'
        machine.write(machine.builtin / "a.rules", danger.format("taken"))
        self.write(
            machine,
            'safe_command(name="s", program="s", reason="x")\n'
            + danger.format("new")
            + 'dangerous_command(name="taken", program="other", reason="x")\n'
            + 'dangerous_command(name="taken", disabled=True)\n',
        )
        loaded = machine.load()
        assert not loaded.diagnostics
        assert [found.inert is None for found in loaded.rules] == [True, False, True, False, False]

    def test_codex_mode_does_not_even_read_it(self, machine: Machine) -> None:
        self.write(machine, "nonsense(")
        loaded = machine.load(mode="codex")
        assert (loaded.statements, loaded.diagnostics) == ((), ())
        (layer,) = [layer for layer in loaded.layers if layer.name == "project"]
        assert not layer.enabled
        assert layer.reason is not None

    @pytest.mark.parametrize(
        "text",
        [
            "x = [0]\nfor i in range(60):\n    x = x + x\n",
            'def f():\n    for i in range(1 << 60):\n        pass\nf()\nprefix_rule(["a"])\n',
            "(" * 100_000,
            "#" * (2 << 20),
        ],
        ids=["memory", "time", "nesting", "size"],
    )
    def test_a_hostile_file_fails_closed_and_harms_nobody(self, machine: Machine, text: str) -> None:
        machine.write(machine.codex_home / "rules/a.rules", rule("mine"))
        self.write(machine, text)
        loaded = machine.load()
        assert in_force(loaded) == ["mine forbidden"]
        assert loaded.fail_closed
        assert len(loaded.errors()) == 1

    def test_a_flood_of_files_fails_closed(self, machine: Machine) -> None:
        for number in range(40):
            machine.write(machine.project / f".codex/rules/{number:03}.rules", rule(f"p{number}"))
        loaded = machine.load()
        assert loaded.fail_closed
        assert len(in_force(loaded)) == 32

    def test_a_special_file_in_place_of_a_rule_file_does_not_hang(self, machine: Machine) -> None:
        folder = machine.project / ".codex/rules"
        folder.mkdir(parents=True)
        os.mkfifo(folder / "x.rules")
        assert [found.severity for found in machine.load().diagnostics] == ["warning"]


class TestSwitches:
    """What leaves layers out."""

    def test_ignore_rules_leaves_out_user_own_and_project_files(self, machine: Machine) -> None:
        fill(machine)
        loaded = machine.load(ignore_rules=True)
        assert in_force(loaded) == ["built-in forbidden", "system forbidden"]
        assert [layer.name for layer in loaded.layers if not layer.enabled] == ["user", "own", "project"]

    def test_broken_files_that_are_left_out_break_nothing(self, machine: Machine) -> None:
        fill(machine)["user"].write_text("nonsense(")
        assert not machine.load(ignore_rules=True).diagnostics

    @pytest.mark.parametrize("profile", ["../x", "a/b", "", "a\0b"])
    def test_a_profile_is_a_bare_name(self, machine: Machine, profile: str) -> None:
        (machine.project / ".codex").mkdir()
        with pytest.raises(UsageError, match="a profile is a bare name"):
            machine.load(profile=profile)

    def test_a_profile_loads_the_user_rules_twice_in_codex_mode_only(self, machine: Machine) -> None:
        fill(machine)
        assert in_force(machine.load(profile="p")).count("user forbidden") == 1
        assert in_force(machine.load(profile="p", mode="codex")).count("user forbidden") == 2

    def test_an_allow_rule_of_the_environment_is_refused_and_its_other_rules_count(self, machine: Machine) -> None:
        text = rule("a", "allow") + rule("b", "prompt")
        loaded = machine.load(environment=(Source("<environment>", text),))
        assert in_force(loaded) == ["b prompt"]
        assert [found.message for found in loaded.errors()] == ["environment command policy cannot contain allow rules"]
        assert loaded.fail_closed


class TestContentHash:
    """Equal exactly when what is in force is equal."""

    def test_it_is_stable_and_follows_every_change(self, machine: Machine) -> None:
        files = fill(machine)
        seen = [machine.load().content_hash]
        assert machine.load().content_hash == seen[0]
        files["user"].write_text(rule("user", "prompt"))
        seen.append(machine.load().content_hash)
        machine.write(
            machine.system / "requirements.toml",
            '[rules]\nprefix_rules = [{pattern=[{token="a"}], decision="prompt"}]\n',
        )
        seen.append(machine.load().content_hash)
        (machine.codex_home / "config.toml").unlink()
        seen.append(machine.load().content_hash)
        seen.append(machine.load(session=(Source("<s>", rule("s")),)).content_hash)
        seen.append(machine.load(session=(Source("<s>", rule("t")),)).content_hash)
        assert len(set(seen)) == len(seen)
