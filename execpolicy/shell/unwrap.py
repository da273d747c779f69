"""What a command would run itself: one level of wrappers, shells and other carriers.

Used asymmetrically. To restrict, everything that may be run counts, on evidence too. To grant, only an
:class:`~execpolicy.shell.inner.Inner` that is ``transparent`` counts: an exact reading of a wrapper that adds nothing.
"""

from __future__ import annotations

from execpolicy.shell.inner import Inner, literal_words, run_command, run_text, run_unknown
from execpolicy.shell.options import Seen, Walk, grammar, is_assignment, walk
from execpolicy.shell.programs import names_system_program, program_names
from execpolicy.shell.registry import CARRIERS
from execpolicy.shell.script import Assignment, Command
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.shell.script import Script
    from execpolicy.shell.words import Word
    from execpolicy.shell.wrappers import Wrapper

    Carrier = Callable[[Command, Script, str], list[Inner]]

_loaded: dict[str, Carrier] = {}
MAX_INNER = 1_000
"""More than this from one command is not looked at; what is left out is reported as one opaque entry."""
MAX_WRAPPERS = 60
"""Wrappers inside wrappers that are opened one by one; a grant reaches no further."""
MAX_WORDS = 60_000
"""Words of the commands that are found below that, counted for each level."""
MAX_SHOWN = 256
"""Combinations of values that are looked at for one command."""
MANY_WORDS = 100
"""Readings of longer commands are not opened one by one."""
MANY_TIMES = 16
"""A wrapper that comes more often in a row is opened only a few times."""
ALL_LEVELS = "wrapper:…"
UNKNOWN_INPUT = "runs text that is only known at run time"


def unwrap(command: Command, script: Script) -> tuple[Inner, ...]:
    """What ``command`` would run itself, one level deep. Empty for most commands.

    Under very many wrappers it is all levels at once: the commands found so carry :data:`ALL_LEVELS` in their context,
    and of them only the scripts that they run are given.

    Args:
        script: the script that holds ``command``; its text and its other commands are evidence.
    """
    found = one_level(command, script)
    if ALL_LEVELS in command.context:
        return tuple([inner for inner in found if inner.command is None])
    if len(command.words) <= MANY_WORDS and len(command.context) <= MAX_WRAPPERS:
        return tuple(found)
    from execpolicy.shell import levels

    if len(command.words) > MANY_WORDS and sum([1 for inner in found if inner.command is not None]) > 1:
        return levels.all_levels(command, script)
    if found and len(command.context) > MAX_WRAPPERS and levels.wrappers(command) > MAX_WRAPPERS:
        return levels.all_levels(command, script)
    return tuple(found)


def one_level(command: Command, script: Script) -> list[Inner]:
    """What ``command`` runs itself, one level deep in every case."""
    words = command.words
    found: list[Inner] = []
    if command.assignments:
        from execpolicy.shell.carriers.variables import assigned_commands

        found = assigned_commands(command, script)
    if words:
        literal = words[0].literal
        if literal is not None and "/" not in literal and "." not in literal:
            carrier = CARRIERS.get(literal)
            if carrier is not None:
                found.extend(_run(carrier, command, script, literal))
            elif literal[-1:].isdigit() or literal != literal.lower():
                _unusual_program(command, script, found)
        else:
            _unusual_program(command, script, found)
        if "read" in script.text or "mapfile" in script.text:
            _with_read_words(command, script, found)
        if literal is not None and literal in script.functions:
            from execpolicy.shell.carriers.functions import called

            found.extend(called(command, script, literal))
    if len(found) > MAX_INNER:
        found = [*found[:MAX_INNER], run_unknown("", command, "runs more commands than are looked at")]
    return found


