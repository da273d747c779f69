"""The operations of Azure's command line that only read, from the table of commands that it builds when it starts.

The table is a file, ``{command: {argument: {"options": [...], "action": "", "nargs": ""}}}``, written by a few lines
that load ``azure.cli.core.get_default_cli()`` with all commands and arguments, where azure-cli is installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.operations.listing import SECRET, Operation

READING = re.compile(r"(list|show|exists|query|search|version|list-.*|show-.*|get-.*|check-.*)$")
NOT_READING = re.compile(
    r"token|credential|passw|secret show|secret list-version|\bkeys?\b(?<!keyvault key)|-keys?\b"
    r"|connection|appsettings|publish|auth\b"
    r"|user-password|\bsas\b|appconfig kv|appconfig revision|storage entity|storage message"
    r"|storage queue metadata|cache |configure|login"
    r"|^config |^cloud |^account clear|^extension|^feedback|^interactive|^rest|^find|shared-key|kubeconfig"
    r"|logs?( |$)|log tail|get-upgrade-token"
    r"|profile show-|download|dump|local-context|self-test|demo|acr helm|acr repository|acr manifest"
    r"|acr check-health|acr webhook (get-config|list-events)|functions-core"
    r"|^container (list|show)|^resource show$|^batch (pool|job|task|job-schedule)( |$)|run-command"
    r"|(vm|vmss) extension (list|show)|linked-service|^sf application|apim backend|monitor action-group"
    r"|express-route (list|show)$|^containerapp( job| job execution| replica| revision)? (list|show)$"
)
"""In the words of a command: what opens doors, what is written, what shows values, variables of programs
among them."""
HARMFUL = re.compile(
    r"file|dest|endpoint|ur[il]\b|connection|key|token|debug|auth|verify|secret|password|credential|value"
    r"|folder|path|out|script|follow|user-data"
)
"""In the name of an option: another place, a file, or what an answer holds beside the plain."""


def operations(table: Path) -> Iterator[Operation]:
    """Those in the table of commands."""
    commands: dict[str, dict[str, Any]] = json.loads(table.read_text())
    for words, arguments in commands.items():
        *group, name = words.split()
        if (
            READING.match(name)
            and group
            and not NOT_READING.search(words)
            and not SECRET.search(words.replace("keyvault secret", ""))
        ):
            yield Operation(tuple(group), name, tuple(sorted(options(arguments))))


def options(arguments: dict[str, Any]) -> Iterator[str]:
    """The options of one command, without those that are harmful."""
    for argument in arguments.values():
        if "IgnoreAction" in argument["action"] or any(HARMFUL.search(option) for option in argument["options"]):
            continue
        flag = argument["action"] in ("store_true", "store_false") or (argument["nargs"] == "0")
        for option in argument["options"]:
            bare = option.removeprefix("--") if option.startswith("--") else option.removeprefix("-")
            if option.startswith("-"):
                yield bare if flag else f"{bare}:"
