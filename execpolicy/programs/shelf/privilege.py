"""Programs that run a command as somebody else, or with other rights."""

from __future__ import annotations

from execpolicy.programs.inner import run_argv
from execpolicy.programs.record import Program, Wrapper
from execpolicy.programs.wrapped import wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def switch_user(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``su USER SCRIPT WORD…``: what is not given with ``-c`` goes to the user's shell."""
    for inner in wrapped(name, record.wraps[0], "", command, facts):
        if inner.command is not None and inner.words[0].literal != "sh":
            yield run_argv(name, command, ["sh"], inner.words)


def capability_shell(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``capsh … -- ARGUMENT…``: the arguments of a bash, or of the program that ``--shell`` names."""
    words = command.words
    shell = "bash"
    for at in range(1, len(words)):
        text = words[at].literal or ""
        if text.startswith("--shell="):
            shell = text[8:]
        elif text in ("--", "=="):
            return [run_argv(name, command, [shell], words[at + 1 :])]
    return []


_SU = (
    "-l -m -p -f -P -T -c! -s* -u: -g: -G: -w: - --login --fast --preserve-environment --pty --no-pty --command! "
    "--session-command! --shell* --user: --group: --supp-group: --whitelist-environment: @permute"
)
# fmt: off
RECORDS = (
    Program("sudo sudo-rs", Wrapper("-A -b -B -E -e -H -i -K -k -l -n -N -P -S -s -V -v -C: -D: -g: -h: -p: -R: -r: "
        "-T: -t: -U: -u: -a: -c: --askpass --background --bell --close-from: --chdir: --edit --preserve-env? --group: "
        "--set-home --host: --login --remove-timestamp --reset-timestamp --list --non-interactive --no-update "
        "--preserve-groups --prompt: --chroot: --role: --stdin --shell --type: --command-timeout: --other-user: "
        "--user: --validate --version --help", assignments=True, folder="-D --chdir -R --chroot -i "
        "--login", through_shell="-s -i --shell --login", stop="-K -V -v --remove-timestamp --validate --version "
        "--help"), prints="input", example="sudo -u bob A=1 rm x"),
    Program("dzdo", Wrapper("-A -b -E -e -H -i -K -k -l -n -P -S -s -V -v -C: -D: -g: -h: -p: -R: -r: -T: -t: -u:",
        stop="-K -k -l -V -v", assignments=True), example="dzdo -u bob rm x"),
    Program("pfexec", Wrapper("-P:"), example="pfexec rm x"),
    Program("doas", Wrapper("-L -n -s -a: -C: -u:", stop="-L"), example="doas -u bob rm x"),
    Program("pkexec", Wrapper("--disable-internal-agent --keep-cwd --user: --version --help"),
        example="pkexec --user bob rm x"),
    Program("run0", Wrapper("-u: -g: -D: -E: --unit: --property: --description: --slice: --slice-inherit --user: "
        "--group: --nice: --chdir: --setenv: --background: --machine: --pty --pipe --shell-prompt-prefix: "
        "--no-ask-password --lightweight: -V"), example="run0 --user=bob rm x"),
    Program("please", Wrapper("-a: -c -d: -e: -g: -h -l -n -p -r: -t: -u: -v -w"), example="please -u bob rm x"),
    Program("su", Wrapper(_SU, 1, shell=True), carries=switch_user, example="su bob -c 'rm x'"),
    Program("runuser", Wrapper(_SU, 1, shell=True, optional=True), carries=switch_user,
        example="runuser -u bob -- rm x"),
    Program("sg", Wrapper("-c! - @permute", 1, joined=True), example="sg staff 'rm x'"),
    Program("newgrp", Wrapper("-c! - -l @permute", 1, shell=True), example="newgrp -c 'rm x' staff"),
    Program("gosu", Wrapper("", 1), example="gosu d rm x"),
    Program("su-exec", Wrapper("", 1), example="su-exec d rm x"),
    Program("s6-setuidgid", Wrapper("-s", 1), example="s6-setuidgid d rm x"),
    Program("setuidgid", Wrapper("-s", 1), example="setuidgid d rm x"),
    Program("envuidgid", Wrapper("-D", 1), example="envuidgid d rm x"),
    Program("chpst", Wrapper("-v -V -P -0 -1 -2 -u: -U: -b: -e: -/: -n: -l: -L: -m: -d: -o: -p: -f: -c: -r: -t:"),
        example="chpst -u bob rm x"),
    Program("setpriv", Wrapper("-d -h -V --dump --nnp --no-new-privs --ambient-caps: --inh-caps: --bounding-set: "
        "--ruid: --euid: --reuid: --rgid: --egid: --regid: --groups: --clear-groups --keep-groups --init-groups "
        "--securebits: --pdeathsig: --selinux-label: --apparmor-profile: --reset-env --list-caps", bare="--reset-env"),
        example="setpriv --reuid 1000 rm x"),
    Program("runcon", Wrapper("-c -t: -u: -r: -l: --compute --type: --user: --role: --range:", 1, optional=True),
        example="runcon -t user_t rm x"),
    Program("aa-exec", Wrapper("-p: -n: -i -d -v -h --profile: --namespace: --immediate --debug --verbose"),
        example="aa-exec -p profile -- rm x"),
    Program("kdesu kdesudo", Wrapper("-c! -u: -n -t -d --"), example="kdesu -c 'rm x'"),
    Program("gksudo gksu", Wrapper("-u: -k -S -m: -g -d -P: -w -D: -l --", joined=True), example="gksu 'rm x'"),
    Program("beesu", Wrapper("-l -m -P -c! -"), example="beesu -c 'rm x'"),
    Program("capsh", carries=capability_shell, broad="-*", example="capsh -- -c 'rm x'"),
)
