"""Decisions of network rules about the hosts that the words of a command name."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.network import address_of, may_name, port_of, rules_for_command
from execpolicy.core.text import option_values
from execpolicy.judge.command_verdict import ConnectMatch
from execpolicy.programs import spellings
from execpolicy.programs.catalog import record_of
from execpolicy.programs.names import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.safety.locations import Location
    from execpolicy.shell.script import Command


def unreachable(locations: Sequence[Location], rulebook: Rulebook) -> str | None:
    """Returns why a command may not open the URLs ``locations``, or ``None`` if network rules allow every one."""
    for one in locations:
        rules = rules_for_command(rulebook.policy.network_rules, one.text)
        allowing = [rule for rule in rules if rule.grants and rule.decision is Decision.ALLOW]
        address = address_of(one.text)
        host = address[1] if address is not None else one.text
        if not allowing or len(allowing) < len([rule for rule in rules if rule.grants]):
            return f"it connects to `{host}`, which no network rule allows"
        port = port_of(one.text)
        if any(port in rule.ports_not for rule in allowing):
            return f"it connects to port {port} of `{host}`, which the network rule leaves out"
        if one.effect == "send" and not any(rule.sends for rule in allowing):
            return f"it sends data to `{host}`, which only a network rule with `sends = True` allows"
    return None


def restricted_connections(command: Command, facts: Facts, rulebook: Rulebook) -> list[ConnectMatch]:
    """The network rules that ask about or forbid a host that the words of ``command`` name, or may name."""
    rules = [rule for rule in rulebook.policy.network_rules if rule.decision is not Decision.ALLOW]
    if not rules or not command.words:
        return []

    found: dict[tuple[int, bool], ConnectMatch] = {}
    for view in spellings.restrict_views(command.words, facts):
        if view and view[0].literal is not None and _reaches(view[0].literal):
            texts = [word.literal[at:] for word in view[1:] if word.literal for at in option_values(word.literal)]
            for rule in rules:
                sure = any(rule in rules_for_command((rule,), text) for text in texts)
                if sure or any(may_name(text, rule.host) for text in texts):
                    found[id(rule), sure] = ConnectMatch(rule.host, rule, possible=not sure)
    return list(found.values())


def may_connect(command: Command, rulebook: Rulebook) -> str | None:
    """Returns why a program that an allow rule covers may reach a host that a network rule restricts, or ``None``."""
    if all(word.literal is not None for word in command.words):
        return None
    if all(rule.decision is Decision.ALLOW for rule in rulebook.policy.network_rules):
        return None
    if not _reaches(command.words[0].literal or ""):
        return None
    return "a word that is only known at run time may name a host that a network rule restricts"


def _reaches(program: str) -> bool:
    """True if the record of ``program`` says that it opens the URLs in its words."""
    record = record_of(base_name(program))
    return record is not None and record.reaches
