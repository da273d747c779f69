"""Decides whole columns of commands: one function over Arrow arrays, and its forms for dataframe engines.

Equal commands are decided once for each array and cached from one array to the next. ``pyarrow`` is imported at first
use. The policy is passed as a :class:`~execpolicy.insight.portable.PortablePolicy`.

DuckDB reads and counts commands in Parquet files: it reads one column only, on all processors, and groups it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from execpolicy.core.decision import Decision
from execpolicy.errors import UsageError
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.tally import History, HistoryDecider, Recorded, Tally, rule_text
from execpolicy.judge.rulebook import Rulebook

COLUMNS = ("command", "script", "argv")


def read_parquet(path: str, column: str | None, history: History) -> None:
    """Adds the commands in ``column`` (text, or lists of words) of the file to ``history``.

    Args:
        column: the first of :data:`COLUMNS` that the file has, if not given.

    Raises:
        UsageError: DuckDB is not installed, the file is no Parquet, or it has no such column.
    """
    duckdb = needed("duckdb")
    with duckdb.connect() as connection:
        try:
            described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [_literal(path)]).fetchall()
            types = {row[0]: row[1] for row in described}
            wanted = column if column is not None else next((name for name in COLUMNS if name in types), COLUMNS[0])
            if types.get(wanted) not in ("VARCHAR", "VARCHAR[]"):
                problem = (
                    "has no column" if wanted not in types else "has no commands (text or lists of text) in column"
                )
                raise UsageError(f"`{path}` {problem} `{wanted}`; name one of {', '.join(types)} with --column")
            name = '"' + wanted.replace('"', '""') + '"'
            query = f"SELECT {name}, count(*) FROM read_parquet(?) GROUP BY {name}"
            rows = connection.execute(query, [_literal(path)]).fetchall()
        except duckdb.Error as error:
            raise UsageError(f"cannot read `{path}` as Parquet: {str(error).splitlines()[0]}") from None
    for value, times in rows:
        if isinstance(value, str) and value.strip():
            history.counts[value] += times
        elif isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            history.counts[tuple(value)] += times
        else:
            history.fail(path, wanted, "no command in it", times)


def _literal(path: str) -> str:
    """``path`` for DuckDB, with each character that DuckDB treats as a pattern written as a character class."""
    return "".join([f"[{char}]" if char in "*?[" else char for char in path])


def needed(module: str) -> Any:
    """Imports and returns an optional module.

    Raises:
        UsageError: it is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"`{module}` is needed for this: install it with `pip install 'execpolicy[replay]'`") from None


_MOST_REMEMBERED = 200_000
_ADDED = ("decision", "rule", "reason")


class _Memory:
    """The cached decisions of one process under some policies."""

    def __init__(self, policies: Sequence[PortablePolicy], shell: str) -> None:
        self._decider = HistoryDecider(policies, shell=shell)
        self.counts = lru_cache(_MOST_REMEMBERED)(self._decider.decide)
        self.answer = lru_cache(_MOST_REMEMBERED)(self._answer)

    def _answer(self, command: Recorded) -> tuple[str, str | None, str | None]:
        """The decision, rule and reason under the first policy."""
        verdict = self._decider.verdicts(command)[0]
        word = verdict.decision.word
        deciding = next((rule for rule in self._decider.reduced(verdict)[1] if rule[1] == word), None)
        reason = None if verdict.decision is Decision.ALLOW else verdict.reason
        return word, None if deciding is None else rule_text(deciding), reason


@lru_cache(maxsize=4)
def _memory(policies: tuple[PortablePolicy, ...], shell: str) -> _Memory:
    return _Memory(policies, shell)


def evaluate_batch(commands: Any, policy: PortablePolicy | Rulebook | str, *, shell: str = "bash") -> Any:
    """The decision, rule and reason for every command of an Arrow array.

    Args:
        commands: ``pyarrow.Array`` or ``ChunkedArray`` of text (scripts; dictionary-encoded or not), or of lists of
            text (argvs).
        policy: a portable policy; a rulebook or the text of a rule file is converted to one.

    Returns:
        A ``pyarrow.StructArray`` as long as ``commands`` with the dictionary-encoded text fields ``decision``,
        ``rule`` (``path:line: decision `pattern```; null where no rule decided) and ``reason`` (null for *allow*). All
        three are null where the command is.

    Raises:
        UsageError: ``pyarrow`` is missing, or the array holds something else.
        RuleFileError: the rule text has a problem.
    """
    pa = needed("pyarrow")
    memory = _memory((PortablePolicy.of(policy),), shell)
    distinct, indices = _encoded(pa, commands)
    answers = [(None, None, None) if command is None else memory.answer(command) for command in distinct]
    fields = [_taken(pa, [answer[at] for answer in answers], indices) for at in range(3)]
    return pa.StructArray.from_arrays(fields, names=list(_ADDED))


