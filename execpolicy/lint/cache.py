"""What is kept from one look at some rule files to the next, for files that are looked at again after each key.

It is known by its content, never by its place or age: with it or without it every answer is the same.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from execpolicy.errors import InvalidRuleError
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.file_limits import DEFAULT
from execpolicy.lang.literal import record_literal
from execpolicy.lang.scan import exceeded_limit
from execpolicy.lang.statements import Built, build
from execpolicy.source import Place, Source

_Calls: TypeAlias = dict[tuple[int, str], tuple[Built, Place]]
"""By line and text."""


Kind: TypeAlias = Literal["contradiction", "duplicate", "subsumed", "inert"]
"""Why a rule is idle."""


class KnownCoverage(NamedTuple):
    """What is known of the rules of one program, each meant by its place among them.

    Attributes:
        idle: of an idle rule why, the rules that decide, and whether by meaning.
        alternatives: of a rule its idle alternatives: position, token, the rules that decide, whether by meaning.
    """

    idle: dict[int, tuple[Kind, tuple[int, ...], bool]]
    alternatives: dict[int, list[tuple[int, str, tuple[int, ...], bool]]]


class Kept:
    """What the last look found out, nothing older.

    Attributes:
        coverage: what :mod:`execpolicy.lint.coverage` found out about the rules of one program, by what they say.
    """

    def __init__(self) -> None:
        self.coverage: dict[object, KnownCoverage] = {}
        self._calls: dict[str, _Calls] = {}  # by file

    def built(self, tree: SyntaxTree) -> list[tuple[Built, Place]] | None:
        """What evaluating the text of ``tree`` defines; ``None`` where it holds more than whole calls without fault."""
        source = tree.source
        if any(node.kind != "rule_call" for node in tree.nodes) or len(tree.nodes) > DEFAULT.statements:
            return None
        if exceeded_limit(source.text, DEFAULT) is not None:
            return None
        before = self._calls.get(source.name, {})
        kept: _Calls = {}
        found: list[tuple[Built, Place]] = []
        for call in tree.calls:
            key = tree.position(call.start)[0], call.text
            one = before.get(key) or _read(source, *key)
            if one is None:
                return None
            kept[key] = one
            found.append(one)
        self._calls[source.name] = kept
        return found


def _read(source: Source, line: int, text: str) -> tuple[Built, Place] | None:
    """The call ``text``, which stands in ``line``; ``None`` if only an evaluation of the whole says what is wrong."""
    recording = record_literal(text)
    if recording is None or len(recording.calls) != 1:
        return None
    place = Place(source.name, line)
    try:
        return build(recording.calls[0], place), place
    except InvalidRuleError:
        return None
