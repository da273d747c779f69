"""How each agent is started without a person, pointed at the scripted model, and how it calls its shell."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from execpolicy.gate.settings_edit import HookProgram
from execpolicy.hooks.agents import AGENTS
from tests.agents.model import ToolCall
from tests.agents.own_namespace import is_alone
from tests.support.running import run_captured

Environment = dict[str, str]
_DO = "please do it"


class Place(NamedTuple):
    """The folders of one run, and the port of the model."""

    home: Path
    work: Path
    port: int

    @property
    def url(self) -> str:
        """Where the model is."""
        return f"http://127.0.0.1:{self.port}"

    def settings(self, path: str, value: Any) -> None:
        """Write a settings file below the home folder."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value if isinstance(value, str) else json.dumps(value, indent=2) + "\n")


class Headless:
    """An agent that runs by itself.

    Attributes:
        program: where below the folder of agents it is, as npm packs it.
        modes: names of ways to start it, with their arguments.
        shell: its tool that runs commands.
        off: what a project can hold to switch hooks off: path and content.
        argument: what its shell calls the command.
        more: what else a call of its shell needs.
        npm: the package.
        others: its tools that run commands beside its shell, as calls of a tool whose arguments are a command.
        delegating: the call that starts another agent.
        typed: what a person types to load the skill of the project, its file, and its text around `COMMAND`.
        unread: those of them whose language is not read, so that nothing that they are told is allowed.
        cache: a folder below its home that it fills with itself, which all runs share.
        fetches: it asks the registry of npm for libraries at every start, and is minutes late where it gets no answer.
        runs_when_it_hangs: it runs the command when its own patience with a hook ends.
    """

    program = ""
    modes: ClassVar[dict[str, tuple[str, ...]]] = {}
    shell = ""
    off: ClassVar[dict[str, Any]] = {}
    npm = ""
    others: ClassVar[tuple[tuple[str, str], ...]] = ()
    delegating: ToolCall | None = None
    typed: tuple[str, str, str] | None = None
    unread: ClassVar[tuple[str, ...]] = ()
    cache = ""
    fetches = False
    runs_when_it_hangs = True
    argument = "command"
    more: ClassVar[dict[str, Any]] = {}

    def call(self, command: str) -> ToolCall:
        """The call of its shell."""
        return ToolCall(self.shell, {self.argument: command, **self.more})

    def other_calls(self, command: str) -> list[ToolCall]:
        """Calls of its other tools that run ``command``; of an MCP server for the most part."""
        return [ToolCall(tool, {"command": command}, namespace) for tool, namespace in self.others]

    def prepare(self, place: Place) -> None:
        """Write the settings that lead to the model."""

    def environment(self, place: Place) -> Environment:
        """Its variables."""
        return {}

    def argv(self, program: Path, mode: str, prompt: str = _DO) -> list[str]:
        """Its command line."""
        start = ["node", str(program)] if program.suffix in (".js", ".mjs") else [str(program)]
        return [*start, *[prompt if word == _DO else word for word in self.modes[mode]]]


_TASK = {"description": "x", "prompt": _DO}
_SERVER = {"command": sys.executable, "args": [str(Path(__file__).with_name("shell_server.py"))]}


_POWERSHELL = """\
#!/bin/sh
if [ "$1" = --version ]; then echo PowerShell 7.5.0; exit; fi
case "$*" in *canary*) touch powershell.canary;; esac
"""
"""As much of PowerShell as it takes to see whether it is started."""


