"""What an allowed script must not have done."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.judge.rulebook import Rulebook
from tests.attacks.arena import CARRYING, IN_ENVIRONMENT, REAL, SECRET, Trace
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
prefix_rule(pattern=["dash", "run.sh"])
safe_command(name="obedient", program="O", obeys=".obeyed", reason="does what the folder says", operands="any*")
safe_command(name="paging", program="P", piped=True, reason="runs a pager on a terminal", operands="any*")
"""
"""The rules under which attacks are judged: two programs with any arguments, one with one, one with all
but one, one script by its path and as an argument, the builtins that run, change or take away something, one folder, a
program that obeys it, and one that runs another where its output is a terminal."""

FORBIDDING = f"""\
prefix_rule(pattern=[{sorted({*REAL, *CARRYING, "A", "eval", "source", ".", "exec", "command", "trap", "coproc"})!r}])
prefix_rule(pattern=[["./out/x", "out/x", "./x.sh"]])
prefix_rule(pattern=["evil"], decision="forbidden")
write_rule(paths=["./out/**", "./x.sh"], decision="allow")
"""
"""Rules under which programs are allowed whatever their words are, and one that none of them may run is forbidden."""


def attack_rules(rules: str = "") -> Rulebook:
    """The built-in layer with ``rules``, or else :data:`RULES`, on top."""
    return rulebook(rules or RULES)


def forbidden_run(trace: Trace, book: Rulebook) -> str | None:
    """Which command ran that ``book`` forbids."""
    for argv in trace.argvs:
        if any(match.decision is Decision.FORBIDDEN for match in book.policy.matches(argv)):
            return f"it ran {argv}"
    return None


def leak_of(trace: Trace, book: Rulebook, *, finds_secrets: bool = False) -> str | None:
    """How an allowed script that did this broke the promise; ``None`` if it did not."""
    for argv in trace.argvs:
        matches = book.policy.matches(argv)
        if not matches or max(match.decision for match in matches) is not Decision.ALLOW:
            return f"it ran {argv}"
    for path in trace.changed:
        if not f"{path}/".startswith("out/"):
            return f"it changed `{path}`"
    if (IN_ENVIRONMENT if finds_secrets else SECRET) in trace.output:
        return "it printed a secret"
    return None
