"""Forms of values and operands: what one word may be. A form is named, or a list of choices."""

from __future__ import annotations

from execpolicy.core.network import address_of
from execpolicy.core.text import glob_matches
from execpolicy.errors import InvalidRuleError
from execpolicy.safety.checks import unknown_word
from execpolicy.safety.locations import (
    PREVIOUS,
    PROJECT,
    Location,
    folder_named,
    found_refusal,
    host_named,
    parts,
    path_refusal,
    program_refusal,
    ref_refusal,
    url_refusal,
)
from execpolicy.safety.secrets import exposing_root, secret_in, secret_matching
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from execpolicy.shell.pieces import Piece
    from execpolicy.shell.words import Word

    Check = Callable[[str], str | None]


@value
class Form:
    """A form of words.

    Attributes:
        name: as the entry writes it.
        check: a literal text to what is wrong with it (a phrase), or ``None``.
        dynamic: a word that is only known at run time is fine too.
        beginnings: where ``dynamic`` is false, a dynamic word is fine that is known to begin with one of these.
        never: where ``dynamic`` is true, a dynamic word must be known not to begin with this.
        dashed: a value that begins with ``-`` is one of those that it speaks of, and no version of the program takes it
            for an option.
        found: where the folders around decide: a pattern that the shell expands is fine that begins with none of these;
            ``None`` if no pattern is.
        locate: a literal text to what must be true of the folders around; ``None`` for a form that asks nothing.
    """

    name: str
    check: Check
    _: KW_ONLY
    dynamic: bool
    beginnings: tuple[str, ...] = ()
    never: str = ""
    dashed: tuple[str, ...] = ()
    locate: Callable[[str], tuple[Location, ...]] | None = None
    found: tuple[str, ...] | None = None

    def takes_dashed(self, text: str) -> bool:
        """True if ``text``, which begins with ``-``, may be a value in a word of its own."""
        return any(glob_matches(pattern, text) for pattern in self.dashed)

    def refusal(self, word: Word) -> str | None:
        """Returns what is wrong with ``word`` (one field, as an operand or the whole value of an option), or
        ``None``.
        """
        text = word.literal
        if text is not None:
            return self.check(text)
        if not self.dynamic:
            if (word.number and self.name == "number") or self._begins(word.prefix):
                return None
            if self.found is not None and word.kind == "glob" and not word.prefix.startswith(self.found):
                return found_refusal(word.pattern)
            if self.name == "sed-script" and word.pieces and not word.many:
                text = _with_addresses(word.pieces)
                if text is not None:
                    return self.check(text)
            return f"is only known at run time and must be {self.name}"
        if self.never and _may_begin(word, self.never):
            return f"is only known at run time and could begin with `{self.never}`"
        if self.name == "tree" and (found := exposing_root(word.written) or exposing_root(word.shape)) is not None:
            return found
        if self.name in PATHS and (word.shape or word.suffix):
            return secret_matching(word.shape or "*" + word.suffix)
        return None

    def locations(self, text: str, word: Word | None = None) -> tuple[Location, ...]:
        """Returns what must be true of the folders around for ``text``, which is not refused.

        Args:
            word: it is the value of this word, of which ``text`` is not all if the shell expands it.
        """
        if self.locate is None:
            return ()
        if word is None or word.literal is not None:
            return self.locate(text)
        return tuple(
            [
                Location(word.pattern or "", one.folders, found=True, effect=one.effect, below=one.below)
                for one in self.locate("*")
            ]
        )

    def refusal_of_rest(self, text: str, word: Word) -> str | None:
        """The same for a value glued to its option: ``text`` is what is known of its beginning."""
        if word.literal is not None:
            return self.check(text)
        if self.dynamic or self._begins(text):
            return exposing_root(word.written[len(word.prefix) - len(text) :]) if self.name == "tree" else None
        return f"is only known at run time and must be {self.name}"

    def _begins(self, prefix: str) -> bool:
        return any(prefix.startswith(beginning) for beginning in self.beginnings)


