"""Programs that run or overwrite what their arguments say, and up to which words an allow rule leaves that open.

Sources: GTFOBins (functions shell, command, file write), the manuals of the programs, and verified bypasses.
"""

from __future__ import annotations

_WRAPPERS = frozenset((
    "aoss", "ash", "busybox", "capsh", "chroot", "chrt", "choom", "command", "cpulimit", "dbus-run-session",
    "doas", "env", "eval", "exec", "fakeroot", "faketime", "firejail", "flock", "gdb", "ionice", "ltrace", "lldb",
    "nice", "nohup", "nsenter", "numactl", "parallel", "pkexec", "prlimit", "proot", "runuser", "rlwrap", "script",
    "setarch", "setsid", "stdbuf", "strace", "su", "sudo", "systemd-run", "taskset", "time", "timeout", "torify",
    "torsocks", "unbuffer", "unshare", "valgrind", "watch", "xargs", "xvfb-run", "toybox", "entr", "catchsegv",
    "expect", "tmux", "screen",
))  # fmt: skip
"""They run the command behind their own options. Broad alone and with options only."""

ALWAYS_BROAD = {
    "find": "`-exec`, `-delete` and `-fprintf` may stand anywhere behind",
    "fd": "`-x` and `-X` run any program",
    "fdfind": "`-x` and `-X` run any program",
    "awk": "an awk program runs commands with `system()` and writes files",
    "gawk": "an awk program runs commands with `system()` and writes files",
    "mawk": "an awk program runs commands with `system()` and writes files",
    "nawk": "an awk program runs commands with `system()` and writes files",
    "ssh": "it runs any command elsewhere, and `-o ProxyCommand=…` here",
    "rsync": "`-e` and `--rsync-path` run any program",
    "tar": "`--checkpoint-action` and `--to-command` run any program",
    "scp": "`-S` and `-o ProxyCommand=…` run any program",
    "sftp": "`-S`, `-o ProxyCommand=…` and `!` run any program",
    "socat": "`EXEC:` runs any program",
    "nc": "`-e` runs any program",
    "ncat": "`-e` and `-c` run any program",
    "zip": "`-TT` runs any program",
    "vim": "`:!` and `-c` run any program",
    "vi": "`:!` and `-c` run any program",
    "nvim": "`:!` and `-c` run any program",
    "emacs": "`--eval` runs any program",
    "ed": "`!` runs any program",
    "man": "`-P` and `-H` run any program",
    "dd": "`of=` overwrites any file or disk",
    "tee": "it overwrites any file",
    "install": "it overwrites any file",
    "crontab": "it installs commands that run later",
    "at": "it runs commands later",
    "batch": "it runs commands later",
}
"""However long the pattern is: what is harmful may come behind it."""

_INTERPRETERS = {
    "python": ("-c", "-m", "-i", "-"),
    "pypy": ("-c", "-m", "-"),
    "node": ("-e", "--eval", "-p", "--print", "-r", "--require", "-i"),
    "nodejs": ("-e", "--eval", "-p", "--print", "-r", "--require"),
    "perl": ("-e", "-E", "-n", "-p", "-ne", "-pe", "-pi", "-M"),
    "ruby": ("-e", "-n", "-p", "-r"),
    "php": ("-r", "-a", "-B", "-E"),
    "lua": ("-e", "-i", "-l"),
    "luajit": ("-e", "-i", "-l"),
    "julia": ("-e", "-E", "-i"),
    "Rscript": ("-e",),
    "R": ("-e",),
    "osascript": ("-e",),
    "tclsh": (),
    "wish": (),
    "guile": ("-c",),
    "ghci": (),
    "erl": ("-eval",),
    "elixir": ("-e",),
    "iex": (),
    "scala": ("-e",),
    "groovy": ("-e",),
    "jshell": (),
    "java": ("-jar",),
    "jjs": (),
    "irb": (),
    "ipython": ("-c",),
    "sqlite3": (),
    "psql": ("-c",),
    "mysql": ("-e",),
    "jrunscript": ("-e",),
    "bc": (),
    "m4": (),
    "deno": ("eval", "run", "repl"),
    "bun": ("-e", "run", "x", "repl"),
    "bunx": (),
    "npx": (),
    "uvx": (),
    "pipx": ("run",),
    "ts-node": ("-e",),
    "tsx": ("-e",),
}
"""They run the program text or the file in their arguments. Broad alone and with one of these words last."""

