"""Programs with options whose value is a command: ``tar --to-command``, ``rsync -e``, ``rg --pre``, ``sort`` …

Each grammar lists only the options that run something, in every spelling; what it lacks is skipped. An option is looked
for in every word, so that the order of options and operands does not matter.
"""

from __future__ import annotations

from execpolicy.programs.inner import run_text
from execpolicy.programs.options import option_table, readings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

SETTINGS: Mapping[str, str] = {
    "tar": "-I! --use-compress-program! --to-command! --checkpoint-action! --rsh-command! --info-script! "
    "--new-volume-script! -F! --rmt-command!",
    "bsdtar": "--use-compress-program!",
    "cpio": "--rsh-command! --rmt-command!",
    "rsync": "-e! --rsh! --rsync-path! -M!",
    "scp": "-S! -o!",
    "sftp": "-S! -o! -D!",
    "sort": "--compress-program*",
    "split": "--filter!",
    "rg": "--pre* --hostname-bin*",
    "ag": "--pager!",
    "ack": "--pager!",
    "bat": "--pager!",
    "batcat": "--pager!",
    "delta": "--pager!",
    "man": "-P! -H! --pager! --html!",
    "zip": "-TT! --unzip-command!",
    "fzf": "--preview! --bind! --with-shell!",
    "sk": "--preview! --bind! -c! --cmd!",
    "gcc": "-wrapper!",
    "g++": "-wrapper!",
    "cc": "-wrapper!",
    "clang": "-wrapper!",
    "wget": "--use-askpass!",
    "go": "-exec! -toolexec! -vettool!",
    "cargo-watch": "-s! --shell! -x! --exec!",
    "tcpdump": "-z!",
    "logrotate": "-m! --mail!",
    "openvpn": "--up! --down! --route-up! --ipchange! --client-connect! --tls-verify!",
    "svn": "--diff-cmd! --diff3-cmd! --editor-cmd!",
    "nc": "-e! -c! --exec! --sh-exec!",
    "ncat": "-e! -c! --exec! --sh-exec!",
    "netcat": "-e! -c! --exec!",
    "ssh-keygen": "-D!",
    "ssh-add": "-s!",
    "ansible": "-a! --args!",
    "vagrant": "-c! --command!",
    "gcloud": "--command!",
    "fly": "-C! --command!",
    "flyctl": "-C! --command!",
    "az": "--scripts! --command!",
    "nix-shell": "--run! --command!",
    "pwsh": "-c! -Command! -command!",
    "powershell": "-c! -Command! -command!",
    "meson": "--wrapper!",
    "npm": "--script-shell!",
    "watchman-make": "--run!",
    "gpg": "--photo-viewer!",
    "aria2c": "--on-download-complete! --on-download-start! --on-download-error! --on-download-stop! "
    "--on-bt-download-complete!",
    "yt-dlp": "--exec!",
    "youtube-dl": "--exec!",
    "dpkg": "--pre-invoke! --post-invoke!",
    "apt-get": "-o!",
    "apt": "-o!",
}
"""Base name to the options that run their value."""

_PREFIXES = ("exec=", "Pre-Invoke=", "ProxyCommand=", "LocalCommand=", "KnownHostsCommand=", "execute(", "become(")


def settings(command: Command, facts: Facts, name: str) -> list[Inner]:
    """What the option values of a program of the table run."""
    from execpolicy.programs.wrapped import option_value

    words = command.words
    table = option_table(SETTINGS.get(name) or SETTINGS[name.removeprefix("g")])
    found: list[Inner] = []
    for at in range(1, len(words)):
        text = words[at].literal if words[at].literal is not None else words[at].prefix
        if not text or len(text) < 2 or text[0] != "-" or text == "--":
            continue
        given = {(option.name, option.glued): option for reading in readings(table, text) for option in reading.given}
        for seen in given.values():
            if seen.kind not in ("!", "*"):
                continue
            if seen.glued is None and at + 1 < len(words):
                seen.word = words[at + 1]
            value = seen.value()
            if value is not None:
                found.extend(_value(name, command, value))
            else:
                found.extend(option_value(name, seen, command, facts))
    return found


def _value(name: str, command: Command, value: str) -> list[Inner]:
    """One literal value: a command line, or a setting that holds one."""
    for prefix in _PREFIXES:
        at = value.find(prefix)
        if at >= 0:
            return [run_text(name, command, value[at + len(prefix) :].strip("\"')"))]
    if value.startswith(("-", "dot", "sleep=", "ttyout=", "echo", "bell", "totals")) and name == "tar":
        return []
    if name in ("scp", "sftp", "apt", "apt-get") and "=" in value:
        return [run_text(name, command, value.partition("=")[2].strip("\"'"))] if "::" in value else []
    if name in ("gcc", "g++", "cc", "clang"):
        return [run_text(name, command, value.replace(",", " "))]
    if name == "cargo-watch":
        return [run_text(name, command, "cargo " + value), run_text(name, command, value)]
    return [run_text(name, command, value)] if value.strip() else []
