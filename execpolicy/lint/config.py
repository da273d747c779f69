"""Lint settings (``[tool.execpolicy.lint]`` in ``pyproject.toml``, ``[lint]`` in ``execpolicy.toml``) and baselines.

A baseline lists the existing findings of a large set of rules, so that only new ones are reported. A finding is
identified by its file, its code and the text of its line, so that rules can move. An error that prevents a file from
loading is never part of a baseline.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeAlias, get_args

from execpolicy.atomic_write import write_whole
from execpolicy.diagnostics.codes import CODES, RETIRED
from execpolicy.diagnostics.model import Diagnostic, Severity
from execpolicy.diagnostics.render_formats import RENDERERS
from execpolicy.errors import UsageError, os_reason
from execpolicy.safe_open import read_named

_VERSION = 1
_Key: TypeAlias = tuple[str, str, str]
"""Path relative to the folder of the baseline, code, text of the line."""


class Sifted(NamedTuple):
    """Findings compared with a baseline.

    Attributes:
        new: the findings that are not in the baseline.
        known: the number of findings in the baseline.
        gone: the number of entries of the baseline without a finding.
    """

    new: list[Diagnostic]
    known: int
    gone: int


def sift(found: Iterable[Diagnostic], path: str) -> Sifted:
    """``found`` without the findings in the baseline ``path``.

    Raises:
        UsageError: the baseline cannot be read.
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
    """Writes a baseline of ``found`` to ``path``; returns its number of findings.

    Raises:
        UsageError: the baseline cannot be written.
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


SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Severities, most severe first."""

FORMATS = sorted(["text", *RENDERERS])
"""The output formats of findings."""

