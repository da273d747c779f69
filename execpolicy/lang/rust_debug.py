"""Values as Rust's ``{:?}`` prints them: Codex's messages about failing examples contain this text verbatim."""

from __future__ import annotations

from _collections_abc import Iterable

from execpolicy.core.matches import PrefixMatch
from execpolicy.core.rules import PrefixRule

_SHORT = {"\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def debug_str(text: str) -> str:
    """A string in double quotes; what cannot be printed as ``\\u{hex}``."""
    escaped = [
        _SHORT.get(char) or (char if char.isprintable() else f"\\u{{{ord(char):x}}}")
        for char in text
    ]  # fmt: skip
    return '"' + "".join(escaped) + '"'


def debug_list(items: Iterable[str]) -> str:
    """A list of strings."""
    return "[" + ", ".join([debug_str(item) for item in items]) + "]"


def _debug_option(text: str | None) -> str:
    return "None" if text is None else f"Some({debug_str(text)})"


def debug_rule(rule: PrefixRule) -> str:
    """``PrefixRule { pattern: …, decision: …, justification: … }``."""
    pattern = rule.pattern
    rest = [
        f"Single({debug_str(tokens[0])})" if len(tokens) == 1 else f"Alts({debug_list(tokens)})"
        for tokens in pattern.rest
    ]  # fmt: skip
    canonical = "true" if pattern.canonical_matching else "false"
    return (
        f"PrefixRule {{ pattern: PrefixPattern {{ canonical_matching: {canonical}, "
        f"first: {debug_str(pattern.first)}, rest: [{', '.join(rest)}] }}, "
        f"decision: {rule.decision.word.capitalize()}, justification: {_debug_option(rule.justification)} }}"
    )


def debug_match(match: PrefixMatch) -> str:
    """``PrefixRuleMatch { matched_prefix: …, decision: …, resolved_program: …, justification: … }``."""
    program = match.resolved_program
    resolved = "None" if program is None else f"Some(AbsolutePathBuf({debug_str(program)}))"
    return (
        f"PrefixRuleMatch {{ matched_prefix: {debug_list(match.prefix)}, "
        f"decision: {match.decision.word.capitalize()}, resolved_program: {resolved}, "
        f"justification: {_debug_option(match.rule.justification)} }}"
    )