class Claude(Headless):
    program = "claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
    npm = "@anthropic-ai/claude-code"
    modes: ClassVar[dict[str, tuple[str, ...]]] = {
        "bypass": ("-p", _DO, "--dangerously-skip-permissions"),
        "default": ("-p", _DO),
        "edits": ("-p", _DO, "--permission-mode", "acceptEdits"),
        "dontask": ("-p", _DO, "--permission-mode", "dontAsk"),
        "listed": ("-p", _DO, "--allowedTools", "Bash"),
    }
    shell = "Bash"
    delegating = ToolCall("Agent", {**_TASK, "subagent_type": "general-purpose"})
    more: ClassVar[dict[str, Any]] = {"description": "x"}
    off: ClassVar[dict[str, Any]] = {".claude/settings.json": {"disableAllHooks": True}}
    others = (("mcp__sh__run", ""), ("Monitor", ""), ("PowerShell", ""))
    typed = (
        "/sneak",
        ".claude/skills/sneak/SKILL.md",
        "---\ndescription: x\nallowed-tools: Bash(touch:*), Bash(cd:*)\n---\n!`COMMAND`\n",
    )
    runs_when_it_hangs = False  # `onFailure`
    unread = ("PowerShell",)

    def other_calls(self, command: str) -> list[ToolCall]:
        watched = {"timeout_ms": 5000, "persistent": False}
        calls = [call._replace(arguments={**call.arguments, **self.more}) for call in super().other_calls(command)[1:]]
        calls[0].arguments.update(watched)
        return [*super().other_calls(command)[:1], *calls]

    def prepare(self, place: Place) -> None:
        servers = {"sh": {"type": "stdio", **_SERVER}}
        place.settings(
            ".claude.json", {"mcpServers": servers, "cachedGrowthBookFeatures": {"tengu_amber_sentinel": True}}
        )
        place.settings("bin/pwsh", _POWERSHELL)
        (place.home / "bin/pwsh").chmod(0o755)

    def environment(self, place: Place) -> Environment:
        basics = {
            "ANTHROPIC_BASE_URL": place.url,
            "ANTHROPIC_API_KEY": "mock",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_USE_POWERSHELL_TOOL": "1",
            "PATH": f"{place.home}/bin:{os.environ['PATH']}",
        }
        # It reads which tools it has only where it may call home, which it cannot from a network of its own.
        return basics if is_alone() else {**basics, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


class Codex(Headless):
    program = "codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
    npm = "@openai/codex"
    modes: ClassVar[dict[str, tuple[str, ...]]] = {
        "full": ("exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", _DO),
        "write": ("exec", "--skip-git-repo-check", "--sandbox", "workspace-write", _DO),
    }
    shell = "exec_command"
    delegating = ToolCall("spawn_agent", {"message": _DO}, "multi_agent_v1")
    argument = "cmd"
    others = (("run", "mcp__sh"),)
    off: ClassVar[dict[str, Any]] = {".codex/config.toml": "[features]\nhooks = false\n"}

    def prepare(self, place: Place) -> None:
        place.settings(
            ".codex/config.toml",
            'model = "mock-model"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\n'
            f'base_url = "{place.url}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\nrequest_max_retries = 0\n'
            f'stream_max_retries = 0\n[projects."{place.work}"]\ntrust_level = "trusted"\n'
            f'[mcp_servers.sh]\ncommand = "{sys.executable}"\nargs = {json.dumps(_SERVER["args"])}\n',
        )

    def environment(self, place: Place) -> Environment:
        return {"MOCK_KEY": "mock"}


class Gemini(Headless):
    program = "gemini/node_modules/@google/gemini-cli/bundle/gemini.js"
    npm = "@google/gemini-cli"
    modes: ClassVar[dict[str, tuple[str, ...]]] = {
        "yolo": ("-m", "gemini-2.5-pro", "--yolo", "-p", _DO),
        "default": ("-m", "gemini-2.5-pro", "-p", _DO),
    }
    shell = "run_shell_command"
    delegating = ToolCall("invoke_agent", {"agent_name": "generalist", "prompt": _DO})
    more: ClassVar[dict[str, Any]] = {"description": "x"}
    off: ClassVar[dict[str, Any]] = {
        ".gemini/settings.json": {
            "hooksConfig": {"enabled": False, "disabled": [HookProgram(agent=AGENTS["gemini"], pinned={}).shell]}
        }
    }
    others = (("mcp_sh_run", ""),)

    def prepare(self, place: Place) -> None:
        place.settings(
            ".gemini/settings.json",
            {
                "mcpServers": {"sh": _SERVER},
                "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
                "general": {"enableAutoUpdate": False},
                "privacy": {"usageStatisticsEnabled": False},
            },
        )
        rule = '[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\npriority = 500\nallowRedirection = true\n'
        place.settings(".gemini/policies/test.toml", rule)  # else it offers no shell where no one can be asked

    def environment(self, place: Place) -> Environment:
        return {"GEMINI_API_KEY": "mock", "GOOGLE_GEMINI_BASE_URL": place.url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}


class Qwen(Headless):
    program = "qwen/node_modules/@qwen-code/qwen-code/cli.js"
    npm = "@qwen-code/qwen-code"
    modes: ClassVar[dict[str, tuple[str, ...]]] = {"yolo": ("--yolo", "-p", _DO), "default": ("-p", _DO)}
    shell = "run_shell_command"
    delegating = ToolCall("agent", {**_TASK, "subagent_type": "general-purpose"})
    more: ClassVar[dict[str, Any]] = {"description": "x", "is_background": False}
    off: ClassVar[dict[str, Any]] = {".qwen/settings.json": {"disableAllHooks": True}}
    others = (("mcp__sh__run", ""),)

    def prepare(self, place: Place) -> None:
        place.settings(
            ".qwen/settings.json",
            {
                "mcpServers": {"sh": _SERVER},
                "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
                "model": {"name": "mock-model"},
                "general": {"enableAutoUpdate": False},
                "privacy": {"usageStatisticsEnabled": False},
            },
        )

    def environment(self, place: Place) -> Environment:
        return {"OPENAI_API_KEY": "mock", "OPENAI_BASE_URL": f"{place.url}/v1", "OPENAI_MODEL": "mock-model"}


class OpenCode(Headless):
    fetches = True
    runs_when_it_hangs = False  # the plugin ends the hook, and throws
    program = "opencode/node_modules/opencode-linux-x64/bin/opencode"
    npm = "opencode-ai"
    cache = ".cache/opencode"
    modes: ClassVar[dict[str, tuple[str, ...]]] = {
        "run": ("run", "--format", "json", _DO),
        "auto": ("run", "--format", "json", "--auto", _DO),
    }
    shell = "bash"
    delegating = ToolCall("task", {**_TASK, "subagent_type": "general"})
    more: ClassVar[dict[str, Any]] = {"description": "x"}
    settings_file = ".config/opencode/opencode.json"
    others = (("sh_run", ""),)

    def prepare(self, place: Place) -> None:
        limits = {"name": "mock", "tool_call": True, "limit": {"context": 100000, "output": 10000}}
        place.settings(
            self.settings_file,
            {
                "mcp": {"sh": {"type": "local", "command": [_SERVER["command"], *_SERVER["args"]]}},
                "autoupdate": False,
                "share": "disabled",
                "model": "mock/mock-model",
                "small_model": "mock/mock-model",
                "provider": {
                    "mock": {
                        "npm": "@ai-sdk/openai-compatible",
                        "name": "mock",
                        "options": {"baseURL": f"{place.url}/v1", "apiKey": "mock"},
                        "models": {"mock-model": limits},
                    }
                },
            },
        )

    def environment(self, place: Place) -> Environment:
        names = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")
        return {f"OPENCODE_DISABLE_{name}": "1" for name in names}


class Kilo(OpenCode):
    program = "kilo/node_modules/@kilocode/cli-linux-x64/bin/kilo"
    npm = "@kilocode/cli-linux-x64"
    cache = ".cache/kilo"
    settings_file = ".config/kilo/kilo.json"
    others = (("sh_run", ""), ("background_process", ""))

    def other_calls(self, command: str) -> list[ToolCall]:
        return [ToolCall(tool, {"action": "start", "command": command}) for tool, _ in self.others]

    def environment(self, place: Place) -> Environment:
        own = {"KILO_DISABLE_AUTOUPDATE": "1", "KILO_DISABLE_MODELS_FETCH": "1", "KILO_TELEMETRY_LEVEL": "off"}
        return {**super().environment(place), **own}


class Pi(Headless):
    runs_when_it_hangs = False  # the plugin ends the hook, and throws
    program = "pi/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"
    npm = "@earendil-works/pi-coding-agent"
    modes: ClassVar[dict[str, tuple[str, ...]]] = {"print": ("--provider", "mock", "--model", "mock-model", "-p", _DO)}
    shell = "bash"

    def prepare(self, place: Place) -> None:
        provider = {"baseUrl": f"{place.url}/v1", "api": "openai-completions", "apiKey": "mock"}
        place.settings(".pi/agent/models.json", {"providers": {"mock": {**provider, "models": [{"id": "mock-model"}]}}})

    def environment(self, place: Place) -> Environment:
        return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


class Copilot(Headless):
    program = "copilot/node_modules/@github/copilot-linux-x64/copilot"
    npm = "@github/copilot"
    cache = ".cache/copilot"
    modes: ClassVar[dict[str, tuple[str, ...]]] = {
        "all": ("-p", _DO, "--allow-all-tools"),
        "trusted": ("-p", _DO, "--allow-all-tools", "--trust-folder"),
    }
    shell = "bash"
    delegating = ToolCall("task", {**_TASK, "agent_type": "task", "name": "x", "mode": "sync"})
    others = (("sh-run", ""),)
    more: ClassVar[dict[str, Any]] = {"description": "x", "initial_wait": 30, "mode": "sync"}

    def prepare(self, place: Place) -> None:
        server = {"type": "local", **_SERVER, "tools": ["*"]}
        place.settings(".copilot/mcp-config.json", {"mcpServers": {"sh": server}})

    def environment(self, place: Place) -> Environment:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{place.url}/v1",
            "COPILOT_MODEL": "mock-model",
            "COPILOT_PROVIDER_API_KEY": "mock",
            "COPILOT_AUTO_UPDATE": "false",
        }


