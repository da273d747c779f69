"""Functions that one script defines and another calls: ``. ./lib.sh; g push``, ``export -f g; bash -c 'g push'``.

The bodies of all functions of the script are put in front of the call, command by command. It is evidence: whether the
function is in force where it is called, nobody proves.
"""

from __future__ import annotations

from execpolicy.core.quoting import quote
from execpolicy.flow.look_ups import LookUps
from execpolicy.flow.originals import and_around
from execpolicy.programs.carried import carried
from execpolicy.programs.inner import told_text
from execpolicy.programs.inner_scripts import with_inner_scripts
from execpolicy.shell.limits import READ, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_EXPORTED = "BASH_FUNC_"
"""What bash calls the variables of functions that it hands on: ``BASH_FUNC_g%%=() { …; }``."""


def other_functions(command: Command, facts: Facts) -> Iterator[Inner]:
    """What ``command`` runs if its name is that of a function which another script defines."""
    name = command.words[0].literal
    if not name or name in facts.script.functions:
        return
    said = [word.literal if word.literal is not None else word.written for word in command.words]
    call = " ".join(
        [quote(text) if word.literal is not None else text for word, text in zip(command.words, said, strict=True)]
    )
    for each in dict.fromkeys((*and_around(facts), *facts.outermost.once(_giving).get(name, ()))):
        if each is facts or not facts.budget.spend(STEP):
            continue
        handed = each.once(_handed_on).get(name)
        definitions = each.once(_definitions) if name in each.script.functions else handed
        if definitions and facts.budget.spend(READ * len(definitions)):
            yield told_text(name, command, f"{definitions}\n{call}")


def _giving(outermost: Facts) -> dict[str, list[Facts]]:
    """The scripts that define a function or hand it on, by its name."""
    found: dict[str, list[Facts]] = {}
    for each in outermost.once(with_inner_scripts, carried):
        for name in dict.fromkeys((*each.script.functions, *each.once(_handed_on))):
            found.setdefault(name, []).append(each)
    return found


def _definitions(facts: Facts) -> str:
    """The functions of a script, with the commands of their bodies one behind the other."""
    commands, text = facts.script.commands, facts.script.text
    found = []
    for name, body in facts.once(LookUps).bodies.items():
        spans = [commands[at].span for at in body]
        found.append("\n".join([f"{name}() {{", *[text[span.start : span.end] for span in spans], "}"]))
    return "\n".join(found)


def _handed_on(facts: Facts) -> dict[str, str]:
    """Functions by their names that a script puts into the environment as variables."""
    found: dict[str, str] = {}
    for command in facts.script.commands if facts.mentions(_EXPORTED) else ():
        for word in command.words:
            variable, equals, body = (word.literal or "").partition("=")
            if equals and variable.startswith(_EXPORTED):
                name = variable.removeprefix(_EXPORTED).rstrip("%()")
                found[name] = name + body
    return found
