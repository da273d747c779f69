"""Objections to a command that needs a person: without one, only a record or a rule is missing.

Commands that rules restrict in text that was not read, because a script holds too much: found by their names alone.

Padding must not hide a command. The text is gone through once, whatever the rules are, and every place that names a
program with a rule that asks or forbids counts as a command. Nothing found here ever helps a grant: the script is
opaque.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from execpolicy.core.decision import Decision
from execpolicy.judge.command_verdict import Block, CommandVerdict
from execpolicy.judge.grants import Grants
from execpolicy.judge.inside import shows_secret
from execpolicy.programs.breadth import facts_behind, is_fed, takes_plain_value
from execpolicy.programs.catalog import record_of
from execpolicy.programs.names import base_name
from execpolicy.safety.heuristics import purpose, secret_among
from execpolicy.safety.opinion import Opinion
from execpolicy.safety.secrets import secret_in
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word, seen_word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.core.rules import PrefixRule
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.shell.script import Script

_OPEN = ("no-entry", "program-path")
"""Codes of the opinion on a program that is not described at all, so that no word of it is known to matter."""


def is_unknown(
    command: Command,
    grants: Grants,
    opinion: Opinion,
    source: str,
    blocks: Sequence[Block],
    inner: Sequence[CommandVerdict],
) -> bool:
    """True if an allow rule for the words of ``command`` would be enough, and nothing in it is dangerous, secret, sent
    or only known at run time.

    Args:
        source: what settled it; the commands inside a ``wrapper`` speak for themselves.
        blocks: the obstacles to a grant.
        inner: the verdicts on what it would run itself.
    """
    words = [word.literal or "" for word in command.words]
    if not all(block.unknown for block in blocks) or any(map(_objects, inner)) or (words and is_fed(words)):
        return False
    if source == "wrapper":
        return True
    if opinion.objects:
        return False
    if not words:
        return bool(blocks)
    if any(word.literal is None for word in command.words) and (
        not (opinion.code in _OPEN or _only_values(command))
        or secret_among(base_name(words[0]), command.words, grants.facts) is not None
    ):
        return False
    described = opinion.code == "write"  # an entry accepts every word of it
    if not described and (_acts_beyond(words) or any(map(secret_in, words[1:]))):
        return False
    obstacles = [each for each in grants.by_rule(command, (), opinion) if isinstance(each, Block)]
    return all(block.unknown for block in obstacles)


def _only_values(command: Command) -> bool:
    """True if what only the run knows is the value of options that do no harm: ``git commit -m "$x"``."""
    words = [word.literal or "" for word in command.words]
    return all(
        word.literal is not None or (at > 1 and not word.many and takes_plain_value(words[: at - 1], words[at - 1]))
        for at, word in enumerate(command.words)
    )


def _objects(verdict: CommandVerdict) -> bool:
    return verdict.kind == "objected" or verdict.decision is Decision.FORBIDDEN or shows_secret(verdict)


def _acts_beyond(words: Sequence[str]) -> bool:
    """True if the program is known to send, to show secrets, to change the system, or to act on other machines."""
    name = base_name(words[0])
    does = purpose(name, words[1:])
    if does is not None and does[0] not in ("runs", "writes"):
        return True
    record = record_of(name)
    if record is None:
        return False
    published = [behind for kind, behind in facts_behind(words) if kind == "publish"]
    return record.far or any(set(words).issuperset(behind) for behind in published)


POWERSHELL = frozenset(("powershell", "pwsh"))
"""Shells of which no script is read."""
MOST = 200
"""Commands that are looked at as any other: of those that a rule matches as they stand, of those that have all its
words somewhere, and of the others."""
_NAME = re.compile(r"[^\s;&|()<>`$={}]+")
_END = re.compile(r"[\n;&|()<>`]")
_FAR = 200
"""Characters of a command that are looked at, and its words."""
_WORDS = 20
_QUOTING = str.maketrans("", "", "'\"\\")


def with_named(script: Script, rulebook: Rulebook) -> Script:
    """``script`` with the commands in what was not read of it that some rule may restrict."""
    rest = script.seen.rest
    if not rulebook.restricting:
        return script
    if script.shell.lower() in POWERSHELL:  # what knows its command line knows its statements
        whole = Span(0, len(script.text))
        words = tuple([Word(word, whole) for word in ("pwsh", "-Command", script.text)])
        script = replace(script, commands=(*script.commands, Command(words, whole)))
    if rest is None:
        return script
    found = named_in(script.text[rest:], Span(rest, len(script.text)), rulebook)
    return replace(script, commands=(*script.commands, *found))


def named_in(text: str, span: Span, rulebook: Rulebook) -> list[Command]:
    """The commands in ``text``, which is at ``span``, that some rule may restrict."""
    named = _named(text.replace("\\\n", "").translate(_QUOTING), rulebook)
    return [Command(tuple([seen_word(each, span) for each in texts]), span) for texts in named]


def _named(text: str, rulebook: Rulebook) -> list[tuple[str, ...]]:
    """The words of the commands in ``text``, from the name of the program on."""
    matched: dict[tuple[str, ...], None] = {}
    likely: dict[tuple[str, ...], None] = {}
    others: dict[tuple[str, ...], None] = {}
    rules: dict[str, list[PrefixRule]] = {}
    settled: set[int] = set()
    for name in _NAME.finditer(text):
        path = name.group()
        program = path if path in rulebook.restricting else path[path.rfind("/") + 1 :]
        if program not in rulebook.restricting:
            continue
        begin = name.start()
        end = _END.search(text, begin, begin + _FAR)
        words = (program, *text[name.end() : end.start() if end else begin + _FAR].split()[:_WORDS])
        if words in matched or words in likely or words in others:
            continue
        if program not in rules:
            rules[program] = [one for one in rulebook.policy.rules_for(program) if one.decision is not Decision.ALLOW]
        new = [id(match.rule) for match in rulebook.policy.matches(words) if match.decision is not Decision.ALLOW]
        if new:
            if not settled.issuperset(new) and len(matched) < MOST:
                matched[words] = None
                settled.update(new)
        elif len(likely) < MOST and any(_has_words_of(rule, words) for rule in rules[program]):
            likely[words] = None
        elif len(others) < MOST:
            others[words] = None
    return [*matched, *likely, *others]


def _has_words_of(rule: PrefixRule, words: tuple[str, ...]) -> bool:
    """True if each position of the rule's pattern has one of its words among ``words``."""
    return all(not set(words).isdisjoint(each) for each in rule.pattern.rest)
