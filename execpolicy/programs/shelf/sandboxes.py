"""Programs that run a command in another root, name space, sandbox, network or machine type."""

from __future__ import annotations

from execpolicy.programs.record import Program, Wrapper

# fmt: off
RECORDS = (
    Program("chroot gchroot", Wrapper("--groups: --userspec: --skip-chdir --help --version", 1, shell=True),
        example="chroot --userspec=u / rm x"),
    Program("unshare", Wrapper("-m? -u? -i? -n? -p? -U? -C? -T? -f -r -c -R: -w: -S: -G: -l: --mount? --uts? --ipc? "
        "--net? --pid? --user? --cgroup? --time? --fork --kill-child? --mount-proc? --map-root-user "
        "--map-current-user --map-user: --map-group: --map-users: --map-groups: --map-auto --propagation: "
        "--setgroups: --root: --wd: --setuid: --setgid: --keep-caps --monotonic: --boottime: --load-interp:",
        shell=True, folder="-w --wd -R --root"), example="unshare -r -n rm x"),
    Program("nsenter", Wrapper("-a -t: -m? -u? -i? -n? -p? -C? -U? -T? -S: -G: -r? -w? -W: -F -Z -e -N: --all "
        "--target: --mount? --uts? --ipc? --net? --pid? --cgroup? --user? --time? --setuid: --setgid: "
        "--preserve-credentials --root? --wd? --wdns: --no-fork --follow-context --env --keep-caps", shell=True,
        folder="-w --wd -W --wdns -r --root"),
        example="nsenter -t 1 -m rm x"),
    Program("setarch", Wrapper("-B -F -I -L -R -S -T -X -Z -3 -v --32bit --fdpic-funcptrs --short-inode "
        "--addr-compat-layout --addr-no-randomize --whole-seconds --sticky-timeouts --read-implies-exec "
        "--mmap-page-zero --3gb --4gb --uname-2.6 --verbose --list --show? -p? --pid? @permute", 1, optional=True),
        example="setarch x86_64 -R rm x"),
    Program("linux32 linux64 i386 x86_64 uname26", Wrapper("-B -F -I -L -R -S -T -X -Z -3 -v --32bit "
        "--addr-no-randomize "
        "--uname-2.6 --verbose"), example="linux32 -R rm x"),
    Program("arch", Wrapper("-32 -64 -c -h -x86_64 -arm64 -arm64e -i386 -d: -e: "
        "-arch: --arch:", grant="-32 -64 -x86_64 -arm64 -arm64e -i386 -arch --arch"), example="arch -x86_64 rm x"),
    Program("sandbox-exec", Wrapper("-f: -n: -p: -D:"), example="sandbox-exec -n a rm x"),
    Program("xcrun", Wrapper("-f -k -l -n -r -v --find --sdk: --toolchain: --log --run --verbose --no-cache "
        "--kill-cache"), example="xcrun --sdk macosx rm x"),
    Program("firejail", Wrapper("-c! -q --quiet --noprofile --private --net: --join: --shell* --debug --force"),
        example="firejail --net=none rm x"),
    Program("bwrap", Wrapper("--bind& --bind-try& --dev-bind& --dev-bind-try& --ro-bind& --ro-bind-try& --remount& "
        "--setenv& --symlink& --file& --bind-data& --ro-bind-data& --chmod& --bind-fd& --ro-bind-fd& --overlay-src: "
        "--tmp-overlay: --unshare-all --unshare-user --unshare-user-try --unshare-ipc --unshare-pid --unshare-net "
        "--unshare-uts --unshare-cgroup --unshare-cgroup-try --share-net --die-with-parent --new-session --as-pid-1 "
        "--clearenv --disable-userns --assert-userns-disabled --args: --argv0: --level-prefix --userns: --userns2: "
        "--pidns: --uid: --gid: --hostname: --chdir: --unsetenv: --lock-file: --sync-fd: --remount-ro: --proc: "
        "--dev: --tmpfs: --mqueue: --dir: --exec-label: --file-label: --seccomp: --add-seccomp-fd: --block-fd: "
        "--userns-block-fd: --info-fd: --json-status-fd: --cap-add: --cap-drop: --perms: --size:", folder="--chdir",
        called="--argv0", bare="--clearenv --unsetenv"),
        example="bwrap --bind / / rm x"),
    Program("nsjail", Wrapper("-M: -C: -c: -u: -g: -H: -D: -t: -Q -q -v -e -R: -B: -T:", after="--"),
        example="nsjail -Mo -- rm x"),
    Program("minijail0", Wrapper("-u: -g: -c: -C: -P: -b: -k: -S: -T: -e -i -I -l -n -N -p -r -s -t -U -v -w"),
        example="minijail0 -u bob rm x"),
    Program("landrun", Wrapper("--ro: --rox: --rw: --rwx: --env: --bind-tcp: --connect-tcp: --best-effort "
        "--unrestricted-network"), example="landrun --rw / rm x"),
    Program("fakeroot fakeroot-ng", Wrapper("-u -h -v -l: -i: -s: -b: --lib: --faked: --unknown-is-real --fd-base:",
        shell=True),
        example="fakeroot -- rm x"),
    Program("fakechroot", Wrapper("-s -h -v -l: -e: -c: -d: --lib: --environment: --config-dir: --use-system-libs"),
        example="fakechroot -- rm x"),
    Program("proot", Wrapper("-r: -b: -q: -w: -v: -R: -S: -k: -0 -i: --rootfs: --bind: --qemu: --pwd: --cwd: "
        "--kill-on-exit"), example="proot -r / rm x"),
    Program("schroot", Wrapper("-c: -u: -d: -s: -n: -p -q -v -a -b -e -f -r --chroot: --user: --directory: --shell: "
        "--preserve-environment", after="--"), example="schroot -c sid -- rm x"),
    Program("arch-chroot", Wrapper("-N -S -r -u:", 1, shell=True), example="arch-chroot /mnt rm x"),
    Program("systemd-nspawn", Wrapper("-D: -M: -i: -u: -b -q -x -n -U -E: --directory: --image: --machine: --user: "
        "--boot --quiet --ephemeral --bind: --bind-ro: --setenv: --as-pid2 --chdir: --private-network --network-veth "
        "--pipe --console:"), example="systemd-nspawn -D / rm x"),
    Program("flatpak-spawn", Wrapper("--host --clear-env --watch-bus --env: --directory: --sandbox --no-network -v"),
        example="flatpak-spawn --host rm x"),
    Program("proxychains proxychains4", Wrapper("-q -f:"), example="proxychains -q rm x"),
    Program("torsocks", Wrapper("-u: -p: -a: -P: -q -d -i --user: --pass: --address: --port: --isolate --quiet "
        "--debug"), example="torsocks -i rm x"),
    Program("torify", Wrapper("-v -h"), example="torify rm x"),
    Program("tsocks", Wrapper(), example="tsocks rm x"),
    Program("aoss", Wrapper(), example="aoss rm x"),
    Program("qemu-x86_64 qemu-aarch64", Wrapper(
        "-L: -cpu: -E: -U: -g: -0: -s: -R: -B: -d: -D: -p: -strace -singlestep", called="-0"),
        example="qemu-x86_64 -L / /bin/rm x"),
    Program("ld.so", Wrapper("--library-path: --preload: --audit: --argv0: --inhibit-rpath: --glibc-hwcaps-prepend: "
        "--glibc-hwcaps-mask: --inhibit-cache --list --verify --list-tunables --list-diagnostics --help",
        called="--argv0"), example="/lib64/ld-linux-x86-64.so.2 /bin/rm x"),
    Program("catchsegv", Wrapper(), example="catchsegv rm x"),
    Program("catatonit", Wrapper("-P -g -L -h -V --help --version"), example="catatonit -- rm x"),
    Program("scl", Wrapper("-l -b -h", 1, subcommands="enable, run", joined=True), example="scl enable x 'rm x'"),
    Program("wine wine64", Wrapper("--help --version"), example="wine rm x"),
    Program("simctl", task="2", far=True, worst="exact list; delete erase all; run spawn booted ./evil"),
    Program("lxc-execute lxc-start", Wrapper(
        "-n: -f: -s: -u: -g: -v: -P: -o: -l: -d -F -q --name: --rcfile: --define:"),
        example="lxc-execute -n a -- rm x"),
    Program("proot-distro", Wrapper("--user: --shared-tmp --isolated --bind: --termux-home", 1,
        subcommands="login, sh", after="--"), example="proot-distro login a -- rm x"),
    Program("mock", Wrapper("-r: -q -v --root: --enable-network", 0), settings="--chroot! --shell! --sources:",
        example="mock -r a --chroot 'rm x'"),
    Program("sbuild", settings="--chroot-setup-commands! --pre-build-commands! --post-build-commands! "
        "--starting-build-commands! --finished-build-commands! --external-command!",
        example="sbuild --pre-build-commands='rm x' a"),
    Program("enroot", Wrapper("-e: -m: -r -w --env: --mount: --root --rw --rc: --conf:", 1, subcommands="start, exec"),
        example="enroot start a rm x"),
    Program("tcpserver udpserver", Wrapper("-q -Q -v -c: -g: -u: -U -l: -t: -1 -b: -D -d -h -H -R -r -p -P -o -O", 2),
        example="tcpserver 0 1 rm x"),
    Program("microk8s", Wrapper(), example="microk8s rm x"),
)
