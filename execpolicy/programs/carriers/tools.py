"""Tools that run commands in ways of their own: ``ssh``, ``strace``, ``npm``, ``script``, ``perf`` …"""

from __future__ import annotations

from execpolicy.programs.carriers.settings import settings
from execpolicy.programs.inner import literal_words, run_command, run_text
from execpolicy.programs.options import option_table
from execpolicy.programs.text_runs import run_joined
from execpolicy.programs.walk import every_option, walk
from execpolicy.programs.wrapped import option_value, wrapped
from execpolicy.programs.wrappers import WRAPPERS, Wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def secure_shell(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``ssh HOST COMMAND``, and ``-o ProxyCommand=…`` and its like, which run here."""

    spec = WRAPPERS[name]
    found = wrapped(name, spec, command, facts)
    for seen in walk(option_table(spec.options), command.words, 1, operands=1).seen:
        if seen.name == "-o":
            setting = seen.value() or (seen.word.prefix if seen.word is not None else "")
            key, _, value = (
                setting.replace(" ", "=", 1).partition("=") if "=" not in setting else setting.partition("=")
            )
            if key.strip().lower() in ("proxycommand", "localcommand", "knownhostscommand", "remotecommand"):
                found.append(run_text(name, command, value.strip().strip('"')))
    return found


def strace(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``strace COMMAND``, and ``-o '|COMMAND'`` (or ``!``), which pipes the trace."""

    spec = WRAPPERS[name]
    found = wrapped(name, spec, command, facts)
    for seen in walk(option_table(spec.options), command.words, 1).seen:
        value = seen.value() or ""
        if seen.name in ("-o", "--output") and value[:1] in ("|", "!") and value:
            found.append(run_text(name, command, value[1:]))
    return found


def cargo(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``cargo watch -x SUBCOMMAND -s TEXT``, and ``--config`` keys that name a program."""
    words = command.words
    texts = [word.literal for word in words[1:]]
    found: list[Inner] = []
    if "watch" in texts:
        found.extend(settings(command, facts, "cargo-watch"))
    for text in texts:
        if text is None:
            continue
        setting = text.removeprefix("--config=")
        key, equals, value = setting.partition("=")
        if equals and key.strip().rpartition(".")[2] in ("runner", "linker", "rustc", "rustc-wrapper", "rustdoc"):
            found.append(run_text(name, command, value.strip().strip("\"'[]")))
    return found


def npm(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``npm exec``, ``npm x`` and ``--script-shell``."""

    return [*settings(command, facts, name), *wrapped(name, WRAPPERS[name], command, facts)]


_PERF = (
    "-a -A -B -c: -C: -d -D: -e: -F: -g -G: -i -I: -j: -m: -n -N -o: -p: -P -q -r: -R -s -S -t: -T -u: -v -W "
    "-x: -z -b -k: --output: --event: --pid: --tid: --cpu: --repeat: --delay: --call-graph: --freq: --count: "
    "--append --all-cpus --verbose --quiet --null --no-inherit --per-core --per-socket --per-thread --no-aggr "
    "--detailed --big-num --interval-print: --timeout: --field-separator: --sync --pre! --post!"
)


def perf(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``perf stat|record|trace|mem|c2c|lock|sched|kvm [record] [OPTION]… COMMAND``."""

    words = command.words
    found: list[Inner] = []
    for at in walk(
        option_table("-h -v -p -P --paginate --no-pager --debug: --exec-path? --buildid-dir:"), words, 1
    ).starts:
        for inner in wrapped(name, Wrapper(_PERF), command, facts, at + 1):
            if inner.words and inner.words[0].literal in ("record", "rec", "stat") and inner.command is not None:
                found.extend(wrapped(name, Wrapper(_PERF), inner.command, facts))
            found.append(inner)
    return found


def script(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``script -c TEXT [FILE]``, ``script FILE -c TEXT``, ``script -- COMMAND`` and a shell on standard input."""
    from execpolicy.programs.carriers.shells import run_stdin

    table = option_table(
        "-a -e -f -q -h -V -t? -c! -E: -I: -O: -B: -T: -m: -o: --append --command! --echo: --return --flush "
        "--force --log-in: --log-out: --log-io: --log-timing: --logging-format: --output-limit: --quiet --timing? "
        "--help --version"
    )
    words = command.words
    found: list[Inner] = []
    way = every_option(table, words, 1)
    for seen in way.seen:
        if seen.kind == "!":
            found.extend(option_value(name, seen, command, facts))
    if not found:
        dashes = next((at for at, word in enumerate(words) if word.literal == "--"), 0)
        rest = (
            words[dashes + 1 :]
            if dashes
            else words[walk(table, words, 1, operands=1).starts[0] :]
            if walk(table, words, 1, operands=1).starts
            else ()
        )
        if rest:
            # BSD: script FILE COMMAND ARGUMENT…
            return [run_command(name, command, rest)]
        found.extend(run_stdin(name, command, facts, "sh"))
    return found


def socat(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``socat - EXEC:'cmd'``, ``SYSTEM:`` and ``SHELL:`` addresses."""
    found: list[Inner] = []
    for word in command.words[1:]:
        text = word.literal if word.literal is not None else word.prefix
        kind, colon, rest = text.partition(":")
        if colon and kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
            found.append(run_text(name, command, rest.partition(",")[0].strip("\"'")))
    return found


def terminal(command: Command, facts: Facts, name: str) -> list[Inner]:
    """Terminal emulators: the command behind ``-e``, ``-x`` or ``--``."""

    words = command.words
    for at in range(1, len(words) - 1):
        if words[at].literal in ("-e", "-x", "--", "--command", "start"):
            return run_joined(name, command, facts, words[at + 1 :])
    return []


def windows(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``cmd /c COMMAND``; read like a shell line, to restrict."""

    words = command.words
    for at in range(1, len(words) - 1):
        if (words[at].literal or "").lower() in ("/c", "/k", "//c", "//k", "/r"):
            return run_joined(name, command, facts, words[at + 1 :])
    return []


def capability_shell(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``capsh … -- ARGUMENT…``: the arguments of a bash."""

    words = command.words
    for at in range(1, len(words)):
        if words[at].literal in ("--", "=="):
            return [run_command(name, command, (*literal_words(["bash"], command.span), *words[at + 1 :]))]
    return []


def nix(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``nix shell|develop … -c COMMAND``, and ``nix run FLAKE#PROGRAM -- ARGUMENT…``."""

    words = command.words
    found = wrapped(name, WRAPPERS[name], command, facts)
    dashes = next((at for at, word in enumerate(words) if word.literal == "--"), len(words))
    for word in words[2:dashes]:
        if word.literal is not None and "#" in word.literal:
            program = literal_words([word.literal.rpartition("#")[2]], command.span)
            found.append(run_command(name, command, (*program, *words[dashes + 1 :])))
    return found


def namespace(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``ip netns exec NAME COMMAND`` and ``ip vrf exec NAME COMMAND``."""
    words = command.words
    for at in range(1, len(words) - 3):
        if words[at].literal in ("netns", "vrf") and words[at + 1].literal in ("exec", "exe", "ex", "e"):
            return [run_command(name, command, words[at + 3 :])]
    return []


def removal(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``unlink FILE`` and ``shred -u FILE``: the same as ``rm``."""

    words = command.words
    texts = [word.literal or "" for word in words[1:]]
    if name == "shred" and not any(
        text.startswith(("--remove", "--rem")) or (text[:1] == "-" and text[1:2] != "-" and "u" in text)
        for text in texts
    ):
        return []
    operands = tuple([word for word in words[1:] if word.literal is None or not word.literal.startswith("-")])
    return [run_command(name, command, (*literal_words(["rm"], command.span), *operands), stdin=False, evidence=True)]
