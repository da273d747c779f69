"""Loads every layer: a broken file is isolated, and as long as there is one, no unknown command is allowed.

Caches the failures of slow rule files of untrusted projects, so that not every check evaluates them again.

A record is named after the text of the file and stored, signed, in the cache of compiled rules. Without a usable cache
the file is evaluated again, within the same limits. A record expires after an hour, because the failure may have been
due to a busy machine.
"""

from __future__ import annotations

import marshal
import os
from _blake2 import blake2b
from time import monotonic, sleep, time

from execpolicy import validators
from execpolicy.core.path_rules import WriteRule
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.errors import ExecPolicyError, RuleFileError, RuleStoreError, os_reason
from execpolicy.judge.rulebook import Rulebook, Withheld
from execpolicy.lang import parse, precompiled
from execpolicy.lang.compile import compile_source
from execpolicy.lang.file_limits import DEFAULT, MEBIBYTE, FileLimits
from execpolicy.layers import problems as known
from execpolicy.layers.compiled import read_kept, write_kept
from execpolicy.layers.discover import discover
from execpolicy.layers.folders import LONG_QUIET_NS, QUIET_NS, collect_rule_files
from execpolicy.layers.layer import CODEX_LAYERS, Layer, LoadedFile, LoadedLayers, RuleGroup, is_known_to_codex
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.problems import advice_about, codex_display, first_fault, problem
from execpolicy.layers.requirements import for_a_person, read_requirements
from execpolicy.layers.rule_file import read_rule_file
from execpolicy.layers.untrusted import grants, inert_rules, may_withhold, why_inert
from execpolicy.resources import records_folder
from execpolicy.source import Source
from execpolicy.value import value
from execpolicy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal, TypeAlias

    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.lang.compile import Compiled
    from execpolicy.lang.statements import Statement
    from execpolicy.layers.layer import IgnoredFile

    LastGood: TypeAlias = Mapping[str, LoadedFile]

    from execpolicy.source import Source

_UNTRUSTED_LIMITS = FileLimits(
    size=MEBIBYTE, statements=20_000, seconds=1.0, clock=1.0, memory=512 * MEBIBYTE, examples=100_000
)
_UNTRUSTED_FILES = 32
_UNTRUSTED_SECONDS = 1.0
"""Seconds of wall-clock time for all untrusted files together.

Far below the deadline of a hook. A file that needs more fails closed.
"""

_REPAIR = "repair or remove the file; until then its rules do not count"


def load_layers(options: LayerOptions, *, last_good: LastGood | None = None, cache: str | None = None) -> LoadedLayers:
    """The rules of every enabled layer, lowest layer first.

    Args:
        last_good: path to the file as loaded before. An unchanged file is not compiled again. The last good version of
            a broken file stays effective.
        cache: the folder that caches the failures of files of untrusted projects.

    Raises:
        RuleFileError: in ``strict`` mode, if there is any error, or a warning about a file that was not named
            explicitly; in ``codex`` mode, if the requirements overlay is broken.
        RuleStoreError: in ``codex`` mode, if a rule file or folder cannot be read.
    """
    if type(options) is not LayerOptions:
        validators.instance(LayerOptions)(options, "the options")
    load = _Load(options, last_good or {}, FailedFiles(cache))
    load.run()
    return load.result()


def rulebook_of(loaded: LoadedLayers) -> Rulebook:
    """The rulebook of the effective rules, with the inert ones."""
    rulebook = Rulebook(loaded.statements, fail_closed=loaded.fail_closed)
    fault = first_fault(loaded.diagnostics) if loaded.fail_closed else None
    if fault is None and not may_withhold(loaded.layers):
        return rulebook
    return rulebook.with_withheld(Withheld(fault, lambda: inert_rules(loaded)))


def with_inert_rules(rulebook: Rulebook, options: LayerOptions) -> Rulebook:
    """``rulebook``, which was made from ``options``, with the inert rules, which are loaded on demand."""

    def find() -> Sequence[tuple[PrefixRule, str]]:
        try:
            return inert_rules(load_layers(options))
        except (ExecPolicyError, OSError):
            return ()

    return rulebook.with_withheld(Withheld(None, find))


