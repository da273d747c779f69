"""Plans that a script saves and applies later: ``terraform plan -destroy -out=p``, then ``terraform apply p``.

What is applied is what the plan says, which the words of the second command do not. It is evidence for restricting.
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.flow.look_ups import plain_path
from execpolicy.programs.inner import run_argv
from execpolicy.programs.options import every_option, option_table
from execpolicy.shell.limits import STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_DESTROYING = names("-destroy --destroy -destroy=true --destroy=true")
_OUT = ("-out", "--out")
_OPTIONS = "-chdir: --chdir: -var: -var-file: -parallelism: -state: -state-out: -lock-timeout: -backup: -target:"


def saved_plans(command: Command, facts: Facts, name: str) -> Iterator[Inner]:
    """What ``command``, a call of ``name``, destroys by a plan that the script saves."""
    words = command.words
    operands = [words[at].literal for at in every_option(option_table(_OPTIONS), words, 1).operands]
    if len(operands) < 2 or operands[0] != "apply" or not facts.outermost.mentions("-destroy"):
        return
    plan = operands[1]
    saved = facts.once(_destroying, name) | facts.outermost.once(_destroying, name)
    if saved and (plan is None or None in saved or plain_path(plan) in saved):
        yield run_argv(name, command, [name, "destroy"], evidence=True)
        yield run_argv(name, command, [name, "apply", "-destroy"], evidence=True)


def _destroying(facts: Facts, name: str) -> frozenset[str | None]:
    """The files of plans to destroy that the script saves; ``None`` where only the run will tell."""
    found: set[str | None] = set()
    for command in facts.script.commands:
        texts = [word.literal for word in command.words]
        if not facts.budget.spend(STEP + len(texts)):
            break
        if name not in texts or "plan" not in texts or _DESTROYING.isdisjoint(texts):
            continue
        for at, text in enumerate(texts):
            if text in _OUT:
                found.update([each and plain_path(each) for each in texts[at + 1 : at + 2]])
            elif text is None or text.startswith(_OUT):
                found.add(text and plain_path(text.partition("=")[2]))
    return frozenset(found)
