"""Renders a statement as the line that an amendment writes, byte for byte as Codex 0.169 to 0.171 writes it."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_host, normalise_protocol
from execpolicy.core.path_rules import WriteRule
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.text import is_blank
from execpolicy.errors import InvalidRuleError

_ESCAPES = {
    **{number: f"\\u{number:04x}" for number in range(0x20)},
    ord('"'): '\\"',
    ord("\\"): "\\\\",
    ord("\b"): "\\b",
    ord("\f"): "\\f",
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
}
"""JSON's escapes as Rust's ``serde_json`` spells them; all of them mean the same in Starlark."""

_NETWORK_WORDS = ("allow", "prompt", "deny")


def render_prefix_rule(tokens: Sequence[str], *, unless: Sequence[str] = ()) -> str:
    """The line, without its line ending, that allows every argv that starts with ``tokens``.

    Args:
        unless: the exclusions of an allow rule; Codex has no such argument.

    Raises:
        InvalidRuleError: there is no token, or one of them is not Unicode text.
    """
    if not tokens:
        raise InvalidRuleError("prefix rule requires at least one token")
    words = ", ".join([_string(token) for token in tokens])
    line = f'prefix_rule(pattern=[{words}], decision="allow"'
    return line + (f", unless={render_strings(unless)})" if unless else ")")


def render_network_rule(host: str, protocol: str, decision: Decision, justification: str | None = None) -> str:
    """The line, without its line ending, for connections to ``host``; *forbidden* is written ``deny``.

    Raises:
        InvalidRuleError: the host, the protocol or the justification is invalid in a rule file.
    """
    name = normalise_protocol(protocol)
    if justification is not None and is_blank(justification):
        raise InvalidRuleError("invalid rule: justification cannot be empty")
    return _network_line(normalise_host(host), name, decision, justification)


def render(statement: PrefixRule | NetworkRule | HostExecutable | WriteRule) -> str:
    """The line, without its line ending, that defines ``statement``; its place is lost.

    Raises:
        InvalidRuleError: a token is not Unicode text.
    """
    if isinstance(statement, PrefixRule):
        positions = statement.pattern.positions()
        words = ", ".join([_string(p[0]) if len(p) == 1 else render_strings(p) for p in positions])
        line = f'prefix_rule(pattern=[{words}], decision="{statement.decision.word}"'
        if statement.justification is not None:
            line += f", justification={_string(statement.justification)}"
        line += ", canonical_matching=True" if statement.pattern.canonical_matching else ""
        line += f", unless={render_strings(statement.unless)}" if statement.unless else ""
        return line + (', spelling="exact")' if statement.exact else ")")
    if isinstance(statement, NetworkRule):
        rule = statement
        return _network_line(_host(rule.host), rule.protocol, rule.decision, rule.justification)
    if isinstance(statement, WriteRule):
        return f'write_rule(paths={render_strings(statement.paths)}, decision="{statement.decision.word}")'
    return f"host_executable(name={_string(statement.name)}, paths={render_strings(statement.paths)})"


def _network_line(host: str, protocol: str, decision: Decision, justification: str | None) -> str:
    word = _NETWORK_WORDS[decision.strictness]
    line = f'network_rule(host={_string(host)}, protocol="{protocol}", decision="{word}"'
    return line + (")" if justification is None else f", justification={_string(justification)})")


def _host(normalised: str) -> str:
    """A spelling of ``normalised`` that reads back as itself: text of the form ``name:port`` gets brackets."""
    return normalised if normalise_host(normalised) == normalised else f"[{normalised}]"


def render_strings(tokens: Sequence[str]) -> str:
    """A list of texts as a statement contains it.

    Raises:
        InvalidRuleError: a token is not Unicode text.
    """
    return f"[{', '.join([_string(token) for token in tokens])}]"


def _string(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidRuleError(
            "invalid rule: a token is not valid UTF-8",
            help="a rule file is UTF-8 text; this command cannot be written into one",
        ) from error
    return f'"{text.translate(_ESCAPES)}"'
