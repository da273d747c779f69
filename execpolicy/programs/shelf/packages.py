"""Package managers of whole systems."""

from __future__ import annotations

from execpolicy.flow.texts import closing
from execpolicy.programs.inner import run_argv, run_command, run_text
from execpolicy.programs.options import option_table, walk
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program, Wrapper
from execpolicy.programs.run_by_options import run_by_options
from execpolicy.programs.text_runs import value_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_APT = (
    "-q? -y -s -d -f -m -u -U -b -V -c: -o: -t: -a: -P: --quiet? --yes --assume-yes --assume-no --simulate --dry-run "
    "--just-print --no-act --recon --download-only --fix-broken --ignore-missing --fix-missing --config-file: "
    "--option: --target-release: --default-release: --allow-downgrades --allow-remove-essential "
    "--allow-change-held-packages --allow-unauthenticated --no-install-recommends --install-recommends "
    "--install-suggests --no-install-suggests --reinstall --only-upgrade --purge --auto-remove --autoremove "
    "--show-upgraded --no-upgrade --print-uris --host-architecture: --build-profiles: --force-yes --trivial-only "
    "--no-remove --with-source: @anywhere"
)


def rpm(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """What macros in its arguments run: ``%(…)``, also in the name of a file, and what a definition may put there."""
    yield from run_by_options(command, facts, name, record)
    for word in command.words[1:]:
        text = word.literal or ""
        at = text.find("%(")
        while at >= 0:
            end = closing(text, at + 1)
            yield run_text(name, command, text[at + 2 : end - 1])
            at = text.find("%(", max(end, at + 2))
        macro, _, body = text.removeprefix("--define=").removeprefix("-D").partition(" ")
        if body and (macro.isidentifier() or macro.endswith("()")):  # -D '__spec_build_pre rm x'
            yield run_text(name, command, body, evidence=True)
        if "%{lua:" in text:
            yield from code_commands(name, command, text.partition("%{lua:")[2], "c")


def homebrew(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``brew sh -c TEXT`` and ``brew ruby -e CODE``."""
    if len(command.words) > 1 and command.words[1].literal in ("sh", "ruby", "irb"):
        yield run_command(name, command, command.words[1:])


def password_store(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pass git ARGUMENT…``: git, in the folder of the passwords."""
    if len(command.words) > 1 and command.words[1].literal == "git":
        yield run_command(name, command, command.words[1:])


_FLATPAK_RUN = (
    "--command: --branch: --arch: --cwd: --env: --unset-env: --share: --unshare: --socket: --nosocket: --device: "
    "--nodevice: --filesystem: --nofilesystem: --talk-name: --own-name: --persist: --runtime: --runtime-version: "
    "--commit: --runtime-commit: --usr-path: --app-path: --parent-pid: --instance-id-fd: --add-policy: "
    "--remove-policy: -d -p --devel --sandbox --verbose"
)


def flatpak(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``flatpak run --command=PROGRAM APP ARGUMENT…``: the arguments stand behind the app."""
    words = command.words
    run = next((at for at, word in enumerate(words) if word.literal == "run"), len(words))
    way = walk(option_table(_FLATPAK_RUN), words, run + 1)
    for seen in way.seen:
        for start in way.starts if seen.name == "--command" else ():
            for text in value_texts(seen, facts):
                yield run_argv(name, command, [text], words[start + 1 :])


# fmt: off
RECORDS = (
    Program("apt apt-get", leading=_APT, settings="-o!", form="assignment", broad="install", task="2", far=True,
        example="apt -o DPkg::Pre-Invoke='rm x' update",
        worst="run -o DPkg::Pre-Invoke::=./evil"),
    Program("aptitude", leading=_APT),
    Program("dpkg", settings="--pre-invoke! --post-invoke!", broad="-i", example="dpkg --pre-invoke='rm x' -i a"),
    Program("dnf dnf5 yum", leading="-4 -6 -b -c: -C -d: -e: -q -R: -v -x: -y --config: --enablerepo: --disablerepo: "
        "--repo: --repoid: --exclude: --setopt: --installroot: --releasever: --nogpgcheck --best --assumeyes "
        "--assumeno --quiet --refresh --forcearch: @anywhere", broad="install", task="2", far=True,
        worst="[] fetch install evil; [install] fetch evil"),
    Program("rpm rpmbuild rpmspec", carries=rpm, settings="--pipe!", broad="-i, -U, --eval",
        example="rpm -E '%(rm x)'"),
    Program("apk", leading="-f -i -p: -q -U -v -X: --root: --repository: --no-cache --no-network --allow-untrusted "
        "--quiet --arch: --keys-dir: @anywhere", broad="add",
        worst="[] fetch add evil; [add] fetch evil"),
    Program("zypper", leading="-h -V -q -v -A -D: -R: -C: -t: -s: -x -n --non-interactive --no-gpg-checks --root: "
        "--reposd-dir: --quiet @anywhere", worst="[] fetch install evil; [install] fetch evil"),
    Program("brew", Wrapper(subcommands="exec, bundle exec"), carries=homebrew, example="brew exec rm x",
        leading="-d -q -v -h --debug --quiet --verbose @anywhere", broad="install", task="2",
        far=True, worst="fetch install evil"),
    Program("port", leading="-v -d -q -n -R -u -y -s -b -c -k -p -f -o -D:"),
    Program("snap", Wrapper("--shell --command:", subcommands="run"), example="snap run rm x", leading="-h",
        broad="install, run", task="2", far=True, worst="fetch install evil"),
    Program("flatpak", Wrapper("-v -u --user --system --verbose", 1, subcommands="enter"), carries=flatpak,
        leading="-v -h --verbose --user --system --installation:", settings="--command*",
        broad="run, install", task="2", far=True, worst="[run] run --command=./evil app; fetch install evil",
        example="flatpak run --command=rm x"),
    Program("flatpak-builder", Wrapper("--run --allow --share: --socket: --filesystem: --env: --state-dir:", 2),
        example="flatpak-builder --run a b rm x"),
    Program("pass gopass", carries=password_store, example="pass git -c core.editor='rm x' commit"),
)
