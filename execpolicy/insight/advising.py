"""What to advise about a script that is not allowed: rules, tried out, or why none can help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from execpolicy.amend.grant import Grant, exactly
from execpolicy.amend.preview import preview
from execpolicy.amend.save_plan import plan
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.insight.advice import Advice
from execpolicy.insight.suggestible import grant_for, why_not
from execpolicy.judge.judge import judge_script
from execpolicy.programs.breadth import worst_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.judge.verdict import CommandVerdict
    from execpolicy.shell.script import Script


def advice_for(script: Script, rulebook: Rulebook, situation: Situation) -> Advice:
    """The smallest rules that would allow the script, tried out, and what could be allowed beside; or why none can."""
    found = plan(script, rulebook, situation)
    if all(each.decision is Decision.ALLOW or _is_remedied(each) for each in found.verdict.commands):
        return Advice(obstacles=found.obstacles)  # another rule beside the one that is there is none
    if found.obstacles and not found.proposals:
        return Advice(obstacles=found.obstacles)
    refused = tuple(proposal.refused for proposal in found.proposals if proposal.refused is not None)
    known = [proposal.known for proposal in found.proposals if proposal.known]
    narrow = [exactly(words) for words in known]
    proven = not refused and _allows(script, narrow, rulebook, situation)
    warnings: list[str] = []
    if not proven and not refused:  # a word is only known at run time: no rule can be for exactly these
        prefixes = [Grant(words) for words in known]
        proven = _allows(script, prefixes, rulebook, situation)
        narrow = prefixes if proven else narrow
        for words in known if proven else ():
            worst = preview(words, rulebook, situation).worst
            if worst is not None:
                warnings.append(worst.beside(words))
    wide = [grant_for(words) for words in known]
    suggestible = proven and not any(why_not(words, rulebook, situation) for words in known)
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
    """Whether what stands in the way says itself what to do: to trust the project, or to repair a rule file."""
    codes = {block.code for block in command.blocks}
    safe = command.opinion is not None and command.opinion.verdict == "safe"
    return "untrusted" in codes or ("fail-closed" in codes and safe)


def _allows(script: Script, grants: Sequence[Grant], rulebook: Rulebook, situation: Situation) -> bool:
    book = rulebook.with_statements(*[grant.rule() for grant in grants])
    return judge_script(script, book, situation).decision is Decision.ALLOW
