"""``execpolicy explain``: shows the reasons for a command's decision."""

from __future__ import annotations

import sys

import click

from execpolicy.cli import permission_file, suspicious_args
from execpolicy.cli.argument_types import COMMAND_WORD, CommandAboutWords
from execpolicy.cli.check_text import script_given
from execpolicy.cli.judgement import script_of, situation_at
from execpolicy.cli.layer_arguments import PERMISSIONS, REPORT, RULES, SCRIPT, SCRIPT_FILE, SCRIPTS_SHELL, layer_options
from execpolicy.cli.loading import report_problems
from execpolicy.cli.output import dumps, wants_color, write_line
from execpolicy.cli.page.explain_html import explanation_document
from execpolicy.insight.explain import explain_verdict, explanation_text
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers, rulebook_of
from execpolicy.shell.script import SHELLS


@click.command(name="explain", cls=CommandAboutWords, context_settings={"allow_interspersed_args": False})
@RULES
@PERMISSIONS
@SCRIPT
@SCRIPT_FILE
@SCRIPTS_SHELL
@layer_options
@REPORT
@click.argument("words", nargs=-1, type=COMMAND_WORD, metavar="[--] [COMMAND...]")
def command(
    permissions: str | None,
    script: str | None,
    file: str | None,
    shell: str | None,
    layers: LayerOptions,
    output: str,
    words: tuple[str, ...],
) -> int:
    """Say why COMMAND gets its decision: what would run, each rule with file and line, what would change it.

    Wrappers (sudo, xargs, bash -c ...) are opened. For a command that is not allowed, the smallest rule that would
    allow it is shown, or why no rule can. Exits with 0 whatever the decision is.

    \b
    Examples:
      $ execpolicy explain -- git push origin main
      $ execpolicy explain --script 'cd src && sudo rm -rf build > log'
      $ execpolicy explain --file deploy.sh
    """
    what, shell = _asked_about(words, script, file, shell, layers.cwd)
    suspicious_args.question_shell(shell, sys.stderr)
    situation = situation_at(layers.cwd)
    loaded = load_layers(layers)
    report_problems(loaded, sys.stderr)
    rulebook = rulebook_of(loaded).with_grants(layers.grants)
    read = read_command(what, shell=shell)
    explanation = explain_verdict(judge_script(read, rulebook, situation), loaded)
    if permissions is not None:
        ruleset = permission_file.read_permissions(permissions, situation.home)
        restricted = permission_file.restriction(ruleset, what, situation, shell=shell)
        explanation = explanation.under(restricted)
    if output == "json":
        write_line(sys.stdout, dumps(explanation.to_json(), pretty=True))
    elif output == "html":
        write_line(sys.stdout, explanation_document(explanation).rstrip("\n"))
    else:
        write_line(sys.stdout, explanation_text(explanation, color=wants_color(sys.stdout)).rstrip("\n"))
    return 0


def _asked_about(
    words: tuple[str, ...], script: str | None, file: str | None, shell: str | None, cwd: str
) -> tuple[tuple[str, ...] | str, str]:
    """The argv or the script, and the shell that reads it.

    Raises:
        UsageError: there is not exactly one of them, or the file cannot be read.
    """
    if words == ("-",) and file is None:
        words, file = (), "-"
    if [script is not None, file is not None, bool(words)].count(True) != 1:
        raise click.UsageError("give a command, a script with --script, a script file with --file, or `-`")
    if file is not None:
        return script_given(file, shell, sys.stdin)
    script = script_of(words, script, cwd, sys.stderr)
    return words if script is None else script, shell or SHELLS[0]