def _may_begin(word: Word, text: str) -> bool:
    """True if a dynamic word may begin with ``text``, an absolute path."""
    if word.prefix:
        return word.prefix.startswith(text) or text.startswith(word.prefix)
    found = word.kind == "glob" or (bool(word.pieces) and word.pieces[0].kind == "glob")  # by a relative pattern
    return not found and not word.number


def _with_addresses(pieces: Sequence[Piece]) -> str | None:
    """A sed script of ``pieces`` with some number for each one that is only known at run time, if all are addresses.

    An address is no delimiter and no argument, so that any other number (or none) means the same.
    """
    made: list[str] = []
    for at, piece in enumerate(pieces):
        if piece.kind == "literal":
            made.append(piece.text or "")
            continue
        before = pieces[at - 1].text if at else ""
        behind = pieces[at + 1].text if at + 1 < len(pieces) else ""
        if not piece.number or before is None or behind is None:
            return None
        if (before and before[-1] not in ",;{") or behind[:1] not in (",", "p", "d", "q", "!", "{", "="):
            return None
        made.append("7")
    text = "".join(made)
    return text if set(text) <= set("0123456789,;{}pdq!=$ ") else None


def _any(text: str) -> str | None:
    return None


def _number(text: str) -> str | None:
    digits = text[1:] if text[:1] in ("-", "+") else text
    return None if digits.isascii() and digits.isdigit() else "is not a decimal number"


def _tree(text: str) -> str | None:
    return secret_in(text) or exposing_root(text)


def _in(folder: str, name: str) -> Form:
    """The form of files that lie in ``folder``."""

    def locate(text: str) -> tuple[Location, ...]:
        return tuple([Location(part, (folder,)) for part in parts(text)])

    return Form(name, path_refusal, dynamic=False, locate=locate, found=())


def _affected(name: str, effect: str, *, below: bool = False, reads: Check = _any) -> Form:
    """The form of files that the call writes or deletes, which a write rule must allow, and that it ``reads``."""

    def check(text: str) -> str | None:
        return reads(text) if text else "is empty"

    def locate(text: str) -> tuple[Location, ...]:
        kept = (Location(text, effect="link"),) if name == "moved" else ()
        return (*kept, Location(text, effect=effect, below=below, opens=name in ("link", "unpacked")))

    return Form(name, check, dynamic=False, locate=locate, found=())


def _reached(name: str, effect: str) -> Form:
    """The form of URLs that the call opens, whose host a network rule must allow."""

    def check(text: str) -> str | None:
        return None if address_of(text) is not None else "is no plain address of http or https"

    return Form(name, check, dynamic=False, locate=lambda text: (Location(text, effect=effect),))


def _known_to_git(name: str, kind: str) -> Form:
    """The form of names that git knows as ``kind``: a branch or a remote."""

    def check(text: str) -> str | None:
        return None if text == PREVIOUS and kind == "branch" else ref_refusal(text)

    return Form(name, check, dynamic=False, dashed=(PREVIOUS,), locate=lambda text: (Location(text, git=kind),))


def _made(value: str, where: str) -> Form | None:
    """The form that ``value`` makes of a name behind a colon, or ``None``.

    Raises:
        InvalidRuleError: what is behind the colon is not what it should be.
    """
    kind, colon, name = value.partition(":")
    if not colon or kind not in MADE:
        return None
    if kind == "url":
        host = host_named(name, where)
        return Form(value, lambda text: url_refusal(text, host), dynamic=False)
    folder = folder_named(name, where)
    if kind == "below":
        return _in(folder, value)
    return Form(value, program_refusal, dynamic=False, locate=lambda text: (Location(text, (folder,), installed=True),))


def _lazy(path: str) -> Callable[[str], Any]:
    """The check with this name, whose module is imported when it is first needed."""

    def check(text: str) -> Any:
        from importlib import import_module

        module, _, function = path.rpartition(".")
        return getattr(import_module("execpolicy." + module), function)(text)

    return check


