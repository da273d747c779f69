"""``execpolicy fmt``: rule files in canonical layout."""

from __future__ import annotations

import sys

import click

from execpolicy.cli import all_errors
from execpolicy.cli.argument_types import FILE
from execpolicy.cli.output import OK, PROBLEM
from execpolicy.cli.rule_targets import STDIN, difference, read_source, rewrite, rule_files
from execpolicy.errors import ExecPolicyError, RuleFileError
from execpolicy.formatting.format import format_source
from execpolicy.source import Source


@click.command(name="fmt")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change. Exit status as with --check.")
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="What messages call standard input.")
@click.argument("targets", nargs=-1, type=FILE, metavar="FILE...")
def command(check: bool, diff: bool, stdin_filename: str, targets: tuple[str, ...]) -> int:
    """Bring rule files into canonical layout, in place; `-` reads standard input and prints the result.

    A folder means every *.rules file below it; without FILE the rules in force are meant. Comments, strings and
    f-strings stay as they are, and a file is only written once it is proven that it still means the same.

    \b
    Examples:
      $ execpolicy fmt .codex/rules
      $ execpolicy fmt --check --diff .codex/rules
      $ execpolicy fmt - < default.rules
    """
    status = OK
    for path in rule_files(targets):
        try:
            changed = _one(path, stdin_filename if path == STDIN else path, writes=not (check or diff), shows=diff)
        except RuleFileError as error:
            status = PROBLEM
            all_errors.write_faults(sys.stderr, error.diagnostics)
        except ExecPolicyError as error:
            status = PROBLEM
            click.echo(f"error: {error}", err=True)
        else:
            if changed and (check or diff):
                status = PROBLEM
            if changed and path != STDIN and not diff:
                click.echo(f"{'would format' if check else 'formatted'} {path}", err=True)
    return status


def _one(path: str, name: str, *, writes: bool, shows: bool) -> bool:
    """Format one file; true if it changes."""
    source = read_source(path, name)
    text = format_source(source)
    if shows:
        click.echo(difference(source.text, text, name), nl=False)
    elif writes and path == STDIN:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    elif writes and text != source.text:
        # Reread under the lock: a rule that was appended meanwhile is formatted too, and not lost.
        return rewrite(path, lambda now: text if now == source.text else format_source(Source(name, now)))
    return text != source.text
