"""Which programs carry other commands, and who reads them: a name, or ``wrapper`` for the wrapper table.

Kept apart from the tables so that the usual command, which carries nothing, costs one look-up and no import.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_BY_CARRIER = (
    (
        "wrapper",
        "sudo doas pkexec sg gosu su-exec chpst setpriv runcon timeout nice ionice nohup setsid stdbuf unbuffer "
        "time chrt taskset numactl prlimit choom cgexec systemd-run systemd-inhibit flock caffeinate "
        "cpulimit chronic ifne "
        "lckdo eatmydata dbus-run-session xvfb-run tini dumb-init ccache sccache distcc bear chroot unshare nsenter "
        "ssh-agent gpg-agent dbus-launch newgrp aa-exec run0 sudo-rs please kdesu kdesudo gksudo gksu beesu faketime "
        "datefudge coresched uclampset schedtool logsave timelimit retry setuidgid envuidgid envdir softlimit setlock "
        "pgrphack fghack argv0 pidproxy dtach abduco tsp nq zrun nocache trickle winpty kcov rr heaptrack gdbserver "
        "uftrace qemu-x86_64 qemu-aarch64 nsjail minijail0 landrun systemd-nspawn systemd-cat lxc-attach schroot "
        "arch-chroot "
        "setarch linux32 linux64 i386 x86_64 arch firejail bwrap fakeroot fakechroot proot proxychains proxychains4 "
        "torsocks torify tsocks catchsegv rlwrap distrobox-enter flatpak-spawn ld.so command builtin "
        "exec noglob nocorrect "
        "ltrace valgrind watch mosh rsh sshpass npx bunx uvx direnv dotenv dotenvx aws-vault doppler op "
        "chamber infisical rbenv pyenv nodenv asdf mise volta fnm bundle bundler poetry pipenv pdm "
        "hatch rye uv pipx conda "
        "mamba micromamba pnpm yarn rustup opam dune stack cabal guix devbox start-stop-daemon daemonize "
        "reflex nodemon watchexec gtime gtimeout lxc incus machinectl toolbox distrobox adb wsl heroku",
    ),
    ("shells:shell", "bash sh dash ash zsh ksh ksh93 mksh oksh rbash fish csh tcsh yash osh elvish xonsh nu"),
    ("shells:evaluate", "eval"),
    ("shells:source", "source ."),
    ("shells:trap", "trap"),
    ("shells:callbacks", "mapfile readarray complete compgen fc bind"),
    ("shells:alias", "alias"),
    ("shells:rehash", "hash"),
    ("shells:jobs", "jobs"),
    ("variables:declared", "export declare typeset readonly local setenv"),
    ("lists:env", "env genv"),
    ("lists:xargs", "xargs gxargs"),
    ("lists:parallel", "parallel sem"),
    ("finders:find", "find gfind bfs"),
    ("finders:fd", "fd fdfind"),
    ("lists:applet", "busybox toybox"),
    ("lists:switch_user", "su runuser"),
    ("lists:each_text", "hyperfine concurrently mispipe pee"),
    ("lists:entr", "entr"),
    ("containers:docker", "docker podman nerdctl docker-compose podman-compose"),
    ("containers:kubectl", "kubectl oc k3s microk8s.kubectl"),
    ("git:git", "git"),
    (
        "settings:settings",
        "tar gtar bsdtar cpio rsync scp sort gsort split gsplit rg ag ack bat batcat delta man zip "
        "fzf sk gcc g++ cc clang "
        "wget vagrant cargo-watch tcpdump logrotate openvpn svn nc ncat netcat ssh-keygen ssh-add ansible gcloud fly "
        "flyctl az nix-shell pwsh powershell meson gpg watchman-make aria2c yt-dlp youtube-dl dpkg apt-get apt go",
    ),
    ("tools:secure_shell", "ssh autossh"),
    ("tools:strace", "strace"),
    ("make:make", "make gmake"),
    ("tools:npm", "npm"),
    ("tools:cargo", "cargo"),
    ("tools:perf", "perf"),
    ("tools:script", "script"),
    ("tools:namespace", "ip"),
    ("tools:socat", "socat"),
    ("tools:terminal", "xterm gnome-terminal konsole xfce4-terminal kitty alacritty urxvt rxvt st foot wezterm"),
    ("tools:windows", "cmd"),
    ("tools:capability_shell", "capsh"),
    ("tools:nix", "nix"),
    ("tools:removal", "unlink shred"),
    ("textual:awk", "awk gawk mawk nawk original-awk"),
    ("textual:sed", "sed gsed"),
    (
        "interpreters:interpreter",
        "python python2 python3 pypy pypy3 ipython ipython3 perl perl5 ruby irb node nodejs tsx "
        "ts-node bun deno php lua "
        "luajit Rscript R julia osascript elixir erl ghc guile racket sbcl emacs emacsclient groovy "
        "scala tclsh wish expect",
    ),
    ("editors:vim", "vim vi nvim ex view gvim vimdiff rvim gview"),
    ("editors:line_editor", "ed red ftp sftp lftp telnet mail mailx mutt"),
    ("editors:pager", "less more most"),
    ("editors:gdb", "gdb"),
    ("editors:lldb", "lldb"),
    ("editors:database", "psql mysql mariadb sqlite3 sqlite duckdb"),
    ("editors:multiplexer", "tmux byobu screen"),
    ("editors:at_job", "at batch crontab"),
)

CARRIERS: Mapping[str, str] = {name: carrier for carrier, names in _BY_CARRIER for name in names.split()}
"""Base name of a program to who reads it: ``wrapper``, or ``module:function`` in ``programs.carriers``."""
