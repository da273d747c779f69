"""Look-ups over the commands of one script: who writes a file, fills a variable, opens a descriptor."""

from __future__ import annotations

from itertools import pairwise
from os.path import normpath

from execpolicy.core.text import glob_matches
from execpolicy.shell.limits import STEP
from execpolicy.shell.script import Redirect, replace
from execpolicy.shell.vocabulary import READING
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command

    Printed = tuple[list[bytes], bool]
    """The texts that may come out, and whether they are all that can."""


MAX_TEXTS = 256
"""Program texts that are searched for the name of a file."""

_MOST_IN_FRONT = 4
"""Words among which programs stand, by their paths or their names: ``sudo -n /bin/cp a b``."""
_LONGEST_NAME = 256
"""Characters of a constant that may be the name of a file (NAME_MAX of Linux, and one)."""
_MOVING = ("cd ", "cd\t", "pushd", "popd", "chdir", "-C", "cwd", "-execdir", "--directory")
"""Words in every script that runs something in another folder."""
_PATTERN = frozenset("*?[")
"""One of these makes the value of a variable a pattern, not a name."""


class LookUps:
    """Look-ups over the commands of one script, so that a script of thousands of commands costs no square of them.

    Attributes:
        writers: normalised path to the commands that write it, each with the redirection, or ``None`` for an operand.
        fillers: word to the commands that have it as an argument; variable to those that assign it a substitution.
        bodies: function name to the indices of the commands in its body.
        compounds: the redirections of groups, loops and their like that read a file, each as a command without words.
        copies: normalised path of a link or copy that the script makes to the words that name what it is of.
        edited: normalised path of a file to the programs that change it in place (``sed -i``, ``ex -sc``).
        feeding: commands with a word or redirection ``>(…)``.
        inputs: ``exec`` commands that feed what comes behind them.
        patches: commands that change the files that a patch names.
        opened: descriptor other than the standard ones to the redirections that open it for reading.
        texts: the literal arguments and here-documents of filters that run program texts, which may name files that
            these write.
        standing: the variables that stand for a program that copies, with that.
        named_later: the paths in ``writers`` and ``copies`` that are only known at run time, with the words for each.
        sent: such a descriptor to the commands whose output goes there (``>&3``), each with that redirection.
    """

    __slots__ = (
        *("bodies", "commands", "compounds", "copies", "edited", "feeding", "fillers", "inputs", "knowledge"),
        *("named_later", "opened", "patches", "sent", "standing", "texts", "writers"),
    )

    def __init__(self, facts: Facts) -> None:
        self.knowledge = facts.knowledge
        self.commands = facts.script.commands
        self.writers: dict[str, list[tuple[Command, Redirect | None]]] = {}
        self.fillers: dict[str, list[Command]] = {}
        self.bodies: dict[str, list[int]] = {}
        self.standing: dict[str, str] = {}
        self.compounds: list[Command] = []
        self.copies: dict[str, list[Word]] = {}
        self.named_later: dict[str, list[Word]] = {}
        self.edited: dict[str, list[Command]] = {}
        self.feeding: list[Command] = []
        self.inputs: list[Command] = []
        self.patches: list[Command] = []
        self.texts: list[tuple[str, Command]] = []
        self.opened: dict[str, list[tuple[Command, Redirect]]] = {}
        self.sent: dict[str, list[tuple[Command, Redirect]]] = {}
        for at, command in enumerate(facts.script.commands):
            self._add(at, command)

    def _add(self, at: int, command: Command) -> None:
        # One pass over a command for all the look-ups.
        for redirect in command.redirects:
            if redirect.writes:
                self._wrote(redirect.target, command, redirect)
            if redirect.operator == ">&" and redirect.fd in (None, "1"):
                self.sent.setdefault(descriptor_name(path_key(redirect.target)), []).append((command, redirect))
            elif redirect.fd is not None and redirect.fd not in "012" and redirect.operator.startswith("<"):
                self.opened.setdefault(descriptor_name(redirect.fd), []).append((command, redirect))
        for one in command.assignments:
            if one.value is not None and one.value.literal in self.knowledge.copying:
                self.standing[one.name] = one.value.literal
            if one.value is not None and one.value.inner:
                self.fillers.setdefault(one.name, []).append(command)
        argv = command.argv()
        if argv and argv[0] is None and command.words[0].alone is not None:  # `c=cp; $c a b`
            argv = (self.standing.get(command.words[0].alone.name or ""), *argv[1:])
        if argv and argv[0] and ("/" in argv[0] or argv[0] in self.knowledge.handing_over):
            argv = (*[text and text.rpartition("/")[2] for text in argv[:_MOST_IN_FRONT]], *argv[_MOST_IN_FRONT:])
        program = argv[0] if argv else None
        self._add_files(command, argv)
        if program in self.knowledge.passing:
            given = [*argv[1:], *[one.body.literal for one in command.redirects if one.body is not None]]
            self.texts += [(text, command) for text in given if text is not None and (" " in text or "(" in text)]
        if program in READING:
            for text in argv[1:]:
                if text is not None:
                    self.fillers.setdefault(text, []).append(command)
        for name in command.context:
            if name.startswith("function:"):
                self.bodies.setdefault(name[9:], []).append(at)
        if any(word.kind == "process" for word in command.words) or any(
            redirect.target.kind == "process" for redirect in command.redirects
        ):
            self.feeding.append(command)
        if program == "exec" and len(argv) == 1 and _feeds(command):
            self.inputs.append(command)

    def _add_files(self, command: Command, argv: tuple[str | None, ...]) -> None:
        """The files that a program writes, copies or reads without a redirection of its own."""
        program = argv[0] if argv else None
        if not self.knowledge.writing_files.isdisjoint(argv[:4]):
            for word in command.words[1:]:
                self._wrote(word.behind(3) if word.beginning[:3] == "of=" else word, command, None)
            if "dd" in argv[:4]:
                read = [word.behind(3) for word in command.words if word.beginning[:3] == "if="]
                for word in command.words if read else ():
                    if word.beginning[:3] == "of=":
                        self._copied(word.behind(3), read[-1])
        if program in self.knowledge.editing_files or (program in self.knowledge.passing and any(map(_in_place, argv))):
            for text in argv[1:]:
                if text is not None and text[:1] != "-":
                    self.edited.setdefault(plain_path(text), []).append(command)
        if not self.knowledge.patching.isdisjoint(argv[:4]):
            self.patches.append(command)
        if not self.knowledge.copying.isdisjoint(argv):
            self._add_copies(command, argv)
        if not command.words and stdin_redirect(command) is not None:
            self.compounds.append(command)

    def _add_copies(self, command: Command, argv: Sequence[str | None]) -> None:
        """Note copies, links and moves: ``cp a b``, ``cp a b folder``, ``cp -t folder a b``, ``xargs cp``."""
        at = next(at for at, text in enumerate(argv) if text in self.knowledge.copying)
        if at and argv[0] not in self.knowledge.handing_over:
            return
        program, words = argv[at], command.words[at:]
        if argv[0] in self.knowledge.finding:
            words = self._with_what_is_found(command, at)
        valued = ("-m", "-o", "-g") if program == "install" else ()
        operands = [
            word
            for before, word in pairwise(words)
            if before.literal not in valued and (word.literal is None or not word.literal.startswith("-"))
        ]
        for before, word in pairwise(words):
            option, equals, folder = (before.literal or "").partition("=")
            if option in ("-t", "--target-directory"):
                named = Word(folder, before.span) if equals else word
                operands = [each for each in operands if each is not named] + [named]
        alone = len(operands) == 2 or argv[0] in self.knowledge.finding
        symbolic = program == "ln" and any(_is_symbolic(text or "") for text in argv)
        for source in operands[:-1]:
            below = Word(
                f"{path_key(operands[-1])}/{(source.literal or source.ending).rpartition('/')[2]}", source.span
            )
            for copy in (operands[-1], below) if alone else (below,):
                folder = (copy.literal or "").rpartition("/")[0]
                beside = symbolic and folder and source.literal is not None and source.literal[:1] != "/"
                # a symbolic link means a place beside itself
                self._copied(copy, Word(f"{folder}/{source.literal}", source.span) if beside else source)
                self._add_what_is_fed(command, copy, source)

    def _with_what_is_found(self, command: Command, at: int) -> tuple[Word, ...]:
        """Returns what ``find`` and ``xargs`` run for each name: any word in front, or of what feeds them, may be
        that.
        """
        feeding = [self.commands[each] for each in command.piped_from if each < len(self.commands)]
        fed = [word for each in feeding for word in each.words[1:]]
        front = [word for word in command.words[1:at] if word.literal and word.literal[:1] not in "-{"]
        inner = [word for word in command.words[at:] if word.literal not in (";", "+")]
        place = next((at for at, word in enumerate(inner) if "{}" in (word.literal or "")), len(inner))
        found = [*front, *fed] if place < len(inner) else fed
        return (*inner[:place], *found, *inner[place + 1 :])

    def _copied(self, target: Word, source: Word) -> None:
        self.copies.setdefault(self._key(target), []).append(source)

    def _wrote(self, target: Word, command: Command, redirect: Redirect | None) -> None:
        self.writers.setdefault(self._key(target), []).append((command, redirect))

    def _key(self, target: Word) -> str:
        key = plain_path(path_key(target))
        if target.literal is None:
            self.named_later.setdefault(key, []).append(target)
        return key

    def _add_what_is_fed(self, command: Command, target: Word, source: Word) -> None:
        """A copy of standard input, and of what a command prints in ``<(…)``."""
        if source.literal == "/dev/stdin":
            self._wrote(target, command, None)
        elif source.kind == "process":
            fed = Redirect("<", None, source, command.span, writes=False)
            made = replace(command, words=(), redirects=(fed,), piped_from=())
            self._wrote(target, made, None)

    def naming(self, path: str) -> list[Command]:
        """The filters in whose program texts the file ``path`` is named."""
        return [command for text, command in self.texts[:MAX_TEXTS] if path in text != path]


