"""For each ground the code that proves its claim, weakened: its attack must then find a leak."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_path
from execpolicy.core.matches import SURELY
from execpolicy.flow import calls, effects, functions, must
from execpolicy.judge import grants, inside, judge, opened_files
from execpolicy.judge.folders import whereabouts
from execpolicy.judge.situation import Situation
from execpolicy.programs import inner
from execpolicy.programs.extractors import shells
from execpolicy.programs.meaning.rules_by_meaning import RulesByMeaning
from execpolicy.safety import entries, heuristics, outputs, secrets
from execpolicy.shell import variables
from execpolicy.shell.grammar import whole_script, word_building
from execpolicy.shell.script import replace
from execpolicy.shell.vocabulary import DECLARING
from execpolicy.shell.words import Word


class Mutation(NamedTuple):
    """One weakening.

    Attributes:
        claim: what is no longer looked at.
        shell: the shell with which its attack is run.
        owner: the module or class that holds what is replaced.
        name: what is replaced.
        make: from what stood there to what stands there instead.
    """

    claim: str
    shell: str
    owner: Any
    name: str
    make: Callable[[Any], Any]


def always(value: object) -> Callable[[Any], Any]:
    """Whatever is asked, the answer is ``value``."""
    return lambda _: lambda *args, **more: value


def _surely_alone(meant_by: Any) -> Any:
    def replaced(self: Any, *args: Any, **more: Any) -> Any:
        return [each for each in meant_by(self, *args, **more) if each[1].certainty == SURELY]

    return replaced


def _without_blocks(made: Any) -> Any:
    def replaced(self: Any, *args: Any, **more: Any) -> None:
        made(self, *args, **more)
        self.blocks = ()

    return replaced


def _without(*names: str) -> Callable[[Any], Any]:
    """Builtins of these names have no effect."""

    def make(found: Any) -> Any:
        def replaced(command: Any, facts: Any) -> Any:
            known = any(word.literal in names for word in command.words)
            return () if known else found(command, facts)

        return replaced

    return make


def _unlisted_is_a_flag(read: Any) -> Any:
    def replaced(grammar: Any, words: Any, at: int, *more: Any) -> Any:
        found = read(grammar, words, at, *more)
        return at + 1 if isinstance(found, entries.Refusal) else found

    return replaced


def _any_word(judged: Any) -> Any:
    """A word that is only known at run time is one word that is no option."""

    def replaced(grammar: Any, words: Any, at: int, *more: Any) -> Any:
        plain = [Word("x", word.span) if word.literal is None and word.kind != "glob" else word for word in words]
        return judged(grammar, plain, at, *more)

    return replaced


def _as_it_stands(build: Any) -> Any:
    """What the shell expands is taken for text."""

    def replaced(reader: Any, pieces: Any, start: int, **more: Any) -> Any:
        word = build(reader, pieces, start, **more)
        return word if word.literal is not None else Word(reader.text[start : reader.pos], word.span, quoted=True)

    return replaced


def _as_written(settler: Any) -> Any:
    """What surely came before is not asked: the values that are seen are all that there are."""

    def replaced(self: Any, name: str, place: Any) -> Any:
        found = self.names.get(name, [])
        return found or settler(self, name, place)

    return replaced


def _runs_nothing(_: Any) -> Any:
    return lambda name, command, *args, **more: [inner.run_text(name, command, "true", transparent=True)]


def _anchored(asked: Any) -> Any:
    return lambda word: not (word.kind == "glob" and word.prefix) and asked(word)


def _first_call(found: Any) -> Any:
    def replaced(command: Any, facts: Any) -> Any:
        from execpolicy.flow.functions import runs_function

        around = [part for part in command.context if part.startswith("function:")]
        if len(around) != 1 or not runs_function(command, facts):
            return found(command, facts)
        for other in facts.script.commands:
            if other.words and other.words[0].literal == around[0][9:]:
                bound = calls._bound(command.words, other.words[1:], facts)
                return [replace(command, words=words) for words in bound]
        return []

    return replaced


MUTATIONS = {
    "script-understood": Mutation(
        "what the reader reports in the way of a grant", "bash", grants.Grants, "__init__", _without_blocks
    ),
    "words-literal": Mutation("what is expanded", "bash", word_building, "build_word", _as_it_stands),
    "program-named": Mutation(
        "which folders are the system's", "bash", heuristics, "SYSTEM_FOLDERS", lambda found: (*found, "./", "sub/")
    ),
    "rule-covers": Mutation("stricter rules under other spellings", "bash", judge, "stricter_matches", always([])),
    "entry-accepts": Mutation("options that no entry lists", "bash", entries, "_option", _unlisted_is_a_flag),
    "wrapper-transparent": Mutation(
        "options of the wrapper", "bash", inside.Inside, "transparent", lambda _: property(lambda one: bool(one.proven))
    ),
    "text-handed-on": Mutation("text that comes by input", "bash", shells, "run_stdin", _runs_nothing),
    "sets-variables": Mutation("what a declaration changes", "bash", grants, "builtin_effects", _without(*DECLARING)),
    "assignment-harmless": Mutation(
        "names and values of assignments", "bash", variables, "harmless_assignment", always(True)
    ),
    "assignment-accepted": Mutation("which variables an entry lists", "bash", grants.Grants, "_accepted", always(True)),
    "write-null": Mutation(
        "which file is opened", "bash", opened_files, "HARMLESS_TARGETS", lambda found: found | {"null", "dev/null"}
    ),
    "write-covered": Mutation(
        "links on the way to the file",
        "bash",
        Situation,
        "paths_of",
        lambda _: lambda place, target: (normalise_path(place.cwd + "/" + target),),
    ),
    "descriptor-kept": Mutation(
        "what descriptors stand for", "bash", opened_files, "_moves_descriptors", always(False)
    ),
    "input-harmless": Mutation("names of secrets", "bash", opened_files, "secret_in", always(None)),
    "condition-harmless": Mutation("what is evaluated", "bash", effects, "_arithmetic", always([])),
    "folder-known": Mutation(
        "commands that move", "bash", grants, "builtin_effects", _without("cd", "pushd", "popd", "chdir")
    ),
    "settings-absent": Mutation(
        "files that a program obeys", "bash", whereabouts.Whereabouts, "obeyed_file", always(None)
    ),
    "dynamic-behind-rule": Mutation("what words may be", "bash", RulesByMeaning, "meant_by", _surely_alone),
    "dynamic-inert": Mutation("how many words it is, and where", "bash", entries, "_judge", _any_word),
    "glob-anchored": Mutation("how names begin", "bash", entries, "_may_be_option", _anchored),
    "variable-proven": Mutation("what came before", "bash", must._Settler, "given", _as_written),
    "call-proven": Mutation("all calls but the first", "bash", calls, "cases_in_calls", _first_call),
    "function-in-force": Mutation("whether it runs the function", "bash", functions, "runs_function", always(True)),
    "arithmetic-number": Mutation("which variables are integers", "bash", effects._Integers, "proven", always(True)),
    "output-number": Mutation("other descriptors", "bash", effects, "is_quiet", always(True)),
    "output-hash": Mutation("what is printed", "bash", outputs, "_is_undashed", always(True)),
    "policy-permits": Mutation("who may say so", "bash", judge._Judge, "answer", always(Decision.ALLOW)),
}


OF_CLASSES = {
    "refused-names": Mutation("what no argument can hold", "bash", whole_script, "oddness", always(None)),
    "costly-scripts": Mutation(
        "what is seen where reading stopped",
        "bash",
        whole_script,
        "_with_recovered",
        lambda _: lambda text, state, found: (found, None),
    ),
    "secret-selected": Mutation("names of secrets", "sh", secrets, "secret_matching", always(None)),
}
"""The same for classes that something looks for which no ground stands for."""


@contextmanager
def weakened(ground: str) -> Iterator[None]:
    """What proves ``ground`` is weak for as long as this lasts, and no opinion is remembered."""
    mutation = (MUTATIONS | OF_CLASSES)[ground]
    with ExitStack() as stack:
        found = mutation.owner.__dict__[mutation.name]
        stack.enter_context(patch.object(mutation.owner, mutation.name, mutation.make(found)))
        stack.enter_context(
            patch.object(
                heuristics.Heuristics, "_remembered", lambda self, command, facts: self._safety(command.words, facts)
            )
        )
        yield
