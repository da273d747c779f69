"""The outcome of a judgement for the whole input."""

from __future__ import annotations

import execpolicy
from execpolicy.core.decision import Decision
from execpolicy.judge.command_verdict import require_grounds
from execpolicy.source import Span
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from execpolicy.core.ground import Ground
    from execpolicy.core.matches import RuleMatch
    from execpolicy.judge.command_verdict import Block, CommandVerdict, EffectMatch, Kind
    from execpolicy.shell.script import Script


@value
class Verdict:
    """The outcome for an argv or a script.

    Attributes:
        decision: the strictest of the commands' decisions and of what the script does beside running commands.
        commands: in source order.
        script: what was read.
        blocks: what is in the way of every grant in it.
        own_grounds: what an allow rests on beside the grounds of its commands; empty for any other decision.
        rulebook: the rules that decided.
        situation: where it would run.

    Raises:
        ValueError: an allow without grounds, or with something else in their place.
    """

    decision: Decision
    commands: tuple[CommandVerdict, ...]
    script: Script
    blocks: tuple[Block, ...]
    own_grounds: tuple[Ground, ...]
    rulebook: execpolicy.Rulebook
    situation: execpolicy.Situation

    def __post_init__(self) -> None:
        require_grounds(self.decision, self.own_grounds)

    @property
    def kind(self) -> Kind | None:
        """Of a prompt: ``unknown`` if every command that is not allowed is, else ``objected``; otherwise ``None``."""
        if self.decision is not Decision.PROMPT:
            return None
        kinds = {command.kind for command in self.commands} - {None}
        unknown = kinds == {"unknown"} and all(block.unknown for block in self.blocks)
        return "unknown" if unknown else "objected"

    @property
    def dangerous(self) -> bool:
        """True if some command of the script is a known destructive form."""
        return any(command.dangerous for command in self.commands)

    @property
    def matches(self) -> tuple[RuleMatch | EffectMatch, ...]:
        """The matches of all commands, in order."""
        return tuple([match for command in self.commands for match in command.matches])

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """Everything that an allow rests on, each ground once; empty for any other decision."""
        if not self.own_grounds:
            return ()
        found = dict.fromkeys(self.own_grounds)
        for command in self.commands:
            found.update(dict.fromkeys(command.grounds))
        return tuple(found)

    @property
    def reason(self) -> str:
        """The reason in one line: the worst part that is not allowed, and how many others there are."""
        if self.decision is Decision.ALLOW:
            return "every command is covered" if self.commands else "nothing runs"
        from execpolicy.judge.reasons import short_reason

        return short_reason(self.commands, self.blocks)

    @property
    def effects(self) -> tuple[execpolicy.Effect, ...]:
        """Returns what it would run, read, write, delete, fetch and send. Found anew each time."""
        return execpolicy.insight.effects_of(self)

    @property
    def advice(self) -> execpolicy.insight.Advice | None:
        """The rules that would allow it, tested, or why none can; ``None`` for an allow. Found anew each time."""
        if self.decision is Decision.ALLOW:
            return None
        return execpolicy.insight.advice_for(self.script, self.rulebook, self.situation)

    def __repr__(self) -> str:
        return f"Verdict({self.decision.word}, {self.reason!r})"

    def to_json(self) -> dict[str, Any]:
        """``{"decision", "reason", "kind"?, "matchedRules", "commands", "blocked"?}``."""
        return self._body(grounds=False)

    def to_json_with_grounds(self) -> dict[str, Any]:
        """The same with ``grounds``, of the whole and of each command: ``[{"code", "span", "detail"}]``."""
        return self._body(grounds=True)

    def _body(self, *, grounds: bool) -> dict[str, Any]:
        commands = [command.to_json(grounds=grounds) for command in self.commands]
        body: dict[str, Any] = {
            "decision": self.decision.word,
            "reason": self.reason,
            "matchedRules": [match for command in commands for match in command["matchedRules"]],
            "commands": commands,
        }
        if (kind := self.kind) is not None:
            body["kind"] = kind
        if grounds:
            whole = Span(0, len(self.script.text))
            body["grounds"] = [ground.to_json(whole) for ground in self.own_grounds]
        blocked = [*self.blocks, *[block for command in self.commands for block in command.blocks]]
        if blocked:
            said = {(block.code, block.detail, block.span): block for block in blocked}
            body["blocked"] = [block.to_json() for block in said.values()]
        return body
