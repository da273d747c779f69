"""What was seen lately is known, what was seen long ago is not kept."""

from execpolicy.protocol.decisions import Recent


def test_the_newest_are_known_and_older_ones_forgotten_together() -> None:
    seen: Recent[int] = Recent(3)
    for at in range(20):
        seen.put(str(at), at)
        known = [each for each in range(at + 1) if seen.get(str(each)) == each]
        assert known == list(range(at + 1 - len(known), at + 1))  # the newest, without a gap
        assert min(at + 1, 3) <= len(known) <= 6


def test_a_value_that_is_put_again_is_the_new_one() -> None:
    seen: Recent[str] = Recent(1)
    seen.put("a", "old")
    seen.put("a", "new")
    assert seen.get("a") == "new"
    assert seen.get("b") is None
