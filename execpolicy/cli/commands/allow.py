"""``execpolicy allow``: save allow rules for a command, after showing what they cover."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from execpolicy.amend.preview import Preview, preview, still_restricted, why_too_broad
from execpolicy.amend.savable import why_not_savable
from execpolicy.amend.save_plan import Plan, Proposal, obstacles, outcome, plan
from execpolicy.cli.argument_types import COMMAND_WORD, CommandAboutWords
from execpolicy.cli.doubtful_calls import question_shell
from execpolicy.cli.judgement import require_program, situation_at
from execpolicy.cli.layer_arguments import CWD, FORMAT, RULE_FILE, SHELL_OPTION
from execpolicy.cli.loading import report_problems
from execpolicy.cli.output import OK, PROBLEM, dumps, write_line
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.diagnostics.render_text import visible
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.situation import Situation
from execpolicy.lang.render import render_prefix_rule
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
from execpolicy.shell.script import Script

if TYPE_CHECKING:
    from execpolicy.judge.verdict import Verdict


@dataclass(slots=True)
class _Answer:
    """What was done, for printing."""

    path: str
    saved: list[str] = field(default_factory=list)
    present: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    obstacles: list[str] = field(default_factory=list)
    broad: list[str] = field(default_factory=list)
    decision: Decision = Decision.PROMPT

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "saved": self.saved,
            "alreadyThere": self.present,
            "refused": self.refused,
            "decision": self.decision.word,
            "obstacles": self.obstacles,
            "broad": self.broad,
        }


@click.command(name="allow", cls=CommandAboutWords, context_settings={"allow_interspersed_args": False})
@click.option("--exact", is_flag=True, help="Save all words of the command (the default); more words may follow.")
@click.option(
    "--prefix",
    type=click.IntRange(min=1),
    metavar="N",
    help="Save the first N words: whatever starts with them is allowed.",
)
@click.option("--yes", is_flag=True, help="Save without asking; needed where there is no terminal.")
@click.option("--script", metavar="TEXT", help="Save a rule for each command of a shell script that needs one.")
@SHELL_OPTION
@CWD
@RULE_FILE
@FORMAT
@click.argument("words", nargs=-1, type=COMMAND_WORD, metavar="[--] [COMMAND...]")
def command(
    exact: bool,
    prefix: int | None,
    yes: bool,
    script: str | None,
    shell: str,
    cwd: str | None,
    path: str | None,
    output: str,
    words: tuple[str, ...],
) -> int:
    """Save an allow rule for COMMAND, or one for each command of a script, in the user's default.rules.

    Shows first what the rules cover and asks. Afterwards the same command is judged again: exits with 1, and says why,
    if it is still not allowed. Rules that would allow nearly anything (bash, sudo, git without a sub-command), and
    secrets, here-documents and fragments, are refused. `execpolicy undo` takes a rule back.

    \b
    Examples:
      $ execpolicy allow -- git push origin main
      $ execpolicy allow --yes --prefix 2 -- git push origin main
      $ execpolicy allow --script 'npm ci && npm run build'
    """
    # The options of one command, a line each, and what is done with them.
    if exact and prefix is not None:
        raise click.UsageError("--exact and --prefix contradict each other")
    if (script is None) == (not words):
        raise click.UsageError("give a command behind `--`, or a script with --script")
    require_program(words)
    if not yes and not sys.stdin.isatty():
        raise click.UsageError("there is no terminal to ask on: pass --yes to save without asking")
    question_shell(shell, sys.stderr)
    situation = situation_at(cwd)
    manager = PolicyManager(LayerOptions.of_process(cwd=situation.cwd))
    report_problems(manager.current().layers, sys.stderr)
    read = read_command(script if script is not None else words, shell=shell)
    proposed = plan(read, manager.current().rulebook, situation, insist=True)
    answer = _Answer(path if path is not None else manager.options.default_rules or "")
    chosen: list[tuple[str, ...]] = []

    def judged_with(prefixes: list[tuple[str, ...]]) -> Verdict:
        return outcome(read, prefixes, manager.current().rulebook, situation)

    for proposal in proposed.proposals:
        if prefix is not None and proposal.exact is not None and prefix > len(proposal.exact) and len(words) > 0:
            raise click.UsageError(
                f"`{proposal.shown}` has {len(proposal.exact)} words that can be saved, not {prefix}"
            )
        tokens = _choose(proposal, exact=exact, prefix=prefix, ask=not yes, manager=manager, situation=situation)
        why = why_not_savable(tokens) or why_too_broad(tokens) if tokens else proposal.refused
        if why is not None:
            answer.refused.append(f"no rule for `{proposal.shown}`: {why}")
        elif tokens:
            chosen.append(tokens)
        else:
            click.echo(visible(f"nothing was saved for `{proposal.shown}`"), err=True)
    if yes and judged_with(chosen).decision is not Decision.ALLOW:
        chosen.clear()  # nobody looked at it, so nothing is widened that would not even help
    if chosen:
        done = manager.amend(*chosen, path=path)
        added = done.appended.text.split("\n")
        for line in done.appended.lines:
            (answer.saved if line in added else answer.present).append(line)
        shown = [(tokens, preview(tokens, manager.current().rulebook, situation)) for tokens in chosen]
        answer.broad += [_careful(tokens, found) for tokens, found in shown if found.careful(tokens) or found.dangerous]
        for warning in (done.warning, done.not_in_force and f"saved, but not in force: {done.not_in_force}"):
            if warning:
                answer.obstacles.append(warning)
    _judge_again(answer, read, proposed, manager, situation)
    _print(answer, output)
    return OK if answer.decision is Decision.ALLOW and not answer.refused else PROBLEM


def _choose(
    proposal: Proposal,
    *,
    exact: bool,
    prefix: int | None,
    ask: bool,
    manager: PolicyManager,
    situation: Situation,
) -> tuple[str, ...] | None:
    """The prefix to save: ``()`` if the person says no, ``None`` if there is none."""
    if proposal.exact is None:
        return None
    chosen = proposal.exact[:prefix]
    if not ask or why_too_broad(chosen) is not None:
        return chosen
    _show(chosen, manager, situation)
    if prefix is None and not exact and proposal.reusable is not None and why_too_broad(proposal.reusable) is None:
        click.echo(visible(f"p = the shorter prefix `{join(proposal.reusable)}` instead:"))
        _show(proposal.reusable, manager, situation)
        reply = click.prompt("save it? (y)es, (p)refix, (n)o", type=click.Choice(["y", "p", "n"]), default="n")
        return {"y": chosen, "p": proposal.reusable, "n": ()}[reply]
    return chosen if click.confirm("save it?", default=False) else ()


def _show(tokens: tuple[str, ...], manager: PolicyManager, situation: Situation) -> None:
    shown = preview(tokens, manager.current().rulebook, situation)
    click.echo(visible(render_prefix_rule(tokens)))
    careful = shown.careful(tokens)
    if careful is not None:
        click.echo(visible(f"  careful: {careful}"))
    for title, examples in (
        ("  allows", shown.covered),
        ("  still asks", shown.not_covered),
        ("  still forbids", shown.forbidden),
        ("  also allows, and that is dangerous", shown.dangerous),
    ):
        if examples:
            click.echo(visible(f"{title}: {' · '.join(examples)}"))
    restricted = still_restricted(tokens, manager.current().rulebook)
    if [words for words, _ in restricted] == [tokens]:
        click.echo(visible(f"  changes nothing: another rule says {restricted[0][1].word} to all that it would allow"))
    elif restricted:
        still = " · ".join([f"{join(words)} ({decision.word})" for words, decision in restricted])
        click.echo(visible(f"  other rules still decide: {still}"))


def _careful(tokens: tuple[str, ...], shown: Preview) -> str:
    """What a person who was not asked should know of a rule that was saved."""
    careful = shown.careful(tokens)
    if careful is not None:
        return careful
    line = join(tokens)
    dangerous = f"`{shown.dangerous[0]}`"
    return f"{dangerous} is dangerous" if line == shown.dangerous[0] else f"`{line}` also allows {dangerous}: dangerous"


def _judge_again(answer: _Answer, script: Script, proposed: Plan, manager: PolicyManager, situation: Situation) -> None:
    """The proof: the very thing that was approved, under the rules that were read back from the files."""
    verdict = judge_script(script, manager.current().rulebook, situation)
    answer.decision = verdict.decision
    if verdict.decision is not Decision.ALLOW:
        answer.obstacles += obstacles(verdict) if answer.saved or answer.present else proposed.obstacles


def _print(answer: _Answer, output: str) -> None:
    if output == "json":
        write_line(sys.stdout, dumps(answer.to_json()))
    else:
        for line in answer.saved:
            write_line(sys.stdout, visible(f"saved in {answer.path}: {line}"))
        for line in answer.present:
            write_line(sys.stdout, visible(f"already in {answer.path}: {line}"))
    for problem in (*answer.refused, *answer.obstacles, *answer.broad):
        click.echo(visible(f"warning: {problem}"), err=True)
    if answer.decision is not Decision.ALLOW:
        nothing = "" if answer.saved else "nothing was saved, and "
        click.echo(f"{nothing}the command is still not allowed: {answer.decision.word}", err=True)
    elif not answer.saved and not answer.present and output == "text":
        write_line(sys.stdout, "nothing was saved: it is allowed already")
