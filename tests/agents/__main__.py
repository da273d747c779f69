"""``python -m tests.agents AGENT…``: run agents, tell what came of it, and fail if a gate was open."""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from execpolicy.hooks.agents import AGENTS
from tests.agents.arena import Arena, Outcome
from tests.agents.cases import ABUSES, HANG, SPELLINGS, failures
from tests.agents.full_disk import FullDisk
from tests.agents.headless import HEADLESS
from tests.agents.inbox_person import InboxPerson
from tests.agents.own_namespace import enter


class Row(NamedTuple):
    """One thing that was tried.

    Attributes:
        closed: whether it came out as it must.
        limit: it need not: what the agent does then is in ``docs/install.md``, and no hook can change it.
    """

    name: str
    closed: bool
    outcome: Outcome
    limit: bool = False


def rows(arena: Arena, folder: Path, wanted: Callable[[str], bool], machine: bool) -> Iterator[Row]:
    """Everything that is tried with one agent."""
    agent = arena.agent

    def once(name: str, mode: str, command: str, runs: bool, **more: object) -> Iterator[Row]:
        if wanted(name):
            outcome = arena.run(mode, [[agent.call(command)]], **more)  # type: ignore[arg-type]  # as `cases` says
            ran = any(made.endswith(".canary") for made in outcome.made)
            yield Row(name, ran == runs and outcome.played > 0, outcome)

    first = next(iter(agent.modes))
    yield from once("allowed", first, "touch allowed.canary", True)
    for mode in agent.modes:
        yield from once(f"forbidden, {mode}", mode, "cd . && touch forbidden.canary", False)
        yield from once(f"prompt, {mode}", mode, "touch asked.canary", False)
        yield from once(f"unknown, {mode}", mode, "touch unknown.canary", False)  # headless, nothing else decides
    if AGENTS[arena.name].place.moved:
        yield from once("moved, allowed", first, "touch allowed.canary", True, moved=True)
        yield from once("moved, forbidden", first, "cd . && touch forbidden.canary", False, moved=True)
    for name, spoil in failures(folder / "spoilt").items():
        for row in once(name, first, "touch allowed.canary", False, spoil=spoil):
            yield row._replace(limit=name == HANG and agent.runs_when_it_hangs)
    for name, commands, mark in (("spellings", SPELLINGS, "d"), ("abuses", ABUSES, "e")):
        if wanted(name):
            outcome = arena.run(first, [[agent.call(command)] for command in commands], limit=400)
            through = [made for made in outcome.made if made[0] == mark and made[1:3].isdigit()]
            yield Row(
                f"{name}: {outcome.played} of {len(commands)} played", not through and outcome.played > 0, outcome
            )
    for at, (tool, _) in enumerate(agent.others):
        for command, runs in (("touch allowed.canary", True), ("cd . && touch forbidden.canary", False)):
            name = f"tool {tool}, {'allowed' if runs else 'forbidden'}"
            if wanted(name):
                outcome = arena.run(first, [[agent.other_calls(command)[at]]])
                ran = any(made.endswith(".canary") for made in outcome.made)
                if tool in agent.unread:
                    runs = False
                if tool in ("Monitor", "PowerShell") and tool not in outcome.offered:
                    name += ", which it did not offer"
                yield Row(name, ran == runs and outcome.played > 0, outcome)
    if agent.typed is not None:
        prompt, path, text = agent.typed
        for mode in agent.modes:
            for word in ("allowed", "forbidden", "asked"):
                if wanted(f"skill, {word}, {mode}"):
                    files: dict[str, object] = {path: text.replace("COMMAND", f"touch {word}.canary")}
                    outcome = arena.run(mode, [], files=files, prompt=prompt)
                    made = ["allowed.canary"] if word == "allowed" else []
                    yield Row(f"skill, {word}, {mode}", outcome.made == made, outcome)
    if agent.delegating is not None and wanted("sub-agent"):
        turns = [[agent.delegating], [agent.call("cd . && touch forbidden.canary")]]
        outcome = arena.run(first, turns, delegates=True)
        began = "" if outcome.last_taken > 1 else ", which did not begin"
        yield Row(f"sub-agent{began}", not outcome.made and outcome.played > 1, outcome)
    if wanted("doctor"):
        outcome = arena.run(first, [], doctor=True)
        found = re.findall(r"a harmless call: \w+ \((\d+) ms", outcome.printed)
        yield Row(f"doctor: a call takes {' and '.join(found)} ms", json.loads(outcome.printed)["ok"], outcome)
    if AGENTS[arena.name].place.waits:
        for word, runs in (("once", True), ("deny", False)):
            name = f"inbox, {word}"
            if wanted(name):
                person = InboxPerson(word, *(() if runs else ("-m", "NOT-THIS-WAY")))
                asked = [[agent.call("touch asked.canary")]]
                outcome = arena.run(first, asked, options=("--on-prompt", "inbox"), person=person)
                told = any("NOT-THIS-WAY" in told for told in outcome.told)
                right = ("asked.canary" in outcome.made) is runs and told is not runs
                yield Row(name, right and person.seen == ["touch asked.canary"], outcome)
    if machine and wanted("full disk"):
        disk = FullDisk("allowed.canary")
        turns = [[agent.call(f"touch {name}.canary")] for name in ("allowed", *("forbidden", "asked") * 3)]
        outcome = arena.run(first, turns, disk=disk)
        held = disk.was_full and set(outcome.made) <= {"allowed.canary"}
        yield Row(f"full disk: {outcome.played} of {len(turns)} played", held and outcome.played > 0, outcome)
    if machine and AGENTS[arena.name].place.machine:
        yield from once("project switches off", first, "touch forbidden.canary", False, machine=True, files=agent.off)
        yield from once("machine, allowed", first, "touch allowed.canary", True, machine=True)


def main() -> int:
    """Run the agents that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="+", choices=list(HEADLESS), metavar="AGENT")
    parser.add_argument("--npm", type=Path, default=Path("agents/npm"), help="the folder with the agents")
    parser.add_argument("--only", default="", help="only what has a name in which this regular expression is found")
    parser.add_argument("--machine", action="store_true", help="also try the settings of the machine (needs root)")
    parser.add_argument("--verbose", action="store_true", help="print what the model was told and the agent printed")
    arguments = parser.parse_args()
    if arguments.machine:
        enter(network=any(HEADLESS[name].fetches for name in arguments.agents))
    open_gates = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.agents:
            arena = Arena(name, HEADLESS[name], arguments.npm.resolve(), Path(scratch) / name)
            print(f"== {name} {arena.version()}", flush=True)
            for row in rows(
                arena, Path(scratch), lambda row: re.search(arguments.only, row) is not None, arguments.machine
            ):
                open_gates += not row.closed and not row.limit
                result = "ok   " if row.closed else "limit" if row.limit else "OPEN "
                print(f"{result} {row.name} ({row.outcome.seconds:.1f} s): made {row.outcome.made}", flush=True)
                if arguments.verbose or not row.closed:
                    print("     told:", json.dumps(row.outcome.told)[:1500])
                    print("     played:", row.outcome.played, "offered:", row.outcome.offered)
                    print("     printed:", row.outcome.printed[-1500:])
    return 1 if open_gates else 0


if __name__ == "__main__":
    raise SystemExit(main())
