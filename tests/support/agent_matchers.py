"""What agents themselves do with a command, in as few lines as it takes: the other side of every test of an import.

Written from the documentation of the agents and from runs of them, not from the code under test. A command is a single
one, spelled plainly: no quotes, no operators.
"""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

RANKS = {"allow": 0, "none": 1, "ask": 1, "deny": 2}


def _any_text(pattern: str, *, single: str = "") -> str:
    """A regular expression for a glob of stars (and of characters in ``single`` that stand for one)."""
    return "".join(".*" if char == "*" else "." if char in single else re.escape(char) for char in pattern)


def _strictest(lists: Mapping[str, Sequence[str]], matches: Callable[[str], bool]) -> str:
    for action in ("deny", "ask", "allow"):
        if any(matches(entry) for entry in lists.get(action, ())):
            return action
    return "none"


def claude(settings: Mapping[str, Any], command: str) -> str:
    """``permissions`` of Claude Code; an ask for exactly this command goes before a deny of more (seen in 2.1.197)."""
    for action in ("deny", "ask"):
        if {f"Bash({command})", f"Bash({command}:*)"} & set(settings["permissions"].get(action, ())):
            return action

    def matches(entry: str) -> bool:
        if entry in ("Bash", "Bash(*)"):
            return True
        if not entry.startswith("Bash("):
            return False
        what = entry[5:-1]
        if what.endswith(":*"):
            return command == what[:-2] or command.startswith(what[:-2] + " ")
        if what.endswith(" *") and what.count("*") == 1:
            return command == what[:-2] or command.startswith(what[:-1])
        return re.fullmatch(_any_text(what), command, re.DOTALL) is not None

    return _strictest(settings["permissions"], matches)


def qwen(settings: Mapping[str, Any], command: str) -> str:
    """``permissions`` of Qwen Code."""

    def matches(entry: str) -> bool:
        if entry == "Bash":
            return True
        if not entry.startswith("Bash("):
            return False
        what = entry[5:-1].replace(":*", " *", 1)
        if what == "*":
            return True
        if "*" not in what:
            return command == what or command.startswith(what + " ")
        expression = re.escape(what).replace("\\ \\*", "( .*)?").replace("\\*", ".*")
        return re.fullmatch(expression, command, re.DOTALL) is not None

    return _strictest(settings["permissions"], matches)


def copilot(options: str, command: str) -> str:
    """``--allow-tool`` and ``--deny-tool`` of the Copilot CLI."""
    words = command.split()
    stem = " ".join(words[: 2 if words[0] in ("git", "gh") else 1])

    def matches(entry: str) -> bool:
        what = entry[6:-1]
        if entry == "shell":
            return True
        if what.endswith(":*"):
            return stem == what[:-2] or stem.startswith(what[:-2] + " ")
        return stem == what

    found = re.findall(r"--(allow|deny)-tool '([^']*)'", options)
    return _strictest({a: [what for word, what in found if word == a] for a in ("allow", "deny")}, matches)


def cursor(settings: Mapping[str, Any], command: str) -> str:
    """``permissions`` of the Cursor CLI, with globs that do not cross a slash."""
    program, _, arguments = command.partition(" ")

    def part(glob: str, text: str) -> bool:
        return fnmatch.fnmatchcase(text, glob) and (glob in ("*", "**") or text.count("/") <= glob.count("/"))

    def matches(entry: str) -> bool:
        name, colon, rest = entry[6:-1].partition(":")
        return part(name, program) and (not colon or part(rest, arguments))

    return _strictest(settings["permissions"], matches)


def opencode(settings: Mapping[str, Any], command: str) -> str:
    """``permission.bash`` of opencode."""
    decided = "none"
    for pattern, action in settings["permission"]["bash"].items():
        whole = re.fullmatch(_any_text(pattern, single="?"), command, re.DOTALL) is not None
        bare = pattern.endswith(" *") and re.fullmatch(_any_text(pattern[:-2], single="?"), command, re.DOTALL)
        if whole or bare:
            decided = action
    return decided


def amp(settings: Mapping[str, Any], command: str) -> str:
    """``amp.permissions`` of Amp, without the entries that it brings itself."""

    def matches(pattern: str) -> bool:
        if pattern.startswith("/") and pattern.endswith("/") and len(pattern) > 2:
            return re.search(pattern[1:-1], command) is not None
        return re.fullmatch(_any_text(pattern), command, re.DOTALL) is not None

    for rule in settings["amp.permissions"]:
        patterns = rule.get("matches", {}).get("cmd", "*")
        if rule["tool"] in ("Bash", "*") and any(map(matches, [patterns] if isinstance(patterns, str) else patterns)):
            return {"allow": "allow", "ask": "ask", "delegate": "ask", "reject": "deny"}[rule["action"]]
    return "none"


def gemini(policies: Mapping[str, Any], command: str) -> str:
    """Rules of the Gemini CLI's policy files, without its own default policies."""
    argument = f'"command":"{command}"'

    def matches(rule: Mapping[str, Any]) -> bool:
        prefixes = rule.get("commandPrefix")
        if prefixes is not None:
            several = [prefixes] if isinstance(prefixes, str) else prefixes
            return any(re.search(re.escape(f'"command":"{one}') + r'(?:[\s"]|\\")', argument) for one in several)
        if "commandRegex" in rule:
            return re.search(f'"command":"{rule["commandRegex"]}', argument) is not None
        return True

    rules = sorted(policies["rule"], key=lambda rule: -rule["priority"])
    found = next((rule["decision"] for rule in rules if matches(rule)), "none")
    return {"ask_user": "ask"}.get(found, found)


def toml(text: str) -> Any:
    """A policy file of the Gemini CLI as :func:`gemini` takes it."""
    return tomllib.loads(text)
