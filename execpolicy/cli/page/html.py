"""The elements from which all HTML output is built, and the frame of every page.

Text cannot become markup: everything except :class:`Markup` is escaped on insertion. Commands are hostile text, so
characters that could hide something (control characters, direction marks, special blanks) are shown as escapes. Bar
charts are tables with SVG bars; there is no library and no script. The fixed parts of pages are HTML files (``pages``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from string import Template
from typing import NamedTuple, TypeAlias

from execpolicy.approvals.terminal import visible
from execpolicy.resources import records_folder

STATIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")
_PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pages")
LONGEST = 20_000
"""Maximum number of shown characters of one text: of a longer one, both ends and the number of omitted characters."""
_VOID = frozenset(("br", "hr", "input", "link", "meta"))


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"


def element(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """``<name …>children</name>``.

    An attribute's last underscore is dropped, and others become dashes (``class_``, ``aria_label``). ``False`` and
    ``None`` omit it; ``True`` gives it no value.
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
    """``text`` with hidden characters made visible; line breaks and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "\n".join(["\t".join(map(visible, line.split("\t"))) for line in text.split("\n")])


def short_path(path: str) -> str:
    """``path`` in short form: the home folder as ``~``, rules of the package as ``built-in``."""
    for folder, short in ((records_folder(), "built-in"), (os.environ.get("HOME", ""), "~")):
        if folder and folder != "/" and (path == folder or path.startswith(f"{folder}/")):
            return short + path[len(folder) :]
    return path


def cut(text: str, longest: int = LONGEST) -> str:
    """``text``, without its middle if it is longer than ``longest``."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n⟪{len(text) - 2 * half:,} characters are not shown here⟫\n{text[-half:]}"


PAGES = {"inbox": "Inbox", "try": "Try", "policy": "Policy", "history": "History"}


def filled(name: str, /, **texts: Child) -> Markup:
    """The HTML file ``name``, with ``texts`` in the places of their names."""
    with open(os.path.join(_PAGES, f"{name}.html"), encoding="utf-8") as file:
        return Markup(Template(file.read()).substitute({key: markup(text) for key, text in texts.items()}))


def document(title: str, *body: Child) -> str:
    """A self-contained file without scripts."""
    with open(os.path.join(STATIC, "page.css"), encoding="utf-8") as file:
        return filled("document", title=title, style=Markup(file.read()), content=body)


def page(name: str, /, **texts: Child) -> str:
    """The page of the server with this name: its HTML file, filled in, in the frame of all pages."""
    links = [
        element("li", element("a", title, href=f"/{at}", aria_current="page" if at == name else None))
        for at, title in PAGES.items()
    ]
    return filled("frame", name=name, title=PAGES[name], links=links, content=filled(name, **texts))


def button(text: str, *, action: str, key: str = "", **attributes: str | bool | None) -> Markup:
    """A button with a handler in a script; ``key`` is its keyboard shortcut, shown on it but not part of its name."""
    hint = element("kbd", key, aria_hidden="true") if key else None
    keys = key or None
    return element("button", text, hint, type="button", data_action=action, aria_keyshortcuts=keys, **attributes)


def badge(decision: str) -> Markup:
    """A decision as a coloured word."""
    return element("span", decision, class_=f"badge {decision}")


def table(heads: Sequence[str], rows: Sequence[Sequence[Child]], *, caption: str) -> Markup:
    """A table with a caption; numbers are aligned to the right. Empty without rows."""
    if not rows:
        return Markup()
    titles = element("thead", element("tr", [element("th", each, scope="col") for each in heads]))
    body = [
        element(
            "tr",
            [
                element("td", each, class_="number" if isinstance(each, int) else None, data_head=head)
                for head, each in zip(heads, row, strict=True)
            ],
        )
        for row in rows
    ]
    return element(
        "div",
        element("table", element("caption", caption), titles, element("tbody", body)),
        class_="wide",
        tabindex="0",
        role="region",
        aria_label=caption,
    )


class Bar(NamedTuple):
    """One bar. A part has a kind (a decision, or ``plain``) and a length; ``said`` replaces the printed total."""

    label: str
    parts: tuple[tuple[str, int], ...]
    said: str = ""

    @property
    def total(self) -> int:
        """The total length."""
        return sum([length for _, length in self.parts])


def bars(title: str, rows: Sequence[Bar]) -> Markup:
    """A chart of ``rows``, with the longest bar at full width; empty without rows."""
    if not rows:
        return Markup()
    most = max([row.total for row in rows]) or 1
    kinds = dict.fromkeys([kind for row in rows if len(row.parts) > 1 for kind, _ in row.parts])
    drawn = [
        element(
            "tr",
            element("th", row.label, scope="row"),
            element("td", _bar(row, most)),
            element("td", row.said or f"{row.total:,}"),
        )
        for row in rows
    ]
    legend = [element("span", kind, class_=f"key {kind}") for kind in kinds]
    return element(
        "figure", element("figcaption", title, legend), element("table", drawn, class_="bars", aria_label=title)
    )


def _bar(row: Bar, most: int) -> Markup:
    drawn: list[Markup] = []
    x = 0.0
    for kind, length in row.parts:
        width = 100 * length / most
        drawn.append(element("rect", x=f"{x:.2f}", y=0, width=f"{width:.2f}", height=1, class_=f"bar {kind}"))
        x += width
    return element("svg", drawn, viewBox="0 0 100 1", preserveAspectRatio="none", aria_hidden="true")
