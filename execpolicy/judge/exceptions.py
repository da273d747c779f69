"""Whether the words of a command may be what an allow rule leaves out: by their looks, and by what they mean."""

from __future__ import annotations

from execpolicy.core.left_out import is_option_entry
from execpolicy.core.pattern import PrefixPattern
from execpolicy.programs.meaning.command_line import CommandLine
from execpolicy.programs.names import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.rules import PrefixRule
    from execpolicy.shell.words import Word


def leaves_out(rule: PrefixRule, words: Sequence[Word]) -> bool:
    """Whether ``rule``, whose pattern ``words`` begin with, may leave them out.

    A word that is only known at run time may be anything; if it cannot begin with a dash, it is no option.
    """
    options = [entry for entry in rule.unless if is_option_entry(entry)]
    plain = len(options) == len(rule.unless)
    texts = [
        "" if word.literal is None and plain and not word.may_start_with_dash() else word.literal for word in words
    ]
    if not rule.counts_for(texts):
        return True
    if not options:
        return False
    line = CommandLine(base_name(words[0].literal or ""), words[1:])
    return any(line.could_mean(PrefixPattern(rule.pattern.first, (*rule.pattern.rest, (entry,)))) for entry in options)
