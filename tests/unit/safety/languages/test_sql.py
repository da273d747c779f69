"""What of SQL only reads."""

from __future__ import annotations

import pytest

from execpolicy.safety.languages.sql import query_refusal

CONSTANT = (
    "SELECT 1",
    "select 1 + 2 as three, upper('a');",
    "SELECT version()",
    "SELECT @@version",
    "SELECT '2024-01-01'::date",
    "SELECT CAST('1' AS integer), date '2024-01-01', 1::numeric AS x",
    "SELECT extract(year from now())",
    "SHOW TABLES",
    "DESCRIBE users",
    "EXPLAIN SELECT 1",
    "EXPLAIN QUERY PLAN SELECT 1",
)
READING = (
    "SELECT * FROM users",
    "select count(*) from public.users where name in ('a', 'b') and at > '2024-01-01 10:00'",
    "SELECT u.id, max(o.total) FROM users u LEFT JOIN orders o ON o.user_id = u.id GROUP BY u.id LIMIT 5",
    "SELECT * FROM (SELECT id FROM a) x WHERE x.id <> 3;",
    "EXPLAIN ANALYZE SELECT * FROM users",
    "SELECT id FROM a UNION ALL SELECT id FROM b",
    "SELECT trim(leading from name) FROM a",
)
REFUSED = (
    "",
    "DELETE FROM users",
    "SELECT 1; DROP TABLE users",
    "SELECT * INTO OUTFILE '/tmp/x' FROM users",
    "SELECT 1 INTO DUMPFILE '/tmp/x'",
    "SELECT * INTO copy FROM users",
    "WITH x AS (DELETE FROM users RETURNING *) SELECT * FROM x",
    "SELECT load_extension('./evil')",
    "SELECT writefile('x', 'y')",
    "SELECT edit('a', 'date')",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/x')",
    "SELECT nextval('a')",
    "SELECT setval ('a', 1)",
    "SELECT public.lower('x')",
    "SELECT a.count(1)",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM 'https://example.com/x.parquet'",
    "SELECT * FROM a, 'x.csv'",
    "SELECT * FROM (SELECT 1), 'x.csv'",
    "SELECT * FROM ('x.csv')",
    "SELECT * FROM a JOIN 'x.csv' ON 1 = 1",
    "SELECT * FROM data.csv",
    "SELECT * FROM users FOR UPDATE",
    'SELECT * FROM "x.csv"',
    "SELECT * FROM `a`",
    "SELECT /*!50000 sleep(9) */ 1",
    "SELECT 1 -- x",
    "SELECT 1 # x",
    "SELECT '\\' , sleep(5) -- '",
    "SELECT 1\nsystem date",
    "\\! date",
    ".shell date",
    "SELECT 1 \\g |date",
    "SELECT @a := 1",
    "SELECT :x",
    "SELECT $1",
    "SELECT * FROM mysql.global_priv",
    "SELECT * FROM pg_shadow",
    "SHOW GRANTS",
    "SHOW CREATE USER a",
    "EXPLAIN DELETE FROM users",
    "EXPLAIN ANALYZE INSERT INTO a SELECT 1",
    "PRAGMA journal_mode = wal",
    "ATTACH 'x' AS y",
    "COPY a TO '/tmp/x'",
    "COPY (SELECT 1) TO PROGRAM 'date'",
    "CALL x()",
    "SET x = 1",
    "SHOW x; SELECT 1",
    "SELECT 'a",
    "SELECT 'é\x01'",
    "SELECT sеlect(1)",  # a Cyrillic letter
    "DESCRIBE 'https://example.com/x.csv'",
    "SHOW 'x.csv'",
    "DESCRIBE data.csv",
)


@pytest.mark.parametrize("text", CONSTANT)
def test_without_a_table(text: str) -> None:
    assert query_refusal(text) is None


@pytest.mark.parametrize("text", READING)
def test_with_tables(text: str) -> None:
    assert query_refusal(text) is None


@pytest.mark.parametrize("text", REFUSED)
def test_more_than_reading(text: str) -> None:
    assert query_refusal(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "SHOW ALL",
        "show all;",
        "SHOW primary_conninfo",
        "SHOW archive_command",
        "SHOW app.jwt",
        "SHOW VARIABLES",
        "SHOW GLOBAL VARIABLES",
        "SHOW VARIABLES LIKE '%'",
        "SHOW VARIABLES LIKE '%pass%'",
    ],
)
def test_settings_that_may_hold_a_secret(text: str) -> None:
    assert query_refusal(text) is not None


@pytest.mark.parametrize("text", ["SHOW search_path", "SHOW TABLES", "SHOW max_connections"])
def test_settings_that_hold_none(text: str) -> None:
    assert query_refusal(text) is None
