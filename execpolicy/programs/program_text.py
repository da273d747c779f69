"""Program texts in other languages: what they hand to a shell, what they remove.

String constants in calls that run commands become inner commands; well-known calls that remove files become the ``rm``
that they are. This is evidence: a program that builds its command in a cleverer way is not seen through.
"""

from __future__ import annotations

from _collections_abc import Iterator, Mapping, Sequence

from execpolicy.core import quoting
from execpolicy.core.text import word_set
from execpolicy.programs.catalog import record_of
from execpolicy.programs.inner import Inner, run_argv, run_text, run_unknown
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.tokens import Token, tokens
from execpolicy.shell.pieces import Piece
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word
from execpolicy.source import Span

MAX_FOUND = 1_000
"""Commands of one program that are looked at."""
MAX_DEPTH = 2
"""Program texts inside constants of program texts."""
_RUN_ANY = word_set(
    "system popen popen2 popen3 popen4 check_call check_output getoutput getstatusoutput execSync execFileSync "
    "spawnSync execFile execl execle execlp execlpe execv execve execvp execvpe spawnl spawnle spawnlp spawnv "
    "spawnve spawnvp posix_spawn posix_spawnp shell_exec passthru proc_open pcntl_exec capture2 capture2e open3 "
    "capture3 pipeline create_subprocess_shell create_subprocess_exec Popen startfile system2 shell-command "
    "shell-command-to-string shell call-process start-process call-process-shell-command run-program cmd system* "
    "readpipe callCommand callProcess spawnCommand spawnProcess rawSystem readProcess readCreateProcess doShellScript "
    "run-shell-command sys-system executeShell spawnShell pipeShell runCommand runCommandLocal startProcess execCmd "
    "execCmdEx execShellCmd process_exec execute_command_line ExecuteProcess launchedProcess addSystemCommand Execute "
    "exec_command process-lines async-shell-command eshell-command open-input-pipe open-output-pipe"
)
"""Calls that run a command whatever object they belong to."""
_RUN_BARE = word_set("exec execute spawn run Start Command call fork_exec execa zx command system2 sh")
"""Calls that do so when they are a bare name or belong to one of ``_RUN_OWNERS``."""
_SEQUENCES = ("Seq", "List", "Vector")
"""Expressions that contain the words of a command in Scala: ``Seq("git", "push").!``."""
_RUN_OWNERS = word_set(
    "subprocess sp os commands pty asyncio child_process cp childProcess Process Kernel IO Open3 PTY Deno Bun "
    "sh process proc pexpect plumbum Runtime getRuntime shellout Child Sys"
)
_REMOVE_TREE = word_set(
    "rmtree rmSync rmdirSync removedirs rm_rf rm_r remove_tree remove_entry_secure remove_dir removeSync rimraf "
    "rimrafSync delete-directory unlink_recursive emptyDirSync"
)
_REMOVE = frozenset(["unlink", "unlinkSync", "rm_f", "deleteFile", "delete-file"])
_REMOVE_OWNED = frozenset(["remove", "rmdir", "rm", "delete", "unlink", "removeSync"])
_REMOVE_OWNERS = word_set(
    "os fs fsp fsPromises promises shutil File FileUtils Dir Pathname Path pathlib Deno path file posix nt"
)


def code_commands(name: str, command: Command, code: str, language: str) -> Iterator[Inner]:
    """The commands that ``code`` visibly runs; of very many, the first, and one that is unknown."""
    for count, inner in enumerate(_commands_in(name, command, code, language)):
        if count == MAX_FOUND:
            yield run_unknown(name, command, "runs more commands than are looked at")
            return
        yield inner


