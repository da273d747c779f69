"""The grounds of a grant: for every part of a command either the ground that carries it or what blocks it."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.ground import AllowedTarget, Ground
from execpolicy.core.network import rules_for_command
from execpolicy.core.path_rules import WriteRule
from execpolicy.core.rules import NetworkRule
from execpolicy.core.text import glob_matches
from execpolicy.judge import connections, file_write
from execpolicy.judge.command_verdict import Block
from execpolicy.judge.folders import restricted_writes
from execpolicy.judge.folders.whereabouts import Whereabouts
from execpolicy.programs.builtin_effects import builtin_effects
from execpolicy.safety.heuristics import SYSTEM_FOLDERS
from execpolicy.safety.locations import Location
from execpolicy.shell.script import EXPORTED, SOURCE
from execpolicy.shell.vocabulary import DECLARING, run_here
from execpolicy.shell.words import literal_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from execpolicy.core.matches import PrefixMatch
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.standing import Standing
    from execpolicy.safety.opinion import Opinion
    from execpolicy.shell.script import Assignment, Command, Script, ShellEffect
    from execpolicy.shell.words import Word

    Finding: TypeAlias = Ground | Block

_LITERAL = Ground("words-literal")
_NAMED = Ground("program-named")
_UNDERSTOOD = {status: (Ground("script-understood", None, status),) for status in ("plain", "structured", "opaque")}
"""Most commands rest on these three, which say nothing about a part of them."""


def _grounds_of(script: Script) -> tuple[Ground, ...]:
    """The grounds of everything in ``script``."""
    found: tuple[Ground, ...] = _UNDERSTOOD[script.status]
    if script.functions:
        found += (Ground("function-in-force", None, ", ".join(sorted(script.functions))),)
    if script.seen.conditions or script.seen.uses:
        found += tuple([Ground("condition-harmless", span) for span in script.seen.conditions])
        found += tuple([Ground("arithmetic-number", use.span) for use in script.seen.uses])
    return found


def _sets(command: Command) -> bool:
    """True if a declaration names a variable and prints nothing: ``export`` alone prints the whole environment."""
    texts = [word.prefix for word in command.words[1:]]
    options = [text for text in texts if text[:1] in ("-", "+")]
    return len(options) < len(texts) and not any("p" in option for option in options)


def _leaves(command: Command) -> bool:
    """True if a command that moves may go elsewhere than to one folder below, by a name that does not climb."""
    words = command.words[run_here(command.words) :]
    texts = [word.literal for word in words[1:] if word.literal not in ("--", "-P", "-L")]
    if words[0].literal not in ("cd", "chdir", "pushd") or len(texts) != 1:
        return True
    text = texts[0]
    return not text or text[0] in "/-+" or ".." in text


class Grants:
    """The proofs about one script.

    Attributes:
        blocks: what is in the way of every grant in it.
        grounds: what every grant in it rests on.
        where: the folders that its commands run in, and what those make of them.
        exports: what it gives to all programs that it runs, in variables that no program with an entry knows.
    """

    __slots__ = ("blocks", "exports", "facts", "grounds", "quiet", "rulebook", "situation", "where")

    def __init__(
        self,
        facts: Facts,
        rulebook: Rulebook,
        situation: Situation,
        *,
        moved: bool = False,
        exported: tuple[Block, ...] = (),
        start: Standing | None = None,
    ) -> None:
        """
        Args:
            moved: what runs the script may do so in another folder.
            exported: and with these variables.
            start: the folder that it begins in, if that is not the one of the judgement.
        """
        self.facts = facts
        self.rulebook = rulebook
        self.situation = situation
        script = facts.script
        effects = list(facts.effects)
        moves = moved
        far = start is not None
        moving: list[Command] = []
        quiet: set[int] = set()
        for command in script.commands:
            found = builtin_effects(command, facts)
            harmless = all(effect.kind == EXPORTED for effect in found)
            if harmless and command.words and command.words[0].literal in DECLARING and _sets(command):
                quiet.add(id(command))
            for effect in found:
                if effect.kind == "cd":
                    moves = True
                    moving.append(command)
                    far = far or _leaves(command)
                elif effect.kind == EXPORTED:
                    exported += (Block("assignment", effect.detail, effect.span, unknown=True),)
                else:
                    effects.append(effect)
        self.where = Whereabouts(facts, rulebook, situation, start, moves=moves, moving=moving, far=far)
        self.exports = exported
        self.quiet = frozenset(quiet)
        harmless_effects = dict.fromkeys([effect for effect in effects if self._is_harmless(effect)])
        blocks = [Block(each.kind, each.detail, each.span) for each in effects if each not in harmless_effects]
        if script.status == "opaque":
            blocks.insert(0, Block("opaque", script.reason or "the script cannot be read"))
        if "$" in script.text:
            from execpolicy.safety.exposure import exposed_variable

            exposed = exposed_variable(facts)
            if exposed is not None:
                detail = f"it hands on the value of `{exposed}`, which is usually a secret"
                blocks.insert(0, Block("secret", detail))
        self.blocks: tuple[Block, ...] = tuple(blocks)
        numeric = [effect.span for effect in harmless_effects if effect.inner]
        detail = "the output is evaluated as arithmetic"
        self.grounds = _grounds_of(script) + tuple([Ground("output-number", span, detail) for span in numeric])

    def _is_harmless(self, effect: ShellEffect) -> bool:
        """True if entries say that this shell may run the file that the command of ``effect`` reads, or that the
        commands whose output is evaluated as arithmetic print nothing but a number.
        """
        commands = self.facts.script.commands
        if effect.kind == SOURCE:
            return self._only_read([each for each in commands if each.span == effect.span])
        return self._only_read([commands[index] for index in effect.inner], output="number")

    def _only_read(self, commands: Sequence[Command], output: str | None = None) -> bool:
        """True if there are ``commands`` and entries accept all of them, with that ``output``."""
        for each in commands:
            own = self.rulebook.heuristics.opinion(each, self.facts)
            if own.verdict != "safe" or (output is not None and own.output != output):
                return False
            if self.where.opinion(each, own).verdict != "safe":
                return False
        return bool(commands)

    def around(self, command: Command, inner: Inner) -> Grants:
        """The same for what a wrapper runs in another folder or without some variables."""
        exports = self.exports
        if inner.bare:
            exports += (Block("assignment", f"`{inner.name}` takes variables away that it may look at", inner.span),)
        return self._of(command, inner, self.facts, exports)

    def inside(self, command: Command, inner: Inner, script: Script) -> Grants:
        """The same for the ``script`` of ``inner``, which ``command`` runs."""
        return self._of(command, inner, self.facts.within(script, command), self.exports)

    def _of(self, command: Command, inner: Inner, facts: Facts, exported: tuple[Block, ...]) -> Grants:
        moved = self.where.moves or inner.moved
        start = self.where.of_inner(command, inner)
        return Grants(facts, self.rulebook, self.situation, moved=moved, exported=exported, start=start)

    def sets_variables(self, command: Command) -> Ground | None:
        """That ``command`` runs nothing: a bare assignment, or a declaration that has no effect on what runs."""
        if command.words and id(command) not in self.quiet:
            return None
        return Ground("sets-variables", command.span, command.words[0].literal if command.words else "")

    def shown(self, command: Command) -> tuple[str, ...]:
        """The argv for people: a dynamic word as the script writes it."""
        plain = command.plain_argv
        if plain is not None:
            return plain
        return tuple([self.facts.script.shown(word) for word in command.words])

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
        if not matches:
            return ()
        allowing = [match for match in matches if match.decision is Decision.ALLOW]
        if any(match.rule.unless for match in allowing):
            from execpolicy.judge.exceptions import leaves_out

            allowing = [match for match in allowing if not leaves_out(match.rule, command.words)]
        return tuple(allowing)

    def _is_that_program(self, path: str) -> bool:
        """True if a path is proven to be the program of its base name: listed as host executable, or system-owned."""
        name = path[path.rfind("/") + 1 :]
        return name in self.rulebook.policy.host_executables or path[: len(path) - len(name)] in SYSTEM_FOLDERS

    def by_rule(self, command: Command, allowing: Sequence[PrefixMatch], opinion: Opinion) -> list[Finding]:
        """Returns the grounds of a grant by ``allowing``, in addition to those of the script and the command."""
        words = command.words
        found: list[Finding] = [*_named(words), *self.exports]
        for at, word in enumerate(named_words(command, allowing)):
            name = word.literal or ""
            if _is_relative(name, is_program=at == 0):
                if self.where.moves:
                    detail = f"`{name}` depends on the folder that the script changes"
                    found.append(Block("program-path", detail, word.span))
                else:
                    found.append(Ground("folder-known", word.span, name))
        embedded = self.where.embedded_repository(command, ruled=True)
        if embedded is not None:
            found.append(Block("folder", embedded))
        if self.where.strays(command):
            found.append(Block("folder", "it may run in a folder outside the one that the rule was written for"))
        looks = False
        if any(word.literal is not None and word.literal.endswith("execpolicy") for word in words):
            from execpolicy.safety.administration import administers, only_looks

            reason = administers(words)
            if reason is not None:
                found.append(Block("administration", reason, command.span))
            looks = only_looks(words)
        found += [Ground("rule-covers", None, match.rule) for match in allowing]
        if self.rulebook.policy.network_rules:
            reached = connections.may_connect(command, self.rulebook)
            if reached is not None:
                found.append(Block("dynamic-argument", reached, command.span))
        literal = command.plain_argv is not None or all(word.literal is not None for word in words)
        if opinion.verdict != "safe" and not looks:
            unproven = restricted_writes.unproven_write(command, named_words(command, allowing), self.where)
            if unproven is not None:
                found.append(Block("write", unproven, command.span))
        if literal:
            found.append(_LITERAL)
            return found
        found += [Ground("dynamic-behind-rule", word.span) for word in words if word.literal is None]
        return found

    def by_entry(self, command: Command, opinion: Opinion) -> tuple[Ground, ...]:
        """Returns the grounds of a grant because ``opinion`` is *safe*, in addition to those of the command."""
        accepts = opinion.ground
        if accepts is None:  # it calls a function of the script, which is a ground of the whole script
            return self.grounds
        rests_on = (*self.grounds, *_named(command.words), accepts)
        for one in opinion.locations:
            if one.effect:
                code = "rule-covers" if one.connects else "write-covered"
                rule = self._rule_for(one)
                rests_on += (Ground(code, command.span, one.text if rule is None else AllowedTarget(one.text, rule)),)
        if opinion.obeys:
            rests_on += (Ground("settings-absent", command.span, ", ".join(opinion.obeys)),)
        if command.plain_argv is not None:
            return (*rests_on, _LITERAL)
        dynamic = [self._dynamic(word) for word in opinion.words if word.literal is None]
        return (*rests_on, *(dynamic or (_LITERAL,)))

    def _rule_for(self, one: Location) -> WriteRule | NetworkRule | None:
        """The rule that allows what ``one`` names; ``None`` if another folder makes it another file."""
        if one.effect == "link":  # names what is put elsewhere
            return None
        if not one.connects:
            return file_write.FileWrite(one.text, self.rulebook, self.situation, one.effect).allowing
        rules = rules_for_command(self.rulebook.policy.network_rules, one.text)
        return next((rule for rule in rules if rule.grants and rule.decision is Decision.ALLOW), None)

    def _dynamic(self, word: Word) -> Ground:
        """Returns why an entry may take a word that is only known at run time."""
        text = self.facts.script.shown(word)
        if word.kind == "names":
            found = word.pattern is not None or any(piece.kind == "glob" for piece in word.pieces)
            code = "glob-anchored" if found else "output-hash"
        elif word.number:
            code = "output-number" if word.inner else "arithmetic-number"
        else:
            code = "glob-anchored" if word.kind == "glob" and word.prefix else "dynamic-inert"
        return Ground(code, word.span, text)

    def of_assignments(self, command: Command, opinion: Opinion) -> list[Finding]:
        """For every assignment of ``command`` why it is harmless, or that it may change what runs."""
        if not command.assignments:
            return []
        from execpolicy.shell.variables import harmless_assignment, plain_variable

        exported = bool(command.words)
        shell = self.facts.script.shell
        found: list[Finding] = []
        for one in command.assignments:
            whole = not (one.append or one.subscript)  # `PATH[0]=/bin` makes an array of it, in which nothing is found
            if harmless_assignment(one.name, one.value if whole else None, exported=exported, shell=shell):
                found.append(Ground("assignment-harmless", one.span, one.name))
            elif opinion.ground is not None and plain_variable(one.name, shell):
                # no program that an entry speaks for gives a meaning to the name; one that a rule allows may
                found.append(Ground("assignment-harmless", one.span, one.name))
            elif self._accepted(one, opinion):
                found.append(Ground("assignment-accepted", one.span, one.name))
            else:
                plain = plain_variable(one.name, shell)
                found.append(Block("assignment", f"`{one.name}=…` may change what runs", one.span, unknown=plain))
        return found

    def _accepted(self, assignment: Assignment, opinion: Opinion) -> bool:
        """True if the safe entry of this command says that the assignment is harmless for it (`PAGER=cat git log`)."""
        if opinion.verdict != "safe" or opinion.entry is None or assignment.append or assignment.subscript:
            return False
        accepted = getattr(opinion.entry, "environment", {}).get(assignment.name, ())
        value = assignment.value.literal if assignment.value is not None else None
        return value is not None and any(glob_matches(glob, value) for glob in accepted)


def _named(words: Sequence[Word]) -> tuple[Ground, ...]:
    """Returns why the program is the one that its word names."""
    if not words or words[0].kind == "literal":
        return (_NAMED,)
    return _NAMED, Ground("variable-proven", words[0].span)


def named_words(command: Command, allowing: Sequence[PrefixMatch]) -> Sequence[Word]:
    """The words of ``command`` that the rules ``allowing`` it contain."""
    return command.words[: max([len(match.prefix) for match in allowing], default=0)]


def _is_relative(name: str, *, is_program: bool) -> bool:
    """True if a word of a rule's pattern means another file in another folder: ``./run.sh``, ``python3 tools/x.py``."""
    if is_program:
        return "/" in name and not name.startswith("/")
    return name[:1] not in ("/", "-", "~") and ("/" in name or "." in name)
