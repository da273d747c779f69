"""Commands that a script puts together of words that it holds, where what runs is only known at run time.

``a=(push git); "${a[1]}" "${a[0]}"``, ``push() { git $FUNCNAME; }; push``: nobody follows all that a shell does with
arrays, matches and parts. Where all words of what a rule restricts stand in what the script holds as data, that counts
for the rule; texts of several words are prose, or are found whole.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from execpolicy.core.decision import Decision
from execpolicy.core.text import glob_matches, names
from execpolicy.flow.originals import and_around
from execpolicy.flow.streams import written_texts
from execpolicy.judge.evidence.restricted import is_said, restricted
from execpolicy.judge.evidence.words_in_code import with_made_words, words_in_code
from execpolicy.programs.carried import carried
from execpolicy.programs.files.made_files import called_anywhere
from execpolicy.programs.inner import run_argv
from execpolicy.programs.inner_scripts import with_inner_scripts
from execpolicy.programs.input_text import fed_lines
from execpolicy.shell.limits import COMMAND, READ, STEP
from execpolicy.shell.vocabulary import CAUGHT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_HOLDING = names(
    "set declare typeset local export readonly printf print echo read eval alias hash [[ test [ let : shift "
    "history sh bash dash ksh zsh mksh touch mkdir trap zstyle zformat strftime pushln private zf_ln"
)
"""Builtins and shells whose words a script holds as data, and programs that name files."""
_PRINTING = names("print printf echo")
_SHELLS = names("sh bash dash ksh zsh mksh ash")
_LAST = re.compile(r"\$_(?!\w)|\$\{_\W")
"""The last word of the command before: then those of any command are data."""
_MOST_WRAPPERS = 8
"""Words in front of a shell that wrap it."""
_NOT_FOUND = names("command_not_found_handle command_not_found_handler")
"""Functions that get the command that there is not."""
_RENAMING = names("alias hash")
_TABLES = re.compile(r"\b(?:commands|functions)\[(\w+)\]")
_CHANGING = names("tr sed awk gawk perl ruby")
"""Filters that take away what their words name."""
_MOST_WORDS = 2
"""Words of a text that is no prose."""
_WILD = re.compile(r"[?*[]")
_REPLACING = re.compile(r"\b(\w+)\[(\d),(\d)\]=(\w*)")
"""How zsh replaces a part of a value: ``c=gaat; c[2,3]=i``."""
_PART = re.compile(r"[A-Za-z0-9]+")
_EDIT = re.compile(r"(?<!\w)([sy])([^\w\s])[^\n]{1,80}?\2(\w{1,40})\2")
"""What an edit puts in: ``s/x/y/``."""
_LOOKING_UP = re.compile(
    r"\b(?:type[ \t]+-\w*[pP]|command[ \t]+-v|which|where|whence(?:[ \t]+-p)?|hash[ \t]+-t)[ \t]+([\w.+-]+)"
)
"""What prints the path of the program that it names."""
_KEY = re.compile(r"\b\w{1,80}\[([\w.+-]{1,80})\]\+?=")
"""What is assigned to an element of an array by its name."""
_PROGRAM = re.compile(r"[\w.+-]{1,80}")
_FILE = re.compile(r"[\w.~*+-]+")
_MOST_FILES = 32
_ALONE = re.compile(r"(?<![\w./:@-])\w+(?![\w./:@-])")
"""A word that is no part of an address or a path."""


def in_script(command: Command, facts: Facts, rulebook: Rulebook) -> Iterator[Inner]:
    """What rules restrict of whose words ``command`` may be made."""
    held = [*[each.once(_held) for each in and_around(facts)], facts.outermost.once(_held_anywhere)]
    program = command.words[0].literal
    if program in rulebook.restricting:
        yield from _filled(command, facts, held, rulebook)
        return
    own = {part for word in command.words for part in _PART.findall((word.literal or "").lower())}
    if program is None:
        own |= _named_so(command.words[0], facts, rulebook)
    fed = _fed(command, facts) if program is not None and command.piped_from else frozenset[str]()
    edited = own if program == "fc" else ()
    whole = fed.union(*[each.once(_alone, program is None) for each in and_around(facts)], _looked_up(command), edited)
    for argv in restricted(rulebook, *held, own, whole):
        if (len(argv) > 1 or argv[0].lower() in whole) and facts.budget.spend(COMMAND):
            yield run_argv(command.words[0].written, command, argv, evidence=True)


def _fed(command: Command, facts: Facts) -> frozenset[str]:
    """The words in small letters of the commands whose output reaches ``command``: a shell may be given any of them."""
    found: set[str] = set()
    todo, seen = list(command.piped_from), set[int]()
    for at in todo:
        if at not in seen and at < len(facts.script.commands) and facts.budget.spend(STEP):
            seen.add(at)
            each = facts.script.commands[at]
            todo += each.piped_from
            said = [word.literal or "" for word in each.words[1:]]
            said += [redirect.body.literal or "" for redirect in each.redirects if redirect.body is not None]
            said += [value for name in said for value in facts.assigned.get(name, ())]  # printenv NAME
            said += _of_files(said, facts)
            found.update(facts.outermost.once(_first_words))
            found.update([part for text in said for part in _ALONE.findall(text.lower())])
            found.update([edit[2].lower() for text in said for edit in _EDIT.findall(text)])
    return frozenset(found)


def _first_words(outermost: Facts) -> frozenset[str]:
    """The first words, in small letters, of the lines of all files that scripts write: some pattern may find them."""
    return frozenset(
        [
            words[0].lower()
            for each, (_, key) in called_anywhere(outermost, carried, ("*",))[:_MOST_FILES]
            for text in written_texts(key, each)
            for line in text.split("\n")
            if (words := line.split(None, 1))
        ]
    )


def _looked_up(command: Command) -> frozenset[str]:
    """The programs whose paths stand for words of ``command``: ``sh < "$(type -P x)"``."""
    written = [*command.words, *[redirect.target for redirect in command.redirects]]
    return frozenset([each.lower() for word in written for each in _LOOKING_UP.findall(word.written)])


def _of_files(said: Sequence[str], facts: Facts) -> list[str]:
    """What the scripts write to the files whose names are ``said``."""
    named = dict.fromkeys([name for text in said for name in _FILE.findall(text)])
    return [
        text
        for name in list(named)[:_MOST_FILES]
        for each, (_, key) in called_anywhere(facts.outermost, carried, (name,))
        for text in written_texts(key, each)
    ]


def _named_so(program: Word, facts: Facts, rulebook: Rulebook) -> set[str]:
    """The programs whose name begins as a function is called (``${0}it`` in ``g``), or that a loop finds (``g?t``)."""
    behind = _PART.findall(program.written)[-1:]
    found = {f"{one}{part}".lower() for part in behind for one in facts.outermost.script.functions}
    for glob in facts.once(_globs):
        if facts.budget.spend(COMMAND):
            found.update([each for each in rulebook.restricting if glob_matches(glob, each)])
    return found


def _globs(facts: Facts) -> list[str]:
    """The last parts of the patterns among the values of variables, without those that take everything."""
    found = {one.rpartition("/")[2] for values in facts.assigned.values() for one in values if _WILD.search(one)}
    return [each for each in sorted(found) if any(map(str.isalnum, each))]


def _filled(command: Command, facts: Facts, held: Sequence[Set[str]], rulebook: Rulebook) -> Iterator[Inner]:
    """What a call of a program that rules restrict may be, with words of the script for those only known then."""
    program, *words = command.words
    for rule in rulebook.policy.rules_for(program.literal or ""):
        argv = [program.literal or ""]
        for position, word in zip_longest(rule.pattern.rest, words[: len(rule.pattern.rest)]):
            if word is None and words and words[-1].many:
                word = words[-1]
            literal = None if word is None else word.literal
            argv += [
                each
                for each in position
                if each == literal
                or (word and (literal is None or _is_renamed(literal, facts)) and is_said(each, held))
            ][:1]
        if rule.decision is not Decision.ALLOW and len(argv) == rule.pattern.length > 1:
            yield run_argv(argv[0], command, argv, evidence=True)


def may_be_another(command: Command, facts: Facts) -> bool:
    """Whether the script makes a word of ``command`` another one: an alias, a path, what handles unknown names."""
    if not _NOT_FOUND.isdisjoint(facts.script.functions):
        return True
    return any(word.literal is not None and _is_renamed(word.literal, facts) for word in command.words)


def _is_renamed(word: str, facts: Facts) -> bool:
    anywhere = facts.outermost.once(_renamed_anywhere)
    return word in anywhere or any(word in each.once(_renamed) for each in and_around(facts))


def _renamed_anywhere(outermost: Facts) -> frozenset[str]:
    return frozenset[str]().union(*[each.once(_renamed) for each in outermost.once(with_inner_scripts, carried)])


def _renamed(facts: Facts) -> frozenset[str]:
    """The names that the words of ``alias`` and ``hash`` give, and zsh's ``commands[NAME]=``, ``functions[NAME]=``."""
    found = set(_TABLES.findall(facts.script.text))
    for command in facts.script.commands:
        if command.words and command.words[0].literal in _RENAMING and facts.budget.spend(STEP):
            found.update([(word.literal or word.prefix).partition("=")[0] for word in command.words[1:]])
    return frozenset(found)


