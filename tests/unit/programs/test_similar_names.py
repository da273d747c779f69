"""Names that git takes a mistyped word for."""

from execpolicy.core.text import word_set
from execpolicy.programs.meaning.command_grammar import similar_names

NAMES = sorted(
    word_set("push pull fetch commit clone checkout status stash rebase merge branch tag switch log diff reset rm mv")
)


def test_a_mistyped_name_is_found() -> None:
    typed = {"psuh": "push", "pus": "push", "pushh": "push", "pusg": "push", "comit": "commit", "chekout": "checkout"}
    assert {word: similar_names(word, set(NAMES)) for word in typed} == {word: [name] for word, name in typed.items()}
    assert similar_names("zzzz", set(NAMES)) == []