def _run(carrier: str, command: Command, script: Script, name: str) -> list[Inner]:
    if len(command.words) > MANY_WORDS:
        skipped = _repeated(command.words)
        if skipped:
            # Only the last of the same wrappers in a row are opened, and nothing is granted for it.
            rest = run_command(name, command, command.words[skipped:])
            return [rest, run_unknown(name, command, "runs itself many times over")]
    if carrier == "wrapper":
        from execpolicy.shell.wrappers import WRAPPERS

        return wrapped(name, WRAPPERS[name], command, script)
    run = _loaded.get(carrier)
    if run is None:
        module, _, function = carrier.partition(":")
        loaded = __import__("execpolicy.shell.carriers." + module, fromlist=(function,))
        run = _loaded[carrier] = getattr(loaded, function)
    return run(command, script, name)


def _unusual_program(command: Command, script: Script, found: list[Inner]) -> None:
    """A program given by a path, a glob or a variable: look at every program that it may be."""
    first = command.words[0]
    literal = first.literal
    for name, certain in program_names(first, CARRIERS):
        # python3.11, SUDO where names are caseless, ld-linux-x86-64.so.2
        names = [name, name.rstrip("0123456789.-"), name.lower()]
        if name.startswith(("ld-linux", "ld-musl", "ld.so", "ld64")):
            names.insert(0, "ld.so")
        known = next((each for each in names if each in CARRIERS), None)
        if known is not None:
            exact = certain and literal is not None and literal.rpartition("/")[2] == known
            grants = exact and names_system_program(literal or "")
            inners = _run(CARRIERS[known], command, script, known)
            found.extend([inner if grants else restricting(inner) for inner in inners])
    if literal is not None and "/" in literal:
        from execpolicy.shell.feeds import written_texts

        texts = written_texts(literal, script)
        found.extend([run_text("", command, text, shell="bash") for text in texts])
    if first.literal is None:
        _named_at_end(command, script, found)
        evident = any(value and value[0] for value in first.values)
        if first.inner and not evident:
            _printed_program(command, script, found)
        from execpolicy.shell.views import substituted

        for words in substituted(command.words):
            if words[0].literal is not None:
                found.extend([restricting(inner) for inner in unwrap(with_words(command, words), script)])
        if first.many and len(command.words) > 1 and not first.values:
            # An unset variable leaves the next word as the program; `$SUDO rm x` is the usual case.
            found.append(run_command("", command, command.words[1:]))


def _with_read_words(command: Command, script: Script, found: list[Inner]) -> None:
    """The command with what the script visibly reads into its variables: ``while read c; do git $c; done <<< push``."""
    if not any(word.literal is None and word.kind == "variable" for word in command.words):
        return
    from execpolicy.shell.reads import read_fields

    shown: list[tuple[Word, ...]] = [()]
    changed = False
    for word in command.words:
        fields = read_fields(word, script) if word.literal is None and word.kind == "variable" else []
        choices: dict[tuple[str, ...], None] = {}
        for each in fields:
            choices[each if word.quoted else tuple(" ".join(each).split())] = None
        if not choices or len(shown) * len(choices) > MAX_SHOWN:
            shown = [(*before, word) for before in shown]
        else:
            changed = True
            shown = [(*before, *literal_words(each, word.span)) for before in shown for each in choices]
    if changed:
        found.extend([run_command("", command, words, evidence=True) for words in shown if words])


def _printed_program(command: Command, script: Script, found: list[Inner]) -> None:
    """``$(which rm) x`` and ``$(base64 -d <<< cm0=) x``: a program whose name another command prints."""
    from execpolicy.shell.feeds import output_texts

    first = command.words[0]
    raw = script.text[first.span.start : first.span.end].strip('"')
    if not raw.startswith(("$(", "`")) or not raw.endswith((")", "`")):
        return
    printed = [text.split() for text in output_texts(first.inner, script)[0]]
    for index in first.inner:
        argv = script.commands[index].argv() if index < len(script.commands) else ()
        if len(argv) > 1 and argv[0] in ("which", "type", "whence", "command", "realpath", "readlink"):
            printed.append([argv[-1] or ""])
    for argv_start in printed:
        if argv_start and argv_start[0]:
            words = (*literal_words(argv_start, first.span), *command.words[1:])
            found.append(run_command("", command, words, evidence=True))


