"""Single SQL statements that only read.

A statement is read token by token. What is not known to read is refused: other statements, unlisted functions,
variables, comments, backslashes, several lines and quoted names. A function can write files, start programs, sleep,
or ask other servers. ``psql`` and ``mysql`` have commands behind backslashes, and ``mysql`` at the beginning of a
line. Sources: the manuals of SQLite 3.40, PostgreSQL 17, MySQL 8.4, MariaDB 11 and DuckDB 1.3.
"""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.safety.languages.formats import setting_refusal

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
# Names by which ``SHOW`` prints statements of other users.
_STATEMENTS = frozenset(
    ("processlist", "engine", "innodb", "binlog", "relaylog", "slave", "slaves", "replica", "replicas")
)
_EXPLAINED = frozenset(("analyze", "verbose", "query", "plan", "extended", "format", "select"))
_FILES = frozenset((
    "csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "arrow", "xlsx", "gz", "zst", "db", "duckdb",
))
# fmt: on
# Types that a cast may name: a user-defined one is a domain with a check, which calls what it likes.
_TYPES = frozenset(
    (
        "bigint",
        "binary",
        "blob",
        "bool",
        "boolean",
        "bytea",
        "char",
        "character",
        "date",
        "datetime",
        "decimal",
        "double",
        "float",
        "float4",
        "float8",
        "inet",
        "int",
        "int2",
        "int4",
        "int8",
        "integer",
        "interval",
        "json",
        "jsonb",
        "numeric",
        "real",
        "signed",
        "smallint",
        "text",
        "time",
        "timestamp",
        "timestamptz",
        "timetz",
        "tinyint",
        "unsigned",
        "uuid",
        "varchar",
    )
)
_BEFORE_STRINGS = _BEFORE_BRACKETS | {
    "ilike",
    "rlike",
    "regexp",
    "escape",
    "separator",
    "zone",
    "both",
    "leading",
    "trailing",
}
_TAKES_FROM = frozenset(("extract", "trim", "substring"))
_ENDS_NAMES = frozenset(
    ("where", "on", "using", "group", "order", "having", "limit", "union", "except", "intersect", "select")
)
_PLAIN = frozenset("(),.*+-/%=<>!|&~;[]:@ \t")


def query_refusal(text: str) -> str | None:
    """Returns what is wrong with the statement ``text``, or ``None`` if it only reads tables, by plain names."""
    return _refusal(text, tables=True)


def constant_refusal(text: str) -> str | None:
    """The same, where no table may be asked: a view can call anything."""
    return _refusal(text, tables=False)


def _refusal(text: str, *, tables: bool) -> str | None:
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
    first = tokens[0] if tokens else ""
    if first == "select":
        return _select(tokens, tables=tables)
    if first in ("show", "describe", "desc"):
        simple = all(token[0].isalpha() or token[0] in "._'" for token in tokens) and len(tokens) > 1
        if not simple:
            return "is SQL that is not read further than its first word"
        named = any(
            token in _FILES or (token[0] == "'" and tokens[at] != "like") for at, token in enumerate(tokens[1:])
        )
        if named:
            return "is SQL that reads a file"
        return _shown(tokens[1:]) if first == "show" else None
    if first == "explain":
        at = tokens.index("select") if "select" in tokens else 0
        if at and all(token in _EXPLAINED for token in tokens[1:at]):
            return _select(tokens[at:], tables=tables)
        return "is SQL that explains something else than a query"
    return "is SQL that does not begin with `select`, `show`, `describe` or `explain`"


def _shown(tokens: Sequence[str]) -> str | None:
    """Returns why ``SHOW`` of ``tokens`` tells a setting that may hold a password, a key or a command line."""
    if not _STATEMENTS.isdisjoint(tokens):
        return "is SQL that shows statements of others, in which a password may stand"
    chosen = [token.strip("'%").lower() for token in tokens]
    if tokens[0] == "all" or (len(tokens) == 3 and tokens[1] == "."):
        return "is SQL that shows settings which may hold a secret"
    if "variables" in tokens and (tokens[-2:-1] != ["like"] or not chosen[-1]):
        return "is SQL that shows every setting"
    hidden = next((name for name in chosen if "command" in name or setting_refusal(name) is not None), None)
    return None if hidden is None else f"is SQL that shows `{hidden}`, which may hold a secret"


def _select(tokens: Sequence[str], *, tables: bool) -> str | None:
    named = [False]  # by depth: names of tables are read
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        calls = before[:1].isalpha() and before not in _BEFORE_BRACKETS
        if not tables and _names_type(tokens, at):
            return f"is SQL with a type that is not on the list (near `{token}`)"
        if token == "(" and calls and (before not in _FUNCTIONS or (at > 1 and tokens[at - 2] == ".")):
            return f"is SQL that calls `{before}`, which is not on the list"
        if token == "(":
            named.append(named[-1] and not calls and before not in ("in", "using"))
        elif token == ")" and len(named) > 1:
            named.pop()
        elif token in ("from", "join"):
            opened = _opened(tokens, at)
            named[-1] = token == "join" or opened not in _TAKES_FROM
            if named[-1] and not tables:
                return "is SQL that asks a table or a view, which can call anything"
        elif token in _ENDS_NAMES:
            named[-1] = False
        elif named[-1] and (token[0] == "'" or token in _FILES):
            return "is SQL that reads a file"
    return None


def _names_type(tokens: Sequence[str], at: int) -> bool:
    """True if the value of a constant is made one of a type that may be user-defined: ``1::x``, ``x '1'``."""
    token, before = tokens[at], tokens[at - 1] if at else ""
    if token[0] == "'":
        return before[:1].isalpha() and before not in _BEFORE_STRINGS | _TYPES
    cast = before == "::" or (before == "as" and _opened(tokens, at) == "cast")
    return cast and (token not in _TYPES or tokens[at + 1 : at + 2] == ["."])


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
