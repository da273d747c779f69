"""What git's settings make it run, and what they make of a push.

Source: ``git-config`` of git 2.39.
"""

from __future__ import annotations

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_argv, run_text, run_unknown
from execpolicy.programs.options import GivenOption, every_option, option_table
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word

_COMMAND_KEYS = word_set(
    "core.pager core.editor core.sshcommand core.askpass core.fsmonitor core.gitproxy sequence.editor "
    "diff.external gpg.program gpg.ssh.program gpg.x509.program gpg.ssh.defaultkeycommand "
    "gc.recentobjectshook interactive.difffilter credential.helper web.browser "
    "uploadpack.packobjectshook sendemail.smtpserver instaweb.httpd instaweb.browser "
    "sendemail.tocmd sendemail.cccmd sendemail.headercmd imap.tunnel core.alternaterefscommand trailer.command"
)
_PLACES = frozenset(["core.hookspath", "init.templatedir", "include.path"])
"""Keys that name files or folders with commands in them."""
_COMMAND_ENDINGS = tuple(
    word_set(
        ".textconv .command .clean .smudge .process .cmd .driver .path .program .helper .sshcommand .uploadpack "
        ".receivepack .proxy .vcs .cccmd .tocmd .headercmd .sendmailcmd .smtpserver .tunnel .update"
    )
)
_EDITORS = ("sequence.editor", "core.editor")
"""Keys of programs that may write the list of a rebase, of which git runs the lines ``exec COMMAND``."""
_LIST = "git-rebase-todo"
_UNTRUE = frozenset(["false", "no", "off", "0", ""])
_CONFIG = (
    "-f: --file: --blob: -t: --type: --default: --comment: --value: --url: --all --add -l --get --get-all --get-regexp "
    "--unset --unset-all --global --system --local --worktree --replace-all --fixed-value --bool --int --bool-or-int "
    "--path -z --null --name-only --show-origin --show-scope --includes --no-includes"
)
_ASKING = frozenset(["--get", "--get-all", "--get-regexp", "--unset", "--unset-all", "-l"])
UNKNOWN = "an argument that is only known at run time could make git run a command"


def run_by_setting(command: Command, facts: Facts, value: str | None, word: Word | None) -> list[Inner]:
    """What ``-c KEY=VALUE`` makes git run; a value that is only known at run time counts as far as it is known."""
    text = value
    if text is None and word is not None:
        values = facts.values(word)
        text = values[0][0] if values and values[0] else word.prefix
    key, equals, setting = (text or "").partition("=")
    found = _setting(command, facts, key, setting) if text else []
    if value is None and (not equals or _runs_value(key.lower())):
        found.append(run_unknown("git", command, UNKNOWN))
    return found


def run_of_lists(command: Command, facts: Facts, editor: str = "") -> list[Inner]:
    """What the lists of a rebase make git run that the script writes to git's own file, or to one for ``editor``."""
    from execpolicy.flow.look_ups import LookUps
    from execpolicy.flow.streams import written_texts

    found: list[Inner] = []
    for path in facts.once(LookUps).writers:
        if path.endswith(_LIST) or path in editor.split():
            lines = [line.split(maxsplit=1) for text in written_texts(path, facts) for line in text.split("\n")]
            found += [run_text("git", command, line[1]) for line in lines if len(line) > 1 and line[0] in ("exec", "x")]
    return found


def run_by_config(command: Command, facts: Facts, name: str, at: int) -> list[Inner]:
    """What ``git config``, the word at ``at``, sets that runs something or makes pushes what they are not."""
    words = command.words
    found: list[Inner] = []
    way = every_option(option_table(_CONFIG), words, at + 1)
    given = [words[each] for each in way.operands]
    asks = not way.ambiguous and any(each.name in _ASKING for each in way.seen)
    if given and given[0].literal in ("set", "add", "--add"):
        given = given[1:]
    if len(given) >= 2:
        key, value = given[0], given[1]
        if key.literal is None:
            found.append(run_unknown(name, command, UNKNOWN))
        shown = value.prefix
        found += _setting(command, facts, key.prefix, shown)
        found += [] if asks else pushed_by(command, key.literal or key.prefix, value.literal)
        if value.literal is None and _runs_value((key.literal or "").lower()):
            found.append(run_unknown(name, command, UNKNOWN))
    if any(word.literal in ("--rename-section", "rename-section") for word in words[at + 1 :]):
        found.append(run_unknown(name, command, "a renamed section of the configuration can be one that runs commands"))
    return found


