"""Programs that change the system or its files."""

from __future__ import annotations

from execpolicy.programs.inner import run_argv
from execpolicy.programs.record import Program, Wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def removal(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``unlink FILE`` and ``shred -u FILE``: the same as ``rm``."""

    words = command.words
    texts = [word.literal or "" for word in words[1:]]
    if name == "shred" and not any(
        text.startswith(("--remove", "--rem")) or (text[:1] == "-" and text[1:2] != "-" and "u" in text)
        for text in texts
    ):
        return []
    operands = [word for word in words[1:] if word.literal is None or not word.literal.startswith("-")]
    return [run_argv(name, command, ["rm"], operands, stdin=False, evidence=True)]


_COPYING = (
    "-a -b -f -i -n -S: -s -t: -T -u -v -Z --backup? --force --interactive --no-clobber --strip-trailing-slashes "
    "--suffix: --target-directory: --no-target-directory --update? --verbose --context? --exchange --no-copy --debug"
)
"""What the programs take that put files somewhere else."""


_IN_SPACES = ", ".join(
    f"{place} {run}" for place in ("netns", "netn", "net", "vrf", "vr") for run in ("exec", "exe", "ex", "e")
)
"""What runs a command in a space of the network; iproute2 takes shorter words, too."""


# fmt: off
RECORDS = (
    Program("systemctl", leading="-a -f -H: -h -i -l -M: -n: -o: -P: -p: -q -r -s: -t: -T -C: --all --failed --user "
        "--system --global --no-pager --no-block --no-legend --no-wall --no-reload --no-ask-password --now --force "
        "--quiet --runtime --full --host: --machine: --type: --state: --property: --value --signal: --kill-who: "
        "--kill-whom: --job-mode: --root: --image: --lines: --output: --plain --show-types --recursive --reverse "
        "--before --after --wait --dry-run --check-inhibitors: --preset-mode: --message: --timestamp: --what: "
        "--legend: --mkdir --read-only --marked --firmware-setup --boot-loader-menu: --boot-loader-entry: "
        "--show-transaction --fail --ignore-dependencies @anywhere", broad="edit, link, enable, start", task="2",
        far=True, worst="run link /tmp/evil.service"),
    Program("udevadm", far=True, worst="run control --reload"),
    Program("inetd xinetd", far=True, worst="run /tmp/evil.conf"),
    Program("cloud-init", far=True, worst="run single --file /tmp/evil.yml"),
    Program("journalctl", leading="-a -f -r -q -m -x -e -l -k -o: -n? -u: -t: -p: -b? -D: -M: -S: -U: -g: -c: "
        "--no-pager --system --user", broad="",
        worst="delete --vacuum-size=1"),
    Program("loginctl", leading="-H: -M: -p: -s: -n: -o: -a -l --no-pager --no-legend --no-ask-password --host: "
        "--machine: --property: @anywhere"),
    Program("networkctl", leading="-a -l -n: --no-pager --no-legend @anywhere"),
    Program("resolvectl", leading="-4 -6 -i: -p: -t: -c: --interface: --no-pager"),
    Program("timedatectl", leading="-H: -M: -p: --no-pager --no-ask-password --adjust-system-clock --host: "
        "--machine: --property:"),
    Program("hostnamectl", leading="-H: -M: --no-ask-password --static --pretty --transient --host: --machine:"),
    Program("launchctl", Wrapper("-l: -p: -o: -e:", subcommands="submit"), Wrapper("", 1, subcommands="asuser, bsexec"),
        broad="load, submit", worst="run submit -l x ./evil", example="launchctl submit -l a -- rm x"),
    Program("nmcli", leading="-a -c: -e: -f: -g: -h -m: -o -p -s -t -v -w: --ask --colors: --escape: --fields: "
        "--get-values: --mode: --pretty --show-secrets --terse --wait: --overview @anywhere"),
    Program("zfs zpool", far=True, worst="[] delete destroy -r x; [destroy] delete -r x"),
    Program("ip", Wrapper("", 1, subcommands=_IN_SPACES, optional=True), leading="-4 -6 -B -0 -M -V -s -d -h -o "
        "-r -p -j -N -a -t -c? -br -n: -f: -l: -b: -rc: -netns: "
        "-family: -loops: -batch: -rcvbuf: -details -statistics -stats -human -oneline -resolve -pretty -json -all "
        "-timestamp -brief -color? -force", example="ip netns exec space rm x"),
    Program("logrotate", settings="-m! --mail!", example="logrotate -m 'rm x' a"),
    Program("rm", options="-d -f -i -I -r -R -v --dir --force --interactive? --one-file-system --no-preserve-root "
        "--preserve-root? --recursive --verbose", writes="all", broad="-r, -f, -rf, -fr",
        worst="[] delete -r /home/u"),
    Program("unlink", writes="all", carries=removal, example="unlink x",
        worst="delete /home/u/.bashrc"),
    Program("shred", options="-f -n: -s: -u -v -x -z --force --iterations: --random-source: --size: --remove? "
        "--verbose --exact --zero", writes="all", carries=removal, example="shred -u x",
        worst="delete -u /home/u/.bashrc"),
    Program("cp gcp", options=_COPYING + " -d -H -l -L -P -p -R -r -s -x --archive --attributes-only --copy-contents "
        "--dereference --link --no-dereference --no-preserve: --parents --preserve? --recursive --reflink? "
        "--remove-destination --sparse: --symbolic-link --one-file-system", writes="into, linked if -l -s --link "
        "--symbolic-link", broad="-r, -a, -f",
        worst="write evil /home/u/.bashrc"),
    Program("ditto", options="-V -v -X -c -x -z -j -k --arch: --bom: --rsrc --norsrc --extattr --noextattr --qtn "
        "--noqtn --acl --noacl --sequesterRsrc --keepParent", writes="into",
        worst="write evil /home/u/.bashrc"),
    Program("mv gmv", options=_COPYING, writes="from, into", broad="-f",
        worst="write evil /home/u/.bashrc"),
    Program("ln gln", options=_COPYING + " -d -F -L -P -r -s --directory --logical --physical --relative --symbolic",
        writes="into, linked", broad="-s, -sf",
        worst="write -f evil /home/u/.bashrc"),
    Program("link", writes="into, linked"),
    Program("touch", options="-a -c -d: -f -h -m -r: -t: --date: --no-create --no-dereference --reference: --time:",
        writes="all"),
    Program("truncate", options="-c -o -r: -s: --no-create --io-blocks --reference: --size:", writes="all"),
    Program("mkdir gmkdir", options="-m: -p -v -Z --mode: --parents --verbose --context?", writes="all"),
    Program("rmdir mkfifo mknod", options="-m: -p -v --parents --verbose --mode:", writes="all"),
    Program("chmod", broad="-R",
        worst="elsewhere 777 /home/u"),
    Program("chown", broad="-R",
        worst="elsewhere nobody /home/u"),
    Program("install", options=_COPYING + " -c -C -d -D -g: -m: -o: -p --compare --directory --group: --mode: --owner: "
        "--preserve-timestamps --strip-program:", writes="into unless -d --directory, all if -d --directory",
        always="it overwrites any file",
        worst="write evil /home/u/.bashrc"),
    Program("dd", prints="input", writes="of=", always="`of=` overwrites any file or disk",
        worst="device of=/dev/sda"),
)
