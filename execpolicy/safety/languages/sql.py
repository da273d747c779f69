"""Single SQL statements that only read.

A statement is read token by token. What is not known to read is refused: other statements, unlisted functions,
variables, comments, backslashes, several lines and quoted names. A function can write files, start programs, sleep,
or ask other servers. ``psql`` and ``mysql`` have commands behind backslashes, and ``mysql`` at the beginning of a
line. Sources: the manuals of SQLite 3.40, PostgreSQL 17, MySQL 8.4, MariaDB 11 and DuckDB 1.3.
"""

from __future__ import annotations

from _collections_abc import Sequence

# fmt: off
_FUNCTIONS = frozenset((
    "abs", "avg", "cast", "ceil", "ceiling", "char_length", "character_length", "coalesce", "concat", "concat_ws",
    "count", "current_database", "current_schema", "database", "date", "date_format", "date_trunc", "datetime",
    "day", "dense_rank", "extract", "floor", "from_unixtime", "greatest", "group_concat", "hour", "ifnull", "instr",
    "julianday", "lag", "lead", "least", "left", "length", "lower", "ltrim", "max", "min", "minute", "mod", "month",
    "now", "nullif", "position", "quarter", "rank", "right", "round", "row_number", "rtrim", "second", "sign",
    "sqlite_version", "strftime", "string_agg", "substr", "substring", "sum", "time", "total", "trim", "typeof",
    "unix_timestamp", "upper", "version", "week", "year",
))
# Words behind which an open bracket calls nothing.
_BEFORE_BRACKETS = frozenset((
    "all", "and", "any", "as", "between", "by", "case", "distinct", "else", "except", "exists", "filter", "from",
    "having", "in", "intersect", "is", "join", "like", "not", "on", "or", "over", "select", "some", "then", "union",
    "using", "values", "when", "where", "limit", "offset",
))
# Words that make a statement do more than read, wherever they stand.
_REFUSED = frozenset((
    "alter", "analyse", "attach", "begin", "call", "commit", "copy", "create", "delete", "detach", "do", "drop",
    "dumpfile", "execute", "export", "file", "for", "grant", "grants", "handler", "import", "insert", "install",
    "into", "kill", "load", "lock", "merge", "next", "outfile", "pragma", "prepare", "procedure", "replace",
    "reset", "returning", "revoke", "set", "share", "truncate", "update", "use", "user", "vacuum", "with",
))
# Tables that contain credentials of users.
_SECRET = frozenset((
    "pg_authid", "pg_shadow", "pg_user_mapping", "pg_user_mappings", "global_priv", "pg_hba_file_rules",
    "duckdb_secrets", "mysql",
))
_SHOWN = ("tables", "databases", "schemas", "search_path", "server_version", "max_connections")
_EXPLAINED = frozenset(("analyze", "verbose", "query", "plan", "extended", "format", "select"))
_FILES = frozenset((
    "csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "arrow", "xlsx", "gz", "zst", "db", "duckdb",
))
# fmt: on
_TAKES_FROM = frozenset(("extract", "trim", "substring"))
_ENDS_NAMES = frozenset(
    ("where", "on", "using", "group", "order", "having", "limit", "union", "except", "intersect", "select")
)
_PLAIN = frozenset("(),.*+-/%=<>!|&~;[]:@ \t")


def query_refusal(text: str) -> str | None:
    """Returns what is wrong with the statement ``text``, or ``None`` if it only reads tables, by plain names."""
    tokens = _tokens(text.strip(" \t"))
    if isinstance(tokens, str):
        return f"is SQL with {tokens}"
    while tokens and tokens[-1] == ";":
        tokens.pop()
    if ";" in tokens:
        return "is SQL with more than one statement"
    for token in tokens:
        if token in _REFUSED or token in _SECRET:
            return f"is SQL that may do more than read (`{token}`)"
    first, named = tokens[0] if tokens else "", tokens[1:]
    if first == "explain" and "select" in named:
        at = named.index("select")
        if all(token in _EXPLAINED for token in named[:at]):
            return _select(named[at:])
    if first == "select":
        return _select(tokens)
    if first == "show" and " ".join(named) in _SHOWN:
        return None
    if first in ("describe", "desc") and len(named) == 1 and named[0][0].isalpha():
        return None
    return "is SQL that is no plain `select`, `show tables`, `describe` or `explain select`"


def _select(tokens: Sequence[str]) -> str | None:
    named = [False]  # by depth: names of tables are read
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        calls = before[:1].isalpha() and before not in _BEFORE_BRACKETS
        if token == "(" and calls and (before not in _FUNCTIONS or (at > 1 and tokens[at - 2] == ".")):
            return f"is SQL that calls `{before}`, which is not on the list"
        if token == "(":
            named.append(named[-1] and not calls and before not in ("in", "using"))
        elif token == ")" and len(named) > 1:
            named.pop()
        elif token in ("from", "join"):
            named[-1] = token == "join" or _opened(tokens, at) not in _TAKES_FROM
        elif token in _ENDS_NAMES:
            named[-1] = False
        elif named[-1] and (token[0] == "'" or token in _FILES):
            return "is SQL that reads a file"
    return None


def _opened(tokens: Sequence[str], at: int) -> str:
    """The function in whose brackets the token at ``at`` is, or nothing."""
    depth = 0
    for index in range(at - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(tokens[index], 0)
        if depth < 0:
            return tokens[index - 1]
    return ""


def _tokens(text: str) -> list[str] | str:
    """The tokens of ``text``, names in small letters and strings with their first quote; what is refused, in words."""
    found: list[str] = []
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if char == "'":
            close = text.find("'", at + 1)
            if close < 0 or not text[at:close].isprintable() or "\\" in text[at:close]:
                return "a string that is not plain"
            found.append(text[at : close + 1])
            at = close + 1
        elif char.isascii() and (char.isalnum() or char == "_"):
            stop = at
            while stop < end and text[stop].isascii() and (text[stop].isalnum() or text[stop] == "_"):
                stop += 1
            found.append(text[at:stop].lower())
            at = stop
        elif char not in _PLAIN:
            return f"the sign `{char}`"
        elif text.startswith(("--", "/*"), at):
            return "a comment"
        elif char in ":@" and text[at + 1 : at + 2] != char:
            return f"the sign `{char}`"
        elif char in ":@":
            if char == ":":
                found.append("::")
            at += 2
        else:
            if char not in " \t":
                found.append(char)
            at += 1
    return found
