"""The answer of ``split --jsonl`` for one script."""

from __future__ import annotations

from typing import Any

from execpolicy.shell.script import Script


def split_json(script: Script) -> dict[str, Any]:
    """``script`` as a JSON object: ``status``, ``reason`` (only when opaque) and ``commands``.

    Each command has ``argv`` (``null`` for a dynamic word), ``span`` (``[start, end)`` in code points), ``writes``
    (targets of redirections that write, ``null`` for a dynamic one), ``assignments`` (names) and ``context``.
    """
    answer: dict[str, Any] = {"status": script.status}
    if script.reason is not None:
        answer["reason"] = script.reason
    answer["commands"] = [
        {
            "argv": list(command.argv()),
            "span": [command.span.start, command.span.end],
            "writes": [redirect.target.literal for redirect in command.redirects if redirect.writes],
            "assignments": [assignment.name for assignment in command.assignments],
            "context": list(command.context),
        }
        for command in script.commands
    ]
    return answer
