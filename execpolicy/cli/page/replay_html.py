"""A replay in a browser, and the elements from which all HTML output is built.

Text cannot become markup: everything except :class:`Markup` is escaped on insertion. Commands are hostile text, so
characters that could hide something (control characters, direction marks, special blanks) are shown as escapes. Bar
charts are tables with SVG bars; there is no library and no script.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import NamedTuple, TypeAlias

from execpolicy.approvals.terminal import visible
from execpolicy.core.quoting import join
from execpolicy.insight.history import Timeline
from execpolicy.insight.replay import Replay, Sample
from execpolicy.insight.tally import WORDS, ranked
from execpolicy.resources import records_folder

STATIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")
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


def document(title: str, *body: Child) -> str:
    """A self-contained file without scripts."""
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


_MOST = 30
_LONGEST = 300


def replay_document(replay: Replay, timeline: Timeline) -> str:
    """A self-contained file."""
    return document("execpolicy replay", replay_markup(replay, timeline))


def replay_markup(replay: Replay, timeline: Timeline) -> Markup:
    """The report, with prompts by day, program and agent."""
    tally = replay.tally
    total = f"{tally.total:,} commands, {len(replay.history.counts):,} distinct"
    decisions = [Bar(word, ((word, tally.decisions[word]),)) for word in WORDS]
    if replay.against is not None:
        decisions += [Bar(f"{word}, other rules", ((word, replay.against.decisions[word]),)) for word in WORDS]
    return element(
        "div",
        element("p", total),
        bars("Decisions", decisions),
        _timeline(timeline),
        _suggestions(replay),
        _changes(replay),
        [_samples(word, replay.asked.get(word, ())) for word in ("forbidden", "prompt")],
        _rules(replay),
        [element("p", problem, class_="problem") for problem in replay.history.problems[:5]],
    )


def _timeline(timeline: Timeline) -> Markup:
    days = [_counted(day, counts) for day, counts in sorted(timeline.days.items())[-60:]]
    programs = [Bar(name, (("prompt", times),)) for name, times in timeline.programs.most_common(20)]
    agents = [_counted(name, counts) for name, counts in sorted(timeline.agents.items())]
    return element(
        "div",
        bars("By day, and how many of them were asked about", days),
        bars("Prompts by program", programs),
        bars("By agent, and how many of them were asked about", agents),
    )


def _counted(label: str, counts: dict[str, int]) -> Bar:
    parts = tuple([(word, counts[word]) for word in WORDS if counts.get(word)])
    return Bar(label, parts, f"{counts.get('prompt', 0):,} of {sum(counts.values()):,}")


def _suggestions(replay: Replay) -> Markup | None:
    found = replay.suggestions
    if not found.rules and not found.refused:
        return None
    return element(
        "section",
        element("h2", "What rules would save"),
        bars(
            "Prompts that each rule would have saved", [Bar(one.line, (("plain", one.saved),)) for one in found.rules]
        ),
        table(
            ["prompts", "rule", "for instance"],
            [[one.saved, element("code", one.line), cut(one.example, _LONGEST)] for one in found.rules],
            caption="Suggested rules, each together with those above",
        ),
        table(
            ["prompts", "prefix", "why not"],
            [[times, element("code", " ".join(prefix)), why] for prefix, times, why in found.refused],
            caption="Asked about often, but not suggested",
        ),
    )


def _changes(replay: Replay) -> Markup | None:
    if replay.against is None:
        return None
    if not replay.changes:
        return element("p", "The other rules change no decision.")
    return table(
        ["commands", "before", "after", "for instance"],
        [
            [
                one.commands,
                badge(one.before),
                badge(one.after),
                cut(one.samples[0].command, _LONGEST) if one.samples else "",
            ]
            for one in replay.changes
        ],
        caption="Changed decisions",
    )


def _samples(word: str, samples: tuple[Sample, ...]) -> Markup:
    return table(
        ["times", "command", "why"],
        [[one.times, element("code", cut(one.command, _LONGEST)), one.reason or ""] for one in samples],
        caption="Forbidden" if word == "forbidden" else "Asked about most often",
    )


def _rules(replay: Replay) -> Markup:
    fired = ranked(replay.tally.rules)[:_MOST]
    unused = islice(replay.unused.items(), _MOST)
    return element(
        "div",
        table(
            ["times", "decision", "rule", "place"],
            [
                [times, badge(decision), element("code", pattern), short_path(place)]
                for (place, decision, pattern), times in fired
            ],
            caption="Rules that fired",
        ),
        table(
            ["decision", "rule", "place", "would fire for"],
            [
                [badge(decision), element("code", pattern), short_path(place), words and element("code", join(words))]
                for (place, decision, pattern), words in unused
            ],
            caption="Rules that never fired",
        ),
    )
