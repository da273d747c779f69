"""The closed list of what an allow may rest on.

Every allow carries its grounds and each of them is of a kind listed here; a kind claims one thing about the shell or
about a program. A new way to allow is a new row, with an attack that tries to make its claim false and a mutation that
the attack finds (``tests/attacks``), or it does not exist. ``docs/evidence/grounds.md`` is written from this list.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Reach: TypeAlias = Literal["none", "plain", "flow"]

NONE: Reach = "none"
PLAIN: Reach = "plain"
FLOW: Reach = "flow"
REACHES = (NONE, PLAIN, FLOW)
"""How far grants may go, narrowest first: the setting ``grants``."""

SHELLS = "bash 5.2.15, dash 0.5.12, zsh 5.9, mksh R59c, busybox ash 1.35"
_KORN = SHELLS + ", ksh93 u+m 1.0.4"
_ANY = "any: it is about the program"


class GroundKind:
    """A kind of ground.

    Attributes:
        code: stable, for programs and for the audit trail.
        reach: the narrowest setting of ``grants`` under which it may be used.
        claim: what it says about the shell or the program, in one sentence.
        tried: the shells and versions with which its attack was run.
        rests_on: codes of other kinds without which it claims nothing.
    """

    __slots__ = ("claim", "code", "reach", "rests_on", "tried")

    def __init__(self, code: str, reach: Reach, claim: str, tried: str, rests_on: str = "") -> None:
        self.code = code
        self.reach = reach
        self.claim = claim
        self.tried = tried
        self.rests_on = tuple(rests_on.split())


KINDS = {
    kind.code: kind
    for kind in (
        GroundKind(
            "script-understood",
            PLAIN,
            "The reader reported every command that the script can run, every file that it opens for writing and every "
            "variable that it sets. Nothing in it changes how the text behind it is read.",
            _KORN,
        ),
        GroundKind(
            "words-literal",
            PLAIN,
            "Every word is known byte for byte: the program gets exactly this text, whatever the locale, the shell's "
            "options, its aliases and the files in the folder are.",
            _KORN,
            "script-understood",
        ),
        GroundKind(
            "program-named",
            PLAIN,
            "The first word starts the program that the rule or the entry means. No function or alias of the script "
            "has its name. A path is directly in a folder of the system, is a listed host executable, or lies in the "
            "project for an entry that speaks for the project alone.",
            _KORN,
            "script-understood",
        ),
        GroundKind(
            "rule-covers",
            PLAIN,
            "An allow rule of a trusted layer matches the words as they are written, or the host of a URL among them, "
            "and no stricter rule matches them under any spelling.",
            _ANY,
            "program-named",
        ),
        GroundKind(
            "entry-accepts",
            PLAIN,
            "A safe_command entry lists every option, sub-command and operand of this invocation: the program only "
            "reads, prints to its descriptors, writes and fetches what rules allow, and starts nothing.",
            _ANY,
            "program-named",
        ),
        GroundKind(
            "wrapper-transparent",
            PLAIN,
            "The wrapper runs exactly the inner command, with the options that stand here it changes only when or how "
            "fast that runs, and nothing else is run.",
            _ANY,
            "program-named words-literal",
        ),
        GroundKind(
            "text-handed-on",
            PLAIN,
            "The shell that gets this text reads exactly it, with no option that changes how and no start-up file "
            "but those that the user's own login shell reads.",
            SHELLS,
            "program-named words-literal",
        ),
        GroundKind(
            "sets-variables",
            PLAIN,
            "The command only gives values to variables, and neither a name nor a value changes how anything is found, "
            "read or evaluated.",
            _KORN,
            "assignment-harmless",
        ),
        GroundKind(
            "assignment-harmless",
            PLAIN,
            "Neither the name nor the value of the assignment can make the shell or a program run, read or write "
            "something else.",
            _KORN,
            "script-understood",
        ),
        GroundKind(
            "assignment-accepted",
            PLAIN,
            "The entry that accepts the command lists this variable with this value as harmless for its program.",
            _ANY,
            "entry-accepts",
        ),
        GroundKind(
            "write-null",
            PLAIN,
            "The redirection opens /dev/null, or the standard output or error that the command has already.",
            SHELLS,
            "descriptor-kept",
        ),
        GroundKind(
            "write-covered",
            PLAIN,
            "The file that is written or deleted, with links on the way followed, is where a write rule allows it.",
            SHELLS,
            "words-literal folder-known",
        ),
        GroundKind(
            "descriptor-kept",
            PLAIN,
            "Descriptors 1 and 2 lead where they led, or to each other, or are closed.",
            SHELLS,
            "script-understood",
        ),
        GroundKind(
            "input-harmless",
            PLAIN,
            "What the command reads by redirection is text of the script, or a file that is opened for reading only, "
            "is no connection and holds no secret that is known by name.",
            SHELLS,
            "script-understood",
        ),
        GroundKind(
            "condition-harmless",
            PLAIN,
            "A condition or an arithmetic command of the shell compares what is written in it and runs nothing.",
            _KORN,
            "script-understood",
        ),
        GroundKind(
            "folder-known",
            PLAIN,
            "A relative name is looked up in the folder that the caller named: nothing before it moves elsewhere.",
            _KORN,
            "script-understood",
        ),
        GroundKind(
            "settings-absent",
            PLAIN,
            "No file by which a folder tells the program what to do lies in the folder that it starts in or above it.",
            _KORN,
            "entry-accepts folder-known",
        ),
        GroundKind(
            "dynamic-behind-rule",
            FLOW,
            "The rule's whole pattern is literal, and no value of the words behind it that are only known at run time "
            "can make the command one that a stricter rule names.",
            _KORN,
            "rule-covers",
        ),
        GroundKind(
            "dynamic-inert",
            FLOW,
            "In this position the entry takes any word, and the text here becomes as many words as it takes.",
            _KORN,
            "entry-accepts",
        ),
        GroundKind(
            "glob-anchored",
            FLOW,
            "Every name that the pattern can find starts as it is written, or its folder contains no name that starts "
            "with a dash, so that none is taken for an option.",
            _KORN,
            "entry-accepts",
        ),
        GroundKind(
            "variable-proven",
            FLOW,
            "Every value that can reach this word is visible in the script, on every path that can be taken, with "
            "lines that fail half-way included.",
            SHELLS,
            "script-understood",
        ),
        GroundKind(
            "call-proven",
            FLOW,
            "Every call of the function around this command is visible, with the words that it hands on.",
            SHELLS,
            "function-in-force variable-proven",
        ),
        GroundKind(
            "function-in-force",
            FLOW,
            "The name calls the function that the script defines: it was surely defined before, its definition cannot "
            "have failed, and nothing removes or replaces it.",
            _KORN,
            "script-understood",
        ),
        GroundKind(
            "arithmetic-number",
            FLOW,
            "What the shell evaluates as arithmetic holds numbers, operators and variables that are integers wherever "
            "it is reached, so that it becomes an integer and runs nothing.",
            _KORN,
            "script-understood",
        ),
        GroundKind(
            "output-number",
            FLOW,
            "The substitution prints integers only, on all descriptors that reach it.",
            _KORN,
            "entry-accepts",
        ),
        GroundKind(
            "output-hash",
            FLOW,
            "The substitution prints names of objects only, none of which starts with a dash, on all descriptors that "
            "reach it.",
            SHELLS,
            "entry-accepts",
        ),
        GroundKind(
            "policy-permits",
            NONE,
            "The caller's approval policy lets run what no rule settles; nothing about the command is proven.",
            _ANY,
        ),
    )
}


def beyond(code: str, reach: Reach) -> bool:
    """True if grounds of this kind may not be used under the setting ``grants = reach``."""
    return REACHES.index(KINDS[code].reach) > REACHES.index(reach)