class _Load:
    """The state of one load."""

    def __init__(self, options: LayerOptions, last_good: LastGood, failed: FailedFiles) -> None:
        self.options = options
        self.last_good = last_good
        self.failed = failed
        self.layers: list[Layer] = []
        self.files: list[LoadedFile] = []
        self.ignored: list[IgnoredFile] = []
        self.groups: list[RuleGroup] = []
        self.found: list[Diagnostic] = []
        self.hosts: dict[str, HostExecutable] = {}
        self.untrusted_seconds = _UNTRUSTED_SECONDS
        self.fail_closed = False
        self.parse_failed = False

    def run(self) -> None:
        """Loads every layer in order."""
        options = self.options
        layers, found = discover(options)
        self.found.extend(found)
        for layer in layers:
            self.layers.append(layer)
            if not layer.enabled:
                continue
            if layer.name == "given":
                self._given(layer)
            elif layer.folder == records_folder():
                self._records(layer, layer.folder)
            elif layer.folder is not None:
                self._folder(layer, layer.folder)
        if self.parse_failed and options.mode == "codex":
            self._drop_files()
        self._memory("session", options.session)
        self._memory("environment", options.environment)
        if options.requirements is not None and options.files is None and options.texts is None:
            self._requirements(options.requirements)

    def result(self) -> LoadedLayers:
        """The loaded layers; raises the exception that the mode requires."""
        if self.options.mode == "strict":
            named = {*(self.options.files or ()), *[text.name for text in self.options.texts or ()]}
            tolerated = {"info"}, {"info", "warning"}
            serious = [found for found in self.found if found.severity not in tolerated[found.path in named]]
            if serious:
                raise RuleFileError(*serious)
        layers, files, ignored = tuple(self.layers), tuple(self.files), tuple(self.ignored)
        groups, found = tuple(self.groups), tuple(self.found)
        return LoadedLayers(layers, files, ignored, groups, found, fail_closed=self.fail_closed)

    def _given(self, layer: Layer) -> None:
        for path in self.options.files or ():
            self._file(layer, path, "failed to read policy at", only_regular=False)
        for source in self.options.texts or ():
            self._source(layer, source)

    def _records(self, layer: Layer, folder: str) -> None:
        """Loads the entries of the records of programs."""
        try:
            entries = precompiled.builtin_entries()
        except RuleFileError as error:
            self._broken(layer, folder, "", *error.diagnostics)
        except OSError as error:
            self._unreadable(f"the built-in entries are missing from {folder}: {os_reason(error)}", folder)
        else:
            self.files.append(LoadedFile(folder, layer, "", entries, "ok"))
            self._count(layer, folder, entries)

    def _folder(self, layer: Layer, folder: str) -> None:
        try:
            paths, ignored = collect_rule_files(folder)
        except OSError as error:
            self._unreadable(f"failed to read rules files from {folder}: {os_reason(error)}", folder)
            for path, before in self.last_good.items():
                if before.layer.folder == folder and before.layer.name == layer.name and before.status != "broken":
                    self._keep(layer, path, None, before)
            return
        if layer.name == "built-in" and not paths and not os.path.isdir(folder):
            self._unreadable(f"the built-in rules are missing from {folder}", folder)
        self.ignored.extend(ignored)
        for entry in ignored:
            if entry.looks_meant and self.options.mode != "codex":
                regular = os.path.isfile(entry.path) and not os.path.islink(entry.path)
                help = "its rules are not in force" + ("" if regular else "; make it a regular file of this folder")
                message = f"`{entry.path}` is not read: {entry.reason}"
                self.found.append(problem(known.IGNORED_FILE, message, entry.path, severity="warning", help=help))
        if not layer.trusted and len(paths) > _UNTRUSTED_FILES:
            self._unreadable(f"the untrusted folder {folder} holds more than {_UNTRUSTED_FILES} rule files", folder)
            paths = paths[:_UNTRUSTED_FILES]
        for path in paths:
            self._file(layer, path, "failed to read rules file")

    def _file(self, layer: Layer, path: str, words: str, *, only_regular: bool = True, again: bool = False) -> None:
        """Loads one rule file; ``again``: the second try, after the file was missing, broken or being written."""
        quiet = LONG_QUIET_NS if again else QUIET_NS
        give_up = again or not layer.trusted or not os.path.isfile(path)  # a pipe can only be read once
        try:
            text = read_rule_file(path, only_regular=only_regular, patient=layer.trusted, quiet_ns=quiet)
        except OSError as error:
            if layer.name == "given" or not isinstance(error, FileNotFoundError):
                help = advice_about(error) if layer.name == "given" else _REPAIR
                message = f"{words} {path}: {os_reason(error)}"
                self._broken(layer, path, None, problem(known.UNREADABLE, message, path, help=help))
            elif not again:  # it was deleted after the folder was listed
                sleep(QUIET_NS / 1e9)
                self._file(layer, path, words, again=True)
        except UnicodeDecodeError as error:
            if not give_up:
                return self._file(layer, path, words, only_regular=only_regular, again=True)
            help = "save it as UTF-8, or remove it; until then its rules do not count"
            message = f"{words} {path}: it is not UTF-8 at byte {error.start}"
            self._broken(layer, path, None, problem(known.UNREADABLE, message, path, help=help))
        else:
            if not self._source(layer, Source(path, text), give_up=give_up):
                self._file(layer, path, words, only_regular=only_regular, again=True)

    def _source(self, layer: Layer, source: Source, *, give_up: bool = True) -> bool:
        """Loads one rule text; returns ``False`` without effect if it is broken and not ``give_up``."""
        before = self.last_good.get(source.name)
        if before is not None and before.reusable(source.text, layer, self.hosts):
            statements, warnings = before.statements, before.warnings
        else:
            try:
                compiled = self._compiled(layer, source)
            except RuleFileError as error:
                if not give_up:
                    return False
                self.parse_failed = True
                # an untrusted file is not parsed again for better messages: a mebibyte takes many seconds
                as_it_is = self.options.mode == "codex" or not layer.trusted
                found = error.diagnostics if as_it_is else parse.explained(error.diagnostics)
                self._broken(layer, source.name, source.text, *found)
                return True
            statements, warnings = compiled.statements, compiled.warnings
        if self.options.mode == "codex" and layer.name in CODEX_LAYERS and not all(map(is_known_to_codex, statements)):
            self.parse_failed = True
            refusal = "Codex refuses this file: it uses an extension of ours"
            self._broken(
                layer, source.name, source.text, problem(known.CODEX_WOULD_REFUSE, refusal, source.name, help=_REPAIR)
            )
            return True
        if layer.name in CODEX_LAYERS:
            statements = tuple(map(_without_grants, statements))
        if layer.root is not None:
            root = layer.root
            statements = tuple([each.rooted(root) if isinstance(each, WriteRule) else each for each in statements])
        self.found.extend(warnings)
        self.files.append(LoadedFile(source.name, layer, source.text, statements, "ok", warnings, dict(self.hosts)))
        self._count(layer, source.name, statements)
        return True

    def _compiled(self, layer: Layer, source: Source) -> Compiled:
        """Compiles ``source`` in the limits of its layer; raises ``RuleFileError`` for a problem or lack of time."""
        literal = layer.name in CODEX_LAYERS or self.options.mode == "codex"
        if layer.trusted:
            limits, builtin = self.options.limits or DEFAULT, layer.name == "built-in"
            return compile_source(source, hosts=self.hosts, limits=limits, trusted=builtin, literal=literal)
        seconds = round(self.untrusted_seconds, 1)
        if seconds <= 0:
            message = f"it was not read: untrusted rule files took more than {_UNTRUSTED_SECONDS:g} s together"
            raise RuleFileError(problem(known.UNREADABLE, message, source.name, help=_REPAIR))
        faults = self.failed.find(source, seconds)
        if faults:
            raise RuleFileError(*faults)
        started = monotonic()
        try:
            limits = _UNTRUSTED_LIMITS.within(seconds)
            return compile_source(source, hosts=self.hosts, limits=limits, literal=literal)
        except RuleFileError as error:
            self.failed.add(source, seconds, monotonic() - started, error.diagnostics)
            raise
        finally:
            self.untrusted_seconds -= monotonic() - started

    def _count(self, layer: Layer, path: str, statements: tuple[Statement, ...]) -> None:
        inert: tuple[str | None, ...] | None = None
        if layer.trusted:
            for statement in statements:
                if type(statement) is HostExecutable:
                    self.hosts[statement.name] = statement
        else:
            entries = self._entries()
            inert = tuple([why_inert(statement, entries) for statement in statements])
        self.groups.append(RuleGroup(layer, path, statements, inert))

    def _entries(self) -> set[tuple[str, str]]:
        """Kind and name of the heuristic entries loaded so far."""
        statements = [statement for group in self.groups for statement in group.in_force()]
        return {(each.kind, getattr(each, "name", "")) for each in statements if hasattr(each, "kind")}

    def _broken(self, layer: Layer, path: str, text: str | None, *found: Diagnostic) -> None:
        """Skips ``path`` because of what was ``found``, or keeps its last good version; fails closed."""
        if text is None and self.options.mode == "codex":
            raise RuleStoreError(found[0].message)
        self.found.extend(found)
        self.fail_closed = self.options.mode != "codex"
        before = self.last_good.get(path)
        if before is not None and before.status != "broken" and self.options.mode == "isolated":
            self._keep(layer, path, text, before)
        else:
            self.files.append(LoadedFile(path, layer, text, (), "broken"))

    def _keep(self, layer: Layer, path: str, text: str | None, before: LoadedFile) -> None:
        """Keeps the last good version of a broken file effective."""
        message = f"the last good version of `{path}` stays in force"
        self.found.append(problem(known.STALE, message, path, severity="info"))
        self.files.append(LoadedFile(path, layer, text, before.statements, "stale", before.warnings, before.hosts))
        self._count(layer, path, before.statements)

    def _unreadable(self, message: str, path: str) -> None:
        if self.options.mode == "codex":
            raise RuleStoreError(message)
        help = "make it readable; until then nothing is allowed that no rule mentions"
        self.found.append(problem(known.UNREADABLE, message, path, help=help))
        self.fail_closed = True

    def _drop_files(self) -> None:
        """Drops every rule file except the package's own layer, as Codex does when one file is broken."""
        dropped = "another rule file is broken, and Codex then drops all of them"
        for at, group in enumerate(self.groups):
            if group.layer.name != "built-in":
                inert = (dropped,) * len(group.statements)
                self.groups[at] = RuleGroup(group.layer, group.path, group.statements, inert)
        message = "Error parsing rules; custom rules not applied."
        first = next(found for found in self.found if found.severity == "error" and found.code != known.BAD_CONFIG)
        shown = codex_display(first)
        self.found.append(problem(known.FILES_DROPPED, message, first.path, severity="warning", help=shown))

    def _memory(self, name: Literal["session", "environment"], sources: Sequence[Source]) -> None:
        if not sources:
            return
        layer = Layer(name)
        self.layers.append(layer)
        for source in sources:
            self._source(layer, source)
            if name == "environment":
                self._refuse_grants(source.name)

    def _refuse_grants(self, path: str) -> None:
        group = self.groups[-1] if self.groups else None
        if group is None or group.layer.name != "environment" or group.path != path:
            return  # it is broken, which is already reported
        message = "environment command policy cannot contain allow rules"
        inert = tuple([message if grants(statement) else None for statement in group.statements])
        self.groups[-1] = RuleGroup(group.layer, path, group.statements, inert)
        if any(inert):
            self.found.append(problem(known.FORBIDDEN_GRANT, message, path))
            self.fail_closed = True

    def _requirements(self, path: str) -> None:
        overlay = read_requirements(path)
        if overlay.problem is not None:
            if self.options.mode == "codex":
                raise RuleFileError(overlay.problem)
            self.found.append(overlay.problem)
            self.fail_closed = True
        if overlay.text is None and overlay.problem is None:
            return
        layer = Layer("requirements", os.path.dirname(path))
        self.layers.append(layer)
        before = self.last_good.get(path)
        if overlay.problem is None:
            self.files.append(LoadedFile(path, layer, overlay.text, overlay.rules, "ok"))
            self.groups.append(RuleGroup(layer, path, overlay.rules))
        elif before is not None and before.status != "broken":
            # the current `prompt-user` rules are unknown, so a person must answer all of them
            kept = tuple([for_a_person(rule) for rule in before.statements if isinstance(rule, PrefixRule)])
            self._keep(layer, path, None, LoadedFile(path, layer, None, kept, "stale", before.warnings, before.hosts))
        else:
            self.files.append(LoadedFile(path, layer, None, (), "broken"))


