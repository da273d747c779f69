"""Names that a filter makes of texts which the script gives it: ``cat "$(echo .xenv | colrm 2 2)"``.

Evidence for asking: what is modelled exactly is known; of what any other filter makes of a text, only the letters are.
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.programs.names import base_name
from execpolicy.safety.listings import EDITING, READING, SELECTING, has_letter, has_option, run_words
from execpolicy.safety.secret_names import COMMON_FILES
from execpolicy.shell.limits import READ, STEP
from execpolicy.shell.vocabulary import CAUGHT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_WHOLE = names(
    "cat tee head tail sort uniq tac sponge pv wc cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum "
    "b2sum read mapfile readarray test [ cd true false"
)
"""Programs that print whole lines of what they read, or nothing of it."""
_NAMES = sorted(COMMON_FILES)


def made_secret(facts: Facts) -> str | None:
    """A usual secret of whose letters a filter of the script may make a name that something reads."""
    made_alone = facts.mentions("awk")
    reads = any(map(facts.mentions, READING))
    for at, command in enumerate(facts.script.commands):
        given = not CAUGHT.isdisjoint(command.context)
        if not (command.piped_from or command.redirects or made_alone) or not (given or reads):
            continue
        words = facts.once(run_words)[at]
        if words and (given or at in facts.once(_read_from)) and (letters := _letters(at, words, facts)):
            found = next((name for name in _NAMES if _may_make(name, letters)), None)
            if found is not None:
                return found
    return None


def _letters(at: int, words: Sequence[Word], facts: Facts) -> str:
    """The letters of which the command ``at``, which runs ``words``, makes what it prints; none where that is known."""
    from execpolicy.flow.streams import fed_texts, output_texts

    command = facts.script.commands[at]
    name = base_name(words[0].literal or "")
    if name in _WHOLE or (name in SELECTING and not has_letter(words, "or") and not has_option(words, "--o", "--r")):
        return ""
    fed = fed_texts(command, facts)[0] if _is_given_text(command, facts) else []
    if name in EDITING:
        said = facts.knowledge.constants(name, command)
    else:
        said = [word.literal or "" for word in words[1:]] if fed else []
    text = "".join([*fed, *said]).lower()
    if not text or not facts.budget.spend(READ * len(text)) or output_texts([at], facts)[1]:
        return ""
    return text


def _is_given_text(command: Command, facts: Facts) -> bool:
    """Whether ``command`` reads what the script holds and not only what a pattern finds in files."""
    if not command.piped_from:
        return bool(command.redirects)
    run = facts.once(run_words)
    source = command
    while source.piped_from and facts.budget.spend(STEP):  # which stand before it
        at = source.piped_from[-1]
        source = facts.script.commands[at]
    return base_name(run[at][0].literal or "") not in SELECTING if run[at] else True


def _may_make(name: str, letters: str) -> bool:
    """Whether ``name`` can be made of ``letters``; one that is a plain word, only of letters in its order."""
    if not set(letters).issuperset(name):
        return False
    rest = iter(letters)
    return not name.isalpha() or all(char in rest for char in name)


def _read_from(facts: Facts) -> frozenset[int]:
    """The commands whose output a loop reads, or what runs others with it."""
    found = zip(facts.script.commands, facts.once(run_words), strict=True)
    reading = [each for each, words in found if not words or base_name(words[0].literal or "") in READING]
    return frozenset([at for each in reading for at in each.piped_from])
