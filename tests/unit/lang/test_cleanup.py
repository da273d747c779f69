"""Codex's one-shot clean-up."""

from __future__ import annotations

from execpolicy.core.banned import banned_lines

KEPT = (
    'prefix_rule(pattern=["git", "push"], decision="allow")\n'
    'prefix_rule(pattern=["git"], decision="prompt")\n'
    ' prefix_rule(pattern=["git"], decision="allow")\n'
    'prefix_rule(pattern=["git"],  decision="allow")\n'
    'prefix_rule(pattern=["git"], decision="allow") # mine\n'
    '# prefix_rule(pattern=["git"], decision="allow")\n'
    'prefix_rule(pattern=[["git"]], decision="allow")\n'
    'prefix_rule(pattern=["git",], decision="allow")\n'
    "prefix_rule(pattern=['git'], decision=\"allow\")\n"
)


def test_only_lines_of_exactly_that_form_with_exactly_a_banned_prefix_go() -> None:
    text = (
        'prefix_rule(pattern=["git"], decision="allow")\n'
        + KEPT
        + 'prefix_rule(pattern=["rscript"], decision="allow")\r\n'
        + 'prefix_rule(pattern=["Bash","-LC"], decision="allow")\n'
        + "# last\n"
        + 'prefix_rule(pattern=["b\\u0061sh"], decision="allow")'
    )
    assert [(found.line, found.tokens) for found in banned_lines(text)] == [
        (1, ("git",)),
        (11, ("rscript",)),
        (12, ("Bash", "-LC")),
        (14, ("bash",)),
    ]


def test_spans_cover_whole_lines() -> None:
    text = '# a\nprefix_rule(pattern=["rm"], decision="allow")\r\n# b\n'
    (found,) = banned_lines(text)
    assert text[found.span.start : found.span.end] == 'prefix_rule(pattern=["rm"], decision="allow")\r\n'


def test_a_clean_text_has_none() -> None:
    assert banned_lines(KEPT) == banned_lines("") == ()
