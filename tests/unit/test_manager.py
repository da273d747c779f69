"""The policy of a running program."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.amend import append
from execpolicy.core.decision import Decision
from execpolicy.core.network import domains_of
from execpolicy.errors import RuleFileError, RuleStoreError
from execpolicy.judge.check import check_multiple
from execpolicy.judge.situation import Situation
from execpolicy.manager import policy_manager as manager_module
from execpolicy.manager.policy_manager import PolicyAmender, PolicyManager, Snapshot
from execpolicy.source import Source
from tests.support.machine import Machine, in_force

DEADLINE = 20.0
"""Seconds after which something that should happen has not."""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path.resolve())
    made.codex_home.mkdir(parents=True)
    return made


@pytest.fixture
def rules(machine: Machine) -> Path:
    return machine.write(machine.codex_home / "rules/mine.rules", rule("first"))


def rule(program: str, decision: str = "forbidden") -> str:
    return f'prefix_rule(["{program}"], decision="{decision}")\n'


def manager_of(machine: Machine, **changes: object) -> PolicyManager:
    return PolicyManager(machine.options(**changes), lock_timeout=0.2)


class TestSnapshots:
    """What a reader holds."""

    def test_a_held_snapshot_never_changes(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        held = manager.current()
        rules.write_text(rule("second"))
        manager.reload()
        assert in_force(held.layers) == ["first forbidden"]
        assert in_force(manager.current().layers) == ["second forbidden"]
        assert held.policy.matches(["first"])
        assert not manager.current().policy.matches(["first"])

    def test_generations_count_swaps_and_nothing_else(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        first = manager.current()
        assert first.generation == 1
        assert manager.reload() is first
        rules.write_text(rule("second"))
        second = manager.reload()
        assert (second.generation, second is manager.current()) == (2, True)
        rules.write_text(rule("first"))
        third = manager.reload()
        assert (third.generation, third.content_hash) == (3, first.content_hash)

    def test_current_does_not_wait_for_a_reload(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        with manager._writing:  # a reload in progress holds it
            done: list[Snapshot] = []
            reader = threading.Thread(target=lambda: done.append(manager.current()))
            reader.start()
            reader.join(DEADLINE)
            assert done == [manager.current()]

    def test_a_broken_file_keeps_its_last_good_version_and_fails_closed(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        rules.write_text("nonsense(\n")
        broken = manager.reload()
        assert in_force(broken.layers) == ["first forbidden"]
        assert broken.rulebook.fail_closed
        assert [found.path for found in broken.diagnostics if found.severity == "error"] == [str(rules)]
        rules.write_text(rule("second"))
        repaired = manager.reload()
        assert in_force(repaired.layers) == ["second forbidden"]
        assert not repaired.rulebook.fail_closed

    def test_the_same_broken_file_is_not_swapped_in_again_and_again(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        rules.write_text("nonsense(\n")
        broken = manager.reload()
        assert manager.reload() is broken

    def test_a_mode_that_refuses_problems_keeps_the_old_snapshot(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine, mode="strict")
        before = manager.current()
        rules.write_text("nonsense(\n")
        with pytest.raises(RuleFileError):
            manager.reload()
        assert manager.current() is before

    def test_session_rules_live_in_memory(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        manager.add_session_rules(Source("<session>", rule("extra")))
        assert in_force(manager.reload().layers) == ["first forbidden", "extra forbidden"]

    def test_refused_session_rules_leave_no_trace(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine, mode="strict")
        with pytest.raises(RuleFileError):
            manager.add_session_rules(Source("<session>", "nonsense("))
        assert in_force(manager.reload().layers) == ["first forbidden"]


def test_readers_never_see_a_mixed_policy_while_it_is_swapped(machine: Machine) -> None:
    folder = machine.codex_home / "rules"
    files = [machine.write(folder / f"{name}.rules", "") for name in "ab"]
    manager = manager_of(machine)
    texts = [[Source(str(file), rule(f"p{number}")) for file in files] for number in range(2)]
    stop = threading.Event()
    mixed: list[list[str]] = []
    reads = [0] * 8

    def read(slot: int) -> None:
        generation = 0
        while not stop.is_set():
            snapshot = manager.current()
            programs = {str(each.pattern) for each in snapshot.policy.rules}
            by_index = {each for each in ("p0", "p1") if snapshot.policy.matches([each])}
            if len(programs) > 1 or programs != by_index or snapshot.generation < generation:
                mixed.append([*programs, str(snapshot.generation)])
            generation = snapshot.generation
            reads[slot] += 1

    readers = [threading.Thread(target=read, args=(slot,)) for slot in range(8)]
    for reader in readers:
        reader.start()
    for swap in range(1000):
        manager._options = machine.options(texts=texts[swap % 2], builtin_folder=None)  # one change of two texts
        manager.reload()
    stop.set()
    for reader in readers:
        reader.join()
    assert mixed == []
    assert min(reads) > 0
    assert manager.current().generation == 1001


def test_a_reload_beside_busy_readers_and_an_event_loop(machine: Machine) -> None:
    """Every verdict is of one version, and no thread goes back to an older one once it has seen the next."""
    file = machine.codex_home / "rules" / "default.rules"
    machine.write(file, rule("v0"))
    manager = manager_of(machine)
    stop = threading.Event()
    wrong: list[object] = []
    reads = [0] * 4

    def read(slot: int) -> None:
        seen = 0
        while not stop.is_set():
            snapshot = manager.current()
            version = snapshot.generation - 1
            scripts = [f"v{version} x | v{version}", f"v{version - 1} x", f"sh -c 'v{version + 1}'"]
            decision, verdicts = check_multiple(scripts, snapshot.rulebook, situation=Situation("/srv"))
            found = [verdict.decision.word for verdict in verdicts]
            if version < seen or decision != "forbidden" or found != ["forbidden", "prompt", "prompt"]:
                wrong.append((seen, version, found))
            seen = version
            reads[slot] += 1

    async def reload() -> None:
        for version in range(1, 12):
            machine.write(file, rule(f"v{version}"))
            before = list(reads)
            assert (await manager.areload()).generation == version + 1
            while any(now == old for now, old in zip(reads, before, strict=True)) and not wrong:
                await asyncio.sleep(0.001)

    readers = [threading.Thread(target=read, args=(slot,)) for slot in range(len(reads))]
    for reader in readers:
        reader.start()
    try:
        asyncio.run(reload())
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert wrong == []


class TestSubscribers:
    """Who is told of a swap."""

    def test_each_swap_is_told_once_and_in_order(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        told: list[int] = []
        unsubscribe = manager.subscribe(lambda snapshot: told.append(snapshot.generation))
        for name in ("a", "b", "b"):
            rules.write_text(rule(name))
            manager.reload()
        unsubscribe()
        rules.write_text(rule("c"))
        manager.reload()
        assert told == [2, 3]

    def test_an_exception_stops_nobody(self, machine: Machine, rules: Path, caplog: pytest.LogCaptureFixture) -> None:
        manager = manager_of(machine)
        told: list[int] = []
        manager.subscribe(lambda snapshot: 1 // 0)
        manager.subscribe(lambda snapshot: told.append(snapshot.generation))
        rules.write_text(rule("a"))
        assert manager.reload().generation == 2
        assert told == [2]
        assert [record.message for record in caplog.records] == ["a subscriber failed"]

    def test_a_subscriber_may_reload_and_the_order_stays(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        told: list[int] = []

        def again(snapshot: Snapshot) -> None:
            if snapshot.generation == 2:
                rules.write_text(rule("b"))
                manager.reload()

        manager.subscribe(again)
        manager.subscribe(lambda snapshot: told.append(snapshot.generation))
        rules.write_text(rule("a"))
        manager.reload()
        assert told == [2, 3]


class TestAmendments:
    """Saving rules."""

    def default(self, machine: Machine) -> Path:
        return machine.codex_home / "rules/default.rules"

    def test_the_rule_is_in_the_file_and_in_force(self, machine: Machine) -> None:
        manager = manager_of(machine)
        done = manager.amend(["git", "push"])
        assert self.default(machine).read_text() == 'prefix_rule(pattern=["git", "push"], decision="allow")\n'
        assert (done.not_in_force, done.warning, done.snapshot) == (None, None, manager.current())
        assert manager.current().policy.check(["git", "push", "x"]).decision is Decision.ALLOW

    def test_several_prefixes_at_once(self, machine: Machine) -> None:
        manager_of(machine).amend(["a"], ["b", "c"])
        assert self.default(machine).read_text() == (
            'prefix_rule(pattern=["a"], decision="allow")\nprefix_rule(pattern=["b", "c"], decision="allow")\n'
        )

    def test_a_missing_home_is_made_but_nothing_above_it(self, machine: Machine) -> None:
        home = machine.root / "new"
        assert manager_of(machine, codex_home=str(home)).amend(["a"]).not_in_force is None
        deep = machine.root / "typo" / "home"
        with pytest.raises(RuleStoreError, match=f"failed to create {deep}: No such file or directory"):
            manager_of(machine, codex_home=str(deep)).amend(["a"])

    def test_without_a_home_it_says_what_to_set(self, machine: Machine) -> None:
        with pytest.raises(RuleStoreError, match="set HOME or CODEX_HOME"):
            manager_of(machine, codex_home=None).amend(["a"])

    def test_an_empty_prefix_is_refused_in_codexs_words(self, machine: Machine) -> None:
        path = self.default(machine)
        with pytest.raises(RuleStoreError) as caught:
            manager_of(machine).amend([])
        assert str(caught.value) == f"failed to update rules file {path}: prefix rule requires at least one token"
        assert not path.exists()

    def test_nothing_to_save_is_an_error_and_makes_no_file(self, machine: Machine) -> None:
        with pytest.raises(RuleStoreError, match="there is no rule to save"):
            manager_of(machine).amend()
        assert not self.default(machine).exists()

    def test_when_the_write_fails_memory_is_unchanged(self, machine: Machine) -> None:
        self.default(machine).mkdir(parents=True)
        manager = manager_of(machine)
        before = manager.current()
        with pytest.raises(RuleStoreError, match=r"failed to update rules file .* Is a directory"):
            manager.amend(["a"])
        assert manager.current() is before

    def test_in_a_broken_file_it_is_saved_and_said_not_to_be_in_force(self, machine: Machine) -> None:
        path = machine.write(self.default(machine), "nonsense(\n")
        done = manager_of(machine).amend(["a"])
        assert path.read_text() == 'nonsense(\nprefix_rule(pattern=["a"], decision="allow")\n'
        assert str(done.not_in_force).startswith(f"{path}:")

    def test_behind_a_rebound_builtin_it_is_said_not_to_be_in_force(self, machine: Machine) -> None:
        machine.write(self.default(machine), "def prefix_rule(**kw):\n    pass\n")
        assert "rebinds `prefix_rule`" in str(manager_of(machine).amend(["a"]).not_in_force)

    def test_in_a_layer_that_is_left_out_it_is_said_not_to_be_in_force(self, machine: Machine) -> None:
        done = manager_of(machine, ignore_rules=True).amend(["a"])
        assert done.not_in_force == "the user layer is not in force: left out by --ignore-rules"

    def test_in_an_untrusted_project_it_is_said_not_to_be_in_force(self, machine: Machine) -> None:
        folder = machine.project / ".codex"
        folder.mkdir()
        done = manager_of(machine).amend(["a"], path=str(folder / "rules/default.rules"))
        assert done.not_in_force == "an untrusted project may not allow"

    def test_a_journal_that_cannot_be_written_is_a_warning(self, machine: Machine) -> None:
        machine.write(machine.own_home, "a file in the way")
        done = manager_of(machine).amend(["a"])
        assert done.not_in_force is None
        assert "`undo` will not know of it" in str(done.warning)

    def test_network_rules_too(self, machine: Machine) -> None:
        manager = manager_of(machine)
        done = manager.amend_network("Example.COM:443", "https", Decision.FORBIDDEN, "Deny https access")
        assert self.default(machine).read_text() == (
            'network_rule(host="example.com", protocol="https", decision="deny", justification="Deny https access")\n'
        )
        assert done.not_in_force is None
        assert domains_of(manager.current().policy.network_rules) == ((), ("example.com",))

    def test_a_network_rule_that_no_file_may_hold_is_refused(self, machine: Machine) -> None:
        with pytest.raises(RuleStoreError, match="wildcards are not allowed"):
            manager_of(machine).amend_network("*.example.com", "https", Decision.ALLOW)
        assert not self.default(machine).exists()

    def test_undo_takes_back_exactly_what_was_saved(self, machine: Machine) -> None:
        path = machine.write(self.default(machine), "# mine")
        manager = manager_of(machine)
        manager.amend(["a"])
        manager.amend(["b"], ["c"])
        assert len(manager.undo()) == 2
        assert manager.undo() == ('prefix_rule(pattern=["a"], decision="allow")',)
        assert path.read_text() == "# mine"
        assert manager.current().policy.rules == ()
        with pytest.raises(RuleStoreError, match=r"there is nothing to undo in .*"):
            manager.undo()

    def test_undo_reports_only_what_was_still_there(self, machine: Machine) -> None:
        manager = manager_of(machine)
        manager.amend(["a"], ["b"])
        manager.undo(["a"])
        assert manager.undo() == ('prefix_rule(pattern=["b"], decision="allow")',)

    def test_undo_leaves_alone_what_was_there_before(self, machine: Machine) -> None:
        line = 'prefix_rule(pattern=["a"], decision="allow")\n'
        path = machine.write(self.default(machine), line)
        manager = manager_of(machine)
        manager.amend(["a"])
        with pytest.raises(RuleStoreError, match="nothing to undo"):
            manager.undo()
        assert path.read_text() == line

    def test_undo_of_what_somebody_removed_meanwhile(self, machine: Machine) -> None:
        manager = manager_of(machine)
        manager.amend(["a"])
        self.default(machine).write_text("")
        with pytest.raises(RuleStoreError, match="is no longer there"):
            manager.undo()

    def test_undo_of_a_chosen_prefix(self, machine: Machine) -> None:
        path = machine.write(self.default(machine), 'prefix_rule(pattern=["a"], decision="allow")\n# end\n')
        manager = manager_of(machine)
        manager.undo(["a"])
        assert path.read_text() == "# end\n"
        with pytest.raises(RuleStoreError, match="no line"):
            manager.undo(["a"])

    def test_threads_that_amend_at_once_lose_nothing(self, machine: Machine) -> None:
        manager = PolicyManager(machine.options())
        threads = [
            threading.Thread(target=lambda n=n: [manager.amend([f"p{n}", str(each)]) for each in range(10)])
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(manager.current().policy.rules) == 40


class TestAsyncio:
    """From an event loop."""

    def test_the_loop_runs_on_while_a_lock_is_waited_for(
        self, machine: Machine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        manager = manager_of(machine)
        entered, leave = threading.Event(), threading.Event()
        missing_suffix = append.missing_suffix

        def slow(text: str, lines: tuple[str, ...]) -> str:
            entered.set()
            assert leave.wait(DEADLINE)
            return missing_suffix(text, lines)

        monkeypatch.setattr(append, "missing_suffix", slow)

        async def run() -> None:
            saving = asyncio.create_task(manager.aamend(["default", "rule"]))
            while not entered.is_set():
                await asyncio.sleep(0.001)
            assert not saving.done()
            leave.set()
            assert (await saving).not_in_force is None
            assert (await manager.areload()) is manager.current()

        asyncio.run(run())

    def test_the_amender_of_the_approval_layer(self, machine: Machine) -> None:
        manager = manager_of(machine)
        asyncio.run(PolicyAmender(manager).amend(("git", "push")))
        assert manager.current().policy.matches(["git", "push"])

    def test_it_does_not_call_a_rule_saved_that_is_not_in_force(self, machine: Machine) -> None:
        machine.write(machine.codex_home / "rules/default.rules", "nonsense(\n")
        with pytest.raises(RuleStoreError, match="but not in force"):
            asyncio.run(PolicyAmender(manager_of(machine)).amend(("git", "push")))


class TestWatching:
    """Files that change behind the manager's back."""

    def expect(self, machine: Machine, change: Callable[[], object], expected: list[str]) -> None:
        """After ``change`` the manager has swapped to ``expected``."""
        manager = manager_of(machine)
        swapped = threading.Event()

        def check(snapshot: Snapshot) -> None:
            if in_force(snapshot.layers) == expected:
                swapped.set()

        manager.subscribe(check)
        with manager.watching(interval=0.01):
            change()
            assert swapped.wait(DEADLINE)
        assert [thread.name for thread in threading.enumerate() if thread.name == "execpolicy-watch"] == []

    def test_a_file_written_in_place(self, machine: Machine, rules: Path) -> None:
        self.expect(machine, lambda: rules.write_text(rule("second")), ["second forbidden"])

    def test_a_file_replaced_by_an_editor(self, machine: Machine, rules: Path) -> None:
        new = machine.write(machine.root / "new", rule("other"))
        self.expect(machine, lambda: new.rename(rules), ["other forbidden"])

    def test_a_file_of_the_same_size_and_time(self, machine: Machine, rules: Path) -> None:
        before = rules.stat()
        new = machine.write(machine.root / "new", rule("FIRST"))
        os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.expect(machine, lambda: new.rename(rules), ["FIRST forbidden"])

    def test_a_new_and_a_removed_file(self, machine: Machine, rules: Path) -> None:
        path = rules.with_name("new.rules")
        expected = ["first forbidden", "added forbidden"]
        self.expect(machine, lambda: machine.write(path, rule("added")), expected)
        self.expect(machine, path.unlink, ["first forbidden"])

    def test_a_folder_that_is_made_later(self, machine: Machine) -> None:
        path = machine.own_home / "rules/a.rules"
        self.expect(machine, lambda: machine.write(path, rule("late")), ["late forbidden"])

    def test_a_project_folder_that_is_made_later(self, machine: Machine) -> None:
        path = machine.project / ".codex/rules/a.rules"
        self.expect(machine, lambda: machine.write(path, rule("late")), ["late forbidden"])

    def test_a_folder_link_that_is_pointed_elsewhere(self, machine: Machine) -> None:
        for name in ("one", "two"):
            machine.write(machine.root / name / "a.rules", rule(name))
        link = machine.codex_home / "rules"
        link.symlink_to(machine.root / "one")
        swap = machine.root / "swap"
        swap.symlink_to(machine.root / "two")
        self.expect(machine, lambda: swap.rename(link), ["two forbidden"])

    def test_trust_that_is_given(self, machine: Machine) -> None:
        machine.write(machine.project / ".codex/rules/a.rules", rule("granted", "allow"))
        self.expect(machine, lambda: machine.trust(machine.project), ["granted allow"])

    def test_the_requirements_overlay(self, machine: Machine) -> None:
        text = '[rules]\nprefix_rules = [{pattern=[{token="required"}], decision="forbidden"}]\n'
        path = machine.system / "requirements.toml"
        self.expect(machine, lambda: machine.write(path, text), ["required forbidden"])

    def test_a_broken_file_is_reported_and_watching_goes_on(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        events = {True: threading.Event(), False: threading.Event()}
        manager.subscribe(lambda snapshot: events[snapshot.rulebook.fail_closed].set())
        with manager.watching(interval=0.01):
            rules.write_text("nonsense(\n")
            assert events[True].wait(DEADLINE)
            rules.write_text(rule("second"))
            assert events[False].wait(DEADLINE)
        assert in_force(manager.current().layers) == ["second forbidden"]

    def test_in_a_strict_mode_the_problem_is_logged_and_watching_goes_on(
        self, machine: Machine, rules: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        manager = manager_of(machine, mode="strict")
        logged, swapped = threading.Event(), threading.Event()
        handler = logging.Handler()
        handler.emit = lambda record: logged.set()  # type: ignore[method-assign]  # a handler of one line
        logging.getLogger("execpolicy").addHandler(handler)
        manager.subscribe(lambda snapshot: swapped.set())
        try:
            with manager.watching(interval=0.01):
                rules.write_text("nonsense(\n")
                assert logged.wait(DEADLINE)
                assert not swapped.is_set()
                rules.write_text(rule("second"))
                assert swapped.wait(DEADLINE)
        finally:
            logging.getLogger("execpolicy").removeHandler(handler)
        assert "the previous ones stay in force" in caplog.text

    @pytest.mark.parametrize("part", ["watch.fingerprint", "load_layers"])
    @pytest.mark.parametrize(
        "error", [OSError(24, "Too many open files"), MemoryError(), RecursionError(), ValueError()]
    )
    def test_whatever_goes_wrong_closes_and_heals(
        self, machine: Machine, rules: Path, monkeypatch: pytest.MonkeyPatch, part: str, error: Exception
    ) -> None:
        manager = manager_of(machine)
        events = {True: threading.Event(), False: threading.Event()}
        manager.subscribe(lambda snapshot: events[snapshot.rulebook.fail_closed].set())
        before = in_force(manager.current().layers)

        def broken(*_: object, **__: object) -> object:
            raise error

        with manager.watching(interval=0.01):
            with monkeypatch.context() as patch:
                patch.setattr(f"{manager_module.__name__}.{part}", broken)
                rules.write_text(rule("second"))
                assert events[True].wait(DEADLINE)
                assert in_force(manager.current().layers) == before
            assert events[False].wait(DEADLINE)
        assert in_force(manager.current().layers) == ["second forbidden"]

    def test_what_changed_before_the_first_look_is_seen(self, machine: Machine, rules: Path) -> None:
        manager = manager_of(machine)
        rules.write_text(rule("second"))
        with manager.watching(interval=DEADLINE):
            assert in_force(manager.current().layers) == ["second forbidden"]
