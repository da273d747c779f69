"""Commands that git runs: configured ones (``-c alias.x=!cmd``), options that name one, and sub-commands that take one.

Source: the git 2.39 manual pages of each sub-command and ``git-config``.
"""

from __future__ import annotations

from execpolicy.shell.inner import literal_words, run_command, run_text
from execpolicy.shell.options import grammar, walk
from execpolicy.shell.programs import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.inner import Inner
    from execpolicy.shell.script import Command, Script

_COMMAND_KEYS = names(
    "core.pager core.editor core.sshcommand core.askpass core.fsmonitor core.gitproxy sequence.editor "
    "diff.external gpg.program gpg.ssh.program gpg.x509.program gpg.ssh.defaultkeycommand "
    "interactive.difffilter credential.helper web.browser uploadpack.packobjectshook sendemail.smtpserver "
    "sendemail.tocmd sendemail.cccmd sendemail.headercmd imap.tunnel core.alternaterefscommand trailer.command"
)
_COMMAND_ENDINGS = [
    ".textconv",
    ".command",
    ".clean",
    ".smudge",
    ".process",
    ".cmd",
    ".driver",
    ".path",
    ".program",
    ".helper",
    ".sshcommand",
    ".uploadpack",
    ".receivepack",
    ".proxy",
    ".vcs",
    ".cccmd",
    ".tocmd",
    ".tunnel",
    ".update",
]
_OPTIONS = {
    "rebase": "-x! --exec!",
    "difftool": "-x! --extcmd!",
    "filter-branch": (
        "--setup! --env-filter! --tree-filter! --index-filter! --parent-filter! --msg-filter! --commit-filter! "
        "--tag-name-filter!"
    ),
    "clone": "-u! --upload-pack!",
    "fetch": "--upload-pack!",
    "fetch-pack": "--upload-pack! --exec!",
    "pull": "--upload-pack!",
    "ls-remote": "--upload-pack! --exec!",
    "push": "--receive-pack! --exec!",
    "send-pack": "--receive-pack! --exec!",
    "archive": "--exec!",
    "grep": "-O? --open-files-in-pager?",
    "send-email": "--to-cmd! --cc-cmd! --header-cmd! --smtp-server! --sendmail-cmd!",
    "instaweb": "-b! --browser! -d! --httpd!",
}


_WATCHED = frozenset([*_OPTIONS, "bisect", "submodule", "config", "rm", "mv", "remote"])


def git(command: Command, script: Script, name: str) -> list[Inner]:
    """Whatever one ``git`` command line would run beside git itself."""
    words = command.words
    second = words[1].literal if len(words) > 1 else ""
    if second is not None and second not in _WATCHED and not second.startswith("-"):
        return []
    from execpolicy.shell.global_options import GLOBAL_OPTIONS
    from execpolicy.shell.texts import run_joined
    from execpolicy.shell.wrapped import option_value

    way = walk(grammar(GLOBAL_OPTIONS["git"]), words, 1)
    found: list[Inner] = []
    for seen in way.seen:
        if seen.name in ("-c", "--config-env"):
            value = seen.value()
            if value is None and seen.word is not None:
                value = seen.word.values[0][0] if seen.word.values and seen.word.values[0] else seen.word.prefix
            if value:
                key, _, setting = value.partition("=")
                found.extend(_setting(command, key, setting))
    for at in way.starts:
        verb = words[at].literal
        rest = words[at + 1 :]
        if verb in _OPTIONS:
            for seen in walk(grammar(_OPTIONS[verb]), words, at + 1, operands=len(words), permute=True).seen:
                if seen.kind == "!":
                    found.extend(option_value(name, seen, command, script))
                elif seen.kind == "?" and seen.glued:
                    found.append(run_text(name, command, seen.glued))
        if verb == "bisect" and rest and rest[0].literal == "run":
            found.append(run_command(name, command, rest[1:])) if rest[1:] else None
        elif verb == "submodule":
            each = walk(grammar("-q --quiet --recursive"), words, at + 1).starts
            for start in each:
                if words[start].literal == "foreach":
                    for inner in walk(grammar("-q --quiet --recursive"), words, start + 1).starts:
                        found.extend(run_joined(name, command, script, words[inner:]))
        elif verb in ("for-each-repo", "maintenance"):
            continue
        elif verb == "config":
            options = grammar("-f: --file: --blob: -t: --type: --default: --comment: --value: --url: --all --add -l")
            operands = walk(options, words, at + 1, operands=len(words), permute=True).operands
            texts = [words[each].literal or words[each].prefix for each in operands]
            if texts and texts[0] in ("set", "add", "--add"):
                texts = texts[1:]
            if len(texts) >= 2:
                found.extend(_setting(command, texts[0], texts[1]))
        elif verb == "rm":
            found.append(run_command(name, command, (*literal_words(["rm"], command.span), *rest), evidence=True))
        elif verb == "mv":
            found.append(run_command(name, command, (*literal_words(["mv"], command.span), *rest), evidence=True))
        for word in rest:
            if word.literal is not None and word.literal.startswith("ext::"):
                found.append(run_text(name, command, word.literal[5:].replace("% ", " ")))
    return found


def _setting(command: Command, key: str, value: str) -> list[Inner]:
    """What a configuration value would run once git uses it."""
    key = key.lower()
    if key.startswith("alias."):
        if value.lstrip().startswith("!"):
            return [run_text("git", command, value.lstrip()[1:])]
        return [run_text("git", command, "git " + value)] if value.strip() else []
    if key.startswith("pager.") and value.lower() not in ("true", "false", "yes", "no", "on", "off", "0", "1", ""):
        return [run_text("git", command, value)]
    if key not in _COMMAND_KEYS and not any(key.endswith(ending) for ending in _COMMAND_ENDINGS):
        return []
    value = value.strip()
    if not value or value in ("true", "false", "cat", "cache", "store"):
        return []
    if key.endswith(".helper") and not value.startswith(("!", "/")):
        return []
    return [run_text("git", command, value.lstrip("!"))]