def _commands_in(name: str, command: Command, code: str, language: str) -> Iterator[Inner]:
    # One pass over the tokens with a branch for each form of a call; they share what was assigned and renamed.
    parts = tokens(code, language)
    renamed = _renamed(parts)
    values = _constants_given(parts)
    modules = language == "javascript" and any(part.value in _FILE_MODULES for part in parts if part.kind == "text")
    ends_in_a_run = ".!" in code
    if language == "tcl":
        yield from _tcl(name, command, code)
        return
    for at, token in enumerate(parts):
        if token.kind == "text" and language == "php" and token.value in ("unlink", "rmdir"):
            yield _removal(name, command, [], tree=False)
        # getattr(os, "system")("…")
        called_later = token.kind == "text" and [part.kind for part in parts[at + 1 : at + 3]] in _CALLED_LATER
        if called_later and token.value in _RUN_ANY | _RUN_BARE:
            yield from _calls(name, command, *_arguments(parts, at + 2, values), language)
        if token.kind == "run":
            text = token.value
            for variable, constants in values.items():
                if len(constants) == 1:
                    for written in ("${" + variable + "}", "$" + variable, "#{" + variable + "}"):
                        text = text.replace(written, constants[0])
            yield run_text(name, command, text)
        if language == "javascript" and at and token.kind == "text" and parts[at - 1].value.endswith("$"):
            yield run_text(name, command, token.value)  # Bun.$`cmd`
        if token.kind != "name":
            if token.kind == "|" and language == "awk":
                yield from _piped(name, command, parts, at, values)
            continue
        owner, call = _called(parts, at, renamed)
        bare = not owner and (at == 0 or parts[at - 1].kind != ".")
        through_call = not owner and at > 0 and parts[at - 1].kind in (")", ".")
        if _runs(parts, at, owner, call) or (ends_in_a_run and call in _SEQUENCES):
            yield from _calls(name, command, *_arguments(parts, at + 1, values), language)
        elif call == "open" and language in ("perl", "ruby"):
            texts = _arguments(parts, at + 1, values)[0]
            for text in texts:
                if "-|" in texts or "|-" in texts:
                    behind = texts[1 + min([texts.index(mode) for mode in ("-|", "|-") if mode in texts]) :]
                    yield run_text(name, command, texts[-1])
                    yield run_argv(name, command, behind or texts, stdin=False)
                if text.strip().startswith("|") or text.strip().endswith("|"):
                    yield run_text(name, command, text.strip().strip("|-"))
        elif call in _REMOVE_TREE or call in _REMOVE:
            yield _removal(name, command, _arguments(parts, at + 1, values)[0], tree=call in _REMOVE_TREE)
        elif call in _REMOVE_OWNED and (
            owner in _REMOVE_OWNERS
            or (modules and call in ("rm", "unlink", "rmdir"))
            or through_call
            or (bare and call != "delete" and not _is_variable(parts, token.value, renamed))
        ):
            recursive = any(part.value == "recursive" for part in parts[at : at + 24])
            yield _removal(name, command, _arguments(parts, at + 1, values)[0], tree=recursive)
        elif _is_subcommand(owner, call):  # repo.git.push("--force")
            texts = [owner, call.replace("_", "-"), *_arguments(parts, at + 1, values)[0]]
            yield run_argv(name, command, texts, stdin=False, evidence=True)


def _is_subcommand(owner: str, call: str) -> bool:
    """True if an object has the name of a program, and its method that of a sub-command."""
    grammar = grammar_of(owner) if record_of(owner) is not None else None
    return grammar is not None and bool(grammar.child((), call.replace("_", "-"), sure=True))


def _is_variable(parts: list[Token], name: str, renamed: Mapping[str, str]) -> bool:
    """True if the text gives ``name`` a value of its own, none that removes something, and never calls it."""
    behind = {parts[at + 1].kind for at in range(len(parts) - 1) if parts[at].value == name}
    return "=" in behind and "(" not in behind and name not in renamed


def running_calls(parts: list[Token]) -> list[int]:
    """Where names stand that run a command when they are called."""
    renamed = _renamed(parts)
    return [
        at for at, token in enumerate(parts) if token.kind == "name" and _runs(parts, at, *_called(parts, at, renamed))
    ]


def _called(parts: list[Token], at: int, renamed: Mapping[str, str]) -> tuple[str, str]:
    """The object and the name of what the token at ``at`` calls, if it is no assignment."""
    if at + 1 < len(parts) and parts[at + 1].kind == "=":
        return "", ""
    name = parts[at].value
    owner, _, call = renamed.get(name, renamed.get(name.lstrip("$@"), name)).rpartition(".")
    return renamed.get(owner, owner).rpartition(".")[2].lstrip("$@"), call.lstrip("$@&")


def _runs(parts: list[Token], at: int, owner: str, call: str) -> bool:
    bare = not owner and (at == 0 or parts[at - 1].kind != ".")
    through_call = not owner and at > 0 and parts[at - 1].kind in (")", ".")
    return (
        call in _RUN_ANY
        or (call in _RUN_BARE and (bare or owner in _RUN_OWNERS or through_call))
        or (call == "script" and at > 0 and parts[at - 1].value == "shell")
    )


