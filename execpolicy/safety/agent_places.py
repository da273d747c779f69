"""The places of the coding agents whose hooks are answered, a record for each: what starts a hook, what can end it.

Sources: the documentation of each agent's settings, hooks, skills and servers, the paths and variables that stand in
their programs, and runs of the agents, as of November 2026.
"""

from __future__ import annotations

import os
from _collections_abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Form: TypeAlias = Literal["groups", "commands", "module", "script", "delegate"]


class HookPlace:
    """The files that make an agent ask a hook, and all others that it obeys.

    Attributes:
        agent: its name.
        form: ``groups``: JSON, lists of ``{matcher, hooks: [{type, command, timeout}]}`` under ``hooks`` and the event.
            ``commands``: JSON, lists of ``{KEY: command}`` there. ``module``: a program in the agent's own language
            that asks the hook. ``script``: an executable that is the hook. ``delegate``: JSON, a list of permissions of
            which one names a program.
        user, machine, project: the file for each scope, ``~`` for the home folder; empty where there is none.
        obeys: the other files that decide what it does: settings, local overrides, variables, servers, plugins, skills,
            extensions, commands. ``~`` for the home folder, a slash at the end for everything in a folder; what begins
            with neither ``~`` nor a slash may lie in any project.
        events: the events that have to be hooked.
        matcher: what means every tool; ``None`` where an entry has no matcher.
        key: where ``commands`` puts the command.
        timeout: the key of the time-out; empty where there is none.
        milliseconds: the time-out is not in seconds.
        version: the file begins with ``"version": 1``.
        moved: environment variables that name other folders, each with what it is in place of. A variable may go on
            with a folder in what it names.
        extra: what else an entry needs: keys and their values.
        switch: the key (a dot leads into an object) with which settings switch all hooks off, or a list of what is
            switched off; empty if none is known.
        on: what ``switch`` has to be.
        switched_in: the files of a project, or of the home folder, that may hold ``switch``.
        unnamed: the key of a list of the names of hooks that are switched off; no project can know that of ours.
        hooked_in: where hooks of others may stand, beside the files above: ``*`` is any name, commas between them.
        programs: what the agent's program may be called; empty where it is called as the agent.
        versions: the versions of the agent for which this was tried; empty where it is known from documentation only.
        obeyed_since: the first version that obeys all that is written; earlier ones pass over what they do not know.
    """

    __slots__ = (
        *("agent", "events", "extra", "form", "key", "machine", "matcher", "milliseconds", "moved", "obeys", "on"),
        *("programs", "project", "switch", "switched_in", "timeout", "user", "version", "versions"),
        *("hooked_in", "obeyed_since", "unnamed"),
    )

    def __init__(
        self,
        agent: str,
        form: Form,
        user: str,
        *,
        machine: str = "",
        project: str = "",
        obeys: str = "",
        events: tuple[str, ...] = (),
        matcher: str | None = None,
        key: str = "command",
        timeout: str = "",
        milliseconds: bool = False,
        version: bool = False,
        moved: tuple[tuple[str, str], ...] = (),
        extra: tuple[tuple[str, str | bool], ...] = (),
        switch: str = "",
        on: bool = False,
        switched_in: tuple[str, ...] = (),
        unnamed: str = "",
        hooked_in: str = "",
        programs: tuple[str, ...] = (),
        versions: str = "",
        obeyed_since: str = "",
    ) -> None:
        """``obeys`` is written with commas between the files."""
        self.agent = agent
        self.form = form
        self.user = user
        self.machine = machine
        self.project = project
        self.obeys = tuple([path.strip() for path in obeys.split(",") if path])
        self.events = events
        self.matcher = matcher
        self.key = key
        self.timeout = timeout
        self.milliseconds = milliseconds
        self.version = version
        self.moved = moved
        self.extra = extra
        self.switch = switch
        self.on = on
        self.switched_in = switched_in
        self.unnamed = unnamed
        self.hooked_in = hooked_in
        self.programs = programs
        self.versions = versions
        self.obeyed_since = obeyed_since

    @property
    def waits(self) -> bool:
        """True if the agent can be told how long to wait for its hook. One that cannot may run the call meanwhile."""
        return bool(self.timeout) or self.form == "module"

    @property
    def blocks_failures(self) -> bool:
        """True if a hook that fails, or says what the agent does not know, ends the call."""
        return self.form == "module" or any(key in ("on_failure", "failClosed") for key, _ in self.extra)

    @property
    def files(self) -> tuple[str, ...]:
        """Everything that starts the hook or can end it, in every scope."""
        own = [path for path in (self.user, self.machine, self.project) if path]
        return tuple(dict.fromkeys([*own, *self.switched_in, *self.obeys]))

    def elsewhere(self, path: str, environ: Mapping[str, str]) -> str | None:
        """Where a file that begins with ``~`` is because a variable says so; ``None`` if none does."""
        for name, instead in self.moved:
            folder = _folder(name, environ)
            if folder is not None and f"{path}/".startswith(f"{instead}/"):
                return folder + path[len(instead) :]
        return None

    def moved_folders(self, environ: Mapping[str, str]) -> list[str]:
        """The agent's own folders that variables name."""
        found: list[str] = []
        for name, instead in (*self.moved, ("XDG_CONFIG_HOME", "~/.config")):
            folder = _folder(name, environ)
            if folder is not None and instead in _SHARED:
                inside = [path[len(instead) + 1 :] for path in self.files if path.startswith(f"{instead}/")]
                found += [f"{folder}/{path.partition('/')[0]}" for path in inside]
            elif folder is not None:
                found.append(folder)
        return found


