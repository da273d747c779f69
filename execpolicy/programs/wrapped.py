"""Commands inside a program's own argument vector: ``sudo -u x rm``, ``timeout 5 make``, ``docker run … sh -c``."""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.core import quoting
from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.inner import Inner, run_argv, run_command, run_unknown
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.options import Options, Walk, every_option, option_table, walk
from execpolicy.programs.record import Wrapper
from execpolicy.programs.text_runs import option_value, run_joined, run_stdin, run_word, split_texts
from execpolicy.shell.limits import STEP
from execpolicy.shell.script import Assignment, Command, replace
from execpolicy.shell.variables import harmless_assignment, plain_variable
from execpolicy.shell.words import Word
from execpolicy.source import Span

_FEW = 8
"""Places where a command may start that are looked at whatever work is left."""
MAX_SUBCOMMANDS = 8
"""Places where the sub-command may stand that are looked at."""


def wrapped(name: str, spec: Wrapper, leading: str, command: Command, facts: Facts) -> Iterator[Inner]:
    """Yields what ``command`` runs by the wrapper grammar ``spec``; ``leading`` options may stand before a
    sub-command.
    """
    for at in behind_subcommand(name, spec, leading, command.words):
        found = _wrapped_at(name, spec, table_of(spec, leading), command, facts, at)
        yield from [replace(inner, evidence=True, transparent=False) for inner in found] if spec.perhaps else found


def table_of(spec: Wrapper, leading: str) -> Options:
    """The options that stand before the inner command."""
    return option_table(f"{leading} {spec.options}" if "@anywhere" in leading else spec.options)


def behind_subcommand(name: str, spec: Wrapper, leading: str, words: Sequence[Word]) -> list[int]:
    """Where the options of the sub-command start, which may be cut short; of the program, if it has none."""
    if not spec.subcommands:
        return [1]
    table = option_table(leading or spec.options)
    found: list[int] = []
    pending = [(1, path.split()) for path in spec.subcommands.split(",")]
    starts: dict[int, list[int]] = {}
    while pending and len(found) < MAX_SUBCOMMANDS:
        at, path = pending.pop(0)
        if at not in starts:
            starts[at] = walk(table, words, at).starts
        for start in starts[at]:
            text = words[start].literal
            if text == path[0] or (text and path[0].startswith(text) and _is_short_for(name, text, path[0])):
                if len(path) > 1:
                    pending.append((start + 1, path[1:]))
                elif start + 1 not in found:
                    found.append(start + 1)
    return found


def _is_short_for(name: str, text: str, subcommand: str) -> bool:
    grammar = grammar_of(name)
    return grammar is not None and subcommand in grammar.child((), text)


def _wrapped_at(name: str, spec: Wrapper, table: Options, command: Command, facts: Facts, at: int) -> list[Inner]:
    words = command.words
    if spec.each:
        return _each_text(name, table, command, facts, at)
    way = walk(table, words, at, operands=spec.operands, assignments=spec.assignments)
    stop = spec.stop.split()
    if not way.ambiguous and any(seen.full and seen.name in stop for seen in way.seen):
        return []
    split = spec.split.split()
    if any(seen.name in split for seen in way.seen):
        return _split(name, split, way, command, facts)
    _add_starts(spec, table, way, words, at)
    found = list(_text_options(name, way, command, facts))
    transparent = _is_transparent(spec, way, words, at) and not (spec.keeps and not _leaves(command, facts))
    moved = any(seen.name in spec.folder.split() for seen in way.seen)
    taken = [seen for seen in way.seen if seen.name in spec.bare.split()]
    bare, blind = bool(taken), not all(seen.kind == ":" and _plain(seen.value()) for seen in taken)
    for index, start in enumerate(way.starts):
        if index >= _FEW and not facts.budget.spend(STEP + len(words) - start):
            found.append(run_unknown(name, command, "may run more commands than are looked at"))
            break
        if spec.joined:
            found.extend(run_joined(name, command, facts, words[start:]))
            if any(seen.name in spec.direct.split() for seen in way.seen):
                found.append(run_command(name, command, words[start:]))
            continue
        assigned = _assignments(words[at:start]) if spec.assignments else ()
        alone = transparent and not found and not (blind and _starts_others(words[start:]))
        inner = words[start:]
        found.append(run_command(name, command, inner, assignments=assigned, transparent=alone, moved=moved, bare=bare))
        if spec.called:
            found.extend(_called_otherwise(name, spec, way, command, inner))
    if table.permute and not spec.operands:
        found.extend(_without_own_options(name, table, command, way))
    if spec.shell and not way.starts and not any(seen.kind == "!" for seen in way.seen):
        found.extend(run_stdin(name, command, facts, "sh"))
    if any(seen.name in spec.through_shell.split() for seen in way.seen):
        # The words go through a shell, quoted except that empty ones are lost; without words it reads its input.
        for start in way.starts:
            found.extend(run_joined(name, command, facts, words[start:]))
        if not way.starts:
            found.extend(run_stdin(name, command, facts, "sh"))
    return found


def _called_otherwise(name: str, spec: Wrapper, way: Walk, command: Command, inner: Sequence[Word]) -> Iterator[Inner]:
    """``inner`` under the name that it is given: ``exec -a rm busybox x``. A grant has to cover that, too."""
    for seen in way.seen:
        if seen.name in spec.called.split() and (seen.word is not None or seen.glued):
            program = seen.word or Word(seen.glued, command.span)
            yield run_command(name, command, (program, *inner[1:]))


