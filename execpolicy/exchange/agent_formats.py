"""The permission format of every agent: the places of its files, its reader and its writer.

``amp.permissions`` of Amp.

Source: https://ampcode.com/manual, and ``amp permissions test`` of version 0.0.1790142911. The first entry that matches
wins. ``*`` matches any text and `` *`` at the end needs at least a blank after the words; ``/…/`` is a regular
expression; of several patterns one must match. The whole text is compared, so an allow also lets chains run.

``permissions`` of Claude Code and of Qwen Code.

Claude Code. Source: https://code.claude.com/docs/en/permissions, and version 2.1.197 run. Deny goes before ask, ask
before allow, over all files together. ``Bash(x)`` is exactly the command ``x``; ``:*`` and a single `` *`` at the end
match nothing or more words; any other ``*`` matches any text. A chain of commands is split, and each part needs its own
allow.

Qwen Code. Source: version 0.15.10 run. Deny goes before ask, ask before allow. A pattern without ``*`` covers commands
that begin with its words; `` *`` matches nothing or more words, also inside; ``:*`` is the same as `` *``; assignments
before a command do not count. The older ``tools.allowed`` and ``tools.exclude`` hold the same patterns.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from execpolicy.core.hosts import home_of
from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.exchange.command_regex import EVERYTHING, Covered, glob, loose, of_slashed, prefix
from execpolicy.exchange.cursor_config import read_copilot, read_cursor, write_copilot, write_cursor
from execpolicy.exchange.exporting import (
    KEEP_THE_HOOK,
    Exported,
    as_json,
    export_rules,
    export_statements,
    permission_lists,
    usual_faith,
)
from execpolicy.exchange.gemini_policies import read_codex, read_gemini, write_gemini
from execpolicy.exchange.opencode_config import read_crush, read_opencode, write_crush, write_opencode
from execpolicy.exchange.tool_entry import (
    MODE,
    Action,
    AgentSettings,
    Entry,
    ExportedSettings,
    Keys,
    Level,
    broken,
    listed,
    not_a_command,
    of_kind,
    of_reading,
    of_writing,
    parse_jsonc,
    parse_object,
    read_lists,
)
from execpolicy.exchange.vscode_config import SETTING, read_vscode, write_vscode
from execpolicy.lang.statements import Statement
from execpolicy.layers.folders import collect_rule_files, project_folders
from execpolicy.safe_open import out_of_reach, read_named
from execpolicy.safety.agent_places import PLACES
from execpolicy.source import Source

_LISTS: tuple[tuple[Keys, Action], ...] = (
    (("permissions", "deny"), "deny"),
    (("permissions", "ask"), "ask"),
    (("permissions", "allow"), "allow"),
)
_WRITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_OTHER_TOOLS = {
    **dict.fromkeys(
        _WRITING, "it is about the file tools; as a `write_rule` it would let commands write there as well"
    ),
    **dict.fromkeys(
        ("Read", "Grep", "Glob", "LS"), "it is about the file tools; commands that only read are allowed anyway"
    ),
    "PowerShell": "commands of PowerShell are always asked about",
}
_SETTINGS: dict[Keys, str] = {
    ("permissions", "defaultMode"): f"{MODE}; what no rule mentions asks here, unless it is proven safe",
    ("permissions", "additionalDirectories"): (
        "folders that the file tools may use; commands are not held to folders by rules"
    ),
    ("permissions", "disableBypassPermissionsMode"): MODE,
}

_QWEN_SHELL = ("Bash", "Shell", "ShellTool", "run_shell_command")
_QWEN_WRITING = ("Edit", "EditTool", "edit", "replace", "Write", "WriteFile", "WriteFileTool", "write_file")
_QWEN_READING = ("Read", "ReadFile", "ReadFileTool", "read_file")
_QWEN_LISTS: tuple[tuple[Keys, Action], ...] = (
    *_LISTS,
    (("tools", "exclude"), "deny"),
    (("tools", "allowed"), "allow"),
)
_QWEN_SETTINGS: dict[Keys, str] = {
    ("tools", "approvalMode"): MODE,
    ("tools", "autoAccept"): MODE,
    ("tools", "core"): "which tools there are, not which commands may run",
}


def read_claude(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files of Claude Code."""
    return read_lists(sources, _LISTS, _with_scope, _SETTINGS)


