"""``execpolicy split``: the commands that a script would run, according to the parser."""

from __future__ import annotations

import sys
from typing import Any

import click

from execpolicy.cli.argument_types import choice
from execpolicy.cli.check_text import script_given
from execpolicy.cli.json_requests import answer_lines
from execpolicy.cli.layer_arguments import FORMAT, SCRIPT, SCRIPT_FILE, SCRIPTS_SHELL
from execpolicy.cli.output import dumps, write_line
from execpolicy.cli.rule_targets import read_standard_input
from execpolicy.codex import PROFILES, decide
from execpolicy.codex.segments import codex_commands
from execpolicy.codex.shell_call import codex_argv
from execpolicy.core.quoting import quote
from execpolicy.errors import UsageError
from execpolicy.flow.facts import Facts
from execpolicy.judge.reading import read_command
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.programs.catalog import facts_of
from execpolicy.shell.script import SHELLS, Script


def split_json(script: Script) -> dict[str, Any]:
    """``script`` as a JSON object: ``status``, ``reason`` (only when opaque) and ``commands``.

    Each command has ``argv`` (``null`` for a dynamic word), ``span`` (``[start, end)`` in code points), ``writes``
    (targets of redirections that write, ``null`` for a dynamic one), ``assignments`` (names) and ``context``.
    """
    answer: dict[str, Any] = {"status": script.status}
    if script.reason is not None:
        answer["reason"] = script.reason
    answer["commands"] = [
        {
            "argv": list(command.argv()),
            "span": [command.span.start, command.span.end],
            "writes": [redirect.target.literal for redirect in command.redirects if redirect.writes],
            "assignments": [assignment.name for assignment in command.assignments],
            "context": list(command.context),
        }
        for command in script.commands
    ]
    return answer


@click.command(name="split", context_settings={"allow_interspersed_args": False})
@SCRIPT
@SCRIPT_FILE
@SCRIPTS_SHELL
@click.option(
    "--jsonl", is_flag=True, help="Read one JSON request a line from standard input, answer each with one line."
)
@FORMAT
@choice("--profile", PROFILES, "Whose reading; Codex's is always printed as JSON.")
@click.argument("text", required=False, metavar="[SCRIPT]")
def command(
    script: str | None, file: str | None, shell: str | None, jsonl: bool, output: str, profile: str, text: str | None
) -> int:
    """Show the commands that SCRIPT would run: words, redirections, assignments, contexts.

    SCRIPT is read from standard input when it is not given. The first word of the answer is `plain` (every word known),
    `structured` (understood, but something is only known at run time) or `opaque` (not understood, so never allowed).
    A dynamic word is shown as <...>.

    \b
    Examples:
      $ execpolicy split 'cd src && grep -rn main . 2>&1 | head -5'
      $ echo '{"id": 1, "script": "ls | wc -l"}' | execpolicy split --jsonl
    """
    if [text is not None, script is not None, file is not None, jsonl].count(True) > 1:
        raise click.UsageError("give one script: as an argument, with --script, --file or --jsonl")
    if jsonl:
        answer_lines(lambda request: _answer(request, shell or SHELLS[0], profile), sys.stdin, sys.stdout)
        return 0
    if text == "-":
        text = None
    text = script if script is not None else text
    if file is not None:
        text, shell = script_given(file, shell, sys.stdin)
    elif text is None:
        text = read_standard_input().decode("utf-8", "surrogateescape")
    shell = shell or SHELLS[0]
    if output == "json" or profile != "default":
        write_line(sys.stdout, dumps(_split(text, shell, profile), pretty=True))
    else:
        write_line(sys.stdout, _for_people(facts_of(read_command(text, shell=shell))))
    return 0


def _split(what: str | tuple[str, ...], shell: str, profile: str) -> dict[str, Any]:
    if profile == "default":
        return split_json(facts_of(read_command(what, shell=shell)).script)
    argv = codex_argv(what, shell=shell, login=decide.allows_login_shell(LayerOptions.of_process()))
    segments = codex_commands(argv)
    opaque = isinstance(what, str) and segments == (argv,)
    commands = [
        {"argv": list(segment), "span": None, "writes": [], "assignments": [], "context": []} for segment in segments
    ]
    return {"status": "opaque" if opaque else "plain", "commands": commands}


def _answer(request: dict[str, Any], shell: str, profile: str) -> dict[str, Any]:
    script, argv = request.get("script"), request.get("argv")
    named = request.get("shell", shell)
    if not isinstance(named, str):
        raise UsageError("`shell` must be a string")
    if isinstance(script, str) and argv is None:
        return _split(script, named, profile)
    if isinstance(argv, list) and argv and script is None and all(isinstance(word, str) for word in argv):
        return _split(tuple(argv), named, profile)
    raise UsageError("a request needs `script` (a string) or `argv` (a list of strings)")


def _for_people(facts: Facts) -> str:
    """One line per command, then the obstacles to allowing the script."""
    script = facts.script
    lines = [script.status if script.reason is None else f"{script.status}: {script.reason}"]
    for command in script.commands:
        words = [
            quote(word.literal) if word.literal is not None else f"<{script.shown(word)}>" for word in command.words
        ]
        names = [f"{assignment.name}=…" for assignment in command.assignments]
        line = "  " + (" ".join([*names, *words]) or "(nothing to run)")
        notes = list(command.context)
        for redirect in command.redirects:
            notes.append(f"{'writes' if redirect.writes else 'uses'} {script.shown(redirect.target)}")
        lines.append(line + (f"    [{', '.join(notes)}]" if notes else ""))
    lines += [f"  ! {effect.kind}: {effect.detail}" for effect in facts.effects]
    return "\n".join(lines)
