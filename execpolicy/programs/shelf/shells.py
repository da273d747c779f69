"""Shells, and the builtins with which a shell runs what it is given."""

from __future__ import annotations

from execpolicy.programs.record import Program, Wrapper

# fmt: off
RECORDS = (
    Program("bash sh dash ksh zsh ash rbash mksh ksh93 oksh", language="shell", carries="shells:shell", task="2",
        example="bash -lc 'rm x'"),
    Program("fish csh tcsh yash osh elvish xonsh nu", language="shell", carries="shells:shell",
        example="fish -c 'rm x'"),
    Program("pwsh powershell", settings="-c! -Command! -command! -EncodedCommand: -File:", language="shell",
        example="pwsh -c 'rm x'"),
    Program("cmd", language="shell", carries="tools:windows", example="cmd /c 'rm x'"),
    Program("busybox toybox", Wrapper(), example="busybox rm x"),
    Program("eval", carries="shells:evaluate", broad="-*", example="eval 'rm x'"),
    Program("source .", carries="shells:source", example="source /dev/stdin <<< 'rm x'"),
    Program("trap", carries="shells:trap", example="trap 'rm x' EXIT"),
    Program("mapfile readarray", options="-t -d: -n: -O: -s: -u: -c: -C!", carries="shells:callbacks",
        example="mapfile -C 'rm x' a"),
    Program("complete", options="-a -b -c -d -e -f -g -j -k -s -u -v -D -E -I -p -r -A: -o: -G: -W: -F: -C! -X: -P: "
        "-S:", carries="shells:callbacks", example="complete -C 'rm x' ls"),
    Program("compgen", options="-a -b -c -d -e -f -g -j -k -s -u -v -V: -A: -o: -G: -W: -F: -C! -X: -P: -S:",
        carries="shells:callbacks", example="compgen -C 'rm x'"),
    Program("fc", options="-e! -l -n -r -s", carries="shells:callbacks", example="fc -e 'rm x'"),
    Program("bind", options="-l -v -p -P -S -s -V -X -m: -f: -q: -u: -r: -x:", carries="shells:callbacks",
        example="bind -x '\"a\":rm x'"),
    Program("alias", carries="shells:alias", example="alias ls='rm x'"),
    Program("hash", options="-p: -d -l -r -t", carries="shells:rehash", example="hash -p /bin/rm ls"),
    Program("jobs", carries="shells:jobs", example="jobs -x rm x"),
    Program("export declare typeset readonly local setenv", carries="variables:declared",
        example="export PAGER='rm x'"),
    Program("command", Wrapper("-p -v -V", grant="", stop="-v -V"), example="command -p rm x"),
    Program("builtin", Wrapper(grant=""), example="builtin rm x"),
    Program("exec", Wrapper("-c -l -a:", grant=""), example="exec -a name rm x"),
    Program("noglob nocorrect", Wrapper(), example="noglob rm x"),
)
