"""``execpolicy check``: the decision on a command. Text for a terminal, JSON for programs, JSON lines in a stream."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.cli import all_errors, check_stream, check_text, judgement
from execpolicy.cli.check_options import CheckOptions, parse_check
from execpolicy.cli.output import FORBIDDEN, NO_MATCH, OK, PROBLEM, PROMPT, dumps, write_line
from execpolicy.cli.output import USAGE as USAGE_STATUS
from execpolicy.cli.rule_options import usage_of
from execpolicy.codex import compat
from execpolicy.core.decision import Decision
from execpolicy.errors import ExecPolicyError, RuleFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

_STATUS = {Decision.ALLOW: OK, Decision.PROMPT: PROMPT, Decision.FORBIDDEN: FORBIDDEN, None: NO_MATCH}


def run_check(arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Run the subcommand and return its exit status. Writes to ``stdout`` only if there is an answer."""
    try:
        options = parse_check(arguments)
    except UsageError as error:
        stderr.write(f"error: {error} (see `execpolicy check --help`)\n")
        return USAGE_STATUS
    if options.help:
        stdout.write(usage_of("check"))
        return OK
    try:
        if options.compat:
            found = compat.answer_as_codex(options.command, options.rules, resolve=options.resolve_host_executables)
            return _answer(*found, options, stdout)
        if options.jsonl:
            return check_stream.answer_requests(options, stdin, stdout, stderr)
        if options.unusual:
            check_text.complete(options, stdin, stderr)
        script = judgement.script_of(options.command, options.script, options.cwd, stderr)
        command = options.command if script is None else script
        thorough = options.form == "text" or stderr.isatty()
        judging = judgement.Judging(options, stderr, permissions=options.permissions, thorough=thorough)
        situation = judgement.situation_at(options.cwd, terminal=options.terminal == "yes")
        shell = options.shell or "bash"
        if options.form == "text" or (options.form is None and not options.pretty and stdout.isatty()):
            decision = check_text.tell(judging, command, situation, shell, options.profile, stdout)
            return _STATUS[decision] if options.exit_code else OK
        return _answer(*judging.answer(command, situation, shell=shell), options, stdout)
    except RuleFileError as error:
        if options.compat:
            stderr.write(compat.report_as_codex(error))
        else:
            all_errors.write_faults(stderr, error.diagnostics)
        return PROBLEM
    except ExecPolicyError as error:
        stderr.write(f"error: {error}\n")
        return USAGE_STATUS if isinstance(error, UsageError) else PROBLEM


def _answer(body: dict[str, Any], decision: Decision | None, options: CheckOptions, stdout: TextIO) -> int:
    write_line(stdout, dumps(body, pretty=options.pretty))
    return _STATUS[decision] if options.exit_code else OK
