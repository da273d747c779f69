"""What programs run that stands in their own arguments, variables and input, where no wrapper grammar shows it."""

from __future__ import annotations

from tests.support.each import each
from tests.support.reach import reaches


@each(
    "script",
    [
        "perl -e 'exec @ARGV' rm -rf d",
        "perl -e 'system(\"@ARGV\")' rm -rf d",
        "perl -e 'exec $ARGV[0]' 'rm -rf d'",
        "perl -e '$x=shift; `$x`' 'rm -rf d'",
        "perl -ne 'system($_)' <<< 'rm x'",
        "perl -ne 'exec' <<< 'rm x'",
        "perl <(echo 'system(\"rm x\")')",
        "python3 -c 'import subprocess,sys; subprocess.run(sys.argv[1:])' rm -rf d",
        "python3 -c 'import os,sys; os.system(sys.argv[1])' 'rm x'",
        "python3 -c 'import os,sys; os.execvp(sys.argv[1],sys.argv[1:])' rm x",
        "python3 -c 'import os,sys; os.system(\" \".join(sys.argv[2:]))' a rm x",
        "python3 -c 'import os,sys; os.system(sys.stdin.read())' <<< 'rm x'",
        "python3 -c 'import os,sys; [os.system(l) for l in sys.stdin]' <<< 'rm x'",
        "python3 -c 'import os; os.system(input())' <<< 'rm x'",
        "python3 -m timeit -s 'import os' 'os.system(\"rm -rf d\")'",
        "python3 -mtimeit 'import os; os.system(\"rm -rf d\")'",
        "python3 - rm x <<< 'import subprocess,sys; subprocess.run(sys.argv[1:])'",
        "python3 <(echo 'import os; os.system(\"rm x\")')",
        "ruby -e 'system(*ARGV)' rm x",
        "ruby -e '`#{ARGV[0]}`' 'rm x'",
        "ruby -ne 'system($_)' <<< 'rm x'",
        "node -e 'require(\"child_process\").execSync(process.argv[1])' 'rm x'",
        "node -e 'require(\"child_process\").spawnSync(process.argv[1],process.argv.slice(2))' rm x",
        "php -r 'system($argv[1]);' 'rm x'",
        "php -r 'passthru(implode(\" \",array_slice($argv,1)));' rm x",
        "lua -e 'os.execute(arg[1])' x 'rm x'",
        "tclsh <(echo 'exec rm x')",
        "awk 'BEGIN{system(ARGV[1])}' 'rm -rf d'",
        "awk 'BEGIN{ARGV[1] | getline}' 'rm -rf d'",
        "awk '{system($0)}' <<< 'rm -rf d'",
        "awk '{print | \"sh\"}' <<< 'rm -rf d'",
        "echo x rm y | awk '{system($2 \" \" $3)}'",
    ],
)
def test_arguments_and_input_that_program_text_runs(script: str) -> None:
    assert reaches(script, ["rm"])


