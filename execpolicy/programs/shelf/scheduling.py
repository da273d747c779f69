"""Programs that run a command with another environment, priority or time limit, or later, or again."""

from __future__ import annotations

from execpolicy.programs.inner import run_text, run_unknown
from execpolicy.programs.input_text import fed_lines
from execpolicy.programs.record import Program, Wrapper
from execpolicy.programs.text_runs import run_file, run_stdin, shown_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


_FIELDS = {"crontab": 5, "incrontab": 2}
"""Fields in front of the command, in a table of jobs."""


def at_job(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``at`` and ``batch``: a shell script on standard input, run later; ``crontab -`` likewise, behind five fields.

    Of ``incrontab`` they are two, a path and what happens to it.
    """

    texts = [word.literal or "" for word in command.words[1:]]
    if name in _FIELDS:
        shown = [text for word in command.words[1:] for text in shown_texts(word, command, facts)]
        if texts and not shown and not any(text in ("-", "/dev/stdin") for text in texts):
            return []
        lines = [line for text in shown for line in text.split("\n")] or fed_lines(command, facts)
        lines = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
        found = []
        for line in lines:
            fields = line.split(None, 1 if line.lstrip().startswith("@") else _FIELDS[name])
            found.append(run_text(name, command, fields[-1]))
        return found or [run_unknown(name, command, "installs jobs that are only known at run time")]
    if "-f" in texts[:-1]:
        return run_file(name, command, facts, command.words[texts.index("-f") + 2], "sh")
    if any(text in ("-l", "-r", "-d", "-c", "-V") for text in texts):
        return []
    return run_stdin(name, command, facts, "sh")


# fmt: off
RECORDS = (
    Program("env genv", Wrapper("-i -0 -v - -u: -C: -S: -a: --ignore-environment --null --unset: --chdir: "
        "--split-string: --block-signal? --default-signal? --ignore-signal? --list-signal-handling --debug --argv0: "
        "--help --version", grant="-i - -u -v -C --ignore-environment --unset --debug --chdir", assignments=True,
        split="-S --split-string", stop="--help --version", folder="-C --chdir", bare="-i - -u --ignore-environment "
        "--unset", called="-a --argv0"), example="env -i A=1 rm x"),
    Program("timeout gtimeout", Wrapper("-k: -s: -v -f -p --kill-after: --signal: --verbose --foreground "
        "--preserve-status --help --version", 1, grant="-k -s -v --kill-after --signal --verbose --foreground "
        "--preserve-status", stop="--help --version"), example="timeout -k 1 5 rm x"),
    Program("nice gnice", Wrapper("-n: --adjustment: --help --version @numeric", grant="-n --adjustment @numeric",
        stop="--help --version"), example="nice -5 rm x"),
    Program("ionice", Wrapper("-c: -n: -p: -P: -u: -t -h -V --class: --classdata: --pid: --pgid: --uid: --ignore "
        "--help --version", grant="-c -n -t --class --classdata --ignore",
        stop="-p -P -u --pid --pgid --uid -h -V --help --version"), example="ionice -c 3 rm x"),
    Program("nohup gnohup", Wrapper("--help --version", grant="", stop="--help --version", keeps=True),
        example="nohup rm x"),
    Program("setsid", Wrapper("-c -f -w -h -V --ctty --fork --wait --help --version", stop="-h -V --help --version"),
        example="setsid -w rm x"),
    Program("stdbuf gstdbuf", Wrapper("-i: -o: -e: --input: --output: --error: --help --version",
        grant="-i -o -e --input --output --error", stop="--help --version"), example="stdbuf -oL rm x"),
    Program("srun salloc", Wrapper("-n: -N: -c: -p: -t: -J: -A: -o: -e: -w: -x: -G: -q: -l -u -v -Q -I"),
        example="srun -n 2 rm x"),
    Program("sbatch", settings="--wrap!", example="sbatch --wrap 'rm x'"),
    Program("run-parts"),
    Program("sv runsv runsvdir s6-svscan s6-supervise"),
    Program("mpirun mpiexec orterun prun", Wrapper("-n: -np: -c: -N: -H: -host: --host: -hostfile: --hostfile: "
        "-machinefile: -f: -ppn: -x: -wdir: --wdir: --map-by: --bind-to: --oversubscribe --allow-run-as-root"),
        example="mpirun -np 2 rm x"),
    Program("noti", Wrapper("-t: -m: -w: -b -s -k -f: --title: --message: --pwatch:"), example="noti rm x"),
    Program("cronic steam-run startx xinit cage gamescope", Wrapper("-d -s -W: -H: -w: -h: -f -b"),
        example="cage -- rm x"),
    Program("wait-for-it wait-for-it.sh wait-for", Wrapper("-h: -p: -t: -s -q --host: --port: --timeout: --strict "
        "--quiet", after="--"), example="wait-for-it h:1 -- rm x"),
    Program("dockerize", Wrapper("-wait: -timeout: -template: -stdout: -stderr: -wait-http-header: -delims: -poll"),
        example="dockerize -wait tcp://h:1 rm x"),
    Program("xdotool", Wrapper("--sync", subcommands="exec"), example="xdotool exec --sync rm x"),
    Program("ydotool dotool wtype eitype"),
    Program("unbuffer", Wrapper("-p"), example="unbuffer rm x"),
    Program("time gtime", Wrapper("-a -v -q -p -o: -f: -V -h --append --verbose --quiet --portability --output: "
        "--format: --version --help", grant="-p", stop="-V -h --version --help"), example="command time -p rm x"),
    Program("chrt", Wrapper("-a -b -d -f -i -m -o -p -r -R -v -h -V -T: -P: -D: --all-tasks --batch --deadline --fifo "
        "--idle --max --other --pid --rr --reset-on-fork --verbose --sched-runtime: --sched-period: --sched-deadline: "
        "--help --version", 1, stop="-m -p -h -V --max --pid --help --version"), example="chrt -f 5 rm x"),
    Program("taskset", Wrapper("-a -p -c -h -V --all-tasks --pid --cpu-list --help --version", 1,
        grant="-c --cpu-list", stop="-p -h -V --pid --help --version"), example="taskset -c 0 rm x"),
    Program("numactl", Wrapper("-a -H -s -l -p: -P: -i: -N: -C: -m: -w: -b -S: -f: -o: -L: -M: -I -t -u -T -V -r "
        "--all --hardware --show --localalloc --preferred: --preferred-many: --interleave: --weighted-interleave: "
        "--cpunodebind: --physcpubind: --membind: --balancing --shm: --file: --offset: --length: --shmmode: --shmid: "
        "--huge --touch --strict --dump --dump-nodes --verify", stop="-H -s --hardware --show"),
        example="numactl -N 0 rm x"),
    Program("prlimit", Wrapper("-c? -d? -e? -f? -i? -l? -m? -n? -o: -p: -q? -r? -s? -t? -u? -v? -x? -y? -h -V "
        "--core? --data? --nice? --fsize? --sigpending? --memlock? --rss? --nofile? --msgqueue? --rtprio? --stack? "
        "--cpu? --nproc? --as? --locks? --rttime? --output: --pid: --noheadings --raw --verbose",
        stop="-p --pid -h -V"), example="prlimit --nofile=5 rm x"),
    Program("choom", Wrapper("-n: -p: --adjust: --pid: --help --version -h -V @permute"), example="choom -n 5 -- rm x"),
    Program("cgexec", Wrapper("-g: -b -r --sticky -h"), example="cgexec -g cpu:a rm x"),
    Program("coresched", Wrapper("-s: -d: -t: -v -h -V --source: --dest: --dest-type: --verbose",
        subcommands="new, copy, get"), example="coresched new -t pid -- rm x"),
    Program("uclampset", Wrapper("-m: -M: -a -p: -s -R -v -h -V --all-tasks --pid: --system --reset-on-fork --verbose"),
        example="uclampset -m 5 rm x"),
    Program("schedtool", Wrapper("-N -F -R -B -I -D -M: -p: -n: -a: -e* -r -v -h @numeric", after="-e"),
        example="schedtool -B -e rm x"),
    Program("systemd-run", Wrapper("-t -P -q -G -r -S -d -H: -M: -u: -p: -E: -C: --scope --unit: --property: "
        "--description: --slice: --slice-inherit --expand-environment: --remain-after-exit --send-sighup "
        "--service-type: --uid: --gid: --nice: --working-directory: --same-dir --setenv: --pty --pipe --quiet "
        "--no-block --wait --collect --user --system --host: --machine: --no-ask-password --shell --on-active: "
        "--on-boot: --on-startup: --on-unit-active: --on-unit-inactive: --on-calendar: --on-clock-change "
        "--on-timezone-change --path-property: --socket-property: --timer-property:"),
        settings="-p! --property!", form="unit", example="systemd-run --user -p A=1 rm x"),
    Program("systemd-inhibit", Wrapper("--what: --who: --why: --mode: --no-pager --no-legend --list"),
        example="systemd-inhibit --what=idle rm x"),
    Program("systemd-cat", Wrapper("-t: -p: --identifier: --priority: --stderr-priority: --level-prefix: --namespace:"),
        example="systemd-cat -t x rm x"),
    Program("flock", Wrapper("-s -x -e -n -u -o -F -v -h -V -w: -E: -c! --shared --exclusive --unlock --nonblock "
        "--nb --timeout: --wait: --conflict-exit-code: --close --no-fork --verbose --command! --help --version "
        "@permute", 1), example="flock -n lock rm x"),
    Program("lckdo", Wrapper("-w -e -W: -E: -s -x -q", 1), example="lckdo lock rm x"),
    Program("setlock", Wrapper("-n -N -x -X", 1), example="setlock d rm x"),
    Program("caffeinate", Wrapper("-d -i -m -s -u -t: -w:", grant="-d -i -m -s -u -t -w"),
        example="caffeinate -i rm x"),
    Program("cpulimit", Wrapper("-l: -p: -e: -P: -b -f -i -k -m -q -r -s: -v -z --limit: --pid: --exe: --path: --"),
        example="cpulimit -l 5 rm x"),
    Program("chronic", Wrapper("-v -e"), example="chronic rm x"),
    Program("ifne", Wrapper("-n"), example="ifne -n rm x"),
    Program("mispipe pee", Wrapper(each=True), example="mispipe ls 'rm x'"),
    Program("eatmydata", Wrapper("--"), example="eatmydata rm x"),
    Program("nocache", Wrapper("-n:"), example="nocache rm x"),
    Program("ssh-agent", Wrapper("-c -D -d -k -s -a: -E: -O: -P: -t: -T -u -U -x"), example="ssh-agent -t 5 rm x"),
    Program("gpg-agent", Wrapper("-q -v -s -c --daemon --server --sh --csh --homedir: --options: --quiet --verbose"),
        example="gpg-agent --daemon rm x"),
    Program("dbus-run-session", Wrapper("--config-file: --dbus-daemon: --help --version"),
        example="dbus-run-session -- rm x"),
    Program("dbus-launch", Wrapper("--sh-syntax --csh-syntax --auto-syntax --binary-syntax --close-stderr "
        "--exit-with-session --exit-with-x11 --autolaunch: --config-file: --version --help"),
        example="dbus-launch --exit-with-session rm x"),
    Program("xvfb-run", Wrapper("-a -l -e: -f: -n: -p: -s: -w: --auto-servernum --listen-tcp --error-file: "
        "--auth-file: --server-num: --xauth-protocol: --server-args: --wait: --auto-display"),
        example="xvfb-run -a rm x"),
    Program("faketime", Wrapper("-m -f --exclude-monotonic --date-prog: --help --version", 1),
        example="faketime yesterday rm x"),
    Program("datefudge", Wrapper("-s --static -h -v", 1), example="datefudge yesterday rm x"),
    Program("logsave", Wrapper("-a -s -v", 1), example="logsave -a log rm x"),
    Program("timelimit", Wrapper("-p -q -f -S: -s: -T: -t:"), example="timelimit -t 5 rm x"),
    Program("retry", Wrapper("-v -t: -m: -s: -d: -u: -x: -h --times: --sleep: --delay: --until: --verbose", after="--"),
        example="retry -t 5 -- rm x"),
    Program("envdir", Wrapper("", 1), example="envdir d rm x"),
    Program("softlimit", Wrapper("-m: -d: -s: -l: -a: -p: -o: -f: -c: -t: -r:"), example="softlimit -m 5 rm x"),
    Program("pgrphack fghack", Wrapper(), example="pgrphack rm x"),
    Program("argv0", Wrapper("", 2, optional=True), example="argv0 rm name x"),
    Program("pidproxy", Wrapper("", 1), example="pidproxy d rm x"),
    Program("dtach", Wrapper("-a: -A: -c: -n: -N: -e: -E -r: -R: -z", 1, optional=True),
        example="dtach -n socket rm x"),
    Program("abduco", Wrapper("-a -A: -c: -n: -e: -f -l -p -q -r -v", 1, optional=True), example="abduco -n name rm x"),
    Program("tsp", Wrapper("-n -f -m -d -B -g -E -L: -N: -D: -W: -G: -K -C -l -V -h", stop="-K -C -l -V -h"),
        example="tsp -n rm x"),
    Program("pueue", Wrapper("-w: -i -e -s -d: -a* -g: -o: -l: -p --working-directory: --immediate --escape "
        "--stashed --delay: --after* --group: --priority: --label: --print-task-id --follow", subcommands="add",
        joined=True), leading="-v -c: -p: --color: --config: --profile:", example="pueue add -g x -- rm x"),
    Program("execlineb", settings="-c! -Pc! -Wc! -PWc! -Sc!", example="execlineb -Pc 'rm x'"),
    Program("nq", Wrapper("-c -q -w -t"), example="nq -q rm x"),
    Program("trickle", Wrapper("-h -v -V -s -d: -u: -w: -t: -l: -n: -N: -L: -P:"), example="trickle -d 5 rm x"),
    Program("winpty", Wrapper("--mouse --showkey --version --help -X:"), example="winpty rm x"),
    Program("zrun", Wrapper(), example="zrun rm x"),
    Program("tini", Wrapper("-g -s -v -w -p: -e: -l -h"), example="tini -g -- rm x"),
    Program("dumb-init", Wrapper("-c -v -r: --single-child --verbose --rewrite:"), example="dumb-init -c rm x"),
    Program("watch", Wrapper("-b -c -C -d? -e -f -g -h -p -r -t -v -w -x -n: -q: -s: --beep --color --no-color "
        "--differences? --errexit --follow --chgexit --precise --no-rerun --no-title --no-wrap --exec --interval: "
        "--equexit: --shotsdir: --help", joined=True, direct="-x --exec"), example="watch -n 5 rm x"),
    Program("at batch", carries=at_job, always="it runs commands later", example="at now <<< 'rm x'",
        worst="load -f /tmp/evil now"),
    Program("crontab", carries=at_job, always="it installs commands that run later",
        example="crontab - <<< '0 0 * * * rm x'",
        worst="load /tmp/evil"),
    Program("incrontab", carries=at_job, always="it installs commands that run later",
        example="incrontab - <<< '/a IN_MODIFY rm x'", worst="load /tmp/evil"),
    Program("start-stop-daemon", Wrapper("-S -K -T -H -V -b -m -o -q -t -v -C -x* -a* -p: -n: -u: -c: -g: -s: -r: "
        "-d: -N: -P: -I: -k: -R: -O: --start --stop --exec* --startas* --pidfile: --name: --user: --chuid: --group: "
        "--signal: --chroot: --chdir: --nicelevel: --procsched: --iosched: --umask: --make-pidfile --background "
        "--oknodo --test --quiet --verbose --retry: --remove-pidfile --no-close --output: --ppid: --pid:"),
        example="start-stop-daemon --start --exec /bin/rm -- x"),
    Program("daemonize", Wrapper("-a -v -c: -e: -o: -p: -l: -u: -E:"), example="daemonize -c / rm x"),
    Program("viddy", Wrapper("-n: -d -b -e -p -t -s -x --interval: --differences --no-title", joined=True),
        example="viddy -n 1 rm x"),
    Program("bsub", Wrapper("-q: -n: -o: -e: -J: -W: -M: -R: -P: -m: -w: -I -Is -K"), example="bsub -q a rm x"),
    Program("qsub", Wrapper("-b: -N: -q: -l: -o: -e: -cwd -V -sync: -pe&"), example="qsub -b y rm x",
        far=True, worst="run evil.sh"),
    Program("condor_run", Wrapper("-u: -a:", joined=True), example="condor_run 'rm x'"),
    Program("gamemoderun mangohud optirun primusrun prime-run", Wrapper("-b: -d: -v --dlsym"),
        example="gamemoderun rm x"),
    Program("cputool", Wrapper("-c: -l: -p: -v"), example="cputool -c 5 -- rm x"),
    Program("annotate-output", Wrapper("-h", 1, optional=True), example="annotate-output +%F rm x"),
    Program("daemon", Wrapper("-n: -u: -D: -o: -r -v? -X! --name: --command! --respawn --chdir:"),
        example="daemon -n a -- rm x"),
    Program("lockrun", Wrapper("--lockfile: --maxtime: --wait --verbose --quiet", after="--"),
        example="lockrun --lockfile=a -- rm x"),
    Program("solo", Wrapper("-port: -silent -verbose"), example="solo -port=1 rm x"),
    Program("multitime", Wrapper("-n: -b: -i! -r! -o! -q -s: -v -l -I:"), example="multitime -n 2 rm x"),
    Program("gum", Wrapper("-s: --spinner: --title: --show-output --show-error --align: --timeout:",
        subcommands="spin"), example="gum spin --title a -- rm x"),
)
