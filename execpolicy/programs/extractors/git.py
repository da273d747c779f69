"""Version control: git and what it runs, configured or given.

Source: the git 2.39 manual pages of each sub-command and ``git-config``.
"""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.core.text import word_set
from execpolicy.flow import filled, streams
from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, literal_words, run_argv, run_command, run_text, run_unknown
from execpolicy.programs.options import GivenOption, every_option, option_table, walk
from execpolicy.programs.record import Program
from execpolicy.programs.written_files import options_of
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word, quote_word

_FEW = 4
_MOST_ALIASES = 16
_OPTIONS = {
    "rebase": "-x! --exec!",
    "difftool": "-x! --extcmd!",
    "filter-branch": "--setup! --env-filter! --tree-filter! --index-filter! --parent-filter! --msg-filter! "
    "--commit-filter! --tag-name-filter!",
    "clone": "-u! --upload-pack! -c: --config:",
    "fetch": "--upload-pack!",
    "fetch-pack": "--upload-pack! --exec!",
    "pull": "--upload-pack!",
    "ls-remote": "--upload-pack! --exec!",
    "push": "--receive-pack! --exec!",
    "send-pack": "--receive-pack! --exec!",
    "archive": "--exec!",
    "svn": "--authors-prog!",
    "grep": "-O? --open-files-in-pager?",
    "send-email": "--to-cmd! --cc-cmd! --header-cmd! --smtp-server! --sendmail-cmd!",
    "instaweb": "-b! --browser! -d! --httpd!",
    "daemon": "--access-hook!",
}
_EDITORS = word_set("GIT_SEQUENCE_EDITOR GIT_EDITOR VISUAL EDITOR")
"""Variables that name the editor of the list of a rebase."""
_PUSHING = word_set("push subtree send-pack http-push")
_SENDING = word_set("push --push publish ship submit sync dcommit")
"""Words by which sub-commands of others push: ``git subrepo push x``, ``git town sync``."""
_ADDED = word_set("flow lfs annex machete town")
"""Programs ``git-VERB`` whose grammars are known beside git's own."""
_WATCHED = _OPTIONS.keys() | word_set(
    "bisect bisect--helper bulk config for-each-repo hook http-push mv remote remote-ext rm submodule subtree"
)
"""Sub-commands that may run something, or do another program's work."""
_FAR = word_set("clone fetch fetch-pack pull ls-remote push send-pack archive")
"""Sub-commands whose option names a program of the other side: a rule for them means whatever branch is named."""


