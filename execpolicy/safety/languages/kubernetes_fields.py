"""Output formats of ``kubectl get -o`` that show no variables: tables, names, and fields by name.

A path of names is accepted where what it ends in is a name, a state or a number, as Kubernetes' reference of version
1.32 describes pods and what starts them. Refused is what may hold the variables of a program, its arguments, notes of
one's own (``annotations``, where ``kubectl apply`` keeps the whole object), and every whole that such a part belongs
to. Sources: "JSONPath Support" of the Kubernetes documentation, ``text/template`` of Go 1.23.
"""

from __future__ import annotations

import re

_NAME = r"(?:[A-Za-z_][\w-]*(?:\\\.[\w/-]+)*)"
_PATH = re.compile(rf"[@$]?\.?(?:\.?\.{_NAME}|\[\*\]|\[-?\d*(?::-?\d*)*\]|\[\?\([^()]*\)\])+", re.ASCII)
_COMPARED = re.compile(
    r"""\[\?\(\s*(@[^\s=!<>"'()]*)\s*(?:(?:==|!=|<=?|>=?)\s*(?:"[^"\\]*"|'[^'\\]*'|-?\d+|true|false)\s*)?\)\]"""
)
_STEPS = re.compile(_NAME, re.ASCII)
_TEXT = re.compile(r'"[^"{}]*"|' + r"'[^'{}]*'")
_ACTION = re.compile(r"\{([^{}]*)\}")
_GO_ACTION = re.compile(r"\{\{-? *(.*?) *-?\}\}")
_GO_PATH = re.compile(r"(?:\.[A-Za-z_]\w*)+", re.ASCII)
# fmt: off
_LEAVES = frozenset((
    "name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
    "deletionTimestamp",
    "kind", "apiVersion", "labels", "ownerReferences", "finalizers", "image", "imagePullPolicy", "imagePullSecrets",
    "nodeName", "nodeSelector", "serviceAccount", "serviceAccountName", "replicas", "schedule", "suspend", "selector",
    "matchLabels", "restartPolicy", "resources", "requests", "limits", "cpu", "memory", "ports", "containerPort",
    "hostPort", "protocol", "completions", "parallelism", "backoffLimit", "activeDeadlineSeconds", "strategy", "type",
    "maxSurge", "maxUnavailable", "minReadySeconds", "priority", "priorityClassName", "schedulerName", "hostNetwork",
    "dnsPolicy", "tolerations", "mountPath", "readOnly", "claimName", "terminationGracePeriodSeconds", "serviceName",
    "concurrencyPolicy", "timeZone", "revisionHistoryLimit", "progressDeadlineSeconds", "paused", "qosClass",
))
# fmt: on
_REFUSED = frozenset(("annotations", "data", "binaryData", "stringData"))


def output_refusal(text: str) -> str | None:
    """Returns why ``-o text`` may print variables, or ``None`` if it prints names, states and numbers alone."""
    kind, given, shown = text.partition("=")
    if not given:
        return None if kind in ("wide", "name") else "is an output that may hold variables"
    if kind in ("jsonpath", "jsonpath-as-json"):
        return _jsonpath_refusal(shown)
    if kind == "go-template":
        return _template_refusal(shown)
    if kind != "custom-columns":
        return "is an output that is not on the list"
    for column in re.split(r",(?=[^,:]+:)", shown):
        path = column.partition(":")[2]
        problem = _path_refusal("." + path.removeprefix("{").removesuffix("}").lstrip("."))
        if problem is not None:
            return problem
    return None


def _jsonpath_refusal(text: str) -> str | None:
    # what is in quotes is printed as it is; in a filter it is compared
    actions = _ACTION.findall(text)
    rest = _ACTION.sub("", text)
    if not actions or "{" in rest or "}" in rest:
        return "is not a path that names what it prints"
    for action in actions:
        action = action.strip()
        if action == "end" or _TEXT.fullmatch(action):
            continue
        looped = action.startswith("range ")
        problem = _path_refusal(action[6:].strip() if looped else action, looped=looped)
        if problem is not None:
            return problem
    return None


def _template_refusal(text: str) -> str | None:
    rest = _GO_ACTION.sub("", text)
    actions = _GO_ACTION.findall(text)
    if not actions or "{{" in rest or "}}" in rest:
        return "is not a template that names what it prints"
    for action in actions:
        if action in ("end", "else") or re.fullmatch(r'"[^"]*"', action):
            continue
        looped = action.startswith(("range ", "if "))
        path = action.partition(" ")[2].strip() if looped else action
        if _GO_PATH.fullmatch(path) is None:
            return "is a template that may name everything"
        problem = _path_refusal(path, looped=looped)
        if problem is not None:
            return problem
    return None


def _path_refusal(path: str, *, looped: bool = False) -> str | None:
    """Returns why ``path`` may lead to variables; a loop prints nothing of what it goes through."""
    if _PATH.fullmatch(path) is None:
        return f"names `{path}`, which is not read"
    bare = path
    while (found := _COMPARED.search(bare)) is not None:
        if found[1] != "@" and (problem := _path_refusal(found[1])) is not None:
            return problem
        bare = bare[: found.start()] + bare[found.end() :]
    if "?" in bare:
        return f"names `{path}`, which is not read"
    steps = _STEPS.findall(bare)
    if any(step in _REFUSED for step in steps):
        return f"names `{path}`, which may hold variables"
    if looped or (steps and (steps[-1] in _LEAVES or _is_state(steps))):
        return None
    return f"names `{path}`, which may hold variables"


def _is_state(steps: list[str]) -> bool:
    """True if a path leads into the state of an object, or to one of its labels."""
    known = steps[1:] if steps[0] == "items" else steps
    return known[:1] == ["status"] or known[:2] == ["metadata", "labels"]
