"""Which agents are on this machine."""

from __future__ import annotations

import os
import shutil

from execpolicy.gate.installing import Site
from execpolicy.hooks.agents import AGENTS, Agent

_SHARED = ("~/.config", "~/.codeium", "~/.agents")
"""Folders that are nobody's own."""


def found_agents(site: Site) -> list[Agent]:
    """The agents whose program can be started or whose settings folder exists."""
    return [agent for agent in AGENTS.values() if program_of(site, agent) or os.path.isdir(_folder(site, agent))]


def program_of(site: Site, agent: Agent) -> str | None:
    """The agent's program; ``None`` if it is not to be found on ``PATH``."""
    for name in agent.place.programs or (agent.name,):
        path = shutil.which(name, path=site.environ.get("PATH"))
        if path is not None:
            return path
    return None


def _folder(site: Site, agent: Agent) -> str:
    parts = agent.place.user.split("/")
    depth = 3 if "/".join(parts[:2]) in _SHARED else 2
    return site.file(agent, "/".join(parts[:depth]))
