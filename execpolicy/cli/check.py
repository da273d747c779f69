"""``execpolicy check``: may this command run? One JSON object, or one line for each request of a stream."""

from __future__ import annotations

import os

from execpolicy.cli.check_options import USAGE, parse_check
from execpolicy.cli.exits import FORBIDDEN, NO_MATCH, OK, PROBLEM, PROMPT
from execpolicy.cli.exits import USAGE as USAGE_STATUS
from execpolicy.cli.jsontext import dumps, encode
from execpolicy.core.decision import Decision
from execpolicy.errors import ExecPolicyError, RuleFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

    from execpolicy.cli.check_options import CheckOptions

_STATUS = {Decision.ALLOW: OK, Decision.PROMPT: PROMPT, Decision.FORBIDDEN: FORBIDDEN, None: NO_MATCH}


def run_check(arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Run the subcommand and return its exit status. Nothing is written to ``stdout`` unless there is an answer."""
    try:
        options = parse_check(arguments)
    except UsageError as error:
        stderr.write(f"error: {error} (see `execpolicy check --help`)\n")
        return USAGE_STATUS
    if options.help:
        stdout.write(USAGE)
        return OK
    try:
        if options.compat:
            from execpolicy.codex.compat import answer_as_codex

            found = answer_as_codex(options.command, options.rules, resolve=options.resolve_host_executables)
            return _answer(*found, options, stdout)
        if options.jsonl:
            from execpolicy.cli.check_stream import answer_requests

            return answer_requests(options, stdin, stdout, stderr)
        from execpolicy.cli.deciding import answer

        return _answer(*answer(options, stderr), options, stdout)
    except RuleFileError as error:
        _report(error, options, stderr)
        return PROBLEM
    except UsageError as error:
        stderr.write(f"error: {error}\n")
        return USAGE_STATUS
    except ExecPolicyError as error:
        stderr.write(f"error: {error}\n")
        return PROBLEM


def _answer(body: dict[str, Any], decision: Decision | None, options: CheckOptions, stdout: TextIO) -> int:
    write_line(stdout, dumps(body, pretty=options.pretty))
    return _STATUS[decision] if options.exit_code else OK


def write_line(stdout: TextIO, text: str) -> None:
    """Write ``text`` and a newline as UTF-8, whatever the locale."""
    data = encode(text + "\n")
    buffer = getattr(stdout, "buffer", None)
    if buffer is None:
        stdout.write(data.decode())
    else:
        buffer.write(data)
    stdout.flush()


def _report(error: RuleFileError, options: CheckOptions, stderr: TextIO) -> None:
    if options.compat:
        from execpolicy.codex.compat import report_as_codex

        stderr.write(report_as_codex(error))
        return
    from execpolicy.diagnostics.render_text import render_text

    stderr.write(render_text(error.diagnostics, color=wants_color(stderr)))


def wants_color(stream: TextIO) -> bool:
    """Whether ``stream`` is a terminal and nobody asked for no colour."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
