"""``shopt -s nullglob`` and its kin: a pattern may be no word, and what stands behind it is another one then."""

from __future__ import annotations

from tests.support.each import each
from tests.support.judging import decision

RULES = """
prefix_rule(pattern=[["git", "npm", "timeout", "env"]])
prefix_rule(pattern=["git", "push"], decision="forbidden")
prefix_rule(pattern=["rm"], decision="forbidden")
"""
READING = [
    "shopt -s globstar; ls **/*.md",
    'shopt -s nullglob; for f in *.nope; do echo "$f"; done',
    "shopt -s nullglob globstar; cat *.txt",
    'shopt -u nullglob; x=(*.txt); echo "${#x[@]}"',
]
ASKED = [
    "shopt -s failglob; echo *.nope; evil() { echo hi; }\nevil",  # an error that drops the rest of the line
    "shopt -s failglob; ls *.txt",
    "shopt -s dotglob; cat *",
    "shopt -s nullglob dotglob; cat *",
    "shopt -s nocaseglob; cat *.ENV",
    'shopt -s nullglob; for f in *.x; do :; done; sort "$f"',
    "shopt -s nullglob; [ -f *.x ]",
    "shopt -s nullglob; git log -n *.x",
    r"shopt -s nullglob; find . -name *.py -exec echo -delete \;",
    "shopt -s nullglob; *.x rm a",
]
FORBIDDEN = [
    "shopt -s nullglob; git -C *.x push",
    "shopt -s nullglob; timeout *.x 5 rm a",
    "shopt -s nullglob; env *=x rm a",
]


@each("script", READING)
def test_what_reads_is_allowed_with_them(script: str) -> None:
    assert decision(script) == "allow"


@each("script", ASKED)
def test_what_rests_on_the_number_of_words_is_asked_about(script: str) -> None:
    assert decision(script) == "prompt"


def test_a_sub_command_behind_a_word_that_vanishes_is_asked_about() -> None:
    assert decision("shopt -s nullglob; git *.x push", RULES) == "prompt"


@each("script", FORBIDDEN)
def test_what_is_forbidden_is_found_behind_a_word_that_vanishes(script: str) -> None:
    assert decision(script, RULES) == "forbidden"
