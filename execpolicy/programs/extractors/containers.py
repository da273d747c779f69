"""Programs that run commands in containers, pods and virtual machines."""

from __future__ import annotations

from _collections_abc import Iterator
from itertools import pairwise

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_argv, run_text
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import shown_texts
from execpolicy.shell.script import Command

_INSTRUCTIONS = ("RUN ", "CMD ", "ENTRYPOINT ")


def post_rendered(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``helm … --post-renderer PROGRAM --post-renderer-args ARGUMENT``, once for each argument."""
    given: dict[str, list[str]] = {"--post-renderer": [], "--post-renderer-args": []}
    words = command.words
    for at, word in enumerate(words[1:], 1):
        option, equals, value = (word.literal or "").partition("=")
        if option in given:
            given[option].append(value if equals else words[at + 1].literal or "" if at + 1 < len(words) else "")
    for program in given["--post-renderer"]:
        yield run_argv(name, command, [*program.split(), *given["--post-renderer-args"]], evidence=True)


def image(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``docker build -f FILE``: the instructions of a file that the script shows, which run in the image; and one that
    ``docker commit --change TEXT`` gives it.
    """
    words = command.words
    verbs = {word.literal for word in words[1:4]}
    texts: list[str] = []
    if not verbs.isdisjoint(("build", "bud")):
        texts = [text for word in words[1:] for text in shown_texts(word, command, facts)]
    elif not verbs.isdisjoint(("commit", "import")):
        texts = [(word.literal or "").removeprefix("--change=").removeprefix("-c") for word in words[2:]]
    for line in [line for text in texts for line in text.replace("\\\n", " ").split("\n")]:
        if line.lstrip().upper().startswith(_INSTRUCTIONS):
            said = line.split(None, 1)[1].strip()
            said = said.strip("[]").replace(",", " ") if said[:1] == "[" else said
            yield run_text(name, command, said, evidence=True)


def pod(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``kubectl run --overrides JSON``, and ``config set-credentials --exec-command PROGRAM --exec-arg ARGUMENT``."""
    program: list[str] = []
    arguments: list[str] = []
    for before, word in pairwise(command.words):
        option, equals, value = (word.literal or "").partition("=")
        if not equals or option[:1] != "-":
            option, value = before.literal or "", word.literal or ""
        if option == "--exec-command":
            program = [value]
        elif option == "--exec-arg":
            arguments += value.split(",")
        elif option in ("--overrides", "--patch", "-p"):
            yield from [run_argv(name, command, argv, evidence=True) for argv in _argvs_in(value)]
    if program:
        yield run_argv(name, command, [*program, *arguments], evidence=True)


def _argvs_in(text: str) -> Iterator[list[str]]:
    """What containers run by the JSON ``text``: the lists of words in it, and a ``command`` with its ``args``."""
    import json

    try:
        waiting: list[object] = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
            value = [word for key in ("command", "args") for word in value.get(key) or ()]
        elif isinstance(value, list):
            waiting += value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            yield value
