"""Programs with options whose value is a command: ``tar --to-command``, ``rsync -e``, ``rg --pre``, ``sort`` …

The table of a record lists only the options that run something, in every spelling; what it lacks is skipped. An option
is looked for in every word, so that the order of options and operands does not matter."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_text
from execpolicy.programs.options import option_table, readings
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import option_value, with_input
from execpolicy.shell.script import Command

_PREFIXES = ("exec=", "Pre-Invoke=", "execute(", "become(")
_HG = ("alias.", "hooks.", "extdiff.cmd.", "merge-tools.", "ui.editor", "ui.ssh", "ui.merge", "pager.pager")
"""Settings of Mercurial that name a command, see `hg help config`."""
_JJ = ("aliases.", "ui.editor", "ui.pager", "ui.diff", "ui.merge", "merge-tools.", "fix.tools.", "git.executable-path")
_SSH = ("proxycommand", "localcommand", "knownhostscommand", "remotecommand")


def run_by_options(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Yields what the values of the options in ``record.runs`` run."""
    words = command.words
    table = option_table(record.runs)
    for at in range(1, len(words)):
        text = words[at].prefix
        if not text or len(text) < 2 or text[0] != "-" or text == "--":
            continue
        given = {(option.name, option.glued): option for each in readings(table, text) for option in each.given}
        for seen in given.values():
            if seen.kind not in ("!", "*"):
                continue
            if seen.glued is None and at + 1 < len(words):
                seen.word = words[at + 1]
            value = seen.value()
            if value is None:
                yield from option_value(name, seen, command, facts)
            else:
                texts = [text for text in (_texts(record.form, value) if seen.kind == "!" else [value]) if text.strip()]
                yield from [run_text(name, command, text) for text in texts]
                if command.body is not None or command.piped_from:  # which it may hand on, or a part of it
                    handed = [run_text(name, command, text, evidence=True) for text in texts]
                    yield from with_input(handed, command, facts)


def _texts(form: str, value: str) -> list[str]:
    """The shell texts in a literal value.

    ====================  ============================================================================================
    ``form``              the value
    ====================  ============================================================================================
    (empty)               is the text, or holds it behind ``exec=``, ``execute(`` …
    ``ansible``           of ``ansible``: the text, or ``cmd=…``, or options of ``ssh``
    ``action``            of ``tar``: ``exec=…``, or other actions that run nothing
    ``assignment``        of ``apt``: ``Key::Key=…``
    ``colon``             ``:!`` and the text, or code
    ``cargo``             a sub-command of ``cargo``, or a text
    ``commas``            words with commas between them
    ``hg``                ``section.name=…``, of which some name a command
    ``jj``                ``section.name=…``, of which some name a command, as a string or a list of TOML
    ``mail``              a setting of ``mail`` or ``mutt``: ``sendmail=…``, ``shell-escape …``
    ``ini``               of PHP: ``sendmail_path=…``, or a setting that runs nothing
    ``linker``            of ``rustc``: ``linker=…``, or a setting that runs nothing
    ``pipe``              a file, or ``|`` or ``!`` and the text
    ``ssh``               of ``ssh``: ``ProxyCommand=…``, or settings that run nothing
    ``tox``               of ``tox``: ``testenv.commands=…``, or a setting that runs nothing
    ``unit``              of ``systemd``: ``ExecStart=…``, or a property that runs nothing
    ``wget``              the text, or ``use_askpass=…``, or another setting
    ====================  ============================================================================================
    """
    for prefix in _PREFIXES:
        at = value.find(prefix)
        if at >= 0:
            return [value[at + len(prefix) :].strip("\"')")]
    if form == "action" and value.startswith(("-", "dot", "sleep=", "ttyout=", "echo", "bell", "totals")):
        return []
    if form == "mail":
        return [value.partition("=" if "=" in value else " ")[2].strip().strip("\"'")]
    if form == "assignment" and "=" in value:
        return [value.partition("=")[2].strip("\"'")] if "::" in value else []
    if form == "ansible":
        shown = [value.partition(mark)[2].strip(" \"'") for mark in ("cmd=", "ProxyCommand=", "ProxyCommand ")]
        return [value, *shown]
    if form == "wget":
        key, equals, text = value.partition("=")
        return [text] if key == "use_askpass" else [] if equals else [value]
    if form in ("hg", "ini", "jj", "linker", "tox", "unit"):
        return _setting_texts(form, value)
    if form == "colon":
        return [value[2:]] if value.startswith(":!") else []
    if form == "ssh":
        return ssh_texts(value)
    if form == "pipe":
        return [value[1:]] if value[:1] in ("|", "!") else []
    if form == "commas":
        return [value.replace(",", " ")]
    return ["cargo " + value, value] if form == "cargo" else [value]


def _setting_texts(form: str, value: str) -> list[str]:
    """The same for ``KEY=VALUE``, where the key says whether the value is run."""
    key, _, text = value.partition("=")
    if form == "hg":
        return [text.strip().removeprefix("!")] if key.strip().startswith(_HG) else []
    if form == "jj":
        return [_toml_command(text)] if key.strip().startswith(_JJ) else []
    if form == "unit":
        return [text.lstrip("-@:+!|")] if key.startswith("Exec") else []
    runs = key == "linker" if form == "linker" else key == "sendmail_path" if form == "ini" else "command" in key
    return [text] if runs else []


def _toml_command(text: str) -> str:
    """A command in TOML, ``"rm x"`` or ``["util", "exec", "--", "rm", "x"]``, as shell text."""
    parts = [part.strip(" \"'") for part in text.strip().strip("[]").split(",")]
    return " ".join(parts[parts.index("--") + 1 :] if "--" in parts else parts)


def ssh_texts(line: str) -> list[str]:
    """Returns what a line of ssh's settings runs: ``ProxyCommand cmd``, ``Match exec "cmd"``."""
    key, _, text = line.strip().replace("\t", " ").replace("=", " ", 1).partition(" ")
    if key.lower() == "match":
        _, _, text = text.partition("exec ")
        return [text.strip().partition('"')[0] if text.strip()[:1] != '"' else text.strip()[1:].partition('"')[0]]
    return [text.strip().strip('"')] if key.lower() in _SSH else []
