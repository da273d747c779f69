"""The inbox in a browser: the list, one question in full, and the rule that *always* would save."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from execpolicy.amend.save_plan import Grant
from execpolicy.cli.page.explain_html import coloured, tree_markup, verdict_markup
from execpolicy.cli.page.html import LONGEST, Markup, button, cut, element, page, short_path, shown
from execpolicy.core.quoting import join
from execpolicy.inbox.inbox_question import InboxQuestion
from execpolicy.inbox.inbox_server import SavedRules
from execpolicy.inbox.study import RulePreview, Study
from execpolicy.inbox.waiting import WaitingQuestion

_LONGEST_LINE = 300


def inbox_page() -> str:
    """The page; its script fills in the list and the question."""
    return page("inbox")


def question_rows(questions: Sequence[WaitingQuestion]) -> list[dict[str, Any]]:
    """The list for the script, which inserts it as text: hidden characters are made visible."""
    rows: list[dict[str, Any]] = []
    for one in questions:
        row = one.to_json()
        line = shown(row["command"][:_LONGEST_LINE]).replace("\n", " ⏎ ")
        row["command"] = line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"
        row["cwd"] = short_path(row["cwd"])
        for name in ("agent", "session", "cwd", "source"):
            row[name] = shown(row[name])
        del row["reason"]
        row["same"] = hash((one.question.text, one.question.cwd)) & 0xFFFFFFFFFFFF
        rows.append(row)
    return rows


def question_markup(one: WaitingQuestion, study: Study) -> Markup:
    """One question in full, with the possible answers."""
    asked = one.question
    reasons = [each.reason for each in study.explanations]
    facts = (
        ("Agent", asked.agent or asked.source),
        ("Session", asked.session),
        ("Folder", short_path(asked.cwd)),
        ("Tool", asked.tool),
        ("Files", ", ".join(asked.writes)),
        ("Connects to", _connection(asked.network)),
    )
    return element(
        "div",
        element("h2", _headline(asked), id="asked", tabindex="-1"),
        element("dl", [(element("dt", name), element("dd", text)) for name, text in facts if text], class_="facts"),
        element("p", asked.reason, class_="reason") if asked.reason not in reasons else None,
        _cut_notice(one) if len(asked.text) > LONGEST else None,
        None if asked.network else _parts_aloud(study),
        [coloured(each) if asked.network else verdict_markup(each) for each in study.explanations] or _plain(one),
        [_change(path, change) for path, change in asked.changes.items()],
        element("p", "Time left: ", element("span", data_ends=one.id), role="timer"),
        _answers(study),
        _always(one, study) if "always" in study.choices else None,
        # a connection's command is running already
        None if asked.network else [tree_markup(each) for each in study.explanations],
    )


def _headline(asked: InboxQuestion) -> str:
    if asked.network:
        return "May this connect?"
    return "May this be written?" if asked.changes else "May this run?"


def _connection(network: Sequence[str]) -> str:
    return f"{network[0]}, port {network[2]} ({network[1]})" if network else ""


def _cut_notice(one: WaitingQuestion) -> Markup:
    said = f"Only both ends of {len(one.question.text):,} characters are shown. "
    whole = element("a", "The whole text", href=f"/inbox/text/{one.id}", target="_blank")
    return element("p", said, whole, class_="problem")


def _parts_aloud(study: Study) -> Markup:
    """The meaning of the colours, for screen readers. It precedes the answers, and no command text can imitate it."""
    parts = [part for each in study.explanations for part in each.parts]
    rows = [element("li", f"{part.decision}: {cut(part.shown, 300)}: {cut(part.reason, 300)}") for part in parts[:100]]
    return element("ul", rows, class_="aloud", aria_label="Its commands, each with its decision")


def _plain(one: WaitingQuestion) -> Markup | None:
    asked = one.question
    if asked.changes:
        return None
    text = asked.text
    if asked.arguments and not asked.commands:
        text = f"{asked.tool}\n{json.dumps(asked.arguments, ensure_ascii=False, indent=2)}"
    return element("pre", element("code", cut(text)), class_="command", tabindex="0")


def _change(path: str, change: dict[str, Any]) -> Markup:
    """The change of one file of a patch, as a difference."""
    sign = "-" if change.get("kind") == "delete" else "+"
    content = change.get("content") or ""
    diff = change.get("unified_diff") or "".join([f"{sign}{line}\n" for line in str(content).splitlines()])
    moved = f" → {change['move_path']}" if change.get("move_path") else ""
    lines: list[Markup] = []
    for line in cut(str(diff)).splitlines():
        kind = {"+": "added", "-": "removed", "@": "place"}.get(line[:1], "same")
        lines.append(element("span", line + "\n", class_=kind))
    return element(
        "div",
        element("h3", f"{change.get('kind', 'update')} {path}{moved}"),
        element("pre", element("code", lines), class_="diff", tabindex="0") if lines else element("p", "It is empty."),
    )


def _answers(study: Study) -> list[Markup | None]:
    texts = {"once": ("Once", "y"), "session": ("This session", "s"), "always": ("Always …", "a"), "deny": ("No", "n")}
    buttons = [
        button(texts[word][0], action=f"answer-{word}", key=texts[word][1], class_=f"answer {word}")
        for word in study.choices
    ]
    words = element(
        "div",
        element("label", "Words for the agent, with No ", element("kbd", "m", aria_hidden="true"), for_="words"),
        element("input", id="words", type="text", maxlength="2000", autocomplete="off", aria_keyshortcuts="m"),
        class_="words",
    )
    obstacles = None
    if "always" not in study.choices and study.obstacles:
        obstacles = element("p", cut("No rule can let this pass: " + "; ".join(study.obstacles), 500), class_="quiet")
    targets = element("p", id="targets", class_="problem", aria_live="polite")
    return [element("div", targets, buttons, class_="buttons"), words, obstacles]


def _always(one: WaitingQuestion, study: Study) -> Markup:
    """The choice of the rule for each command that needs one: exactly the command, or a prefix of it.

    Programs that save rules themselves (``run``, ``arbiter``) can only save a prefix. A host has one rule.
    """
    own = one.question.own_saving
    fields: list[Markup] = []
    for at, (words, exact) in enumerate([(own, False)] if own else [(p.known, p.complete) for p in study.proposals]):
        counts = range(len(words) if study.whole else 1, len(words) + 1)
        options = [element("option", f"exactly {join(words)}", value="exact", selected=True)] if exact else []
        options += [
            element("option", f"all that starts with {join(words[:count])}", value=str(count))
            for count in reversed(counts)
            if own or Grant(words[:count]).why_not is None
        ]
        label = element("label", f"Allow (of {join(words)}) ", for_=f"prefix-{at}")
        fields.append(
            element("div", label, element("select", options, id=f"prefix-{at}", data_words=json.dumps(words)))
        )
    return element(
        "section",
        element("h3", "A rule for it", tabindex="-1", id="always-title"),
        fields,
        element("div", id="preview", aria_live="polite", aria_atomic="true"),
        element("div", button("Save and allow", action="save", class_="answer always"), class_="buttons"),
        id="always",
        hidden=True,
        data_target=study.target,
    )


def preview_markup(found: Sequence[RulePreview]) -> Markup:
    """The effect of saving the chosen rules."""
    body: list[Markup] = []
    for each in found:
        if each.refused is not None:
            body.append(element("p", f"It cannot be saved: {each.refused}", class_="problem"))
            continue
        body.append(element("p", element("code", each.line), f" in {short_path(each.path)}" if each.path else None))
        if each.careful is not None:
            body.append(element("p", f"Careful: {each.careful}", class_="problem"))
        if each.dangerous:
            examples = " · ".join(each.dangerous)
            body.append(element("p", f"It also allows, and that is dangerous: {examples}", class_="problem"))
        body.append(element("p", f"It allows: {' · '.join(each.covered)}"))
        if each.not_covered:
            body.append(element("p", f"It still asks: {' · '.join(each.not_covered)}"))
        body.append(element("p", f"It would have saved {each.saved} of the {each.counted} questions asked before."))
    if found and all(each.refused is None for each in found) and not found[0].helps:
        body.append(element("p", "With this the same command would be asked about again.", class_="problem"))
    return element("div", body)


def saved_rows(saved: Sequence[SavedRules]) -> list[dict[str, Any]]:
    """Saved rules that can be undone, newest first."""
    return [
        {
            "id": each.id,
            "path": shown(", ".join([short_path(path) for path in each.files])),
            "lines": [shown(line) for line in each.lines],
        }
        for each in reversed(saved)
    ]
