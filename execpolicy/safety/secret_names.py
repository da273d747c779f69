"""Names of files and folders that hold secrets, as ``grammar/secrets.txt`` lists and explains them."""

from __future__ import annotations

from _operator import methodcaller
from itertools import filterfalse

from execpolicy.resources import grammar_folder


def groups(file: str) -> dict[str, tuple[str, ...]]:
    """Each group of words in a file of ``grammar``, in the order of the file."""
    with open(f"{grammar_folder()}/{file}", encoding="utf-8") as opened:
        lines = filterfalse(methodcaller("startswith", "# "), opened)  # in one call: every check reads this
        parts = "".join(lines).split("[")[1:]
    found: dict[str, tuple[str, ...]] = {}
    for part in parts:
        head, _, words = part.partition("\n")
        found[head.partition("]")[0]] = tuple(words.split())
    return found


_FOUND = groups("secrets.txt")
FOLDERS = frozenset(_FOUND["folders"])
COMMON_FILES = frozenset(_FOUND["common-files"])
FILES = frozenset(_FOUND["files"])
STARTS = _FOUND["starts"]
ENDS = _FOUND["ends"]
KEPT_AS = _FOUND["kept-as"]
PARTS = _FOUND["parts"]
SAMPLES = _FOUND["samples"]
COPIES = _FOUND["copies"]
KEYS = _FOUND["keys"]
ENDINGS = (*_FOUND["endings"], "/bitwarden cli/data.json", "/default/login data")
SAYING = frozenset(_FOUND["saying"])
SAYING_LAST = frozenset(_FOUND["saying-last"])
SAYING_AT_HOME = SAYING | frozenset(_FOUND["saying-at-home"])
DATA = frozenset(_FOUND["data"])
SPEAKING = frozenset(_FOUND["speaking"])
PLACES = _FOUND["places"]
WHERE = _FOUND["where"]
