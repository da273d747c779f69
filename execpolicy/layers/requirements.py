"""The requirements overlay: rules that an administrator adds above every layer, and that can only tighten.

Source: Codex 0.169 to 0.171, reference section 3.6. ``prompt-user`` is a *prompt* that a person must answer, never an
automatic reviewer. It is loaded as an ordinary prompt rule, and ``LoadedLayers.human_only`` lists it.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.core.text import is_blank
from execpolicy.errors import InvalidRuleError
from execpolicy.layers.problems import BAD_REQUIREMENTS, problem
from execpolicy.layers.trust import read_toml
from execpolicy.shell.script import replace
from execpolicy.source import Place
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.diagnostics.model import Diagnostic

_DECISIONS = {"prompt": Decision.PROMPT, "prompt-user": Decision.PROMPT, "forbidden": Decision.FORBIDDEN}
_FIELDS = ("pattern", "decision", "justification", "canonical_matching")
_ALLOW = (
    "which is not permitted in requirements.toml: Codex merges these rules with other config and uses the most "
    "restrictive result (use 'prompt', 'prompt-user', or 'forbidden')"
)


@value
class Requirements:
    """The overlay as read.

    Attributes:
        text: the file, or ``None`` if there is none or it cannot be read.
        problem: the problem of the file; if there is one, there are no rules.
    """

    rules: tuple[PrefixRule, ...] = ()
    _: KW_ONLY
    text: str | None = None
    problem: Diagnostic | None = None


def read_requirements(path: str) -> Requirements:
    """The overlay in ``path``; empty if the file is missing."""
    table, text, found = read_toml(path)
    if table is None:
        return Requirements(problem=found)
    section = table.get("rules")
    if section is None:
        return Requirements(text=text)
    try:
        return Requirements(parse_requirements(section, path, text), text=text)
    except InvalidRuleError as error:
        help = "repair the overlay; until then nothing is allowed that no rule mentions"
        return Requirements(problem=problem(BAD_REQUIREMENTS, error.message, path, help=help))


def parse_requirements(section: object, path: str, text: str = "") -> tuple[PrefixRule, ...]:
    """The rules of a ``[rules]`` table.

    Args:
        text: the text of the file, for the line numbers of the rules.

    Raises:
        InvalidRuleError: in Codex's words, the first problem in its order: justification, pattern, tokens, decision.
    """
    if not isinstance(section, dict):
        raise InvalidRuleError("rules must be a table")
    _no_other_fields(section, ("prefix_rules",), "rules")
    entries = section.get("prefix_rules")
    if not isinstance(entries, list):
        raise InvalidRuleError("rules prefix_rules must be an array of tables")
    if not entries:
        raise InvalidRuleError("rules prefix_rules cannot be empty")
    rules: list[PrefixRule] = []
    lines = _lines(text, len(entries))
    for index, entry in enumerate(entries):
        where = f"rules prefix_rule at index {index}"
        if not isinstance(entry, dict):
            raise InvalidRuleError(f"{where} must be a table")
        _no_other_fields(entry, _FIELDS, where)
        justification = _text(entry, "justification", where)
        if justification is not None and is_blank(justification):
            raise InvalidRuleError(f"{where} has an empty justification")
        positions = _positions(entry.get("pattern"), where)
        word = _text(entry, "decision", where)
        if word is None:
            raise InvalidRuleError(f"{where} is missing a decision")
        if word == "allow":
            raise InvalidRuleError(f"{where} has decision 'allow', {_ALLOW}")
        decision = _DECISIONS.get(word)
        if decision is None:
            raise InvalidRuleError(
                f"{where} has the unknown decision '{word}' (use 'prompt', 'prompt-user', or 'forbidden')"
            )
        canonical = entry.get("canonical_matching", False)
        if not isinstance(canonical, bool):
            raise InvalidRuleError(f"{where} has a canonical_matching that is neither true nor false")
        for first in positions[0]:
            pattern = PrefixPattern(first, positions[1:], canonical_matching=canonical)
            place, human_only = Place(path, lines[index]), word == "prompt-user"
            rules.append(PrefixRule(pattern, decision, justification, place=place, human_only=human_only))
    return tuple(rules)


def _lines(text: str, count: int) -> list[int]:
    """The line of ``pattern`` in each of ``count`` entries, which the TOML parser does not report.

    Returns line 1 for all entries if the number of ``pattern`` keys in the text is not ``count``.
    """
    found: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split("#", 1)[0].replace("=", " = ").replace("{", " { ").replace(",", " , ").split()
        found += [number for at in range(len(words) - 1) if words[at : at + 2] == ["pattern", "="]]
    return found if len(found) == count else [1] * count


def _positions(pattern: object, where: str) -> tuple[tuple[str, ...], ...]:
    if pattern is None:
        raise InvalidRuleError(f"{where} has an empty pattern")
    if not isinstance(pattern, list):
        raise InvalidRuleError(f"{where} has a pattern that is not an array")
    if not pattern:
        raise InvalidRuleError(f"{where} has an empty pattern")
    positions: list[tuple[str, ...]] = []
    for index, token in enumerate(pattern):
        reason = _token_problem(token)
        if reason is not None:
            raise InvalidRuleError(f"{where} has an invalid pattern token at index {index}: {reason}")
        positions.append((token["token"],) if "token" in token else tuple(token["any_of"]))
    return tuple(positions)


def _token_problem(token: object) -> str | None:
    if not isinstance(token, dict) or not token.keys() <= {"token", "any_of"} or not token:
        return "set either token or any_of"
    if len(token) == 2:
        return "set either token or any_of, not both"
    if "token" in token:
        single = token["token"]
        if not isinstance(single, str):
            return "token must be a string"
        return "token cannot be empty" if is_blank(single) else None
    several = token["any_of"]
    if not isinstance(several, list) or not all(isinstance(word, str) for word in several):
        return "any_of must be an array of strings"
    if not several:
        return "any_of cannot be empty"
    return "any_of cannot include empty tokens" if any(is_blank(word) for word in several) else None


def _text(entry: dict[str, object], name: str, where: str) -> str | None:
    value = entry.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidRuleError(f"{where} has a {name} that is not a string")
    return value


def _no_other_fields(table: dict[str, object], known: tuple[str, ...], where: str) -> None:
    """Raises an error for an unknown field, because a misspelled field would silently drop a restriction."""
    for name in table:
        if name not in known:
            raise InvalidRuleError(f"{where} has the unknown field `{name}` (known: {', '.join(known)})")


def for_a_person(rule: PrefixRule) -> PrefixRule:
    """``rule``, marked so that no automatic reviewer may answer it."""
    return replace(rule, human_only=True)
