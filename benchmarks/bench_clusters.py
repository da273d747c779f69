"""The decisions of one Parquet file by DuckDB's count, Dask, Ray Data and Spark, each started on this machine.

    python benchmarks/bench_clusters.py [--rows 2000000] [--distinct 8000] [--runs 3] [--only cli,batch,dask,ray,spark]

Needs the extras ``test`` and ``clusters``, and Java. Every engine adds the three columns to every row and counts the
decisions; starting it is told apart, its first run, which starts workers that have decided nothing yet, too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from execpolicy.insight.batch import BatchJudge
from execpolicy.insight.portable import PortablePolicy

ADDED = "command string, decision string, rule string, reason string"
ROOT = Path(__file__).resolve().parent.parent


def _cli(path: str, _: BatchJudge) -> Callable[[], object]:
    words = [sys.executable, "-P", "-m", "execpolicy", "replay", "-r", str(ROOT / "rules/git.rules"), "--suggest", "0"]
    return lambda: subprocess.run([*words, "--format", "json", path], check=True, stdout=subprocess.DEVNULL)


def _batch(path: str, judge: BatchJudge) -> Callable[[], object]:
    return lambda: [judge(batch) for batch in pq.ParquetFile(path).iter_batches(100_000)]


def _dask(path: str, judge: BatchJudge) -> Callable[[], object]:
    from dask import dataframe
    from distributed import Client, LocalCluster

    Client(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))
    frame = dataframe.read_parquet(path, split_row_groups=True)
    found = frame.map_partitions(judge, meta=judge(frame.head(0)))
    return lambda: found["decision"].value_counts().compute()


def _ray(path: str, judge: BatchJudge) -> Callable[[], object]:
    import ray
    import ray.data

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=500 << 20)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def counted(batch: Any) -> Any:
        counts = batch.column("decision").value_counts()
        return pa.table({"decision": counts.field("values"), "commands": counts.field("counts")})

    def work() -> object:  # its own `groupby` sorts every row
        found = ray.data.read_parquet(path).map_batches(judge, batch_format="pyarrow", batch_size=100_000)
        return found.map_batches(counted, batch_format="pyarrow", batch_size=None).take_all()

    return work


def _spark(path: str, judge: BatchJudge) -> Callable[[], object]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "100000").getOrCreate()

    def work() -> object:
        found = session.read.parquet(path).mapInArrow(judge, ADDED)
        return found.groupBy("decision").count().collect()

    return work


ENGINES: dict[str, tuple[str, Callable[[str, BatchJudge], Callable[[], object]]]] = {
    "cli": ("duckdb", _cli),
    "batch": ("pyarrow", _batch),
    "dask": ("distributed", _dask),
    "ray": ("ray", _ray),
    "spark": ("pyspark", _spark),
}


def _alone(name: str, path: str, runs: int) -> None:
    """Measure one engine in this process, which ends with it."""
    package, begin = ENGINES[name]
    rows = pq.read_metadata(path).num_rows
    judge = BatchJudge(PortablePolicy.of((ROOT / "rules/git.rules").read_text()))
    start = time.perf_counter()
    work = begin(path, judge)
    started = time.perf_counter() - start
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    rates = f"{rows / taken[0] / 1e6:.2f} M/s first, {rows / min(taken) / 1e6:.2f} M/s best"
    seconds = ", ".join(f"{one:.2f}" for one in taken)
    print(f"{name} ({package} {version(package)}): start {started:.1f} s; runs {seconds} s; {rates}", flush=True)


def main() -> None:
    """Measure each engine in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--distinct", type=int, default=8_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default=",".join(ENGINES))
    parser.add_argument("--in", dest="path", help=argparse.SUPPRESS)
    arguments: Any = parser.parse_args()
    if arguments.path:
        _alone(arguments.only, arguments.path, arguments.runs)
        return
    sys.path.append(str(ROOT))
    from benchmarks.samples import history

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "history.parquet")
        pq.write_table(pa.table({"command": history(arguments.rows, arguments.distinct)}), path, row_group_size=100_000)
        for name in arguments.only.split(","):
            words = [sys.executable, "-P", __file__, "--only", name, "--runs", str(arguments.runs), "--in", path]
            subprocess.run(words, cwd=folder, check=False, stderr=subprocess.DEVNULL)
        print(f"load average {os.getloadavg()[0]:.0f}")


if __name__ == "__main__":
    main()
