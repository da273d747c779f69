"""The batch functions in real distributed engines, each started on this machine: Dask, Ray Data, Spark."""

import functools
import operator
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from execpolicy.insight.batch import BatchJudge, count_batch
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.tally import Tally
from execpolicy.judge.check import check
from tests.support.judging import PLACE, rulebook

pa = pytest.importorskip("pyarrow", reason="needs the extra `replay`")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # what the engine warns of is not ours

POLICY = PortablePolicy.of(rulebook('prefix_rule(["git", "push"], decision="forbidden")\n'), situation=PLACE)
OTHER = PortablePolicy.of(rulebook(), situation=PLACE)
COMMANDS = ["git status", "git push", "rm -rf /", "ls | wc -l", "cargo test", "echo 'é\n'", ""]
ROWS = [COMMANDS[at * at % len(COMMANDS)] for at in range(1000)]
ADDED = "decision string, rule string, reason string"
Engine: TypeAlias = Callable[[Any, str], list[dict[str, Any]]]
"""A table of Arrow with a column ``number``, and the types of its columns for Spark; the rows that come back."""


def expected(command: object) -> tuple[str | None, str | None]:
    """Decision and reason of one row, as ``check`` has them."""
    if command is None:
        return None, None
    verdict = check(command, POLICY.rulebook(), situation=PLACE)
    return verdict.decision.word, None if verdict.decision.word == "allow" else verdict.reason


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="needs a Dask cluster")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def dask(client: Any) -> Engine:
    settings = pytest.importorskip("dask").config
    dataframe = pytest.importorskip("dask.dataframe", reason="needs Dask's frames", exc_type=ImportError)

    def judged(table: Any, _: str) -> list[dict[str, Any]]:
        with settings.set({"dataframe.convert-string": False}):  # it would make one text of an argv
            frame = dataframe.from_pandas(table.to_pandas(), npartitions=4)
            judge = BatchJudge(POLICY)
            found = frame.map_partitions(judge, meta=judge(frame.head(0))).compute()
        rows: list[dict[str, Any]] = pa.Table.from_pandas(found, preserve_index=False).to_pylist()
        return rows

    return judged


@pytest.fixture(scope="module")
def ray() -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        engine = pytest.importorskip("ray", reason="needs the extra `clusters`")
        data = pytest.importorskip("ray.data", reason="needs the extra `clusters`", exc_type=ImportError)
        engine.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False)

        def judged(table: Any, _: str) -> list[dict[str, Any]]:
            parts = [table.slice(at, 250) for at in range(0, len(table), 250)]
            found = data.from_arrow(parts).map_batches(BatchJudge(POLICY), batch_format="pyarrow")
            rows: list[dict[str, Any]] = found.take_all()
            return rows

        yield judged
        engine.shutdown()


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    sql = pytest.importorskip("pyspark.sql", reason="needs the extra `clusters`", exc_type=ImportError)
    folder: Path = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)  # the workers need execpolicy, too
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        settings = {"spark.ui.enabled": "false", "spark.local.dir": folder, "spark.sql.warehouse.dir": folder}
        builder = sql.SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, str(value))
        if shutil.which("java") is None:
            pytest.skip("Java, which Spark runs on, is not installed")
        session = builder.getOrCreate()

        def judged(table: Any, columns: str) -> list[dict[str, Any]]:
            path = folder / f"{len(os.listdir(folder))}.parquet"
            pq = pytest.importorskip("pyarrow.parquet")
            pq.write_table(table, path)
            frame = session.read.parquet(str(path)).repartition(4)
            return [row.asDict() for row in frame.mapInArrow(BatchJudge(POLICY), f"{columns}, {ADDED}").collect()]

        yield judged
        gateway = session.sparkContext._gateway
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()  # which is what Java waits for
        gateway.proc.wait()


@pytest.fixture(params=["dask", "ray", "spark"])
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.getfixturevalue(request.param)
    return found


def test_every_row_gets_what_check_says(engine: Engine) -> None:
    rows = [None if at % 7 == 3 else row for at, row in enumerate(ROWS)]
    table = pa.table({"number": range(len(rows)), "command": pa.array(rows, pa.string())})
    found = sorted(engine(table, "number long, command string"), key=lambda row: row["number"])
    assert [row["command"] for row in found] == rows
    assert [(row["decision"], row["reason"]) for row in found] == [expected(row) for row in rows]
    assert {row["rule"] for row in found} == {None, "test.rules:1: forbidden `git push`"}
    assert list(found[0]) == ["number", "command", "decision", "rule", "reason"]


def test_argvs_are_judged_as_such(engine: Engine) -> None:
    rows = [["git", "push"], ["ls", "-la"], ["rm", "-rf", "/"], ["ls", ";", "git push"]] * 100
    table = pa.table({"number": range(len(rows)), "command": pa.array(rows, pa.list_(pa.string()))})
    found = sorted(engine(table, "number long, command array<string>"), key=lambda row: row["number"])
    assert [(row["decision"], row["reason"]) for row in found] == [expected(tuple(row)) for row in rows]


def test_map_and_reduce(client: Any) -> None:
    parts = [pa.array(ROWS[at : at + 100]) for at in range(0, len(ROWS), 100)]
    counting = functools.partial(count_batch, policy=POLICY, against=OTHER)
    tallies = client.map(counting, parts)
    while len(tallies) > 1:
        pairs = [tallies[at : at + 2] for at in range(0, len(tallies), 2)]
        tallies = [client.submit(operator.add, *pair) if len(pair) > 1 else pair[0] for pair in pairs]
    total = tallies[0].result()
    assert isinstance(total, Tally)
    assert total == count_batch(pa.array(ROWS), POLICY, OTHER)
    assert total.changes == Counter({("forbidden", "prompt"): ROWS.count("git push")})
