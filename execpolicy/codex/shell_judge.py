"""Shell requests judged with the semantics of Codex, for ``arbiter --profile`` and ``serve --profile``."""

from __future__ import annotations

from collections.abc import Callable

from execpolicy.codex.decide import decide_as_codex
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.protocol.decisions import Ruling, Say
from execpolicy.protocol.policy_decider import RulebookShellJudge
from execpolicy.protocol.shell_calls import ShellCall


class CodexShellJudge:
    """Judges commands as Codex does: its splitter, rules only; unmatched commands prompt.

    Our own parser rates how grave a question is, which decides if a default may answer it. Codex's parser sees less,
    and Codex has no such defaults.
    """

    def __init__(self, rulebook: Callable[[], Rulebook], *, home: str | None, login: bool = True) -> None:
        self._rulebook = rulebook
        self._login = login
        self._home = home
        self._own = RulebookShellJudge(rulebook, home=home)

    def judge(self, call: ShellCall, /) -> Ruling:
        """The ruling on a command."""
        situation = Situation(call.cwd, home=self._home)
        body, decision = decide_as_codex(call.command, self._rulebook(), situation, shell=call.shell, login=self._login)
        reason, rule_id = "no rule mentions it", None
        for match in body["matchedRules"]:
            rule = match.get("prefixRuleMatch")
            if rule is not None and rule["decision"] == decision.word:
                rule_id = "prefix:" + " ".join(rule["matchedPrefix"])
                reason = rule.get("justification") or f"`{' '.join(rule['matchedPrefix'])}` is matched by a rule"
        say = Say.of(decision)
        if say is Say.ALLOW and call.doubts:
            return Ruling(say=Say.ASK, reason=call.doubts[0], rule_id=rule_id, grave=True)
        own = self._own.judge(call) if say is Say.ASK else None
        if own is None:
            return Ruling(say=say, reason=reason, rule_id=rule_id)
        return Ruling(say=say, reason=reason, rule_id=rule_id, grave=own.grave, dangerous=own.dangerous, once=own.once)
