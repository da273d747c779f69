"""An open rule file among the files of its folder: its findings, and the statements at an offset."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from itertools import islice, product

from execpolicy.cli.rule_targets import read_source
from execpolicy.core.rules import PrefixRule
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import ExecPolicyError
from execpolicy.lang.builtin_calls import BuiltinCall
from execpolicy.lint.config import Settings, find_settings
from execpolicy.lint.coverage import idle_rules
from execpolicy.lint.lint_run import lint, load_project
from execpolicy.lint.project import ListedRule, Project, RuleFile, StatementGroup
from execpolicy.lint.survey import Kept
from execpolicy.source import Source


class Analysis:
    """The analysis of one text. It is immutable; a changed text gets a new analysis.

    Args:
        path: the file that the editor shows; it need not exist yet.
        texts: the texts of all files that are open in the editor, by absolute path, including this one.
        kept: the cache of the previous analysis.
    """

    def __init__(self, path: str, texts: Mapping[str, str], kept: Kept | None = None) -> None:
        self.path = os.path.abspath(path)
        self.text = texts[self.path]
        self._texts = texts
        self._kept = kept

    @cached_property
    def project(self) -> Project:
        """This file with the other rule files of its folder, in the order in which they are loaded."""
        folder = os.path.dirname(self.path)
        names = {os.path.basename(path) for path in self._texts if os.path.dirname(path) == folder}
        if os.path.isdir(folder):
            names.update(name for name in os.listdir(folder) if name.endswith(".rules"))
        sources: list[tuple[str | None, Source]] = []
        for name in sorted(names):
            path = os.path.join(folder, name)
            if path in self._texts:
                sources.append((path, Source(path, self._texts[path])))
                continue
            try:
                sources.append((path, read_source(path)))
            except ExecPolicyError:
                continue  # it is reported when it is opened
        return load_project(sources, kept=self._kept)

    @property
    def file(self) -> RuleFile:
        """This file in the project."""
        return next(file for file in self.project.files if file.path == self.path)

    @cached_property
    def findings(self) -> list[Diagnostic]:
        """The lint findings in this file, with the settings of its folder."""
        try:
            settings = find_settings(os.path.dirname(self.path))
        except ExecPolicyError:
            settings = Settings()
        return [found for found in lint(self.project, settings) if found.path == self.path]

    def groups_at(self, offset: int) -> list[StatementGroup]:
        """The statements that the call around ``offset`` creates."""
        call = self.call_at(offset)
        return [] if call is None else [group for group in self.file.groups if group.call is call]

    def call_at(self, offset: int) -> BuiltinCall | None:
        """The innermost call of a builtin around ``offset``."""
        tree = self.file.tree
        around = [call for call in tree.calls if call.start <= offset <= call.end] if tree is not None else []
        return min(around, key=lambda call: call.end - call.start, default=None)

    def entries_of(self, groups: list[StatementGroup]) -> list[ListedRule]:
        """The prefix rules among ``groups``."""
        return [entry for entry in self.project.entries_of(self.file) if any(entry.group is one for one in groups)]

    def deciding(self, entry: ListedRule) -> tuple[ListedRule, ...]:
        """The rules that decide instead of ``entry``; empty if it decides some command itself."""
        idle = idle_rules(self.project).get(entry.index)
        return idle.by if idle is not None else ()


def shortest_examples(rule: PrefixRule, count: int) -> list[tuple[str, ...]]:
    """Up to ``count`` of the shortest commands that ``rule`` matches."""
    return list(islice(product(*rule.pattern.positions()), count))
