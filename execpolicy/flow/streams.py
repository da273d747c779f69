"""What a command reads from standard input, where the script itself shows it: here-documents and pipes of pure filters.

The texts are evidence: they are what arrives if the producers run as they are written. They are used to restrict; a
shell that reads its script from standard input is never granted.
"""

from __future__ import annotations

from execpolicy.core.name_set import names
from execpolicy.flow.filters import FILTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command, Redirect
    from execpolicy.shell.words import Word

MAX_TEXTS = 64
MAX_DEPTH = 16
MAX_WRITERS = 32
"""How many commands that write one file, fill one variable or make up one function are looked at."""
MAX_VALUES = 256
PASSING = names(
    "grep egrep fgrep rg sed gsed awk gawk mawk cut uniq tr head tail sort nl paste fold iconv dos2unix sponge pv jq "
    "column python python3 perl ruby node php xargs sudo envsubst fmt pr expand unexpand strings dd comm join tac "
    "numfmt ts gzip gunzip zcat xz unxz bzip2 bunzip2 zstd unzstd lz4 openssl"
)
"""Programs whose output holds lines of their input or constants of their program, for evidence.

What one compressor packs another one unpacks.
"""
SAYING = names("date stat seq find expr basename dirname shuf realpath readlink hostname locale")
"""Programs that print an argument, or make a text by a format that is one."""
MAX_BYTES = 1_000_000
MAX_WORK = 4_000_000
"""Bytes that the filters of one script may print together."""
MANY_TIMES = 4
"""Lines that ``yes`` is taken to print."""
COST = 200


def fed_text(command: Command, facts: Facts) -> str | None:
    """The text on standard input; ``None`` if it is not known exactly."""
    texts, exact = fed_texts(command, facts)
    return texts[0] if exact and len(texts) == 1 else None


def fed_texts(command: Command, facts: Facts) -> tuple[list[str], bool]:
    """The texts that may be on standard input, and whether they are all that can be.

    A text that holds expansions is given with the expansions as written: read as a script, it shows the commands whose
    names do not come from them.
    """
    texts, exact = _input(command, facts, 0)
    return [text.decode("utf-8", "surrogateescape") for text in texts], exact


def output_texts(producers: Sequence[int], facts: Facts) -> tuple[list[str], bool]:
    """What the commands with these indices print together, and whether that is exact."""
    texts, exact = _outputs(_last(producers, facts), facts, 0)
    return [text.decode("utf-8", "surrogateescape") for text in texts], exact


def _last(producers: Sequence[int], facts: Facts) -> list[int]:
    """The producers whose output is not read by another of them through a pipe."""
    read = {
        index for at in producers if at < len(facts.script.commands) for index in facts.script.commands[at].piped_from
    }
    return [at for at in producers if at not in read]


def _input(command: Command, facts: Facts, depth: int) -> tuple[list[bytes], bool]:
    redirect = _stdin_redirect(command)
    if redirect is not None:
        target = redirect.target
        if redirect.operator == "<" and target.kind == "process":
            return _outputs(_last(target.inner, facts), facts, depth + 1)
        if target.literal == "/dev/null":
            return [b""], True
        if redirect.operator in ("<", "<>") and depth < MAX_DEPTH:
            return _written(target, facts, depth + 1), False
        if redirect.operator == "<&":
            return [], False
    body = command.body
    if redirect is not None and redirect.body is not None:
        body = redirect.body
    if body is not None:
        if body.literal is not None:
            # The shell ends a here-string with a newline; the text of a here-document has its own.
            here_string = redirect.operator == "<<<" if redirect is not None else not body.literal.endswith("\n")
            return [_encode(body.literal + "\n" if here_string and (redirect or body.literal) else body.literal)], True
        return _body_texts(body, facts), False
    if command.piped_from and depth < MAX_DEPTH:
        return _outputs(command.piped_from, facts, depth + 1)
    if "process" in command.context and depth < MAX_DEPTH:
        return _substituted_input(command, facts, depth), False
    return _exec_input(command, facts, depth), False


def _exec_input(command: Command, facts: Facts, depth: int) -> list[bytes]:
    """What an ``exec`` with redirections alone gave to the commands behind it."""
    known = known_of(facts)
    if known.inputs is None:
        known.inputs = [
            each
            for each in facts.script.commands
            if len(each.words) == 1 and each.words[0].literal == "exec" and _feeds(each) is not None
        ][:MAX_WRITERS]
    found: list[bytes] = []
    before = [each for each in known.inputs if each.span.start < command.span.start]
    for each in before[-4:] if depth < MAX_DEPTH else ():
        found.extend(_input(each, facts, depth + 1)[0])
    return found[:MAX_TEXTS]


