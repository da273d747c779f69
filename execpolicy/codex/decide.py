"""The full decision with the semantics of Codex: its own splitter, its rules, its notion of danger.

Also ``allow_login_shell`` in Codex's settings: true if a script may run in a login shell.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from execpolicy.codex.segments import codex_commands
from execpolicy.codex.shell_call import codex_argv
from execpolicy.core.decision import Decision
from execpolicy.core.matches import Evaluation, HeuristicsMatch, RuleMatch
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.layers.discover import config_files, discover
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.trust import read_toml


def allows_login_shell(options: LayerOptions) -> bool:
    """The value of ``allow_login_shell`` in the highest ``config.toml`` that sets it; trusted projects count."""
    layers, _ = discover(options.replaced(files=None, texts=None))
    folders = [os.path.dirname(layer.folder or "") for layer in layers if layer.name == "project" and layer.trusted]
    allowed = True
    for path in (*config_files(options), *[os.path.join(folder, "config.toml") for folder in folders]):
        table, _, _ = read_toml(path)
        value = (table or {}).get("allow_login_shell")
        allowed = value if isinstance(value, bool) else allowed
    return allowed


def decide_as_codex(
    command: str | Sequence[str],
    rulebook: Rulebook,
    situation: Situation,
    *,
    shell: str = "bash",
    login: bool | None = None,
) -> tuple[dict[str, Any], Decision]:
    """The JSON body and the decision. There is no approval policy, so that unmatched commands prompt."""
    argv = codex_argv(command, shell=shell, login=login)
    commands = []
    matches: list[RuleMatch] = []
    for segment in codex_commands(argv):
        found: tuple[RuleMatch, ...] = rulebook.policy.matches(segment, resolution=situation.resolution)
        if not found:
            found = (HeuristicsMatch(segment, Decision.PROMPT),)
        matches += found
        commands.append(
            {
                "argv": list(segment),
                "decision": (Evaluation(found).decision or Decision.PROMPT).word,
                "matchedRules": [match.to_json() for match in found],
                "span": None,  # Codex's own splitter reports no positions
            }
        )
    decision = Evaluation(tuple(matches)).decision or Decision.PROMPT
    body = {"decision": decision.word, "matchedRules": [match.to_json() for match in matches], "commands": commands}
    return body, decision