_RUNNERS = {
    "git": (
        "", "-c", "-C", "config", "submodule", "submodule foreach", "rebase", "bisect", "bisect run", "filter-branch",
        "difftool", "mergetool", "hook", "send-email", "svn", "p4",
    ),
    "docker": (
        "", "run", "exec", "compose", "compose run", "compose exec", "container run", "container exec", "cp", "build",
    ),
    "podman": ("", "run", "exec", "container run", "container exec", "cp", "build"),
    "nerdctl": ("", "run", "exec"),
    "kubectl": ("", "exec", "run", "debug", "cp", "apply", "delete"),
    "oc": ("", "exec", "run", "rsh", "debug"),
    "npm": ("", "run", "run-script", "exec", "x", "explore"),
    "pnpm": ("", "run", "exec", "dlx"),
    "yarn": ("", "run", "exec", "dlx"),
    "cargo": ("", "run", "install", "xtask"),
    "go": ("", "run", "generate", "install", "tool"),
    "make": ("", "-f", "-C", "--eval"),
    "gmake": ("", "-f", "-C", "--eval"),
    "rake": ("",),
    "nix": ("", "run", "shell", "develop", "eval", "build"),
    "nix-shell": ("", "--run", "-p"),
    "pip": ("", "install"),
    "pip3": ("", "install"),
    "uv": ("", "run", "tool run", "pip install"),
    "poetry": ("", "run"),
    "pdm": ("", "run"),
    "pipenv": ("", "run"),
    "hatch": ("", "run"),
    "conda": ("", "run"),
    "mamba": ("", "run"),
    "gem": ("", "install", "exec", "open"),
    "bundle": ("", "exec"),
    "composer": ("", "exec", "run-script"),
    "dotnet": ("", "run", "script", "fsi"),
    "swift": ("", "run"),
    "gh": ("", "api", "alias", "extension", "codespace ssh"),
    "aws": ("", "ssm", "configure"),
    "gcloud": ("", "compute ssh"),
    "ansible": ("",),
    "ansible-playbook": ("",),
    "terraform": ("", "apply", "destroy", "console"),
    "vagrant": ("", "ssh", "provision"),
    "adb": ("", "shell"),
    "apt": ("", "install"),
    "apt-get": ("", "install"),
    "dpkg": ("", "-i"),
    "rpm": ("", "-i", "-U", "--eval"),
    "yum": ("", "install"),
    "dnf": ("", "install"),
    "apk": ("", "add"),
    "brew": ("", "install"),
    "snap": ("", "install", "run"),
    "systemctl": ("", "edit", "link", "enable", "start"),
    "launchctl": ("", "load", "submit"),
    "sed": ("", "-e", "-f", "-i", "-n"),
    "sort": ("", "--compress-program", "-o"),
    "uniq": ("",),
    "rg": ("", "--pre"),
    "less": ("",),
    "more": ("",),
    "curl": ("", "-o", "-O", "-K", "-T", "-d"),
    "wget": ("", "-O", "--use-askpass"),
    "openssl": ("",),
    "split": ("", "--filter"),
    "cp": ("", "-r", "-a", "-f"),
    "mv": ("", "-f"),
    "rm": ("", "-r", "-f", "-rf", "-fr"),
    "ln": ("", "-s", "-sf"),
    "chmod": ("", "-R"),
    "chown": ("", "-R"),
    "xdg-open": ("",),
    "open": ("",),
    "ld.so": ("",),
    "gcc": ("", "-wrapper"),
    "tcpdump": ("", "-z"),
    "nmap": ("", "--script"),
    "journalctl": ("",),
}  # fmt: skip
"""Some sub-commands and options run, fetch or overwrite anything. Broad with exactly these words behind the program."""


def why_broad(words: tuple[str, ...]) -> str | None:
    """Why an allow rule for exactly the prefix ``words`` covers running or overwriting anything, if that is known."""
    name = words[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")
    rest = words[1:]
    if name in ALWAYS_BROAD:
        return ALWAYS_BROAD[name]
    if name in _WRAPPERS:
        return "it runs the command that follows" if all(_is_option(word) for word in rest) else None
    family = name.rstrip("0123456789.") or name
    for interpreter in (name, family):
        if interpreter in _INTERPRETERS:
            runs = _INTERPRETERS[interpreter]
            if not rest or (rest[-1] in runs and all(_is_option(word) or word in runs for word in rest)):
                return "it runs any program text"
            return None
    if name in _RUNNERS and " ".join(rest) in _RUNNERS[name]:
        return "some of what may follow runs programs, fetches code or overwrites files"
    return None


def _is_option(word: str) -> bool:
    """Whether ``word`` is an option or the value of one, as far as that can be told without the program's grammar."""
    return word.startswith(("-", "+")) or "=" in word or word[:1].isdigit()