def _named_at_end(command: Command, script: Script, found: list[Inner]) -> None:
    """``$HOME/bin/rm x``: whatever the folder is, the program is called ``rm``."""
    first = command.words[0]
    raw = script.text[first.span.start : first.span.end]
    if "/" not in raw or "/" in first.suffix:
        return
    from execpolicy.shell.texts import without_quotes

    name = without_quotes(raw).rpartition("/")[2]
    if name and not set(name) & set("$`*?[{(\\"):
        words = (*literal_words([name], first.span), *command.words[1:])
        found.append(run_command("", command, words, evidence=True))


def restricting(inner: Inner) -> Inner:
    """``inner`` without its right to carry a grant."""
    if not inner.transparent:
        return inner
    return Inner(
        inner.name, inner.span, command=inner.command, script=inner.script, reason=inner.reason, appended=inner.appended
    )


def with_words(command: Command, words: tuple[Word, ...]) -> Command:
    """``command`` with other words and without its assignments."""
    return Command(
        words,
        command.span,
        redirects=command.redirects,
        context=command.context,
        piped_from=command.piped_from,
        body=command.body,
    )


def wrapped(name: str, spec: Wrapper, command: Command, script: Script, at: int = 1) -> list[Inner]:
    """What a program of the wrapper table runs; ``at`` is where its options start."""
    words = command.words
    table = grammar(spec.options)
    if spec.subcommands:
        starts = [
            start + 1 for start in walk(table, words, at).starts if words[start].literal in spec.subcommands.split()
        ]
        if not starts:
            return []
        at = starts[0]
        if words[at - 1].literal == "tool" and at < len(words) and words[at].literal == "run":
            at += 1
    way = walk(
        table,
        words,
        at,
        operands=spec.operands,
        assignments=spec.assignments,
        permute=spec.permute,
        signed=spec.signed,
    )
    if spec.stop and not way.ambiguous:
        stop = spec.stop.split()
        if any(seen.full and seen.name in stop for seen in way.seen):
            return []
    if spec.optional:
        extra = walk(table, words, at, permute=spec.permute)
        way.starts.extend([start for start in extra.starts if start not in way.starts])
    after = spec.after or ("--" if spec.subcommands else "")
    for position in range(at, len(words) - 1) if after else ():
        if words[position].literal in after.split() and position + 1 not in way.starts:
            way.starts.append(position + 1)
    found = _text_options(name, way, command, script, words)
    transparent = _is_transparent(spec, way, words, at)
    for start in way.starts:
        if spec.joined:
            from execpolicy.shell.texts import run_joined

            found.extend(run_joined(name, command, script, words[start:]))
            if any(seen.name in ("-x", "--exec") for seen in way.seen):
                found.append(run_command(name, command, words[start:]))
            continue
        assigned = _assignments(words[at:start]) if spec.assignments else ()
        found.append(
            run_command(name, command, words[start:], assignments=assigned, transparent=transparent and len(found) == 0)
        )
    if spec.permute and not spec.operands:
        found.extend(_without_own_options(name, spec, command, way))
    if spec.shell and not way.starts and not any(seen.kind == "!" for seen in way.seen):
        from execpolicy.shell.carriers.shells import run_stdin

        found.extend(run_stdin(name, command, script, "sh"))
    if name == "sudo" and any(seen.name in ("-s", "-i", "--shell", "--login") for seen in way.seen):
        from execpolicy.shell.carriers.shells import run_stdin
        from execpolicy.shell.texts import run_joined

        # The words go through a shell, quoted except that empty ones are lost; without words it reads its input.
        for start in way.starts:
            found.extend(run_joined(name, command, script, words[start:]))
        if not way.starts:
            found.extend(run_stdin(name, command, script, "sh"))
    return found


