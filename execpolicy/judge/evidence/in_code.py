"""Commands that a program text puts together of words which it names: ``perl -e 'system("git", @ARGV)' push``.

Nobody follows what an interpreter does with lists, keys, symbols and its own arguments. Where all words of what a rule
restricts stand in a program text and in what it is given, and the text runs something, that counts for the rule.
"""

from __future__ import annotations

import re

from execpolicy.core.text import glob_matches, names
from execpolicy.flow.streams import output_texts, written_texts
from execpolicy.judge.evidence.restricted import restricted
from execpolicy.judge.evidence.words_in_code import with_made_words, words_in_code
from execpolicy.programs.carried import carried
from execpolicy.programs.files.made_files import files_made
from execpolicy.programs.files.recipes import COMMENTS
from execpolicy.programs.files.source_files import source_patterns
from execpolicy.programs.inner import run_argv, run_text, run_unknown
from execpolicy.programs.inner_scripts import with_inner_scripts
from execpolicy.programs.input_text import fed_lines
from execpolicy.programs.shelf import opened
from execpolicy.shell.limits import COMMAND, READ, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command

_OF_TARGETS = r"\$[@*<]|\$\(@|MAKECMDGOALS"
"""What takes the names of targets for words."""
_LISTING = r"(?i)glob|dir|<[\w.]*\*|wildcard"
"""What a program text lists files with."""
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_SETTING = names("set set-option set-environment setenv set-buffer setb set-script config pkg")
_EXPANDING = re.compile(r"\$\{?\w|\$\(|%\w+%|\b(?:npm|NPM)_(?:config|package|CONFIG)_")
"""Where a recipe or a script of a package takes a value from outside."""
_OF_PACKAGES = "npm_config_"
"""What begins the variables by which a script of a package, and what it starts, is told options of the command."""
_RUNNING = (
    r"(?i)system|exec|spawn|popen|subprocess|shell|fork|`|%x|\bqx|process|command|unix|\bcall|\brun|pickle|\bpipe|\|"
    r"|execute|\beval\b|pager"
)
"""What program texts of all languages call to run something."""


def in_code(command: Command, facts: Facts, rulebook: Rulebook, record: Program) -> Iterator[Inner]:
    """What rules restrict and the program text that ``command`` runs names word by word."""
    name = (command.words[0].literal or "").rpartition("/")[2]
    language = record.language if record.language != "shell" else ""
    running = _RUNNING if language else record.calls
    if running is None:
        return
    own = list(_told(command, facts))
    shown = _shown(command, facts, record, own)
    if not language:
        shown += facts.once(_settings, command.words[0].literal)
    goals = record.goals and not language
    if goals and re.search(_OF_TARGETS, "\n".join(shown)):
        own += [each.replace("-", " ") for each in own]
        goals = False
    code = shown if goals else [*own, *shown]
    listed = facts.outermost.once(_made_files) if re.search(_LISTING, " ".join(own)) else []
    own += listed
    text = "\n".join([*own, *shown])
    text = "\n".join([text, *[one for name, values in facts.assigned.items() if name in text for one in values]])
    if not facts.budget.spend(COMMAND + READ * len(text)) or (running and re.search(running, text) is None):
        return
    text = with_made_words(text)
    if not facts.budget.spend(4 * READ * len(text)):
        return
    said, coded = words_in_code(text), words_in_code(with_made_words("\n".join(code)))
    computed = _computes(code, record) if language else False
    filled = words_in_code("\n".join(own)) if not language and _EXPANDING.search("\n".join(shown)) else set[str]()
    filled.update([each.lower() for each in listed])
    for argv in restricted(rulebook, said):
        called = len(argv) > 1 or computed or argv[0].lower() in filled or _is_called(argv[0], text, record)
        if called and (argv[0].lower() in filled or not coded.isdisjoint(map(str.lower, argv))):
            if not facts.budget.spend(COMMAND):
                return
            yield run_argv(name, command, argv, evidence=True)
    if language == "perl":
        yield from [
            run_text(name, command, each.rstrip("| "), evidence=True) for each in own if each.rstrip()[-1:] == "|"
        ]