class Droid(Headless):
    program = "droid/node_modules/@factory/cli-linux-x64/bin/droid"
    npm = "@factory/cli-linux-x64"
    modes: ClassVar[dict[str, tuple[str, ...]]] = {
        "unsafe": ("exec", "--skip-permissions-unsafe", "-m", "custom:mock-model", _DO),
        "low": ("exec", "--auto", "low", "-m", "custom:mock-model", _DO),
    }
    shell = "Execute"
    delegating = ToolCall("Task", {**_TASK, "subagent_type": "worker", "await": True})
    more: ClassVar[dict[str, Any]] = {"riskLevel": "low", "riskLevelReason": "x", "summary": "x"}
    off: ClassVar[dict[str, Any]] = {
        ".factory/settings.json": {"hooksDisabled": True, "disableAllHooks": True},
        ".factory/settings.local.json": {"hooksDisabled": True},
    }

    def prepare(self, place: Place) -> None:
        model = {"model": "mock-model", "displayName": "mock", "baseUrl": f"{place.url}/v1", "apiKey": "mock"}
        model |= {"provider": "generic-chat-completion-api", "maxOutputTokens": 4000}
        place.settings(".factory/settings.json", {"customModels": [model]})

    def environment(self, place: Place) -> Environment:
        return {"FACTORY_API_KEY": "fk-mock"}


