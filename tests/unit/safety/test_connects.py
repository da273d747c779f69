"""No word that only the run knows is sent to another machine: calls are made of every entry of a network client."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import cycle
from typing import Any

import pytest

from execpolicy.errors import InvalidRuleError
from execpolicy.insight.starters import packs
from execpolicy.safety.entries import SafeCommand, build_safe
from execpolicy.safety.heuristics import Heuristics
from execpolicy.shell.read import read_script
from execpolicy.shell.words import Word
from tests.support.each import each
from tests.support.entries import built_in_entries, entries_of, opinion_on

SAFE = [
    entry
    for entry in [*built_in_entries(), *[entry for pack in packs() for entry in entries_of(pack.text)]]
    if isinstance(entry, SafeCommand)
]
EVERY = Heuristics(SAFE)
RUN_TIME = (
    read_script('x "$(whoami)" $v "a$(base64 < notes)" gs://a/$v "a$v" *.txt a*.txt $((v))').commands[0].words[1:]
)
MOST = 25
"""Sub-commands that are looked at of one program: a vendor has thousands that are all alike."""
CLIENTS = frozenset(
    [
        *("ansible-galaxy", "argocd", "auth0", "aws", "az", "brew", "doctl", "fly", "flyctl", "gcloud", "gh", "glab"),
        *("hcloud", "helm", "koyeb", "kubectl", "linode-cli", "neon", "neonctl", "nomad", "oci", "railway", "render"),
        *("sentry-cli", "supabase", "vault"),
    ]
)
"""Programs that do nothing but ask other machines."""
ABOUT = {"ansible-usage", "glab-about"}
"""Entries of them that print a version and usage."""


def forms_of_calls(grammar: Any, path: tuple[str, ...], connects: bool) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The forms of calls below ``grammar`` that connect, and the words in front of their options."""
    if grammar.subcommands is None:
        if connects or grammar.connects:
            yield path, grammar
        return
    names = sorted(grammar.subcommands)
    for name in names[:: len(names) // MOST + 1]:
        for inner in grammar.subcommands[name]:
            yield from forms_of_calls(inner, (*path, name), connects)


def fitting(form: Any) -> str:
    """A text that ``form`` accepts; any where it is not known."""
    if form is None:
        return "a"
    shown = [name.replace("*", "a") for name in form.name.removeprefix("one of ").split(", ") if name[:1] not in "!%"]
    return next((text for text in ("a", "1", "a.b", *shown) if form.check(text) is None), "a")


def calls(entry: SafeCommand) -> Iterator[tuple[tuple[str | Word, ...], str]]:
    """Calls with a word that only the run knows, and a text that fits in its place."""
    words = cycle(RUN_TIME)
    for grammar in entry.grammars:
        for path, form in forms_of_calls(grammar, (), entry.connects):
            needed = sorted(form.requires)[:1]
            values = [fitting(form.forms.get(name)) for name in needed if form.options.kinds[name]]
            start = (entry.programs[0], *path, *needed, *values)
            operands = [fitting(one) for one in form.operands[: form.required]]
            for name in [name for name, kind in form.options.kinds.items() if kind == ":"]:
                yield (*start, name, next(words), *operands), fitting(form.forms.get(name))
            for at, one in enumerate([*form.operands, *([form.repeated] if form.repeated else [])]):
                before = [fitting(each) for each in form.operands[:at]]
                yield (*start, *before, next(words), *operands[at + 1 :]), fitting(one)


@cache
def calls_of(entry: SafeCommand) -> list[tuple[tuple[str | Word, ...], str]]:
    return list(calls(entry))


def safe(words: tuple[str | Word, ...]) -> bool:
    return opinion_on(EVERY, *words).verdict == "safe"


CONNECTING = [entry for entry in SAFE if next(calls(entry), None) is not None]


@each("entry", CONNECTING, ids=[entry.name for entry in CONNECTING])
def test_no_word_that_only_the_run_knows_is_sent(entry: SafeCommand) -> None:
    assert [words for words, _ in calls_of(entry) if safe(words)] == []


def test_the_calls_are_such_as_are_accepted_with_words_that_fit() -> None:
    def accepted(entry: SafeCommand) -> bool:
        return any(
            safe(tuple([fits if isinstance(word, Word) else word for word in words]))
            for words, fits in calls_of(entry)[:100]
        )

    refused = {entry.name for entry in CONNECTING if not accepted(entry)}
    assert refused <= {"aws-piped", "glab"}  # on a terminal they open a pager


def test_every_entry_of_a_network_client_says_that_it_connects() -> None:
    silent = [entry.name for entry in SAFE if CLIENTS.intersection(entry.programs) and not entry.connects]
    assert {name for name in silent if not name.startswith("about")} == ABOUT


@each(
    "arguments",
    [{"connects": 1}, {"subcommands": {"a": {"connects": True, "subcommands": {"b": {}}}}}, {"project": "yes"}],
)
def test_what_connects_is_a_call(arguments: dict[str, object]) -> None:
    base = {"name": "n", "program": "n", "reason": "r"}
    assert build_safe({**base, "connects": True, "alternatives": [{"operands": "any"}]}).connects
    with pytest.raises(InvalidRuleError):
        build_safe({**base, **arguments})
