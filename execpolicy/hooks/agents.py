"""The coding agents whose hooks are answered, a record for each.

Sources: runs of the agents themselves against a scripted model in November 2026, in the versions that each record
names; where it names none, the documentation of its hooks at that time. ``docs/hooks.md`` has the table.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError
from execpolicy.hooks.answer_forms import (
    ASKED,
    BEFORE_TOOL,
    BY_STATUS,
    IN_SKILL,
    TOOL_CALL,
    AnswerForm,
    AskedCall,
    CallForm,
    HookShape,
    behaved,
    cancelled,
    claude_like,
    decided,
    fields,
    permitted,
    plugged,
)
from execpolicy.hooks.hook_call import HookCall
from execpolicy.safety import agent_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from execpolicy.hooks.answer_forms import HookAnswer, OnPrompt
    from execpolicy.layers.hook_setting import Unknown


class Agent:
    """The facts about the hooks of one agent.

    Attributes:
        name: its name on the command line.
        title: its name in text for people.
        shapes: the forms of its calls and answers, the usual one first.
        tools: its tools that run commands.
        shells: the shells that it runs scripts with if ``$SHELL`` is one of them; bash otherwise.
        silence: the output of a hook without a decision, where no output would be a failure.
    """

    __slots__ = ("name", "shapes", "shells", "silence", "title", "tools")

    def __init__(
        self,
        name: str,
        title: str,
        *shapes: HookShape,
        tools: tuple[str, ...],
        shells: tuple[str, ...] = ("bash",),
        silence: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.title = title
        self.shapes = shapes
        self.tools = tools
        self.shells = shells
        self.silence = silence or {}

    @property
    def place(self) -> agent_places.HookPlace:
        """The place and form of its hook settings."""
        return agent_places.PLACES[self.name]

    def read(self, envelope: Mapping[str, Any]) -> AskedCall:
        """Reads the call in an envelope of this agent.

        Raises:
            UsageError: the envelope lacks a field that this agent always sends.
        """
        fitting: HookShape | None = None
        for shape in self.shapes:
            event = shape.call.event_of(envelope, next(iter(shape.answers)))
            if shape.form(event) is None:
                return AskedCall(HookCall(event, ""), None)
            if shape.call.fits(envelope) and (fitting is None or event in shape.answers):
                fitting = shape
                if event in shape.answers:  # another form may use the key of a command for something else
                    break
        if fitting is None:
            raise UsageError(f"this is not a call from {self.title}")
        event = fitting.call.event_of(envelope, next(iter(fitting.answers)))
        call = fitting.call.read(envelope, event, carries_commands)
        return AskedCall(call, fitting.form(event))

    def unknown_prompts(self, setting: Unknown) -> str:
        """The handling of unknown prompts under ``hook.unknown = setting``, as a sentence."""
        if setting != "agent":
            word = "denied" if setting == "deny" else "asked about"
            return f'an unknown prompt is {word} (`hook.unknown = "{setting}"`)'
        form = next(iter(self.shapes[0].answers.values()))
        modes = f"in its modes {', '.join(form.modes)}" if form.modes else "where it asks by itself"
        if form.modes or form.modeless:
            return f"if nothing objects to a command, {self.title} decides {modes} (`hook.unknown` changes that)"
        return f"every prompt is a question or a denial: {self.title} does not say if anything else would decide"

    def closed_answer(self, asked: AskedCall | None, reason: str, on_prompt: OnPrompt = None) -> HookAnswer:
        """The strictest answer that still lets a person decide, for a hook that fails or takes too long.

        Where the agent has no dependable way to prompt, the call is denied, because every such agent runs it otherwise.
        """
        form = asked.form if asked is not None else None
        if form is None:
            form = next(iter(self.shapes[0].answers.values()))
        call = asked.call if asked is not None else HookCall("", "")
        word = form.words[Decision.PROMPT]
        dependable = form.asks == "always" and word is not None and on_prompt != "deny"
        return form.write(Decision.PROMPT if dependable else Decision.FORBIDDEN, reason, call)


_OF_CURSOR = AnswerForm(fields("permission", "user_message", "agent_message"), asks="person", modeless=True)
"""Cursor ignores ``ask`` where it reviews by itself."""
_OF_CLAUDE = ("default", "acceptEdits", "plan", "auto", "dontAsk")
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
            HookShape(TOOL_CALL, {**claude_like(*_OF_CLAUDE).answers, "PreSkillShellCommand": IN_SKILL}),
            tools=("Bash", "Monitor", "PowerShell"),
            shells=("bash", "zsh"),
        ),
        Agent(
            "codex",
            "Codex",
            HookShape(  # `ask` is not supported there, and no answer runs the command in `exec`
                TOOL_CALL,
                {
                    "PreToolUse": AnswerForm(BEFORE_TOOL, allow=None, prompt=None, asks="never", modes=("default",)),
                    "PermissionRequest": ASKED,
                },
            ),
            tools=("shell", "local_shell", "exec_command", "container.exec"),
            shells=("bash", "zsh", "sh"),
        ),
        Agent(
            "gemini",
            "Gemini CLI",
            HookShape(
                TOOL_CALL, {"BeforeTool": AnswerForm(fields("decision", "reason", "systemMessage"), asks="person")}
            ),
            tools=("run_shell_command",),
        ),
        Agent(
            "copilot",
            "GitHub Copilot CLI",
            HookShape(
                CallForm(event="hookName", tool="toolName", arguments=("toolArgs", "toolInput")),
                {
                    "preToolUse": AnswerForm(permitted, asks="always", modeless=True),
                    "permissionRequest": AnswerForm(behaved, prompt=None, asks="always"),
                },
            ),
            claude_like(modeless=True),  # from `.claude/settings.json`, which it reads as well
            tools=("bash", "write_bash"),
        ),
        Agent(
            "cursor",
            "Cursor",
            HookShape(
                CallForm(event="hook_event_name", only="Shell", sign="command"), {"beforeShellExecution": _OF_CURSOR}
            ),
            HookShape(TOOL_CALL, {"beforeMCPExecution": _OF_CURSOR}),  # `command` is the one that starts the server
            claude_like(asks="person", modeless=True),  # it loads Claude Code's hooks
            tools=("Shell",),
            shells=("bash", "zsh", "fish"),
        ),
        Agent("qwen", "Qwen Code", claude_like("default", "plan", "auto-edit", "auto"), tools=("run_shell_command",)),
        Agent(
            "droid",
            "Droid",
            claude_like(
                "off", "spec", "auto-low", "auto-medium", asks="person"
            ),  # without a person, `ask` runs the command
            tools=("Execute",),
            shells=("bash", "zsh"),
        ),
        Agent(
            "cline",
            "Cline",
            HookShape(
                CallForm(event="hookName", tool="tool_call.name", arguments=("tool_call.input",)),
                {"tool_call": AnswerForm(cancelled, allow=None, prompt=None, asks="never")},
            ),
            tools=("run_commands", "execute_command"),
            shells=("bash", "zsh", "fish"),
        ),
        Agent("opencode", "opencode", plugged(), tools=("bash", "shell"), shells=("bash", "zsh", "sh", "dash", "ksh")),
        Agent(
            "kilo", "Kilo", plugged(), tools=("bash", "background_process"), shells=("bash", "zsh", "sh", "dash", "ksh")
        ),
        Agent("pi", "pi", plugged(), tools=("bash",)),
        Agent(
            "amp",
            "Amp",
            HookShape(
                CallForm(event="event", only="Bash", sign="cmd"),
                {"delegate": AnswerForm(None, deny="reject", asks="always", statuses={"ask": 1, "reject": 2})},
            ),
            tools=("Bash", "shell_command"),
            shells=("bash", "zsh"),
        ),
        Agent(
            "crush",
            "Crush",
            HookShape(
                CallForm(event="event", tool="tool_name", arguments=("tool_input",)),
                {"PreToolUse": AnswerForm(decided, prompt=None, asks="never")},
            ),
            tools=("bash",),
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
            silence={"decision": "allow"},  # its own permissions decide then; it treats `{}` as a failure, which blocks
        ),
        Agent(
            "windsurf",
            "Windsurf",
            *[HookShape(form, {"pre_run_command": BY_STATUS}) for form in _WINDSURF],
            tools=("run_command",),
            shells=("bash", "zsh", "fish"),
        ),
    )
}
"""The agents that can be named, by name."""


def carries_commands(tool: str) -> bool:
    """True if ``tool`` is a shell of any agent: some agents load the hooks of others and keep their names."""
    return any(tool in agent.tools for agent in AGENTS.values())
