"""The batch functions in a real distributed engine: a Dask cluster of processes on this machine."""

import functools
import operator
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from execpolicy.insight.batch import BatchJudge, count_batch
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.tally import Tally
from execpolicy.judge.check import check
from tests.support.judging import PLACE, rulebook

pa = pytest.importorskip("pyarrow", reason="needs the extra `replay`")
distributed = pytest.importorskip("distributed", reason="needs a Dask cluster")
dataframe = pytest.importorskip("dask.dataframe", reason="needs Dask's frames", exc_type=ImportError)
pandas = pytest.importorskip("pandas")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # what the engine warns of is not ours

POLICY = PortablePolicy.of(rulebook('prefix_rule(["git", "push"], decision="forbidden")\n'), situation=PLACE)
OTHER = PortablePolicy.of(rulebook(), situation=PLACE)
COMMANDS = ["git status", "git push", "rm -rf /", "ls | wc -l", "cargo test"]
ROWS = [COMMANDS[at * at % len(COMMANDS)] for at in range(1000)]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def test_map_partitions(client: Any) -> None:
    frame = dataframe.from_pandas(pandas.DataFrame({"command": ROWS}), npartitions=4)
    judge = BatchJudge(POLICY)
    found = frame.map_partitions(judge, meta=judge(pandas.DataFrame({"command": ["ls"]}))).compute()
    expected = [check(row, POLICY.rulebook(), situation=PLACE).decision.word for row in ROWS]
    assert list(found["decision"]) == expected
    assert set(found["rule"].dropna()) == {"test.rules:1: forbidden `git push`"}


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
