"""Names of usual secrets that a filter makes of a text of the script."""

import pytest

from tests.support.judging import decision

MADE = (
    "cat \"$(echo '.xenv' | colrm 2 2)\"",
    "cat \"$(echo '.eXnv' | cut -d X --output-delimiter= -f 1,2)\"",
    'cat "$(awk \'BEGIN { x = "_env"; gsub("_", ".", x); print x }\')"',
    'cat "$(echo _ENV | awk \'{ gsub("_", "."); print tolower($0) }\')"',
    'cat /etc/"$(echo shXadow | colrm 3 3)"',
    'x=$(echo .xenv | colrm 2 2); cat "$x"',
    "echo .xenv | colrm 2 2 | xargs cat",
    'echo .xenv | colrm 2 2 | while read f; do cat "$f"; done',
    'while read f; do cat "$f"; done < <(colrm 2 2 <<< .xenv)',
    "cat $(echo 'a.env' | grep -o '\\..*')",
    "cat \"$(printf '.e\\nnv' | fold)\"",
)
OTHERS = (
    'v=$(grep version pyproject.toml | cut -d= -f2); cat "$f"',
    "cat \"$(echo src/main.c | sed 's/c$/h/')\"",
    "d=$(echo 'a b' | awk '{ print $1 }'); cat \"$d/README.md\"",
    "n=$(echo 'some text' | wc -l); head -$n README.md",
    "awk '{ print $1 }' x.txt | xargs cat",
    'for f in *.md; do n=$(basename "$f" .md | tr a-z A-Z); head -1 "$f"; done',
    "git describe --tags | sed 's/^v//'; cat README.md",
)


@pytest.mark.parametrize("script", MADE)
def test_a_name_that_may_be_made_is_asked_about(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize("script", OTHERS)
def test_other_texts_bother_nobody(script: str) -> None:
    assert decision(script) == "allow"