def _is_symbolic(text: str) -> bool:
    return text == "--symbolic" or ("s" in text and text[:1] == "-" != text[1:2])


def _in_place(text: str | None) -> bool:
    """``-i``, in a cluster or with an ending, and ``--in-place``; ``inplace`` of gawk."""
    return text is not None and (
        text.startswith("--in-place") or text == "inplace" or ("i" in text and text[:1] == "-" != text[1:2])
    )


def added_lines(patch: bytes) -> bytes:
    """Returns what ``patch`` puts into the files that it names; all of it where it is a script of ``ed`` or is cut
    up.
    """
    lines = [line[1:] + b"\n" for line in patch.split(b"\n") if line[:1] in (b"+", b">") and line[:3] != b"+++"]
    return b"".join(lines) or patch


def path_key(word: Word) -> str:
    """Returns what a file is known by: its path, or what is written for a word that is only known at run time
    (``$f``).
    """
    if word.literal is not None:
        return word.literal
    made = [f"${piece.name}" if piece.plain else piece.source or piece.text or "" for piece in word.pieces]
    return "\0" + "".join(made)


def places(path: str, known: Collection[str], facts: Facts) -> list[str]:
    """Those of the paths ``known`` that are ``path`` or may be: by a variable, ``$PWD/a``, or from another folder."""
    found = [path] if path in known else []
    later: dict[str, list[tuple[str, str]]] = facts.asked(_named_later, facts, otherwise={})
    for name, key in later.get(path.rpartition("/")[2], ()):
        alike = f"/{name}".endswith("/" + path) or (path[:1] == "\0" and path.endswith("/" + name))
        if alike and key in known and key != path:
            found.append(key)
    for pattern, key in later.get("*", ()):
        if key in known and facts.budget.spend(STEP) and glob_matches("*/" + pattern, "/" + path):
            found.append(key)
    if found or not known:
        return found
    if path[:1] == "\0":
        return [each for each in known if path.endswith("/" + each)] if facts.budget.spend(len(known)) else []
    if not any(map(facts.outermost.mentions, _MOVING)) or not facts.budget.spend(len(known)):
        return []
    return [each for each in known if each.endswith("/" + path) or path.endswith("/" + each)]


