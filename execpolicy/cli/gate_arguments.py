"""Arguments that the commands of the gate share."""

from __future__ import annotations

from execpolicy.cli.argument_types import choice
from execpolicy.errors import UsageError
from execpolicy.gate.installing import SCOPES, Scope, Site, found_agents
from execpolicy.hooks.agents import AGENTS, Agent

SCOPE = choice(
    "--scope", SCOPES, "Whose settings: yours, those of the machine, or those of the project in the working folder."
)


def chosen_agents(site: Site, names: tuple[str, ...], everything: bool, scope: Scope) -> list[Agent]:
    """The agents that the command line names; with ``everything``, those that have settings for ``scope``.

    Raises:
        UsageError: names and ``everything`` are both given or both missing, or no agent is found.
    """
    if everything == bool(names):
        raise UsageError("name agents, or take all that are found here with --all")
    if names:
        return [AGENTS[name] for name in dict.fromkeys(names)]
    found = [agent for agent in found_agents(site) if site.has_settings(agent, scope)]
    if not found:
        raise UsageError(f"no agent is found on this machine: name one of {', '.join(AGENTS)}")
    return found
