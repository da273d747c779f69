"""``execpolicy import`` and ``export``: an agent's permissions as rules, and rules in an agent's format."""

from __future__ import annotations

import os
import sys

import click

from execpolicy.amend.append import Appended, append_lines
from execpolicy.cli.argument_types import FILE
from execpolicy.cli.layer_arguments import FORMAT, RULES, layer_options
from execpolicy.cli.loading import report_problems
from execpolicy.cli.output import OK, PROBLEM, dumps, write_line
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.exchange.agent_formats import AGENTS, agent_files, format_of, read_source
from execpolicy.exchange.tool_entry import ImportedRules, report
from execpolicy.exchange.translate import translate
from execpolicy.lang.compile import compile_source
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.lint.survey import codex_rules_folder
from execpolicy.source import Source


@click.command(name="import")
@click.option("--to", "target", type=FILE, help="Append the rules to this rule file (made if it is missing).")
@click.option("--from", "agent", type=click.Choice(list(AGENTS)), help="Whose settings the named files hold.")
@FORMAT
@click.argument("sources", nargs=-1, required=True, metavar="AGENT|FILE...")
def command(target: str | None, agent: str | None, output: str, sources: tuple[str, ...]) -> int:
    """Turn the permissions of an agent, or of settings files, into rules, and say what gets lost.

    AGENT is claude, codex, gemini, copilot, opencode, qwen, cursor, amp, crush or vscode: its settings in the home
    folder, the project and the machine are read. The rules go to standard output, the report on every entry (exact,
    stricter, laxer or impossible, and why) to standard error; with --to the rules go to the file and the report to
    standard output. Nothing is written if a file is broken.

    \b
    Examples:
      $ execpolicy import claude
      $ execpolicy import .claude/settings.json --to ~/.config/execpolicy/rules/imported.rules
    """
    extensions = target is None or codex_rules_folder(target) is None
    found: list[ImportedRules] = []
    for name, files in _grouped(sources, agent).items():
        settings = AGENTS[name].read(files)
        found.append(translate(settings, title=AGENTS[name].title, extensions=extensions))
    lines = [line for one in found for line in one.lines]
    losses = [loss for one in found for loss in one.losses]
    text = "".join(f"{line}\n" for line in lines)
    compile_source(Source("<imported rules>", text))  # text that would not load is not written
    appended = None if target is None else _written(os.path.abspath(target), lines)
    if output == "json":
        body = {
            "rules": text,
            "path": None if appended is None else appended.path,
            "entries": [{"place": x.place, "text": x.text, "level": x.level, "why": x.why} for x in losses],
        }
        write_line(sys.stdout, dumps(body, pretty=True))
        return OK
    if appended is None:
        click.echo(text, nl=False)
        click.echo(report(losses, of="entries"), err=True, nl=False)
        return OK
    added = sum(1 for line in appended.text.split("\n") if line and not line.startswith("#"))
    click.echo(visible(f"wrote {added} new rules to {appended.path}"))
    click.echo(report(losses, of="entries"), nl=False)
    return OK


def _grouped(sources: tuple[str, ...], agent: str | None) -> dict[str, list[Source]]:
    """The texts by agent. All of them are read before anything is written."""
    grouped: dict[str, list[Source]] = {}
    for source in sources:
        if source in AGENTS and agent is None:
            paths = agent_files(source, cwd=os.getcwd(), environ=os.environ)
            if not paths:
                where = "name a file that holds its options" if source == "copilot" else "it has no settings here"
                raise UsageError(f"nothing to import for `{source}`: {where}")
            grouped.setdefault(source, []).extend(read_source(path) for path in paths)
        else:
            text = read_source(source)
            grouped.setdefault(agent or format_of(text), []).append(text)
    return grouped


def _written(path: str, lines: list[str]) -> Appended:
    folder = os.path.dirname(os.path.dirname(path))
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise RuleStoreError(f"failed to create {folder}: {error.strerror}") from error
    return append_lines(path, tuple(lines))


@click.command(name="export")
@click.option("--to", "agent", type=click.Choice(list(AGENTS)), required=True, help="The agent whose format to write.")
@RULES
@layer_options
@FORMAT
def export_command(agent: str, layers: LayerOptions, output: str) -> int:
    """Write the rules in force in the format of an agent, and say what gets lost.

    The settings go to standard output, the report on every rule to standard error. What a rule forbids is found by an
    agent in one spelling out of many, so what is exported never replaces the hook.

    \b
    Example:
      $ execpolicy export --to claude -r rules/git.rules
    """
    loaded = load_layers(layers)
    report_problems(loaded, sys.stderr)
    in_force = [rule.statement for rule in loaded.rules if rule.inert is None and rule.layer.name != "built-in"]
    exported = AGENTS[agent].write(in_force)
    if output == "json":
        entries = [{"place": x.place, "text": x.text, "level": x.level, "why": x.why} for x in exported.losses]
        write_line(sys.stdout, dumps({"agent": agent, "settings": exported.text, "rules": entries}, pretty=True))
    else:
        click.echo(exported.text, nl=False)
        click.echo(report(exported.losses, of="rules"), err=True, nl=False)
    return PROBLEM if loaded.errors() else OK