class Cline(Headless):
    program = "cline/node_modules/@cline/cli-linux-x64/bin/cline"
    npm = "cline"
    modes: ClassVar[dict[str, tuple[str, ...]]] = {
        "auto": ("--json", _DO),
        "asking": ("--json", "--auto-approve", "false", _DO),
    }
    shell = "run_commands"
    delegating = ToolCall("spawn_agent", {"systemPrompt": "x", "task": _DO})

    def call(self, command: str) -> ToolCall:
        return ToolCall(self.shell, {"commands": [command]})

    def environment(self, place: Place) -> Environment:
        return {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}

    def log_in(self, program: Path, place: Place, environment: Environment) -> None:
        """Tell it of the model, which only its own command can."""
        argv = [str(program), "auth", "-p", "openai", "-k", "mock", "-m", "mock-model", "-b", f"{place.url}/v1"]
        run_captured(argv, env=environment, cwd=place.work, timeout=60)


class Goose(Headless):
    runs_when_it_hangs = False  # told to block
    program = "goose/node_modules/@aaif/goose-binary-linux-x64/bin/goose"
    npm = "@aaif/goose-binary-linux-x64"
    modes: ClassVar[dict[str, tuple[str, ...]]] = dict.fromkeys(
        ("auto", "approve", "smart_approve"), ("run", "--no-session", "-t", _DO)
    )
    shell = "shell"
    delegating = ToolCall("delegate", {"instructions": _DO})
    others = (("sh__run", ""),)

    def prepare(self, place: Place) -> None:
        server = {"name": "sh", "type": "stdio", "enabled": True, "cmd": _SERVER["command"], "args": _SERVER["args"]}
        developer = {"name": "developer", "type": "platform", "enabled": True}
        place.settings(
            ".config/goose/config.yaml",  # JSON is YAML
            {
                "GOOSE_PROVIDER": "openai",
                "GOOSE_MODEL": "gpt-4o",
                "OPENAI_HOST": place.url,
                "GOOSE_TELEMETRY_ENABLED": False,
                "extensions": {"developer": developer, "sh": {**server, "timeout": 60}},
            },
        )

    def environment(self, place: Place) -> Environment:
        return {"OPENAI_API_KEY": "mock", "GOOSE_DISABLE_KEYRING": "1"}

    def argv(self, program: Path, mode: str, prompt: str = _DO) -> list[str]:
        return ["env", f"GOOSE_MODE={mode}", *super().argv(program, mode, prompt)]


HEADLESS: dict[str, Headless] = {
    "claude": Claude(),
    "codex": Codex(),
    "gemini": Gemini(),
    "qwen": Qwen(),
    "opencode": OpenCode(),
    "kilo": Kilo(),
    "pi": Pi(),
    "copilot": Copilot(),
    "droid": Droid(),
    "cline": Cline(),
    "goose": Goose(),
}
