"""What an allow rule would cover is one answer: every adviser names the same command for the same words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from execpolicy.amend.preview import preview, why_not_savable, why_too_broad
from execpolicy.cli.lsp.analysis import Analysis
from execpolicy.cli.lsp.hover import hover
from execpolicy.core.quoting import join
from execpolicy.judge.situation import Situation
from execpolicy.lang.render import render_prefix_rule
from execpolicy.lint.config import Settings
from execpolicy.lint.lint_run import lint, load_project
from execpolicy.lint.worst import worst_of, worsts_of
from execpolicy.programs.breadth import why_broad, without_options
from execpolicy.programs.catalog import records
from execpolicy.source import Source
from tests.support.judging import rulebook

HERE = Situation("/project")
WITHOUT = {"encore", "st-util", "great_expectations", "render", "sed -f"}
"""Broad, and no one command that all who are called so take is known."""


def prefixes() -> Iterator[tuple[str, ...]]:
    """Every program of the catalog, alone and with each word that its record speaks of."""
    for record in records():
        paths = [item[1:].partition("]")[0].rstrip("=") for item in record.extensions.split("; ") if item[:1] == "["]
        broad = [each.strip() for each in (record.broad or "").split(",")]
        for path in dict.fromkeys(["", *paths, *broad]):
            if path != "-*":
                yield (record.names[0], *path.split())


ALL = list(dict.fromkeys(prefixes()))


def test_what_is_broad_is_shown_by_a_command() -> None:
    unshown = {join(prefix) for prefix in ALL if why_broad(prefix) is not None and worst_of(prefix) is None}
    assert unshown == WITHOUT


@pytest.mark.parametrize("part", range(4))
def test_all_name_the_same(part: int) -> None:
    chosen = ALL[part::4]
    lines = [render_prefix_rule(prefix) for prefix in chosen]
    path = "/home/me/.config/execpolicy/rules/a.rules"
    source = Source(path, "".join([f"{line}\n" for line in lines]))
    found = {each.line: each for each in lint(load_project([(path, source)]), Settings()) if each.code[:3] == "EP4"}
    analysis = Analysis(path, {path: source.text})
    at = 0
    differing = []
    for number, (prefix, line) in enumerate(zip(chosen, lines, strict=True), 1):
        worst = worst_of(prefix)
        shown = hover(analysis, at + 1, None)
        at += len(line) + 1
        if worst is None:
            continue
        command = f"`{join(worst.words)}`"
        said = [shown[0] if shown is not None else "nothing"]
        if why_broad(prefix) is not None:
            said += [found[number].message, why_too_broad(prefix) or "nothing", why_not_savable(prefix) or command]
        differing += [(prefix, text) for text in said if command not in text]
    assert differing == []


def test_a_preview_names_it_too_and_beside_it_what_would_be_allowed_here() -> None:
    book = rulebook()
    for prefix in ALL[::5]:
        worst, shown = worst_of(prefix), preview(prefix, book, HERE)
        assert [each for each in (shown.worst,) if each and str(each) not in map(str, worsts_of(prefix))] == []
        if worst is not None:
            assert f"`{join(worst.words)}`" in (shown.careful(prefix) or "nothing")


@pytest.mark.parametrize("prefix", [("psql", "-h", "host", "-c"), ("mysql", "-u", "me", "-e")])
def test_an_option_that_takes_a_text_is_broad_behind_others(prefix: tuple[str, ...]) -> None:
    worst = worst_of(prefix)
    assert why_broad(prefix) is not None
    assert worst is not None
    assert worst.words[: len(prefix)] == prefix
    assert why_broad(("python3", "a.py", "-c")) is None  # of a script it is the script's


@pytest.mark.parametrize(
    ("prefix", "same"),
    [
        ("kubectl --kubeconfig x", "kubectl"),
        ("curl -s", "curl"),
        ("git -C sub --no-pager", "git"),
        ("git -C sub push", "git push"),
        ("docker --context x", "docker"),
        ("python3 -u", "python3"),
        ("psql -U me -d db", "psql"),
        ("helm -n p", "helm"),
    ],
)
def test_options_in_front_do_not_narrow(prefix: str, same: str) -> None:
    words = tuple(prefix.split())
    assert without_options(words) == tuple(same.split())
    assert why_broad(words) == why_broad(tuple(same.split()))
    worst = worst_of(words)
    assert worst is None or worst.words[: len(words)] == words


@pytest.mark.parametrize("prefix", ["python3 -m pytest", "python3 -V", "node -v", "perl -ne", "git", "git push -f"])
def test_options_that_say_what_is_done_stay(prefix: str) -> None:
    assert without_options(tuple(prefix.split())) == tuple(prefix.split())
