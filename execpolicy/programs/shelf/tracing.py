"""Tracers, profilers, debuggers and benchmarks: programs that watch a command."""

from __future__ import annotations

from itertools import islice, product

from execpolicy.core.text import word_set
from execpolicy.programs.inner import run_command, run_text
from execpolicy.programs.input_text import commands_of, fed_lines
from execpolicy.programs.options import option_table, walk
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program, Wrapper
from execpolicy.shell.limits import COMMAND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


_GDB_COMMANDS = word_set("-ex -iex -eval-command --eval-command -init-eval-command --init-eval-command --ex --iex")
_MOST_RUNS = 8
"""Programs, and arguments of them, that are put together."""


def gdb(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``gdb -ex '!cmd'``, ``-ex 'shell cmd'``, ``--args PROGRAM ARGUMENT…``."""
    for line in [*commands_of(command, facts, record.options, _GDB_COMMANDS, plus=False), *fed_lines(command, facts)]:
        text = line.strip()
        first, _, rest = text.partition(" ")
        if text.startswith("!"):
            yield run_text(name, command, text[1:])
        elif first and rest and "shell".startswith(first) and len(first) >= 3:
            yield run_text(name, command, rest)
        elif first in ("pipe", "|", "make") or (first == "target" and "|" in rest):
            yield run_text(name, command, rest.rpartition("|")[2] if first != "make" else text)
        elif first in ("python", "py", "python-interactive", "pi", "call", "print", "p", "compile"):
            yield from code_commands(name, command, rest, "python")
    for start in walk(option_table(record.options), command.words, 1).starts:
        yield run_command(name, command, command.words[start:])


def lldb(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``lldb -o 'platform shell cmd'``, ``lldb -- PROGRAM ARGUMENT…``."""
    options = ("-o", "-O", "--one-line", "--one-line-before-file")
    for line in [*commands_of(command, facts, record.options, options, plus=False), *fed_lines(command, facts)]:
        for lead in ("platform shell ", "shell ", "pl shell "):
            if line.strip().startswith(lead):
                yield run_text(name, command, line.strip()[len(lead) :])
        if line.strip().startswith(("script ", "sc ")):
            yield from code_commands(name, command, line.strip().partition(" ")[2], "python")
    for start in walk(option_table(record.options), command.words, 1).starts[:1]:
        yield run_command(name, command, command.words[start:])


def hyperfine(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``hyperfine -L NAME a,b 'cmd {NAME}'``: each text with the values of its parameters in their places."""
    texts = [word.literal or "" for word in command.words]
    values: dict[str, list[str]] = {}
    for at, text in enumerate(texts[:-2]):
        if text in ("-L", "--parameter-list"):
            values["{" + texts[at + 1] + "}"] = texts[at + 2].split(",")
    for row in islice(product(*values.values()), _MOST_RUNS):
        filled = texts
        for place, value in zip(values, row, strict=True):
            filled = [text.replace(place, value) for text in filled]
        for text, before in zip(filled, texts, strict=True):
            if text != before and facts.budget.spend(COMMAND):
                yield run_text(name, command, text.partition("=")[2] if text[:2] == "--" else text, evidence=True)


# fmt: off
RECORDS = (
    Program("strace", Wrapper("-C -c -D -d -f -F -h -i -k -n -N -q -r -t -T -v -V -w -x -y -Y -z -Z -A -a: -b: -e: "
        "-E: -I: -o: -O: -p: -P: -s: -S: -u: -U: -X: --output: --attach: --env: --user: --string-limit: --trace: "
        "--follow-forks --seccomp-bpf --quiet? --decode-fds? --strings-in-hex? --timestamps? --relative-timestamps? "
        "--syscall-times? --failed-only --successful-only --summary --summary-only --stack-traces "
        "--instruction-pointer --no-abbrev --interruptible: --columns: --detach-on: --const-print-style: --status: "
        "--kill-on-exit --daemonize? --argv0:"), settings="-o! --output!", form="pipe",
        example="strace -f -o out rm x"),
    Program("ltrace", Wrapper("-c -C -b -f -i -L -r -S -t -T -V -h -a: -A: -D: -e: -F: -l: -n: -o: -p: -s: -u: -w: "
        "-x: --align: --config: --debug: --demangle --indent: --library: --output: --where:"),
        example="ltrace -f -o out rm x"),
    Program("valgrind", Wrapper("-d -v -q -h --"), example="valgrind --tool=none rm x"),
    Program("perf", Wrapper("-a -A -B -c: -C: -d -D: -e: -F: -g -G: -i -I: -j: -m: -n -N -o: -p: -P -q -r: -R -s -S "
        "-t: -T -u: -v -W -x: -z -b -k: --output: --event: --pid: --tid: --cpu: --repeat: --delay: --call-graph: "
        "--freq: --count: --append --all-cpus --verbose --quiet --null --no-inherit --per-core --per-socket "
        "--per-thread --no-aggr --detailed --big-num --interval-print: --timeout: --field-separator: --sync --pre! "
        "--post!", subcommands="stat, record, trace, mem, mem record, c2c, c2c record, lock, lock record, sched, "
        "sched record, kvm, kvm stat, ftrace, bench"), leading="-h -v -p -P --paginate --no-pager --debug: "
        "--exec-path? --buildid-dir:", example="perf stat -e cycles -- rm x"),
    Program("rr", Wrapper("-n -h -c: -M -w -v: --chaos --wait", subcommands="record"), example="rr record rm x"),
    Program("heaptrack", Wrapper("-o: -r -p: --output: --record-only --raw --use-inject"),
        example="heaptrack -o out rm x"),
    Program("operf ocount", Wrapper("-p: -s -e: -d: -k: -g -a -t -l -V: -i: -b: -f: -r: -m --session-dir: --event: "
        "--vmlinux: --callgraph --append --separate-thread --separate-cpu --session-dir --brief-format "
        "--time-interval: --output-file: --lazy-conversion"), example="operf -e x rm x"),
    Program("gprofng", Wrapper("-p: -h: -H -S: -y: -a: -F: -J: -o: -d: -O: -l: -r: -s: -n -v -C: -t:",
        subcommands="collect app"), example="gprofng collect app -o x rm x"),
    Program("uftrace", Wrapper("-F: -N: -P: -A: -R: -D: -d: -t: -a -k -e -v", subcommands="record, live"),
        example="uftrace record rm x"),
    Program("kcov", Wrapper("--include-path: --exclude-path: --collect-only --report-only --verify --pid:", 1),
        example="kcov out rm x"),
    Program("gdbserver", Wrapper("--once --multi --attach --debug --no-startup-with-shell --wrapper*", 1),
        example="gdbserver :1234 rm x"),
    Program("libtool glibtool", Wrapper("--mode: --tag: --config --debug --features --quiet --silent --verbose -n "
        "--dry-run --no-warn --finish -dlopen:"), example="libtool --mode=execute rm x"),
    Program("trace-cmd", Wrapper("-p: -e: -f: -P: -o: -O: -l: -g: -n: -s: -b: -B: -m: -M: -v -a -A: -F -c -C: -d -D "
        "-G -i -k -N: -q -r: -R: -t -T -H: --date --func-stack --max-graph-depth: --no-filter --profile --quiet "
        "--user:", subcommands="record, start, profile, stream"), example="trace-cmd record rm x"),
    Program("dlv", Wrapper("--headless -l: --listen: --api-version: --accept-multiclient --continue --log "
        "--log-output: --log-dest: --init: --wd: -r: --redirect: --check-go-version --only-same-user --backend: --tty: "
        "--disable-aslr", subcommands="exec, trace"), example="dlv exec rm x"),
    Program("gdb", options="-ex: -iex: -eval-command: -init-eval-command: --eval-command: --init-eval-command: --ex: "
        "--iex: -x: -p: -c: -s: -e: -d: --command: --cd: -cd: -nx -nh -n -q -batch -quiet --batch --quiet --nx --nh "
        "--args -args --silent -tui -pid: --pid:", carries=gdb, broad="-*", example="gdb -batch -ex '!rm x'"),
    Program("lldb", options="-o: -O: -s: -S: -k: -b -Q --one-line: --batch", carries=lldb, broad="-*",
        example="lldb -b -o 'platform shell rm x'"),
    Program("poop bench", Wrapper("-d: --duration:", each=True), example="poop 'rm x' ls"),
    Program("hyperfine", Wrapper("-i -N -s: -p! -w: -m: -M: -r: -S* -L: -P: -n: -D: -c! -u: --prepare! --setup! "
        "--cleanup! --conclude! --warmup: --min-runs: --max-runs: --runs: --shell* --export-json: --export-csv: "
        "--export-markdown: --ignore-failure --show-output --style: --parameter-list: --parameter-scan: "
        "--command-name: --time-unit:", each=True), carries=hyperfine,
        example="hyperfine --prepare 'rm x' ls"),
    Program("concurrently", Wrapper("-m: -n: -s: -r -g -p: -c: -l: -t: -k -i -P --max-processes: --names: "
        "--name-separator: --success: --raw --no-color --hide: --group --timings --prefix: --prefix-colors: "
        "--prefix-length: --timestamp-format: --handle-input --default-input-target: --kill-others "
        "--kill-others-on-fail --kill-signal: --restart-tries: --restart-after:", each=True),
        example="concurrently -n a,b ls 'rm x'"),
    Program("rlwrap", Wrapper("-a? -A? -b: -c -C: -D: -e: -E -f: -F -g: -h -H: -i -I -l: -m? -M: -n -N -o -O: -p? "
        "-P: -q: -r -R -s: -S: -t: -T -u -U -v -w: -W? -X -z: --always-readline? --break-chars: --complete-filenames "
        "--command-name: --history-no-dupes: --file: --filter: --prompt-colour? --remember --substitute-prompt: "
        "--wait-before-prompt:"), example="rlwrap -a rm x"),
    Program("dtruss truss ktrace dtrussc", Wrapper("-a -b: -c -d -e -f -l -o: -p: -s -t: -n: -S -D -H -i"),
        example="dtruss -f rm x"),
    Program("asciinema", Wrapper("-c! -t: -i: -e: -y -q --command! --title: --idle-time-limit: --env: --overwrite "
        "--quiet --append --stdin", 9, subcommands="rec"), example="asciinema rec -c 'rm x' a"),
    Program("ttyrec", settings="-e!", example="ttyrec -e 'rm x' a"),
)
