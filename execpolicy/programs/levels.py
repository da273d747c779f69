"""Everything that a command runs through wrappers, on all levels at once: for very deep or very long ones."""

from __future__ import annotations

from execpolicy.programs.inner import Inner, run_unknown
from execpolicy.programs.unwrap import ALL_LEVELS, MAX_INNER, MAX_WORDS, MAX_WRAPPERS, one_level
from execpolicy.shell.script import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts


def wrappers(command: Command) -> int:
    """How many wrappers stand around ``command``."""
    return sum([1 for each in command.context if each.startswith("wrapper:")])


def all_levels(command: Command, facts: Facts) -> tuple[Inner, ...]:
    """Everything that ``command`` runs through wrappers, however many there are; and that nothing is proven by it."""
    found: list[Inner] = []
    pending = [command]
    seen: set[tuple[object, ...]] = set()
    words = 0
    while pending and words < MAX_WORDS and len(found) < MAX_INNER:
        here = pending.pop()
        levels = [inner for inner in one_level(here, facts) if inner.command is not None or here is command]
        for inner in levels:
            if inner.command is None:
                found.append(inner)
                continue
            key = _suffix(inner.command)
            words += len(inner.command.words) // 8
            if key not in seen and words < MAX_WORDS:
                seen.add(key)
                words += len(inner.command.words)
                found.append(_levelled(inner.command, inner))
        # The most likely reading comes first.
        fresh = [inner.command for inner in levels if inner.command is not None]
        for inside in reversed(fresh):
            key = ("opened", *_suffix(inside))
            if key not in seen:
                seen.add(key)
                pending.append(inside)
    found.append(run_unknown("", command, "runs more wrappers inside wrappers than are opened one by one"))
    return tuple(found)


def _suffix(command: Command) -> tuple[object, ...]:
    """What tells the inner commands of one command apart: they are ends of it mostly, made of the same words."""
    words = command.words
    given = tuple([(one.name, one.value.literal if one.value else None) for one in command.assignments])
    first, last = words[:1], words[-1:]
    text = tuple([word.literal if word.literal is not None else id(word) for word in (*first, *last)])
    return (len(words), text, first[0].span.start if first else 0, given)


def _levelled(command: Command, inner: Inner) -> Inner:
    made = Command(
        command.words,
        command.span,
        assignments=command.assignments,
        redirects=command.redirects,
        context=(*command.context[: MAX_WRAPPERS + 1], ALL_LEVELS),
        piped_from=command.piped_from,
        body=command.body,
    )
    return Inner(inner.name, inner.span, command=made, evidence=True)