def git(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Whatever one ``git`` command line would run beside git itself."""
    words = command.words
    if name == "hub":  # which hands to git what it does not know itself
        yield run_argv(name, command, ["git"], words[1:], evidence=True)
    second = words[1].literal if len(words) > 1 else ""
    aliased = facts.once(_says_alias)
    if second is not None and second not in _WATCHED and not second.startswith("-") and not aliased:
        if (
            second[:1].isalpha()
            and not _SENDING.isdisjoint([word.literal for word in words[1:]])
            and _is_foreign(second)
        ):
            yield _as_push(name, command, words[2:])
        return
    way = walk(option_table(record.leading), words, 1)
    aliases = dict(facts.once(_aliases)) if aliased else {}
    pushes: list[Inner] = []
    for seen in way.seen:
        if seen.name in ("-c", "--config-env"):
            yield from run_by_setting(command, facts, seen.value(), seen.word)
            key, _, value = (seen.value() or "").partition("=")
            if seen.name == "--config-env":
                for text in _assigned_texts(command, facts, value):
                    yield from run_by_setting(command, facts, f"{key}={text}", None)
            if key.lower().startswith("alias.") and seen.name == "--config-env":
                yield run_unknown(name, command, "git takes an alias from a variable")
            elif key.lower().startswith("alias."):
                aliases[key[6:].lower()] = [value]
            else:
                pushes += pushed_when_given(command, seen)
        elif seen.name == "--exec-path" and seen.glued is not None:
            yield run_unknown(name, command, "git runs the programs in the folder that `--exec-path` names")
    if second is None and words[1].may_start_with_dash():
        yield run_unknown(name, command, UNKNOWN)
    if pushes and (not way.starts or any(_may_push(words[at].literal) for at in way.starts)):
        yield from pushes
    for at in way.starts:
        verb = words[at].literal
        rest = words[at + 1 :]
        for value in _values(aliases, verb or ""):
            yield run_text(name, command, _called(value, rest))
        if verb in _OPTIONS:
            yield from _options(command, facts, name, verb, at)
        yield from _verb(command, facts, name, verb, at, record)
        for word in rest:
            text = word.prefix
            if "ext::" in text:
                yield run_by_helper(command, text.partition("ext::")[2])


def _options(command: Command, facts: Facts, name: str, verb: str, at: int) -> Iterator[Inner]:
    """Yields what the options of a sub-command run."""
    words = command.words
    table = option_table(_OPTIONS[verb])
    for seen in every_option(table, words, at + 1).seen:
        if seen.kind == "!":
            from execpolicy.programs.text_runs import option_value

            yield from option_value(name, seen, command, facts)
        elif seen.kind == "?" and seen.glued:
            yield run_text(name, command, seen.glued)
        elif seen.kind == ":":
            yield from run_by_setting(command, facts, seen.value(), seen.word)
            yield from pushed_when_given(command, seen)
    for word in words[at + 1 :]:
        if word.literal is None:
            known = word.prefix.startswith("-")
            if known or (verb not in _FAR and word.may_start_with_dash()):
                yield run_unknown(name, command, UNKNOWN)


def _verb(command: Command, facts: Facts, name: str, verb: str | None, at: int, record: Program) -> list[Inner]:
    """Returns what a sub-command runs that takes a command, or does another program's work."""
    words = command.words
    rest = words[at + 1 :]
    found: list[Inner] = []
    if verb in ("bisect", "bisect--helper") and rest and rest[0].literal in ("run", "--bisect-run"):
        found.append(run_command(name, command, rest[1:])) if rest[1:] else None
    elif verb == "submodule":
        from execpolicy.programs.text_runs import run_joined

        each = walk(option_table("-q --quiet --recursive"), words, at + 1).starts
        for start in each:
            if words[start].literal == "foreach":
                for inner in walk(option_table("-q --quiet --recursive"), words, start + 1).starts:
                    found.extend(run_joined(name, command, facts, words[inner:]))
    elif verb == "config":
        found += run_by_config(command, facts, name, at, record)
    elif verb == "rebase":
        editors = [text for name in _EDITORS for text in _assigned_texts(command, facts, name)]
        found += run_of_lists(command, facts, " ".join(editors))
    elif verb == "bulk":  # of git-bulk: the verb of each repository, behind its own options and their values
        plain = [index for index, word in enumerate(rest) if (word.literal or "-")[:1] != "-"]
        found += [run_argv(name, command, ["git"], rest[index:], evidence=True) for index in plain]
    elif verb == "for-each-repo":
        starts = walk(option_table("--config: --keep-going"), words, at + 1).starts
        found += [run_command(name, command, (words[0], *words[start:]), evidence=True) for start in starts]
    elif verb in ("push", "subtree", "send-pack", "http-push", "remote"):
        found += _pushed(command, facts, name, verb, at, record)
    elif verb == "remote-ext" and len(rest) > 1 and rest[1].literal is not None:
        found.append(run_by_helper(command, rest[1].literal))
    elif verb == "hook" and rest and rest[0].literal == "run":
        found.append(run_unknown(name, command, "it runs a hook"))
    elif verb in ("rm", "mv"):
        found.append(run_argv(name, command, [verb], rest, evidence=True))
    return found


def _pushed(command: Command, facts: Facts, name: str, verb: str, at: int, record: Program) -> list[Inner]:
    """Returns what sub-commands push beside what they say, or make later ones push."""
    words = command.words
    rest = words[at + 1 :]
    mirrors = False
    if verb == "push" and "--mirr" in facts.script.text and facts.once(_clones_a_mirror):
        behind = every_option(option_table("-o: --push-option: --repo:"), words, at + 1).operands
        mirrors = not behind or any(words[each].literal in (None, "origin") for each in behind)
    elif verb in ("send-pack", "http-push") or (verb == "subtree" and any(word.literal == "push" for word in rest)):
        return [_as_push(name, command, rest)]
    elif verb == "remote" and rest and rest[0].literal in (None, "add"):
        way = every_option(options_of(record, "remote", "add"), words, at + 2)
        mirrors = any(each.name == "--mirror" and each.glued != "fetch" for each in way.seen)
    if not mirrors:
        return []

    return pushed_by(command, "remote.origin.mirror", None)


def _may_push(verb: str | None) -> bool:
    """True if a sub-command may be one that pushes: one of them, or an alias."""
    return verb is None or verb in _PUSHING or _is_foreign(verb)


def _is_foreign(verb: str) -> bool:
    """True if a sub-command is none of git's own: an alias, or a program ``git-VERB``."""
    from execpolicy.programs.meaning.command_grammar import grammar_of

    grammar = grammar_of("git")
    return grammar is None or verb in _ADDED or not grammar.child((), verb, sure=True)


def _as_push(name: str, command: Command, rest: Sequence[Word]) -> Inner:
    """Returns what pushes with the words of ``git push``: options and refspecs are the same, and more may come as
    input.
    """
    said = [Word("--delete", word.span) if word.literal == "-D" else word for word in rest]
    if any((word.literal or "").startswith("--std") for word in rest):
        said += literal_words(["+main", ":main"], command.span)
    return run_argv(name, command, ["git", "push"], said, evidence=True)


def _clones_a_mirror(facts: Facts) -> bool:
    """True if the script clones with ``--mirror``, which is then a setting of the remote ``origin``."""
    return any(
        "clone" in texts and any(text.startswith("--mirr") for text in texts)
        for command in facts.script.commands
        for texts in [[word.literal or "" for word in command.words]]
    )


def _says_alias(facts: Facts) -> bool:
    return "alias" in facts.script.text.lower()


def _aliases(facts: Facts) -> dict[str, list[str]]:
    """The aliases that ``git config`` commands of the script define, by name in small letters."""
    found: dict[str, list[str]] = {}
    for command in facts.script.commands:
        if len(command.words) < 4 or command.words[0].literal != "git":
            continue
        for at, word in enumerate(command.words[:-1]):
            for key in filled.word_texts(word, facts)[:_FEW]:
                if key.lower().startswith("alias.") and "=" not in key:
                    values = filled.word_texts(command.words[at + 1], facts)[:_FEW]
                    found.setdefault(key[6:].lower(), []).extend(values)
    return found


def _values(aliases: dict[str, list[str]], name: str) -> Iterator[str]:
    """The values of an alias; one that names another alias is followed."""
    pending = [(name, "")]
    for name, behind in pending:
        for value in aliases.get(name.lower(), ())[:_FEW]:
            yield value + behind
            first, blank, more = value.strip().partition(" ")
            if len(pending) < _MOST_ALIASES and first.lower() in aliases:
                pending.append((first, blank + more + behind))


def _called(value: str, rest: Sequence[Word]) -> str:
    """The shell text that an alias with the value ``value`` becomes with the words behind it."""
    text = value.strip()
    text = text[1:] if text.startswith("!") else "git " + text
    return " ".join([text, *map(quote_word, rest)])


def _assigned_texts(command: Command, facts: Facts, code: str) -> list[str]:
    """Returns what the variables that ``code`` names may hold, in front of ``command`` or from elsewhere in the
    script.
    """
    own = [(one.name, one.value.literal) for one in command.assignments if one.value is not None]
    given = [*own, *[(name, value) for name, values in facts.assigned.items() for value in values[:_FEW]]]
    return [value for name, value in given if value and name in code][:_MOST_ALIASES]


def with_git(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """Git elsewhere: ``gita super [REPO…] VERB``, ``chezmoi git -- VERB``, ``mr VERB``, ``yadm VERB``.

    Sources: the manuals of gita 0.16, chezmoi 2.40, yadm 3.2, myrepos 1.20, mu-repo 1.9 and vcstool 0.3. Which of the
    words behind ``super`` name repositories is not known, so each may be the verb.
    """
    words = command.words[1:]
    texts = [word.literal for word in words]
    spread = texts[:1] == (["git"] if name == "chezmoi" else ["super"])
    if name == "chezmoi" and not spread:
        return []
    if spread:
        words, texts = words[1:], texts[1:]
    starts = range(len(words)) if spread or "--args" in texts else range(len(words[:1]))
    plain = [at for at in starts if (texts[at] or "-")[:1] != "-"]
    return [run_argv(name, command, ["git"], words[at:], evidence=True) for at in plain]


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
_EDITOR_KEYS = ("sequence.editor", "core.editor")
"""Keys of programs that may write the list of a rebase, of which git runs the lines ``exec COMMAND``."""
_LIST = "git-rebase-todo"
_UNTRUE = frozenset(["false", "no", "off", "0", ""])
_ASKING = frozenset(["--get", "--get-all", "--get-regexp", "--unset", "--unset-all", "-l"])
UNKNOWN = "an argument that is only known at run time could make git run a command"


def run_by_setting(command: Command, facts: Facts, value: str | None, word: Word | None) -> list[Inner]:
    """Returns what ``-c KEY=VALUE`` makes git run; a value that is only known at run time counts as far as it is
    known.
    """
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
    """Returns what the lists of a rebase make git run that the script writes to git's own file, or to one for
    ``editor``.
    """
    found: list[Inner] = []
    for path in facts.once(streams.ScriptIndex).writers:
        if path.endswith(_LIST) or path in editor.split():
            lines = [line.split(maxsplit=1) for text in streams.written_texts(path, facts) for line in text.split("\n")]
            found += [run_text("git", command, line[1]) for line in lines if len(line) > 1 and line[0] in ("exec", "x")]
    return found


def run_by_config(command: Command, facts: Facts, name: str, at: int, record: Program) -> list[Inner]:
    """Returns what ``git config``, the word at ``at``, sets that runs something or makes pushes what they are not."""
    words = command.words
    found: list[Inner] = []
    way = every_option(options_of(record, "config"), words, at + 1)
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
    """Returns what ``-c KEY=VALUE`` makes of a push; behind ``--config-env`` and without ``=`` the value is not to
    be seen.
    """
    text = seen.value()
    shown = text if text is not None else seen.word.prefix if seen.word is not None else ""
    key, equals, value = shown.partition("=")
    known = text is not None and equals and seen.name != "--config-env"
    return pushed_by(command, key, value if known else None)


def pushed_by(command: Command, key: str, value: str | None) -> list[Inner]:
    """Returns what a setting of a remote makes of every push to it; a ``value`` of ``None`` is only known at run time.

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
    """Returns what ``ext::TEXT`` runs: words between blanks; ``% `` is a blank in a word (git-remote-ext)."""
    words = [word.replace("\0", " ").replace("%%", "%") for word in text.replace("% ", "\0").split(" ") if word]
    return run_argv("git", command, words or [text])


def _runs_value(key: str) -> bool:
    """True if git may run the value of the configuration key ``key``."""
    return key.startswith(("alias.", "pager.")) or key in _PLACES or _names_a_command(key)


def _names_a_command(key: str) -> bool:
    return key in _COMMAND_KEYS or key.endswith(_COMMAND_ENDINGS)


def _setting(command: Command, facts: Facts, key: str, value: str) -> list[Inner]:
    """Returns what a configuration value would run once git uses it."""
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
    if key in _EDITOR_KEYS:
        found += run_of_lists(command, facts, value)
        found.append(run_unknown("git", command, f"git runs what `{key}` writes into the list of a rebase"))
    return found
