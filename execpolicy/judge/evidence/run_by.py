"""What a command runs: what is proven of it, and, for the rules that restrict, what is evident.

Programs on no list (:mod:`.evidently_given`), names of options (:mod:`.said_by_names`), what a rule restricts and the
words spell out (:mod:`.spelt_out`), and text that comes from where nobody follows it (:mod:`.run_from_elsewhere`).
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.programs.inner import TOLD, run_argv, run_text
from execpolicy.programs.shelf import record_of_version
from execpolicy.programs.unwrap import unwrap
from execpolicy.shell.limits import COMMAND, READ
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.evidence.handed_out import HandedOut
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_BUILTINS = names(
    "alias bind builtin caller compgen complete compopt declare dirs disown enable export fc fg bg getopts hash "
    "history let local logout mapfile nameref print printf readarray readonly setopt suspend trap typeset unalias "
    "unset unsetopt whence zstyle autoload bindkey zle"
)
"""Builtins of shells, which take no command that way."""

_GNU = names(
    "rm mv cp ln dd chmod chown chgrp kill touch mkdir rmdir install shred truncate tee unlink sed awk tar find xargs "
    "date env nice nohup timeout chroot make mktemp mkfifo mknod split sort cat head tail ls stat printenv"
)
"""Programs that are called ``grm`` and so on where they stand beside others: on macOS and the BSDs."""
_PUT_TOGETHER = names("eval source . sh bash dash ksh zsh mksh command exec xargs env")
"""Commands that run what a script puts together."""
_RENAMING = names("alias hash commands functions command_not_found_handle")
"""What makes a name another command."""
_HELD_ALONE = frozenset(("fc", "zargs"))
"""The same of words that nobody follows: a history that is edited, arguments between two ``--``."""
_FOUND_BY = ("PATH", "exec-path", "bin")
"""What stands in a script that may run a file which it makes by its name."""
_DEFINING = ("()", "function")
_PLANNING = ("terraform", "tofu")
"""Programs that do later what a file says that they saved."""
_LANGUAGES = names("python perl raku ruby javascript php lisp r julia elixir tcl c awk vim lua")
_OTHER_SHELLS = ("zsh", "ksh")
_EXTENDED = ("@(", "+(", "?(", "*(")
_APART = str.maketrans(dict.fromkeys("\t\n\"'`!()[]{}<>|;&=,:/\\$@%#?*^~", " "))
"""What no name of a program holds, turned into blanks."""


def run_by(command: Command, facts: Facts, rulebook: Rulebook, handed: HandedOut) -> tuple[Inner, ...]:
    """What ``command`` would run itself, one level deep, and what it is evidently given.

    Args:
        handed: which texts from elsewhere other commands got.
    """
    if not rulebook.restricting or not command.words:
        return unwrap(command, facts)
    found = _evident_of(command, facts, rulebook, handed)
    program = command.words[0].literal or ""
    record = record_of_version(program.rpartition("/")[2])
    if record is None and "/" not in program:
        return found
    from execpolicy.judge.evidence.perhaps_made import perhaps_made

    made = perhaps_made(command, facts, rulebook, record)
    return (*found, made) if made is not None else found


def _evident_of(command: Command, facts: Facts, rulebook: Rulebook, handed: HandedOut) -> tuple[Inner, ...]:
    found = unwrap(command, facts)
    program = command.words[0].literal
    name = program[program.rfind("/") + 1 :] if program is not None else ""
    if name[:1] == "g" and name[1:] in _GNU and name[1:] in rulebook.restricting:
        found = (*found, run_argv(name, command, [name[1:]], command.words[1:], evidence=True))
    if _is_put_together(command, facts, name, found, rulebook):
        from execpolicy.judge.evidence.in_script import in_script

        found = (*in_script(command, facts, rulebook), *found)  # first, so that no limit on what is opened drops it
    record = record_of_version(name)
    if record is not None and (record.language or record.names[0]) in _LANGUAGES:
        from execpolicy.judge.evidence.in_code import computed_command

        computed = computed_command(command, facts, rulebook, record)
        found = (*found, computed) if computed is not None else found
    if name in _PLANNING and name in rulebook.restricting:
        from execpolicy.judge.evidence.saved_plans import saved_plans

        found = (*found, *saved_plans(command, facts, name))
    if (facts.script.shell in _OTHER_SHELLS or any(map(facts.mentions, _EXTENDED))) and _is_first(command, facts):
        found = (*found, *_in_other_words(command, facts))
    if TOLD in command.context:
        return found
    if program is None or facts.outermost.once(_makes_own):
        found = (*found, *_own(command, facts, rulebook))
    if program is not None and facts.outermost.once(_defines):
        from execpolicy.judge.evidence.other_functions import other_functions

        found = (*found, *other_functions(command, facts))
    if len(facts.script.commands) > 1 or facts.around is not None:
        from execpolicy.judge.evidence.run_from_elsewhere import run_from_elsewhere

        found = (*found, *run_from_elsewhere(command, facts, rulebook, found, handed))
    if not rulebook.heuristics.knows_any:
        return found
    if program is None or name in _BUILTINS or name in facts.script.functions:
        return found
    known = rulebook.heuristics.knows(name)
    if not command.words[1:] and not _is_given_more(command, facts) and (known or len(facts.script.commands) == 1):
        return found
    if not known and _is_written(command.words[0], facts) and record_of_version(name) is None:
        found = (*found, *_sources(command, facts, name))
    lines = _given_lines(command, facts, rulebook, name, known=known)
    said = _without_patterns(command, found)
    more = [inner for shown in _shown(said, facts) for inner in _evident(shown, lines, facts, rulebook, known=known)]
    if not more:
        return found
    seen = {argv for one in found for argv in _argvs(one)}
    return (*found, *[one for one in more if not one.opaque and not seen.issuperset(_argvs(one))])


def _makes_own(facts: Facts) -> bool:
    from execpolicy.programs.carried import may_be_copied

    return any(map(facts.mentions, _FOUND_BY)) or may_be_copied(facts)


def _defines(facts: Facts) -> bool:
    """Whether a function may be defined anywhere in it."""
    return any(map(facts.mentions, _DEFINING))


def _own(command: Command, facts: Facts, rulebook: Rulebook) -> Iterator[Inner]:
    """What ``command`` runs of the files that the script makes."""
    from execpolicy.programs.carried import may_be_copied, may_be_written

    program, outer = command.words[0].literal, facts.outermost
    by_name = program is None or any(map(outer.mentions, _FOUND_BY))
    if by_name and may_be_written(command, facts):
        from execpolicy.judge.evidence.own_programs import own_programs

        yield from own_programs(command, facts)
    if (by_name or "/" in (program or "")) and outer.once(may_be_copied):
        from execpolicy.judge.evidence.renamed_programs import renamed_programs

        yield from renamed_programs(command, facts, rulebook)


def _is_written(word: Word, facts: Facts) -> bool:
    """Whether ``word`` stands in the outermost script itself: what is evident in a file asks for no more files."""
    return facts is facts.outermost and id(word) in facts.once(_own_words)


def _own_words(facts: Facts) -> frozenset[int]:
    return frozenset([id(word) for each in facts.script.commands for word in each.words])


def _sources(command: Command, facts: Facts, name: str) -> Iterator[Inner]:
    """What the sources say that the script writes: a program that nobody knows may build, test or start the project."""
    from execpolicy.programs.carried import obeyed
    from execpolicy.programs.files.source_files import ALL
    from execpolicy.programs.record import Program

    return obeyed(command, facts, name, Program(name, sources=ALL))


def _is_put_together(command: Command, facts: Facts, name: str, found: Sequence[Inner], rulebook: Rulebook) -> bool:
    """Whether what ``command`` runs, or what it is told, is only known at run time and may be what rules restrict."""
    if (
        command.words[0].literal is None
        or name in _HELD_ALONE
        or (name in _PUT_TOGETHER and any(inner.opaque for inner in found))
    ):
        return True
    if any(map(facts.outermost.mentions, _RENAMING)):
        from execpolicy.judge.evidence.in_script import may_be_another

        if may_be_another(command, facts):
            return True
    if name in (".", "source") and facts.mentions("mapfile["):  # zsh writes a file by that
        return True
    told = name == "eval" or name in rulebook.restricting
    return told and any(word.literal is None for word in command.words[1:])


def _is_first(command: Command, facts: Facts) -> bool:
    """Whether ``command`` is the one that what is said of the whole script is said of."""
    return next((each for each in facts.script.commands if each.words), None) is command


def _in_other_words(command: Command, facts: Facts) -> list[Inner]:
    """The script of another shell, as far as bash has its forms."""
    from execpolicy.shell.in_other_words import in_other_words

    text, shell = facts.script.text, facts.script.shell
    plain = in_other_words(text, shell) if facts.budget.spend(COMMAND + READ * len(text)) else None
    return [run_text(shell, command, plain, shell="bash", evidence=True)] if plain else []


def _given_lines(command: Command, facts: Facts, rulebook: Rulebook, name: str, *, known: bool) -> list[str]:
    """The lines that ``command``, a call of ``name``, gets: from its input and from shown files, or in other letters.

    Args:
        known: an entry knows the program.
    """
    from execpolicy.judge.evidence.prose import keeps_prose

    if keeps_prose(name) or (known and _is_safe(command, facts, rulebook)):
        return []
    from execpolicy.judge.evidence.said_otherwise import said_otherwise
    from execpolicy.judge.evidence.shown_files import shown_lines
    from execpolicy.programs.input_text import fed_lines

    record = record_of_version(name)
    alone = known or (record is not None and record.obeys_files())
    lines = fed_lines(command, facts) + shown_lines(command, facts, name, alone=alone)
    return lines + said_otherwise(command, facts, name, lines)


def _without_patterns(command: Command, found: Sequence[Inner]) -> Command:
    """``command`` without the texts that go to a program that only says or searches them: ``xargs grep 'git push'``."""
    from execpolicy.judge.evidence.prose import tells_prose

    places: dict[int, int] = {}
    for inner in found:
        if not places:
            places = {id(word): at for at, word in enumerate(command.words)}
        at = places.get(id(inner.words[0]), 0) if inner.words else 0
        if at and tells_prose((command.words[at].literal or "").rpartition("/")[2]):
            kept = [word for word in command.words[at + 1 :] if word.literal is None or " " not in word.literal]
            return changed(command, words=(*command.words[: at + 1], *kept))
    return command


def _shown(command: Command, facts: Facts) -> list[Command]:
    """``command`` with what its words may be, as far as the script shows it: ``mytool --run "git push $x"``."""
    if all(word.literal is not None for word in command.words):
        return [command]
    from execpolicy.programs.likely_words import likely

    return [changed(each, assignments=command.assignments) for each in likely(command, facts)] or [command]


def _evident(
    command: Command, lines: Sequence[str], facts: Facts, rulebook: Rulebook, *, known: bool
) -> Iterator[Inner]:
    """What ``command``, which is given ``lines``, is evidently given to run.

    Args:
        known: an entry knows its program.
    """
    from execpolicy.judge.evidence.said_by_names import said_by_names

    name = (command.words[0].literal or "").rpartition("/")[2]
    record = record_of_version(name)
    yield from said_by_names(command, facts, rulebook)
    if not known and record is None:
        from execpolicy.judge.evidence.evidently_given import given

        yield from given(command, facts)
    named = _names_one(command, lines, facts, rulebook)
    if record is not None and record.takes_texts() and not _is_safe(command, facts, rulebook):
        from execpolicy.judge.evidence.in_code import in_code

        yield from in_code(command, facts, rulebook, record)
    if not known or (named and not _is_safe(command, facts, rulebook)):
        from execpolicy.judge.evidence.evidently_given import marked

        yield from marked(command, lines, facts)
        if named:
            from execpolicy.judge.evidence.spelt_out import spelt_out

            yield from spelt_out(command, lines, facts, rulebook, known=known)


def _argvs(inner: Inner) -> list[tuple[str | None, ...]]:
    """The commands that ``inner`` is, as far as they are known."""
    if inner.script is not None:
        return [each.argv() for each in inner.script.commands]
    return [tuple([word.literal for word in inner.words])]


def _is_safe(command: Command, facts: Facts, rulebook: Rulebook) -> bool:
    """Whether an entry says so; a failure of ours, which the judge meets and tells itself, hides nothing here."""
    try:
        return rulebook.heuristics.opinion(command, facts).verdict == "safe"
    except Exception:
        return False


def _is_given_more(command: Command, facts: Facts) -> bool:
    """Whether something beside its words tells ``command`` what to do: what it reads, a variable, a written file."""
    return bool(command.piped_from or command.redirects or command.assignments) or facts.once(_redirects)


def _redirects(facts: Facts) -> bool:
    return any(one.redirects for one in facts.script.commands)


def _names_one(command: Command, lines: Sequence[str], facts: Facts, rulebook: Rulebook) -> bool:
    """Whether a rule's program is named in ``command`` or in ``lines``, which it is given, and not as prose."""
    texts = [word.literal or word.written for word in command.words[1:]]
    texts += [text for one in command.assignments if one.value is not None for text in facts.texts(one.value)]
    said = " ".join([*texts, *lines])
    if not facts.budget.spend(READ * len(said)) or rulebook.restricting.isdisjoint(said.translate(_APART).split()):
        return False
    from execpolicy.judge.evidence.prose import tells_prose

    return not tells_prose(command.words[0].literal or "")