_FILE_MODULES = frozenset(["fs", "node:fs", "fs/promises", "node:fs/promises", "fs-extra"])
_CALLED_LATER = ([")", "("], ["]", "("])
_RENAMABLE = _RUN_ANY | _RUN_BARE | _RUN_OWNERS | _REMOVE_TREE | _REMOVE | _REMOVE_OWNED | _REMOVE_OWNERS


def _renamed(parts: list[Token]) -> dict[str, str]:
    """``import os as o`` and ``o = os``, ``const f = require("fs")``: short name to module."""
    names: dict[str, str] = {}
    for at in range(2, len(parts)):
        if parts[at - 1].value == "as" and parts[at].kind == "name":
            names[parts[at].value] = parts[at - 2].value
        elif parts[at - 1].kind == ":" and parts[at - 2].value in _RUN_ANY | _RUN_BARE and parts[at].kind == "name":
            names[parts[at].value] = parts[at - 2].value  # const {execSync: e} = …
        elif parts[at - 1].kind == "=" and parts[at - 2].kind == "name":
            if parts[at].kind == "text" and parts[at].value in _RUN_ANY:  # f = "system", for @f(…) or $f(…)
                names[parts[at - 2].value.lstrip("$@")] = parts[at].value
            if parts[at].value == "require" and at + 2 < len(parts) and parts[at + 2].kind == "text":
                names[parts[at - 2].value] = parts[at + 2].value.removeprefix("node:").partition("/")[0]
            elif parts[at].kind == "name" and parts[at].value.rpartition(".")[2] in _RENAMABLE:
                names[parts[at - 2].value] = parts[at].value
    return names


def _constants_given(parts: list[Token]) -> dict[str, list[str]]:
    """``c = "rm x"`` and ``c = ["rm", "x"]``: names to the string constants assigned to them."""
    found: dict[str, list[str]] = {}
    for at in range(1, len(parts) - 1):
        if parts[at].kind == "=" and parts[at - 1].kind == "name":
            kind = parts[at + 1].kind
            texts = _arguments(parts, at + 1, {})[0] if kind in ("[", "(") else [parts[at + 1].value] * (kind == "text")
            if texts:
                found[parts[at - 1].value.lstrip("$@")] = texts
    return found


def _arguments(parts: list[Token], at: int, values: Mapping[str, list[str]]) -> tuple[list[str], bool]:
    """The string constants among the arguments of the call whose arguments start at ``at``, and whether in a list."""
    texts: list[str] = []
    depth, listed, parenthesised = 0, False, at < len(parts) and parts[at].kind == "("
    for token in parts[at : at + 400]:
        if token.kind in "([{" and len(token.kind) == 1:
            depth += 1
            listed = listed or (token.kind == "[" and not texts)
        elif token.kind in ")]}" and len(token.kind) == 1:
            depth -= 1
            if depth < 0 or (depth == 0 and parenthesised and token.kind == ")"):
                break
        elif token.kind == ";" or (token.kind == "\n" and not parenthesised):
            break
        elif token.kind == "text":
            texts.append(token.value)
        elif token.kind == "name" and token.value.lstrip("$@") in values:
            texts.extend(values[token.value.lstrip("$@")])
    return texts, listed


def _calls(name: str, command: Command, texts: list[str], listed: bool, language: str) -> list[Inner]:
    if not texts:
        return []
    found = [run_text(name, command, texts[0])]
    if len(texts) > 1:
        argvs = [texts, [texts[0], *texts[2:]]] if not listed else [texts]
        for argv in argvs:
            found.append(run_argv(name, command, argv, stdin=False))
        found.append(run_text(name, command, "".join(texts)))
        if texts[1] == "-c" or texts[0] in ("sh", "bash", "cmd"):
            found.append(run_text(name, command, texts[-1]))
    return found


def _removal(name: str, command: Command, texts: list[str], *, tree: bool) -> Inner:
    program = ["rm", "-rf"] if tree else ["rm"]
    unknown = () if texts else (unknown_word(command.span, many=True),)
    return run_argv(name, command, [*program, *texts], unknown, stdin=False)


def _piped(
    name: str, command: Command, parts: list[Token], at: int, values: Mapping[str, list[str]]
) -> Iterator[Inner]:
    """awk: ``print | "cmd"`` and ``"cmd" | getline``, the command also in a variable."""
    for near in (at - 1, at + 1, at + 2):
        if 0 <= near < len(parts) and parts[near].kind == "name":
            yield from [run_text(name, command, text) for text in values.get(parts[near].value, [])]
    after = at + 1
    if after < len(parts) and parts[after].kind == "&":
        after += 1
    if after < len(parts) and parts[after].kind == "text":
        yield run_text(name, command, parts[after].value)
    if after < len(parts) and parts[after].value == "getline" and at > 0 and parts[at - 1].kind == "text":
        yield run_text(name, command, parts[at - 1].value)


