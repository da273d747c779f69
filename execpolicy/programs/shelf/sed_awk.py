"""Programs that read text and print text."""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("sed gsed", options="-n -E -r -s -u -z -b -i? -e! -f: -l: --quiet --silent --expression! --file: "
        "--in-place? --line-length: --posix --regexp-extended --separate --sandbox --unbuffered --null-data "
        "--zero-terminated --follow-symlinks --debug --help --version --binary", carries="textual:sed",
        prints="input", broad="-f, -i, -n", example="sed '1e rm x'"),
    Program("awk gawk mawk nawk original-awk", options="-F: -v: -f: -b -c -C -d? -D? -e! -E: -g -h -i: -I -k -l: -L? "
        "-M -n -N -o? -O -p? -P -r -s -S -t -V -W: --field-separator: --assign: --file: --source! --exec: --include: "
        "--load: --lint? --sandbox --posix --characters-as-bytes --traditional --copyright --dump-variables? "
        "--debug? --gen-pot --help --csv --bignum --use-lc-numeric --non-decimal-data --pretty-print? --optimize "
        "--profile? --re-interval --no-optimize --version", carries="textual:awk", prints="input",
        always="an awk program runs commands with `system()` and writes files",
        example="awk 'BEGIN{system(\"rm x\")}'"),
    Program("m4", prints="input", broad=""),
    Program("sort gsort", settings="--compress-program*", prints="input", broad="-o",
        example="sort --compress-program='rm x'"),
    Program("split gsplit", settings="--filter!", example="split --filter='rm x' a"),
    Program("uniq", prints="input", broad=""),
    Program("tee", always="it overwrites any file"),
    Program("grep egrep fgrep cut tr head tail nl paste fold iconv dos2unix sponge pv jq column envsubst fmt pr "
        "expand unexpand strings comm join tac numfmt ts", prints="input"),
    Program("date stat seq expr basename dirname shuf realpath readlink hostname locale", prints="arguments"),
)