def pushed_when_given(command: Command, seen: GivenOption) -> list[Inner]:
    """What ``-c KEY=VALUE`` makes of a push; behind ``--config-env`` and without ``=`` the value is not to be seen."""
    text = seen.value()
    shown = text if text is not None else seen.word.prefix if seen.word is not None else ""
    key, equals, value = shown.partition("=")
    known = text is not None and equals and seen.name != "--config-env"
    return pushed_by(command, key, value if known else None)


def pushed_by(command: Command, key: str, value: str | None) -> list[Inner]:
    """What a setting of a remote makes of every push to it; a ``value`` of ``None`` is only known at run time.

    Source: ``remote.<name>.mirror`` and ``remote.<name>.push`` in git-config.
    """
    section, _, rest = key.partition(".")
    remote, _, name = rest.rpartition(".")
    if section.lower() != "remote":
        return []
    if name.lower() == "mirror" and (value is None or value.lower() not in _UNTRUE):
        words = ["git", "push", "--mirror", remote]
    elif name.lower() == "push" and (value is None or value[:1] in ("+", ":")):
        words = ["git", "push", remote, *(("+main", ":main") if value is None else (value,))]
    else:
        return []
    return [run_argv("git", command, words, stdin=False, evidence=True)]


def run_by_helper(command: Command, text: str) -> Inner:
    """What ``ext::TEXT`` runs: words between blanks; ``% `` is a blank in a word (git-remote-ext)."""
    words = [word.replace("\0", " ").replace("%%", "%") for word in text.replace("% ", "\0").split(" ") if word]
    return run_argv("git", command, words or [text])


def _runs_value(key: str) -> bool:
    """Whether git may run the value of the configuration key ``key``."""
    return key.startswith(("alias.", "pager.")) or key in _PLACES or _names_a_command(key)


def _names_a_command(key: str) -> bool:
    return key in _COMMAND_KEYS or key.endswith(_COMMAND_ENDINGS)


def _setting(command: Command, facts: Facts, key: str, value: str) -> list[Inner]:
    """What a configuration value would run once git uses it."""
    key = key.lower()
    if key in _PLACES:
        return [run_unknown("git", command, f"git runs programs in the folder that `{key}` names")]
    if key == "rebase.instructionformat":
        lines = value.replace("%n", "\n").split("\n")
        return [run_text("git", command, line[5:]) for line in lines if line.startswith(("exec ", "x "))]
    if "ext::" in key or "ext::" in value:
        return [run_by_helper(command, (key if "ext::" in key else value).partition("ext::")[2])]
    if key.startswith("alias."):
        if value.lstrip().startswith("!"):
            return [run_text("git", command, value.lstrip()[1:])]
        return [run_text("git", command, "git " + value)] if value.strip() else []
    if key.startswith("pager.") and value.lower() not in ("true", "false", "yes", "no", "on", "off", "0", "1", ""):
        return [run_text("git", command, value)]
    if not _names_a_command(key):
        return []
    value = value.strip()
    if not value or value in (":", "true", "false", "cat", "cache", "store"):
        return []
    if key.endswith(".helper") and not value.startswith(("!", "/")):
        return [run_text("git", command, "git credential-" + value)] if not value.isidentifier() else []
    found = [run_text("git", command, value.lstrip("!"))]
    if key in _EDITORS:
        found += run_of_lists(command, facts, value)
        found.append(run_unknown("git", command, f"git runs what `{key}` writes into the list of a rebase"))
    return found