_SHARED = ("~", "~/.config")
"""Folders that no single user owns."""


def _folder(name: str, environ: Mapping[str, str]) -> str | None:
    variable, _, inside = name.partition("/")
    folder = environ.get(variable, "")
    return os.path.normpath(os.path.join(folder, inside)) if os.path.isabs(folder) else None


PLACES = {
    place.agent: place
    for place in (
        HookPlace(
            "claude",
            "groups",
            "~/.claude/settings.json",
            machine="/etc/claude-code/managed-settings.json",
            project=".claude/settings.json",
            obeys="~/.claude.json, .claude-plugin/, .mcp.json, claude_desktop_config.json, "
            "/Library/Application Support/ClaudeCode/",
            moved=(("CLAUDE_CONFIG_DIR", "~/.claude"),),
            events=("PreToolUse", "PreSkillShellCommand"),
            matcher="*",
            timeout="timeout",
            extra=(("onFailure", "block"),),
            switch="disableAllHooks",
            switched_in=(".claude/settings.json", ".claude/settings.local.json"),
            versions="2.1.197, 2.1.331, 2.1.332",
            obeyed_since="2.1.332",
        ),
        HookPlace(
            "codex",
            "groups",
            "~/.codex/hooks.json",
            machine="/etc/codex/requirements.toml",
            project=".codex/hooks.json",
            obeys=".agents/",
            moved=(("CODEX_HOME", "~/.codex"),),
            events=("PreToolUse", "PermissionRequest"),
            timeout="timeout",
            switch="features.hooks",
            on=True,
            switched_in=("~/.codex/config.toml", ".codex/config.toml"),
            versions="0.169.0, 0.171.0",
        ),
        HookPlace(
            "gemini",
            "groups",
            "~/.gemini/settings.json",
            machine="/etc/gemini-cli/settings.json",
            project=".gemini/settings.json",
            obeys=".env, gemini-extension.json, /Library/Application Support/GeminiCli/",
            moved=(("GEMINI_CLI_HOME", "~"),),
            events=("BeforeTool",),
            matcher="*",
            timeout="timeout",
            milliseconds=True,
            switch="hooksConfig.enabled",
            on=True,
            switched_in=(".gemini/settings.json",),
            unnamed="hooksConfig.disabled",
            hooked_in="~/.gemini/extensions/*/hooks/hooks.json",
            versions="0.61.0",
        ),
        HookPlace(
            "copilot",
            "commands",
            "~/.copilot/hooks/execpolicy.json",
            project=".github/hooks/execpolicy.json",
            obeys=".github/agents/, .github/extensions/, .github/skills/, .github/mcp.json, .mcp.json, "
            "mcp-config.json, copilot-instructions.md",
            moved=(("COPILOT_HOME", "~/.copilot"),),
            events=("preToolUse",),
            key="bash",
            timeout="timeoutSec",
            version=True,
            extra=(("type", "command"),),
            switch="disableAllHooks",
            switched_in=(".github/copilot/settings.json", ".github/copilot/settings.local.json"),
            hooked_in="~/.copilot/hooks/*.json, .github/hooks/*.json, .claude/settings*.json",
            versions="1.0.102",
        ),
        HookPlace(
            "cursor",
            "commands",
            "~/.cursor/hooks.json",
            machine="/etc/cursor/hooks.json",
            project=".cursor/hooks.json",
            obeys="mcp.json, ~/.config/Cursor/, /Library/Application Support/Cursor/",
            events=("beforeShellExecution", "beforeMCPExecution"),
            timeout="timeout",
            version=True,
            extra=(("failClosed", True),),
            hooked_in="~/.claude/settings.json, .claude/settings*.json",
            programs=("cursor-agent", "cursor"),
        ),
        HookPlace(
            "qwen",
            "groups",
            "~/.qwen/settings.json",
            machine="/etc/qwen-code/settings.json",
            project=".qwen/settings.json",
            obeys=".env, qwen-extension.json, /Library/Application Support/QwenCode/",
            moved=(("QWEN_HOME", "~/.qwen"),),
            events=("PreToolUse",),
            matcher="*",
            timeout="timeout",
            milliseconds=True,  # a value below 1000 is in seconds
            switch="disableAllHooks",
            switched_in=(".qwen/settings.json",),
            hooked_in="~/.qwen/extensions/*/hooks/hooks.json",
            versions="0.15.10, 0.24.4",
        ),
        HookPlace(
            "droid",
            "groups",
            "~/.factory/settings.json",
            machine="/etc/factory/settings.json",
            project=".factory/settings.json",
            obeys=".factory-plugin/, /etc/factory/, /etc/droid/, /Library/Application Support/Factory/",
            moved=(("FACTORY_HOME_OVERRIDE", "~"),),
            events=("PreToolUse",),
            matcher="*",
            timeout="timeout",
            switch="hooksDisabled",
            switched_in=(".factory/settings.json", ".factory/settings.local.json"),
            hooked_in="~/.factory/hooks.json, .factory/hooks.json",
            versions="0.225.2",
        ),
        HookPlace(
            "cline",
            "script",
            "~/.cline/hooks/PreToolUse",
            project=".clinerules/hooks/PreToolUse",
            obeys="~/Documents/Cline/, .agents/, cline_mcp_settings.json",
            moved=(("CLINE_DIR", "~/.cline"),),
            hooked_in="~/Documents/Cline/Hooks/PreToolUse, ~/Documents/Cline/Rules/Hooks/PreToolUse",
            versions="3.0.65",
        ),
        HookPlace(
            "opencode",
            "module",
            "~/.config/opencode/plugin/execpolicy.js",
            project=".opencode/plugin/execpolicy.js",
            hooked_in="~/.config/opencode/plugin/*, ~/.config/opencode/plugins/*, ~/.config/opencode/opencode.json*, "
            ".opencode/plugin/*, .opencode/plugins/*, .opencode/opencode.json*, opencode.json*",
            obeys="opencode.json, opencode.jsonc, /etc/opencode/, /Library/Application Support/opencode/",
            moved=(("XDG_CONFIG_HOME", "~/.config"),),
            versions="1.18.33",
        ),
        HookPlace(
            "kilo",
            "module",
            "~/.config/kilo/plugin/execpolicy.js",
            project=".kilo/plugin/execpolicy.js",
            hooked_in="~/.config/kilo/plugin/*, ~/.config/kilo/plugins/*, ~/.config/kilo/kilo.json*, "
            ".kilo/plugin/*, .kilo/plugins/*, .kilo/kilo.json*, kilo.json*",
            obeys=".kilocode/, kilo.json, kilo.jsonc, .kilocodemodes, /etc/kilo/, /Library/Application Support/kilo/",
            moved=(("XDG_CONFIG_HOME", "~/.config"),),
            versions="7.7.9",
        ),
        HookPlace(
            "pi",
            "module",
            "~/.pi/agent/extensions/execpolicy.ts",
            project=".pi/extensions/execpolicy.ts",
            moved=(("PI_CODING_AGENT_DIR", "~/.pi/agent"),),
            hooked_in="~/.pi/agent/extensions/*, ~/.pi/agent/extensions/*/index.*, ~/.pi/agent/settings.json, "
            ".pi/extensions/*, .pi/extensions/*/index.*, .pi/settings.json",
            versions="0.73.1, 0.74.2, 1.6.0",
        ),
        HookPlace(
            "amp",
            "delegate",
            "~/.config/amp/settings.json",
            machine="/etc/ampcode/managed-settings.json",
            project=".amp/settings.json",
            obeys="~/.config/agents/, .agents/, /Library/Application Support/ampcode/",
            versions="0.0.1790142911",
        ),
        HookPlace(
            "crush",
            "commands",
            "~/.config/crush/crush.json",
            project="crush.json",
            obeys=".crush/, .crush.json",
            moved=(("CRUSH_GLOBAL_CONFIG", "~/.config/crush"), ("XDG_CONFIG_HOME", "~/.config")),
            events=("PreToolUse",),
            timeout="timeout",
        ),
        HookPlace(
            "goose",
            "groups",
            "~/.agents/plugins/execpolicy/hooks/hooks.json",
            project=".agents/plugins/execpolicy/hooks/hooks.json",
            obeys=".goose/, .goosehints, .plugin/, /etc/goose/",
            moved=(("GOOSE_PATH_ROOT", "~"), ("GOOSE_PATH_ROOT/config", "~/.config/goose")),
            events=("PreToolUse",),
            timeout="timeout",
            extra=(("on_failure", "block"),),
            hooked_in="~/.agents/plugins/*/hooks/hooks.json, .agents/plugins/*/hooks/hooks.json",
            switch="disabledPlugins",
            switched_in=(
                "~/.config/goose/settings.json",
                ".config/goose/settings.json",
                ".config/goose/settings.local.json",
            ),
            versions="1.52.0",
        ),
        HookPlace(
            "windsurf",
            "commands",
            "~/.codeium/windsurf/hooks.json",
            machine="/etc/windsurf/hooks.json",
            project=".windsurf/hooks.json",
            obeys="mcp_config.json, ~/.config/Windsurf/, /Library/Application Support/Windsurf/",
            events=("pre_run_command", "pre_write_code", "pre_mcp_tool_use"),
        ),
    )
}
"""The places, by the name of the agent."""
