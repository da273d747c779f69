"""Links that lie beside a program which reads files of its project unasked: ``package.json -> ~/.ssh/id_rsa``.

``npm pkg get`` prints what stands in such a file, ``cargo read-manifest`` the line that it does not understand. Which
files a program reads is not followed: each link counts that lies in the folder where it starts, in one above, or in one
that it is told of, whatever it is called; below that folder for programs that read whole projects. What lies in the
home folder itself is the user's own. That restricts; it proves nothing.

Sources: the manuals and sources of npm (Arborist), cargo, Terraform and Go about where they look; ripgrep and fd about
ignore files, of which they complain.
"""

from __future__ import annotations

import os
from posixpath import normpath

from execpolicy.core.text import names
from execpolicy.judge.folders.linked_names import from_home, listed
from execpolicy.judge.folders.tracked_links import tracks_link
from execpolicy.judge.folders.upwards import upwards
from execpolicy.programs.names import base_name
from execpolicy.safety.secrets import secret_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.shell.script import Command

_SEARCHING = names("rg fd fdfind")
_IGNORE = (".ignore", ".rgignore", ".fdignore", ".gitignore", ".git/info/exclude")
"""The only files that these read unasked, below as well; there they are looked for where the repository tracks one."""
_ENDING = b"ignore"
_WALKING = names("bun cargo deno go gofmt mix npm nx pnpm swift terraform tofu tsc turbo uv yarn zig")
"""Programs that read what lies below their folder, too."""
_CHOOSING = names("asdf fnm goenv jenv mise nodenv phpenv pyenv rbenv")
"""Programs that print what a file of the folder says of versions."""
_PACKAGES = "node_modules"
_MANIFEST = "package.json"
_ENTRY = 4
"""Work that one name in a folder costs that is walked."""


def linked_beside(command: Command, facts: Facts, standing: Standing | None, situation: Situation) -> str | None:
    """What ``command``, which is safe by its words, may read unasked behind a link, or ``None`` if nothing is seen.

    Args:
        standing: where it may run, if that is not the folder of the judgement.
    """
    name = base_name(command.words[0].literal or "")
    situation.looks += 1  # whoever remembers the answer does not see the disk
    if standing is not None and not standing.folders and (name in _WALKING or name in _CHOOSING):
        return "it reads files of a folder that is not known, and one may be a link to a secret"
    starts = (".",) if standing is None else standing.folders
    words = [word.literal for word in command.words[1:] if word.literal and word.literal[:1] != "-"]
    for start in dict.fromkeys([place for each in starts for place in situation.places_of(each)[-1:]]):
        told = [f"{start}/{each}" if each[:1] != "/" else each for each in words if "\0" not in each]
        below = _walked(name, start, told, situation)
        for link in _links(name, start, told, below, facts, situation):
            if secret_in(os.path.basename(link)) is not None:
                continue  # by its own name it is none of those that only a link makes one
            for place in situation.places_of(link):
                if secret_in(from_home(place, facts, situation)) is not None:
                    return f"`{link}` is a link to `{place}`, and it may read that unasked"
        if below and facts.exhausted:
            return "it reads more files than are looked at, and one may be a link to a secret"
    return None


def _walked(name: str, start: str, told: Sequence[str], situation: Situation) -> list[str]:
    """The folders, of ``start`` and those that it is ``told`` of, below which the program may meet a link."""
    if name not in _WALKING and name not in _SEARCHING:
        return []
    outside = [each for each in told if not normpath(each).startswith(f"{start}/") and os.path.isdir(each)]
    folders = [each for each in (start, *outside) if each != situation.home]
    return [each for each in folders if name in _WALKING or tracks_link(normpath(each), _ENDING)]


def _links(
    name: str, start: str, told: Sequence[str], below: Sequence[str], facts: Facts, situation: Situation
) -> Iterator[str]:
    """The links that a program may meet which starts in ``start``, is ``told`` of files and walks ``below``."""
    folders = [place for place in upwards(start) if place]
    if situation.home in folders:
        folders = folders[: folders.index(situation.home)]
    for folder in (*folders, *told):
        if name in _SEARCHING:
            yield from [path for file in _IGNORE if os.path.islink(path := f"{folder}/{file}")]
        else:
            yield from [entry.path for entry in listed(folder, facts) if entry.is_symlink()]
    for folder in below:
        found = _below(folder, facts, packages=name == "npm")
        yield from [link for link in found if name not in _SEARCHING or os.fsencode(link).endswith(_ENDING)]


def _below(start: str, facts: Facts, *, packages: bool) -> Iterator[str]:
    """The links below ``start``.

    Args:
        packages: of what is installed only the manifest of each package is read.
    """
    todo = [start]
    for folder in todo:
        found = listed(folder, facts)
        if not facts.budget.spend(_ENTRY * len(found)):
            return
        installed = packages and os.path.basename(os.path.dirname(folder) if "/@" in folder else folder) == _PACKAGES
        for entry in found:
            if entry.is_symlink():
                yield entry.path
            elif not installed:
                todo += [entry.path] if entry.is_dir() and entry.name != ".git" else ()
            elif entry.name[:1] == "@":
                todo.append(entry.path)
            else:
                yield from [path] if os.path.islink(path := f"{entry.path}/{_MANIFEST}") else ()
                todo += [path] if os.path.isdir(path := f"{entry.path}/{_PACKAGES}") else ()
