"""Which words of a command are prose or patterns, in which a command is only mentioned."""

from __future__ import annotations

from execpolicy.core.text import names

PROSE = names(
    "m t b k R message msg body title subject description notes note text grep pattern regex format search "
    "comment prompt name label env-file file input output reason summary tests testNamePattern filter tag tags"
)
"""Options whose value is prose or a pattern, whatever it looks like."""
_TELLING = names(
    "echo printf grep egrep fgrep rg ag ack sed gsed awk gawk mawk jq yq test [ [[ expr man tldr redis-cli http "
    "https xh xhs rspec logger notify-send say figlet cowsay toilet banner wall write espeak"
)
"""Programs whose words are text and patterns."""
_COMMITTING = names("git hub jj hg sl svn bzr fossil darcs")
"""Programs whose letters, put together, may end in a message: ``git commit -am 'git push'``."""
_SENDING = names("curl gh glab hub tea jira")
"""Programs whose ``-d`` is data, or a description."""


def tells_prose(program: str) -> bool:
    """Whether ``program`` only says, searches or compares what it is given."""
    return program in _TELLING


def is_prose_name(name: str) -> bool:
    """Whether a variable or a setting of that name holds prose: ``COMMIT_MSG``."""
    return not PROSE.isdisjoint(name.split("_"))


def is_prose(program: str, text: str, before: str) -> bool:
    """Whether ``text``, behind the word ``before``, is the value of an option of ``program`` for prose or a pattern."""
    option, equals, _ = text.partition("=")
    if text[:1] == "-" and equals:
        return option.lstrip("-") in PROSE
    if before[:1] != "-":
        return False
    if before == "-d" and program in _SENDING:
        return True
    return before.lstrip("-") in PROSE or (program in _COMMITTING and before[1:2] != "-" and before[-1] == "m")
