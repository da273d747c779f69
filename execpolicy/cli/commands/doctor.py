"""``execpolicy doctor``: proves that the gate holds."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import click

from execpolicy.cli.argument_types import choice
from execpolicy.cli.output import OK, PROBLEM, dumps, wants_color, write_line
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import UsageError
from execpolicy.gate.doctor import Examination, Finding
from execpolicy.gate.installing import Site, found_agents
from execpolicy.hooks.agents import AGENTS, Agent

_COLORS = {"ok": "green", "warning": "yellow", "problem": "red"}
_AT_ONCE = 4


@click.command(name="doctor")
@click.argument("names", nargs=-1, type=click.Choice(list(AGENTS)), metavar="[AGENT...]")
@choice("--format", ("text", "json"), "Output format.", destination="output")
def command(names: tuple[str, ...], output: str) -> int:
    """Prove that the hook in front of an agent holds; without AGENT, of all that are found here.

    Looks at the settings in force and at what could get around them, and starts the installed hook as the agent
    would: with a harmless, a forbidden, a prompting, a malformed and a slow call. Exits with 1 if there is a problem.

    \b
    Examples:
      $ execpolicy doctor
      $ execpolicy doctor claude --format json
    """
    site = Site.of_process()
    agents = [AGENTS[name] for name in dict.fromkeys(names)] or found_agents(site)
    if not agents:
        raise UsageError(f"no agent is found on this machine: name one of {', '.join(AGENTS)}")

    def examined(agent: Agent) -> list[Finding]:
        return list(Examination(site, agent).findings())

    status = OK
    reports = []
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:  # most of the time is spent waiting for the slow call
        for agent, findings in zip(agents, pool.map(examined, agents), strict=True):
            ok = all(finding.health != "problem" for finding in findings)
            status = status if ok else PROBLEM
            reports.append({"agent": agent.name, "ok": ok, "findings": [finding._asdict() for finding in findings]})
            if output == "text":
                click.echo(agent.title)
                for finding in findings:
                    click.echo(f"  {_word(finding)} {finding.check}: {visible(finding.text)}")
    if output == "json":
        write_line(sys.stdout, dumps({"ok": status == OK, "agents": reports}))
    return status


def _word(finding: Finding) -> str:
    word = f"{finding.health:<8}"
    return click.style(word, fg=_COLORS[finding.health]) if wants_color(sys.stdout) else word
