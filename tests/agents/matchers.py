"""Imported permissions against the agents' own matchers: ``python -m tests.agents.matchers gemini --npm FOLDER``.

Settings and commands are generated; the agent's own code says what it would do with each, and the rules that
``execpolicy import`` makes of the settings must not allow what it does not. ``--record FILE`` keeps what was said, in
the form of ``tests/data/exchange``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from execpolicy.core.decision import Decision
from tests.agents.headless import HEADLESS
from tests.property.test_import_laws import BARE, CASES, PROGRAMS, WORDS, command, decided, imported
from tests.unit.exchange.test_recorded_agents import WRAPPED

Asked = list[tuple[str, list[str]]]
"""Settings, and the commands that are tried under them."""

_GEMINI = """\
import {readFileSync, readdirSync, writeFileSync, mkdtempSync} from "node:fs"
import {join} from "node:path"
const bundle = process.argv[2]
const core = await import(join(bundle, readdirSync(bundle).find((name) => /^core-.*[.]js$/.test(name))))
const answers = []
for (const [settings, commands] of JSON.parse(readFileSync(process.argv[3], "utf8"))) {
  const folder = mkdtempSync(join(process.argv[4], "policies-"))
  writeFileSync(join(folder, "user.toml"), settings)
  const {rules, errors} = await core.loadPoliciesFromToml([folder], () => 2)
  if (errors.length) throw new Error(JSON.stringify(errors))
  const engine = new core.PolicyEngine({rules, defaultDecision: "ask_user"})
  const said = []
  for (const command of commands)
    said.push((await engine.check({name: "run_shell_command", args: {command}}, undefined)).decision)
  answers.push(said)
}
writeFileSync(process.argv[5], JSON.stringify(answers))
process.exit(0)
"""
"""Its policy engine is in its package, as a module of its own."""


def _ask_gemini(npm: Path, asked: Asked) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as scratch:
        script, question, answer = (Path(scratch, name) for name in ("ask.mjs", "asked.json", "answered.json"))
        script.write_text(_GEMINI)
        question.write_text(json.dumps(asked))
        bundle = (npm / HEADLESS["gemini"].program).parent
        argv = ["node", str(script), str(bundle), str(question), scratch, str(answer)]
        environment = {"PATH": os.environ["PATH"], "HOME": scratch}
        subprocess.run(argv, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found: list[list[str]] = json.loads(answer.read_text())
    return [["ask" if one == "ask_user" else one for one in said] for said in found]


def _ask_codex(npm: Path, asked: Asked) -> list[list[str]]:
    program = str(npm / HEADLESS["codex"].program)
    answers = []
    with tempfile.TemporaryDirectory() as scratch:
        rules = Path(scratch, "default.rules")
        for settings, commands in asked:
            rules.write_text(settings)
            answers.append([])
            for each in commands:
                argv = [program, "execpolicy", "check", "--rules", str(rules), "--", *each.split()]
                done = subprocess.run(argv, capture_output=True, check=True, env={"HOME": scratch})
                answers[-1].append(json.loads(done.stdout).get("decision", "none"))
    return answers


def _of_codex(chance: random.Random, actions: Any) -> list[str]:
    del actions
    decisions = ("allow", "allow", "prompt", "forbidden")
    rules = []
    for _ in range(chance.randrange(1, 6)):
        words = command(chance).split()[: chance.randrange(1, 4)]
        rules.append(f"prefix_rule(pattern={json.dumps(words)}, decision={json.dumps(chance.choice(decisions))})\n")
    return rules


_MAKERS = {**CASES, "codex": (_of_codex, "".join, "default.rules")}
_ASKING: dict[str, Callable[[Path, Asked], list[list[str]]]] = {"gemini": _ask_gemini, "codex": _ask_codex}


def _spelled(chance: random.Random, plain: str) -> str:
    """``plain``, or with something of a shell around it: no matcher may be taken for laxer than it is."""
    form = chance.randrange(12)
    other = f"{chance.choice(PROGRAMS)} {chance.choice(WORDS)}"
    spelled = {0: f"{plain} && {other}", 1: f"{plain} | {other}", 2: f"{plain} > out", 3: f"{plain}; {other}"}
    spelled |= {4: f"FOO=1 {plain}", 5: f"{plain} $({other})", 6: WRAPPED + plain}
    return spelled.get(form, plain)


def main() -> int:
    """Compare; tell what is laxer, and fail if the report of the import does not say so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="+", choices=list(_ASKING), metavar="AGENT")
    parser.add_argument("--npm", type=Path, required=True, help="the folder with the agents")
    parser.add_argument("--settings", type=int, default=100, help="how many settings are made")
    parser.add_argument("--commands", type=int, default=50, help="how many commands are tried under each")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--record", type=Path, help="keep what the agent said in this file")
    arguments = parser.parse_args()
    laxer = 0
    for agent in arguments.agents:
        settings_of, text_of, name = _MAKERS[agent]
        chance = random.Random(f"{agent} {arguments.seed}")
        asked: Asked = []
        for _ in range(arguments.settings):
            text = text_of(settings_of(chance, ("deny", "ask", "allow", "allow")))
            plain = [command(chance) for _ in range(arguments.commands)]
            asked.append((text, plain if agent == "codex" else [_spelled(chance, one) for one in plain]))
        said = _ASKING[agent](arguments.npm.resolve(), asked)
        allowed = compared = 0
        for (text, commands), answers in zip(asked, said, strict=True):
            rules, rulebook = imported(agent, text, name)
            alone = {found for loss in rules.losses for found in BARE.findall(loss.why)}
            told = {loss.text.split()[0] for loss in rules.losses if loss.level == "laxer"}
            for script, answer in zip(commands, answers, strict=True):
                ours = decided(rulebook, script)
                compared += 1
                allowed += ours is Decision.ALLOW
                known = script in alone or script.startswith(WRAPPED) or bool(told & {"deny", "ask"})
                if not known and (ours is Decision.ALLOW) > (answer == "allow"):
                    laxer += 1
                    print(f"LAXER {script!r}: {agent} {answer}, rules {ours.word}\n{text}\n{rules.text}")
                if answer in ("deny", "forbidden") and ours is not Decision.FORBIDDEN and not known:
                    laxer += 1
                    print(f"LAXER {script!r}: {agent} {answer}, rules {ours.word}\n{text}\n{rules.text}")
        its = sum(answer == "allow" for answers in said for answer in answers)
        both = f"it allows {its}, the rules {allowed}"
        print(f"{agent}: {compared} commands under {len(asked)} settings: {both}; {laxer} laxer")
        if arguments.record is not None:
            lines = [
                json.dumps({"settings": text, "cases": list(zip(commands, answers, strict=True))}) + "\n"
                for (text, commands), answers in zip(asked, said, strict=True)
            ]
            arguments.record.write_text("".join(lines))
    return 1 if laxer else 0


if __name__ == "__main__":
    raise SystemExit(main())