def _feeds(command: Command) -> Redirect | None:
    redirect = _stdin_redirect(command)
    shown = redirect is not None and (redirect.body is not None or redirect.target.kind == "process")
    return redirect if shown else None


def _substituted_input(command: Command, facts: Facts, depth: int) -> list[bytes]:
    """What a command in ``>(…)`` reads: the output of the command that writes there, or what ``tee`` passes on."""
    from execpolicy.flow.index import index_of

    text = facts.script.text
    for writer in index_of(facts).feeding[:MAX_WRITERS]:
        targets = [redirect.target for redirect in writer.redirects if redirect.writes]
        for word in (*writer.words, *targets):
            if word.kind != "process" or not text.startswith(">(", word.span.start):
                continue
            if not any(
                facts.script.commands[at].span == command.span for at in word.inner if at < len(facts.script.commands)
            ):
                continue
            if word in targets:
                plain = [redirect for redirect in writer.redirects if redirect.target is not word]
                return _output(_redirected(writer, plain), facts, depth + 1)[0]
            return _input(writer, facts, depth + 1)[0]
    return []


def _redirected(command: Command, redirects: Sequence[Redirect]) -> Command:
    from execpolicy.shell.script import Command as Plain

    return Plain(
        command.words,
        command.span,
        redirects=tuple(redirects),
        context=command.context,
        piped_from=command.piped_from,
        body=command.body,
    )


def written_texts(path: str, facts: Facts) -> list[str]:
    """What the script itself visibly writes to the file ``path`` with a redirection or ``tee``. Evidence."""
    return [text.decode("utf-8", "surrogateescape") for text in _written_at(path, facts, 0)]


def texts_of_file(word: Word, facts: Facts) -> list[str]:
    """The same for the file that ``word`` names; a variable names the file that it named when that was written."""
    return [text.decode("utf-8", "surrogateescape") for text in _written(word, facts, 0)]


def _written(word: Word, facts: Facts, depth: int) -> list[bytes]:
    from execpolicy.flow.index import path_key

    return _written_at(path_key(word), facts, depth)


def _written_at(path: str, facts: Facts, depth: int) -> list[bytes]:
    from execpolicy.flow.index import index_of, plain_path

    found: list[bytes] = []
    for command, redirect in index_of(facts).writers.get(plain_path(path), [])[:MAX_WRITERS]:
        if depth >= MAX_DEPTH or len(found) >= MAX_TEXTS:
            break
        if redirect is None:
            found.extend(_input(command, facts, depth + 1)[0])
        else:
            others = [each for each in command.redirects if each is not redirect]
            found.extend(_output(_redirected(command, others), facts, depth + 1)[0])
    return found[:MAX_TEXTS]


def _stdin_redirect(command: Command) -> Redirect | None:
    """The redirection that standard input ends up with."""
    found = None
    for redirect in command.redirects:
        if redirect.fd in (None, "0") and redirect.operator.startswith("<"):
            found = redirect
    return found


def _body_texts(body: Word, facts: Facts) -> list[bytes]:
    texts = [_encode("\n".join(value)) for value in body.values[:MAX_TEXTS]]
    if facts.script.text and body.written:
        texts.append(_encode(body.written))
    elif body.prefix:
        texts.append(_encode(body.prefix))
    return texts


def _outputs(producers: Sequence[int], facts: Facts, depth: int) -> tuple[list[bytes], bool]:
    """What several commands print, one after the other."""
    texts: list[bytes] = [b""]
    exact = bool(producers)
    for index in producers:
        if index >= len(facts.script.commands) or depth >= MAX_DEPTH:
            return [], False
        printed, certain = _output_at(index, facts, depth)
        exact = exact and certain
        if printed:
            if len(texts) * len(printed) > MAX_TEXTS:
                printed = printed[:1]
            texts = [before + after for before in texts for after in printed]
            if sum(map(len, texts)) > MAX_BYTES:
                return [], False
    return ([] if not exact and texts == [b""] else texts), exact


class _Known:
    """What has been worked out of one script.

    Attributes:
        outputs: index of a command to what it prints, so that a long pipe is gone through once.
        inputs: its ``exec`` commands that feed what comes behind them; ``None`` as long as nobody asked.
        left: bytes that may still be printed and commands that may be run, each counted as ``COST`` bytes.
    """

    __slots__ = ("inputs", "left", "outputs")

    def __init__(self, facts: Facts) -> None:
        self.outputs: dict[int, tuple[list[bytes], bool]] = {}
        self.inputs: list[Command] | None = None
        self.left = MAX_WORK


def known_of(facts: Facts) -> _Known:
    """What has been worked out so far."""
    return facts.once(_Known)


