"""Programs whose arguments are a language of their own, read as a whole."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.safety.opinion import Refusal
    from execpolicy.shell.words import Word


def refusal(name: str, words: Sequence[Word], at: int) -> Refusal | None:
    """Why the expression ``words[at:]`` of the kind ``name`` is not known to be harmless, or ``None`` if it is."""
    if name == "find":
        from execpolicy.safety.languages import find

        return find.refusal(words, at)
    if name == "test":
        from execpolicy.safety.languages import conditions

        return conditions.refusal(words, at)
    from execpolicy.safety.languages import printing

    return printing.refusal(words, at)
