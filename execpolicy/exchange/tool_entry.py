"""``Tool(what)``: the way in which several agents name a tool and what it may do."""

from __future__ import annotations

from typing import Any

from execpolicy.exchange.broken_settings import of_kind
from execpolicy.source import Source


def tool_and_what(text: str) -> tuple[str, str | None]:
    """The tool and what stands in its parentheses; ``None`` without any. A text that is no such entry is all tool."""
    text = text.strip()
    name, opened, rest = text.partition("(")
    if not opened or not rest.endswith(")"):
        return text, None
    return name.strip(), rest[:-1]


def listed(source: Source, settings: dict[str, Any], *keys: str) -> list[tuple[str, str]]:
    """The texts of the list at ``keys``, each with its place; nothing if there is no such list.

    Raises:
        RuleFileError: it is something else than a list of texts.
    """
    value: Any = settings
    for at, key in enumerate(keys):
        value = value.get(key)
        if value is None:
            return []
        where = ".".join(keys[: at + 1])
        of_kind(source, value, list if at == len(keys) - 1 else dict, where)
    where = ".".join(keys)
    for at, text in enumerate(value):
        of_kind(source, text, str, f"{where}[{at}]")
    return [(f"{where}[{at}]", text) for at, text in enumerate(value)]


def not_a_command(tool: str) -> str:
    """Why an entry for a tool that runs no commands becomes no rule."""
    if tool.startswith("mcp") or "__" in tool:
        return "tools of MCP servers are not commands; name such a tool in the agent's own settings"
    if tool in ("WebFetch", "WebSearch", "web_fetch", "webfetch", "url"):
        return "fetching pages is no command"
    return f"`{tool}` runs no command"
