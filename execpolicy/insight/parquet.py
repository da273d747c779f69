"""Commands in Parquet files, counted by DuckDB: it reads one column alone, on all processors, and groups it there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from execpolicy.errors import UsageError
from execpolicy.insight.tally import History

COLUMNS = ("command", "script", "argv")


def read_parquet(path: str, column: str | None, history: History) -> None:
    """Add the commands in ``column`` (text, or lists of words) of the file to ``history``.

    Args:
        column: the first of :data:`COLUMNS` that the file has, if not given.

    Raises:
        UsageError: DuckDB is not installed, the file is no Parquet, or it has no such column.
    """
    duckdb = needed("duckdb")
    with duckdb.connect() as connection:
        try:
            described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [_literal(path)]).fetchall()
        except duckdb.Error as error:
            raise UsageError(f"cannot read `{path}` as Parquet: {str(error).splitlines()[0]}") from None
        types = {row[0]: row[1] for row in described}
        wanted = column if column is not None else next((name for name in COLUMNS if name in types), COLUMNS[0])
        if types.get(wanted) not in ("VARCHAR", "VARCHAR[]"):
            problem = "has no column" if wanted not in types else "has no commands (text or lists of text) in column"
            raise UsageError(f"`{path}` {problem} `{wanted}`; name one of {', '.join(types)} with --column")
        name = '"' + wanted.replace('"', '""') + '"'
        try:
            rows = connection.execute(
                f"SELECT {name}, count(*) FROM read_parquet(?) GROUP BY {name}", [_literal(path)]
            ).fetchall()
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
    """``path`` for DuckDB, which takes some characters for a pattern: each of them as a class of its own."""
    return "".join([f"[{char}]" if char in "*?[" else char for char in path])


def needed(module: str) -> Any:
    """An optional module.

    Raises:
        UsageError: it is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"`{module}` is needed for this: install it with `pip install 'execpolicy[replay]'`") from None
