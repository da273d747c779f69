"""Decide whether a coding agent may run a command.

Every public name is listed here and is imported when it is first used: a check must not pay for what it does not need.
Everything that is not listed may change freely.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.core.decision import Decision
    from execpolicy.core.matches import Evaluation, HeuristicsMatch, PrefixMatch
    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.core.policy import HostResolution, Policy
    from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
    from execpolicy.core.writes import WriteRule
    from execpolicy.errors import ExecPolicyError, InvalidRuleError, RuleFileError, RuleStoreError, UsageError
    from execpolicy.judge.check import check, check_multiple
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.judge.verdict import CommandVerdict, Verdict
    from execpolicy.lang.compile import Compiled, compile_source, compile_sources
    from execpolicy.layers.load import load_layers
    from execpolicy.layers.options import LayerOptions
    from execpolicy.manager import PolicyManager
    from execpolicy.shell.reader import read_script
    from execpolicy.source import Place, Source, Span

_HOMES = {
    "CommandVerdict": "judge.verdict",
    "Compiled": "lang.compile",
    "Decision": "core.decision",
    "Evaluation": "core.matches",
    "ExecPolicyError": "errors",
    "HeuristicsMatch": "core.matches",
    "HostExecutable": "core.rules",
    "HostResolution": "core.policy",
    "InvalidRuleError": "errors",
    "LayerOptions": "layers.options",
    "NetworkRule": "core.rules",
    "Place": "source",
    "Policy": "core.policy",
    "PolicyManager": "manager",
    "PrefixMatch": "core.matches",
    "PrefixPattern": "core.pattern",
    "PrefixRule": "core.rules",
    "RuleFileError": "errors",
    "RuleStoreError": "errors",
    "Rulebook": "judge.rulebook",
    "Situation": "judge.situation",
    "Source": "source",
    "Span": "source",
    "UsageError": "errors",
    "Verdict": "judge.verdict",
    "WriteRule": "core.writes",
    "check": "judge.check",
    "check_multiple": "judge.check",
    "compile_source": "lang.compile",
    "compile_sources": "lang.compile",
    "load_layers": "layers.load",
    "read_script": "shell.reader",
}

__all__ = [
    "CommandVerdict",
    "Compiled",
    "Decision",
    "Evaluation",
    "ExecPolicyError",
    "HeuristicsMatch",
    "HostExecutable",
    "HostResolution",
    "InvalidRuleError",
    "LayerOptions",
    "NetworkRule",
    "Place",
    "Policy",
    "PolicyManager",
    "PrefixMatch",
    "PrefixPattern",
    "PrefixRule",
    "RuleFileError",
    "RuleStoreError",
    "Rulebook",
    "Situation",
    "Source",
    "Span",
    "UsageError",
    "Verdict",
    "WriteRule",
    "check",
    "check_multiple",
    "compile_source",
    "compile_sources",
    "load_layers",
    "read_script",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'execpolicy' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"execpolicy.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
