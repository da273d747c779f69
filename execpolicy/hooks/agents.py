"""The coding agents whose hooks are answered, a record for each.

Sources: runs of the agents themselves against a scripted model in November 2026, in the versions that each record
names; where it names none, the documentation of its hooks at that time. ``docs/hooks.md`` has the table.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError
from execpolicy.hooks.answer_forms import (
    ASKED,
    BY_STATUS,
    TOOL_CALL,
    AnswerForm,
    AskedCall,
    HookShape,
    behaved,
    cancelled,
    claude_like,
    decided,
    decided_aloud,
    messages_shown,
    permitted,
    plugged,
    specific,
)
from execpolicy.hooks.call_forms import CallForm
from execpolicy.hooks.hook_call import HookCall
from execpolicy.hooks.hook_place import HookPlace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from execpolicy.hooks.answer_forms import HookAnswer, OnPrompt
    from execpolicy.layers.hook_setting import HookSetting


class Agent:
    """What is known about the hooks of one agent.

    Attributes:
        name: what the command line calls it.
        title: what people call it.
        shapes: the forms in which it asks and is answered, its usual one first.
        tools: its tools that carry commands.
        place: where it reads hooks from, and in which form.
        shells: the shells that it runs scripts with if ``$SHELL`` is one of them; bash otherwise.
        silence: what a hook prints that has nothing to say, where no output would be a failure.
    """

    __slots__ = ("name", "place", "shapes", "shells", "silence", "title", "tools")

    def __init__(
        self,
        name: str,
        title: str,
        *shapes: HookShape,
        tools: tuple[str, ...],
        place: HookPlace,
        shells: tuple[str, ...] = ("bash",),
        silence: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.title = title
        self.shapes = shapes
        self.tools = tools
        self.place = place
        self.shells = shells
        self.silence = silence or {}

    def read(self, envelope: Mapping[str, Any]) -> AskedCall:
        """The call in an envelope of this agent.

        Raises:
            UsageError: the envelope lacks what this agent always sends.
        """
        fitting: HookShape | None = None
        for shape in self.shapes:
            event = shape.call.event_of(envelope, next(iter(shape.answers)))
            if shape.form(event) is None:
                return AskedCall(HookCall(event, ""), None)
            if shape.call.fits(envelope) and (fitting is None or event in shape.answers):
                fitting = shape
                if event in shape.answers:  # what another form would take for a command may be something else there
                    break
        if fitting is None:
            raise UsageError(f"the envelope is in no form that {self.title} sends")
        event = fitting.call.event_of(envelope, next(iter(fitting.answers)))
        call = fitting.call.read(envelope, event, is_shell=carries_commands, settings=_settings)
        return AskedCall(call, fitting.form(event))

    def closed_answer(self, asked: AskedCall | None, reason: str, on_prompt: OnPrompt = None) -> HookAnswer:
        """The strictest answer that still lets a person decide, for when the hook itself fails or takes too long.

        Where the agent has no dependable way to ask, the call is denied: every one of them runs it otherwise.
        """
        form = asked.form if asked is not None else None
        if form is None:
            form = next(iter(self.shapes[0].answers.values()))
        call = asked.call if asked is not None else HookCall("", "")
        word = form.words[Decision.PROMPT]
        dependable = form.asks == "always" and word is not None and on_prompt != "deny"
        return form.write(Decision.PROMPT if dependable else Decision.FORBIDDEN, reason, call)


_OF_CURSOR = AnswerForm(messages_shown, allow="allow", prompt="ask", deny="deny", asks="person")
"""Where it reviews by itself, Cursor passes over an ``ask``."""
_WINDSURF = (
    CallForm(event="agent_action_name", tool="tool_info.mcp_tool_name", arguments=("tool_info.mcp_tool_arguments",)),
    CallForm(event="agent_action_name", only="run_command", sign="tool_info.command_line", arguments=("tool_info",)),
    CallForm(event="agent_action_name", only="write_code", sign="tool_info.file_path", arguments=("tool_info",)),
)

AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            "claude",
            "Claude Code",
            claude_like(),
            tools=("Bash", "Monitor", "PowerShell"),
            place=HookPlace(
                "groups",
                "~/.claude/settings.json",
                machine="/etc/claude-code/managed-settings.json",
                project=".claude/settings.json",
                events=("PreToolUse",),
                matcher="*",
                timeout="timeout",
                folder="CLAUDE_CONFIG_DIR",
                switch="disableAllHooks",
                switched_in=(".claude/settings.json", ".claude/settings.local.json"),
                versions="2.1.197, 2.1.331",
            ),
            shells=("bash", "zsh"),
        ),
        Agent(
            "codex",
            "Codex",
            HookShape(  # `ask` is not supported there, and no answer runs the command in `exec`
                TOOL_CALL,
                {
                    "PreToolUse": AnswerForm(specific, allow=None, prompt=None, deny="deny", asks="never"),
                    "PermissionRequest": ASKED,
                },
            ),
            tools=("shell", "local_shell", "exec_command", "container.exec"),
            place=HookPlace(
                "groups",
                "~/.codex/hooks.json",
                machine="/etc/codex/requirements.toml",
                project=".codex/hooks.json",
                events=("PreToolUse", "PermissionRequest"),
                timeout="timeout",
                folder="CODEX_HOME",
                switch="features.hooks",
                on=True,
                switched_in=(".codex/config.toml",),
                versions="0.169.0",
            ),
            shells=("bash", "zsh", "sh"),
        ),
        Agent(
            "gemini",
            "Gemini CLI",
            HookShape(
                TOOL_CALL,
                {"BeforeTool": AnswerForm(decided_aloud, allow="allow", prompt="ask", deny="deny", asks="person")},
            ),
            tools=("run_shell_command",),
            place=HookPlace(
                "groups",
                "~/.gemini/settings.json",
                machine="/etc/gemini-cli/settings.json",
                project=".gemini/settings.json",
                events=("BeforeTool",),
                matcher="*",
                timeout="timeout",
                milliseconds=True,
                switch="hooksConfig.enabled",
                on=True,
                switched_in=(".gemini/settings.json",),
                versions="0.61.0",
            ),
        ),
        Agent(
            "copilot",
            "GitHub Copilot CLI",
            HookShape(
                CallForm(event="hookName", tool="toolName", arguments=("toolArgs", "toolInput")),
                {
                    "preToolUse": AnswerForm(permitted, allow="allow", prompt="ask", deny="deny", asks="always"),
                    "permissionRequest": AnswerForm(behaved, allow="allow", prompt=None, deny="deny", asks="always"),
                },
            ),
            claude_like(),  # from `.claude/settings.json`, which it reads as well
            tools=("bash", "write_bash"),
            place=HookPlace(
                "commands",
                "~/.copilot/hooks/execpolicy.json",
                project=".github/hooks/execpolicy.json",
                events=("preToolUse",),
                key="bash",
                timeout="timeoutSec",
                version=True,
                extra=(("type", "command"),),
                switch="disableAllHooks",
                switched_in=(".github/copilot/settings.json", ".github/copilot/settings.local.json"),
                versions="1.0.102",
            ),
        ),
        Agent(
            "cursor",
            "Cursor",
            HookShape(
                CallForm(event="hook_event_name", only="Shell", sign="command"), {"beforeShellExecution": _OF_CURSOR}
            ),
            HookShape(TOOL_CALL, {"beforeMCPExecution": _OF_CURSOR}),  # `command` is what starts the server
            claude_like("person"),  # it loads Claude Code's hooks
            tools=("Shell",),
            place=HookPlace(
                "commands",
                "~/.cursor/hooks.json",
                machine="/etc/cursor/hooks.json",
                project=".cursor/hooks.json",
                events=("beforeShellExecution", "beforeMCPExecution"),
                timeout="timeout",
                version=True,
                extra=(("failClosed", True),),
                programs=("cursor-agent", "cursor"),
            ),
            shells=("bash", "zsh", "fish"),
        ),
        Agent(
            "qwen",
            "Qwen Code",
            claude_like(),
            tools=("run_shell_command",),
            place=HookPlace(
                "groups",
                "~/.qwen/settings.json",
                machine="/etc/qwen-code/settings.json",
                project=".qwen/settings.json",
                events=("PreToolUse",),
                matcher="*",
                timeout="timeout",
                milliseconds=True,
                switch="disableAllHooks",
                switched_in=(".qwen/settings.json",),
                versions="0.15.10, 0.24.4",
            ),
        ),
        Agent(
            "droid",
            "Droid",
            claude_like("person"),  # without a person, `ask` runs the command
            tools=("Execute",),
            place=HookPlace(
                "groups",
                "~/.factory/settings.json",
                project=".factory/settings.json",
                events=("PreToolUse",),
                matcher="*",
                timeout="timeout",
                switch="hooksDisabled",
                switched_in=(".factory/settings.json",),
                versions="0.225.2",
            ),
            shells=("bash", "zsh"),
        ),
        Agent(
            "cline",
            "Cline",
            HookShape(
                CallForm(event="hookName", tool="tool_call.name", arguments=("tool_call.input",)),
                {"tool_call": AnswerForm(cancelled, allow=None, prompt=None, deny="deny", asks="never")},
            ),
            tools=("run_commands", "execute_command"),
            place=HookPlace(
                "script",
                "~/.cline/hooks/PreToolUse",
                project=".clinerules/hooks/PreToolUse",
                versions="3.0.65",
            ),
            shells=("bash", "zsh", "fish"),
        ),
        Agent(
            "opencode",
            "opencode",
            plugged(),
            tools=("bash", "shell"),
            place=HookPlace(
                "module",
                "~/.config/opencode/plugin/execpolicy.js",
                project=".opencode/plugin/execpolicy.js",
                folder="XDG_CONFIG_HOME",
                versions="1.18.33",
            ),
            shells=("bash", "zsh", "sh", "dash", "ksh"),
        ),
        Agent(
            "kilo",
            "Kilo",
            plugged(),
            tools=("bash", "background_process"),
            place=HookPlace(
                "module",
                "~/.config/kilo/plugin/execpolicy.js",
                project=".kilo/plugin/execpolicy.js",
                folder="XDG_CONFIG_HOME",
                versions="7.7.9",
            ),
            shells=("bash", "zsh", "sh", "dash", "ksh"),
        ),
        Agent(
            "pi",
            "pi",
            plugged(),
            tools=("bash",),
            place=HookPlace(
                "module",
                "~/.pi/agent/extensions/execpolicy.ts",
                project=".pi/extensions/execpolicy.ts",
                versions="0.73.1, 0.74.2",
            ),
        ),
        Agent(
            "amp",
            "Amp",
            HookShape(
                CallForm(event="event", only="Bash", sign="cmd"),
                {
                    "delegate": AnswerForm(
                        None,
                        allow="allow",
                        prompt="ask",
                        deny="reject",
                        asks="always",
                        statuses={"ask": 1, "reject": 2},
                    )
                },
            ),
            tools=("Bash", "shell_command"),
            place=HookPlace(
                "delegate",
                "~/.config/amp/settings.json",
                machine="/etc/ampcode/managed-settings.json",
                project=".amp/settings.json",
                versions="0.0.1790142911",
            ),
            shells=("bash", "zsh"),
        ),
        Agent(
            "crush",
            "Crush",
            HookShape(
                CallForm(event="event", tool="tool_name", arguments=("tool_input",)),
                {"PreToolUse": AnswerForm(decided, allow="allow", prompt=None, deny="deny", asks="never")},
            ),
            tools=("bash",),
            place=HookPlace(
                "commands",
                "~/.config/crush/crush.json",
                project="crush.json",
                events=("PreToolUse",),
                timeout="timeout",
                folder="XDG_CONFIG_HOME",
            ),
        ),
        Agent(
            "goose",
            "Goose",
            HookShape(
                CallForm(
                    event="event",
                    tool="tool_name",
                    arguments=("tool_input", "tool_args", "arguments"),
                    unasked=("delegate",),
                ),
                {"PreToolUse": AnswerForm(decided, allow=None, prompt=None, deny="block", asks="never")},
            ),
            tools=("developer__shell", "shell"),
            place=HookPlace(
                "groups",
                "~/.agents/plugins/execpolicy/hooks/hooks.json",
                project=".agents/plugins/execpolicy/hooks/hooks.json",
                events=("PreToolUse",),
                timeout="timeout",
                extra=(("on_failure", "block"),),
                switch="disabledPlugins",
                switched_in=("~/.config/goose/settings.json", ".config/goose/settings.json"),
                versions="1.52.0",
            ),
            silence={"decision": "allow"},  # its own permissions decide then; `{}` is a failure to it, which blocks
        ),
        Agent(
            "windsurf",
            "Windsurf",
            *[HookShape(form, {"pre_run_command": BY_STATUS}) for form in _WINDSURF],
            tools=("run_command",),
            place=HookPlace(
                "commands",
                "~/.codeium/windsurf/hooks.json",
                machine="/etc/windsurf/hooks.json",
                project=".windsurf/hooks.json",
                events=("pre_run_command", "pre_write_code", "pre_mcp_tool_use"),
            ),
            shells=("bash", "zsh", "fish"),
        ),
    )
}
"""The agents that can be named, by name."""


def _settings() -> HookSetting:
    from execpolicy.layers.hook_setting import hook_setting_of_process

    return hook_setting_of_process()


_OF_OTHERS = ("execute_command",)
"""What agents that have no record of their own call their shell."""


def carries_commands(tool: str) -> bool:
    """Whether ``tool`` is a shell, whichever agent calls it so: some load the hooks of others and keep their names."""
    return tool in _OF_OTHERS or any(tool in agent.tools for agent in AGENTS.values())