def _named_later(facts: Facts) -> dict[str, list[tuple[str, str]]]:
    """Base name to what files may be called that are only named at run time, with what they are known by."""
    found: dict[str, list[tuple[str, str]]] = {}
    for key, words in facts.once(LookUps).named_later.items():
        for name in dict.fromkeys([" ".join(value) for word in words for value in facts.values(word)]) or [key]:
            plain = plain_path(name)
            base = "*" if _PATTERN.intersection(plain) else plain.rpartition("/")[2]
            found.setdefault(base, []).append((plain, key))
    return found


def named_in(text: str) -> list[str]:
    """The constants of a program text that may be names: ``open("justfile", "w")``."""
    quoted = [part for quote in ('"', "'") for part in text.split(quote)[1::2]]
    return [part for part in quoted if 0 < len(part) < _LONGEST_NAME and not any(map(str.isspace, part))]


def descriptor_name(written: str) -> str:
    """The same text for ``3``, ``3-`` (moved), and for ``{fd}`` and ``$fd``."""
    return written.lstrip("\0$").strip("{}").rstrip("-")


def plain_path(path: str) -> str:
    """``./a//b`` as ``a/b``."""
    return normpath(path)


def _feeds(command: Command) -> bool:
    redirect = stdin_redirect(command)
    return redirect is not None and (redirect.body is not None or redirect.target.kind == "process")


def stdin_redirect(command: Command) -> Redirect | None:
    """The redirection that standard input ends up with."""
    found = None
    for redirect in command.redirects:
        if redirect.fd in (None, "0") and redirect.operator.startswith("<"):
            found = redirect
    return found
