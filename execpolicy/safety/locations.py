"""Forms of words that name something in the folders around: where the file must lie or may be written, or the program
be installed.

The text of a word decides a part of it. The rest needs the working folder and the disk, see
:mod:`execpolicy.judge.folders.located`.
"""

from __future__ import annotations

from itertools import pairwise

from execpolicy.core.hosts import normalise_path
from execpolicy.core.text import option_values
from execpolicy.errors import InvalidRuleError
from execpolicy.safety.secrets import secret_in
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROJECT = ""
"""The folder that means the project in :attr:`Location.folders`."""
PREVIOUS = "-"
"""The branch that was checked out before."""
_WILD = frozenset("*?[]{}()!|")
_BEGINNING = frozenset("{,(|")
_NOWHERE = "/working/folder"
"""A working folder for examples, of which no more is known."""


@value
class Location:
    """A condition on the folders around, under which a word is accepted.

    Attributes:
        text: the name of a file, or of a program for ``installed``.
        folders: it must be in one of them; ``PROJECT`` or relative to the working folder.
        installed: the folder, here or above up to the project, must hold the program instead.
        git: git must know the name instead, as a ``branch`` or as a ``remote``.
        found: ``text`` is a pattern that the shell expands.
        effect: what a write rule must allow instead: ``write``, ``delete``, or ``tree`` for all that is below, too.
            ``move``: it gets another name or place. ``link``: it must not be a link, which would get another name, by
            which other files can be written. ``fetch`` and ``send``: what a network rule must allow on the host of a
            URL.
        below: files of unknown names below it are written, too.
        names: what is put into it if it is a folder.
        links: what the link that it names leads to, which a later write would change.
        opens: by it a name comes up that may be a link, so that no later command's words are understood.
    """

    text: str
    folders: tuple[str, ...] = ()
    _: KW_ONLY
    installed: bool = False
    git: str = ""
    found: bool = False
    effect: str = ""
    below: bool = False
    names: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    opens: bool = False

    @property
    def wanted(self) -> str:
        """Returns what the word must do, as a phrase."""
        if self.git:
            return f"must be a {self.git} that git knows"
        shown = ["the project" if folder == PROJECT else f"`{folder}`" for folder in self.folders]
        return ("must be installed in " if self.installed else "must be in ") + " or ".join(shown)

    @property
    def is_nearby(self) -> bool:
        """True if the names alone lead there, where nothing is known of the disk."""
        path = normalise_path(f"{_NOWHERE}/{self.text}" if self.text[:1] != "/" else self.text)
        return bool(self.installed or self.git or self.effect) or any(
            is_in(path, _NOWHERE) if folder == PROJECT else is_below(path, joined(_NOWHERE, folder))
            for folder in self.folders
        )

    @property
    def connects(self) -> bool:
        """True if it is about a connection, and not about a file."""
        return self.effect in ("fetch", "send")


def joined(folder: str, name: str) -> str:
    """``name`` as it is called in ``folder``, without ``.`` and ``..``."""
    return normalise_path(name if name[:1] == "/" else f"{folder}/{name}")


def is_in(path: str, folder: str) -> bool:
    """True if ``path`` is ``folder`` or lies below it; both are absolute and plain."""
    return f"{path}/".startswith(f"{folder}/")


def is_below(path: str, folder: str) -> bool:
    """True if ``path`` lies below ``folder``."""
    return path != folder and is_in(path, folder)


def parts(text: str) -> Sequence[str]:
    """Returns what may be the name of a file in ``text``: the value of an option, what is in front of a line or a
    test.
    """
    values = [text[at:] for at in option_values(text)]
    return [name for value in values for name in {value, value.partition(":")[0], value.partition("[")[0]} if name]


def path_refusal(text: str) -> str | None:
    """Returns what is wrong with ``text`` as the name of a file nearby, whatever lies there."""
    if not text:
        return "is empty"
    if ":/" in text:
        return "is an address"
    for at in option_values(text):
        part = text[at:]
        if part[:1] == "~":
            return "may be in a home folder"
        if (secret := secret_in(part)) is not None:
            return secret
        if not _WILD.isdisjoint(part) and _may_leave(part):
            return "is a pattern that may find another folder"
    return None


def _may_leave(pattern: str) -> bool:
    """True if a pattern that a program expands may find what lies above, or begin at the root."""
    alternatives = any(one in _BEGINNING and not (other.isalnum() or other in "_*") for one, other in pairwise(pattern))
    return ".." in pattern or alternatives


def found_refusal(pattern: str | None) -> str | None:
    """Returns what is wrong with a pattern that the shell expands, whatever lies there."""
    names = (pattern or "").split("/")
    wild = [name for name in names if "*" in name or "?" in name]
    plain = pattern is not None and set("\\[](){}!~").isdisjoint(pattern) and "**" not in pattern
    if plain and wild and not any(name[:1] == "." for name in wild):
        return None
    return "is a pattern that may find another folder"


def ref_refusal(text: str) -> str | None:
    """Returns what is wrong with ``text`` as the name of a branch or a remote."""
    plain = text.isprintable() and set(" ~^:?*[\\@{").isdisjoint(text) and ".." not in text and "//" not in text
    if plain and text[:1] not in ("", "-", "/", ".", "+") and text[-1] not in "/.":
        return None
    return "is no plain name of a branch or a remote"


def program_refusal(text: str) -> str | None:
    """Returns what is wrong with ``text`` as the bare name of a program."""
    return None if text and text[0] not in "-." and set("/@:~").isdisjoint(text) else "is no name of a program"


def url_refusal(text: str, host: str) -> str | None:
    """Returns what is wrong with ``text`` as an address on ``host``, which may name a port."""
    rest = text
    for scheme in ("http://", "https://"):
        if text[: len(scheme)].lower() == scheme:
            rest = text[len(scheme) :]
    end = next((at for at, char in enumerate(rest) if char in "/?#"), len(rest))
    authority = rest[:end].lower()
    name, colon, port = authority.rpartition(":")
    if not host.rpartition(":")[2].isdigit() and colon and port.isascii() and port.isdigit():
        authority = name
    plain = text.isprintable() and set(" \\").isdisjoint(text)
    return None if plain and authority == host else f"is no address on `{host}`"


def is_plain_folder(name: str) -> bool:
    """True if ``name`` is that of a folder, without a way up and a pattern."""
    return (
        bool(name)
        and name[0] not in "~-"
        and ".." not in name.split("/")
        and not set(":!%*?[]{}()|").intersection(name)
    )


def folder_named(value: str, where: str) -> str:
    """The folder of a form like ``below:DIR``.

    Raises:
        InvalidRuleError: it is none below the working folder, and not absolute.
    """
    value = value.removeprefix("./").rstrip("/")
    if not is_plain_folder(value):
        raise InvalidRuleError(
            f"{where}: a form like `below:DIR` needs the name of a folder", help="write `below:build` or `below:/srv/x`"
        )
    return value


def host_named(value: str, where: str) -> str:
    """The host of the form ``url:HOST``, in small letters.

    Raises:
        InvalidRuleError: it is no host.
    """
    if not value or not all(char.isalnum() or char in ".-:[]_" for char in value):
        raise InvalidRuleError(
            f"{where}: the form `url:HOST` needs the name of a host",
            help="write `url:localhost` or `url:localhost:8000`, without a scheme and a path",
        )
    return value.lower()
