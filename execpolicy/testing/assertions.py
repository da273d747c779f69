"""Assertions about single commands."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers, rulebook_of
from execpolicy.resources import records_folder
from execpolicy.source import Source

_NOWHERE = Situation("/nonexistent/project", home="/nonexistent/home")


def policy(rules: str) -> Rulebook:
    """The rules in the text ``rules`` above the built-in entries, whatever rules this machine has.

    Raises:
        RuleFileError: the text has a problem.
    """
    source = Source("test.rules", rules)
    options = LayerOptions(cwd=_NOWHERE.cwd, builtin_folder=records_folder(), texts=[source], mode="strict")
    return rulebook_of(load_layers(options))


def assert_allows(rulebook: Rulebook, command: str | Sequence[str], *, situation: Situation = _NOWHERE) -> None:
    """Fails unless ``command``, a script or an argv, is allowed; by default in a folder that does not exist."""
    _assert("allow", rulebook, command, situation)


def assert_asks(rulebook: Rulebook, command: str | Sequence[str], *, situation: Situation = _NOWHERE) -> None:
    """Fails unless ``command`` needs approval."""
    _assert("prompt", rulebook, command, situation)


def assert_forbids(rulebook: Rulebook, command: str | Sequence[str], *, situation: Situation = _NOWHERE) -> None:
    """Fails unless ``command`` is forbidden."""
    _assert("forbidden", rulebook, command, situation)


def _assert(wanted: str, rulebook: Rulebook, command: str | Sequence[str], situation: Situation) -> None:
    verdict = check(command, rulebook, situation=situation)
    if verdict.decision != wanted:
        raise AssertionError(f"{command!r} must get {wanted}, not {verdict.decision.word}: {verdict.reason}")
