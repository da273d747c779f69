"""Judges the commands that a command would run itself: what they block, and what they add."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.ground import Ground
from execpolicy.core.text import word_set
from execpolicy.judge.command_verdict import Block
from execpolicy.judge.folders import restricted_writes
from execpolicy.programs.inner import run_argv
from execpolicy.programs.unwrap import unwrap
from execpolicy.safety.secrets import secret_in
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.matches import PrefixMatch
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.command_verdict import CommandVerdict
    from execpolicy.judge.folders.whereabouts import Whereabouts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_GNU = word_set(
    "rm mv cp ln dd chmod chown chgrp kill touch mkdir rmdir install shred truncate tee unlink sed awk tar find xargs "
    "date env nice nohup timeout chroot make mktemp mkfifo mknod split sort cat head tail ls stat printenv"
)
"""Programs that are installed as ``grm`` and so on where the system has its own."""


def run_by(command: Command, facts: Facts, rulebook: Rulebook) -> tuple[Inner, ...]:
    """The commands that ``command`` runs, one level deep."""
    found = unwrap(command, facts)
    program = command.words[0].literal if command.words else None
    name = program[program.rfind("/") + 1 :] if program is not None else ""
    if name[:1] == "g" and name[1:] in _GNU and name[1:] in rulebook.restricting:
        return (*found, run_argv(name, command, [name[1:]], command.words[1:], evidence=True))
    return found


@value
class Inside:
    """The commands that a command would run itself.
    Attributes:
        verdicts: on every command inside, one level down.
        parts: each thing that it runs, with the verdicts on it.
        blocks: what is in the way of any grant inside.
    """

    verdicts: tuple[CommandVerdict, ...]
    parts: tuple[tuple[Inner, tuple[CommandVerdict, ...]], ...]
    blocks: tuple[Block, ...]

    @property
    def transparent(self) -> bool:
        """The command only schedules what it runs: the inner commands decide."""
        return bool(self.proven) and not self.blocks and all(one.transparent or one.evidence for one, _ in self.parts)

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """Returns what a grant that looks through to them rests on."""
        found: list[Ground] = []
        for one, judged in self.parts:
            if one.evidence:
                continue
            code = "wrapper-transparent" if one.command is not None else "text-handed-on"
            found.append(Ground(code, one.span, one.name))
            found += [ground for verdict in judged for ground in verdict.grounds]
        return tuple(found)

    @property
    def proven(self) -> tuple[CommandVerdict, ...]:
        """The verdicts that grants depend on; evidence can only restrict."""
        return tuple([verdict for one, judged in self.parts if not one.evidence for verdict in judged])

    def secrets(self) -> list[Block]:
        """Well-known secrets that it visibly hands to a program, in whatever depth: ``ls .env | xargs cat``."""
        found: list[Block] = []
        for one, judged in self.parts:
            for verdict in with_inner(judged) if one.evidence and not one.only_writes else ():
                if verdict.opinion is not None and shows_secret(verdict):
                    shown = f"it runs `{' '.join(verdict.argv)}`: {verdict.opinion.why}"
                    found.append(Block("secret", shown, one.span))
        return found

    def writes(self, where: Whereabouts, named: Sequence[Word]) -> list[Block]:
        """Returns what it visibly writes that no rule covers, which contains ``named``: ``echo .git/x | xargs rm``."""
        found: list[Block] = []
        for one, judged in self.parts:
            seen = with_inner(judged) if named or one.evidence else ()
            for verdict in [each for each in seen if each.decision is not Decision.ALLOW]:
                unproven = restricted_writes.unproven_write(verdict.command, named, where)
                if unproven is not None:
                    found.append(Block("write", f"it runs `{' '.join(verdict.argv)}`: {unproven}", one.span))
        return found

    def blocks_for(self, allowing: Sequence[PrefixMatch], ruled: Sequence[Word] = ()) -> tuple[Block, ...]:
        """Returns what is in the way of a grant by ``allowing`` rules, which contain ``ruled``, or by a safe entry.

        A rule that names the inner program grants it too (``["npx", "tsc"]``, ``["find", "-delete"]``); one that names
        the wrapper does not.
        """
        spans = {word.span for word in ruled[1:]}
        found = list(self.blocks)
        for one, judged in self.parts:
            if one.evidence:
                continue
            named = any(_names_inner(match, one) for match in allowing) or any(
                word.span in spans for word in one.words[:1]
            )
            for verdict in judged:
                if verdict.decision is not Decision.ALLOW and not (named and _reaches(allowing, verdict)):
                    shown = " ".join(verdict.argv)
                    detail = f"it runs `{shown}`, which no rule or entry allows"
                    found.append(Block("hidden-command", detail, one.span, unknown=verdict.kind == "unknown"))
        return tuple(found)


NOTHING_INSIDE = Inside((), (), ())


def shows_secret(verdict: CommandVerdict) -> bool:
    """True if a command that is not proven to be safe reads a well-known secret."""
    if verdict.opinion is None or verdict.opinion.verdict == "safe":
        return False

    named = any(map(secret_in, {word.literal for word in verdict.command.words[1:] if word.literal}))
    return named or verdict.opinion.code == "secret"


def with_inner(verdicts: Sequence[CommandVerdict]) -> list[CommandVerdict]:
    """``verdicts``, and those on everything that they would run, to any depth."""
    found = list(verdicts)
    for verdict in found:
        found += verdict.inner
    return found


def _names_inner(match: PrefixMatch, inner: Inner) -> bool:
    """True if the rule's pattern reaches the inner program: it then speaks about that program."""
    words = inner.words
    return bool(words) and words[0].literal is not None and words[0].literal in match.prefix[1:]


def _reaches(allowing: Sequence[PrefixMatch], verdict: CommandVerdict) -> bool:
    """True if nothing that a named inner command would run itself is left out by the rules' patterns.

    ``["sudo", "bash"]`` says as little about what bash runs as ``["bash"]`` does.
    """
    if verdict.source != "wrapper" and not any(block.code == "hidden-command" for block in verdict.blocks):
        return True
    if any(match.prefix[-len(verdict.argv) :] == verdict.argv for match in allowing):
        return True  # word for word
    named = {word for match in allowing for word in match.prefix[1:]}
    return bool(verdict.inner) and all(
        inner.decision is Decision.ALLOW or inner.argv[:1] == () or inner.argv[0] in named for inner in verdict.inner
    )
