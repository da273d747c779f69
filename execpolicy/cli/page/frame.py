"""The frame of every page: title, style, navigation, a place for messages."""

from __future__ import annotations

from execpolicy.cli.page.replay_html import Child, Markup, element

PAGES = (("inbox", "Inbox"), ("try", "Try"), ("policy", "Policy"), ("history", "History"))

_ICON = element("link", rel="icon", href="/static/icon.svg", type="image/svg+xml")


def page(name: str, title: str, *body: Child) -> str:
    """A whole page, with the script of the same name."""
    links = [
        element("li", element("a", text, href=f"/{at}", aria_current="page" if at == name else None))
        for at, text in PAGES
    ]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{title} · execpolicy"),
        _ICON,
        element("link", rel="stylesheet", href="/static/page.css"),
        element("script", src="/static/page.js", defer=True),
        element("script", src=f"/static/{name}.js", defer=True),
    )
    header = element("header", element("nav", element("ul", links), aria_label="Pages"))
    main = element("main", element("h1", title), *body, id="main", tabindex="-1")
    status = element("div", id="status", role="status", aria_live="polite")
    aloud = element("div", id="aloud", class_="aloud", aria_live="polite")
    skip = element("a", "Skip to the content", href="#main", class_="skip")
    return f"<!doctype html>\n{element('html', head, element('body', skip, header, main, status, aloud), lang='en')}\n"


def opening_page(key: str) -> str:
    """The page at the first address: it stores the key for this port and goes on to the inbox."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("title", "execpolicy"),
        _ICON,
        element("script", src="/static/open.js", defer=True),
    )
    body = element("body", element("p", "Opening the page …"), data_key=key)
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def button(text: str, *, action: str, key: str = "", **attributes: str | bool | None) -> Markup:
    """A button with a handler in a script; ``key`` is its keyboard shortcut, shown on it but not part of its name."""
    hint = element("kbd", key, aria_hidden="true") if key else None
    keys = key or None
    return element("button", text, hint, type="button", data_action=action, aria_keyshortcuts=keys, **attributes)
