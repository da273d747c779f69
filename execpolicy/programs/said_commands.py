"""Commands that a program text in another language says, in whatever way it puts them together.

Calls whose arguments are plain are found by :mod:`execpolicy.programs.program_text`. Here is what a reader sees at a
glance: a text that runs something, somewhere, and names a command in its constants. Each constant is taken for one,
filled in, decoded and joined with those behind it. It is evidence for restricting, and rather too much than too little.
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.programs.decoding import decoded
from execpolicy.programs.inner import literal_words, run_command, run_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from execpolicy.flow.tokens import Token
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

MAX_SAID = 48
"""Constants of one text that are looked at."""
MAX_WORDS = 6
"""Constants that are taken for the words of one command."""
LONGEST = 2_000
"""Characters of a constant that is taken for a command."""
RUNNING = names(
    "system popen popen2 popen3 popen4 Popen subprocess os commands pty child_process process sys.process shell sh "
    "bash exec execv execvp execve execl execlp execSync execFile execFileSync spawn spawnSync spawnvp spawnlp "
    "posix_spawn posix_spawnp run call check_call check_output getoutput getstatusoutput create_subprocess_shell "
    "create_subprocess_exec shell_exec passthru proc_open pcntl_exec eval assert open open3 capture2e pipe "
    "open-input-pipe open-pipe open-output-pipe processx system2 execute execp job_start jobstart termopen "
    "make-process process-lines call-process start-process compile async-shell-command shell-command eshell-command "
    "script webbrowser loadstring load dofile ccall Runtime ProcessBuilder cmd Cmd Command callCommand readProcess "
    "IO Kernel Open3 breakpoint PTY Process pexpect fork_exec system_ qx qqx run-shell-command sys-system Exec "
    "executeShell spawnShell pipeShell runCommand runCommandLocal writeShellScript writeShellScriptBin derivation "
    "mkDerivation shellHook"
)
"""Names of which one at least stands in a text that runs a command."""
_RUNNING_MARKS = ('".!', "Sys.command")
"""How Scala and OCaml run a command, if no name says so: ``"rm x".!``."""
_CODE = ("(", "`", "[[", '"', "'")
"""Marks that program text has, and few other constants."""
_SHELL_MODULES = frozenset(["sh", "plumbum"])
_GIT_MODULES = frozenset(["git", "pygit2", "dulwich", "simple-git", "isomorphic-git", "nodegit"])
_IMPORTING = frozenset(["import", "from", "require"])
_WITH_HEREDOCS = frozenset(["perl", "ruby", "php"])


def said_commands(
    name: str, command: Command, code: str, parts: Sequence[Token], values: Mapping[str, Sequence[str]], language: str
) -> Iterator[Inner]:
    """The commands that the constants in ``code`` may be; ``values``: those of its variables."""
    modules = _modules(parts)
    said = _parts_of_names(parts)
    if modules & _GIT_MODULES:
        for word in said[:MAX_SAID]:
            yield run_command(name, command, literal_words(["git", word], command.span), stdin=False, evidence=True)
    if modules & _SHELL_MODULES:
        yield from _windows(name, command, said)
    if not runs_something(parts) and not any(mark in code for mark in _RUNNING_MARKS):
        return
    texts = [token.value for token in parts if token.kind in ("text", "run") and len(token.value) <= LONGEST]
    if language in _WITH_HEREDOCS and "<<" in code:
        texts += _heredocs(code)
    texts = texts[:MAX_SAID]
    said_in_full = dict.fromkeys([text for text in texts if text.strip()])
    for at, text in enumerate(texts):
        said_in_full.update(dict.fromkeys(_changed(text, texts[at + 1 :], values, code)))
    for text in list(said_in_full)[: MAX_SAID * 2]:
        yield run_text(name, command, text, evidence=True)
    yield from _windows(name, command, texts)
    if "reverse" in code:
        yield from _windows(name, command, texts[::-1])


def texts_of_code(parts: Sequence[Token]) -> Iterator[str]:
    """Constants that are program text themselves, as they stand or decoded."""
    for token in parts[: MAX_SAID * 16]:
        if token.kind == "text":
            if any(mark in token.value for mark in _CODE):
                yield token.value
            yield from decoded(token.value)


def runs_something(parts: Sequence[Token]) -> bool:
    """Whether a text may run a command: by a name in it, or by a constant that is such a name or is put together."""
    for token in parts:
        if token.kind == "run":
            return True
        if token.kind == "name" and not RUNNING.isdisjoint(token.value.lstrip("&@$").split(".")):
            return True
        if token.kind == "text" and (token.value.rpartition(".")[2] in RUNNING or token.value[-1:] == "|"):
            return True
    glued = "".join([token.value for token in parts if token.kind == "text"][:MAX_SAID])
    return any(call in glued for call in ("system", "execSync", "shell_exec", "spawnSync"))


def _windows(name: str, command: Command, words: Sequence[str]) -> Iterator[Inner]:
    """``words`` from each on as a command."""
    for at in range(len(words[:MAX_SAID]) - 1):
        argv = list(words[at : at + MAX_WORDS])
        if argv[0] and not argv[0].isspace():
            yield run_command(name, command, literal_words(argv, command.span), stdin=False, evidence=True)


def _modules(parts: Sequence[Token]) -> set[str]:
    """The first parts of the modules that are imported."""
    found: set[str] = set()
    for at, token in enumerate(parts[:-1]):
        if token.kind == "name" and token.value in _IMPORTING:
            module = parts[at + 1] if parts[at + 1].kind != "(" else parts[min(at + 2, len(parts) - 1)]
            found.add(module.value.partition(".")[0])
    return found


def _parts_of_names(parts: Sequence[Token]) -> list[str]:
    """The names, part by part, and the constants."""
    found: list[str] = []
    for token in parts[: MAX_SAID * 8]:
        if token.kind == "name":
            found += token.value.split(".")
        elif token.kind == "text":
            found.append(token.value)
    return found


def _changed(text: str, behind: Sequence[str], values: Mapping[str, Sequence[str]], code: str) -> Iterator[str]:
    """What ``text`` becomes where it is filled in, turned round, put in small letters or decoded."""
    yield from _filled(text, behind, values)
    if text.startswith("echo "):
        yield text[5:]
    if "|" in (text[:1], text[-1:]):
        yield text.strip("|- ")
    if '"' in text:
        yield from text.split('"')[1::2]
    if "rev" in code or "[::-1]" in code:
        yield text[::-1]
    if "lower" in code.lower():
        yield text.lower()
    if "\n" in text and "replace" in code:
        yield " ".join(text.split())
    if "replace" in code and len(behind) > 1:
        for old, new in zip(behind[::2], behind[1::2], strict=False):
            text = _put(text, old, new)
        yield text
    if "rot" in code and "13" in code:
        from codecs import decode

        yield decode(text, "rot13")
    yield from decoded(text)


def _filled(text: str, behind: Sequence[str], values: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """``{}``, ``%s``, ``{x}``, ``${x}``, ``#{x}``, ``$x`` and ``#{"x"}`` filled in."""
    made = text
    for opening in ('#{"', "#{'"):
        made = made.replace(opening, "").replace(opening[-1] + "}", "") if opening in made else made
    if "$" in made or "{" in made:
        for variable, constants in values.items():
            for written in ("#{" + variable + "}", "${" + variable + "}", "{" + variable + "}", "$" + variable):
                if constants:
                    made = _put(made, written, constants[0])
    for mark in ("{}", "{0}", "%s"):
        for other in behind[: made.count(mark)]:
            if len(made) <= LONGEST:
                made = made.replace(mark, other, 1)
    if made != text:
        yield made[:LONGEST]


def _put(text: str, old: str, new: str) -> str:
    """``new`` for each ``old``; unchanged where that would be longer than any command."""
    return text.replace(old, new) if old and text.count(old) * len(new) <= LONGEST else text


def _heredocs(code: str) -> list[str]:
    """The texts of here-documents, as Perl, Ruby and PHP have them."""
    from re import finditer

    found: list[str] = []
    for start in finditer(r"<<<?[-~]?\s*[\"']?(\w+)[\"']?[^\n]*\n", code):
        body = code[start.end() :].split("\n")
        ends = [at for at, line in enumerate(body) if line.strip().rstrip(";)") == start.group(1)]
        if ends:
            found.append("\n".join(body[: ends[0]]))
    return found[:MAX_SAID]
