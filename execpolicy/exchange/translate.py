"""Converts entries of an agent to rules.

INVARIANT: the agent's entries allow every command that the written rules allow, except for those that an entry reported
as ``laxer`` names. An allow is therefore dropped if it overlaps an ask or a deny that no rule can express.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from execpolicy.amend.preview import why_not_savable
from execpolicy.core.credentials import credential_in
from execpolicy.core.decision import Decision
from execpolicy.core.exclusion import NOTHING_MORE
from execpolicy.core.path_rules import ReadRule, WriteRule
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import InvalidRuleError
from execpolicy.exchange.command_regex import Covered, Kind, loose
from execpolicy.exchange.tool_entry import AgentSettings, Entry, ImportedRules, Level, Loss, Precedence, worst
from execpolicy.lang.render import render, render_strings
from execpolicy.layers.layer import is_known_to_codex

_DECISIONS = {"allow": Decision.ALLOW, "ask": Decision.PROMPT, "deny": Decision.FORBIDDEN}
WIDER = (
    "As every rule, an allow also holds in chains of allowed commands and behind `timeout 5`, `nice` and their like."
)
_WORD_ENDS = re.compile("[\\s'\"()]+")
_ELSEWHERE = "also found in scripts, behind wrappers and under other spellings"
_REDIRECTIONS_TOO = "redirections of commands are covered as well, and what lies below a folder of the name"
_PERHAPS_TOO = "commands that may read the file ask, and so does what lies below a folder of the name"
_ALL_ASKED = "no rule covers every command: what no rule mentions asks, unless it is proven safe"


def translate(settings: AgentSettings, *, title: str, extensions: bool = True) -> ImportedRules:
    """The rules equivalent to ``settings``, as commented lines, and the losses.

    Args:
        title: the agent's name, for the first line.
        extensions: True if the file may hold extensions that only execpolicy reads (``write_rule``, ``unless``).
    """
    lines = [f"# Imported from {title} by `execpolicy import`: read it before you rely on it.", _comment(WIDER)]
    losses: list[Loss] = []
    for statement in settings.statements:
        place, line = str(statement.place), render(statement)
        if extensions or is_known_to_codex(statement):
            lines.append(line)
            losses.append(Loss(place, line, "exact"))
        else:
            losses.append(Loss(place, line, "impossible", "Codex refuses a file that holds it"))
    entries = [_without_secrets(entry) for entry in settings.entries]
    translation = _Translation(entries, settings.precedence, extensions)
    path = None
    for entry in entries:
        written, level, why = translation.of(entry)
        place = f"{entry.path}: {entry.place}" if entry.place else entry.path
        losses.append(Loss(place, f"{entry.action or 'setting'} {entry.text}", level, why))
        if entry.path != path:
            path = entry.path
            lines.append(_comment(path))
        lines.append(_comment(f"{entry.action or 'setting'} {entry.text} ({level}{': ' + why if why else ''})"))
        lines += written
    return ImportedRules(tuple(lines), tuple(losses))


def _without_secrets(entry: Entry) -> Entry:
    """``entry`` without secrets, fit for a file and a report: a rule would keep a secret in plain text."""
    if credential_in(_WORD_ENDS.split(entry.text)) is None:
        return entry
    hidden = "it holds a secret, and a rule file would keep it in plain text"
    covers = tuple(loose(f"{one.words[0]} " if one.words else "", hidden) for one in entry.covers)
    return replace(entry, text=f"{entry.text.split('(')[0].split(' ')[0]} (…)", covers=covers)


class _Translation:
    """The translation of all entries together, because the rule for an allow depends on the entries that restrict."""

    def __init__(self, entries: Sequence[Entry], precedence: Precedence, extensions: bool) -> None:
        self.precedence = precedence
        self.extensions = extensions
        self.allows = [entry for entry in entries if entry.action == "allow"]
        self.restricts = [entry for entry in entries if entry.action in ("ask", "deny")]

    def of(self, entry: Entry) -> tuple[list[str], Level, str]:
        """The lines for ``entry``, their fidelity, and the reason of a loss."""
        if entry.writes:
            return self._protects(entry, WriteRule, entry.writes, _REDIRECTIONS_TOO)
        if entry.reads:
            return self._protects(entry, ReadRule, entry.reads, _PERHAPS_TOO)
        if not entry.covers or entry.action is None:
            return [], "impossible", entry.why
        parts = [
            self._allow(entry, one) if entry.action == "allow" else self._restrict(entry, one) for one in entry.covers
        ]
        whys = dict.fromkeys(why for _, _, why in parts if why)
        lines = dict.fromkeys(line for written, _, _ in parts for line in written)
        return list(lines), worst([level for _, level, _ in parts]), "; ".join(whys)

    def _allow(self, entry: Entry, one: Covered) -> tuple[list[str], Level, str]:
        lines, level, why = self._allowed(entry, one)
        asked = self._asked_instead(entry, one) if level == "exact" else None
        return (lines, "stricter", asked) if asked is not None else (lines, level, why)

    def _allowed(self, entry: Entry, one: Covered) -> tuple[list[str], Level, str]:
        lost = self._why_lost(entry, one)
        if lost is not None:
            return self._as_comment(one), "stricter", lost
        if one.kind == "everything":
            return [], "stricter", _ALL_ASKED
        if entry.limited:
            return [], "impossible", f"it holds only {entry.limited}, which no rule can say"
        if one.kind == "loose" and not one.words:
            return [], "impossible", one.why
        refused = why_not_savable(one.words)
        if refused is not None:
            return self._as_comment(one), "stricter", f"left out: {refused}"
        if one.kind == "loose":
            return [render(PrefixRule(PrefixPattern.of(one.words)))], "stricter", one.why
        if one.kind == "exact" and not self._allowed_as(one, "more"):
            if not self.extensions:
                return self._as_comment(one), "impossible", "a rule would also allow more words behind it"
            return [render(PrefixRule(PrefixPattern.of(one.words), unless=NOTHING_MORE))], "exact", ""
        line = render(PrefixRule(PrefixPattern.of(one.words)))
        if one.kind == "more" and not self._allowed_as(one, "exact"):
            return [line], "laxer", f"it also allows `{one.text}` alone"
        return [line], "exact", ""

    def _allowed_as(self, one: Covered, kind: Kind) -> bool:
        """True if the words of ``one`` are also allowed as ``kind`` (``git push`` beside ``git push *``) or prefix."""
        return any(
            other.kind in (kind, "prefix") and other.words == one.words and self._why_lost(allow, other) is None
            for allow in self.allows
            if not allow.limited
            for other in allow.covers
        )

    def _why_lost(self, entry: Entry, one: Covered) -> str | None:
        """The reason why an allow is dropped: an entry that no rule can express restricts part of it."""
        for other in self.restricts:
            if not self._beats(other, entry):
                if other.action == "deny" and any(one.starts_with(each.words) for each in other.covers):
                    return f"`{other.text}`, which it is an exception from, wins here: the strictest rule decides"
                continue
            for restricted in other.covers:
                if restricted.kind not in ("loose", "everything") or not restricted.may_share(one):
                    continue
                if restricted.kind == "loose" and (one.starts_with(restricted.words) or restricted.beginning()):
                    continue  # another rule decides the part that they share
                return f"`{other.text}` reaches into it, and no rule can say which part"
        return None

    def _asked_instead(self, entry: Entry, one: Covered) -> str | None:
        """The reason why the command still prompts: part of another entry that no rule can express."""
        for other in self.restricts:
            for restricted in other.covers if self._beats(other, entry) else ():
                begins = restricted.beginning() if restricted.kind == "loose" else ()
                if one.starts_with(begins) and self._reaches(other, restricted):
                    return f"`{' '.join(begins)}` asks, because no rule says which part `{other.text}` covers"
        return None

    def _beats(self, other: Entry, allow: Entry) -> bool:
        if self.precedence == "strictest":
            return True
        if self.precedence == "rank-in-file" and other.path != allow.path:
            return True
        return other.rank >= allow.rank

    def _restrict(self, entry: Entry, one: Covered) -> tuple[list[str], Level, str]:
        if one.kind == "everything":
            return [], "laxer", _ALL_ASKED
        exceptions = self._exceptions(entry, one)
        if entry.action == "ask" and exceptions:
            why = f"not written, because `{exceptions[0]}` is an exception from it; all else asks anyway, "
            return [], "laxer", why + "unless it is proven safe"
        lines = [self._line(entry, one.words)] if one.words else []
        if one.kind != "loose":
            return lines, "stricter", _ELSEWHERE
        begins = one.beginning()
        if begins and self._reaches(entry, one):
            lines.append(self._line(entry, begins, asked=True))
            kept = " ".join(begins)
            if entry.action == "ask":
                return lines, "stricter", f"{one.why}; so `{kept}` asks"
            return lines, "laxer", f"{one.why}; so `{kept}` asks, where the agent refuses some of it"
        return lines, "laxer", one.why

    def _exceptions(self, entry: Entry, one: Covered) -> list[str]:
        """Allows that override ``one`` for a part of it in the agent."""
        if self.precedence == "strictest":
            return []
        beginning = one.words or one.beginning()
        return [
            allow.text
            for allow in self.allows
            if not self._beats(entry, allow)
            for other in allow.covers
            if other.starts_with(beginning)
        ]

    def _reaches(self, entry: Entry, one: Covered) -> bool:
        """True if an allow that ``entry`` beats shares commands with ``one`` that the rule for ``one`` misses."""
        return any(
            one.may_share(other) and not other.starts_with(one.words)
            for allow in self.allows
            if self._beats(entry, allow) and not allow.limited
            for other in allow.covers
            if other.kind not in ("loose", "everything") and why_not_savable(other.words) is None
        )

    @staticmethod
    def _line(entry: Entry, words: tuple[str, ...], *, asked: bool = False) -> str:
        decision = Decision.PROMPT if asked else _DECISIONS[entry.action or "ask"]
        reason = entry.reason or f"imported: {entry.action} {entry.text}"
        return render(PrefixRule(PrefixPattern.of(words), decision, reason))

    @staticmethod
    def _as_comment(one: Covered) -> list[str]:
        if not one.words:
            return []
        return [_comment(render(PrefixRule(PrefixPattern.of(one.words))))]

    def _protects(
        self, entry: Entry, kind: type[WriteRule | ReadRule], paths: tuple[str, ...], more: str
    ) -> tuple[list[str], Level, str]:
        if not self.extensions:
            return [], "impossible", f"`{kind.kind}` is not read by Codex, which reads the folder of this file"
        decision = _DECISIONS[entry.action or "ask"]
        try:
            kind(paths, decision)
        except InvalidRuleError as error:
            return [], "impossible", error.message
        return [f'{kind.kind}(paths={render_strings(paths)}, decision="{decision.word}")'], "stricter", more


def _comment(text: str) -> str:
    """``text`` as one comment, with any content."""
    return "# " + "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in text)
