"""Findings of the sweep that an entry announces, each with the reason why it stands."""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """What is known of an entry or a program.

    Attributes:
        name: of the entry, or of the program.
        kind: of ``effects.KINDS``.
        part: of the line of strace that shows it; empty for any.
        why: it stands.
    """

    name: str
    kind: str
    part: str
    why: str


SAID = (
    Said("git", "starts", "/git", "parts of git itself"),
    Said("git", "starts", "/sh", "sub-commands that are scripts, and the pager"),
    Said("git", "starts", "less", "the pager that the user has set up, on a terminal"),
    Said("git", "starts", "pager", "the pager that the user has set up, on a terminal"),
    Said("git", "starts", "/bin/", "the tools that sub-commands written as scripts use"),
    Said("git", "writes", ".less", "the pager keeps its own history, on a terminal"),
    Said("git", "acts", "chmod", "the pager keeps its own history, on a terminal"),
    Said("git", "acts", ".less", "the pager keeps its own history, on a terminal"),
    Said("git", "hangs", "", "the pager waits for keys, on a terminal"),
    Said("git", "writes", "index.lock", "the index is refreshed; GIT_OPTIONAL_LOCKS=0 keeps it from that"),
    Said("git", "acts", ".git/index", "the index is refreshed; GIT_OPTIONAL_LOCKS=0 keeps it from that"),
    Said("git", "secret", "", "git grep --no-index searches folders whole"),
    Said("grep", "secret", "", "searches folders whole"),
    Said("rg", "secret", "", "searches folders whole"),
    Said("egrep", "starts", "grep", "a script around grep"),
    Said("fgrep", "starts", "grep", "a script around grep"),
    Said("rgrep", "starts", "grep", "a script around grep"),
    Said("fd", "starts", "/ls", "-l has ls print what is found; a rule for ls sees it"),
    Said("which", "starts", "", "may be a script"),
    Said("dpkg", "starts", "dpkg-query", "hands queries to dpkg-query"),
    Said("yq", "starts", "jq", "the Python yq hands the program to jq"),
    Said("lsb_release", "starts", "", "a script around cut and tr"),
    Said("zcat", "starts", "gzip", "a script around gzip"),
    Said("zgrep", "starts", "", "a script around gzip, grep and sed"),
    Said("tar-list", "starts", "", "the usual decompressor"),
    Said("tar-print", "starts", "", "the usual decompressor"),
    Said("kill-0", "acts", "kill(", "signal 0 only asks"),
    Said("gem", "starts", "/ruby", "a script of Ruby"),
    Said("about", "starts", "gcc", "meson asks the compiler for the machine in front of its usage"),
    Said("about", "starts", "/bin/", "autoconf and its kin are scripts around the usual tools"),
    Said("mysql", "connects", "mysqld.sock", "it asks the server of this machine"),
    Said("tar-print", "acts", "SIGKILL", "toybox's tar ends the decompressor that it started"),
    Said("ag", "starts", "core.excludesfile", "asks git which files it is to leave out"),
    Said("ag", "hangs", "", "it reads a pipe that nobody writes to"),
    Said("mlr", "hangs", "", "it reads a folder for ever"),
    Said("svn", "writes", ".subversion/", "its own settings, which are made where there are none"),
    Said("svn", "acts", ".subversion", "its own settings, which are made where there are none"),
    Said("fzf", "starts", "tput", "asks what the terminal can do"),
    Said("fzf", "hangs", "", "it waits for keys, on a terminal"),
    Said("lpstat", "connects", "htons(631)", "asks the print server of this machine"),
    Said("lpoptions", "connects", "htons(631)", "asks the print server of this machine"),
    *[
        Said(f"ansible-{name}", kind, part, "Python asks libuuid for a number, which keeps a clock")
        for name in ("usage", "galaxy", "doc", "inventory-graph")
        for kind, part in (("connects", "/run/uuidd/"), ("writes", "/libuuid/"))
    ],
    Said("ansible-doc", "acts", "/dev/shm/sem.mp-", "a lock between its own processes"),
    Said("7z-list", "hangs", "", "`7z b` measures for minutes how fast the machine is"),
    Said("sleep", "hangs", "", "it waits as long as it is told"),
    Said("wait", "hangs", "", "it waits"),
    Said("read", "hangs", "", "it waits for a line"),
    Said("seq", "hangs", "", "it prints as many numbers as it is told"),
    Said("tail", "hangs", "", "it waits for what is added, where it is told to"),
    Said("journalctl-piped", "hangs", "", "it waits for messages, where it is told to"),
    Said("yes", "hangs", "", "it prints for as long as somebody reads"),
    Said("kernel-log", "hangs", "", "it waits for messages, where it is told to"),
    Said("ip", "hangs", "", "`ip monitor` waits for changes"),
    Said("load", "hangs", "", "it prints again and again, where it is told to"),
    Said("top-once", "hangs", "", "it prints again and again, unless -n says how often"),
    Said("top-once", "acts", "config", "it makes the empty folder of its own settings"),
    Said("7z-list", "starts", "/usr/lib/p7zip/", "a script around the program"),
    Said("unpack-print", "starts", "zip", "a script around gzip or bzip2"),
    Said("netstat", "connects", "htons(53)", "asks for the names of the hosts at the other ends"),
    Said("lsof", "connects", "htons(53)", "asks for the names of the hosts at the other ends"),
    Said("tac", "writes", "/tmp", "a temporary file, where its input cannot be read backwards"),
    Said("rsync-dry-run", "acts", "kill(", "one of its own processes tells the other that it is done"),
    Said("about-elixir", "starts", "", "scripts around Erlang, which starts parts of its own"),
    Said("about-elixir", "acts", "kill(", "Erlang tells a process of its own that it is ready"),
    Said("about-elixir", "acts", "ftruncate(", "memory that Erlang's processes share"),
    Said("sort", "writes", "/tmp", "a temporary file, where its input does not fit"),
    Said("pidof", "connects", "/dev/log", "complains of wrong arguments to the log"),
    Said("rpm", "starts", "rpmdb", "Debian's own macros ask a shell for the home folder"),
    Said("rpm", "writes", ".rpmdb", "its database, which is made in the home folder where there is none"),
    Said("rpm", "acts", "", "its database, which is made in the home folder where there is none"),
    Said("java", "writes", "EROFS", "figures of the virtual machine below /tmp"),
    Said("javac", "writes", "EROFS", "figures of the virtual machine below /tmp"),
    Said("jar", "writes", "EROFS", "figures of the virtual machine below /tmp"),
    Said("cargo", "writes", ".rustup", "rustup's settings"),
    Said("cargo", "acts", ".rustup", "rustup's settings"),
    Said("rustc", "writes", ".rustup", "rustup's settings"),
    Said("rustc", "acts", ".rustup", "rustup's settings"),
    Said("tar-list", "acts", "SIGKILL", "toybox's tar ends the decompressor that it started"),
    Said("systemd-lists", "connects", "/run/dbus/system_bus_socket", "asks the service manager"),
    Said("systemd-lists-piped", "connects", "/run/dbus/system_bus_socket", "asks the service manager"),
    Said("vmstat", "hangs", "", "it prints again and again, where the number of times is none"),
    Said("sysstat", "hangs", "", "it prints again and again, where it is told to"),
    Said("pacman", "acts", "/var/lib/pacman/local", "its database, which is made where there is none"),
    Said("apt-mark", "starts", "--print-foreign-architectures", "asks dpkg which architectures there are"),
    Said("apt-mark", "writes", "/tmp/clearsigned.message.", "a temporary file for the signatures of its lists"),
    Said("apt-mark", "writes", "O_TMPFILE", "a temporary file without a name"),
    Said("apt", "starts", "--print-foreign-architectures", "asks dpkg which architectures there are"),
    Said("apt", "writes", "/tmp/clearsigned.message.", "a temporary file for the signatures of its lists"),
    Said("apt", "writes", "O_TMPFILE", "a temporary file without a name"),
    Said("docker", "connects", "docker.sock", "asks the daemon"),
    Said(
        "docker-lists",
        "connects",
        "htons(53)",
        "`search`, `manifest inspect` and `imagetools inspect` ask Docker's registry",
    ),
    Said("tmux", "connects", "/tmux-", "asks its own server"),
    Said("pod", "starts", "infocmp", "asks what the terminal can do"),
    Said("build-facts", "starts", "/usr/bin/", "scripts, with the tools that they use"),
    Said("build-facts", "starts", "/pg_config", "Debian's wrapper starts the program"),
    Said("scalar", "starts", "/git", "asks git for its settings"),
    Said("terraform", "connects", "", "asks its maker's server for a newer version"),
    Said("terraform", "writes", ".terraform.d", "what that answered, in the home folder"),
    Said("terraform", "acts", ".terraform.d", "what that answered, in the home folder"),
    Said("kubectl", "connects", "", "asks the cluster"),
    Said("psql", "starts", "/postgresql/", "Debian's wrapper starts the program"),
    Said("python", "starts", "python", "a script of a version manager, which starts the program"),
    Said("python3", "starts", "python", "a script of a version manager, which starts the program"),
    Said("pip3", "starts", "pip", "a script of a version manager, which starts the program"),
    Said("npm", "starts", "npm", "a script, with its interpreter"),
    Said("npx", "starts", "npx", "a script, with its interpreter"),
    Said("npm-tells", "starts", "/node", "a script, with its interpreter"),
    Said("npm-tells", "writes", "/home/.npm/", "its own cache and logs, in the home folder"),
    Said("npm-tells", "acts", "/home/.npm", "its own cache and logs, in the home folder"),
    Said("npm-tells", "connects", "", "asks the user's registry, also for a newer npm"),
    Said("npm-tells", "hangs", "", "it waits for an answer of its registry"),
    Said("cargo-tells", "writes", ".rustup", "rustup's settings"),
    Said("cargo-tells", "acts", ".rustup", "rustup's settings"),
    Said("rustup-tells", "writes", ".rustup", "its own settings"),
    Said("rustup", "writes", ".rustup", "its own settings"),
    Said("rustup", "acts", ".rustup", "its own settings"),
    Said("rustup-tells", "acts", ".rustup", "its own settings"),
    Said("mvn", "starts", "", "a script around Java"),
    Said("mvn", "writes", "EROFS", "figures of the virtual machine below /tmp"),
    Said("podman", "starts", '"--version"', "asks its own helpers for their versions"),
    Said("podman", "starts", "/dpkg-query", "`podman info` asks which packages its helpers come from"),
    Said("podman", "acts", "containers", "its own storage, which it makes where there is none"),
    Said("yarn", "starts", "/node", "a script, with its interpreter"),
    Said("yarn", "writes", "/v8-compile-cache", "the compiled form of itself"),
    Said("yarn", "writes", "EROFS", "its own cache"),
    Said("yarn", "acts", "v8-compile-cache", "the compiled form of itself"),
    Said("yarn", "acts", "yarn", "its own cache"),
    Said("mise-tells", "writes", "/mise/", "notes of its own, in the home folder"),
    Said("mise-tells", "acts", "mise", "notes of its own, in the home folder"),
    Said("mise-tells", "acts", "utimensat", "notes of its own, in the home folder"),
    Said("mise-tells", "connects", "", "asks its maker's server for a newer version"),
    Said("terraform-tells", "connects", "", "asks its maker's server for a newer version"),
    Said("terraform-tells", "writes", ".terraform.d", "what that answered, in the home folder"),
    Said("terraform-tells", "acts", ".terraform.d", "what that answered, in the home folder"),
    Said("uv-installed", "starts", "", "asks the interpreters that it finds what they are"),
    Said("uv-installed", "writes", "/uv/", "its own cache, in the home folder"),
    Said("uv-installed", "acts", "", "its own cache, in the home folder"),
    *[
        Said(entry, kind, part, why)
        for entry in ("ansible-usage", "ansible-galaxy", "ansible-doc", "ansible-inventory-graph")
        for kind, part, why in (
            ("starts", "python", "a script, with its interpreter"),
            ("starts", "ldconfig", "asks where a library lies"),
            ("acts", ".ansible", "a folder of its own, which it removes"),
            ("writes", ".ansible", "a folder of its own, which it removes"),
        )
    ],
    Said("terminal-of-its-own", "starts", "", "the command that it is given, which is judged by itself"),
    Said("psql", "connects", ".s.PGSQL", "asks the user's server"),
    Said("psql", "connects", "htons(5432)", "asks the user's server on this machine"),
    Said("pyenv", "starts", "pyenv", "scripts that start one another"),
    Said("pyenv", "starts", "/usr/bin/", "the tools that its scripts use"),
    Said("gcloud", "starts", "/google-cloud-sdk/", "a script around Python"),
    Said("gcloud", "starts", "/usr/bin/", "the tools that its scripts use"),
    Said("gcloud", "writes", "/gcloud/", "its own logs, settings and tokens, in the home folder"),
    Said("gcloud", "acts", "gcloud", "its own logs, settings and tokens, in the home folder"),
    Said("gcloud", "acts", "chown(", "its own database, in the home folder"),
    Said("gcloud", "connects", "", "asks its maker's servers"),
    Said("gh", "connects", "", "asks GitHub"),
    Said("gh", "starts", "/git", "asks git which repository this is"),
    Said("pip", "connects", "", "asks the index for newer versions"),
    Said("pip-tells", "connects", "", "asks the index of the user"),
    Said("pip-tells", "starts", "/usr/bin/", "asks for the system's name"),
    Said("pip", "writes", "pip", "its own cache"),
    Said("pip", "starts", "", "asks lsb_release and the compiler for the system's name"),
)


def said(entry: str, program: str, kind: str, line: str) -> bool:
    """Whether ``line``, of a call of ``program`` that ``entry`` accepts, shows what is known."""
    return any(one.name in (entry, program) and one.kind == kind and one.part in line for one in SAID)