_FORMATS = "safety.languages.formats."
_READ = {
    "sed-script": "programs.sed_script.script_refusal",
    "awk-program": "safety.languages.awk.program_refusal",
    "jq-program": "safety.languages.jq.program_refusal",
    "yq-program": "safety.languages.jq.yq_refusal",
    "perl-program": "safety.languages.perl.program_refusal",
    "python-library": "safety.languages.python.library_refusal",
    "sql-query": "safety.languages.sql.query_refusal",
    "container-template": "safety.languages.container_templates.template_refusal",
    "tmux-format": "safety.languages.tmux_formats.format_refusal",
    "setting-regex": _FORMATS + "settings_refusal",
    "name-regex": _FORMATS + "names_refusal",
    "variable-name": _FORMATS + "variable_refusal",
}
"""Forms of texts in a language, each with the function that reads it."""
MADE = ("below", "url", "installed")
"""Forms with a name behind a colon: a folder, a host, the folder of programs."""
PATHS = ("path", "file", "tree")
"""Forms of what is read: a secret is refused."""
NAMED = {
    "any": Form("any", _any, dynamic=True),
    "literal": Form("literal", _any, dynamic=False),
    "number": Form("number", _number, dynamic=False),
    "path": Form("path", secret_in, dynamic=True),
    "tree": Form("tree", _tree, dynamic=True),
    "file": Form("file", secret_in, dynamic=True, never="/inet"),
    "project-path": _in(PROJECT, "project-path"),
    "write": _affected("write", "write"),
    "write-below": _affected("write-below", "write", below=True),
    "unpacked": _affected("unpacked", "write", below=True),
    "link": _affected("link", "write"),
    "delete": _affected("delete", "delete"),
    "delete-tree": _affected("delete-tree", "tree"),
    "url": _reached("url", "fetch"),
    "url-sent": _reached("url-sent", "send"),
    "git-branch": _known_to_git("git-branch", "branch"),
    "git-remote": _known_to_git("git-remote", "remote"),
    "git-name": Form("git-name", ref_refusal, dynamic=False),
    "moved": _affected("moved", "move", below=True, reads=secret_in),
    "copied-tree": _affected("copied-tree", "link", reads=_tree),
    **{name: Form(name, _lazy(path), dynamic=False) for name, path in _READ.items()},
    "ps-columns": Form("ps-columns", _lazy(_FORMATS + "columns_refusal"), dynamic=False, dashed=("-*",)),
    "date-format": Form("date-format", _lazy(_FORMATS + "date_refusal"), dynamic=False, beginnings=("+",)),
    "setting-name": Form("setting-name", _lazy(_FORMATS + "setting_refusal"), dynamic=True),
    "python-program": Form(
        "python-program",
        _lazy("safety.languages.python.program_refusal"),
        dynamic=False,
        locate=_lazy("safety.languages.python.program_locations"),
    ),
}
"""Every named form; ``docs/heuristics.md`` describes them for those who write entries."""

EXPRESSIONS = ("any", "find", "test", "printf")
"""Checkers of whole argument lists, see ``execpolicy.safety.languages``."""


_SEPARATORS = ("\\", "=", ":", ",")
"""Other text around the name of a folder in a value."""
_FEW = 4
"""Accepted values that are named where another one is refused."""


