"""``execpolicy allow``, ``network`` and ``undo``: save rules, after showing what they cover, and remove them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import click

from execpolicy.amend.preview import Preview, preview, still_restricted
from execpolicy.amend.save_plan import Grant, Proposal, obstacles, outcome, plan
from execpolicy.cli import suspicious_args
from execpolicy.cli.argument_types import COMMAND_WORD, CommandAboutWords
from execpolicy.cli.judgement import script_of, situation_at
from execpolicy.cli.layer_arguments import CWD, FORMAT, RULE_FILE, SHELL_OPTION
from execpolicy.cli.loading import report_problems
from execpolicy.cli.output import OK, PROBLEM, dumps, write_line
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import PROTOCOLS
from execpolicy.core.path_rules import WriteRule
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.diagnostics.render_text import visible
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.situation import Situation
from execpolicy.lang.render import render
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import Amendment, PolicyManager


@dataclass(slots=True)
class _Answer:
    """The result, for printing."""

    path: str
    dry_run: bool
    saved: list[tuple[str, str]] = field(default_factory=list)
    present: list[tuple[str, str]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    obstacles: list[str] = field(default_factory=list)
    broad: list[str] = field(default_factory=list)
    decision: Decision = Decision.PROMPT

    def add(self, done: Amendment) -> None:
        """Add the saved lines, each with its file."""
        self.path = done.appended.path
        added = done.appended.text.split("\n")
        for line in done.appended.lines:
            (self.saved if line in added else self.present).append((self.path, line))
        for warning in (done.warning, done.not_in_force and f"saved, but not in force: {done.not_in_force}"):
            if warning:
                self.obstacles.append(warning)

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "saved": [line for _, line in self.saved],
            "alreadyThere": [line for _, line in self.present],
            "refused": self.refused,
            "decision": self.decision.word,
            "obstacles": self.obstacles,
            "broad": self.broad,
            **({"dryRun": True} if self.dry_run else {}),
        }


@click.command(name="allow", cls=CommandAboutWords, context_settings={"allow_interspersed_args": False})
@click.option("--exact", is_flag=True, help="Allow exactly this command and no further word (the default).")
@click.option(
    "--prefix",
    type=click.IntRange(min=1),
    metavar="N",
    help="Allow every command that starts with the first N words, as Codex saves it; what that covers is shown first.",
)
@click.option("--yes", is_flag=True, help="Save without asking; needed where there is no terminal.")
@click.option("--dry-run", is_flag=True, help="Show what would be saved; save nothing.")
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
    dry_run: bool,
    script: str | None,
    shell: str,
    cwd: str | None,
    path: str | None,
    output: str,
    words: tuple[str, ...],
) -> int:
    """Save an allow rule for exactly COMMAND, or one for each command of a script, in default.rules of our own folder.

    With --prefix N or --file the rule is open, as Codex saves it: it also covers every command with more words behind.
    --prefix saves it in Codex's default.rules. Asks first, and shows what the rules cover. Afterwards the same command
    is judged again: exits with 1, and says why, if it is still not allowed. Rules that would allow nearly anything
    (bash, sudo, git without a sub-command), and secrets, here-documents and fragments, are refused. `execpolicy undo`
    takes a rule back.

    \b
    Examples:
      $ execpolicy allow -- git push origin main
      $ execpolicy allow --prefix 2 -- git push origin main
      $ execpolicy allow --script 'npm ci && npm run build'
    """
    # The options of one command, one line each, and their use.
    if exact and prefix is not None:
        raise click.UsageError("--exact and --prefix contradict each other")
    if (script is None) == (not words):
        raise click.UsageError("give a command behind `--`, or a script with --script")
    script = script_of(words, script, cwd, sys.stderr)
    if not (yes or dry_run) and not sys.stdin.isatty():
        raise click.UsageError("there is no terminal to ask on: pass --yes to save without asking")
    suspicious_args.question_shell(shell, sys.stderr)
    situation = situation_at(cwd)
    manager = PolicyManager(LayerOptions.of_process(cwd=situation.cwd))
    report_problems(manager.current().layers, sys.stderr)
    read = read_command(words if script is None else script, shell=shell)
    proposed = plan(read, manager.current().rulebook, situation, insist=True)
    opened = prefix is not None or (path is not None and not exact)
    target = manager.options.default_rules if opened else manager.options.own_rules
    answer = _Answer(path if path is not None else target or "", dry_run)
    sure = yes or dry_run
    chosen: list[Grant] = []
    writes = [rule for rule in proposed.writes if sure or _may_save(rule)]
    for proposal in proposed.proposals:
        if prefix is not None and proposal.known and prefix > len(proposal.known) and script is None:
            raise click.UsageError(
                f"`{proposal.shown}` has {len(proposal.known)} words that can be saved, not {prefix}"
            )
        grant, why = _grant_for(proposal, prefix, opened=opened)
        if not sure:
            grant = _ask(proposal, grant, manager, situation, offers=not opened and not exact)
        if grant is not None:
            chosen.append(grant)
        elif why is not None:
            answer.refused.append(f"no rule for `{proposal.shown}`: {why}")
        else:
            click.echo(visible(f"nothing was saved for `{proposal.shown}`"), err=True)
    book = manager.current().rulebook.with_statements(*writes)
    if sure and outcome(read, chosen, book, situation).decision is not Decision.ALLOW:
        chosen, writes = [], []  # not confirmed by a person: saves nothing that would not help anyway
    warnings = _say_what_it_covers(chosen, answer, manager, situation) if sure else []
    if dry_run:
        answer.saved = [(answer.path, line) for line in (*map(render, writes), *[grant.line() for grant in chosen])]
        verdict = outcome(read, chosen, book, situation)
    else:
        _save(chosen, writes, answer, manager, path)
        # judged again under the rules read back from the files, as proof
        verdict = judge_script(read, manager.current().rulebook, situation)
    answer.decision = verdict.decision
    if verdict.decision is not Decision.ALLOW:
        answer.obstacles += obstacles(verdict) if answer.saved or answer.present else proposed.obstacles
    _print(answer, warnings, output)
    return OK if answer.decision is Decision.ALLOW and not answer.refused else PROBLEM


def _grant_for(proposal: Proposal, prefix: int | None, *, opened: bool) -> tuple[Grant | None, str | None]:
    """The rule that the options ask for, or the reason that it cannot be saved."""
    if opened:
        grant, why = (Grant(proposal.known[:prefix]) if proposal.known else None), proposal.refused
    else:
        grant, why = proposal.exact, proposal.why_not_exact
    why = why if grant is None else grant.why_not
    return (None if why is not None else grant), why


def _say_what_it_covers(
    grants: list[Grant], answer: _Answer, manager: PolicyManager, situation: Situation
) -> list[str]:
    """Show open rules that are saved without a question; return the warnings about the others."""
    warnings: list[str] = []
    for grant in grants:
        shown = preview(grant.pattern, manager.current().rulebook, situation, unless=grant.unless)
        careful = [_careful(grant.pattern, shown)] if shown.careful(grant.pattern) or shown.dangerous else []
        answer.broad += careful
        if grant.is_exact:
            warnings += careful
        else:
            _show(grant, shown, manager, err=True)
    return warnings


def _may_save(rule: WriteRule) -> bool:
    """Show a rule for a file and ask about it."""
    click.echo(visible(f"{render(rule)}\n  allows: what every allowed command writes there"))
    return click.confirm("save it?", default=False)


def _save(
    grants: list[Grant], writes: list[WriteRule], answer: _Answer, manager: PolicyManager, path: str | None
) -> None:
    exact: list[PrefixRule | WriteRule] = [*writes]
    exact += [grant.rule() for grant in grants if grant.is_exact]
    if exact:
        answer.add(manager.save_rules(*exact, path=path))
    opened = [grant.pattern for grant in grants if not grant.is_exact]
    if opened:
        answer.add(manager.amend(*opened, path=path))


def _ask(
    proposal: Proposal, grant: Grant | None, manager: PolicyManager, situation: Situation, *, offers: bool
) -> Grant | None:
    """The rule that the person agrees to: ``grant`` or, if the call ``offers`` it, the usual prefix."""
    prefix = proposal.reusable or (None if proposal.complete else proposal.known)
    wider = Grant(prefix) if offers and prefix is not None else None
    offered = {"y": grant, "p": None if wider is None or wider.why_not is not None else wider}
    rulebook = manager.current().rulebook
    for key, one in offered.items():
        if one is None:
            continue
        if key == "p":
            click.echo(visible(f"p = every command that starts with `{join(one.pattern)}`:"))
        _show(one, preview(one.pattern, rulebook, situation, unless=one.unless), manager)
    keys = [key for key, one in offered.items() if one is not None]
    if not keys:
        return None
    if keys == ["y"]:
        return grant if click.confirm("save it?", default=False) else None
    names = ", ".join([{"y": "(y)es", "p": "(p)refix"}[key] for key in keys] + ["(n)o"])
    reply = click.prompt(f"save it? {names}", type=click.Choice([*keys, "n"]), default="n")
    return offered.get(reply)


def _show(grant: Grant, shown: Preview, manager: PolicyManager, *, err: bool = False) -> None:
    """Print the coverage of ``grant``, its most dangerous extension first."""
    tokens = grant.pattern
    click.echo(visible(grant.line()), err=err)
    careful = shown.careful(tokens)
    if careful is not None:
        click.echo(visible(f"  careful: {careful}"), err=err)
    for title, examples in (
        ("  allows", shown.covered),
        ("  still asks", shown.not_covered),
        ("  still forbids", shown.forbidden),
        ("  also allows, and that is dangerous", shown.dangerous),
    ):
        if examples:
            click.echo(visible(f"{title}: {' · '.join(examples)}"), err=err)
    restricted = still_restricted(tokens, manager.current().rulebook)
    if [words for words, _ in restricted] == [tokens]:
        click.echo(
            visible(f"  changes nothing: another rule says {restricted[0][1].word} to all that it would allow"), err=err
        )
    elif restricted:
        still = " · ".join([f"{join(words)} ({decision.word})" for words, decision in restricted])
        click.echo(visible(f"  other rules still decide: {still}"), err=err)


def _careful(tokens: tuple[str, ...], shown: Preview) -> str:
    """The warning about a rule that was saved without a question."""
    careful = shown.careful(tokens)
    if careful is not None:
        return careful
    line = join(tokens)
    dangerous = f"`{shown.dangerous[0]}`"
    return f"{dangerous} is dangerous" if line == shown.dangerous[0] else f"`{line}` also allows {dangerous}: dangerous"


def _print(answer: _Answer, warnings: list[str], output: str) -> None:
    if output == "json":
        write_line(sys.stdout, dumps(answer.to_json()))
    else:
        word = "would be saved" if answer.dry_run else "saved"
        for path, line in answer.saved:
            write_line(sys.stdout, visible(f"{word} in {path}: {line}"))
        for path, line in answer.present:
            write_line(sys.stdout, visible(f"already in {path}: {line}"))
    for problem in (*answer.refused, *answer.obstacles, *warnings):
        click.echo(visible(f"warning: {problem}"), err=True)
    if answer.decision is not Decision.ALLOW:
        nothing = "" if answer.saved else "nothing was saved, and "
        click.echo(f"{nothing}the command is still not allowed: {answer.decision.word}", err=True)
    elif not answer.saved and not answer.present and output == "text":
        write_line(sys.stdout, "nothing was saved: it is allowed already")


@click.command(name="undo", context_settings={"allow_interspersed_args": False})
@RULE_FILE
@FORMAT
@click.argument("words", nargs=-1, type=COMMAND_WORD, metavar="[--] [COMMAND...]")
def undo_command(path: str | None, output: str, words: tuple[str, ...]) -> int:
    """Remove the rules that were saved last, in whichever file, or the allow rules for exactly the words of COMMAND.

    Only lines as `allow`, `network`, `replay --accept` or an approval wrote them are removed; anything else in the file
    stays as it is. Exits with 1 if there is no such line.

    \b
    Examples:
      $ execpolicy undo
      $ execpolicy undo -- git push
    """
    manager = PolicyManager(LayerOptions.of_process())
    script = script_of(words, None, None, sys.stderr)
    commands = _commands_of(script) if script is not None else [words] if words else []
    removed = manager.undo_by_file(*commands, path=path)
    if output == "json":
        lines = [line for found in removed.values() for line in found]
        files = {file: list(found) for file, found in removed.items()}
        write_line(sys.stdout, dumps({"path": next(iter(removed)), "removed": lines, "files": files}))
    else:
        for file, found in removed.items():
            for line in found:
                write_line(sys.stdout, visible(f"removed from {file}: {line}"))
    return 0


def _commands_of(script: str) -> list[tuple[str, ...]]:
    """The commands that ``allow`` saves rules for: their words up to the first dynamic one."""
    argvs = [command.argv() for command in read_command(script).commands]
    return [tuple([word for word in takewhile(lambda word: word is not None, argv) if word]) for argv in argvs if argv]


_DECISIONS = {"allow": Decision.ALLOW, "deny": Decision.FORBIDDEN, "prompt": Decision.PROMPT}


@click.command(name="network")
@click.argument("decision", type=click.Choice(list(_DECISIONS)))
@click.argument("host")
@click.option(
    "--protocol",
    type=click.Choice(list(PROTOCOLS)),
    default="https",
    show_default=True,
    help="What is spoken with the host.",
)
@click.option("--justification", metavar="TEXT", help="The reason, shown when a command asks or is refused.")
@RULE_FILE
@FORMAT
def network_command(
    decision: str, host: str, protocol: str, justification: str | None, path: str | None, output: str
) -> int:
    """Save a rule for connections to HOST in the user's default.rules.

    HOST is a name or an address, without scheme, path or wildcard. The last rule for a host counts. Exits
    with 1 if the rule is saved but not in force.

    \b
    Examples:
      $ execpolicy network allow api.github.com
      $ execpolicy network deny tracker.example.com --protocol http
    """
    manager = PolicyManager(LayerOptions.of_process())
    done = manager.amend_network(host, protocol, _DECISIONS[decision], justification, path=path)
    saved = [line for line in done.appended.text.split("\n") if line]
    if output == "json":
        body = {"path": done.appended.path, "saved": saved, "notInForce": done.not_in_force}
        write_line(sys.stdout, dumps(body))
    else:
        for line in done.appended.lines:
            word = "saved in" if line in saved else "already in"
            write_line(sys.stdout, visible(f"{word} {done.appended.path}: {line}"))
    for problem in (done.warning, done.not_in_force and f"the rule is saved, but not in force: {done.not_in_force}"):
        if problem:
            click.echo(visible(f"warning: {problem}"), err=True)
    return OK if done.not_in_force is None else PROBLEM