def _computes(code: Sequence[str], record: Program) -> bool:
    """Whether a program text runs what it makes itself: then what it is told may be the whole command."""
    from execpolicy.programs.computed_commands import computed_commands

    return any(not program for text in code for program in computed_commands(text, record.language or record.names[0]))


def computed_command(command: Command, facts: Facts, rulebook: Rulebook, record: Program) -> Inner | None:
    """What ``command`` runs that its program text makes itself, if rules may restrict it: nobody knows what it is."""
    from execpolicy.programs.computed_commands import computed_commands

    own = list(_told(command, facts))
    for text in dict.fromkeys((*own, *_shown(command, facts, record, own))):
        if not facts.budget.spend(READ * len(text)):
            return run_unknown(record.names[0], command, "it holds more text than is looked at")
        for program in computed_commands(text, record.language or record.names[0]):
            name = program.rpartition("/")[2]
            if not program or name in rulebook.restricting or name in opened():
                return run_unknown(record.names[0], command, "it runs a command that it makes itself")
    return None


def _shown(command: Command, facts: Facts, record: Program, own: Sequence[str]) -> list[str]:
    """The texts that ``command``, whose words say ``own``, is given beside those."""
    language = record.language if record.language != "shell" else ""
    shown = [*fed_lines(command, facts), *_written(own, facts, record, language)]
    shown += [text for word in command.words if word.kind == "process" for text in output_texts(word.inner, facts)[0]]
    return shown + [text for one in command.redirects if one.body and one.fd for text in facts.texts(one.body)]


def _written(own: Sequence[str], facts: Facts, record: Program, language: str) -> Iterator[str]:
    """The files that the script writes and that the words ``own`` name, or that are obeyed, without comments."""
    obeyed = (*record.obeys.split(), *_MAKEFILES, *(source_patterns(record.sources) if language else ()))
    for script, path, key, obeys in facts.outermost.once(_made, obeyed):
        base = path.rpartition("/")[2]
        named = obeys or any(base in said for said in own)
        for text in written_texts(key, script) if base and (named or record.goals) else ():
            if not named and _OF_PACKAGES not in text:
                continue
            yield "\n".join([line for line in text.split("\n") if not line.lstrip().startswith(COMMENTS)])


def _made(outermost: Facts, obeyed: tuple[str, ...]) -> list[tuple[Facts, str, str, bool]]:
    """The files that any script writes: that script, the path, what it is known by, and whether it is ``obeyed``."""
    return [
        (script, path, key, any(glob_matches("*/" + each, "/" + path) for each in obeyed))
        for script in outermost.once(with_inner_scripts, carried)
        for path, key in script.once(files_made)
    ]


def _told(command: Command, facts: Facts) -> Iterator[str]:
    """What the words of ``command``, and the variables in front of it, say."""
    given = [one.value for one in command.assignments if one.value is not None]
    for word in (*command.words[1:], *given):
        yield from [word.literal] if word.literal is not None else (facts.texts(word) or [word.written])


def _made_files(facts: Facts) -> list[str]:
    """The words behind ``touch`` and ``mkdir`` in the script."""
    makers = [each for each in facts.script.commands if each.words and each.words[0].literal in ("touch", "mkdir")]
    return [word.literal for each in makers for word in each.words[1:] if word.literal]


def _settings(facts: Facts, program: str) -> list[str]:
    """What the script has ``program`` set: ``npm pkg set scripts.x=git; npm run x push``."""
    found: list[str] = []
    for each in facts.script.commands:
        if not facts.budget.spend(STEP):
            break
        called = each.words and each.words[0].literal == program
        if called and not _SETTING.isdisjoint([word.literal for word in each.words[1:4]]):
            found += _told(each, facts)
    return found


def _is_called(program: str, text: str, record: Program) -> bool:
    """Whether ``program``, of which nothing more is restricted, is named in ``text`` as one, not as a name in code."""
    if record.language in ("", "shell") and not record.wordy:
        return True
    named = re.escape(program)
    return (
        re.search(
            rf"[\"'`|:({{\[]\s*(?:/[\w/]*/)?{named}\b(?![\"']?\s*[:(])|\bexec\s+{named}\b|(?<![\w.$]){named}\s*=>|/{named}\b",
            text,
        )
        is not None
    )
