"""HTML, element by element. Text cannot become markup: whatever is no :class:`Markup` is escaped where it is put.

A command is hostile text. What could hide something in it (control characters, other directions, blanks that are none)
is shown as an escape, here as on a terminal.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

from execpolicy.approvals.person.question import visible
from execpolicy.resources import builtin_rules_folder

STATIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")
LONGEST = 20_000
"""Characters of one text that are shown: of a longer one both ends, and how much is left out."""
_VOID = frozenset(("br", "hr", "input", "link", "meta"))


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"


def element(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """``<name …>children</name>``. An attribute's last underscore is dropped and others become dashes (``class_``,
    ``aria_label``); ``False`` and ``None`` leave it out, ``True`` gives it no value.
    """
    written = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.removesuffix("_").replace("_", "-")
        written.append(key if value is True else f'{key}="{escape(shown(str(value)), quote=True)}"')
    opened = f"<{' '.join(written)}>"
    return Markup(opened if name in _VOID else f"{opened}{''.join(map(markup, children))}</{name}>")


def markup(child: Child) -> Markup:
    """``child`` as HTML."""
    if child is None:
        return Markup()
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return Markup(escape(shown(child)))
    if isinstance(child, int):
        return Markup(str(child))
    return Markup("".join(map(markup, child)))


def shown(text: str) -> str:
    """``text`` with nothing hidden in it; line breaks and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "\n".join(["\t".join(map(visible, line.split("\t"))) for line in text.split("\n")])


def short_path(path: str) -> str:
    """``path`` as people write it: the home folder as ``~``, rules of the package as ``built-in``."""
    for folder, short in ((builtin_rules_folder(), "built-in"), (os.environ.get("HOME", ""), "~")):
        if folder and folder != "/" and (path == folder or path.startswith(f"{folder}/")):
            return short + path[len(folder) :]
    return path


def cut(text: str, longest: int = LONGEST) -> str:
    """``text``, of which the middle is left out if it is longer."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n⟪{len(text) - 2 * half:,} characters are not shown here⟫\n{text[-half:]}"


def document(title: str, *body: Child) -> str:
    """A whole file that needs no other, and runs nothing."""
    with open(os.path.join(STATIC, "page.css"), encoding="utf-8") as file:
        style = file.read()
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(style)),
    )
    main = element("main", element("h1", title), *body, id="main")
    return f"<!doctype html>\n{element('html', head, element('body', main), lang='en')}\n"


def badge(decision: str) -> Markup:
    """A decision as a word with its colour."""
    return element("span", decision, class_=f"badge {decision}")


def table(heads: Iterable[str], rows: Sequence[Sequence[Child]], *, caption: str) -> Markup:
    """A table with a caption; a cell that is a number stands to the right."""
    titles = list(heads)
    head = element("thead", element("tr", [element("th", each, scope="col") for each in titles]))
    body = [
        element(
            "tr",
            [element("td", each, class_=_side(each), data_head=title) for title, each in zip(titles, row, strict=True)],
        )
        for row in rows
    ]
    return element(
        "div",
        element("table", element("caption", caption), head, element("tbody", body)),
        class_="wide",
        tabindex="0",
        role="region",
        aria_label=caption,
    )


def _side(cell: Child) -> str | None:
    return "number" if isinstance(cell, int) else None