_TCL_LINES = str.maketrans(";[]{}", "\n\n\n  ")


def _tcl(name: str, command: Command, code: str) -> Iterator[Inner]:
    """``exec``, ``spawn``, ``open "|…"`` and ``file delete`` of Tcl and Expect, one command a line or ``;``."""
    given: dict[str, list[str]] = {}
    for line in code.translate(_TCL_LINES).split("\n"):
        words = quoting.split(line) or line.split()
        while words[:1] in (["eval"], ["catch"], ["uplevel"]):
            words = words[1:]
        if words[:1] == ["set"]:
            given["$" + words[1] if len(words) > 1 else ""] = words[2:]
        words = [value for word in words for value in given.get(word, [word]) if word != "*"]
        if len(words) > 1 and words[0] in ("exec", "spawn", "system", "log_user", "overlay"):
            argv = [word for at, word in enumerate(words[1:]) if at or not word.startswith("-")]
            if words[0] == "system":
                yield run_text(name, command, " ".join(argv))
            elif argv:
                yield run_argv(name, command, argv)
        elif words[:1] == ["open"] and len(words) > 1 and words[1].startswith("|"):
            yield run_text(name, command, words[1][1:])
        elif words[:2] == ["file", "delete"]:
            yield _removal(name, command, [w for w in words[2:] if not w.startswith("-")], tree=True)


def unknown_word(
    span: Span,
    *,
    many: bool = False,
    prefix: str = "",
    suffix: str = "",
    kind: str = "mixed",
    pieces: tuple[Piece, ...] = (),
    pattern: str | None = None,
) -> Word:
    """A word that the program fills in at run time. It is nowhere in the script: its span is empty."""
    place = Span(span.end, span.end)
    return Word(None, place, many=many, kind=kind, prefix=prefix, suffix=suffix, pieces=pieces, pattern=pattern)


def filled(
    word: Word, places: Sequence[str], span: Span, start: str = "", end: str = "", pattern: str | None = None
) -> Word:
    """``word`` with the placeholders in it made unknown: every value starts with ``start`` and ends with ``end``.

    ``pattern``: of the name of every file that is filled in.
    """
    text = word.literal
    if text is None:
        return _filled_in_part(word, places, span)
    pieces = _parted(text, places, True)
    if not pieces:
        return word
    before = pieces[0].text or "" if pieces[0].kind == "literal" else ""
    behind = pieces[-1].text or "" if pieces[-1].kind == "literal" else ""
    named = None if behind else pattern
    return unknown_word(span, prefix=before + start, suffix=behind or end, pieces=pieces, pattern=named)


def _parted(text: str, places: Sequence[str], quoted: bool) -> tuple[Piece, ...]:
    """``text`` in front of the placeholders, those with what is between them, and the text behind; or nothing."""
    first = min([at for at in (text.find(place) for place in places) if at >= 0], default=-1)
    if first < 0:
        return ()
    end = max([at + len(place) for place in places if (at := text.rfind(place)) >= 0])
    # what is written is evidence of what it runs
    found = [Piece("literal", text[:first], quoted), Piece("mixed", text[first:end], True)]
    found.append(Piece("literal", text[end:], quoted))
    return tuple([piece for piece in found if piece.text])


def _filled_in_part(word: Word, places: Sequence[str], span: Span) -> Word:
    """A word that only the run knows, ``~/{}`` or ``"$x/{}"``, with the placeholders in its text made unknown."""
    pieces: list[Piece] = []
    for piece in word.pieces:
        parted = _parted(piece.text or "", places, piece.quoted) if piece.kind == "literal" else ()
        pieces += parted or (piece,)
    if len(pieces) == len(word.pieces) and all(piece.kind != "mixed" for piece in pieces):
        return word
    first, last = pieces[0], pieces[-1]
    cut = min([at for place in places if (at := word.prefix.find(place)) >= 0], default=len(word.prefix))
    suffix = last.text or "" if last.kind == "literal" else ""
    prefix = word.prefix[:cut] if first.kind == "literal" else ""
    return replace(word, span=Span(span.end, span.end), pieces=tuple(pieces), prefix=prefix, suffix=suffix)