def _add_starts(spec: Wrapper, table: Options, way: Walk, words: Sequence[Word], at: int) -> None:
    """Places where the inner command starts when operands are left out, and behind marks such as ``--``."""
    starts = walk(table, words, at).starts if spec.optional else []
    marks = spec.after.split()
    starts += [here + 1 for here in range(at, len(words) - 1) if words[here].literal in marks] if marks else []
    way.starts.extend([start for start in starts if start not in way.starts])


def _each_text(name: str, table: Options, command: Command, facts: Facts, at: int) -> list[Inner]:
    """Every operand as shell text of its own, and the options that hold text."""
    way = every_option(table, command.words, at)
    found = list(_text_options(name, way, command, facts))
    for operand in way.operands:
        found.extend(run_word(name, command, facts, command.words[operand]))
    return found


def _split(name: str, options: Sequence[str], way: Walk, command: Command, facts: Facts) -> list[Inner]:
    """``env -S 'A=1 rm' x``: the value becomes words of the program itself, in front of the rest."""
    words = command.words
    found: list[Inner] = []
    for seen in way.seen:
        if seen.name in options:
            rest = words[seen.at + (1 if seen.glued is not None else 2) :]
            for text in split_texts(name, seen, command, facts, found):
                argv = [name, *split_string(_with_values(text, command, facts))]
                found.append(run_argv(name, command, argv, rest))
    return found


def _with_values(text: str, command: Command, facts: Facts) -> str:
    """``text`` with the values of ``${NAME}`` that are visible; ``env -S`` expands them."""
    for name, values in facts.assigned.items():
        text = text.replace("${" + name + "}", values[-1]) if values else text
    for one in command.assignments:
        if one.value is not None and one.value.literal is not None:
            text = text.replace("${" + one.name + "}", one.value.literal)
    return text


def split_string(text: str) -> list[str]:
    """The words of ``env -S``. Source: GNU coreutils 9.1 manual, ``env`` invocation."""
    plain = text.replace("\\_", " ").replace("\\t", " ").replace("\\n", " ").replace("\\c", "")
    words = quoting.split(plain)
    return words if words is not None else plain.replace("'", " ").replace('"', " ").split()


def _without_own_options(name: str, table: Options, command: Command, way: Walk) -> Iterator[Inner]:
    """A program that permutes its arguments takes its options out of the inner command's, too."""
    words = command.words
    for start in way.starts[:2]:
        taken: set[int] = set()
        for seen in every_option(table, words, start).seen:
            taken.add(seen.at)
            if seen.word is not None:
                taken.add(seen.at + 1)
        dashes = next((at for at in range(start, len(words)) if words[at].literal == "--"), -1)
        kept = tuple([words[at] for at in range(start, len(words)) if at not in taken and at != dashes])
        if kept and len(kept) != len(words) - start:
            yield run_command(name, command, kept, evidence=True)


def _leaves(command: Command, facts: Facts) -> bool:
    """True if the standard output of ``command`` surely is no terminal: a file, or a pipe to another command."""
    if any(each.writes and each.fd in (None, "1") and each.operator != ">&" for each in command.redirects):
        return True
    listed = facts.script.commands
    own = next((at for at, each in enumerate(listed) if each is command), -1)
    return any(own in each.piped_from for each in listed)


def _plain(name: str | None) -> bool:
    """True if no program knows a variable of this name, so that none misses it."""
    return name is not None and plain_variable(name, "bash")


def _starts_others(inner: Sequence[Word]) -> bool:
    """True if ``inner`` may start programs of its own, which it looks up by a variable that may be gone."""
    program = inner[0].literal if inner else None
    record = record_of(program) if program is not None else None
    return program is None or (record is not None and record.runs_others())


def _is_transparent(spec: Wrapper, way: Walk, words: Sequence[Word], at: int) -> bool:
    if spec.grant is None or spec.joined or not way.exact:
        return False
    granted = spec.grant.split()
    for seen in way.seen:
        if not seen.full or seen.name not in granted or (seen.kind == ":" and seen.value() in (None, "PATH")):
            return False  # `env -u PATH`: older C libraries then look in the current folder
    if spec.assignments:
        # A plain name does no harm to a program that an entry speaks for: the caller ensures that.
        for assigned in _assignments(words[at : way.starts[0]]):
            name, value = assigned.name, assigned.value
            if not (plain_variable(name, "bash") or harmless_assignment(name, value, exported=True, shell="bash")):
                return False
    return True


def _assignments(words: Sequence[Word]) -> tuple[Assignment, ...]:
    """The ``NAME=value`` words among ``words``."""
    found: list[Assignment] = []
    for word in words:
        name, equals, value = word.prefix.partition("=")
        if not equals or not name or name.startswith("-"):
            continue
        known = word.literal is not None
        found.append(
            Assignment(
                name,
                Word(
                    value if known else None,
                    # Of an unquoted NAME="…" this is the value; of "NAME=…" it is not, and the prefix has to do.
                    Span(min(word.span.start + len(name) + 1, word.span.end), word.span.end),
                    prefix=value,
                    kind="literal" if known else word.kind,
                ),
                word.span,
            )
        )
    return tuple(found)


def _text_options(name: str, way: Walk, command: Command, facts: Facts) -> Iterator[Inner]:
    """Options whose value is shell text or a command line."""
    rest = command.words[way.starts[0] :] if way.starts else ()
    for seen in way.seen:
        if seen.kind in ("!", "*"):
            yield from option_value(name, seen, command, facts, rest)
