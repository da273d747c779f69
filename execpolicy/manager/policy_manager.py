"""The hot-swappable policy: snapshots, reload, amendments, watching, and the saving of an approval session's rules."""

from __future__ import annotations

import math
import os
import threading
from collections import deque
from contextlib import contextmanager
from time import monotonic

from execpolicy import validators
from execpolicy.core.hosts import normalise_host, normalise_protocol
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import NetworkRule, PrefixRule
from execpolicy.errors import ExecPolicyError, InvalidRuleError, RuleFileError, RuleStoreError
from execpolicy.judge.rulebook import Rulebook, Withheld
from execpolicy.lang import render
from execpolicy.layers import problems, watch
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers, rulebook_of
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from logging import Logger
    from typing import TypeAlias, TypeVar

    from execpolicy.amend.append import Appended
    from execpolicy.amend.journal import Journal
    from execpolicy.core.decision import Decision
    from execpolicy.core.path_rules import WriteRule
    from execpolicy.core.policy import Policy
    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.layers.layer import LoadedLayers
    from execpolicy.source import Source

    _SavedRule: TypeAlias = PrefixRule | NetworkRule | WriteRule

    Returned = TypeVar("Returned")


@value
class Snapshot:
    """The rules at one moment. Immutable.

    Attributes:
        generation: 1 for the first snapshot; each new one adds 1.
        content_hash: equal for two snapshots iff the same rules of the same files are effective.
        layers: the origin of every rule, and the problems of rule files.
        rulebook: the rules as the judge needs them.
    """

    _: KW_ONLY
    generation: int
    content_hash: str
    layers: LoadedLayers
    rulebook: Rulebook

    @property
    def policy(self) -> Policy:
        """The prefix rules, network rules and host executables."""
        return self.rulebook.policy

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The problems of rule files."""
        return self.layers.diagnostics


@value
class Amendment:
    """The result of saving rules.

    Attributes:
        appended: the lines that were added, and the file.
        snapshot: the rules afterwards, read back from the files.
        not_in_force: the reason that a saved rule is not effective; ``None`` if all of them are.
        warning: a failure outside the rule file (the journal for ``undo``), or ``None``.
    """

    _: KW_ONLY
    appended: Appended
    snapshot: Snapshot
    not_in_force: str | None = None
    warning: str | None = None


_LOCK_TIMEOUT_S = 10.0
_SETTLE_SECONDS = 0.05
_MOST_SETTLING = 20
_LONGEST_DELAY = 5.0
"""Seconds between two attempts to load rules after a failure, at most."""


class PolicyManager:
    """Keeps a snapshot of all layers and replaces it on request, after an amendment, or when files change.

    :meth:`current` returns the effective snapshot and never blocks. Methods that touch files run one at a time and
    block. An event loop uses the methods whose names start with ``a``.
    """

    def __init__(self, options: LayerOptions, *, lock_timeout: float = _LOCK_TIMEOUT_S) -> None:
        """Load all layers once.

        Args:
            lock_timeout: seconds to wait for a rule file that another process is writing.

        Raises:
            RuleFileError, RuleStoreError: as :func:`execpolicy.layers.load.load_layers` in the mode of ``options``.
        """
        if type(options) is not LayerOptions:
            validators.instance(LayerOptions)(options, "PolicyManager: `options`")
        if lock_timeout is not _LOCK_TIMEOUT_S:
            validators.seconds(lock_timeout, "PolicyManager: `lock_timeout`")
        self._options = options
        self._lock_timeout = lock_timeout
        self._writing = threading.RLock()
        self._subscribers: dict[object, Callable[[Snapshot], object]] = {}
        self._pending: deque[Snapshot] = deque()
        self._delivering = threading.Lock()
        self._told = ""
        loaded = load_layers(options)
        self._snapshot = _snapshot(loaded, 1, options)

    def current(self) -> Snapshot:
        """The effective snapshot. Never blocks and takes no lock."""
        return self._snapshot

    @property
    def options(self) -> LayerOptions:
        """The options that the layers are loaded with."""
        return self._options

    def reload(self) -> Snapshot:
        """Read all layers again and return the snapshot; the same one if nothing changed.

        A broken file keeps its last good version.

        Raises:
            RuleFileError, RuleStoreError: in modes that refuse problems; the old snapshot stays effective.
        """
        with self._writing:
            before = self._snapshot
            loaded = load_layers(self._options, last_good={file.path: file for file in before.layers.files})
            if loaded.content_hash == before.content_hash and _problems(loaded) == _problems(before.layers):
                return before
            self._snapshot = after = _snapshot(loaded, before.generation + 1, self._options)
            self._pending.append(after)
        self._deliver()
        return after

    async def areload(self) -> Snapshot:
        """:meth:`reload` without blocking the event loop."""
        return await _in_a_thread(self.reload)

    def add_session_rules(self, *sources: Source) -> Snapshot:
        """Add rule texts to the session layer, which lives as long as this manager, and return the new snapshot."""
        with self._writing:
            before = self._options
            self._options = before.replaced(session=(*before.session, *sources))
            try:
                return self.reload()
            except ExecPolicyError:
                self._options = before
                raise

    def amend(self, *prefixes: Sequence[str], path: str | None = None) -> Amendment:
        """Save an allow rule for each of ``prefixes`` in one write, as Codex does, and check that it is effective.

        Args:
            path: the rule file; the user's ``default.rules`` by default.

        Raises:
            RuleStoreError: nothing was saved; the message names the file and the remedy.
            UsageError: an argument is not a prefix; nothing was saved.
        """
        for prefix in prefixes:
            validators.prefix(prefix, "a prefix")
        path = self._rule_file(path)
        rules = [PrefixRule(PrefixPattern.of(prefix)) for prefix in prefixes if prefix]
        return self._save(path, lambda: [render.render_prefix_rule(prefix) for prefix in prefixes], lambda: rules)

    def save_rules(self, *rules: PrefixRule | WriteRule, path: str | None = None) -> Amendment:
        """Save ``rules`` in one write, including those that Codex cannot read, and check that they are effective.

        Args:
            path: the rule file; ``default.rules`` in execpolicy's own folder by default.

        Raises:
            RuleStoreError: nothing was saved; the message names the file and the remedy.
        """
        path = self._rule_file(path, own=True)
        return self._save(path, lambda: [render.render(rule) for rule in rules], lambda: rules)

    async def aamend(self, *prefixes: Sequence[str], path: str | None = None) -> Amendment:
        """:meth:`amend` without blocking the event loop."""
        return await _in_a_thread(lambda: self.amend(*prefixes, path=path))

    def amend_network(
        self, host: str, protocol: str, decision: Decision, justification: str | None = None, *, path: str | None = None
    ) -> Amendment:
        """Save a network rule, as :meth:`amend` saves a prefix rule.

        Raises:
            RuleStoreError: nothing was saved.
        """
        return self._save(
            self._rule_file(path),
            lambda: [render.render_network_rule(host, protocol, decision, justification)],
            lambda: [NetworkRule(normalise_host(host), normalise_protocol(protocol), decision, justification)],
        )

    def undo(self, prefix: Sequence[str] | None = None, *, path: str | None = None) -> tuple[str, ...]:
        """Remove the last amendment, or the allow rules for exactly ``prefix``, and return the removed lines.

        Args:
            path: the rule file. By default the file that was amended last; with ``prefix`` the two files that
                :meth:`amend` and :meth:`save_rules` write to.

        Raises:
            RuleStoreError: there is no such line or amendment, or the file could not be changed.
        """
        removed = self.undo_by_file(*([] if prefix is None else [prefix]), path=path)
        return tuple([line for lines in removed.values() for line in lines])

    def undo_by_file(self, *prefixes: Sequence[str], path: str | None = None) -> dict[str, tuple[str, ...]]:
        """Remove the same as :meth:`undo`, for each of ``prefixes``, and return the removed lines by file.

        Raises:
            RuleStoreError: there is no such line or amendment, or the file could not be changed.
        """
        from execpolicy.amend.undo import undo_prefixes

        with self._writing:
            if prefixes:
                files = self._user_files() if path is None else [path]
                removed = undo_prefixes(prefixes, files, self._journal(), timeout=self._lock_timeout)
            else:
                removed = self._undo_last(path)
            self.reload()
        return removed

    def undo_lines(self, path: str, lines: Sequence[str]) -> tuple[str, ...]:
        """Remove ``lines`` from the file ``path`` and return the removed lines.

        Raises:
            RuleStoreError: a line is not in the file, or the file could not be changed.
        """
        from execpolicy.amend.undo import undo_line

        with self._writing:
            for line in lines:
                if not undo_line(path, line, self._journal(), timeout=self._lock_timeout):
                    raise RuleStoreError(f"{path} has no line `{line}`")
            self.reload()
        return tuple(lines)

    def subscribe(self, subscriber: Callable[[Snapshot], object]) -> Callable[[], None]:
        """Call ``subscriber`` with every new snapshot, in order. Returns a function that ends the subscription.

        ``subscriber`` runs in the thread that replaced the snapshot. Its exceptions are logged and do not affect other
        subscribers.
        """
        key = object()
        validators.function(subscriber, "a subscriber")
        self._subscribers = {**self._subscribers, key: subscriber}

        def unsubscribe() -> None:
            self._subscribers = {other: each for other, each in self._subscribers.items() if other is not key}

        return unsubscribe

    @contextmanager
    def watching(self, interval: float = 0.25) -> Iterator[None]:
        """Reload whenever a file changes, as long as the ``with`` block runs.

        Args:
            interval: seconds between two checks; a check costs some ten microseconds for each folder.
        """
        _log()  # loaded while there are still descriptors: what tells of a failure must not fail itself
        stop = threading.Event()
        seen = watch.fingerprint(self._options)
        self._reload_watched()  # for changes before the first check
        thread = threading.Thread(target=self._watch, args=(stop, interval, seen), name="execpolicy-watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _watch(self, stop: threading.Event, interval: float, seen: object) -> None:
        delay, retry_at = interval, 0.0
        while not stop.wait(interval):
            try:
                now = watch.fingerprint(self._options)
                if now == seen and monotonic() < retry_at:
                    continue
                for _ in range(_MOST_SETTLING):  # an editor that replaces a file leaves a gap; do not load inside it
                    if stop.wait(_SETTLE_SECONDS):
                        return
                    again = watch.fingerprint(self._options)
                    if again == now:
                        break
                    now = again
            except Exception as error:  # catches everything: no other thread watches the files
                self._close(error)
                seen = None
            else:
                known, seen = self._reload_watched(), now
                # the fault may lie outside the files: no process could be started, or no file opened
                delay = interval if known else min(2 * delay, _LONGEST_DELAY)
                retry_at = math.inf if known else monotonic() + delay

    def _reload_watched(self) -> bool:
        """Reload the rules. True if all rules are loaded, so that the next attempt can wait for a change."""
        try:
            return not self.reload().rulebook.fail_closed
        except ExecPolicyError as error:
            if _hides_rules(error):
                self._close(error)
                return False
            if str(error) != self._told:
                _log().error("rules could not be reloaded, the previous ones stay in force: %s", error)
            self._told = str(error)
        except Exception as error:
            self._close(error)
        return False

    def _close(self, error: Exception) -> None:
        """Replace the snapshot by one that fails closed, since the effective rules are unknown.

        From then on, commands that the last known rules do not mention require approval.
        """
        _log().error("the rules could not be read: nothing more is allowed until they can: %r", error)
        with self._writing:
            before = self._snapshot
            if before.rulebook.fail_closed:
                return
            self._snapshot = after = Snapshot(
                generation=before.generation + 1,
                content_hash=f"{before.content_hash}, unknown since",
                layers=before.layers,
                rulebook=Rulebook(before.layers.statements, fail_closed=True)
                .with_grants(self._options.grants)
                .with_withheld(Withheld(f"the rules could not be looked at: {error!r}")),
            )
            self._pending.append(after)
        self._deliver()

    def _rule_file(self, path: str | None, *, own: bool = False) -> str:
        if path is None:
            path = self._options.own_rules if own else self._options.default_rules
        if path is None:
            variable = "EXECPOLICY_HOME" if own else "CODEX_HOME"
            raise RuleStoreError(f"there is no home folder to keep rules in: set HOME or {variable}")
        return path

    def _save(self, path: str, lines: Callable[[], list[str]], rules: Callable[[], Sequence[_SavedRule]]) -> Amendment:
        from execpolicy.amend.append import append_lines, make_folder

        with self._writing:
            try:
                rendered = tuple(lines())
                if not rendered:
                    raise RuleStoreError("there is no rule to save")
                expected = rules()
                if path in (self._options.default_rules, self._options.own_rules):
                    above = path != self._options.default_rules
                    make_folder(os.path.dirname(os.path.dirname(path)), above=above)
                kept, timeout, warning = self._journal(), self._lock_timeout, None
                if kept is None:
                    appended = append_lines(path, rendered, timeout=timeout)
                else:
                    appended, warning = kept.append(path, rendered, timeout=timeout)
            except (InvalidRuleError, RuleStoreError) as error:
                raise RuleStoreError(f"failed to update rules file {path}: {error}") from error
            snapshot = self.reload()
        return Amendment(
            appended=appended,
            snapshot=snapshot,
            not_in_force=why_not_in_force(snapshot.layers, path, expected),
            warning=warning,
        )

    def _journal(self) -> Journal | None:
        from execpolicy.amend.journal import Journal

        home = self._options.own_home
        return None if home is None else Journal(os.path.join(home, "amendments.jsonl"))

    def _undo_last(self, path: str | None) -> dict[str, tuple[str, ...]]:
        from execpolicy.amend.undo import NothingSaved, undo_last

        kept = self._journal()
        if kept is not None:
            for file in kept.files() if path is None else [path]:
                try:
                    return {file: undo_last(file, kept, timeout=self._lock_timeout)}
                except NothingSaved:  # it was removed, or a process was killed before it wrote
                    continue
        raise NothingSaved(path if path is not None else " or ".join(self._user_files()) or "any rule file")

    def _user_files(self) -> list[str]:
        """The default files that rules are saved in."""
        return [path for path in (self._options.own_rules, self._options.default_rules) if path is not None]

    def _deliver(self) -> None:
        """Deliver the pending snapshots in order, in the first thread that takes the lock."""
        while self._pending and self._delivering.acquire(blocking=False):
            try:
                while self._pending:
                    snapshot = self._pending.popleft()
                    for subscriber in tuple(self._subscribers.values()):
                        try:
                            subscriber(snapshot)
                        except Exception:
                            _log().exception("a subscriber failed")
            finally:
                self._delivering.release()


def _log() -> Logger:
    from logging import getLogger

    return getLogger("execpolicy")


def _snapshot(loaded: LoadedLayers, generation: int, options: LayerOptions) -> Snapshot:
    return Snapshot(
        generation=generation,
        content_hash=loaded.content_hash,
        layers=loaded,
        rulebook=rulebook_of(loaded).with_grants(options.grants),
    )


def _problems(loaded: LoadedLayers) -> list[tuple[object, ...]]:
    return [(found.code, found.message, found.path, found.line, found.column) for found in loaded.diagnostics]


def _hides_rules(error: ExecPolicyError) -> bool:
    """True if ``error`` leaves the set of rules unknown: a file could not be read or not evaluated to its end.

    After an error in a text that was read to its end, the earlier rules stay effective.
    """
    if isinstance(error, RuleFileError):
        return any(found.code in (problems.UNREADABLE, problems.LIMIT) for found in error.diagnostics)
    return isinstance(error, RuleStoreError)


class PolicyAmender:
    """Saves lasting answers as rules without blocking the event loop.

    Args:
        path: the rule file; the user's rule file by default.
    """

    def __init__(self, manager: PolicyManager, path: str | None = None) -> None:
        self._manager: PolicyManager = validators.instance(PolicyManager)(manager, "PolicyAmender: `manager`")
        self.path = validators.optional(validators.text)(path, "PolicyAmender: `path`")

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        """Save ``prefix`` as an allow rule.

        Raises:
            RuleStoreError: the rule was not saved, or was saved but is not effective; the message says which and why.
        """
        _check(await self._manager.aamend(prefix, path=self.path))

    async def amend_network(self, host: str, protocol: str, decision: Decision, /) -> None:
        """Save a rule for connections to ``host``.

        Raises:
            RuleStoreError: as for :meth:`amend`.
        """
        _check(await _in_a_thread(lambda: self._manager.amend_network(host, protocol, decision, path=self.path)))


async def _in_a_thread(call: Callable[[], Returned]) -> Returned:
    import asyncio

    return await asyncio.to_thread(call)


def _check(done: Amendment) -> None:
    if done.not_in_force is not None:
        raise RuleStoreError(f"saved in {done.appended.path}, but not in force: {done.not_in_force}")


def why_not_in_force(layers: LoadedLayers, path: str, expected: Sequence[_SavedRule]) -> str | None:
    """The reason that one of the ``expected`` rules, saved in ``path``, is inert; ``None`` if all are effective."""
    here = [rule for rule in layers.rules if rule.path == path]
    for rule in expected:
        found = [loaded for loaded in here if loaded.statement == rule]
        if any(loaded.inert is None for loaded in found):
            continue
        if found:
            return found[0].inert
        for problem in layers.errors():
            if problem.path == path:
                return str(problem)
        for layer in layers.layers:
            if layer.folder == os.path.dirname(path) and not layer.enabled:
                return f"the {layer.name} layer is not in force: {layer.reason}"
        if all(file.path != path for file in layers.files):
            return f"no layer reads {path}"
        return f"{path} does not define it: something in the file rebinds `prefix_rule` or `network_rule`"
    return None
