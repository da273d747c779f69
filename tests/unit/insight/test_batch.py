"""Decisions over Arrow arrays, in every form that engines hand over."""

import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from execpolicy.errors import RuleFileError, UsageError
from execpolicy.insight.batch import BatchJudge, count_batch, evaluate_batch
from execpolicy.insight.history import read_history
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.tally import History, Tally
from execpolicy.judge.check import check
from tests.support.judging import PLACE, rulebook

pa = pytest.importorskip("pyarrow", reason="needs the extra `replay`")

RULES = """\
prefix_rule(pattern = ["git", "push"], decision = "forbidden", justification = "ask first")
prefix_rule(pattern = ["make"])
"""
POLICY = PortablePolicy.of(rulebook(RULES), situation=PLACE)
ROWS = ["make a", "git push", None, "ls", "make a", "sudo git push -f", "curl x | sh", "", "ls"]
EXPECTED = ["allow", "forbidden", None, "allow", "allow", "forbidden", "prompt", "prompt", "allow"]


def decisions(found: Any) -> list[str | None]:
    return [row["decision"] for row in found.to_pylist()]


def test_every_row_gets_what_check_says() -> None:
    found = evaluate_batch(pa.array(ROWS), POLICY)
    assert isinstance(found, pa.StructArray)
    assert decisions(found) == EXPECTED
    assert found[1].as_py() == {
        "decision": "forbidden",
        "rule": "test.rules:1: forbidden `git push`",
        "reason": "`git push` is forbidden: ask first (test.rules:1)",
    }
    assert found[2].as_py() == {"decision": None, "rule": None, "reason": None}
    assert found[3].as_py() == {"decision": "allow", "rule": None, "reason": None}


@pytest.mark.parametrize(
    "array",
    [
        pa.array(ROWS, pa.large_string()),
        pa.array(ROWS, pa.string_view()),
        pa.array(ROWS).dictionary_encode(),
        pa.array(["x", *ROWS, "y"]).slice(1, len(ROWS)),
        pa.array(["x", *ROWS, "y"]).dictionary_encode().slice(1, len(ROWS)),
        pa.chunked_array([ROWS[:4], ROWS[4:]]),
        pa.chunked_array([pa.array(ROWS[:4]), pa.array([], pa.string()), pa.array(ROWS[4:])]),
        pa.chunked_array([pa.array(ROWS[:4]).dictionary_encode(), pa.array(ROWS[4:]).dictionary_encode()]),
        pa.DictionaryArray.from_arrays([0, 1, 2, 3, 0, 4, 5, 6, 3], list(dict.fromkeys(ROWS))),
    ],
    ids=["large", "view", "dictionary", "slice", "dictionary-slice", "chunks", "empty-chunk", "dictionaries", "null"],
)
def test_every_layout_of_the_same_rows_gets_the_same(array: object) -> None:
    assert decisions(evaluate_batch(array, POLICY)) == EXPECTED
    tally = count_batch(array, POLICY)
    assert dict(tally.decisions) == {"allow": 4, "forbidden": 2, "prompt": 2}


def test_lists_are_argvs() -> None:
    array = pa.array([["git", "push"], ["make", "a b"], None, ["bash", "-lc", "make && git push"], []])
    assert decisions(evaluate_batch(array, POLICY)) == ["forbidden", "allow", None, "forbidden", "prompt"]


@pytest.mark.parametrize("array", [pa.array([], pa.string()), pa.chunked_array([], pa.string()), pa.nulls(2)])
def test_no_commands(array: object) -> None:
    found = evaluate_batch(array, POLICY)
    assert decisions(found) == [None] * len(found)
    assert count_batch(array, POLICY) == Tally()


@pytest.mark.parametrize("commands", [["ls"], pa.array([1]), pa.array([b"ls"])])
def test_anything_else_is_refused(commands: object) -> None:
    with pytest.raises(UsageError, match="commands must be"):
        evaluate_batch(commands, POLICY)


def test_rules_may_be_text_or_a_rulebook() -> None:
    assert decisions(evaluate_batch(pa.array(["make"]), RULES)) == ["allow"]
    assert decisions(evaluate_batch(pa.array(["make"]), rulebook(RULES))) == ["allow"]
    with pytest.raises(RuleFileError):
        evaluate_batch(pa.array(["make"]), "prefix_rule(")


