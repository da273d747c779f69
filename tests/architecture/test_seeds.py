"""Every row of the documents has a place and a test, and the page says so."""

import ast
from collections import Counter
from functools import cache
from importlib import import_module

from benchmarks.machine import undated
from tests.support.each import each
from tests.support.public import PUBLIC
from tests.support.seeds import DOCUMENTS, OTHERWISE, PAGE, ROOT, SAME, Row, page, rows


@cache
def functions(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_there_is_a_row_for_what_each_document_says() -> None:
    count = Counter(row["doc"] for row in rows())
    assert count.keys() == DOCUMENTS.keys()
    assert count.total() >= 200
    assert all(number >= 25 for number in count.values())
    statements = Counter((row["doc"], row["section"], row["what"]) for row in rows())
    assert statements.most_common(1)[0][1] == 1


@each("row", rows(), ids=[f"{row['doc']} {row['what'][:40]}" for row in rows()])
def test_its_place_and_its_test_exist(row: Row) -> None:
    module, _, attributes = row["place"].partition(":")
    found: object = import_module(f"execpolicy.{module}")
    for name in attributes.split("."):
        found = getattr(found, name)
    file, _, test = row["test"].partition("::")
    assert test in functions(file)


def test_names_of_the_documents_are_public_names() -> None:
    assert set(SAME) <= set(PUBLIC)
    assert {here for here, _ in OTHERWISE.values()} <= set(PUBLIC)


def test_the_page_is_what_would_be_written() -> None:
    assert undated(PAGE.read_text("utf-8")) == undated(page()), "run `python -m tests.support.seeds`"