def _repeated(words: Sequence[Word]) -> int:
    """How many words in front to leave out where the first words come again and again: ``sudo sudo …``."""
    for period in (1, 2, 3, 4):
        unit = [word.literal for word in words[:period]]
        if None in unit:
            return 0
        times = 1
        at = period
        while at + period <= len(words) and all(words[at + each].literal == unit[each] for each in range(period)):
            times += 1
            at += period
        if times > MANY_TIMES:
            return at - period * 4
    return 0


def _without_own_options(name: str, spec: Wrapper, command: Command, way: Walk) -> list[Inner]:
    """A program that permutes its arguments takes its options out of the inner command's, too."""
    words = command.words
    found: list[Inner] = []
    for start in way.starts[:2]:
        taken: set[int] = set()
        for seen in walk(grammar(spec.options), words, start, operands=len(words), permute=True).seen:
            taken.add(seen.at)
            if seen.word is not None:
                taken.add(seen.at + 1)
        dashes = next((at for at in range(start, len(words)) if words[at].literal == "--"), -1)
        kept = tuple([words[at] for at in range(start, len(words)) if at not in taken and at != dashes])
        if kept and len(kept) != len(words) - start:
            found.append(run_command(name, command, kept, evidence=True))
    return found


def _is_transparent(spec: Wrapper, way: Walk, words: Sequence[Word], at: int) -> bool:
    if spec.grant is None or spec.joined or not way.exact:
        return False
    granted = spec.grant.split()
    for seen in way.seen:
        if not seen.full or seen.name not in granted or (seen.kind == ":" and seen.value() is None):
            return False
    if spec.assignments:
        from execpolicy.shell.environment import harmless_assignment

        for assigned in _assignments(words[at : way.starts[0]]):
            if not harmless_assignment(assigned.name, assigned.value, exported=True, shell="bash"):
                return False
    return True


def _assignments(words: Sequence[Word]) -> tuple[Assignment, ...]:
    """The ``NAME=value`` words among ``words``."""
    from execpolicy.shell.words import Word as Value

    found: list[Assignment] = []
    for word in words:
        text = word.literal if word.literal is not None else word.prefix
        if not is_assignment(text) or text.startswith("-"):
            continue
        name, _, value = text.partition("=")
        known = word.literal is not None
        found.append(
            Assignment(
                name,
                Value(
                    value if known else None,
                    # Of an unquoted NAME="…" this is the value; of "NAME=…" it is not, and the prefix has to do.
                    Span(min(word.span.start + len(name) + 1, word.span.end), word.span.end),
                    prefix=value,
                    kind="literal" if known else word.kind,
                ),
                word.span,
            )
        )
    return tuple(found)


def _text_options(name: str, way: Walk, command: Command, script: Script, words: Sequence[Word]) -> list[Inner]:
    """Options whose value is shell text or a command line."""
    found: list[Inner] = []
    for seen in way.seen:
        if seen.kind in ("!", "*"):
            found.extend(option_value(name, seen, command, script, words[way.starts[0] :] if way.starts else ()))
    return found


def option_value(name: str, seen: Seen, command: Command, script: Script, rest: Sequence[Word] = ()) -> list[Inner]:
    """What an option's value runs: shell text (``!``), or a command line that ``rest`` is appended to (``*``)."""
    from execpolicy.shell.texts import run_word

    if seen.kind == "*":
        text = seen.value()
        if text is not None:
            from execpolicy.core.quoting import split

            program = literal_words(split(text) or [text], command.span)
            return [run_command(name, command, (*program, *rest), stdin=False)] if program else []
    if seen.glued is not None:
        return [run_text(name, command, seen.glued)]
    return run_word(name, command, script, seen.word) if seen.word is not None else []
