"""The part of the SARIF 2.1.0 schema that a lint run uses: required and allowed properties, types, ranges, enums."""

from typing import Any

STR, INT, POSITIVE = "string", "integer", "positive"

SCHEMA: dict[str, dict[str, Any]] = {
    "log": {"$schema!": STR, "version!": ["2.1.0"], "runs!": ("list", "run")},
    "run": {"tool!": "tool", "results": ("list", "result"), "columnKind": ["utf16CodeUnits", "unicodeCodePoints"]},
    "tool": {"driver!": "driver"},
    "driver": {"name!": STR, "version": STR, "informationUri": STR, "rules": ("list", "rule")},
    "rule": {
        "id!": STR,
        "name": STR,
        "shortDescription": "message",
        "fullDescription": "message",
        "helpUri": STR,
        "defaultConfiguration": "configuration",
    },
    "configuration": {"level": ["none", "note", "warning", "error"], "enabled": "boolean"},
    "result": {
        "message!": "message",
        "ruleId": STR,
        "ruleIndex": INT,
        "level": ["none", "note", "warning", "error"],
        "locations": ("list", "location"),
        "fixes": ("list", "fix"),
    },
    "message": {"text!": STR},
    "location": {"physicalLocation": "physical"},
    "physical": {"artifactLocation!": "artifact", "region": "region"},
    "artifact": {"uri": STR},
    "region": {"startLine": POSITIVE, "startColumn": POSITIVE, "endLine": POSITIVE, "endColumn": POSITIVE},
    "fix": {"description": "message", "artifactChanges!": ("list", "change")},
    "change": {"artifactLocation!": "artifact", "replacements!": ("list", "replacement")},
    "replacement": {"deletedRegion!": "region", "insertedContent": "content"},
    "content": {"text": STR},
}


def sarif_problems(log: Any) -> list[str]:
    """What a SARIF reader would refuse in ``log``."""
    found = _check(log, "log", "log")
    for run in log["runs"]:
        rules = run["tool"]["driver"].get("rules", [])
        for result in run.get("results", []):
            if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
                found.append(f"ruleIndex of {result['ruleId']} is wrong")
    return found


def _check(value: Any, kind: Any, where: str) -> list[str]:
    if isinstance(kind, list):
        return [] if value in kind else [f"{where}: {value!r} is not one of {kind}"]
    if isinstance(kind, tuple):
        if not isinstance(value, list):
            return [f"{where}: not a list"]
        return [problem for at, item in enumerate(value) for problem in _check(item, kind[1], f"{where}[{at}]")]
    if kind == STR:
        return [] if isinstance(value, str) else [f"{where}: not a string"]
    if kind in (INT, POSITIVE):
        fits = isinstance(value, int) and value >= (1 if kind == POSITIVE else 0)
        return [] if fits else [f"{where}: {value!r} is out of range"]
    if kind == "boolean":
        return [] if isinstance(value, bool) else [f"{where}: not a boolean"]
    return _check_object(value, SCHEMA[kind], where)


def _check_object(value: Any, schema: dict[str, Any], where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where}: not an object"]
    allowed = {name.rstrip("!"): kind for name, kind in schema.items()}
    found = [f"{where}: `{name}` is not allowed" for name in value if name not in allowed]
    found += [f"{where}: `{name[:-1]}` is missing" for name in schema if name.endswith("!") and name[:-1] not in value]
    for name, item in value.items():
        if name in allowed:
            found += _check(item, allowed[name], f"{where}.{name}")
    return found
