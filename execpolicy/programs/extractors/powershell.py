"""PowerShell: its command line, and what its statements run.

Source: "about_Pwsh" and the help of ``Invoke-Expression``, ``Start-Process`` and ``Start-Job`` of PowerShell 7.4.
"""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.flow.streams import fed_texts
from execpolicy.flow.texts import texts_of
from execpolicy.programs.inner import Inner, literal_words, run_command, run_text
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import run_joined, shown_texts
from execpolicy.shell.script import Command

_TEXT, _ENCODED = "-command", "-encodedcommand"
_RUNNERS = word_set(
    "& . iex invoke-expression start-process saps start start-job invoke-command icm cmd cmd.exe sudo -filepath "
    "-argumentlist -args -scriptblock -command -wait -nonewwindow /c /k call start-threadjob foreach-object % if while"
)
"""Words in front of a command that a statement runs."""
_BREAKS = dict.fromkeys(map(ord, ";|{}\n`"), "\n") | dict.fromkeys(map(ord, "(),@"), " ")
MAX_STATEMENTS = 200


def powershell(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pwsh -c TEXT…``, ``-EncodedCommand BASE64``, ``-File`` and standard input. Options may be cut short."""
    words = command.words
    texts: list[str] = []
    for at, word in enumerate(words[1:], 1):
        option = (word.literal or "").lower().replace("--", "-")
        if len(option) > 1 and option[0] in "-/":
            option = "-" + option[1:]
            behind = words[at + 1 :]
            if option == "-ec" or (len(option) > 1 and _ENCODED.startswith(option)):
                texts += [text for one in behind[:1] for text in _decoded(one.literal or "")]
            elif _TEXT.startswith(option):
                yield from run_joined(name, command, facts, behind)
                exact, others = texts_of(behind, facts)
                texts += others if exact is None else [exact]
        else:
            texts += shown_texts(word, command, facts)
    if not texts:
        texts += fed_texts(command, facts)[0]
    for text in texts:
        yield run_text(name, command, text, evidence=True)
        yield from _statements(name, command, text)


def _decoded(text: str) -> list[str]:
    from binascii import Error, a2b_base64

    try:
        return [a2b_base64(text + "=" * (-len(text) % 4)).decode("utf-16-le")]
    except (Error, ValueError):
        return []


def _statements(name: str, command: Command, text: str) -> Iterator[Inner]:
    """Each statement as a command, without what only runs it: ``iex "rm x"``, ``[Process]::Start("rm", "x")``."""
    for joint in ('"+"', "'+'", '" + "', "' + '"):
        text = text.replace(joint, "")
    for line in text.translate(_BREAKS).split("\n")[:MAX_STATEMENTS]:
        words = line.replace('"', " ").replace("'", " ").replace("::Start", "::Start ").split()
        while words and (
            words[0].lower() in _RUNNERS or words[0].endswith(("::Start", "=", "$")) or words[0][0] == "$"
        ):
            words = words[1:]
        kept = [word for word in words if word.lower() not in _RUNNERS]
        if kept:
            yield run_command(name, command, literal_words(kept, command.span), stdin=False, evidence=True)
