"""What the makers of operation files share: one operation, which names promise secrets, and the form of a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

SECRET = re.compile(
    r"passwords?|passphrase|secret(?!.?(?:arn|id|name|s?-?list))|credential|private.?key|key.?material|pre.?signed|signed.?url"
    r"|auth.?token|access.?token|refresh.?token|session.?token|id.?token|bearer|api.?key.?value|key.?string"
    r"|connection.?string|user.?data|sas.?(?:token|url)|shared.?key|access.?key|primary.?key|secondary.?key|kubeconfig|license.?key"
    r"|publishing|plaintext|token.?value|login.?info",
    re.IGNORECASE,
)
"""In the name of an operation or of what it answers: something that opens doors."""


@dataclass(frozen=True)
class Operation:
    """One operation that only reads.

    Attributes:
        group: the words in front of its name.
        options: ``name`` for the flag ``--name``, ``name:`` for one with a value.
    """

    group: tuple[str, ...]
    name: str
    options: tuple[str, ...]


def listing(head: Iterable[str], operations: Iterable[Operation]) -> str:
    """The text of a file in ``grammar/operations``."""
    listed = sorted(set(operations), key=lambda each: (each.group, each.name))
    shared = Counter(_joined(each) for each in listed if each.options)
    numbered = {options: f"={at}" for at, (options, _) in enumerate(_worth_a_number(shared), 1)}
    lines = [f"# {line}".rstrip() for line in head]
    lines += [f"{number} {options}" for options, number in numbered.items()]
    group: tuple[str, ...] | None = None
    for each in listed:
        if each.group != group:
            group = each.group
            lines += ["", f"[{' '.join(group)}]"]
        options = _joined(each)
        lines.append(f"{each.name} {numbered.get(options, options)}".rstrip())
    return "\n".join(lines) + "\n"


def _joined(operation: Operation) -> str:
    return " ".join(sorted(operation.options, key=lambda option: option.rstrip(":")))


def _worth_a_number(shared: Counter[str]) -> list[tuple[str, int]]:
    return [(options, count) for options, count in shared.most_common() if count > 1 and len(options) > 8]