def count_batch(
    commands: Any,
    policy: PortablePolicy | Rulebook | str,
    against: PortablePolicy | Rulebook | str | None = None,
    *,
    shell: str = "bash",
) -> Tally:
    """The map step: counts the decisions, rules and (with ``against``) changes in one array.

    The sum of the tallies of all arrays is the result. Arguments and errors are those of :func:`evaluate_batch`.
    """
    pa = needed("pyarrow")
    memory = _memory(tuple(PortablePolicy.of(each) for each in (policy, against) if each is not None), shell)
    distinct, indices = _encoded(pa, commands)
    times = [0] * len(distinct)
    for entry in indices.value_counts().to_pylist():
        if entry["values"] is not None:
            times[entry["values"]] = entry["counts"]
    return Tally.of([(memory.counts(one), n) for one, n in zip(distinct, times, strict=True) if one is not None and n])


class BatchJudge:
    """A policy and a column name as one callable for dataframe engines. It can be pickled.

    For a ``pyarrow`` table or record batch it returns the same with the text columns ``decision``, ``rule`` and
    ``reason``; for a pandas frame likewise; for an iterator of record batches (Spark's ``mapInArrow``) an iterator.
    """

    def __init__(
        self, policy: PortablePolicy | Rulebook | str, *, column: str = "command", shell: str = "bash"
    ) -> None:
        self.policy = PortablePolicy.of(policy)
        self.column = column
        self.shell = shell

    def __call__(self, batch: Any) -> Any:
        """``batch`` with the three columns added.

        Raises:
            UsageError: it has no such column, or its type is unknown.
        """
        if isinstance(batch, Iterator):
            return map(self._arrow, batch)
        if hasattr(batch, "assign") and hasattr(batch, "columns"):
            return self._pandas(batch)
        if hasattr(batch, "schema") and hasattr(batch, "column"):
            return self._arrow(batch)
        raise UsageError(f"a {type(batch).__name__} is neither an Arrow table, nor record batches, nor a pandas frame")

    def _arrow(self, batch: Any) -> Any:
        pa = needed("pyarrow")
        if self.column not in batch.schema.names:
            raise UsageError(f"no column `{self.column}`; there are: {', '.join(batch.schema.names)}")
        found = evaluate_batch(batch.column(self.column), self.policy, shell=self.shell)
        kept = [name for name in batch.schema.names if name not in _ADDED]
        columns = [batch.column(name) for name in kept]
        columns += [found.field(name).cast(pa.string()) for name in _ADDED]
        return type(batch).from_arrays(columns, names=[*kept, *_ADDED])

    def _pandas(self, frame: Any) -> Any:
        pa = needed("pyarrow")
        if self.column not in frame.columns:
            raise UsageError(f"no column `{self.column}`; there are: {', '.join(map(str, frame.columns))}")
        commands = pa.Array.from_pandas(frame[self.column], type=None if len(frame) else pa.string())
        found = evaluate_batch(commands, self.policy, shell=self.shell)
        columns = {name: found.field(name).cast(pa.string()).to_numpy(zero_copy_only=False) for name in _ADDED}
        return frame.assign(**columns)


def _encoded(pa: Any, commands: Any) -> tuple[list[Recorded | None], Any]:
    """The distinct commands, and for each row the index of its command (null where there is none)."""
    if not isinstance(commands, (pa.Array, pa.ChunkedArray)):
        raise UsageError(f"commands must be a pyarrow.Array or ChunkedArray, not {type(commands).__name__}")
    kind = commands.type
    types = pa.types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _encoded_argvs(pa, commands)
    if types.is_null(kind):
        return [], pa.nulls(len(commands), pa.int32())
    inner = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_string(inner) or types.is_large_string(inner) or types.is_string_view(inner)):
        raise UsageError(f"commands must be text or lists of text, not {kind}")
    if types.is_string_view(inner):
        commands = commands.cast(pa.large_string())
    encoded = commands if types.is_dictionary(commands.type) else commands.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        if encoded.num_chunks == 0:
            return [], pa.nulls(0, pa.int32())
        encoded = encoded.unify_dictionaries().combine_chunks()
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.chunk(0)
    return encoded.dictionary.to_pylist(), encoded.indices


def _encoded_argvs(pa: Any, commands: Any) -> tuple[list[Recorded | None], Any]:
    """As ``_encoded``, for lists, which Arrow does not dictionary-encode."""
    codes: dict[tuple[str, ...], int] = {}
    indices: list[int | None] = []
    for words in commands.to_pylist():
        if words is None or not all(isinstance(word, str) for word in words):
            indices.append(None)
        else:
            indices.append(codes.setdefault(tuple(words), len(codes)))
    return list(codes), pa.array(indices, pa.int32())


def _taken(pa: Any, values: list[str | None], indices: Any) -> Any:
    """The value for each row as a dictionary array without repetitions; ``values`` has one per distinct command."""
    codes: dict[str, int] = {}
    by_command = [None if value is None else codes.setdefault(value, len(codes)) for value in values]
    rows = pa.array(by_command, pa.int32()).take(indices)
    return pa.DictionaryArray.from_arrays(rows, pa.array(list(codes), pa.string()))