def _with_scope(entry: Entry, tool: str, what: str | None) -> Entry:
    if tool in ("Bash", "*"):
        return replace(entry, covers=(EVERYTHING if what is None else _claude_coverage(what),))
    if tool in _WRITING and entry.action != "allow":
        return of_writing(entry, what)
    if tool == "Read" and entry.action != "allow":
        return of_reading(entry, what)
    return replace(entry, why=_OTHER_TOOLS.get(tool) or not_a_command(tool))


def _claude_coverage(what: str) -> Covered:
    if "\\" in what:
        return loose(what[: what.index("\\")], "it has a backslash, which quotes in the pattern or in the command")
    if what.endswith(":*"):
        command = what.removesuffix(":*")
        if "*" in command:
            return loose(command[: command.index("*")], "it has a wildcard in front of `:*`")
        return prefix(command) if command.strip() else EVERYTHING
    return glob(what)


def read_qwen(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files of Qwen Code."""
    return read_lists(sources, _QWEN_LISTS, _with_qwen_scope, _QWEN_SETTINGS)


def _with_qwen_scope(entry: Entry, tool: str, what: str | None) -> Entry:
    if tool in _QWEN_SHELL:
        pattern = (what or "*").replace(":*", " *", 1)
        return replace(entry, covers=(glob(pattern) if "*" in pattern else prefix(pattern),))
    if tool in _QWEN_WRITING and entry.action != "allow":
        return of_writing(entry, what)
    if tool in _QWEN_READING and entry.action != "allow":
        return of_reading(entry, what)
    return replace(entry, why=not_a_command(tool))


def _qwen_faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "allow":
        return "laxer", "a redirection or a substitution behind it runs unasked"
    return "laxer", KEEP_THE_HOOK


write_claude = partial(export_rules, say=usual_faith, put=partial(permission_lists, form="Bash({}:*)"))
write_qwen = partial(export_rules, say=_qwen_faith, put=partial(permission_lists, form="Bash({} *)"))


_ACTIONS: dict[str, Action] = {"allow": "allow", "ask": "ask", "reject": "deny", "delegate": "ask"}
_NO_GRAMMAR = r"( [^;&|<>()$`\\\n]*)?$"
"""The rest of a command that consists only of more words."""
_SHELLS = ("Bash", "shell_command", "async_shell_command")


def read_amp(sources: Sequence[Source]) -> AgentSettings:
    """The entries of settings files of Amp."""
    entries: list[Entry] = []
    for source in sources:
        settings = parse_object(source)
        rules = settings.get("amp.permissions") or []
        of_kind(source, rules, list, "amp.permissions")
        for at, rule in enumerate(rules):
            of_kind(source, rule, dict, f"amp.permissions[{at}]")
            entries.append(_entry(source, at, rule))
        allows = [
            (place, text, prefix(text) if "*" not in text else glob(text, trailing="required"))
            for place, text in listed(source, settings, "amp.commands.allowlist")
        ]
        if settings.get("amp.dangerouslyAllowAll") is True:
            allows.append(("amp.dangerouslyAllowAll", "amp.dangerouslyAllowAll", EVERYTHING))
        for place, text, covered in allows:
            entry = Entry(path=source.name, place=place, text=f"`{text}`", action="allow", covers=(covered,))
            entries.append(replace(entry, rank=-1e9))
    return AgentSettings(tuple(entries), "rank-in-file")


def _entry(source: Source, at: int, rule: dict[str, Any]) -> Entry:
    place = f"amp.permissions[{at}]"
    tool, word, matches = rule.get("tool"), rule.get("action"), rule.get("matches")
    of_kind(source, tool, str, f"{place}.tool")
    if word not in _ACTIONS:
        raise broken(source, f"`{place}.action` must be `allow`, `ask`, `reject` or `delegate`, not `{word}`")
    if matches is not None:
        of_kind(source, matches, dict, f"{place}.matches")
    entry = Entry(path=source.name, place=place, text=f"{tool}{_shown(matches)}", action=_ACTIONS[word])
    if not any(fnmatchcase(shell, str(tool)) for shell in _SHELLS):
        return replace(entry, why=not_a_command(str(tool)))
    limits = [f"where `{key}` is `{rule[key]}`" for key in ("context", "thread") if key in rule]
    limits += [f"where `{key}` matches" for key in matches or {} if key not in ("cmd", "command")]
    reason = rule.get("message") if isinstance(rule.get("message"), str) else None
    return replace(entry, covers=_covers(matches), rank=-at, reason=reason, limited=" and ".join(limits))


def _covers(matches: dict[str, Any] | None) -> tuple[Covered, ...]:
    patterns: list[object] = []
    for key in ("cmd", "command"):
        value = (matches or {}).get(key, [])
        patterns += value if isinstance(value, list) else [value]
    if not patterns:
        return (EVERYTHING,)
    return tuple(one for pattern in patterns for one in _coverage(pattern))


def _coverage(pattern: object) -> tuple[Covered, ...]:
    """The commands that one pattern for ``cmd`` covers."""
    if not isinstance(pattern, str):
        return (loose("", "the pattern is no text"),)
    return of_slashed(pattern) or (glob(pattern, trailing="required"),)


def _shown(matches: dict[str, Any] | None) -> str:
    found = ""
    for key, value in (matches or {}).items():
        found += f" {key}={list(map(str, value)) if isinstance(value, list) else value}"
    return found


def _faith(rule: Exported) -> tuple[Level, str]:
    if rule.action == "allow":
        why = "Amp compares the whole text, so only commands without characters of the shell's grammar match"
        return "stricter", why
    return "laxer", KEEP_THE_HOOK


def _put(rules: Sequence[Exported]) -> str:
    """The entries, the strictest first, because the first entry wins."""
    words = {"deny": "reject", "ask": "ask", "allow": "allow"}
    entries = [
        {"tool": "Bash", "matches": {"cmd": _patterns(rule)}, "action": words[rule.action]}
        for rule in sorted(rules, key=lambda rule: list(words).index(rule.action))
    ]
    return as_json({"amp.permissions": entries})


def _patterns(rule: Exported) -> str | list[str]:
    if rule.action == "allow":
        return f"/^{re.escape(rule.text).replace('/', r'[/]')}{_NO_GRAMMAR}/".replace("\\ ", " ").replace("\\-", "-")
    return [rule.text, f"{rule.text} *"]


write_amp = partial(export_rules, say=_faith, put=_put)


_LARGEST = 16 << 20
"""The maximum size of a settings file in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFormat:
    """One agent.

    Attributes:
        title: its name, for people.
        files: the places of its settings, weakest first: ``~/`` is the home directory, ``./`` the project; a name that
            ends in ``/`` is a folder of such files. The agent's record handles variables that name another folder.
        read: returns the entries of such files. It raises ``RuleFileError`` if a file holds something else.
        write: returns the format of rules.
    """

    title: str
    files: tuple[str, ...]
    read: Callable[[Sequence[Source]], AgentSettings]
    write: Callable[[Iterable[Statement]], ExportedSettings]


AGENTS: Mapping[str, AgentFormat] = {
    "claude": AgentFormat(
        title="Claude Code",
        files=(
            "/etc/claude-code/managed-settings.json",
            "~/.claude/settings.json",
            "./.claude/settings.json",
            "./.claude/settings.local.json",
        ),
        read=read_claude,
        write=write_claude,
    ),
    "codex": AgentFormat(
        title="Codex",
        files=("/etc/codex/rules/", "~/.codex/rules/", "~/.codex/config.toml", "./.codex/rules/"),
        read=read_codex,
        write=export_statements,
    ),
    "gemini": AgentFormat(
        title="Gemini CLI",
        files=(
            "/etc/gemini-cli/policies/",
            "/etc/gemini-cli/settings.json",
            "~/.gemini/policies/",
            "~/.gemini/settings.json",
            "./.gemini/policies/",
            "./.gemini/settings.json",
        ),
        read=read_gemini,
        write=write_gemini,
    ),
    "copilot": AgentFormat(title="Copilot CLI", files=(), read=read_copilot, write=write_copilot),
    "opencode": AgentFormat(
        title="opencode",
        files=(
            "~/.config/opencode/opencode.json",
            "~/.config/opencode/opencode.jsonc",
            "./opencode.json",
            "./opencode.jsonc",
            "./.opencode/opencode.json",
            "./.opencode/opencode.jsonc",
        ),
        read=read_opencode,
        write=write_opencode,
    ),
    "qwen": AgentFormat(
        title="Qwen Code",
        files=("/etc/qwen-code/settings.json", "~/.qwen/settings.json", "./.qwen/settings.json"),
        read=read_qwen,
        write=write_qwen,
    ),
    "cursor": AgentFormat(
        title="Cursor CLI",
        files=("~/.cursor/cli-config.json", "./.cursor/cli.json"),
        read=read_cursor,
        write=write_cursor,
    ),
    "amp": AgentFormat(
        title="Amp",
        files=("~/.config/amp/settings.json", "~/.config/amp/settings.jsonc", "./.amp/settings.json"),
        read=read_amp,
        write=write_amp,
    ),
    "crush": AgentFormat(
        title="Crush",
        files=("~/.config/crush/crush.json", "./crush.json", "./.crush.json"),
        read=read_crush,
        write=write_crush,
    ),
    "vscode": AgentFormat(
        title="VS Code",
        files=("~/.config/Code/User/settings.json", "./.vscode/settings.json"),
        read=read_vscode,
        write=write_vscode,
    ),
}


def agent_files(name: str, *, cwd: str, environ: Mapping[str, str], system: str = "") -> list[str]:
    """The settings files of an agent that exist, weakest first.

    Args:
        system: a prefix for ``/etc``.
    """
    found: list[str] = []
    for pattern in AGENTS[name].files:
        moved = PLACES[name].elsewhere(pattern, environ) if name in PLACES else None
        for path in _places(pattern, cwd=cwd, environ=environ, system=system) if moved is None else [moved]:
            if not path.endswith("/"):
                found += [path] if os.path.isfile(path) or out_of_reach(path) else []
            elif name == "codex":
                found += collect_rule_files(path.rstrip("/"))[0]
            elif os.path.isdir(path):
                found += sorted(os.path.join(path, each) for each in os.listdir(path) if each.endswith(".toml"))
    return list(dict.fromkeys(found))


def _places(pattern: str, *, cwd: str, environ: Mapping[str, str], system: str) -> list[str]:
    if pattern.startswith("~/"):
        home = home_of(environ)
        return [os.path.join(home, pattern[2:])] if home else []
    if pattern.startswith("./"):
        return [os.path.join(folder, pattern[2:]) for folder in project_folders(cwd, [".git"])]
    return [system + pattern]


def read_source(path: str) -> Source:
    """Reads the text of a settings file.

    Raises:
        RuleStoreError: it cannot be read, is no regular file, is too big or is not UTF-8.
    """
    try:
        if not os.path.isfile(path):
            raise RuleStoreError(f"cannot read `{path}`: {out_of_reach(path) or 'there is no such file'}")
        data = read_named(path, largest=_LARGEST)
        return Source(path, data.decode("utf-8"))
    except OSError as error:
        raise RuleStoreError(f"cannot read `{path}`: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RuleStoreError(f"cannot read `{path}`: line {line} is not UTF-8") from None


def format_of(source: Source) -> str:
    """The name of the agent whose settings a file holds, found by its place and its content.

    Raises:
        UsageError: the agent is unknown.
        RuleFileError: it looks like JSON and is not.
    """
    path, name = os.path.abspath(source.name), os.path.basename(source.name)
    if name.endswith(".rules") or name == "config.toml":
        return "codex"
    if name.endswith(".toml"):
        return "gemini"
    if name.endswith((".json", ".jsonc")) or source.text.lstrip().startswith(("{", "//", "/*")):
        return _json_format(source, path, name)
    if "-tool" in source.text:
        return "copilot"
    raise UsageError(f"cannot tell whose settings `{source.name}` holds: say it with --from")


def _json_format(source: Source, path: str, name: str) -> str:
    for folder, agent in ((".gemini", "gemini"), (".qwen", "qwen"), (".claude", "claude"), (".cursor", "cursor")):
        if f"/{folder}/" in path:
            return agent
    if name in ("crush.json", ".crush.json"):
        return "crush"
    if name in ("cli-config.json", "cli.json"):
        return "cursor"
    settings = parse_jsonc(source)
    if isinstance(settings, dict):
        permissions = settings.get("permissions")
        if any(key.startswith("amp.") for key in settings):
            return "amp"
        if SETTING in settings:
            return "vscode"
        if "permission" in settings or isinstance(permissions, list):
            return "opencode"
        if isinstance(permissions, dict):
            if "allowed_tools" in permissions:
                return "crush"
            texts = [text for value in permissions.values() if isinstance(value, list) for text in value]
            return "cursor" if any(isinstance(text, str) and text.startswith("Shell(") for text in texts) else "claude"
    raise UsageError(f"cannot tell whose settings `{source.name}` holds: say it with --from")