def _without_grants(statement: Statement) -> Statement:
    """``statement`` from a file that Codex reads, where a network rule is about its sandbox and allows no command."""
    return statement.without_grant() if isinstance(statement, NetworkRule) else statement


_LASTS_S = 3600.0
_COSTLY_S = 0.1
"""Seconds below which a failure is not recorded, because evaluating the file again costs no more than a lookup."""
_OF_TEXT = ("EP001", "EP002", "EP006")
"""Codes of errors that depend only on the text and the limits."""


@value
class FailedFiles:
    """The records in the cache folder ``folder``; no records if it is ``None``."""

    folder: str | None

    def find(self, source: Source, seconds: float) -> tuple[Diagnostic, ...]:
        """The recorded errors of ``source`` with a time limit of at least ``seconds``; empty if there is no record."""
        body = None if self.folder is None else read_kept(self.folder, _key(source))
        if body is None:
            return ()
        at, given, faults = marshal.loads(body)
        if given < seconds or not 0 <= time() - at < _LASTS_S:
            return ()
        return tuple(
            [
                problem(code, message, source.name, line=line, column=column, help=help)
                for code, message, line, column, help in faults
            ]
        )

    def add(self, source: Source, seconds: float, spent: float, found: Sequence[Diagnostic]) -> None:
        """Records that ``source``, with a limit of ``seconds``, failed after ``spent`` seconds. Never raises."""
        if self.folder is None or spent < _COSTLY_S or any(each.code not in _OF_TEXT for each in found):
            return
        faults = [(each.code, each.message, each.line, each.column, each.help) for each in found]
        write_kept(self.folder, _key(source), marshal.dumps((time(), seconds, faults)))


def _key(source: Source) -> str:
    text = f"failed\0{__version__}\0{source.text}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
