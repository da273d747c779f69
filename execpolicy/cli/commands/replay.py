"""``execpolicy replay``: decisions over a recorded history."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import click

from execpolicy.amend.save_plan import Grant
from execpolicy.cli.argument_types import FILE, SHELL, choice
from execpolicy.cli.commands.diff import files_at
from execpolicy.cli.judgement import situation_at
from execpolicy.cli.layer_arguments import REPORT, layer_options
from execpolicy.cli.loading import load_rulebook
from execpolicy.cli.output import OK, PROBLEM, dumps, wants_color, write_line
from execpolicy.cli.page.replay_html import replay_document, timeline_of
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.insight.checkpoint import Checkpoint
from execpolicy.insight.history import FORMS, history_files, read_history
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import Replay, replay, replay_text
from execpolicy.insight.workers import WORTH_A_PROCESS, Workers
from execpolicy.judge.rulebook import Rulebook
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
from execpolicy.shell.script import SHELLS

_LARGE = 4 << 20
"""Minimum size of history, in bytes (Parquet: a tenth), for which child processes are started before it is read."""


@click.command(name="replay")
@click.option("-r", "--rules", multiple=True, type=FILE, help="Use exactly these rule files or folders (repeatable).")
@click.option("--against", multiple=True, type=FILE, help="Show what these rules instead would change (repeatable).")
@click.option(
    "--suggest",
    "suggestions",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many rules to suggest at most.",
)
@click.option(
    "--samples",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many commands to show as samples.",
)
@click.option("--shell", type=SHELL, default=SHELLS[0], show_default=True, help="The shell that reads the commands.")
@choice("--form", FORMS, "What kind of history it is.")
@click.option("--column", metavar="NAME", help="The column of Parquet files (default: command, script or argv).")
@layer_options
@REPORT
@click.option(
    "--accept",
    "accepted",
    type=click.IntRange(1),
    multiple=True,
    metavar="N",
    help="Save the Nth suggestion in default.rules of our own folder, and say what it leaves out (repeatable).",
)
@click.option(
    "--resume",
    type=FILE,
    help="Keep in this file what is counted and decided, and go on from there (made if there is none).",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if --against changes a decision.")
@click.argument("histories", nargs=-1, required=True, type=FILE, metavar="HISTORY...")
def command(
    against: tuple[str, ...],
    suggestions: int,
    samples: int,
    shell: str,
    form: str,
    column: str | None,
    layers: LayerOptions,
    output: str,
    accepted: tuple[int, ...],
    resume: str | None,
    exit_code: bool,
    histories: tuple[str, ...],
) -> int:
    """Decide on every command of HISTORY: how many would be allowed, asked about, forbidden, by which rules.

    HISTORY is a file or a folder. It contains JSON lines with `script`, `command` or `argv`, transcripts of Claude Code
    (~/.claude/projects) or Codex (~/.codex/sessions), Parquet, or text with a command a line. It may be a history file
    of bash, zsh or fish. `-` is standard input. Lines that cannot be read are counted and reported.

    Without -r the rules of all layers are used, as for `check`. The exit status is 0 for an answer, 1 for a problem
    (or, with --exit-code, for a change), 2 for wrong usage.

    \b
    Examples:
      $ execpolicy replay ~/.claude/projects
      $ execpolicy replay history.jsonl -r rules --against new.rules
    """
    # The options of one command, one line each, and their use.
    situation = situation_at(layers.cwd)
    book = _rulebook(layers, layers.files or ())
    policies = [PortablePolicy.of(book, situation=situation)]
    if against:
        policies.append(PortablePolicy.of(_rulebook(layers, against), situation=situation))
    files = history_files(histories)
    size = sum(os.path.getsize(path) for path in files if path != "-")
    heavy = sum(os.path.getsize(path) * 10 for path in files if path.endswith(".parquet"))
    with ExitStack() as stack:
        checkpoint = None
        if resume is not None:
            checkpoint = stack.enter_context(Checkpoint(resume, policies, shell=shell, form=form, column=column))
        workers = None
        if max(size, heavy) >= _LARGE:  # they start while the history is read
            workers = stack.enter_context(Workers(policies, shell=shell))
        with _progress("reading", size, size >= _LARGE) as advance:
            # commands of the checkpoint need no decision, and they are not known yet
            met = None if workers is None or checkpoint is not None else workers.begin
            history = read_history(files, form=form, column=column, progress=advance, met=met, checkpoint=checkpoint)
        distinct = len(history.counts)
        with _progress("deciding", distinct, distinct >= WORTH_A_PROCESS) as advance:
            report = replay(
                history,
                policies[0],
                policies[1] if against else None,
                named=book.policy.rules,
                shell=shell,
                suggestions=suggestions,
                samples=samples,
                workers=workers,
                checkpoint=checkpoint,
                progress=advance,
            )
    if output == "json":
        write_line(sys.stdout, dumps(report.to_json(), pretty=True))
    elif output == "html":
        write_line(sys.stdout, replay_document(report, timeline_of(files, book, situation, shell)).rstrip("\n"))
    else:
        write_line(sys.stdout, replay_text(report, color=wants_color(sys.stdout)).rstrip("\n"))
    _accept(report, accepted, book, situation.cwd)
    return PROBLEM if exit_code and report.changes else OK


def _accept(report: Replay, numbers: Sequence[int], book: Rulebook, cwd: str) -> None:
    """Save suggestions by number, counted from 1, each after printing its most dangerous extension.

    Raises:
        RuleStoreError: ``book`` lacks rules, so that these numbers may belong to other suggestions.
        UsageError: there is no such number.
    """
    if numbers and book.fail_closed:
        raise RuleStoreError("nothing was saved: the suggestions were made without the rules that could not be read")
    rules = report.suggestions.rules
    unknown = [number for number in numbers if number > len(rules)]
    if unknown:
        raise UsageError(f"there is no suggestion {unknown[0]}: there are {len(rules)}")
    if not numbers:
        return
    manager = PolicyManager(LayerOptions.of_process(cwd=cwd))
    chosen = [rules[number - 1] for number in dict.fromkeys(numbers)]
    for one in chosen:
        worst = "" if one.worst is None else f", which leaves out `{one.worst}`"
        click.echo(visible(f"saving in {manager.options.own_rules}: {one.line}{worst}"), err=True)
    done = manager.save_rules(*[Grant(one.prefix, one.unless).rule() for one in chosen])
    for warning in (done.warning, done.not_in_force and f"saved, but not in force: {done.not_in_force}"):
        if warning:
            click.echo(visible(f"warning: {warning}"), err=True)


def _rulebook(layers: LayerOptions, targets: Sequence[str]) -> Rulebook:
    """The rules of ``layers``, or of the files and folders ``targets`` in their place.

    Raises:
        UsageError: a folder contains none.
    """
    files = [file for target in targets for file in files_at(target)]
    if files:
        layers = layers.replaced(files=files, mode="codex" if layers.mode == "codex" else "strict")
    return load_rulebook(layers, sys.stderr)


@contextmanager
def _progress(label: str, length: int, long: bool) -> Iterator[Callable[[int], None] | None]:
    """A progress bar on standard error, if that is a terminal and the run is ``long``."""
    if not long or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update
