"""Advice about a script that is not allowed: the changes that settle the question, each proven, or why none can."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from execpolicy.amend.preview import preview
from execpolicy.amend.save_plan import Grant, Plan, exactly, plan, write_rules
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.core.rules import NetworkRule, PrefixRule
from execpolicy.errors import ExecPolicyError
from execpolicy.insight.starters import Starter, fitting_packs, workspace_starter
from execpolicy.insight.suggest import grant_for, why_not
from execpolicy.judge.judge import judge_script
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.lang.render import render
from execpolicy.lint.effects import effects_of
from execpolicy.lint.worst import Worst, worst_of
from execpolicy.shell.script import Script
from execpolicy.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.judge.rulebook import Statement

_OURS = {"unless=": "`unless`", "write_rule(": "`write_rule`"}
"""Syntax that Codex does not read, mapped to its name in a note."""
_LONGEST_COMMAND = 200
"""The maximum number of characters of a script that a command line repeats."""


class AdviceSection(NamedTuple):
    """A title with the lines below it.

    Attributes:
        lines: sentences.
        rules: lines for a rule file; ``notes`` are about them.
        careful: True for a warning.
    """

    title: str
    lines: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    careful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """One change that settles the question, or brings it closer to an allow.

    Attributes:
        kind: ``rules`` (for these words and files alone), ``wider`` (other files of the project too), ``write``,
            ``network``, ``workspace`` or ``pack``.
        lines: lines for a rule file, if it consists of any.
        command: a command line that makes the change.
        reach: what else it lets through; ``None`` if nothing.
        proven: True if the input was judged again with the change and is allowed.
    """

    kind: str
    lines: tuple[str, ...] = ()
    command: str | None = None
    reach: str | None = None
    proven: bool = True

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return {name: getattr(self, name) for name in self.__slots__} | {"lines": list(self.lines)}

    def section(self, *, first: bool) -> AdviceSection:
        """The change as text."""
        title = "would be allowed with" if self.proven else "would be closer to allowed with"
        if not first:
            title = (
                "or, with other files of the project too" if self.kind == "wider" else f"or with {_NAMES[self.kind]}"
            )
        ours = " or ".join([name for text, name in _OURS.items() if any(text in line for line in self.lines)])
        known = f"(in `~/.config/execpolicy/rules`: Codex does not know {ours})" if ours and first else None
        saved = f"`{self.command}` saves it" if self.lines else f"`{self.command}`"
        notes = [known, self.reach, None if self.command is None else saved]
        return AdviceSection(title, rules=self.lines, notes=tuple(filter(None, notes)))


_NAMES = {
    "write": "a rule for the files",
    "network": "a rule for the host",
    "workspace": "the workspace setting",
    "pack": "rules that come with execpolicy",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The counterfactual: the changes that would make the input *allow*.

    Attributes:
        remedies: each settles the question, the smallest first; a single one that is not proven if none does.
        warnings: reasons why making them may be unwise.
        obstacles: reasons that no allow rule can change.
    """

    remedies: tuple[Remedy, ...] = ()
    warnings: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()

    @property
    def proven(self) -> bool:
        """True if a remedy settles the question."""
        return any(remedy.proven for remedy in self.remedies)

    @property
    def rules(self) -> tuple[str, ...]:
        """The lines of the first remedy."""
        return self.remedies[0].lines if self.remedies else ()

    def to_json(self) -> dict[str, Any]:
        """``{"remedies", "warnings", "obstacles"}``."""
        remedies = [remedy.to_json() for remedy in self.remedies]
        return {"remedies": remedies, "warnings": list(self.warnings), "obstacles": list(self.obstacles)}

    def sections(self, told: Sequence[str]) -> list[AdviceSection]:
        """The sections in reading order; ``told`` lists details of blocks that the reader has already seen."""
        found: list[AdviceSection] = []
        new = tuple([obstacle for obstacle in self.obstacles if not obstacle.endswith(tuple(told))])
        if new:
            found.append(AdviceSection("no allow rule helps", new))
        elif self.obstacles:
            found.append(AdviceSection("no allow rule can allow it"))
        shown = [each for each in self.remedies if each.proven or not self.obstacles]
        found += [each.section(first=each is shown[0]) for each in shown]
        return found + [AdviceSection(f"careful: {warning}", careful=True) for warning in self.warnings]


def advice_for(script: Script, rulebook: Rulebook, situation: Situation) -> Advice:
    """The changes that would allow the script, each tried; or the reasons why no rule can."""
    found = plan(script, rulebook, situation)
    refused = [proposal.refused for proposal in found.proposals if proposal.refused is not None]
    tried = _Trial(script, rulebook, situation, found)
    remedies = [] if _is_remedied(found) else [*tried.rules(refused), *tried.others()]
    proven = [remedy for remedy in remedies if remedy.proven]
    opinions = [(each, each.opinion) for each in found.verdict.commands if each.opinion is not None]
    dangers = [
        f"`{join(each.argv)}` is dangerous: {said.why}" for each, said in opinions if said.verdict == "dangerous"
    ]
    warnings = () if not remedies and found.obstacles else tuple(dict.fromkeys(dangers))
    obstacles = () if proven else (*found.obstacles, *refused)
    return Advice(remedies=tuple(proven or remedies), warnings=warnings, obstacles=obstacles)