def _held_anywhere(outermost: Facts) -> frozenset[str]:
    return frozenset[str]().union(*[each.once(_held) for each in outermost.once(with_inner_scripts, carried)])


def _alone(facts: Facts, printed: bool) -> frozenset[str]:
    """What the script holds as data that is one word, a line or a value of its own, in small letters.

    Args:
        printed: what is printed or fed counts, too, which a file may hold as well as a word.
    """
    texts = [one for values in facts.assigned.values() for one in values]
    texts += _KEY.findall(facts.script.text)
    texts += list(facts.assigned) if facts.mentions("parameters") else []
    for command in facts.script.commands:
        if not facts.budget.spend(STEP):
            break
        name = command.words[0].literal if command.words else None
        if name in _HOLDING and (printed or name not in _PRINTING):
            texts += [word.literal for word in command.words[1:] if word.literal is not None]
        bodies = [command.body, *[redirect.body for redirect in command.redirects]] if printed else []
        texts += [body.literal for body in bodies if body is not None and body.literal]
    lines = [line.strip().rpartition("/")[2].lower() for text in texts for line in text.split("\n")]
    return frozenset([line for line in lines if _PROGRAM.fullmatch(line)])


def _held(facts: Facts) -> frozenset[str]:
    """The words in small letters, and backwards, that the script holds as data."""
    texts = list(facts.script.functions)
    piped = {each for command in facts.script.commands for each in command.piped_from}
    for at, command in enumerate(facts.script.commands):
        if not facts.budget.spend(STEP):
            break
        printing = at in piped or not CAUGHT.isdisjoint(command.context)
        for word in _data(command, facts, printing=printing):
            said = [word.literal] if word.literal is not None else [one for each in facts.values(word) for one in each]
            for text in [*said, word.written] if word.literal is None else said:
                if printing or len(text.split()) <= _MOST_WORDS:
                    texts.append(text)
        if printing:
            texts += fed_lines(command, facts)
            texts += [word.literal for word in command.words[:1] if word.literal in _CHANGING]
    texts += [one for values in facts.assigned.values() for one in values if len(one.split()) <= _MOST_WORDS]
    texts += list(facts.assigned) if facts.mentions("parameters") else []
    for name, start, end, new in _REPLACING.findall(facts.script.text):
        for value in facts.assigned.get(name, ()) if int(start) else ():
            texts.append(value[: int(start) - 1] + new + value[int(end) :])
    texts += [facts.script.text[span.start : span.end] for span in facts.script.seen.conditions]
    text = with_made_words("\n".join(texts))
    if not facts.budget.spend(READ * len(text)):
        return frozenset()
    return frozenset(words_in_code(text) | set(_PART.findall(text.lower())))


def _says_last(facts: Facts) -> bool:
    return _LAST.search(facts.script.text) is not None


def _data(command: Command, facts: Facts, *, printing: bool) -> Iterator[Word]:
    """The words of ``command`` that are data.

    Args:
        printing: what it prints goes through a filter, or becomes words.
    """
    for one in command.assignments:
        yield from one.items
        if one.value is not None:
            yield one.value
    if command.body is not None:
        yield command.body
    name = command.words[0].literal if command.words else None
    unknown = name is None or not _NOT_FOUND.isdisjoint(facts.script.functions)
    runs = not _SHELLS.isdisjoint([word.literal for word in command.words[1:_MOST_WRAPPERS]])  # env sh r.sh push
    if unknown or runs or facts.once(_says_last) or name in _HOLDING or name in facts.script.functions:
        yield from command.words
    elif printing:
        yield from command.words[1:]
