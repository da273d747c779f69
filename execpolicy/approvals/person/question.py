"""The question at a terminal, in one form for ``run`` and ``arbiter``, and the parser of its answers.

The shown text is escaped: nothing in it can move the cursor, be invisible or reverse the text direction.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from textwrap import wrap

from execpolicy.amend.preview import why_not_savable
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import (
    Abort,
    Approved,
    ApprovedExecpolicyAmendment,
    ApprovedForSession,
    Denied,
    NetworkAmendment,
    ReviewDecision,
)
from execpolicy.core.quoting import join

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mn", "Me"})
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e"}
_BLANK_LOOKALIKES = frozenset({"\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"})


def visible(text: str) -> str:
    """``text`` on one line, with control, format and invisible characters and odd blanks as escapes (``\\u{202e}``)."""
    return "".join([_shown(char) for char in text])


def visible_lines(text: str, width: int) -> list[str]:
    """``text`` line by line, each escaped and folded to at most ``width`` characters."""
    folded: list[str] = []
    for line in text.split("\n"):
        shown = visible(line)
        folded += [shown[at : at + width] for at in range(0, len(shown), width)] or [""]
    return folded


def wrapped_lines(text: str, width: int) -> list[str]:
    """``text`` line by line, each escaped and folded between words where possible."""
    lines: list[str] = []
    for line in text.split("\n"):
        lines += wrap(visible(line), width, break_on_hyphens=False) or [""]
    return lines


def _shown(char: str) -> str:
    if " " <= char <= "~":
        return char
    if char in _SHORT:
        return _SHORT[char]
    if unicodedata.category(char) in _HIDDEN or char in _BLANK_LOOKALIKES:
        return f"\\u{{{ord(char):x}}}"
    return char


PROMPT = "answer: "
SESSION = "the same again in this session"
_AGAIN = "please answer with one of the letters above"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to a person.

    Every text in it may come from an agent. Each is escaped, and each of its lines starts with a mark that the lines of
    the answers do not have.

    Attributes:
        what: the command, script or change; it may have many lines.
        facts: facts about it, one line each.
        session: the scope of a yes for the session; ``None`` if that answer is not offered.
        prefix: the first words of commands that a saved rule would allow; empty if none is offered.
        host: the host that a rule may be saved for; ``None`` if the question is not about a host.
    """

    asks: str
    what: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    session: str | None = SESSION
    prefix: tuple[str, ...] = ()
    host: str | None = None

    def text(self, width: int) -> str:
        """The question in lines of at most about ``width`` characters, with every answer that it accepts."""
        room = max(width - 6, 20)
        lines = ["", f"execpolicy: {self.asks}"]
        lines += [f"  │ {line}" for text in self.what for line in visible_lines(text, room)]
        lines += [f"  · {line}" for fact in self.facts for line in visible_lines(visible(fact), room)]
        lines += [f"  ? {line}" for reason in self.reasons for line in wrapped_lines(reason, room)]
        lines.append("  y  yes, once")
        if self.session is not None:
            lines.append(f"  s  yes, and {visible(self.session)}")
        if self.prefix:
            lines.append(
                f"  p  yes, and save a rule that allows every command starting with: {visible(join(self.prefix))}"
            )
            if len(self.prefix) > 1:
                lines.append("     (p N saves only the first N words)")
        if self.host is not None:
            lines.append(f"  p  yes, and save a rule that allows {visible(self.host)}")
            lines.append(f"  d  no, and save a rule that forbids {visible(self.host)}")
        return "\n".join([*lines, "  n  no (n MESSAGE says why)", "  q  no, and stop", PROMPT])

    def read(self, line: str) -> ReviewDecision | str:
        """Parse ``line`` into a decision, or return a message for the person if it is invalid. An empty line is no."""
        word, _, rest = line.strip().partition(" ")
        word, rest = word.lower(), rest.strip()
        if word in ("", "n", "no"):
            return Denied(rest or None)
        if word in ("q", "quit", "a", "abort"):
            return Abort()
        if word in ("y", "yes") and not rest:
            return Approved()
        if word in ("s", "session") and not rest and self.session is not None:
            return ApprovedForSession()
        if word in ("p", "prefix") and self.prefix:
            return self._saving(rest)
        if self.host is not None and not rest and word in ("p", "d"):
            return NetworkAmendment(self.host, "allow" if word == "p" else "deny")
        return _AGAIN

    def _saving(self, words: str) -> ReviewDecision | str:
        """An answer that saves the first ``words`` words of the prefix (all by default), or an error message."""
        count = len(self.prefix)
        if words and not (words.isascii() and words.isdigit() and 1 <= int(words) <= count):
            return f"write `p`, or `p N` with N from 1 to {count} for the first N words"
        chosen = self.prefix[: int(words)] if words else self.prefix
        problem = why_not_savable(chosen)
        if problem is not None:
            return f"this cannot be saved: {visible(problem)}"
        return ApprovedExecpolicyAmendment(ExecPolicyAmendment(chosen))
