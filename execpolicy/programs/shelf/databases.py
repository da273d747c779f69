"""Data base shells."""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("psql", carries="editors:database", broad="-c", example="psql -c '\\! rm x'"),
    Program("mysql mariadb", carries="editors:database", broad="-e", example="mysql -e 'system rm x'"),
    Program("sqlite3 sqlite duckdb", carries="editors:database", broad="", example="sqlite3 a.db '.shell rm x'"),
    Program("redis-cli", leading="-h: -p: -s: -a: -u: -n: -r: -i: -x -X: -c -2 -3 --user: --pass: --askpass --tls "
        "--sni: --cacert: --cert: --key: --raw --no-raw --csv --json --no-auth-warning @anywhere"),
)