_KEYS = frozenset(("select", "ignore", "per-file-ignores", "severity", "fail-on", "format", "baseline"))
_OF_MACHINE_AND_USER = ("grants", "hook", "workspaces")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The lint settings: the codes to report and their severities.

    Attributes:
        select: codes, or prefixes of codes (``EP2``), to report; all by default.
        ignore: codes or prefixes not to report; a longer prefix overrides a shorter one in ``select``.
        per_file: globs of paths to codes or prefixes not to report there.
        severity: code to severity, where it differs from the default.
        fail_on: the lowest severity that makes the run fail.
        form: one of :data:`FORMATS`; ``None`` to choose by the output.
        baseline: the path of the baseline; ``None`` for none.
    """

    select: tuple[str, ...] = ("EP",)
    ignore: tuple[str, ...] = ()
    per_file: dict[str, tuple[str, ...]] = field(default_factory=dict)
    severity: dict[str, Severity] = field(default_factory=dict)
    fail_on: Severity = "warning"
    form: str | None = None
    baseline: str | None = None

    def reports(self, code: str) -> bool:
        """True if findings with ``code`` are reported."""
        chosen = max((len(each) for each in self.select if code.startswith(each)), default=-1)
        left_out = max((len(each) for each in self.ignore if code.startswith(each)), default=-1)
        return chosen > left_out

    def reports_in(self, code: str, path: str) -> bool:
        """True if findings with ``code`` in the file ``path`` are reported."""
        path = os.path.abspath(path)
        ignored = [codes for glob, codes in self.per_file.items() if fnmatchcase(path, glob)]
        return self.reports(code) and not any(code.startswith(codes) for codes in ignored)

    def severity_of(self, code: str, severity: Severity) -> Severity:
        """The configured severity of a finding with ``code``, by default ``severity``."""
        return self.severity.get(code, severity)

    def as_written(self) -> dict[str, Any]:
        """The settings under their names in a file."""
        return {
            "select": list(self.select),
            "ignore": list(self.ignore),
            "per-file-ignores": {glob: list(codes) for glob, codes in self.per_file.items()},
            "severity": dict(self.severity),
            "fail-on": self.fail_on,
            "format": self.form,
            "baseline": self.baseline,
        }

    def with_codes(self, select: tuple[str, ...], ignore: tuple[str, ...]) -> Settings:
        """These settings with the selections of a command line, which replace the configured ones.

        Raises:
            UsageError: a word is neither a code nor a prefix of one.
        """
        return replace(
            self,
            select=tuple(_selector(each) for each in select) or self.select,
            ignore=(*self.ignore, *(_selector(each) for each in ignore)),
        )


def find_settings(start: str) -> Settings:
    """The settings of the nearest folder at or above ``start`` that has any; the defaults if there is none.

    Raises:
        UsageError: a settings file cannot be read or has an unknown setting.
    """
    found = settings_table(start)
    return Settings() if found is None else _settings(found[1], found[0])


def settings_table(start: str) -> tuple[str, dict[str, Any]] | None:
    """The path of the settings file for ``start``, and its table; ``None`` if there is none.

    Raises:
        UsageError: a settings file cannot be read.
    """
    folder = os.path.abspath(start)
    while True:
        for name, keys in (("execpolicy.toml", ("lint",)), ("pyproject.toml", ("tool", "execpolicy", "lint"))):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                table = _table(path, keys)
                if table is not None:
                    return path, table
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _table(path: str, keys: tuple[str, ...]) -> dict[str, Any] | None:
    try:
        found: Any = tomllib.loads(read_named(path).decode("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"failed to read settings from {path}: {os_reason(error)}") from error
    if keys == ("lint",):
        _refuse_others(found, path)
    for key in keys:
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    if not isinstance(found, dict):
        raise UsageError(f"{path}: `{'.'.join(keys)}` must be a table")
    return found


def _refuse_others(found: dict[str, Any], path: str) -> None:
    """Raises an error for settings that have no effect in a project.

    A file without `lint` may be that of the machine or the user, where the other settings are effective.
    """
    unknown = sorted(found.keys() - {"lint", *_OF_MACHINE_AND_USER})
    if unknown:
        raise UsageError(f"{path}: there is no setting `{unknown[0]}`; a project has `[lint]`")
    elsewhere = [key for key in _OF_MACHINE_AND_USER if key in found]
    if "lint" in found and elsewhere:
        where = "/etc/execpolicy and in ~/.config/execpolicy"
        raise UsageError(f"{path}: `{elsewhere[0]}` has no effect in a project: it counts in {where}")


def _settings(table: dict[str, Any], path: str) -> Settings:
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        raise UsageError(f"{path}: unknown lint setting `{unknown[0]}`; there are {', '.join(sorted(_KEYS))}")
    severity = table.get("severity", {})
    if not isinstance(severity, dict):
        raise UsageError(f"{path}: `severity` must be a table of codes and severities")
    per_file = table.get("per-file-ignores", {})
    if not isinstance(per_file, dict):
        raise UsageError(f"{path}: `per-file-ignores` must be a table of globs and lists of codes")
    return Settings(
        select=_selectors(table.get("select", ["EP"]), path),
        ignore=_selectors(table.get("ignore", []), path),
        per_file={_below(glob, path): _selectors(codes, path) for glob, codes in per_file.items()},
        severity={_selector(code): parse_severity(word, path) for code, word in severity.items()},
        fail_on=parse_severity(table.get("fail-on", "warning"), path),
        form=_format(table.get("format"), path),
        baseline=_beside(table.get("baseline"), path),
    )


def _format(word: object, path: str) -> str | None:
    if word is None or word in FORMATS:
        return None if word is None else str(word)
    raise UsageError(f"{path}: `format` must be one of {', '.join(FORMATS)}, not `{word}`")


def _below(glob: str, path: str) -> str:
    """A glob below the folder of the settings file ``path``; without a slash, at any depth."""
    folder = os.path.dirname(os.path.abspath(path))
    return os.path.normpath(os.path.join(folder, glob)) if "/" in glob else f"{folder}*/{glob}"


def _beside(name: object, path: str) -> str | None:
    """The path of a file that a settings file names, relative to the folder of the settings file."""
    if name is None:
        return None
    if not isinstance(name, str) or not name:
        raise UsageError(f"{path}: `baseline` must be the path of a file")
    return os.path.join(os.path.dirname(path), name)


def _selectors(words: object, path: str) -> tuple[str, ...]:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UsageError(f"{path}: `select`, `ignore` and each of `per-file-ignores` must be lists of codes")
    return tuple([_selector(word) for word in words])


def _selector(word: str) -> str:
    """The code or the prefix of codes that ``word`` selects; ``ALL`` and names (``subsumed``) are accepted too."""
    upper = word.strip().upper()
    if upper == "ALL":
        return "EP"
    by_name = {row.name: row.code for row in CODES.values()}
    if word.strip() in by_name:
        return by_name[word.strip()]
    upper = RETIRED.get(upper) or upper
    if not any(code.startswith(upper) for code in CODES) or not upper.startswith("EP"):
        raise UsageError(f"`{word}` is no lint code; see `execpolicy lint --list`")
    return upper


def parse_severity(word: object, path: str) -> Severity:
    """The severity with the name ``word``.

    Raises:
        UsageError: there is no such severity; the message begins with ``path``.
    """
    for severity in SEVERITIES:
        if word == severity:
            return severity
    raise UsageError(f"{path}: severity must be one of {', '.join(SEVERITIES)}, not `{word}`")
