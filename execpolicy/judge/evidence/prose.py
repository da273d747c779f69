"""Which words of a command are prose or patterns, in which a command is only mentioned."""

from __future__ import annotations

from execpolicy.core.text import names

PROSE = names(
    "k R message msg body title subject description notes note text grep pattern regex format search "
    "comment prompt name label env-file file output reason body-file notes-file summary tests testNamePattern "
    "filter tag tags msgbox infobox yesno mesg message-body filter-pattern keyword keywords "
    "caption annotate headline placeholder"
)
"""Options whose value is prose or a pattern, whatever it looks like."""
_TELLING = names(
    "echo printf grep egrep fgrep rg ag ack sed gsed awk gawk mawk jq yq test [ [[ expr man tldr redis-cli http "
    "https xh xhs rspec logger notify-send say figlet cowsay toilet banner wall write espeak espeak-ng tts qrencode "
    "lolcat boxes aspell hunspell spell codespell typos cspell vale languagetool commitlint markdownlint yamllint "
    "actionlint zizmor jsonlint taplo check-jsonschema kubeconform hadolint shellcheck checkbashisms datamash trans "
    "pbcopy xclip xsel wl-copy sendmail cheat howdoi info jrnl timew watson toggl whiptail dialog mail mailx ntfy "
    "prettier dasel"
)
"""Programs whose words are text and patterns."""
_COMMITTING = names("git hub jj hg sl svn bzr fossil darcs yadm etckeeper")
"""Programs whose letters, put together, may end in a message: ``git commit -am 'git push'``."""
_ORDERING = names("xplr gammastep redshift zabbix_agentd rclone")
"""Programs to which ``-m`` gives no message."""
_FORGES = names("gh glab hub tea jira")
_LETTERS = {
    "-t": _FORGES | names("jest vitest npx npm pnpm yarn bun node git docker podman ava deno"),
    "-b": _FORGES,
    "-d": _FORGES | {"curl"},
}
"""Letters of options, and the programs to which they give a message, a title, the name of a test, a body or data."""
_PAGING = names("less more most xargs gxargs tee gtee sponge")
"""Programs that show what they are given, or hand it on as words, which their records follow."""
_SEARCHING = names("ugrep ug semgrep ast-grep comby histdb")
"""Programs whose operands, and values of options of one letter, are patterns; their long options may name programs."""
_TESTING = names("mocha playwright jasmine bats journalctl")
"""Programs whose ``-g`` and ``-f`` choose by a pattern."""
_TOLD = names("description note notes title subject comment text message msg summary reason caption")
"""Names of variables and fields that hold prose, whatever sets them: ``-var 'description=git push'``."""


def tells_prose(program: str) -> bool:
    """Whether ``program`` only says, searches or compares what it is given."""
    return program in _TELLING


def keeps_prose(program: str) -> bool:
    """Whether what ``program`` is given on its input, or in a file, is prose: a message, the text of an issue."""
    return program in _PAGING or program in _COMMITTING or program in _FORGES or program in _TELLING


def is_forge(program: str) -> bool:
    """Whether ``program`` is the client of a forge, which runs git for a push: ``gh repo create x --push``."""
    return program in _FORGES


def is_prose_name(name: str) -> bool:
    """Whether a variable or a setting of that name holds prose: ``COMMIT_MSG``."""
    return not PROSE.isdisjoint(name.split("_"))


def is_prose(program: str, text: str, before: str) -> bool:
    """Whether ``text``, behind the word ``before``, is the value of an option of ``program`` for prose or a pattern."""
    if text.startswith(("https://", "http://")) or (program in ("pytest", "py.test") and "::" in text):
        return True
    if program in _SEARCHING and text[:1] != "-" and before[:2] != "--":
        return True
    option, equals, value = text.partition("=")
    field = value.partition("=")[0] if text[:1] == "-" else option
    if equals and "=" in (value if text[:1] == "-" else text) and field.lower() in _TOLD:
        return True
    if text[:1] == "-" and equals:
        return option.lstrip("-") in PROSE
    if before[:1] != "-":
        return False
    if program in _LETTERS.get(before, ()) or (before == "-m" and program not in _ORDERING):
        return True
    if before in ("-g", "-f") and program in _TESTING:
        return True
    return before.lstrip("-") in PROSE or (program in _COMMITTING and before[1:2] != "-" and before[-1] == "m")
