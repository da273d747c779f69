"""An MCP server that decides: agents may check and explain; only the person at the client may allow."""

from typing import Annotated, Any

from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from pydantic import BaseModel

import execpolicy as ep

manager, server = ep.PolicyManager(ep.LayerOptions.of_process()), MCPServer("execpolicy")


class Consent(BaseModel):
    allow: bool


@server.tool()
def check(command: str) -> dict[str, Any]:
    """Whether a shell command may run: `allow`, `prompt` or `forbidden`, and why."""
    return ep.check(command, manager.current().rulebook).to_json()


@server.tool()
def explain(command: str) -> dict[str, Any]:
    """Everything that was found out about a shell command, and what would allow it."""
    return ep.explain(command, manager.current().rulebook).to_json()


def ask(prefix: list[str]) -> Elicit[Consent]:
    return Elicit(f"Allow all commands that begin with {prefix}?", Consent)


@server.tool()
def allow(prefix: list[str], consent: Annotated[Consent, Resolve(ask)]) -> str:
    """Allow commands that begin with these words for good, if the person agrees."""
    return "\n".join(manager.amend(prefix).appended.lines) if consent.allow else "the person did not agree"


if __name__ == "__main__":
    server.run()
