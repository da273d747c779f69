"""The public names of this package and the modules that they are in."""

from execpolicy import approvals as approvals
from execpolicy import exchange as exchange
from execpolicy import formatting as formatting
from execpolicy import inbox as inbox
from execpolicy import insight as insight
from execpolicy import lint as lint
from execpolicy import permissions as permissions
from execpolicy import protocol as protocol
from execpolicy import testing as testing
from execpolicy import types as types
from execpolicy.core.answer import Answer as Answer
from execpolicy.core.decision import Decision as Decision
from execpolicy.core.hosts import HostResolution as HostResolution
from execpolicy.core.matches import Evaluation as Evaluation
from execpolicy.core.matches import HeuristicsMatch as HeuristicsMatch
from execpolicy.core.matches import PrefixMatch as PrefixMatch
from execpolicy.core.path_rules import WriteRule as WriteRule
from execpolicy.core.pattern import PrefixPattern as PrefixPattern
from execpolicy.core.policy import Policy as Policy
from execpolicy.core.rules import HostExecutable as HostExecutable
from execpolicy.core.rules import NetworkRule as NetworkRule
from execpolicy.core.rules import PrefixRule as PrefixRule
from execpolicy.errors import ExecPolicyError as ExecPolicyError
from execpolicy.errors import InvalidRuleError as InvalidRuleError
from execpolicy.errors import RuleFileError as RuleFileError
from execpolicy.errors import RuleStoreError as RuleStoreError
from execpolicy.errors import UsageError as UsageError
from execpolicy.insight.explain import Explanation as Explanation
from execpolicy.insight.explain import explain as explain
from execpolicy.judge.check import check as check
from execpolicy.judge.check import check_multiple as check_multiple
from execpolicy.judge.check import command_might_be_dangerous as command_might_be_dangerous
from execpolicy.judge.check import is_known_safe_command as is_known_safe_command
from execpolicy.judge.command_verdict import CommandVerdict as CommandVerdict
from execpolicy.judge.rulebook import Rulebook as Rulebook
from execpolicy.judge.situation import Situation as Situation
from execpolicy.judge.verdict import Verdict as Verdict
from execpolicy.lang.compile import Compiled as Compiled
from execpolicy.lang.compile import compile_source as compile_source
from execpolicy.lang.compile import compile_sources as compile_sources
from execpolicy.layers.layer_options import LayerOptions as LayerOptions
from execpolicy.layers.load import load_layers as load_layers
from execpolicy.lint.effects import Effect as Effect
from execpolicy.manager.policy_manager import Amendment as Amendment
from execpolicy.manager.policy_manager import PolicyManager as PolicyManager
from execpolicy.manager.policy_manager import Snapshot as Snapshot
from execpolicy.shell.read import read_script as read_script
from execpolicy.source import Place as Place
from execpolicy.source import Source as Source
from execpolicy.source import Span as Span

PARTS: tuple[str, ...]

def homes(package: str = "execpolicy") -> dict[str, str]: ...
