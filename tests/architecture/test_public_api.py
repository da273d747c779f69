"""The public API is one readable list."""

import execpolicy


def test_public_names_are_listed_sorted_and_importable() -> None:
    assert list(execpolicy.__all__) == sorted(set(execpolicy.__all__))
    assert all(hasattr(execpolicy, name) for name in execpolicy.__all__)
    assert sorted(execpolicy._HOMES) == list(execpolicy.__all__)


def test_public_objects_are_documented() -> None:
    assert [name for name in execpolicy.__all__ if not getattr(execpolicy, name).__doc__] == []
