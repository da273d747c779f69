"""A baseline: findings that a large set of rules has today, so that only new ones are reported.

A finding is known by its file, its code and the text of the line it points at, not by the number of that line: rules
that move stay known. What keeps a file from loading is never part of a baseline.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from execpolicy.atomic_write import write_whole
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import UsageError
from execpolicy.safe_open import read_named

_VERSION = 1
_Key: TypeAlias = tuple[str, str, str]
"""Path from the folder of the baseline, code, text of the line."""


class Sifted(NamedTuple):
    """Findings against a baseline.

    Attributes:
        new: those that it does not hold.
        known: how many it holds.
        gone: how many of its entries match nothing any more.
    """

    new: list[Diagnostic]
    known: int
    gone: int


def sift(found: Iterable[Diagnostic], path: str) -> Sifted:
    """``found`` without what the baseline in ``path`` holds.

    Raises:
        UsageError: it cannot be read.
    """
    left = _read(path)
    new: list[Diagnostic] = []
    known = 0
    for each in found:
        key = _key(each, path)
        if _may_stand(each) and left[key] > 0:
            left[key] -= 1
            known += 1
        else:
            new.append(each)
    return Sifted(new, known, left.total())


def write_baseline(found: Iterable[Diagnostic], path: str) -> int:
    """Write a baseline of ``found`` to ``path``; how many findings it holds.

    Raises:
        UsageError: it cannot be written.
    """
    counts = Counter([_key(each, path) for each in found if _may_stand(each)])
    entries = [
        {"path": key[0], "code": key[1], "text": key[2], "count": count} for key, count in sorted(counts.items())
    ]
    text = json.dumps({"version": _VERSION, "findings": entries}, indent=2, ensure_ascii=False) + "\n"
    try:
        write_whole(path, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UsageError(f"cannot write the baseline `{path}`: {error.strerror}") from None
    return counts.total()


def _may_stand(found: Diagnostic) -> bool:
    return not found.code.startswith("EP0") or found.code == "EP009"


def _key(found: Diagnostic, path: str) -> _Key:
    shown = os.path.relpath(os.path.abspath(found.path), os.path.dirname(os.path.abspath(path)))
    line = found.source.line(found.line).strip() if found.source is not None and found.line else ""
    return shown, found.code, line


def _read(path: str) -> Counter[_Key]:
    try:
        body: Any = json.loads(read_named(path))
        if body["version"] != _VERSION:
            raise UsageError(f"the baseline `{path}` is of version {body['version']}; this program reads {_VERSION}")
        return Counter({(each["path"], each["code"], each["text"]): int(each["count"]) for each in body["findings"]})
    except OSError as error:
        raise UsageError(f"cannot read the baseline `{path}`: {error.strerror}; --write-baseline makes one") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"`{path}` is no baseline: --write-baseline makes one") from None
