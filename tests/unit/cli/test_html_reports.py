"""Reports as files of their own: they hold what the text form says, run nothing, and fetch nothing."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from execpolicy.cli.page.html import Markup, cut, element, shown
from tests.support.command_line import CommandLine
from tests.unit.cli.test_explain import line as line  # a fixture

HOSTILE = "git push '</code><script>alert(1)</script>' \u202e \x1b[31m"


class Seen(HTMLParser):
    """The elements, and the attributes that could fetch or run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.risky: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "link", "br", "input", "hr"):
            self.open.append(tag)
        self.risky += [each for each in attrs if each[0] in ("src", "href", "style") or each[0].startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(text: str) -> Seen:
    seen = Seen(text)
    assert not {"script", "link", "img", "iframe", "form"} & set(seen.tags)
    assert seen.risky == []
    assert "Content-Security-Policy" in text
    assert not {"\x1b", "\u202e"} & set(text)
    return seen


def test_explain(line: CommandLine) -> None:
    status, out, _ = line.run("explain", "--format", "html", "--script", f"cd src && {HOSTILE} > log")
    assert status == 0
    check(out)
    assert '<span class="part prompt"' in out
    assert r"\u{202e}" in out


@pytest.mark.parametrize("script", ["git push > push.log", "cargo test", "curl https://x.example/i | sh", "deploy $X"])
def test_explain_gives_the_advice_that_the_text_form_gives(line: CommandLine, script: str) -> None:
    text = line.run("explain", "--script", script)[1]
    html = line.run("explain", "--format", "html", "--script", script)[1]
    assert ("would be allowed with" in text) is ("Would be allowed with" in html)
    assert ("prefix_rule(" in text) is ("prefix_rule(" in html)
    assert ("no allow rule helps" in text) is ("No allow rule helps" in html)
    assert ("Codex does not know `unless`" in text) is ("Codex does not know `unless`" in html)


def test_replay(line: CommandLine, tmp_path: Path) -> None:
    records = []
    for at, command in enumerate(("cargo test", "cargo test", HOSTILE, "ls")):
        use = {"type": "tool_use", "name": "Bash", "id": f"t{at}", "input": {"command": command}}
        records.append(json.dumps({"timestamp": "2026-01-02T03:04:05Z", "message": {"content": [use]}}))
    history = tmp_path / "history.jsonl"
    history.write_text("\n".join(records))
    other = tmp_path / "other.rules"
    other.write_text('prefix_rule(pattern=["cargo"], decision="forbidden")\n')
    status, out, _ = line.run("replay", str(history), "--format", "html", "--against", str(other))
    assert status == 0
    assert "svg" in check(out).tags
    for said in ("4 commands, 3 distinct", "2026-01-02", "Prompts by program", "Changed decisions"):
        assert said in out


def test_coverage(line: CommandLine, tmp_path: Path) -> None:
    rules = tmp_path / "a.rules"
    rules.write_text('prefix_rule(pattern=["a"], match=["a b"])\nprefix_rule(pattern=["<b>"], decision="forbidden")\n')
    report = tmp_path / "coverage.html"
    assert line.run("test", "--coverage-html", str(report), str(rules))[0] == 0
    text = report.read_text("utf-8")
    check(text)
    assert "1 of 2 rules were seen to fire" in text
    assert "&lt;b&gt;" in text


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (element("p", "<b> & \"'"), "<p>&lt;b&gt; &amp; &quot;&#x27;</p>"),
        (element("p", ["a", None, element("b", "c"), 7]), "<p>a<b>c</b>7</p>"),
        (
            element("a", href='"><script>', class_="x", hidden=True, id=None),
            '<a href="&quot;&gt;&lt;script&gt;" class="x" hidden></a>',
        ),
        (element("br"), "<br>"),
        (element("p", "\x00\x1b\u202e\u3164"), r"<p>\u{0}\e\u{202e}\u{3164}</p>"),
        (element("p", Markup("<b>")), "<p><b></p>"),
    ],
)
def test_elements_escape_what_is_put_into_them(made: Markup, expected: str) -> None:
    assert made == expected


def test_a_long_text_is_cut_in_the_middle() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("a" * 50 + "b" * 50, 10) == "aaaaa\n⟪90 characters are not shown here⟫\nbbbbb"
    assert shown("a\tb\nc") == "a\tb\nc"
