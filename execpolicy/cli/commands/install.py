"""``execpolicy install``, ``uninstall`` and ``doctor``: the hook in front of agents."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import click

from execpolicy.cli.argument_types import choice
from execpolicy.cli.output import OK, PROBLEM, dumps, wants_color, write_line
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.gate.codex_trust import CodexServer
from execpolicy.gate.doctor import Examination, Finding
from execpolicy.gate.installing import SCOPES, Scope, Site, found_agents, plan_install, plan_uninstall, program_of
from execpolicy.hooks.agents import AGENTS, Agent
from execpolicy.layers.hook_setting import hook_setting_of_process

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


@click.command(name="install")
@click.argument("names", nargs=-1, type=click.Choice(list(AGENTS)), metavar="AGENT...")
@click.option("--all", "everything", is_flag=True, help="All agents that are found on this machine.")
@SCOPE
@click.option(
    "--on-prompt",
    type=click.Choice(["ask", "deny", "inbox"]),
    help="What becomes of a command that needs a person: ask, deny, inbox (the page of `execpolicy ui`).",
)
@click.option("--log", is_flag=True, help="Record each decision; `execpolicy log` shows them.")
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
@click.option("--print-command", is_flag=True, help="Print the command that the agent would start, and write nothing.")
def command(
    names: tuple[str, ...],
    everything: bool,
    scope: Scope,
    on_prompt: str | None,
    log: bool,
    dry_run: bool,
    print_command: bool,
) -> int:
    """Put `execpolicy hook` in front of every tool of an agent, and show what that changes.

    All else in a settings file stays as it is, and `execpolicy uninstall` brings back what was there. A file that is
    broken is left alone. Settings of the machine are those that a project cannot switch off.

    \b
    Examples:
      $ execpolicy install claude
      $ execpolicy install --all --dry-run
      $ sudo execpolicy install claude codex --scope machine
    """
    site = Site.of_process()
    options: tuple[str, ...] = () if on_prompt is None else ("--on-prompt", on_prompt)
    options += ("--log",) if log else ()
    status = OK
    for agent in chosen_agents(site, names, everything, scope):
        if on_prompt == "inbox" and not agent.place.waits:
            click.echo(
                f"error: {agent.title} cannot be told to wait for a person: leave out --on-prompt inbox", err=True
            )
            status = PROBLEM
            continue
        if print_command:
            program = site.program(agent, scope, options)
            click.echo(program.script if agent.place.form in ("script", "delegate") else program.shell)
            continue
        try:
            _install(site, agent, scope, options, dry_run)
        except ExecPolicyError as error:
            click.echo(f"error: {error}", err=True)
            status = PROBLEM
    if status == OK and not (dry_run or print_command):
        click.echo(
            "In the folder of a project, `execpolicy init` proposes what may run unasked, and forbids disasters."
        )
    return status


def _install(site: Site, agent: Agent, scope: Scope, options: tuple[str, ...], dry_run: bool) -> None:
    change = plan_install(site, agent, scope, options)
    changed = change.changed()
    click.echo(change.diff(), nl=False)
    if not changed:
        click.echo(f"{agent.title}: nothing to change in {site.settings_file(agent, scope)}")
    elif dry_run:
        click.echo(f"{agent.title}: nothing was written (--dry-run)")
    else:
        change.install()
        if not {"deny", "inbox"}.intersection(options):
            click.echo(f"{agent.title}: {agent.unknown_prompts(hook_setting_of_process().unknown)}")
        click.echo(f"{agent.title}: wrote {' and '.join(changed)}")
        for path in changed:
            kept = change.keeping.find(path)
            if kept is not None and kept.before is not None:
                click.echo(f"{agent.title}: the former content is kept in {change.keeping.backup(path)}")
    for note in change.notes:
        click.echo(f"{agent.title}: {note}")
    if agent.name == "codex" and scope != "machine" and not dry_run:
        _trust(site, agent)


def _trust(site: Site, agent: Agent) -> None:
    """Make Codex trust the hook that was written."""
    codex = program_of(site, agent)
    if codex is None:
        click.echo(
            "Codex: it is not installed here, and runs a hook only when it trusts it: run this again when it is, "
            "or trust the hook in its `/hooks` screen"
        )
        return
    with CodexServer(codex, site.cwd, site.environ) as server:
        if server.trust():
            click.echo("Codex: it trusts the hook now")
        elif not server.ours():
            sys.stdout.flush()
            raise ExecPolicyError("Codex does not see its hook: in a project, it has to trust the project first")


@click.command(name="uninstall")
@click.argument("names", nargs=-1, type=click.Choice(list(AGENTS)), metavar="AGENT...")
@click.option("--all", "everything", is_flag=True, help="All agents that are found on this machine.")
@SCOPE
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def uninstall_command(names: tuple[str, ...], everything: bool, scope: Scope, dry_run: bool) -> int:
    """Take `execpolicy hook` away from an agent again, and show what that changes.

    A settings file that is unchanged since `install` gets back what was in it, byte for byte; from any other, our
    entries are taken out and everything else stays.

    \b
    Examples:
      $ execpolicy uninstall claude
      $ execpolicy uninstall --all --dry-run
    """
    site = Site.of_process()
    status = OK
    for agent in chosen_agents(site, names, everything, scope):
        try:
            change = plan_uninstall(site, agent, scope)
            changed = change.changed()
            click.echo(change.diff(), nl=False)
            if not dry_run:
                change.uninstall()  # also if a killed install left only its notes
        except ExecPolicyError as error:
            click.echo(f"error: {error}", err=True)
            status = PROBLEM
            continue
        if not changed:
            click.echo(f"{agent.title}: there is no hook of ours in {site.settings_file(agent, scope)}")
        elif dry_run:
            click.echo(f"{agent.title}: nothing was written (--dry-run)")
        else:
            click.echo(f"{agent.title}: took the hook out of {' and '.join(changed)}")
    return status


_COLORS = {"ok": "green", "warning": "yellow", "problem": "red"}
_AT_ONCE = 4


@click.command(name="doctor")
@click.argument("names", nargs=-1, type=click.Choice(list(AGENTS)), metavar="[AGENT...]")
@choice("--format", ("text", "json"), "Output format.", destination="output")
def doctor_command(names: tuple[str, ...], output: str) -> int:
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
