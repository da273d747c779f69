"""The grammar of the editors, run by the engine that VS Code runs it with, beside the lexer of the rules language."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from execpolicy.lang.lexer import tokenize
from execpolicy.lang.terminals import KEYWORDS
from tests.support.running import run_captured

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support" / "textmate"
GRAMMAR = (ROOT / "editors" / "rules.tmLanguage.json").read_text("utf-8")
NAME = json.loads(GRAMMAR)["scopeName"]

SAMPLE = r"""# releases: "by the pipeline"  # noqa: EP101
load("shared.rules", "TAGS")
def twice(x):
    return [y for y in [x, None] if not y == 0x1F]
prefix_rule(
    pattern = ["ship", ['re\'lease']],  #noqa
    decision = "forbidden",
    justification = '''two
lines \n # no comment''',
)
other(decision='maybe', many=True)
left = "open
right = 'goes \
on'
x = 1
"""
PARTS = [  # the pieces that are coloured, line by line; blanks and brackets are not
    ['comment.line.number-sign:# releases: "by the pipeline"  # ', "keyword.other.noqa:noqa: EP101"],
    ["keyword.control:load", 'string.quoted.double:"shared.rules"', 'string.quoted.double:"TAGS"'],
    ["keyword.control:def", "entity.name.function:twice"],
    [
        "keyword.control:return",
        "keyword.control:for",
        "keyword.control:in",
        "constant.language:None",
        "keyword.control:if",
        "keyword.control:not",
        "constant.numeric:0x1F",
    ],
    ["support.function.builtin:prefix_rule"],
    [
        "variable.parameter:pattern",
        'string.quoted.double:"ship"',
        "string.quoted.single:'re",
        "constant.character.escape:\\'",
        "string.quoted.single:lease'",
        "comment.line.number-sign:#",
        "keyword.other.noqa:noqa",
    ],
    ["variable.parameter:decision", 'constant.language.decision:"forbidden"'],
    ["variable.parameter:justification", "string.quoted.triple:'''two"],
    ["string.quoted.triple:lines ", "constant.character.escape:\\n", "string.quoted.triple: # no comment'''"],
    [],
    [
        "variable.parameter:decision",
        "string.quoted.single:'maybe'",
        "variable.parameter:many",
        "constant.language:True",
    ],
    ["variable.parameter:left", 'string.quoted.double:"open'],
    ["variable.parameter:right", "string.quoted.single:'goes ", "constant.character.escape:\\"],
    ["string.quoted.single:on'"],
    ["variable.parameter:x", "constant.numeric:1"],
    [],
]

Line = list[tuple[str, str]]


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the engine; the one that CI has filled, where it says so."""
    if kept := os.environ.get("EXECPOLICY_TEXTMATE"):
        return Path(kept)
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, which fetches the engine of the editors")
    folder = tmp_path_factory.mktemp("textmate")
    shutil.copy(SUPPORT / "package.json", folder)
    done = run_captured(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder)], cwd=folder)
    if done.returncode != 0:
        pytest.skip(f"npm cannot fetch the engine of the editors: {done.stderr.splitlines()[-1:]}")
    return folder / "node_modules"


def coloured(modules: Path, texts: list[str]) -> list[list[Line]]:
    """For each text its lines, as pieces with the innermost scope of each; neighbours of one scope are one piece."""
    asked = json.dumps({"grammar": GRAMMAR, "scope": NAME, "texts": texts})
    done = run_captured(["node", str(SUPPORT / "tokenize.cjs"), str(modules)], input=asked)
    assert done.returncode == 0, done.stderr
    found: list[list[Line]] = []
    for lines in json.loads(done.stdout):
        found.append([])
        for line in lines:
            pieces: Line = []
            for piece, scope in line:
                name = scope.removesuffix(f".{NAME.partition('.')[2]}")
                if pieces and pieces[-1][1] == name:
                    piece, pieces[-1:] = pieces[-1][0] + piece, []
                pieces.append((piece, name))
            found[-1].append(pieces)
    return found


def test_a_sample_gets_its_colours(modules: Path) -> None:
    (lines,) = coloured(modules, [SAMPLE])
    assert [[f"{scope}:{piece}" for piece, scope in line if scope != NAME.partition(".")[0]] for line in lines] == PARTS


def expected(kind: str, text: str) -> tuple[str, ...]:
    """The beginnings of scopes that a token of the lexer may have."""
    if kind in ("STRING", "BYTES") or kind.startswith("FSTRING"):
        return ("string.", "constant.character.escape", "constant.language.decision")
    if kind == "COMMENT":
        return ("comment.", "keyword.other.noqa")
    if text in KEYWORDS:
        return ("keyword.control",)
    if kind in ("INT", "FLOAT"):
        return ("constant.numeric",)
    return ("source", "variable.parameter", "support.function", "entity.name", "constant.language")


def test_strings_comments_and_keywords_are_where_the_lexer_finds_them(modules: Path) -> None:
    files = sorted([*ROOT.glob("rules/**/*.rules"), *ROOT.glob("tests/data/**/*.rules")])
    texts = [text for file in files if "\t" not in (text := file.read_text("utf-8")) and not file.match("*_broken*")]
    assert len(texts) > 100
    wrong = []
    for text, lines in zip(texts, coloured(modules, texts), strict=True):
        scopes = [scope for line in lines for piece, scope in [*line, ("\n", "")] for _ in piece]
        within = 0
        for token in tokenize(text, whole_rules=False):
            within += (token.type == "FSTRING_START") - (token.type == "FSTRING_END")
            allowed = expected("STRING" if within else token.type, token.text)  # replacements are coloured as text
            wrong += [
                (token.type, token.text, scopes[at])
                for at in range(token.start, token.end)
                if not text[at].isspace() and not scopes[at].startswith(allowed)
            ]
    assert wrong == []
