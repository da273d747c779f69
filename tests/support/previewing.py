"""What ``allow`` says before it saves a rule, against what is true after it did: in a home of its own, on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from execpolicy.amend.preview import preview, still_restricted, why_not_savable, why_too_broad
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join, split
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.situation import Situation
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
from execpolicy.programs.catalog import records
from tests.support.reach import examples_of_records
from tests.support.working_days import DAYS, working_day

STRICTER = """
prefix_rule(pattern=["git", ["push", "pull"]], decision="prompt")
prefix_rule(pattern=["git", "push", "--force"], decision="forbidden")
prefix_rule(pattern=["rm"], decision="forbidden")
prefix_rule(pattern=["kubectl", "delete"], decision="forbidden")
prefix_rule(pattern=["npm", "publish"], decision="prompt")
"""
"""Rules that stand in the home before."""


class Tried(NamedTuple):
    """One preview.

    Attributes:
        claims: how many command lines it spoke of; 0 if it was refused.
        lies: those of which it was not true, each with what it said and what came true.
        refused: why nothing was saved.
    """

    claims: int
    lies: list[str]
    refused: str | None


class Previews:
    """Tries one preview after another in ``home``.

    Of each only the rules of the home are read again: compiling the package's own for every one takes hours.
    """

    def __init__(self, home: Path) -> None:
        self._saved = home / ".codex/rules/default.rules"
        self._saved.parent.mkdir(parents=True)
        (home / ".codex/rules/mine.rules").write_text(STRICTER, "utf-8")
        options = LayerOptions.of_process({"HOME": str(home)}, cwd=str(home), system_folder=None)
        self._situation = Situation(str(home), home=str(home))
        self._saving = PolicyManager(options)
        self._reading = PolicyManager(options)  # of what was saved it knows what stands in the file

    def try_one(self, prefix: tuple[str, ...]) -> Tried:
        """Preview an allow rule for ``prefix``, save it where no other is saved, read it back and judge by it."""
        refused = why_not_savable(prefix) or why_too_broad(prefix)
        if refused is not None:
            return Tried(0, [], refused)
        self._saved.unlink(missing_ok=True)
        before = self._saving.reload().rulebook
        shown = preview(prefix, before, self._situation)
        said = [(each, Decision.ALLOW) for each in (*shown.covered, *shown.dangerous)]
        said += [(each, Decision.PROMPT) for each in shown.not_covered]
        said += [(each, Decision.FORBIDDEN) for each in shown.forbidden]
        said += [(join(words), decision) for words, decision in still_restricted(prefix, before)]
        if shown.worst is not None:
            said.append((join(shown.worst.words), Decision.ALLOW))
        self._saving.amend(prefix)
        after = self._reading.reload().rulebook
        lies = []
        for line, decision in said:
            true = judge_script(read_command(line), after, self._situation).decision
            if true is not decision:
                lies.append(f"{join(prefix)}: `{line}` was said to be {decision.word} and is {true.word}")
        return Tried(len(said), lies, None)


def prefixes(rng: Random, scripts: list[str] | None = None) -> Iterator[tuple[str, ...]]:
    """Beginnings of commands: of working days, of what the catalog knows, of ``scripts``; without an end."""
    days = [split(line) for each in DAYS for line in working_day(*each)]
    examples = [split(example) for example in examples_of_records().values()]
    named = [[name, *task] for record in records() for name in record.names for task in ([], ["run"], ["x", "-v"])]
    given = [command.plain_argv for text in scripts or () for command in read_command(text).commands]
    kinds = [kind for kind in (days, examples, named, given) if kind]
    while True:
        words = [word for word in rng.choice(rng.choice(kinds)) or () if word is not None]
        if words:
            yield tuple(words[: rng.randint(1, len(words))])
