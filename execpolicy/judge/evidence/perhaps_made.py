"""Whether what a script puts somewhere may be run by what runs the code of the project: ``echo evil > n; npm test``.

A build, a test, an interpreter or a shell that is handed a file runs what nobody sees here. Where the script itself
names a command that rules restrict, in what it writes, prints to a pipe, assigns or tells such a program, nobody can
say that it is not run; where it only stands in a message or in what is looked for, it is not. It forbids nothing: a
rule that allows the program says nothing of it.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile

from execpolicy.core.decision import Decision
from execpolicy.core.text import names
from execpolicy.judge.file_write import HARMLESS_TARGETS
from execpolicy.programs.carried import carried
from execpolicy.programs.inner import run_unknown
from execpolicy.programs.inner_scripts import with_inner_scripts
from execpolicy.programs.names import base_name
from execpolicy.programs.options import option_table, walk
from execpolicy.programs.shelf import record_of_version
from execpolicy.shell.limits import COMMAND, READ
from execpolicy.shell.vocabulary import CAUGHT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_EDITORS = names("awk sed")
"""Programs whose orders stand in the words and read files as data, unless they are told of a file of orders."""
_ALL = names("run-parts")
"""Programs that run whatever lies in a folder."""
_KEEPING = re.compile(r"\.git(?![\w-])|--output|\bhooks?\b")
"""What stands in a script that runs, or writes elsewhere, what git keeps of messages and names."""
_OF_ITSELF = re.compile(
    r"2>>?[ \t]*[^&/ \t]|\b(?:declare|typeset)[ \t]+-\w*f|\bfunctions\b|/proc/|\bps[ \t]|xtrace|set -\w*x"
    r"|\bhistory\b|\bfc\b"
)
"""What makes a script print what it is itself: its errors, its functions, its command line."""
_LETTERS = re.compile(r"[%\\]x([0-9a-fA-F]{2})|[%\\]([nt])")
"""Letters by their numbers, in the formats of git and ``printf``, and what is written for the ends of lines."""
_ENDS = {"n": "\n", "t": "\t"}
_SAYING = names("git gh glab jj hg")
"""Programs whose messages are prose."""
_SHOWING = names("cat cut grep head less more nl rg sort tail tr uniq wc")
"""What prints what it is fed to whoever looks, if it writes to no file."""
_RUNNING = re.compile(
    r"(?i)(?:system|exec\w{0,20}|spawn\w{0,9}|popen|command|process\w{0,9}|shell|eval|\b(?:call|run)\w{0,20}|fork)\W{0,3}[(\[:='\"]"
    r"|\bexec[ \t]|^\s*#!|\bbin/|(?m:^\t@?\S)|%x|\bqx"
)
"""What stands in a text that runs something: a call, a key of settings, a recipe, the first line of a script."""
_VALUE = re.compile(r'(?:"\s{0,9}:|#define[ \t]{1,9}\w{1,80})\s{0,9}"([^"\n]{1,200})"')
"""A value in JSON, or of a macro of C."""
_HOOK = re.compile(r"(?i) > \S{0,400}(?:hook|makefile|justfile|package\.json|pre-commit)")
"""Files out of which what git runs of its own accord may take commands."""
_HOOKED = names("commit merge rebase checkout switch am cherry-pick revert pull")
"""Sub-commands of git that run hooks."""
_INTO = " > "
"""What stands between what is written and the file."""
_FEW = 4
"""Words of such a command."""
_BETWEEN = r"\W{1,12}(?:\w{1,12}\W{1,8}){0,2}"
"""What stands between the words of a command in a program text, too: ``("git").arg("push")``."""


def perhaps_made(command: Command, facts: Facts, rulebook: Rulebook, record: Program | None) -> Inner | None:
    """That ``command`` may run what the script puts somewhere, if rules restrict that."""
    outer = facts.outermost
    handed = _is_handed(command, record, facts)
    hooked = _is_git(record) and any(word.literal in _HOOKED for word in command.words[1:])
    builds = record is not None and (record.goals or record.sources or record.obeys)
    if not handed and not hooked and not (builds and record is not None and _EDITORS.isdisjoint(record.names)):
        return None
    told = [_plain(text) for text in _told(command, record)]
    if not _is_git(record) and outer.once(_code_put, rulebook):  # which does with a word whatever it says
        told += [word.literal or word.written for word in command.words[1:]]
    if not facts.budget.spend(READ * sum(map(len, told))):
        return None
    named = _named(told, rulebook, r"(?![\w./-])")
    if not named and record is not None and record.goals:
        named = _rest_named(told, rulebook)
    if not named and hooked:
        named = outer.once(_named_hook, rulebook)
    if not named and not _is_git(record):
        named = outer.once(_named_put, rulebook, handed)
    why = f"the script names `{named}` where this may find it and run it"
    return run_unknown(_name(command), command, why) if named else None


def _named_put(outermost: Facts, rulebook: Rulebook, handed: bool) -> str:
    """The program that rules restrict and that is named in what the scripts put somewhere; empty if there is none.

    Args:
        handed: to what is then run as it is; otherwise one of the texts must run something: the others may be what.
    """
    texts = outermost.once(_put_anywhere, rulebook)
    if not handed and not outermost.once(_code_put, rulebook):
        # a file of nothing else, or a value in one of settings, which the code of the project may take for a command
        whole = [text.partition(_INTO)[0].strip() for text in texts if _INTO in text]
        texts = [*whole, *[value for text in texts for value in _VALUE.findall(text)]]
        texts = [value for value in texts if len(value.split()) <= _FEW]
        return _named([f"\0{value}" for value in texts], rulebook, r"\b", r"(?<=\0)")
    return _named(texts, rulebook, r"(?![\w/-])")


def _code_put(outermost: Facts, rulebook: Rulebook) -> bool:
    """Whether one of the texts that the scripts put somewhere runs something."""
    return any(_RUNNING.search(text) is not None for text in outermost.once(_put_anywhere, rulebook))


def _named_hook(outermost: Facts, rulebook: Rulebook) -> str:
    """The same of what is written to files that hooks of git may run."""
    texts = [text for text in outermost.once(_put_anywhere, rulebook) if _HOOK.search(text) is not None]
    return _named(texts, rulebook, r"(?![\w/-])")


def _named(texts: Sequence[str], rulebook: Rulebook, ending: str, beginning: str = r"(?<![\w-])") -> str:
    """The first program in ``texts`` that rules restrict, with the words that they restrict it with.

    Args:
        ending: what stands behind it, as a pattern; ``beginning``: in front of it.
    """
    whole = "\n".join(texts)
    for program in sorted(rulebook.restricting):
        saying = [text for text in texts if program in text] if program in whole else []
        if saying and any(
            _is_named(rest, program, text, ending, beginning) for rest in _rests(program, rulebook) for text in saying
        ):
            return program
    return ""


def _rest_named(told: Sequence[str], rulebook: Rulebook) -> str:
    """The program of which a value is a word behind it: ``make x SUB=push``, whose recipe may hold the rest."""
    if told:
        for program in sorted(rulebook.restricting):
            if any(text in position for rest in _rests(program, rulebook) for position in rest for text in told):
                return program
    return ""


def _rests(program: str, rulebook: Rulebook) -> Iterator[list[tuple[str, ...]]]:
    for rule in rulebook.policy.rules_for(program):
        if rule.decision is not Decision.ALLOW:
            yield [tuple(position) for position in rule.pattern.rest]


def _is_named(rest: Sequence[Sequence[str]], program: str, text: str, ending: str, beginning: str) -> bool:
    ending = r"(?![\w-])" if rest else ending
    behind = "".join([f"{_BETWEEN}(?:{'|'.join(map(re.escape, position))})" for position in rest])
    return re.search(rf"{beginning}{re.escape(program)}{behind}{ending}", text) is not None


def _is_git(record: Program | None) -> bool:
    return record is not None and "git" in record.names


def _is_handed(command: Command, record: Program | None, facts: Facts) -> bool:
    """Whether ``command`` is, or is handed, a file of orders of which the script says more, or one that only the run
    knows."""
    if record is None:
        return _says_more(command.words[:1], facts) if "/" in (command.words[0].literal or "") else False
    words = command.words[1:]
    if _is_git(record):
        return False
    if _EDITORS.isdisjoint(record.names) and not record.language:
        return _name(command) in _ALL or any(".git/" in (word.literal or "") for word in words)
    return not _is_inline(command, record) and _says_more(words, facts)


def _is_inline(command: Command, record: Program) -> bool:
    """Whether the whole program stands in the words of ``command``: what else they name is data."""
    words = command.words[1:]
    if not _EDITORS.isdisjoint(record.names):
        return not any(_holds(word, "fF") for word in words)
    if record.language == "shell":
        return any(_holds(word, "c") for word in takewhile(_is_option, words))
    return any(seen.kind == "!" for seen in walk(option_table(record.options), words, 0).seen)


def _is_option(word: Word) -> bool:
    return word.prefix[:1] in ("-", "+")


def _holds(word: Word, letters: str) -> bool:
    """Whether one of the ``letters`` is given as an option: ``-c``, ``-ec``."""
    return word.prefix[:1] == "-" and word.prefix[:2] != "--" and any(letter in word.prefix for letter in letters)


def _says_more(words: Sequence[Word], facts: Facts) -> bool:
    """Whether the script says more of a file that one of ``words`` names, or only the run knows which it is."""
    said = facts.outermost.script.text
    return any(
        word.literal is None or ".git/" in word.literal or said.count(base_name(word.literal)) > 1
        for word in words
        if word.prefix[:1] != "-"
    )


def _told(command: Command, record: Program | None) -> Iterator[str]:
    """The values that ``command`` is given: of variables and settings, not the names of targets, tests and files."""
    of_git = _is_git(record)
    for before, word in pairwise(command.words):
        text = word.literal if word.literal is not None else word.written
        if before.literal == "-c" if of_git else "=" in text:
            yield text.partition("=")[2]
    for one in command.assignments:
        if one.value is not None:
            yield one.value.literal or one.value.written


def _plain(text: str) -> str:
    """``text`` with the letters that formats name, by their numbers or as ends of lines and tabs."""
    return _LETTERS.sub(lambda found: chr(int(found[1], 16)) if found[1] else _ENDS[found[2]], text)


def _put_anywhere(outermost: Facts, rulebook: Rulebook) -> list[str]:
    """What the scripts put into files, pipes, variables and programs that nobody knows."""
    texts: list[str] = []
    scripts = outermost.once(with_inner_scripts, carried)
    kept = any(_keeps(facts) for facts in scripts)
    for facts in scripts:
        if _OF_ITSELF.search(facts.script.text) is not None:
            texts.append(facts.script.text)
            continue
        for at, command in enumerate(facts.script.commands):
            if not facts.budget.spend(COMMAND):
                break
            texts += [word.literal or word.written for word in _given(command)]
            name = _name(command)
            known = not (name in _SAYING and kept) and (
                name in _SAYING or rulebook.heuristics.opinion(command, facts).verdict == "safe"
            )
            if not known or _prints(at, command, facts):
                record = record_of_version(name)
                goals = record is not None and record.goals  # then each is a name, or a value
                said = _told(command, record) if goals else [one.literal or one.written for one in command.words[1:]]
                said = [*said, *[_INTO + redirect.target.written for redirect in command.redirects if redirect.writes]]
                texts.append(("\n" if goals else " ").join(said))
    return [*map(_plain, texts)] if outermost.budget.spend(READ * sum(map(len, texts))) else []


def _keeps(facts: Facts) -> bool:
    """Whether a script reads, or has written, what git keeps."""
    return _KEEPING.search(facts.script.text) is not None or any(
        _name(each) in _SAYING and _prints(at, each, facts) for at, each in enumerate(facts.script.commands)
    )


def _prints(at: int, command: Command, facts: Facts) -> bool:
    """Whether what the command number ``at`` prints goes to a file, to a program that may keep it, or to a word."""
    return not CAUGHT.isdisjoint(command.context) or _writes(command) or at in facts.once(_kept_on)


def _writes(command: Command) -> bool:
    return any(each.writes and each.target.literal not in HARMLESS_TARGETS for each in command.redirects)


def _kept_on(facts: Facts) -> frozenset[int]:
    """The commands whose output reaches one that may write it, or run it."""
    found: set[int] = set()
    for command in reversed(facts.script.commands):
        if command.piped_from and (_writes(command) or _name(command) not in _SHOWING):
            found.update(command.piped_from)
    for at in range(len(facts.script.commands) - 1, -1, -1):
        if at in found:
            found.update(facts.script.commands[at].piped_from)
    return frozenset(found)


def _name(command: Command) -> str:
    return base_name(command.words[0].literal or "") if command.words else ""


def _given(command: Command) -> Iterator[Word]:
    """What is assigned, and fed."""
    for one in command.assignments:
        yield from one.items
        if one.value is not None:
            yield one.value
    bodies = [command.body, *[redirect.body for redirect in command.redirects]]
    yield from [body for body in bodies if body is not None]
