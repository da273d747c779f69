"""Shell text that a command is given as words: what it says, exactly or as far as can be seen."""

from __future__ import annotations

from re import ASCII, findall

from execpolicy.flow.filled import read_values
from execpolicy.flow.streams import output_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.words import Word


def texts_of(words: Sequence[Word], facts: Facts) -> tuple[str | None, list[str]]:
    """The words joined with blanks: the exact text if they are all literal, otherwise what the script shows of it."""
    if all(word.literal is not None for word in words):
        return " ".join([word.literal or "" for word in words]), []
    alternatives = [""]
    for word in words:
        choices = word_texts(word, facts)
        if len(alternatives) * len(choices) > facts.limits.texts:
            choices = choices[:1]
        alternatives = [(before + " " + choice) if before else choice for before in alternatives for choice in choices]
    return None, alternatives


def word_texts(word: Word, facts: Facts) -> list[str]:
    """The text of a literal word; for a dynamic one its evident values, then what is written."""
    if word.literal is not None:
        return [word.literal]
    return facts.asked(_word_texts, word, facts, otherwise=[word.written])


def _word_texts(word: Word, facts: Facts) -> list[str]:
    texts = [" ".join(value) for value in facts.values(word)]
    if not texts and word.kind == "substitution" and word.inner:
        texts = [text.rstrip("\n") for text in output_texts(word.inner, facts)[0]]
    if not any(texts) and word.kind == "variable":
        texts = read_values(word, facts) or texts
    if word.written and word.written not in texts:
        texts.append(word.written)
    if word.prefix.strip():
        texts.append(word.prefix)
    return texts[: facts.limits.texts] or [""]


def closing(raw: str, at: int) -> int:
    """The offset behind the parenthesis that closes the one at ``at``; quotes are not looked into."""
    depth = 0
    for here in range(at, len(raw)):
        if raw[here] == "(":
            depth += 1
        elif raw[here] == ")":
            depth -= 1
            if depth == 0:
                return here + 1
    return len(raw)


def with_variables(text: str, facts: Facts) -> str | None:
    """``text`` behind assignments of the variables in it that the script visibly sets; ``None`` if there are none."""
    if "$" not in text or not facts.assigned:
        return None

    lines: list[str] = []
    for variable in dict.fromkeys(findall(r"\w+", text, ASCII)):
        values = facts.assigned.get(variable, ())
        if len(values) == 1:
            lines.append(variable + "='" + values[0].replace("'", "'\\''") + "'\n")
    return "".join(lines) + text if lines else None
