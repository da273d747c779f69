"""Go templates for ``docker inspect`` and ``podman inspect`` that print fields which hold no variables.

A template is read action by action. The reader refuses names of the whole object (``.``, ``$``, ``json`` alone), the
environment, and the specification of a service. It also refuses everything that is not known to print fields, such as
other functions, templates of one's own, backslashes and raw strings. Sources: ``text/template`` of Go 1.23, the
manuals of Docker 28 and Podman 5.3; Podman takes ``json`` with blanks around it, and ``{{json}}``, for everything.
"""

from __future__ import annotations

import re

_ACTION = re.compile(r"\{\{(- )?(.*?)( -)?\}\}", re.DOTALL)
_TOKEN = re.compile(r"""\s*(\$[A-Za-z]\w*|(?:\.[A-Za-z_]\w*)+|[A-Za-z_]\w*|"[^"\\]*"|-?\d+|:=|[|(),])""", re.ASCII)
# fmt: off
_WORDS = frozenset((
    "json", "range", "with", "if", "else", "end", "index", "len", "printf", "print", "println", "join", "upper",
    "lower", "title", "split", "truncate", "pad", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "true",
    "false",
))
# `Settings` are those of a plugin, `Spec` that of a service, a task or a configuration; `CreatedBy` the line that made
# a layer of an image. Options of a volume or of what logs may hold a password, and so do the parts that hold them.
_REFUSED = frozenset((
    "Config", "ContainerConfig", "Spec", "PreviousSpec", "TaskTemplate", "ContainerSpec", "Settings", "CreateCommand",
    "Data", "ProcessConfig", "CreatedBy", "Options", "DriverConfig", "DriverOpts", "VolumeOptions",
    "History", "ClusterVolume",
))
# fmt: on


def template_refusal(text: str) -> str | None:
    """Returns why ``text`` may print more than harmless fields, or ``None`` if it does not."""
    actions = _ACTION.findall(text)
    rest = _ACTION.sub("", text)
    if not actions:
        return "is not a template that names what it prints"
    if "{{" in rest or "}}" in rest:
        return "is a template that is not read"
    return next((found for action in actions if (found := _action_refusal(action[1])) is not None), None)


def _action_refusal(action: str) -> str | None:
    tokens: list[str] = []
    at = 0
    action = action.rstrip()
    while at < len(action):
        match = _TOKEN.match(action, at)
        if match is None:
            return "is a template that may name everything"
        tokens.append(match.group(1))
        at = match.end()
    if tokens in ([], ["json"]):
        return "is a template that may name everything"
    for token in tokens:
        if token[0].isalpha() and token not in _WORDS:
            return f"is a template with `{token}`, which is not on the list"
        parts = token.split(".") if token[0] == "." else []
        if any(part in _REFUSED or "Env" in part for part in parts) or parts[-1:] == ["LogConfig"]:
            return f"is a template with `{token}`, which may hold variables"
        if parts[-1:] == ["HostConfig"] or parts[-2:] == ["HostConfig", "Mounts"]:
            return f"is a template with `{token}`, which may hold a password"
    return None
