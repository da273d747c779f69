"""``execpolicy list``: the effective rules, layer by layer."""

from __future__ import annotations

import sys
from typing import Any

import click

from execpolicy.cli.layer_arguments import FORMAT, RULES, layer_options
from execpolicy.cli.loading import report_problems
from execpolicy.cli.output import OK, PROBLEM, dumps, write_line
from execpolicy.core.decision import Decision
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.text import canonical
from execpolicy.diagnostics.render_text import visible
from execpolicy.lang.render import render
from execpolicy.layers.layer import Layer, LoadedLayers, LoadedRule
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.layers.layer import LoadedRule


@click.command(name="list")
@RULES
@click.option("--all", "everything", is_flag=True, help="Show the entries of the built-in layer, too.")
@layer_options
@FORMAT
def command(everything: bool, layers: LayerOptions, output: str) -> int:
    """Show the rules in force: layer, file, line, and what has no effect and why.

    Exits with 1 if a rule file is broken; the rules of the other files are listed all the same.

    \b
    Examples:
      $ execpolicy list
      $ execpolicy list --format json | jq '.rules[] | select(.decision == "forbidden")'
    """
    if click.get_current_context().params["mode"] is None:  # a broken file that was named is listed, too
        layers = layers.replaced(mode="isolated")
    loaded = load_layers(layers)
    report_problems(loaded, sys.stderr)
    if output == "json":
        write_line(sys.stdout, dumps(_as_json(loaded), pretty=True))
    else:
        for line in _as_text(loaded, everything=everything):
            write_line(sys.stdout, line)
    return PROBLEM if loaded.errors() else OK


def _as_json(loaded: LoadedLayers) -> dict[str, Any]:
    why = overridden(loaded.rules)
    return {
        "layers": [_layer(layer) for layer in loaded.layers],
        "rules": [_rule(rule, rule.inert or why.get(at)) for at, rule in enumerate(loaded.rules)],
        "ignored": [{"path": found.path, "reason": found.reason} for found in loaded.ignored],
        "failClosed": loaded.fail_closed,
        "contentHash": loaded.content_hash,
    }


def _layer(layer: Layer) -> dict[str, Any]:
    body: dict[str, Any] = {
        "name": layer.name,
        "folder": layer.folder,
        "trusted": layer.trusted,
        "enabled": layer.enabled,
    }
    if layer.reason is not None:
        body["reason"] = layer.reason
    return body


def _rule(rule: LoadedRule, inert: str | None) -> dict[str, Any]:
    statement = rule.statement
    decision = getattr(statement, "decision", None)
    place = statement.place
    body: dict[str, Any] = {
        "layer": rule.layer.name,
        "trusted": rule.layer.trusted,
        "path": rule.path,
        "line": place.line if place is not None else 0,
        "kind": _kind(statement),
        "decision": decision.word if decision is not None else None,
        "rule": rule_words(statement),
        "effective": inert is None,
    }
    if inert is not None:
        body["reason"] = inert
    return body


def _kind(statement: object) -> str:
    if isinstance(statement, PrefixRule):
        return "prefix_rule"
    if isinstance(statement, NetworkRule):
        return "network_rule"
    if isinstance(statement, HostExecutable):
        return "host_executable"
    return str(getattr(statement, "kind", "write_rule"))


def rule_words(statement: Any) -> str:
    """The statement on one line; entries by name."""
    if isinstance(statement, (PrefixRule, NetworkRule, HostExecutable)):
        return render(statement)
    kind = _kind(statement)
    if kind in ("write_rule", "read_rule"):
        return f'{kind}(paths={dumps(list(statement.paths))}, decision="{statement.decision.word}")'
    return f"{kind}(name={dumps(statement.name)}, …)"


def _as_text(loaded: LoadedLayers, *, everything: bool) -> list[str]:
    why = overridden(loaded.rules)
    lines: list[str] = []
    for layer in loaded.layers:
        rules = [(at, rule) for at, rule in enumerate(loaded.rules) if rule.layer is layer]
        notes = "" if layer.reason is None else f" ({layer.reason})"
        named = ", ".join([file.path for file in loaded.files if file.layer is layer])
        where = layer.folder if layer.folder is not None else named or "in memory"
        state = "" if layer.enabled else ", not in force"
        lines.append(visible(f"{layer.name}: {where}{state}{notes}"))
        if layer.name == "built-in" and not everything:
            lines.append(f"  {len(rules)} entries; show them with --all")
            continue
        for at, rule in rules:
            reason = rule.inert or why.get(at)
            lines.append(
                visible(f"  {_place(rule)}  {rule_words(rule.statement)}" + (f"  # {reason}" if reason else ""))
            )
    lines += [visible(f"not read: {found.path}: {found.reason}") for found in loaded.ignored]
    if loaded.fail_closed:
        lines.append("a rule file could not be read: nothing is allowed unless a rule allows it")
    return lines


def _place(rule: LoadedRule) -> str:
    place = rule.statement.place
    return f"{rule.path}:{place.line}" if place is not None and place.line else rule.path


def overridden(rules: Sequence[LoadedRule]) -> dict[int, str]:
    """Index into ``rules`` to the reason, for each effective rule that another effective rule overrides.

    A prefix rule is overridden by a stricter one that matches every command it matches. A host executable and a
    heuristic entry are overridden by a later one of the same name.
    """
    found: dict[int, str] = {}
    by_program: dict[str, list[PrefixRule]] = {}
    named: dict[tuple[str, str], int] = {}
    for at, loaded in enumerate(rules):
        statement = loaded.statement
        if loaded.inert is not None:
            continue
        if isinstance(statement, PrefixRule):
            if statement.decision is not Decision.ALLOW:
                by_program.setdefault(canonical(statement.pattern.first), []).append(statement)
            continue
        kind = "host_executable" if isinstance(statement, HostExecutable) else getattr(statement, "kind", "")
        key = (kind, getattr(statement, "name", ""))
        if not key[1]:
            continue  # each rule for files counts
        if key in named:
            found[named[key]] = f"replaced by {statement.place}"
        named[key] = at
    for at, loaded in enumerate(rules):
        statement = loaded.statement
        if loaded.inert is None and isinstance(statement, PrefixRule):
            for other in by_program.get(canonical(statement.pattern.first), ()):
                if other.decision > statement.decision and _covers(other.pattern, statement.pattern):
                    found[at] = f"overridden: {other.place} says {other.decision.word}"
                    break
    return found


def _covers(wide: PrefixPattern, narrow: PrefixPattern) -> bool:
    """True if ``wide`` matches every argv that ``narrow`` matches."""
    if narrow.canonical_matching and not wide.canonical_matching:
        return False
    if len(wide) > len(narrow):
        return False
    positions = narrow.positions()
    return all(wide.accepts(at, token) for at in range(len(wide)) for token in positions[at])
