"""The decision on an agent's call: its commands, the files that it writes, and its obstacles."""

from __future__ import annotations

import os
from io import StringIO

from execpolicy.cli.judgement import Judging, situation_at
from execpolicy.core.decision import Decision
from execpolicy.hooks import other_tools
from execpolicy.judge import file_write
from execpolicy.protocol import decisions
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.cli.hook_options import HookOptions
    from execpolicy.cli.hook_permissions import HookPermissions
    from execpolicy.hooks.hook_call import HookCall, Shell
    from execpolicy.judge.situation import Situation

_LONGEST_PROBLEM = 300


@value
class HookRuling:
    """A decision on a call, and its reason.

    Attributes:
        decision: ``None`` if there is none, which leaves the call to the agent.
        reason: for the agent and its user, one paragraph.
        codes: the codes of the grounds of an allow.
        unknown: a prompt to which nothing objects, see :class:`~execpolicy.judge.verdict.Verdict`.
    """

    decision: Decision | None
    reason: str
    codes: tuple[str, ...] = ()
    unknown: bool = False

    def __post_init__(self) -> None:
        if (self.decision is Decision.ALLOW) is not bool(self.codes):
            raise ValueError("an allow needs the grounds that it rests on, and nothing else has any")


class HookJudgement:
    """Judges the calls of one agent by the rules of each call's folder, or by the files that ``options`` name.

    Args:
        permissions: additional permission rules.
    """

    def __init__(self, options: HookOptions, permissions: HookPermissions | None) -> None:
        self._agent = options.agent
        self._permissions = permissions
        self._problems = StringIO()
        self._by_trusted, self._by_all = [
            Judging(options, self._problems, untrusted=untrusted) for untrusted in (False, True)
        ]

    def ruling(self, call: HookCall) -> HookRuling:
        """The strictest decision among the parts of the call.

        The rules of an untrusted project can only tighten. They are read last, so that no file of the project
        delays a refusal.

        Raises:
            UsageError: it names a folder that does not exist.
            RuleFileError: a named rule file has a problem.
        """
        situation = situation_at(call.cwd, call.root, terminal=call.terminal)
        if self._by_all.holds_untrusted(situation):
            ruling = self._ruling(self._by_trusted, call, situation)
            if ruling.decision is Decision.FORBIDDEN:
                return ruling
        return self._ruling(self._by_all, call, situation)

    def _ruling(self, judging: Judging, call: HookCall, situation: Situation) -> HookRuling:
        called: Sequence[Shell] = call.commands
        if call.skill is not None:
            called = other_tools.commands_of_skill(call.skill, call.cwd, situation.home) or ()
        commands = [(command, shell) for command in called for shell in self._shells(call, command)]
        parts = [self._of_command(judging, command, shell, situation) for command, shell in commands]
        parts += self._of_writes(judging, call, situation)
        if call.doubts and not any(part.decision is Decision.FORBIDDEN for part in parts):
            parts.append(HookRuling(Decision.PROMPT, f"the call needs approval: {call.doubts[0]}"))
        if self._permissions is not None:
            parts += self._of_permissions(self._permissions, call, commands, situation)
        decided = [part for part in parts if part.decision is not None]
        if not decided or (len(decided) < len(parts) and all(part.decision is Decision.ALLOW for part in decided)):
            return HookRuling(None, "no rule mentions it")
        strictest = max(decided, key=lambda part: (part.decision or Decision.ALLOW, not part.unknown))
        reason = strictest.reason
        problems = self._problems.getvalue()
        if strictest.decision is Decision.PROMPT and problems and not judging.rulebook(situation).fail_closed:
            first = " ".join(problems.partition("\n\n")[0].split())[:_LONGEST_PROBLEM]
            reason += f" (and there is a problem in the rules: {first})"
        codes = dict.fromkeys([code for part in decided for code in part.codes])
        unknown = strictest.unknown and call.skill is None  # no permission of an agent is about what a skill runs
        return HookRuling(
            strictest.decision, reason, tuple(codes) if strictest.decision is Decision.ALLOW else (), unknown
        )

    def _shells(self, call: HookCall, command: Shell) -> tuple[str, ...]:
        """The shells that may read ``command``: the one that the call names, or bash and the user's own."""
        if call.shell is not None:
            return (call.shell,)
        own = os.environ.get("SHELL", "").rpartition("/")[2]
        if own in self._agent.shells and own != "bash" and isinstance(command, str):
            return ("bash", own)
        return ("bash",)

    @staticmethod
    def _of_command(judging: Judging, command: Shell, shell: str, situation: Situation) -> HookRuling:
        verdict = judging.verdict(command, situation, shell=shell)
        if verdict.decision is Decision.ALLOW:
            codes = tuple(dict.fromkeys([ground.code for ground in verdict.grounds]))
            return HookRuling(Decision.ALLOW, verdict.reason, codes)
        return HookRuling(verdict.decision, verdict.reason, unknown=verdict.kind == "unknown")

    @staticmethod
    def _of_permissions(
        permissions: HookPermissions, call: HookCall, commands: Sequence[tuple[Shell, str]], situation: Situation
    ) -> Iterator[HookRuling]:
        ruling = permissions.ruling(call, commands, situation.cwd)
        if ruling.say is decisions.Say.DENY:
            yield HookRuling(Decision.FORBIDDEN, f"`{call.tool}` is forbidden: {ruling.reason}")
        elif ruling.say is decisions.Say.ASK:
            yield HookRuling(Decision.PROMPT, f"`{call.tool}` needs approval: {ruling.reason}")

    @staticmethod
    def _of_writes(judging: Judging, call: HookCall, situation: Situation) -> Iterator[HookRuling]:
        if not call.writes:
            return
        rulebook = judging.rulebook(situation)
        for path in call.writes:
            plain = path.removeprefix("file://")
            if plain.startswith("~/") and situation.home is not None:
                plain = situation.home + plain[1:]
            write = file_write.FileWrite(plain, rulebook, situation)
            decision = write.decision()
            if decision is Decision.ALLOW and call.foreign:
                decision = None  # the other effects of the tool on the file are unknown
            yield HookRuling(decision, write.reason(), write.grounds if decision is Decision.ALLOW else ())