def _choices(names: tuple[str, ...], where: str) -> Form:
    listed = "%list" in names
    names = tuple([name for name in names if name != "%list"])
    refused = tuple([name[1:] for name in names if name.startswith("!")])
    forms = tuple([form for name in names if name[:1] == "%" and (form := _named(name[1:], where)) is not None])
    made = tuple([form for name in names if ":" in name and (form := _made(name, where)) is not None])
    known = [form.name for form in made] + ["%" + form.name for form in forms]
    accepted = tuple([name for name in names if not (name in known or name.startswith("!"))])
    any_text = "any" in accepted
    exact = frozenset([name for name in accepted if "*" not in name and "?" not in name])
    globs = tuple([name for name in accepted if name not in exact])

    def plain(text: str) -> bool:
        """True if ``text`` is accepted whatever folder it names."""
        return not (accepted or made) or any_text or text in exact or any(_matches(pattern, text) for pattern in globs)

    def only_as_any(text: str) -> bool:
        """True if nothing but ``*`` accepts ``text``: it may be the name of a file."""
        return "*" in globs and text not in exact and not any(_matches(one, text) for one in globs if one != "*")

    def check(text: str) -> str | None:
        if listed and "," in text:
            return next((problem for part in text.split(",") if (problem := check(part)) is not None), None)
        if any(glob_matches(pattern, text) for pattern in refused):
            return "is one of the values that are not accepted here"
        if plain(text) or any(form.check(text) is None for form in made):
            named = next((problem for form in forms if (problem := form.check(text)) is not None), None)
            return secret_in(text) if named is None and only_as_any(text) else named
        few = len(names) <= _FEW
        return "is none of " + (", ".join([f"`{name}`" for name in names]) if few else "the accepted values")

    def locate(text: str) -> tuple[Location, ...]:
        if listed and "," in text:
            return tuple([one for part in text.split(",") for one in locate(part)])
        found = [one for form in forms for one in form.locations(text)]
        if not plain(text):
            able = [form.locations(text) for form in made if form.check(text) is None]
            if all(able):  # otherwise one of them asks nothing of the folders
                folders = tuple([folder for each in able for folder in each[0].folders])
                found += [Location(one.text, folders, installed=one.installed) for one in able[0]]
        return tuple(found)

    dashed = tuple([name for name in accepted if name.startswith("-")])
    return Form(
        "one of " + ", ".join(names),
        check,
        dynamic=False,
        beginnings=("",) if any_text and not (refused or made or forms) else (),
        dashed=dashed,
        locate=locate if [form for form in (*made, *forms) if form.locate is not None] else None,
        found=_openings(refused) if (made or forms) and not accepted and all(map(_may_find, (*made, *forms))) else None,
    )


def _may_find(form: Form) -> bool:
    return form.found == ()


def _openings(refused: tuple[str, ...]) -> tuple[str, ...] | None:
    """Returns what no name that is found may begin with, if that is all that ``refused`` says."""
    found = tuple([glob[:-1] for glob in refused if glob.find("*") == len(glob) - 1 and "?" not in glob])
    return found if len(found) == len(refused) else None


def _matches(pattern: str, text: str) -> bool:
    """True if ``text`` matches, and no ``*`` means a way up (``..``) or for the user of an address (``@``)."""
    return (
        glob_matches(pattern, text)
        and (".." not in text or _climbs(text) <= _climbs(pattern))
        and ("@" not in text or _users(text) <= _users(pattern))
    )


def _climbs(text: str) -> int:
    for separator in _SEPARATORS:
        text = text.replace(separator, "/")
    return text.split("/").count("..")


def _users(text: str) -> int:
    return text.partition("://")[2].count("@")


def _named(name: str, where: str) -> Form | None:
    return NAMED.get(name) or _made(name, where)


def parse_form(value: object, where: str) -> Form:
    """The form that ``value`` (a name, or a list of choices) describes.

    Raises:
        InvalidRuleError: it is neither; ``where`` says what it was meant for.
    """
    if isinstance(value, str):
        found = _named(value, where)
        if found is None:
            raise unknown_word(f"{where}: there is no form", value, NAMED)
        return found
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, str) for item in value):
        return _choices(tuple(value), where)
    raise InvalidRuleError(
        f"{where} must be the name of a form or a non-empty list of accepted values",
        help="forms: " + ", ".join([*NAMED, *[f"{kind}:…" for kind in MADE]]),
    )
