"""Programs that run a command on what they find, read or see change."""

from __future__ import annotations

from execpolicy.programs.record import Program, Wrapper

# fmt: off
RECORDS = (
    Program("find gfind bfs", carries="finders:find", prints="arguments",
        always="`-exec`, `-delete` and `-fprintf` may stand anywhere behind", example="find . -exec rm x \\;"),
    Program("fd fdfind", options="-H -I -u -s -i -g -F -a -l -L -p -0 -1 -q -V -h -d: -t: -e: -E: -c: -j: -S: -C: "
        "-o: -x* -X* --exec* --exec-batch* --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob "
        "--regex --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth: "
        "--min-depth: --exact-depth: --type: --extension: --exclude: --color: --threads: --size: --changed-within: "
        "--changed-before: --max-results: --base-directory: --search-path: --owner: --batch-size: --path-separator: "
        "--ignore-file: --and:", carries="finders:fd", always="`-x` and `-X` run any program", example="fd a -x rm x"),
    Program("xargs gxargs", options="-0 -a: -d: -E: -e? -I: -i? -J: -l? -L: -n: -o -P: -p -r -R: -S: -s: -t -x "
        "--null --arg-file: --delimiter: --eof? --replace? --max-lines? --max-args: --open-tty --max-procs: "
        "--interactive --process-slot-var: --no-run-if-empty --max-chars: --show-limits --verbose --exit --help "
        "--version", carries="lists:xargs", prints="input", broad="-*", example="xargs -n1 rm x"),
    Program("parallel sem", options="-0 -A: -a: -B: -C: -D: -d: -E: -e? -h -I: -i? -J: -j: -k -L: -l? -M -m -N: -n: "
        "-o -P: -p -q -r -S: -s: -t -U: -u -V -v -W: -X -x --arg-file: --arg-sep: --arg-file-sep: --bar --basefile: "
        "--block: --cat --cleanup --colsep: --compress --delay: --delimiter: --dry-run --eta --files --fifo --gnu "
        "--group --halt: --header: --jobs: --joblog: --keep-order --line-buffer --lb --load: --max-args: "
        "--max-procs: --memfree: --nice: --no-notice --null --pipe --pipepart --plus --progress --quote --recstart: "
        "--recend: --results: --resume --resume-failed --retries: --return: --rpl: --semaphore --shebang --shuf "
        "--silent --sshlogin: --sshloginfile: --tag --tagstring: --tempdir: --timeout: --tmpdir: --tmux --tollef "
        "--trc: --trim: --ungroup --use-cpus-instead-of-cores --verbose --will-cite --workdir: --xargs --tty --env: "
        "--link --bibtex --citation --termseq: --transferfile: --profile:", carries="lists:parallel", broad="-*",
        example="parallel rm ::: x"),
    Program("entr", options="-a -c -d -n -p -r -s -x -z", carries="lists:entr", broad="-*", example="entr -r rm x"),
    Program("reflex", Wrapper("-r: -R: -g: -G: -d: -e -s -t: --regex: --glob: --"), example="reflex -r a -- rm x"),
    Program("nodemon", Wrapper("-x! -e: -w: -i: -d: -q -V --exec! --ext: --watch: --ignore: --delay: --quiet "
        "--signal: --cwd:"), example="nodemon --exec 'rm x'"),
    Program("watchexec", Wrapper("-e: -w: -i: -f: -d: -s: -r -c? -p -n -N -W: -o: -E: --exts: --watch: --ignore: "
        "--shell* --", joined=True), example="watchexec -e py -- rm x"),
    Program("watchman-make", settings="--run!", example="watchman-make --run 'rm x'"),
    Program("cargo-watch", settings="-s! --shell! -x! --exec!", form="cargo", example="cargo-watch -s 'rm x'"),
    Program("rg", settings="--pre* --hostname-bin*", prints="input", example="rg --pre rm a x"),
    Program("ag ack", settings="--pager!", example="ag --pager='rm x' a"),
    Program("fzf", settings="--preview! --bind! --with-shell!", example="fzf --preview 'rm x'"),
    Program("sk", settings="--preview! --bind! -c! --cmd!", example="sk --preview 'rm x'"),
)
