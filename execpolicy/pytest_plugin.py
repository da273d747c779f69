"""A plugin of pytest that runs the examples in rule files and the cases in case files as tests.

The plugin is enabled by ``--execpolicy`` or by ``execpolicy = true`` in pytest's settings; otherwise it collects
nothing. The cases of a file are judged with the rule files in and below its directory, above the built-in layer.
Modules of this package are imported only if there is something to collect: pytest loads this module in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from execpolicy.insight.testing import trials_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from execpolicy.insight.testing import Trial

_CASES = (".cases",)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the switch, on the command line and in the settings."""
    help = "collect execpolicy's rule files (*.rules) and case files (*.cases) as tests"
    parser.getgroup("execpolicy").addoption("--execpolicy", action="store_true", help=help)
    parser.addini("execpolicy", help, type="bool", default=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> RuleTestFile | None:
    """The collector for a rule file or case file, if the plugin is enabled."""
    asked = parent.config.getoption("--execpolicy") or parent.config.getini("execpolicy")
    if asked and file_path.suffix in (".rules", *_CASES):
        made: RuleTestFile = RuleTestFile.from_parent(parent, path=file_path)
        return made
    return None


class RuleTestFile(pytest.File):
    """A rule file or a case file."""

    def collect(self) -> Iterator[RuleTestItem]:
        """Yields a test for each example, or for each case."""
        trials = trials_of(str(self.path), self.path.read_text("utf-8"))
        seen: dict[str, int] = {}
        for trial in trials:
            seen[trial.title] = seen.get(trial.title, 0) + 1
            name = trial.title if seen[trial.title] == 1 else f"{trial.title} [{seen[trial.title]}]"
            item: RuleTestItem = RuleTestItem.from_parent(self, name=name)
            item.trial = trial
            yield item


class RuleTestItem(pytest.Item):
    """One example or case, which was evaluated when it was collected."""

    trial: Trial

    def runtest(self) -> None:
        """Fails if the evaluation failed."""
        if self.trial.failure is not None:
            pytest.fail(self.trial.failure, pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The place of the example or case."""
        return self.path, self.trial.line - 1 if self.trial.line else None, self.name
