"""Advice about a script that is not allowed: tested rules that would allow it, or the reasons why no rule can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from execpolicy.amend.preview import preview
from execpolicy.amend.save_plan import Grant, exactly, plan
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_path
from execpolicy.core.path_rules import WriteRule
from execpolicy.core.quoting import join
from execpolicy.insight.suggest import grant_for, why_not
from execpolicy.judge.file_write import HARMLESS_TARGETS, FileWrite
from execpolicy.judge.judge import judge_script
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import CommandVerdict
from execpolicy.lang.render import render_strings
from execpolicy.programs.breadth import worst_of
from execpolicy.shell.script import Script

_OURS = {"unless=": "`unless`", "write_rule(": "`write_rule`"}
"""Syntax that Codex does not read, mapped to its name in a note."""


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
class Advice:
    """The counterfactual: the changes that would make the input *allow*.

    Attributes:
        rules: lines for a rule file that together would allow it and nothing else; empty if no rule can.
        wider: lines that would allow the same for other files of the project; empty where that may do harm.
        left_out: the most dangerous commands that the wider lines do not allow, each with its effect.
        proven: True if the input was judged again with these rules and is allowed.
        warnings: reasons why saving them may be unwise.
        obstacles: reasons that no allow rule can change.
    """

    rules: tuple[str, ...] = ()
    wider: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    proven: bool = False
    warnings: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """All fields; ``left_out`` as ``leftOut``."""
        body = {name: list(v) if isinstance(v := getattr(self, name), tuple) else v for name in self.__slots__}
        body["leftOut"] = body.pop("left_out")
        return body

    def sections(self, told: Sequence[str]) -> list[AdviceSection]:
        """The sections in reading order; ``told`` lists details of blocks that the reader has already seen."""
        found: list[AdviceSection] = []
        new = tuple([obstacle for obstacle in self.obstacles if not obstacle.endswith(tuple(told))])
        if new:
            found.append(AdviceSection("no allow rule changes", new))
        elif self.obstacles:
            found.append(AdviceSection("no allow rule removes what blocks it"))
        if self.rules and (self.proven or not self.obstacles):
            title = "would be allowed with" if self.proven else "would be closer to allowed with"
            ours = " or ".join([name for text, name in _OURS.items() if any(text in rule for rule in self.rules)])
            known = (f"(in `~/.config/execpolicy/rules`: Codex does not know {ours})",) if ours else ()
            found.append(AdviceSection(title, rules=self.rules, notes=known))
        if self.wider:
            notes = tuple([f"which leaves out {each}" for each in self.left_out])
            found.append(AdviceSection("or, with other files of the project too", rules=self.wider, notes=notes))
        return found + [AdviceSection(f"careful: {warning}", careful=True) for warning in self.warnings]


def advice_for(script: Script, rulebook: Rulebook, situation: Situation) -> Advice:
    """The smallest rules that would allow the script, tested, and wider ones; or the reasons why none can."""
    writes = _write_rules(script, rulebook, situation)
    if not writes:
        return _advice_for_commands(script, rulebook, situation)
    book = rulebook.with_statements(*writes)
    advice = _advice_for_commands(script, book, situation)
    proven = advice.proven or judge_script(script, book, situation).decision is Decision.ALLOW
    lines = [f'write_rule(paths={render_strings(rule.paths)}, decision="allow")' for rule in writes]
    return replace(advice, rules=(*lines, *advice.rules), proven=proven) if proven else advice


def _write_rules(script: Script, rulebook: Rulebook, situation: Situation) -> list[WriteRule]:
    """A rule for each file that a redirect writes and that only lacks a rule."""
    found: dict[str, WriteRule] = {}
    for redirect in [redirect for command in script.commands for redirect in command.redirects]:
        target = redirect.target.literal
        if not redirect.writes or target is None or target in HARMLESS_TARGETS or target in found:
            continue
        write = FileWrite(target, rulebook, situation)
        if not write.covered and not write.restricting and write.guarded is None:
            start = situation.root.rstrip("/") + "/"
            places = dict.fromkeys(map(normalise_path, write.paths))
            paths = ["./" + path.removeprefix(start) if path.startswith(start) else path for path in places]
            if not any(set("*?[") & set(path) for path in paths):
                found[target] = WriteRule(tuple(paths))
    return list(found.values())


def _advice_for_commands(script: Script, rulebook: Rulebook, situation: Situation) -> Advice:
    found = plan(script, rulebook, situation)
    if all(each.decision is Decision.ALLOW or _is_remedied(each) for each in found.verdict.commands):
        return Advice(obstacles=found.obstacles)  # the existing rule leaves no room for another
    if found.obstacles and not found.proposals:
        return Advice(obstacles=found.obstacles)
    refused = tuple(proposal.refused for proposal in found.proposals if proposal.refused is not None)
    known = [proposal.known for proposal in found.proposals if proposal.known]
    narrow = [exactly(words) for words in known]
    proven = not refused and _allows(script, narrow, rulebook, situation)
    warnings: list[str] = []
    if not proven and not refused:  # a word is only known at run time: no rule can name exactly these words
        prefixes = [Grant(words) for words in known]
        proven = _allows(script, prefixes, rulebook, situation)
        narrow = prefixes if proven else narrow
        for words in known if proven else ():
            worst = preview(words, rulebook, situation).worst
            if worst is not None:
                warnings.append(worst.beside(words))
    wide = [grant_for(words) for words in known]
    suggestible = proven and not found.verdict.dangerous and not any(map(why_not, known))
    wider = wide if suggestible and wide != narrow and _allows(script, wide, rulebook, situation) else []
    worsts = [worst_of(grant.pattern) for grant in wider]
    for command in found.verdict.commands:
        if command.opinion is not None and command.opinion.verdict == "dangerous":
            warnings.append(f"`{join(command.argv)}` is dangerous: {command.opinion.why}")
    return Advice(
        rules=tuple([grant.line() for grant in narrow]),
        wider=tuple([grant.line() for grant in wider]),
        left_out=tuple([str(worst) for worst in worsts if worst is not None]),
        proven=proven,
        warnings=tuple(dict.fromkeys(warnings)),
        obstacles=(*found.obstacles, *refused),
    )


def _is_remedied(command: CommandVerdict) -> bool:
    """True if the obstacle's own text names the remedy: trust the project, or repair a rule file."""
    codes = {block.code for block in command.blocks}
    safe = command.opinion is not None and command.opinion.verdict == "safe"
    return "untrusted" in codes or ("fail-closed" in codes and safe)


def _allows(script: Script, grants: Sequence[Grant], rulebook: Rulebook, situation: Situation) -> bool:
    book = rulebook.with_statements(*[grant.rule() for grant in grants])
    return judge_script(script, book, situation).decision is Decision.ALLOW
