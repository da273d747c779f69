"""The arguments of ``check``, parsed by hand: an argument parser is too slow for the cold path.

Everything before the first positional word is an option; everything after it is the command, options included. With
``--compat`` the parsing is exactly that of ``codex execpolicy check``.
"""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.cli import suspicious_args
from execpolicy.cli.rule_options import MODES, RuleOptions
from execpolicy.codex import VERSIONS
from execpolicy.errors import UsageError

GRANTS = ("none", "plain", "flow")
FORMATS = ("text", "json")
TERMINALS = ("yes", "no")


class CheckOptions(RuleOptions):
    """The parsed arguments of ``check``.

    Attributes:
        command: the argv; empty if ``script`` or ``jsonl`` is set.
        file: the script file; ``-`` for standard input.
        form: ``text`` or ``json``; ``None`` to choose by the kind of standard output.
        shell: ``None`` for the shell that the script names, else bash.
        terminal: ``no`` if what commands print goes to no terminal.
        unusual: some input has to be read or questioned before the command can be judged.
    """

    command: tuple[str, ...] = ()
    script: str | None = None
    file: str | None = None
    form: str | None = None
    unusual = False
    shell: str | None = None
    terminal = "yes"
    cwd: str | None = None
    permissions: str | None = None
    compat = False
    jsonl = False
    pretty = False
    exit_code = False
    resolve_host_executables = False
    help = False


FLAGS = {
    "--jsonl": "jsonl",
    "--pretty": "pretty",
    "--exit-code": "exit_code",
    "--resolve-host-executables": "resolve_host_executables",
    "--ignore-rules": "ignore_rules",
    "--help": "help",
    "-h": "help",
}
VALUED = (
    "--rules", "-r", "--script", "--file", "--shell", "--cwd", "--config-profile", "--profile", "--grants", "--format",
    "--compat", "--permissions", "--terminal",
)  # fmt: skip
_CODEX_GLOBALS = ("-c", "--config", "--enable", "--disable")


def parse_check(arguments: Sequence[str]) -> CheckOptions:
    """Parse the options and the command.

    Raises:
        UsageError: an option is unknown, repeated, lacks its value or contradicts another one.
    """
    options = CheckOptions()
    # must be known first, because it decides what an unknown flag is
    options.compat = _asks_for_compat(arguments)
    seen: set[str] = set()
    at = 0
    while at < len(arguments):
        word = arguments[at]
        at += 1
        if word == "--":
            break
        name, equals, glued = word.partition("=") if word.startswith("--") else (word, "", "")
        if name in FLAGS:
            if equals:
                raise UsageError(f"unexpected value '{glued}' for '{name}' found; no more were expected")
            _once(FLAGS[name], name, seen)
            setattr(options, FLAGS[name], True)
        elif name in MODES and not equals and not options.compat:
            options.mode = MODES[name]
        elif name in VALUED or (options.compat and name in _CODEX_GLOBALS):
            if equals:
                value = glued
            elif at < len(arguments) and not (arguments[at].startswith("-") and name != "--script"):
                value = arguments[at]
                at += 1
            else:
                raise UsageError(f"a value is required for '{name}' but none was supplied")
            _set_value(options, name, value, seen)
        elif word.startswith("-") and word != "-" and not options.compat:
            near = suspicious_args.did_you_mean(name, (*FLAGS, *MODES, *VALUED))
            raise UsageError(
                f"unknown option `{word}`{near or ': options go before the command; write `--` before the command'}"
            )
        else:
            at -= 1
            if not options.compat:
                if arguments[at:] == ["-"]:
                    options.file, options.unusual, at = "-", True, len(arguments)
                for each in arguments[at + 1 :]:
                    options.unusual = options.unusual or each.partition("=")[0] in VALUED
            break
    options.command = tuple(arguments[at:])
    _check_whole(options)
    return options


def _asks_for_compat(arguments: Sequence[str]) -> bool:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return any(word == "--compat" or word.startswith("--compat=") for word in options)


def _once(attribute: str, name: str, seen: set[str]) -> None:
    if attribute in seen:
        raise UsageError(f"the argument '{name}' cannot be used multiple times")
    seen.add(attribute)


def _set_value(options: CheckOptions, name: str, value: str, seen: set[str]) -> None:
    if name in ("--rules", "-r"):
        options.rules += (value,)
    elif name in _CODEX_GLOBALS:
        return
    else:
        _once(name, name, seen)
        if name == "--compat":
            _check_version(value, "value", " for --compat")
            return
        if name == "--profile" and value != "default":
            _check_version(value, "profile", "", "default")
        if name == "--grants" and value not in GRANTS:
            raise UsageError(f"unknown value `{value}` for --grants: use `none`, `plain` or `flow`")
        if name == "--terminal" and value not in TERMINALS:
            raise UsageError(f"unknown value `{value}` for --terminal: use `yes` or `no`")
        if name == "--format":
            if value not in FORMATS:
                raise UsageError(f"unknown value `{value}` for --format: use `text` or `json`")
            options.form = value
        else:
            if name in ("--file", "--shell"):
                options.unusual = True
            setattr(options, name[2:].replace("-", "_"), value)


def _check_version(value: str, what: str, where: str, *others: str) -> None:
    if value not in VERSIONS:
        *known, last = [f"`{name}`" for name in (*others, *VERSIONS)]
        raise UsageError(f"unknown {what} `{value}`{where}: use {', '.join(known)} or {last}")


def _check_whole(options: CheckOptions) -> None:
    if options.help:
        return
    try:
        "".join(options.command).encode()
    except UnicodeEncodeError:
        raise UsageError("the command holds a word that is not UTF-8") from None
    if options.compat:
        if options.permissions is not None:
            raise UsageError("--permissions cannot be used with --compat: codex knows none there")
        if not options.rules:
            raise UsageError("the following required arguments were not provided: --rules <PATH>")
        if not options.command:
            raise UsageError("the following required arguments were not provided: <COMMAND>...")
        return
    if "" in options.rules:
        raise UsageError("'--rules' is empty: it must name a rule file")
    given = [what for what, is_given in (
        ("a command", bool(options.command)),
        ("--script", options.script is not None),
        ("--file", options.file is not None),
        ("--jsonl", options.jsonl),
    ) if is_given]  # fmt: skip
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} cannot be used together: give one of them")
    if not given:
        raise UsageError("nothing to decide: give a command, --script TEXT, --file FILE, `-` or --jsonl")
    if options.form == "text" and (options.jsonl or options.pretty):
        raise UsageError("--format text cannot be used with --jsonl or --pretty, which ask for JSON")
