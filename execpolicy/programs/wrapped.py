"""What the programs of the wrapper table run: ``sudo -u x rm``, ``timeout 5 make``, ``docker run … sh -c``."""

from __future__ import annotations

from execpolicy.programs.inner import Inner, literal_words, run_command, run_text
from execpolicy.programs.options import Given, option_table
from execpolicy.programs.walk import Walk, every_option, is_assignment, walk
from execpolicy.shell.script import Assignment, Command
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.wrappers import Wrapper
    from execpolicy.shell.words import Word


def wrapped(name: str, spec: Wrapper, command: Command, facts: Facts, at: int = 1) -> list[Inner]:
    """What a program of the wrapper table runs; ``at`` is where its options start."""
    words = command.words
    table = option_table(spec.options)
    if spec.subcommands:
        starts = [
            start + 1 for start in walk(table, words, at).starts if words[start].literal in spec.subcommands.split()
        ]
        if not starts:
            return []
        at = starts[0]
        if words[at - 1].literal == "tool" and at < len(words) and words[at].literal == "run":
            at += 1
    way = walk(
        table,
        words,
        at,
        operands=spec.operands,
        assignments=spec.assignments,
    )
    if spec.stop and not way.ambiguous:
        stop = spec.stop.split()
        if any(seen.full and seen.name in stop for seen in way.seen):
            return []
    if spec.optional:
        extra = walk(table, words, at)
        way.starts.extend([start for start in extra.starts if start not in way.starts])
    after = spec.after or ("--" if spec.subcommands else "")
    for position in range(at, len(words) - 1) if after else ():
        if words[position].literal in after.split() and position + 1 not in way.starts:
            way.starts.append(position + 1)
    found = _text_options(name, way, command, facts, words)
    transparent = _is_transparent(spec, way, words, at)
    for start in way.starts:
        if spec.joined:
            from execpolicy.programs.text_runs import run_joined

            found.extend(run_joined(name, command, facts, words[start:]))
            if any(seen.name in ("-x", "--exec") for seen in way.seen):
                found.append(run_command(name, command, words[start:]))
            continue
        assigned = _assignments(words[at:start]) if spec.assignments else ()
        found.append(
            run_command(name, command, words[start:], assignments=assigned, transparent=transparent and len(found) == 0)
        )
    if table.permute and not spec.operands:
        found.extend(_without_own_options(name, spec, command, way))
    if spec.shell and not way.starts and not any(seen.kind == "!" for seen in way.seen):
        from execpolicy.programs.carriers.shells import run_stdin

        found.extend(run_stdin(name, command, facts, "sh"))
    if name == "sudo" and any(seen.name in ("-s", "-i", "--shell", "--login") for seen in way.seen):
        from execpolicy.programs.carriers.shells import run_stdin
        from execpolicy.programs.text_runs import run_joined

        # The words go through a shell, quoted except that empty ones are lost; without words it reads its input.
        for start in way.starts:
            found.extend(run_joined(name, command, facts, words[start:]))
        if not way.starts:
            found.extend(run_stdin(name, command, facts, "sh"))
    return found


def _without_own_options(name: str, spec: Wrapper, command: Command, way: Walk) -> list[Inner]:
    """A program that permutes its arguments takes its options out of the inner command's, too."""
    words = command.words
    found: list[Inner] = []
    for start in way.starts[:2]:
        taken: set[int] = set()
        for seen in every_option(option_table(spec.options), words, start).seen:
            taken.add(seen.at)
            if seen.word is not None:
                taken.add(seen.at + 1)
        dashes = next((at for at in range(start, len(words)) if words[at].literal == "--"), -1)
        kept = tuple([words[at] for at in range(start, len(words)) if at not in taken and at != dashes])
        if kept and len(kept) != len(words) - start:
            found.append(run_command(name, command, kept, evidence=True))
    return found


def _is_transparent(spec: Wrapper, way: Walk, words: Sequence[Word], at: int) -> bool:
    if spec.grant is None or spec.joined or not way.exact:
        return False
    granted = spec.grant.split()
    for seen in way.seen:
        if not seen.full or seen.name not in granted or (seen.kind == ":" and seen.value() is None):
            return False
    if spec.assignments:
        from execpolicy.shell.variables import harmless_assignment

        for assigned in _assignments(words[at : way.starts[0]]):
            if not harmless_assignment(assigned.name, assigned.value, exported=True, shell="bash"):
                return False
    return True


def _assignments(words: Sequence[Word]) -> tuple[Assignment, ...]:
    """The ``NAME=value`` words among ``words``."""
    from execpolicy.shell.words import Word as Value

    found: list[Assignment] = []
    for word in words:
        text = word.literal if word.literal is not None else word.prefix
        if not is_assignment(text) or text.startswith("-"):
            continue
        name, _, value = text.partition("=")
        known = word.literal is not None
        found.append(
            Assignment(
                name,
                Value(
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


def _text_options(name: str, way: Walk, command: Command, facts: Facts, words: Sequence[Word]) -> list[Inner]:
    """Options whose value is shell text or a command line."""
    found: list[Inner] = []
    for seen in way.seen:
        if seen.kind in ("!", "*"):
            found.extend(option_value(name, seen, command, facts, words[way.starts[0] :] if way.starts else ()))
    return found


def option_value(name: str, seen: Given, command: Command, facts: Facts, rest: Sequence[Word] = ()) -> list[Inner]:
    """What an option's value runs: shell text (``!``), or a command line that ``rest`` is appended to (``*``)."""
    from execpolicy.programs.text_runs import run_word

    if seen.kind == "*":
        text = seen.value()
        if text is not None:
            from execpolicy.core.quoting import split

            program = literal_words(split(text) or [text], command.span)
            return [run_command(name, command, (*program, *rest), stdin=False)] if program else []
    if seen.glued is not None:
        return [run_text(name, command, seen.glued)]
    return run_word(name, command, facts, seen.word) if seen.word is not None else []