def _output_at(index: int, facts: Facts, depth: int) -> tuple[list[bytes], bool]:
    """What the command at ``index`` prints. Goes back along its pipe and forward again, without recursion."""
    known = known_of(facts)
    pending = [index]
    while pending[-1] not in known.outputs:
        command = facts.script.commands[pending[-1]]
        source = command.piped_from
        if len(source) != 1 or source[0] >= pending[-1] or command.body is not None or _stdin_redirect(command):
            break
        pending.append(source[0])
    for at in reversed(pending):
        if at not in known.outputs:
            found = _output(facts.script.commands[at], facts, depth)
            if depth > MAX_DEPTH // 2:
                # Something may be cut off this far down, which need not be so for another reader.
                return found if at == index else _output(facts.script.commands[index], facts, depth)
            known.outputs[at] = found
    return known.outputs[index]


def _output(command: Command, facts: Facts, depth: int) -> tuple[list[bytes], bool]:
    known = known_of(facts)
    known.left -= COST
    if known.left < 0:
        return [], False
    for redirect in command.redirects:
        if redirect.fd in (None, "1") and not redirect.operator.startswith("<"):
            return [], False
    words = command.words
    while len(words) > 1 and words[0].literal in ("command", "builtin", "exec", "env", "nice", "time", "nohup"):
        following = words[1].literal
        if following is None or following.startswith("-") or "=" in following:
            break
        words = words[1:]
    if not words:  # $(<file)
        source = _stdin_redirect(command)
        return (_written(source.target, facts, depth + 1), False) if source is not None else ([], False)
    if words[0].literal is None:
        return [], False
    name = words[0].literal.rpartition("/")[2]
    if name == "cat" and len(words) > 1:
        files = [word for word in words[1:] if word.literal is None or not word.literal.startswith("-")]
        written = [text for word in files[:MAX_WRITERS] for text in _written(word, facts, depth + 1)]
        if written:
            return [b"".join(written)] if len(files) == len(written) else written[:MAX_TEXTS], False
    run = FILTERS.get(name)
    if run is None:
        return _likely_output(name, command, facts, depth), False
    argvs, exact = _argvs(words[1:], facts)
    inputs: list[bytes] = [b""]
    if name not in ("echo", "printf"):
        inputs, certain = _input(command, facts, depth)
        exact = exact and certain
    texts: list[bytes] = []
    for argv in argvs:
        for text in inputs:
            try:
                printed = run(argv, text, facts.script.shell)
            except (ValueError, IndexError, OverflowError):
                printed = None
            known.left -= len(text) + len(printed or b"")
            if known.left < 0:
                return [], False
            if printed is None:
                exact = False
            elif len(texts) < MAX_TEXTS:
                texts.append(printed)
    if not texts and name in PASSING:
        texts = _likely_output(name, command, facts, depth)
    return texts, exact and len(texts) == 1


def _likely_output(name: str, command: Command, facts: Facts, depth: int) -> list[bytes]:
    """What a program that is not modelled may print: its string constants, its input, a function's output."""
    if name in facts.script.functions:
        from execpolicy.flow.index import index_of

        # Functions that call functions are not followed: they could call each other without end.
        body = [
            at
            for at in index_of(facts).bodies.get(name, [])[:MAX_WRITERS]
            if facts.script.commands[at].words
            and facts.script.commands[at].words[0].literal not in facts.script.functions
        ]
        return _outputs(_last(body, facts), facts, depth + 1)[0]
    if name == "yes":
        argvs = _argvs(command.words[1:], facts)[0]
        return [_encode((" ".join(argv) or "y") + "\n") * MANY_TIMES for argv in argvs]
    if name in SAYING:
        argvs = _argvs(command.words[1:], facts)[0]
        return [_encode(text.lstrip("+") + "\n") for argv in argvs for text in argv if not text.startswith("-")][
            :MAX_TEXTS
        ]
    if name not in PASSING:
        return []
    from execpolicy.flow.constants import printed_constants

    constants = printed_constants(name, command, facts)
    return [*[_encode(text) for text in constants], *_input(command, facts, depth + 1)[0]][:MAX_TEXTS]


def _argvs(words: Sequence[Word], facts: Facts) -> tuple[list[list[str]], bool]:
    """The argument lists that are evident."""
    from execpolicy.flow.texts import word_texts

    argvs: list[list[str]] = [[]]
    exact = True
    for word in words:
        if word.literal is not None:
            choices = [[word.literal]]
        else:
            exact = False
            choices = [list(value) for value in word.values]
            choices += [[text] for text in word_texts(word, facts) if [text] not in choices]
        if len(argvs) * len(choices) > MAX_TEXTS:
            choices = choices[:1]
        argvs = [before + choice for before in argvs for choice in choices]
    return argvs, exact


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
