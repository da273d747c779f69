"""What stands in the way of a grant: effects, assignments, writes, hidden and dynamic parts."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.judge.restrictions import literal_start
from execpolicy.judge.verdict import Block, WriteMatch
from execpolicy.programs.builtins import builtin_effects
from execpolicy.programs.spellings import could_match
from execpolicy.safety.globs import glob_matches
from execpolicy.safety.heuristics import SYSTEM_FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.matches import PrefixMatch
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.safety.opinion import Opinion
    from execpolicy.shell.script import Assignment, Command, Effect, Redirect

DECLARATIONS = frozenset(["export", "declare", "typeset", "local", "readonly"])
"""Builtins that only set variables; ``builtin_effects`` says when that changes what runs."""
_HARMLESS_TARGETS = frozenset(["/dev/null", "/dev/stdout", "/dev/stderr"])
"""On Linux writing to ``/dev/stdout`` opens the file behind descriptor 1 anew, even if that was opened for reading:
they are harmless only because :func:`_moves_descriptors` keeps descriptors 1 and 2 where they are."""
_HARMLESS_SOURCES = frozenset(["/dev/tty", "/dev/urandom", "/dev/random"])


def _sets(command: Command) -> bool:
    """Whether a declaration names a variable and prints nothing: ``export`` alone prints the whole environment."""
    texts = [word.literal if word.literal is not None else word.prefix for word in command.words[1:]]
    options = [text for text in texts if text[:1] in ("-", "+")]
    return len(options) < len(texts) and not any("p" in option for option in options)


class Grants:
    """What can be proven about one script.

    Attributes:
        blocks: what stands in the way of every grant in it.
    """

    __slots__ = ("_moves", "_quiet", "blocks", "effects", "facts", "rulebook", "situation")

    def __init__(self, facts: Facts, rulebook: Rulebook, situation: Situation) -> None:
        self.facts = facts
        self.rulebook = rulebook
        self.situation = situation
        effects = list(facts.script.effects)
        moves = False
        quiet: set[int] = set()
        for command in facts.script.commands:
            found = builtin_effects(command, facts)
            if not found and command.words and command.words[0].literal in DECLARATIONS and _sets(command):
                quiet.add(id(command))
            for effect in found:
                if effect.kind == "cd":
                    moves = True
                else:
                    effects.append(effect)
        self._moves = moves
        self._quiet = frozenset(quiet)
        self.effects: tuple[Effect, ...] = tuple(effects)
        blocks = [Block(effect.kind, effect.detail, effect.span) for effect in effects]
        if facts.script.status == "opaque":
            blocks.insert(0, Block("opaque", facts.script.reason or "the script cannot be read"))
        self.blocks: tuple[Block, ...] = tuple(blocks)

    def with_blocks(self, blocks: tuple[Block, ...]) -> Grants:
        """The same script with other blocks."""
        copy = object.__new__(Grants)
        copy.facts, copy.rulebook, copy.situation = self.facts, self.rulebook, self.situation
        copy._moves, copy._quiet, copy.effects, copy.blocks = self._moves, self._quiet, self.effects, blocks
        return copy

    def only_sets_variables(self, command: Command) -> bool:
        """Whether ``command`` runs nothing: a bare assignment, or a declaration that has no effect on what runs."""
        return not command.words or id(command) in self._quiet

    def unresolved(self, opinions: Sequence[Opinion | None]) -> tuple[Block, ...]:
        """The blocks without arithmetic over commands that are known to print nothing but a number."""
        if not any(effect.inner for effect in self.effects):
            return self.blocks
        offset = len(self.blocks) - len(self.effects)
        kept = list(self.blocks[:offset])
        for effect, block in zip(self.effects, self.blocks[offset:], strict=True):
            numeric = bool(effect.inner) and effect.kind == "arithmetic"
            for index in effect.inner:
                opinion = opinions[index] if index < len(opinions) else None
                numeric = numeric and opinion is not None and opinion.verdict == "safe" and opinion.output == "number"
            if not numeric:
                kept.append(block)
        return tuple(kept)

    def shown(self, command: Command) -> tuple[str, ...]:
        """The argv for people: a dynamic word as the script writes it."""
        plain = command.plain_argv
        if plain is not None:
            return plain
        text = self.facts.script.text
        return tuple(
            [
                word.literal if word.literal is not None else text[word.span.start : word.span.end] or "…"
                for word in command.words
            ]
        )

    def allow_rules(self, command: Command) -> tuple[PrefixMatch, ...]:
        """The allow rules that cover the words of ``command`` exactly as written, their whole pattern literal."""
        argv: Sequence[str] | None = command.plain_argv
        if argv is None:
            argv = literal_start(command.words)
        if not argv:
            return ()
        program = argv[0]
        matches = self.rulebook.policy.matches(argv)
        if not matches and "/" in program and self._is_that_program(program):
            matches = self.rulebook.policy.matches(argv, resolution=self.situation.resolution)
        return tuple([match for match in matches if match.decision is Decision.ALLOW]) if matches else ()

    def _is_that_program(self, path: str) -> bool:
        """Whether a path is proven to be the program of its base name: listed as host executable, or system-owned."""
        name = path[path.rfind("/") + 1 :]
        return name in self.rulebook.policy.host_executables or path[: len(path) - len(name)] in SYSTEM_FOLDERS

    def rule_blocks(self, command: Command, allowing: Sequence[PrefixMatch]) -> tuple[Block, ...]:
        """What stands in the way of a grant by ``allowing`` beside the script's and the command's own blocks."""
        found: list[Block] = []
        words = command.words
        program = words[0].literal or ""
        if self._moves and "/" in program and not program.startswith("/"):
            found.append(
                Block("program-path", f"`{program}` depends on the folder that the script changes", words[0].span)
            )
        if any(word.literal is None for word in words):
            name = program[program.rfind("/") + 1 :]
            for rule in self.rulebook.policy.rules_for(name):
                if rule.decision is not Decision.ALLOW and could_match(rule.pattern, words):
                    detail = f"a word that is only known at run time could make it `{rule.pattern}`"
                    found.append(Block("dynamic-argument", f"{detail}, which is {rule.decision.word}", command.span))
        return tuple(found)

    def command_blocks(self, command: Command, opinion: Opinion) -> tuple[Block, ...]:
        """Assignments of ``command`` that may change what runs."""
        if not command.assignments:
            return ()
        from execpolicy.shell.variables import harmless_assignment

        exported = bool(command.words)
        found: list[Block] = []
        for assignment in command.assignments:
            if harmless_assignment(
                assignment.name, assignment.value, exported=exported, shell=self.facts.script.shell
            ) or self._accepted(assignment, opinion):
                continue
            detail = f"`{assignment.name}=…` may change what runs"
            found.append(Block("assignment", detail, assignment.span))
        return tuple(found)

    def _accepted(self, assignment: Assignment, opinion: Opinion) -> bool:
        """Whether the safe entry of this command says that the assignment is harmless for it (`PAGER=cat git log`)."""
        if opinion.verdict != "safe" or opinion.entry is None or assignment.append or assignment.subscript:
            return False
        accepted = getattr(opinion.entry, "environment", {}).get(assignment.name, ())
        value = assignment.value.literal if assignment.value is not None else None
        return value is not None and any(glob_matches(glob, value) for glob in accepted)

    def secrets_read(self, command: Command) -> tuple[Block, ...]:
        """Redirections of ``command`` that read a well-known secret."""
        found: list[Block] = []
        for redirect in command.redirects:
            if redirect.operator not in ("<", "<>"):
                continue
            from execpolicy.safety.secrets import secret_in, secret_matching

            target = redirect.target
            problem = None
            for word, *_ in target.cases or ((target,),):
                if word.literal is None:
                    problem = problem or secret_matching(word.shape or "*")
                elif word.literal not in _HARMLESS_SOURCES:
                    problem = problem or secret_in(word.literal)
            if problem is not None:
                found.append(Block("secret", f"it reads a file by redirection: {problem}", redirect.span))
        return tuple(found)

    def writes(self, command: Command) -> tuple[list[WriteMatch], tuple[Block, ...]]:
        """The write rules that restrict the redirections of ``command``, and what no rule allows it to write."""
        matches: list[WriteMatch] = []
        blocks: list[Block] = []
        for redirect in command.redirects:
            if _moves_descriptors(redirect):
                detail = (
                    "it opens or copies a descriptor, and `/dev/stdout` and its like would write what it stands for"
                )
                blocks.append(Block("descriptor", detail, redirect.span))
            if not redirect.writes:
                continue
            target = redirect.target.literal
            if target is None:
                blocks.append(Block("write", "it writes a file that is only known at run time", redirect.span))
                continue
            if target in _HARMLESS_TARGETS:
                continue
            if self._moves and not target.startswith("/"):
                blocks.append(
                    Block("write", f"`{target}` depends on the folder that the script changes", redirect.span)
                )
            allowed = True
            for path in self.situation.paths_of(target):
                rules = self.rulebook.writes.matches(path, root=self.situation.root, home=self.situation.home)
                matches += [WriteMatch(path, rule) for rule in rules if rule.decision is not Decision.ALLOW]
                allowed = allowed and bool(rules)
            if not allowed:
                blocks.append(Block("write", f"it writes `{target}`, which no write rule allows", redirect.span))
        return matches, tuple(blocks)


def _moves_descriptors(redirect: Redirect) -> bool:
    """Whether a redirection makes a descriptor other than standard input stand for another file, beyond `2>&1`."""
    if redirect.operator in ("<", "<>", "<<", "<<-", "<<<"):
        return redirect.fd not in (None, "0")
    if redirect.operator in (">&", "<&") and not redirect.writes:
        target = redirect.target.literal
        if target == "-":
            return False
        if redirect.operator == "<&":
            return not (redirect.fd in (None, "0") and target == "0")
        return redirect.fd not in (None, "1", "2") or target not in ("1", "2")
    return redirect.fd not in (None, "1", "2")
