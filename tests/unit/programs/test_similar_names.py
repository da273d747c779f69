"""Names that git takes a mistyped word for: the quick look leaves none out."""

import random

from execpolicy.core.text import word_set
from execpolicy.programs.meaning.similar_names import _distance, _least, similar_names

NAMES = sorted(
    word_set("push pull fetch commit clone checkout status stash rebase merge branch tag switch log diff reset rm mv")
)


def test_letters_alone_never_cost_more_than_all_of_it() -> None:
    chosen = random.Random(7)
    for _ in range(20_000):
        name = chosen.choice(NAMES)
        letters = list(name)
        for _ in range(chosen.randint(0, 4)):
            at = chosen.randrange(len(letters) + 1)
            if chosen.random() < 0.5:
                letters.insert(at, chosen.choice("abpushgitcm"))
            elif at < len(letters):
                letters.pop(at)
        word = "".join(letters)
        far = _distance(word, name)
        assert _least(word, name) <= far or far >= 7, (word, name)


def test_a_mistyped_name_is_found() -> None:
    typed = {"psuh": "push", "pus": "push", "pushh": "push", "pusg": "push", "comit": "commit", "chekout": "checkout"}
    assert {word: similar_names(word, set(NAMES)) for word in typed} == {word: [name] for word, name in typed.items()}
    assert similar_names("zzzz", set(NAMES)) == []
