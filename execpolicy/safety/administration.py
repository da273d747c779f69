"""Commands that administer execpolicy itself: they need a person, whatever an allow rule says."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.shell.words import Word

ADMINISTERING = (
    ("allow",),
    ("import",),
    ("inbox", "answer"),
    ("init",),
    ("install",),
    ("network",),
    ("trust",),
    ("ui",),
    ("undo",),
    ("uninstall",),
)
"""Sub-commands that change rules, trust, hooks or answers; the entry ``execpolicy-administration`` has the same."""

_LOOKING = ("check", "explain", "lint", "list", "split")
_WRITING = ("--fix", "--unsafe-fixes", "--write-baseline")
"""Options with which one of these writes, and click takes no shorter spelling of an option."""


def only_looks(words: Sequence[Word]) -> bool:
    """True if a command surely is ``execpolicy``, and writes none of the rule files that it names."""
    texts = [word.literal or "" for word in words]
    at = texts.index("-m") + 1 if "-m" in texts and texts[0].startswith("python3") else 0
    launched = all(text.startswith("-") for text in texts[1:at])
    given = [text for text in texts[at + 1 :] if not text.startswith("-")]
    return (
        launched
        and texts[at].rpartition("/")[2] == "execpolicy"
        and given[:1] in ([name] for name in _LOOKING)
        and all(text and text.partition("=")[0] not in _WRITING for text in texts)
    )


def administers(words: Sequence[Word]) -> str | None:
    """Returns why a command must not run unasked although a rule allows it: as ``execpolicy`` it changes what is
    allowed.

    Behind the program itself, or ``python3 -m execpolicy``, a word that is known only at run time may be any of them.
    Elsewhere (``uv run execpolicy``) the sub-command has to be seen.
    """
    texts = [word.literal for word in words]
    for at, text in enumerate(texts):
        if text is None or text.rpartition("/")[2] != "execpolicy":
            continue
        unknown = None if at == 0 or texts[at - 1] == "-m" else ""
        given = [word for word in texts[at + 1 :] if word is None or not word.startswith("-")]
        for path in ADMINISTERING:
            if len(given) >= len(path) and all(a in (b, unknown) for a, b in zip(given, path, strict=False)):
                return f"`execpolicy {' '.join(path)}` changes what agents may do: a person has to agree"
    return None