@each(
    "script",
    [
        "sqlite3 x.db '.sh rm -rf d'",
        "sqlite3 x.db <<< '.sy rm x'",
        "sqlite3 -cmd '.sh rm x' x.db",
        "sqlite3 x.db \".once '|rm x'\" 'select 1'",
        "sqlite3 x.db '.output |rm x' 'select 1'",
        "duckdb x.db '.sh rm x'",
        "echo 'syscmd(rm -rf d)' | m4",
        "m4 <<< 'esyscmd(`rm x'\\'')'",
        "m4 <(echo 'syscmd(rm x)')",
        "m4 -Dx='syscmd(rm x)' <<< x",
        "tar cIf 'rm x' a.tar b",
        "tar cfI a.tar 'rm x' b",
        "make CC='rm x' a.o",
        "make MAKE='rm x'",
        "ed '!rm x'",
        "ed -s '!rm x'",
        "tmux if-shell true 'run-shell \"rm x\"'",
        "tmux set -g status-right '#(rm x)'",
        "tmux display-message '#(rm x)'",
        "tmux set-hook -g after-new-window 'run-shell \"rm x\"'",
        "tmux set -g default-command 'rm x'",
        "tmux bind-key x run-shell 'rm x'",
        "tmux command-prompt 'run-shell \"rm x\"'",
        "tmux -f <(echo 'run-shell \"rm x\"') new",
        "tmux source-file - <<< 'run-shell \"rm x\"'",
        "screen -X eval 'rm x'",
        "capsh --shell=/bin/rm -- x",
        "runuser bob -c 'rm x'",
        "runuser -l bob -c 'rm x'",
        "runuser -u bob -- rm x",
        "sg staff -c 'rm x'",
        "newgrp staff -c 'rm x'",
        "newgrp - staff <<< 'rm x'",
        "X=rm env -S '${X} x'",
        "env X=rm env -S '${X} x'",
        "X=rm; export X; env -S '${X} x'",
        "cmake -E env A=1 --unset=B rm x",
        "cmake -E time rm x",
        "cmake -E chdir d rm x",
        "cmake -E remove_directory x",
        "find / -name rm -exec {} x \\;",
        "TAR_OPTIONS='--to-command=rm' tar xf a.tar",
        "export TAR_OPTIONS='--to-command=rm'; tar xf a.tar",
        "GIT_CONFIG_PARAMETERS=\"'alias.z=!rm x'\" git z",
        "BASH_CMDS[ls]=/bin/rm; ls",
        "BASH_ALIASES[ls]='rm x'; ls",
        "ssh -o 'ProxyCommand rm x' h",
        "flock -Zc 'rm x' lock",
    ],
)
def test_commands_in_the_languages_of_programs(script: str) -> None:
    assert reaches(script, ["rm"])


@each(
    "script",
    [
        "python3 -c 'import subprocess,sys; subprocess.run([\"ls\", sys.argv[1]])' rm",
        "python3 -c 'import sys; print(sys.argv[1])' rm",
        "python3 -c 'import sys; print(sys.stdin.read())' <<< 'rm x'",
        "python3 script.py rm x",
        "awk '{print $1}' <<< rm",
        "awk '{print $1 | \"sort\"}' rm",
        "awk -v c=rm '{print c}' f",
        "perl -ne 'print' <<< 'rm x'",
        "perl -e 'print @ARGV' rm x",
        "ruby -e 'puts ARGV[0]' rm",
        "node -e 'console.log(process.argv[1])' rm",
        "node server.js rm",
        "m4 <<< 'rm x'",
        "make PREFIX=rm",
        "tar cf rm x",
        "tar czf rm I",
        "tmux rename-window rm",
        "tmux set -g status-right rm",
        "screen -ls rm",
        "ed rm",
        "sqlite3 rm '.schema rm'",
        "sqlite3 a.db 'select rm from x'",
        "cmake -P rm",
        "cmake -E echo rm",
        "find . -name rm -exec ls {} \\;",
        "NODE_OPTIONS=--max-old-space-size=rm ls",
        "GIT_CONFIG_PARAMETERS=\"'user.name=rm'\" git log",
        "env -S 'ls rm'",
        "uv tool install rm",
        "hyperfine -n rm ls",
        "ssh -o StrictHostKeyChecking=no h",
        "strace -o rm ls",
    ],
)
def test_what_is_only_an_argument_is_no_command(script: str) -> None:
    assert not reaches(script, ["rm"])


@each(
    "script",
    [
        "pnpm exec rm x",
        "pnpm exec -c 'ls; rm x'",
        "pnpm -rc exec 'ls; rm x'",
        "pnpm --shell-mode exec ls '; rm x'",
        "pnpm exec ls 'x; rm x'",  # a setting may turn the shell on
        "pnpm exec $X 'ls; rm x'",
        "pnpm $X 'ls; rm x'",
    ],
)
def test_what_pnpm_hands_to_a_shell(script: str) -> None:
    assert reaches(script, ["rm"])


def test_a_word_behind_what_pnpm_runs_is_no_command() -> None:
    assert not reaches("pnpm exec vitest run", ["run"])
