"""The table of codes."""

import re

from execpolicy.diagnostics.codes import CODES, RETIRED


def test_codes_are_ordered_and_well_formed() -> None:
    assert list(CODES) == sorted(CODES)
    assert all(re.fullmatch(r"EP[0-49]\d\d", code) for code in CODES)


def test_names_are_unique_kebab_case() -> None:
    names = [row.name for row in CODES.values()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)


def test_a_number_is_never_used_twice() -> None:
    assert not set(RETIRED) & set(CODES)
    assert all(successor is None or successor in CODES for successor in RETIRED.values())


def test_summaries_are_one_line_without_a_period() -> None:
    assert all(row.summary and "\n" not in row.summary and not row.summary.endswith(".") for row in CODES.values())
