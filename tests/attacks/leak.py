"""What an allowed script must not have done."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.judge.rulebook import Rulebook
from tests.attacks.arena import SECRET, Trace
from tests.support.judging import rulebook

RULES = """\
prefix_rule(pattern=[["A", "B"]])
prefix_rule(pattern=["C", "ok"])
prefix_rule(pattern=["C", "bad"], decision="forbidden")
prefix_rule(pattern=["D"])
prefix_rule(pattern=["D", "bad"], decision="forbidden")
prefix_rule(pattern=["./run.sh"])
prefix_rule(pattern=[["eval", "command", "builtin", "exec", "source", ".", "trap", "enable", "hash"]])
prefix_rule(pattern=["time"], unless=["-o"])
prefix_rule(pattern=[["alias", "unalias", "unset", "shift", "let", "test", "[", "getopts"]])
prefix_rule(pattern=[["exit", "fc", "pushd", "popd", "shopt", "umask", "ulimit", "type", "break"]])
write_rule(paths=["./out/**"], decision="allow")
safe_command(name="obedient", program="O", obeys=".obeyed", reason="does what the folder says", operands="any*")
"""
"""The rules under which attacks are judged: two programs with any arguments, one with one, one with all
but one, one script, the builtins that run, change or take away something, one folder, and a program that obeys it."""


def attack_rules() -> Rulebook:
    """The built-in layer with :data:`RULES` on top."""
    return rulebook(RULES)


def leak_of(trace: Trace, book: Rulebook, *, finds_secrets: bool = False) -> str | None:
    """How an allowed script that did this broke the promise; ``None`` if it did not."""
    for argv in trace.argvs:
        matches = book.policy.matches(argv)
        if not matches or max(match.decision for match in matches) is not Decision.ALLOW:
            return f"it ran {argv}"
    for path in trace.changed:
        if not path.startswith("out/"):
            return f"it changed `{path}`"
    if SECRET in trace.output and not finds_secrets:
        return "it printed a secret"
    return None