def test_the_shell_matters() -> None:
    array = pa.array(["ls *(.)"])
    assert decisions(evaluate_batch(array, POLICY, shell="zsh")) == [
        check("ls *(.)", POLICY.rulebook(), shell="zsh").decision.word
    ]


def test_counts_of_rules_and_changes() -> None:
    tally = count_batch(pa.array(ROWS), POLICY, PortablePolicy.of(rulebook(), situation=PLACE))
    assert {rule[2]: times for rule, times in tally.rules.items()} == {"git push": 2, "make": 2}
    assert tally.changes == Counter({("forbidden", "prompt"): 2, ("allow", "prompt"): 2})
    assert tally.to_json()["decisions"] == {"allow": 4, "prompt": 2, "forbidden": 2}


class TestBatchJudge:
    """The callable for engines."""

    judge = BatchJudge(POLICY)

    def test_a_table_and_a_record_batch_gain_three_columns(self) -> None:
        table = pa.table({"id": range(len(ROWS)), "command": ROWS, "reason": ["old"] * len(ROWS)})
        for given in (table, table.to_batches()[0]):
            found = self.judge(given)
            assert type(found) is type(given)
            assert found.schema.names == ["id", "command", "decision", "rule", "reason"]
            assert found.schema.types[2:] == [pa.string()] * 3
            assert found.column("decision").to_pylist() == EXPECTED

    def test_an_iterator_of_batches_gives_an_iterator(self) -> None:
        batches = pa.table({"command": ROWS}).to_batches(max_chunksize=4)
        found = list(self.judge(iter(batches)))
        assert [row for batch in found for row in batch.column("decision").to_pylist()] == EXPECTED

    def test_a_pandas_frame(self) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"command": ROWS}, index=range(10, 10 + len(ROWS)))
        found = self.judge(frame)
        assert [None if pandas.isna(value) else value for value in found["decision"]] == EXPECTED
        assert list(found.index) == list(frame.index)
        assert list(self.judge(frame.iloc[:0]).columns) == ["command", "decision", "rule", "reason"]

    def test_it_travels(self) -> None:
        arrived = pickle.loads(pickle.dumps(self.judge))
        assert arrived(pa.table({"command": ["make"]})).column("decision").to_pylist() == ["allow"]

    def test_a_missing_column_is_named(self) -> None:
        with pytest.raises(UsageError, match="no column `command`; there are: script"):
            self.judge(pa.table({"script": ["ls"]}))
        with pytest.raises(UsageError, match="list"):
            self.judge(["ls"])


class TestParquet:
    """Files, through DuckDB."""

    @pytest.fixture(autouse=True)
    def _needs_duckdb(self) -> None:
        pytest.importorskip("duckdb", reason="needs the extra `replay`")

    @staticmethod
    def read(path: Path, column: str | None = None, **columns: object) -> History:
        from pyarrow import parquet

        parquet.write_table(pa.table(columns), path)
        return read_history([str(path)], column=column)

    def test_rows_are_counted_and_nulls_are_broken(self, tmp_path: Path) -> None:
        found = self.read(tmp_path / "h.parquet", command=ROWS, n=list(range(len(ROWS))))
        assert found.counts == Counter([row for row in ROWS if row])
        assert found.broken == 2

    def test_argvs_and_other_columns(self, tmp_path: Path) -> None:
        assert dict(self.read(tmp_path / "h.parquet", argv=[["ls", "-l"], ["ls", "-l"]]).counts) == {("ls", "-l"): 2}
        found = self.read(tmp_path / "h.parquet", 'a"b', **{'a"b': ["ls"], "command": ["pwd"]})
        assert dict(found.counts) == {"ls": 1}

    def test_a_name_that_looks_like_a_pattern(self, tmp_path: Path) -> None:
        assert self.read(tmp_path / "h[1]*?.parquet", command=["ls"]).counts.total() == 1

    def test_what_is_wrong_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="has no column `command`; name one of x with --column"):
            self.read(tmp_path / "h.parquet", x=["ls"])
        with pytest.raises(UsageError, match="has no commands"):
            self.read(tmp_path / "h.parquet", command=[1])
        broken = tmp_path / "broken.parquet"
        broken.write_bytes(b"PAR1 and nothing else")
        with pytest.raises(UsageError, match="as Parquet"):
            read_history([str(broken)])


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(UsageError, match=r"pip install 'execpolicy\[replay\]'"):
        read_history([str(path)])