def _is_remedied(found: Plan) -> bool:
    """True if the obstacles name the remedies: trust the project, or repair a rule file."""
    for command in found.verdict.commands:
        codes = {block.code for block in command.blocks}
        safe = command.opinion is not None and command.opinion.verdict == "safe"
        if not ("untrusted" in codes or ("fail-closed" in codes and safe) or command.decision is Decision.ALLOW):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Trial:
    """Judges the script again with each change."""

    script: Script
    rulebook: Rulebook
    situation: Situation
    found: Plan

    def allows(self, statements: Iterable[Statement]) -> bool:
        book = self.rulebook.with_statements(*statements)
        return judge_script(self.script, book, self.situation).decision is Decision.ALLOW

    def rules(self, refused: Sequence[str]) -> Iterator[Remedy]:
        """The rules for exactly this script, and wider ones where those do no harm."""
        writes = [render(rule) for rule in self.found.writes]
        known = [proposal.known for proposal in self.found.proposals if proposal.known]
        if not writes and not known:
            return
        grants, reach = [exactly(words) for words in known], None
        proven = not refused and self.allows([*self.found.writes, *_rules(grants)])
        if not proven and not refused:  # a word is only known at run time: no rule can name exactly these words
            prefixes = [Grant(words) for words in known]
            proven = self.allows([*self.found.writes, *_rules(prefixes)])
            if proven:
                grants = prefixes
                worsts = [(words, preview(words, self.rulebook, self.situation).worst) for words in known]
                reach = "; ".join([_reach_of(words, worst) for words, worst in worsts])
        lines = [*(writes if proven else ()), *[grant.line() for grant in grants]]
        if lines:
            usual = proven and all(grant.is_exact for grant in grants)
            command = _command("allow", "--script", self.script.text) if usual else None
            yield Remedy(kind="rules", lines=tuple(lines), command=command, reach=reach, proven=proven)
        wide = [grant_for(words) for words in known]
        harmless = proven and not self.found.verdict.dangerous and not any(map(why_not, known))
        if harmless and wide != grants and self.allows([*self.found.writes, *_rules(wide)]):
            worsts_left = [worst for grant in wide if (worst := worst_of(grant.pattern)) is not None]
            left = "; ".join([f"which leaves out {worst}" for worst in worsts_left]) or None
            yield Remedy(kind="wider", lines=(*writes, *[grant.line() for grant in wide]), reach=left)

    def others(self) -> Iterator[Remedy]:
        """Rules for the files and hosts alone, the workspace setting and the packs that settle the question."""
        effects = effects_of(self.found.verdict)
        files = [each.target for each in effects if each.kind in ("write", "delete") and each.target is not None]
        writes = write_rules(files, self.rulebook, self.situation)
        if writes and writes != self.found.writes and self.allows(writes):
            reach = "which lets every allowed command write there"
            yield Remedy(kind="write", lines=tuple(map(render, writes)), reach=reach)
        hosts = {_host_rule(each.target) for each in effects if each.kind == "fetch" and each.target is not None}
        for rule in hosts if len(hosts) == 1 else ():
            if rule is not None and self.allows([rule]):
                protocol = () if rule.protocol == "https" else ("--protocol", rule.protocol)
                yield Remedy(
                    kind="network",
                    lines=(render(rule),),
                    command=_command("network", "allow", rule.host, *protocol),
                    reach=f"which lets every allowed command fetch from {rule.host}",
                )
        shipped = _shipped(self.situation.root)
        workspace = workspace_starter()
        for starter in (workspace, *shipped):
            if self.allows(_statements(starter)):
                yield _of_starter(starter, workspace)
                return
        if shipped and self.allows([each for starter in (workspace, *shipped) for each in _statements(starter)]):
            yield Remedy(kind="pack", command="execpolicy init", reach="the workspace setting and the packs that fit")


def _reach_of(words: tuple[str, ...], worst: Worst | None) -> str:
    return f"`{join(words)}` also allows whatever follows" if worst is None else worst.beside(words)


def _rules(grants: Iterable[Grant]) -> list[PrefixRule]:
    return [grant.rule() for grant in grants]


def _command(*words: str) -> str | None:
    """The command line of ``execpolicy``; ``None`` if it is too long to be typed."""
    line = join(("execpolicy", *words))
    return line if len(line) <= _LONGEST_COMMAND and "\n" not in line else None


def _host_rule(target: str) -> NetworkRule | None:
    """The rule for the host of the address ``target``, which means HTTP without a scheme."""
    try:
        address = urlsplit(target if "://" in target else f"http://{target}")
        return NetworkRule(address.hostname or "", address.scheme, Decision.ALLOW)
    except (ValueError, ExecPolicyError):
        return None  # a host that only the run knows, or a protocol without rules


def _of_starter(starter: Starter, workspace: Starter) -> Remedy:
    if starter == workspace:
        return Remedy(kind="workspace", command="execpolicy init --workspace on", reach=starter.title)
    return Remedy(kind="pack", command=f"execpolicy init {starter.name}", reach=starter.title)


def _shipped(root: str) -> tuple[Starter, ...]:
    """The packs that fit the project, without the one that only forbids."""
    return tuple([pack for pack in fitting_packs(root) if pack.name != "disaster"]) if os.path.isdir(root) else ()


@lru_cache(maxsize=64)
def _statements(starter: Starter) -> tuple[Statement, ...]:
    return tuple(compile_source(Source(starter.file_name, starter.text)).statements)
