"""The options of ``execpolicy hook``, printed and parsed without click, whose import takes longer than a decision."""

from __future__ import annotations

from execpolicy.cli import group, suspicious_args
from execpolicy.cli.rule_options import MODES, RuleOptions, usage_of
from execpolicy.core.text import word_set
from execpolicy.errors import UsageError
from execpolicy.hooks.agents import AGENTS
from execpolicy.hooks.answer_forms import INBOX_WAIT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.hooks.agents import Agent
    from execpolicy.hooks.answer_forms import OnPrompt

_VALUED = word_set("-r --rules --deadline --grants --on-prompt --audit --wait --config-profile --permissions")
"""Options that take a value."""


def usage() -> str:
    """The text of ``--help``."""
    agents = [f"  {each.name:<8} {', '.join(each.place.files)}" for each in AGENTS.values()]
    return usage_of("hook").replace("{agents}", "\n".join(agents))


class HookOptions(RuleOptions):
    """The parsed options."""

    agent: Agent
    deadline = 5.0
    inbox = False
    on_prompt: OnPrompt = None
    wait = INBOX_WAIT_S
    audit: str | None = None
    log = False
    no_silence = False
    permissions: tuple[str, ...] = ()

    def take(self, option: str, value: str) -> None:
        """Set an option to its value.

        Raises:
            UsageError: the value is not one of its choices.
        """
        if option in ("-r", "--rules"):
            self.rules += (value,)
        elif option == "--permissions":
            self.permissions += (value,)
        elif option == "--on-prompt":
            if value not in ("ask", "deny", "inbox"):
                raise UsageError(f"--on-prompt is `ask`, `deny` or `inbox`, not `{value}`")
            self.inbox = value == "inbox"
            self.on_prompt = None if self.inbox else value  # type: ignore[assignment]  # one of the other two
        elif option == "--deadline":
            self.deadline = _seconds(option, value)
        elif option == "--wait":
            self.wait = _seconds(option, value)
        elif option == "--audit":
            self.audit = value
        elif option == "--grants":
            self.grants = value
        else:
            self.config_profile = value


def _seconds(option: str, value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        raise UsageError(f"`{value}` is not a number of seconds") from None
    if not 0 < seconds < 3600:
        raise UsageError(f"{option} must be between 0 and 3600 seconds")
    return seconds


def parse_hook_options(arguments: Sequence[str]) -> HookOptions | None:
    """The parsed arguments; ``None`` for a request for help.

    Raises:
        UsageError: the arguments are invalid.
    """
    options = HookOptions()
    name: str | None = None
    words = iter(arguments)
    for word in words:
        if word in ("-h", "--help"):
            return None
        if word in _VALUED:
            value = next(words, None)
            if value is None:
                raise UsageError(f"a value is required for `{word}`")
            options.take(word, value)
        elif word == "--log":
            options.log = True
        elif word == "--no-silence":
            options.no_silence = True
        elif word == "--ignore-rules":
            options.ignore_rules = True
        elif word in MODES:
            options.mode = MODES[word]
        elif name is None and not word.startswith("-"):
            name = word
        else:
            known = [name for option in group.options_in(usage()) for name in option.names]
            raise UsageError(f"unexpected argument `{word}`{suspicious_args.did_you_mean(word, known)}")
    if name not in AGENTS:
        near = suspicious_args.did_you_mean(name or "", AGENTS)
        raise UsageError(f"name the agent: one of {', '.join(AGENTS)}{near}")
    options.agent = AGENTS[name]
    return options
