"""Programs that run the command given in their own argument vector, with their option grammars.

Sources: the manual pages and ``--help`` texts of GNU coreutils 9.1, findutils 4.9, util-linux 2.38, procps 4.0, sudo
1.9, doas 6.8, OpenSSH 9.2, strace 6.1, ltrace 0.7, valgrind 3.19, systemd 252, bash 5.2 and of each program named.
A grammar that lacks an option stays correct for restricting: an unknown option is read both with and without a value.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Wrapper:
    """How to find the inner command of one program.

    Attributes:
        options: the grammar, see :mod:`execpolicy.programs.options`.
        operands: operands before the inner command (``timeout``: the duration).
        grant: options that change nothing but how the inner command is scheduled, buffered or timed, so that a grant
            looks through; ``None`` if it never does.
        assignments: ``NAME=value`` operands are assignments for the inner command.
        joined: what follows is joined with blanks and given to a shell.
        stop: options with which it runs nothing.
        shell: without a command it starts a shell that reads standard input.
        subcommands: it does so only under one of these first operands.
        optional: the operands may be left out.
        after: words behind which the inner command also starts (``nix shell -c``).
    """

    __slots__ = (
        "after",
        "assignments",
        "grant",
        "joined",
        "operands",
        "optional",
        "options",
        "shell",
        "stop",
        "subcommands",
    )

    def __init__(
        self,
        options: str = "",
        operands: int = 0,
        *,
        grant: str | None = None,
        assignments: bool = False,
        joined: bool = False,
        stop: str = "",
        shell: bool = False,
        subcommands: str = "",
        optional: bool = False,
        after: str = "",
    ) -> None:
        self.optional = optional
        self.after = after
        self.options = options
        self.operands = operands
        self.grant = grant
        self.assignments = assignments
        self.joined = joined
        self.stop = stop
        self.shell = shell
        self.subcommands = subcommands


_SSH = (
    "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B: -b: -c: -D: -E: -e: -F: -I: -i: -J: -L: "
    "-l: -m: -O: -o: -P: -p: -Q: -R: -S: -W: -w: @permute"
)
_STRACE = (
    "-C -c -D -d -f -F -h -i -k -n -N -q -r -t -T -v -V -w -x -y -Y -z -Z -A -a: -b: -e: -E: -I: -o: -O: -p: -P: -s: "
    "-S: -u: -U: -X: --output: --attach: --env: --user: --string-limit: --trace: --follow-forks --seccomp-bpf "
    "--quiet? --decode-fds? --strings-in-hex? --timestamps? --relative-timestamps? --syscall-times? --failed-only "
    "--successful-only --summary --summary-only --stack-traces --instruction-pointer --no-abbrev --interruptible: "
    "--columns: --detach-on: --const-print-style: --status: --kill-on-exit --daemonize? --argv0:"
)
_SU = (
    "-l -m -p -f -P -T -c! -s* -u: -g: -G: -w: - --login --fast --preserve-environment --pty --no-pty --command! "
    "--session-command! --shell* --user: --group: --supp-group: --whitelist-environment: @permute"
)
_SYSTEMD_RUN = (
    "-t -P -q -G -r -S -d -H: -M: -u: -p: -E: -C: --scope --unit: --property: --description: --slice: "
    "--slice-inherit --expand-environment: --remain-after-exit --send-sighup --service-type: --uid: --gid: "
    "--nice: --working-directory: --same-dir --setenv: --pty --pipe --quiet --no-block --wait --collect "
    "--user --system --host: --machine: --no-ask-password --shell --on-active: --on-boot: --on-startup: "
    "--on-unit-active: --on-unit-inactive: --on-calendar: --on-clock-change --on-timezone-change "
    "--path-property: --socket-property: --timer-property:"
)
_DOCKER_EXEC = (
    "-d -i -t -e: -u: -w: -T --detach --detach-keys: --env: --env-file: --interactive --privileged --tty --user: "
    "--workdir: --index: --latest -l"
)
_DOCKER_RUN = (
    "-d -i -t -P -q -a: -c: -e: -h: -l: -m: -p: -u: -v: -w: --detach --interactive --tty --rm --init "
    "--privileged --read-only --publish-all --quiet --no-healthcheck --oom-kill-disable --sig-proxy "
    "--disable-content-trust --entrypoint* --env: --env-file: --volume: --volumes-from: --name: --network: "
    "--net: --user: --workdir: --publish: --platform: --pull: --label: --label-file: --hostname: --mount: "
    "--memory: --cpus: --cpuset-cpus: --cpu-shares: --gpus: --device: --cap-add: --cap-drop: --security-opt: "
    "--restart: --shm-size: --tmpfs: --ulimit: --userns: --uts: --pid: --ipc: --ip: --ip6: --link: "
    "--log-driver: --log-opt: --mac-address: --memory-swap: --dns: --dns-search: --dns-option: --domainname: "
    "--expose: --group-add: --health-cmd! --add-host: --annotation: --attach: --blkio-weight: "
    "--cgroup-parent: --cgroupns: --cidfile: --detach-keys: --isolation: --kernel-memory: --runtime: "
    "--stop-signal: --stop-timeout: --storage-opt: --sysctl: --volume-driver: --arch: --os: --pod: --secret: "
    "-T --no-deps --service-ports --use-aliases --build --no-TTY --remove-orphans --no-tty"
)
_KUBE = (
    "-n: -s: -c: -i -t -q -f: --namespace: --context: --cluster: --kubeconfig: --user: --server: --token: --as: "
    "--as-group: --container: --stdin --tty --quiet --filename: --pod-running-timeout: --request-timeout: "
    "--insecure-skip-tls-verify --certificate-authority: --client-certificate: --client-key: --v: --image: --target: "
    "--share-processes --copy-to: --profile: --env: --attach --command --rm --restart: --labels: -l: --overrides: "
    "--port: --image-pull-policy: --dry-run: --leave-stdin-open --service-account: -it -ti @permute"
)

WRAPPERS: Mapping[str, Wrapper] = {
    # Privilege and identity
    "sudo": Wrapper(
        "-A -b -B -E -e -H -i -K -k -l -n -N -P -S -s -V -v -C: -D: -g: -h: -p: -R: -r: -T: -t: -U: -u: -a: -c: "
        "--askpass --background --bell --close-from: --chdir: --edit --preserve-env? --group: --set-home --host: "
        "--login --remove-timestamp --reset-timestamp --list --non-interactive --no-update --preserve-groups "
        "--prompt: --chroot: --role: --stdin --shell --type: --command-timeout: --other-user: --user: --validate "
        "--version --help",
        assignments=True,
        stop="-K -V -v --remove-timestamp --validate --version --help",
    ),
    "doas": Wrapper("-L -n -s -a: -C: -u:", stop="-L"),
    "pkexec": Wrapper("--disable-internal-agent --keep-cwd --user: --version --help"),
    "su": Wrapper(_SU, 1, shell=True),
    "runuser": Wrapper(_SU, shell=True),
    "sg": Wrapper("-c! -", 1, joined=True),
    "gosu": Wrapper("", 1),
    "su-exec": Wrapper("", 1),
    "chpst": Wrapper("-v -V -P -0 -1 -2 -u: -U: -b: -e: -/: -n: -l: -L: -m: -d: -o: -p: -f: -c: -r: -t:"),
    "setpriv": Wrapper(
        "-d -h -V --dump --nnp --no-new-privs --ambient-caps: --inh-caps: --bounding-set: --ruid: --euid: --reuid: "
        "--rgid: --egid: --regid: --groups: --clear-groups --keep-groups --init-groups --securebits: --pdeathsig: "
        "--selinux-label: --apparmor-profile: --reset-env --list-caps",
    ),
    "runcon": Wrapper("-c -t: -u: -r: -l: --compute --type: --user: --role: --range:", 1, optional=True),
    # Environment, time and scheduling
    "env": Wrapper(
        "-i -0 -v - -u: -C: -S: -a: --ignore-environment --null --unset: --chdir: --split-string: --block-signal? "
        "--default-signal? --ignore-signal? --list-signal-handling --debug --argv0: --help --version",
        grant="",
        assignments=True,
        stop="--help --version",
    ),
    "timeout": Wrapper(
        "-k: -s: -v -f -p --kill-after: --signal: --verbose --foreground --preserve-status --help --version",
        1,
        grant="-k -s -v --kill-after --signal --verbose --foreground --preserve-status",
        stop="--help --version",
    ),
    "nice": Wrapper(
        "-n: --adjustment: --help --version @numeric", grant="-n --adjustment @numeric", stop="--help --version"
    ),
    "ionice": Wrapper(
        "-c: -n: -p: -P: -u: -t -h -V --class: --classdata: --pid: --pgid: --uid: --ignore --help --version",
        grant="-c -n -t --class --classdata --ignore",
        stop="-p -P -u --pid --pgid --uid -h -V --help --version",
    ),
    "nohup": Wrapper("--help --version", stop="--help --version"),
    "setsid": Wrapper("-c -f -w -h -V --ctty --fork --wait --help --version", stop="-h -V --help --version"),
    "stdbuf": Wrapper(
        "-i: -o: -e: --input: --output: --error: --help --version",
        grant="-i -o -e --input --output --error",
        stop="--help --version",
    ),
    "unbuffer": Wrapper("-p"),
    "time": Wrapper(
        "-a -v -q -p -o: -f: -V -h --append --verbose --quiet --portability --output: --format: --version --help",
        grant="-p",
        stop="-V -h --version --help",
    ),
    "chrt": Wrapper(
        "-a -b -d -f -i -m -o -p -r -R -v -h -V -T: -P: -D: --all-tasks --batch --deadline --fifo --idle --max --other "
        "--pid --rr --reset-on-fork --verbose --sched-runtime: --sched-period: --sched-deadline: --help --version",
        1,
        stop="-m -p -h -V --max --pid --help --version",
    ),
    "taskset": Wrapper(
        "-a -p -c -h -V --all-tasks --pid --cpu-list --help --version",
        1,
        grant="-c --cpu-list",
        stop="-p -h -V --pid --help --version",
    ),
    "numactl": Wrapper(
        "-a -H -s -l -p: -P: -i: -N: -C: -m: -w: -b -S: -f: -o: -L: -M: -I -t -u -T -V -r --all --hardware --show "
        "--localalloc --preferred: --preferred-many: --interleave: --weighted-interleave: --cpunodebind: "
        "--physcpubind: --membind: --balancing --shm: --file: --offset: --length: --shmmode: --shmid: --huge "
        "--touch --strict --dump --dump-nodes --verify",
        stop="-H -s --hardware --show",
    ),
    "prlimit": Wrapper(
        "-c? -d? -e? -f? -i? -l? -m? -n? -o: -p: -q? -r? -s? -t? -u? -v? -x? -y? -h -V --core? --data? --nice? "
        "--fsize? --sigpending? --memlock? --rss? --nofile? --msgqueue? --rtprio? --stack? --cpu? --nproc? --as? "
        "--locks? --rttime? --output: --pid: --noheadings --raw --verbose",
        stop="-p --pid -h -V",
    ),
    "choom": Wrapper("-n: -p: --adjust: --pid: --help --version -h -V @permute"),
    "cgexec": Wrapper("-g: -b -r --sticky -h"),
    "systemd-run": Wrapper(_SYSTEMD_RUN),
    "systemd-inhibit": Wrapper("--what: --who: --why: --mode: --no-pager --no-legend --list"),
    "flock": Wrapper(
        "-s -x -e -n -u -o -F -v -h -V -w: -E: -c! --shared --exclusive --unlock --nonblock --nb --timeout: --wait: "
        "--conflict-exit-code: --close --no-fork --verbose --command! --help --version @permute",
        1,
    ),
    "caffeinate": Wrapper("-d -i -m -s -u -t: -w:"),
    "cpulimit": Wrapper("-l: -p: -e: -P: -b -f -i -k -m -q -r -s: -v -z --limit: --pid: --exe: --path: --"),
    "chronic": Wrapper("-v -e", stop=""),
    "ifne": Wrapper("-n"),
    "mispipe": Wrapper("", joined=True),
    "lckdo": Wrapper("-w -e -W: -E: -s -x -q", 1),
    "eatmydata": Wrapper("--"),
    "dbus-run-session": Wrapper("--config-file: --dbus-daemon: --help --version"),
    "xvfb-run": Wrapper(
        "-a -l -e: -f: -n: -p: -s: -w: --auto-servernum --listen-tcp --error-file: --auth-file: --server-num: "
        "--xauth-protocol: --server-args: --wait: --auto-display"
    ),
    "ssh-agent": Wrapper("-c -D -d -k -s -a: -E: -O: -P: -t: -T -u -U -x"),
    "gpg-agent": Wrapper("-q -v -s -c --daemon --server --sh --csh --homedir: --options: --quiet --verbose"),
    "dbus-launch": Wrapper(
        "--sh-syntax --csh-syntax --auto-syntax --binary-syntax --close-stderr --exit-with-session --exit-with-x11 "
        "--autolaunch: --config-file: --version --help"
    ),
    "newgrp": Wrapper("-c! - -l", 1, shell=True, optional=True),
    "aa-exec": Wrapper("-p: -n: -i -d -v -h --profile: --namespace: --immediate --debug --verbose"),
    "run0": Wrapper(
        "-u: -g: -D: -E: --unit: --property: --description: --slice: --slice-inherit --user: --group: --nice: --chdir: "
        "--setenv: --background: --machine: --pty --pipe --shell-prompt-prefix: --no-ask-password --lightweight: -V"
    ),
    "sudo-rs": Wrapper("-A -b -E -H -i -K -k -l -n -S -s -V -v -D: -g: -h: -p: -R: -u: -U: -C:", assignments=True),
    "please": Wrapper("-a: -c -d: -e: -g: -h -l -n -p -r: -t: -u: -v -w"),
    "kdesu": Wrapper("-c! -u: -n -t -d --"),
    "kdesudo": Wrapper("-c! -u: -n -t -d --"),
    "gksudo": Wrapper("-u: -k -S -m: -g -d -P: -w -D: -l --", joined=True),
    "gksu": Wrapper("-u: -k -S -m: -g -d -P: -w -D: -l --", joined=True),
    "beesu": Wrapper("-l -m -P -c! -"),
    "faketime": Wrapper("-m -f --exclude-monotonic --date-prog: --help --version", 1),
    "datefudge": Wrapper("-s --static -h -v", 1),
    "coresched": Wrapper(
        "-s: -d: -t: -v -h -V --source: --dest: --dest-type: --verbose", subcommands="new copy get", after="--"
    ),
    "uclampset": Wrapper("-m: -M: -a -p: -s -R -v -h -V --all-tasks --pid: --system --reset-on-fork --verbose"),
    "schedtool": Wrapper("-N -F -R -B -I -D -M: -p: -n: -a: -e* -r -v -h @numeric", after="-e"),
    "logsave": Wrapper("-a -s -v", 1),
    "timelimit": Wrapper("-p -q -f -S: -s: -T: -t:"),
    "retry": Wrapper("-v -t: -m: -s: -d: -u: -x: -h --times: --sleep: --delay: --until: --verbose", after="--"),
    "setuidgid": Wrapper("-s", 1),
    "envuidgid": Wrapper("-D", 1),
    "envdir": Wrapper("", 1),
    "softlimit": Wrapper("-m: -d: -s: -l: -a: -p: -o: -f: -c: -t: -r:"),
    "setlock": Wrapper("-n -N -x -X", 1),
    "pgrphack": Wrapper(""),
    "fghack": Wrapper(""),
    "argv0": Wrapper("", 2, optional=True),
    "pidproxy": Wrapper("", 1),
    "dtach": Wrapper("-a: -A: -c: -n: -N: -e: -E -r: -R: -z", after="", optional=True, operands=1),
    "abduco": Wrapper("-a -A: -c: -n: -e: -f -l -p -q -r -v", 1, optional=True),
    "tsp": Wrapper("-n -f -m -d -B -g -E -L: -N: -D: -W: -G:", stop="-K -C -l -V -h"),
    "nq": Wrapper("-c -q -w -t"),
    "zrun": Wrapper(""),
    "nocache": Wrapper("-n:"),
    "trickle": Wrapper("-h -v -V -s -d: -u: -w: -t: -l: -n: -N: -L: -P:"),
    "winpty": Wrapper("--mouse --showkey --version --help -X:"),
    "kcov": Wrapper("--include-path: --exclude-path: --collect-only --report-only --verify --pid:", 1),
    "rr": Wrapper("-n -h -c: -M -w -v: --chaos --wait", subcommands="record"),
    "heaptrack": Wrapper("-o: -r -p: --output: --record-only --raw --use-inject"),
    "gdbserver": Wrapper("--once --multi --attach --debug --no-startup-with-shell --wrapper*", 1),
    "uftrace": Wrapper("-F: -N: -P: -A: -R: -D: -d: -t: -a -k -e -v", subcommands="record live"),
    "qemu-x86_64": Wrapper("-L: -cpu: -E: -U: -g: -0: -s: -R: -B: -d: -D: -p: -strace -singlestep"),
    "qemu-aarch64": Wrapper("-L: -cpu: -E: -U: -g: -0: -s: -R: -B: -d: -D: -p: -strace -singlestep"),
    "nsjail": Wrapper("-M: -C: -c: -u: -g: -H: -D: -t: -Q -q -v -e -R: -B: -T:", after="--"),
    "minijail0": Wrapper("-u: -g: -c: -C: -P: -b: -k: -S: -T: -e -i -I -l -n -N -p -r -s -t -U -v -w"),
    "landrun": Wrapper(
        "--ro: --rox: --rw: --rwx: --env: --bind-tcp: --connect-tcp: --best-effort --unrestricted-network"
    ),
    "systemd-nspawn": Wrapper(
        "-D: -M: -i: -u: -b -q -x -n -U -E: --directory: --image: --machine: --user: --boot --quiet --ephemeral "
        "--bind: --bind-ro: --setenv: --as-pid2 --chdir: --private-network --network-veth --pipe --console:"
    ),
    "systemd-cat": Wrapper("-t: -p: --identifier: --priority: --stderr-priority: --level-prefix: --namespace:"),
    "lxc-attach": Wrapper("-n: -e -s: -R -v: -u: -g: -l: -o: -P: --name: --clear-env --keep-env", after="--"),
    "schroot": Wrapper(
        "-c: -u: -d: -s: -n: -p -q -v -a -b -e -f -r --chroot: --user: --directory: --shell: --preserve-environment",
        after="--",
    ),
    "arch-chroot": Wrapper("-N -S -r -u:", 1, shell=True),
    "tini": Wrapper("-g -s -v -w -p: -e: -l -h"),
    "dumb-init": Wrapper("-c -v -r: --single-child --verbose --rewrite:"),
    "ccache": Wrapper("-c -C -s -z -p -h -V -F: -M: -o: -k:"),
    "sccache": Wrapper(""),
    "distcc": Wrapper(""),
    "bear": Wrapper("--output: --append --config: --force-preload --force-wrapper --verbose -a -o: --"),
    # Namespaces, sandboxes, roots
    "chroot": Wrapper("--groups: --userspec: --skip-chdir --help --version", 1, shell=True),
    "unshare": Wrapper(
        "-m? -u? -i? -n? -p? -U? -C? -T? -f -r -c -R: -w: -S: -G: -l: --mount? --uts? --ipc? --net? --pid? --user? "
        "--cgroup? --time? --fork --kill-child? --mount-proc? --map-root-user --map-current-user --map-user: "
        "--map-group: --map-users: --map-groups: --map-auto --propagation: --setgroups: --root: --wd: --setuid: "
        "--setgid: --keep-caps --monotonic: --boottime: --load-interp:",
        shell=True,
    ),
    "nsenter": Wrapper(
        "-a -t: -m? -u? -i? -n? -p? -C? -U? -T? -S: -G: -r? -w? -W: -F -Z -e -N: --all --target: --mount? --uts? "
        "--ipc? --net? --pid? --cgroup? --user? --time? --setuid: --setgid: --preserve-credentials --root? --wd? "
        "--wdns: --no-fork --follow-context --env --keep-caps",
        shell=True,
    ),
    "setarch": Wrapper(
        "-B -F -I -L -R -S -T -X -Z -3 -v --32bit --fdpic-funcptrs --short-inode --addr-compat-layout "
        "--addr-no-randomize --whole-seconds --sticky-timeouts --read-implies-exec --mmap-page-zero --3gb --4gb "
        "--uname-2.6 --verbose --list --show? -p? --pid? @permute",
        1,
        optional=True,
    ),
    "linux32": Wrapper("-B -F -I -L -R -S -T -X -Z -3 -v --32bit --addr-no-randomize --uname-2.6 --verbose"),
    "linux64": Wrapper("-B -F -I -L -R -S -T -X -Z -3 -v --32bit --addr-no-randomize --uname-2.6 --verbose"),
    "i386": Wrapper("-B -F -I -L -R -S -T -X -Z -3 -v --32bit --addr-no-randomize --uname-2.6 --verbose"),
    "x86_64": Wrapper("-B -F -I -L -R -S -T -X -Z -3 -v --32bit --addr-no-randomize --uname-2.6 --verbose"),
    "arch": Wrapper("-32 -64 -c -h -x86_64 -arm64 -arm64e -i386 -d: -e: -arch:"),
    "firejail": Wrapper("-c! -q --quiet --noprofile --private --net: --join: --shell* --debug --force"),
    "bwrap": Wrapper(
        "--bind& --bind-try& --dev-bind& --dev-bind-try& --ro-bind& --ro-bind-try& --remount& --setenv& --symlink& "
        "--file& --bind-data& --ro-bind-data& --chmod& --bind-fd& --ro-bind-fd& --overlay-src: --tmp-overlay: "
        "--unshare-all --unshare-user --unshare-user-try --unshare-ipc --unshare-pid --unshare-net --unshare-uts "
        "--unshare-cgroup --unshare-cgroup-try --share-net --die-with-parent --new-session --as-pid-1 --clearenv "
        "--disable-userns --assert-userns-disabled --args: --argv0: --level-prefix --userns: --userns2: --pidns: "
        "--uid: --gid: --hostname: --chdir: --unsetenv: --lock-file: --sync-fd: --remount-ro: --proc: --dev: "
        "--tmpfs: --mqueue: --dir: --exec-label: --file-label: --seccomp: --add-seccomp-fd: --block-fd: "
        "--userns-block-fd: --info-fd: --json-status-fd: --cap-add: --cap-drop: --perms: --size:"
    ),
    "fakeroot": Wrapper("-u -h -v -l: -i: -s: -b: --lib: --faked: --unknown-is-real --fd-base:", shell=True),
    "fakechroot": Wrapper("-s -h -v -l: -e: -c: -d: --lib: --environment: --config-dir: --use-system-libs"),
    "proot": Wrapper("-r: -b: -q: -w: -v: -R: -S: -k: -0 -i: --rootfs: --bind: --qemu: --pwd: --cwd: --kill-on-exit"),
    "proxychains": Wrapper("-q -f:"),
    "proxychains4": Wrapper("-q -f:"),
    "torsocks": Wrapper("-u: -p: -a: -P: -q -d -i --user: --pass: --address: --port: --isolate --quiet --debug"),
    "torify": Wrapper("-v -h"),
    "tsocks": Wrapper(""),
    "catchsegv": Wrapper(""),
    "rlwrap": Wrapper(
        "-a? -A? -b: -c -C: -D: -e: -E -f: -F -g: -h -H: -i -I -l: -m? -M: -n -N -o -O: -p? -P: -q: -r -R -s: -S: -t: "
        "-T -u -U -v -w: -W? -X -z: --always-readline? --break-chars: --complete-filenames --command-name: "
        "--history-no-dupes: --file: --filter: --prompt-colour? --remember --substitute-prompt: --wait-before-prompt:"
    ),
    "distrobox-enter": Wrapper("-n: -e -T --name: --"),
    "flatpak-spawn": Wrapper("--host --clear-env --watch-bus --env: --directory: --sandbox --no-network -v"),
    "ld.so": Wrapper(
        "--library-path: --preload: --audit: --argv0: --inhibit-rpath: --glibc-hwcaps-prepend: --glibc-hwcaps-mask: "
        "--inhibit-cache --list --verify --list-tunables --list-diagnostics --help"
    ),
    # Shell builtins and zsh's precommand modifiers
    "command": Wrapper("-p -v -V", grant="", stop="-v -V"),
    "builtin": Wrapper("", grant=""),
    "exec": Wrapper("-c -l -a:", grant=""),
    "noglob": Wrapper(""),
    "nocorrect": Wrapper(""),
    # Tracers and profilers
    "strace": Wrapper(_STRACE, assignments=False),
    "ltrace": Wrapper(
        "-c -C -b -f -i -L -r -S -t -T -V -h -a: -A: -D: -e: -F: -l: -n: -o: -p: -s: -u: -w: -x: --align: --config: "
        "--debug: --demangle --indent: --library: --output: --where:"
    ),
    "valgrind": Wrapper("-d -v -q -h --"),
    "hyperfine": Wrapper(
        "-i -N -s: -p! -w: -m: -M: -r: -S* -L: -P: -n: -D: -c! -u: --prepare! --setup! --cleanup! --conclude! "
        "--warmup: --min-runs: --max-runs: --runs: --shell* --export-json: --export-csv: --export-markdown: "
        "--ignore-failure --show-output --style: --parameter-list: --parameter-scan: --command-name: --time-unit:",
        joined=True,
    ),
    "watch": Wrapper(
        "-b -c -C -d? -e -f -g -h -p -r -t -v -w -x -n: -q: -s: --beep --color --no-color --differences? --errexit "
        "--follow --chgexit --precise --no-rerun --no-title --no-wrap --exec --interval: --equexit: --shotsdir: --help",
        joined=True,
    ),
    "ssh": Wrapper(_SSH, 1, joined=True, shell=True, stop="-G -V -Q"),
    "mosh": Wrapper("--ssh! --server: --client* --predict: -p: --port: -a -n -4 -6 --no-init --local @permute", 1),
    "rsh": Wrapper("-l: -n -d -K @permute", 1, joined=True),
    "sshpass": Wrapper("-f: -d: -p: -e -P: -v -h -V"),
    "autossh": Wrapper(_SSH.replace("-M", "-M:"), 1, joined=True),
    # Language tool chains
    "npx": Wrapper(
        "-y -p: -c! -q -w: --yes --no --no-install --package: --call! --quiet --shell: --workspace: --workspaces "
        "--ignore-existing --prefix: --cache: --userconfig: --node-arg: -n:"
    ),
    "bunx": Wrapper("--bun --silent --verbose -p: --package:"),
    "uvx": Wrapper(
        "-p: -n -q -v --from: --with: --python: --with-editable: --with-requirements: --isolated --index-url:"
    ),
    "direnv": Wrapper("", 1, subcommands="exec"),
    "dotenv": Wrapper(
        "-f: -e: -v: -c: -q: -p: -o --file: --quote: --export: --override --no-override", subcommands="run"
    ),
    "dotenvx": Wrapper("-f: -e: -fk: --env-file: --env: --overload --quiet", subcommands="run"),
    "aws-vault": Wrapper(
        "-d: -n -j -t: -s --duration: --no-session --region: --ecs-server --server", 1, subcommands="exec"
    ),
    "doppler": Wrapper("-p: -c: -t: --project: --config: --token: --command! --mount: --fallback:", subcommands="run"),
    "op": Wrapper("--env-file: --account: --no-masking", subcommands="run"),
    "chamber": Wrapper("-b: -r: --pristine --strict", 1, subcommands="exec"),
    "infisical": Wrapper("--env: --path: --projectId: --token: --command!", subcommands="run"),
    "rbenv": Wrapper("", subcommands="exec"),
    "pyenv": Wrapper("", subcommands="exec"),
    "nodenv": Wrapper("", subcommands="exec"),
    "asdf": Wrapper("", subcommands="exec"),
    "mise": Wrapper("-C: -c! -j: -q -v -y --cd: --command! --jobs: --raw", subcommands="exec x"),
    "volta": Wrapper("--node: --npm: --pnpm: --yarn: --bundled-npm --no-yarn", subcommands="run"),
    "fnm": Wrapper("--using: --fnm-dir:", subcommands="exec"),
    "bundle": Wrapper("--keep-file-descriptors --gemfile: --verbose", subcommands="exec e"),
    "bundler": Wrapper("--keep-file-descriptors --gemfile: --verbose", subcommands="exec e"),
    "poetry": Wrapper("-C: -P: -q -v -n --directory: --project: --ansi --no-ansi --no-interaction", subcommands="run"),
    "pipenv": Wrapper("--python: -q -v --site-packages --verbose", subcommands="run"),
    "pdm": Wrapper("-p: -v -q -s -c: --project: --site-packages --config: --env-file:", subcommands="run"),
    "hatch": Wrapper("-e: -p: -q -v --env: --project: --color --no-color --data-dir: --cache-dir:", subcommands="run"),
    "rye": Wrapper("-l -v -q --pyproject: --list", subcommands="run"),
    "uv": Wrapper(
        "-p: -n -q -v -m: -s -w: --python: --with: --with-editable: --with-requirements: --from: --project: "
        "--directory: --extra: --group: --only-group: --no-group: --env-file: --index: --index-url: "
        "--extra-index-url: --package: --no-extra: --cache-dir: --color: --config-file: --refresh-package: "
        "--python-platform: --link-mode: --resolution: --prerelease: --exclude-newer: --module: --isolated "
        "--frozen --locked --no-sync --offline --no-project --active --all-extras --all-groups --no-dev --dev "
        "--only-dev --script --quiet --verbose",
        subcommands="run tool",
    ),
    "pipx": Wrapper("--spec: --python: --pip-args: --no-cache --path --verbose --quiet", subcommands="run"),
    "conda": Wrapper("-n: -p: -v --name: --prefix: --cwd: --no-capture-output --live-stream", subcommands="run"),
    "mamba": Wrapper("-n: -p: -v --name: --prefix: --cwd: --no-capture-output --live-stream", subcommands="run"),
    "micromamba": Wrapper("-n: -p: -r: -a: -e: -d --name: --prefix: --cwd: --attach: --env:", subcommands="run"),
    "npm": Wrapper(
        "-y -w: -c! -s -d -q --yes --package: --call! --prefix: --workspace: --workspaces --silent --userconfig: "
        "--cache:",
        subcommands="exec x",
    ),
    "pnpm": Wrapper(
        "-r -c -w -C: -F: --recursive --parallel --filter: --dir: --package: --shell-mode --silent --workspace-root "
        "--allow-build: --reporter:",
        subcommands="exec dlx",
    ),
    "yarn": Wrapper("-p: -q --package: --cwd: --silent", subcommands="exec dlx run"),
    "bun": Wrapper("--bun --silent --cwd:", subcommands="x"),
    "rustup": Wrapper("--install", 1, subcommands="run"),
    "opam": Wrapper("--switch: --root: --set-switch --set-root --color:", subcommands="exec"),
    "dune": Wrapper("--root: --profile: --build-dir: --no-build", subcommands="exec"),
    "stack": Wrapper("--resolver: --stack-yaml: --package: --cwd:", subcommands="exec"),
    "cabal": Wrapper("-v: -w: --project-file: --builddir:", subcommands="exec"),
    "nix": Wrapper(
        "-c -f: -I: -L -v --command --file: --impure --offline --extra-experimental-features: --refresh",
        after="-c --command",
        subcommands="shell develop run",
    ),
    "guix": Wrapper(
        "-C -D -N -m: -p: --container --pure --manifest: --profile:", after="--", subcommands="shell environment"
    ),
    "devbox": Wrapper("-c: -q --config: --quiet --env: --env-file:", subcommands="run"),
    "start-stop-daemon": Wrapper(
        "-S -K -T -H -V -b -m -o -q -t -v -C -x* -a* -p: -n: -u: -c: -g: -s: -r: -d: -N: -P: -I: -k: -R: -O: "
        "--start --stop --exec* --startas* --pidfile: --name: --user: --chuid: --group: --signal: --chroot: "
        "--chdir: --nicelevel: --procsched: --iosched: --umask: --make-pidfile --background --oknodo --test "
        "--quiet --verbose --retry: --remove-pidfile --no-close --output: --ppid: --pid:"
    ),
    "daemonize": Wrapper("-a -v -c: -e: -o: -p: -l: -u: -E:"),
    "entr": Wrapper("-a -c -d -n -p -r -s -x -z"),
    "reflex": Wrapper("-r: -R: -g: -G: -d: -e -s -t: --regex: --glob: --"),
    "nodemon": Wrapper("-x! -e: -w: -i: -d: -q -V --exec! --ext: --watch: --ignore: --delay: --quiet --signal: --cwd:"),
    "watchexec": Wrapper(
        "-e: -w: -i: -f: -d: -s: -r -c? -p -n -N -W: -o: -E: --exts: --watch: --ignore: --shell* --", joined=True
    ),
    "gtime": Wrapper("-a -v -q -p -o: -f: --append --verbose --quiet --portability --output: --format:"),
    "gtimeout": Wrapper(
        "-k: -s: -v -f -p --kill-after: --signal: --verbose --foreground --preserve-status",
        1,
        grant="-k -s -v --kill-after --signal --verbose --foreground --preserve-status",
    ),
    # Containers and machines
    "lxc": Wrapper("-T -t -n --cwd: --env: --mode: --user: --group: -- @permute", 1, subcommands="exec"),
    "incus": Wrapper("-T -t -n --cwd: --env: --mode: --user: --group: -- @permute", 1, subcommands="exec"),
    "machinectl": Wrapper("-M: -H: -E: --uid: --setenv: --machine: -q", 1, subcommands="shell"),
    "toolbox": Wrapper("-c: -d: -r: --container: --distro: --release:", subcommands="run"),
    "distrobox": Wrapper("-n: -e -T --name: -- @permute", 1, subcommands="enter"),
    "adb": Wrapper("-s: -d -e -a -t: -H: -P: -L: -n -T -x", joined=True, subcommands="shell"),
    "wsl": Wrapper("-d: -u: -e --exec --distribution: --user: --cd: --shell-type: --system --"),
    "heroku": Wrapper("-a: -r: -s: -x -d --app: --remote: --size: --type: --exit-code", joined=True, subcommands="run"),
    "vagrant": Wrapper("-c! -p --command! --plain", 1, subcommands="ssh"),
}
"""Base name of a program to how it finds its inner command."""

DOCKER_GLOBAL = (
    "-D -H: -l: -v --config: --context: -c: --debug --host: --log-level: --tls --tlscacert: --tlscert: --tlskey: "
    "--tlsverify --version --url: --connection: --root: --runroot: --storage-driver: --storage-opt: --cgroup-manager: "
    "--log-level: --namespace: -n: --address: -a:"
)
COMPOSE_GLOBAL = (
    "-f: -p: --file: --project-name: --profile: --env-file: --project-directory: --ansi: --progress: --compatibility"
)
DOCKER_EXEC = Wrapper(_DOCKER_EXEC, 1)
DOCKER_RUN = Wrapper(_DOCKER_RUN, 1)
KUBECTL = Wrapper(_KUBE, 1)
