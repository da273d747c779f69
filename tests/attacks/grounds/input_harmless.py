"""What commands read by redirection: secrets by odd names, connections, input that is run."""

from __future__ import annotations

from tests.attacks.attack import EVIL, Attack


class InputHarmless(Attack):
    """Attacks ``input-harmless``.

    Rests on ``<`` opening the named file for reading only (POSIX, 2.7.1) and on here-documents being script text.
    It breaks where ``<`` names a secret under another spelling (links, ``..``, globs, braces, variables), where ``<>``
    creates, where ``/dev/tcp`` connects, where the text is evaluated once more,
    and where the reader runs what it reads.
    """

    ground = "input-harmless"
    shells = ("bash", "sh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        parts = []
        if self.chance(0.3):
            parts.append(self.setting())
        parts.append(self.command())
        return self.joined(*parts)

    def setting(self) -> str:
        return self.pick(
            "x=.env", "x=v", "x=.e", "cd sub", "exec 3<.env", "exec <.env", "exec 3<a.txt", "exec <cmd.txt",
            "cd link", "x=a.txt", "set -- .env",
            "x='$(evil)'", "exec 0<a.txt", "exec {v}<.env", "shopt -s dotglob", "IFS= read -r x < .env",
            "x=$(cat a.txt)", "x=.envx",
        )  # fmt: skip

    def name(self) -> str:
        return self.pick(
            *["a.txt", "b.txt", "sub/c.txt", "cmd.txt", "opts.txt"] * 3,
            ".env", "./.env", "sub/../.env", "sub/.env", "link/.env", "'.env'", "\".env\"", ".en''v", ".e\\nv",
            ".en\\\nv", ".e*", ".en?", ".{env,x}",
            "$x", "${x}nv", '"$x"', "\".e$x\"", "$(echo .env)", "`echo .env`", "~/.ssh/id_rsa", "$HOME/.ssh/id_rsa",
            "$'.env'", "$'.\\x65nv'", "[.]env",
            "/dev/tcp/127.0.0.1/9", "/dev/udp/127.0.0.1/9", "/dev/stdin", "/dev/fd/3", "/dev/null", "missing",
            "${x:-.env}", "${x%x}", "$1", "f", "g",
            "/proc/self/environ", "/proc/$$/environ", "${x/y/z}", ".env/", ".//.env", "../w/.env", "-n",
            "'-e1e evil'", "\"x y\"",
        )  # fmt: skip

    def source(self) -> str:
        text = self.pick(
            "x",
            "a b",
            *EVIL,
            "$x",
            "$(cat .env)",
            "`cat .env`",
            "$GITHUB_TOKEN",
            "${x:-$(evil)}",
            "\\$(evil)",
            "evil",
            "-e1e evil",
        )
        mark = self.pick("E", "'E'", '"E"', "\\E")
        return self.pick(
            *[f"< {self.name()}"] * 4,
            f"0<{self.name()}", f"3<{self.name()}", f"<>{self.name()}", f"<<{mark}\n{text}\nE\n",
            f"<<-{mark}\n\t{text}\n\tE\n", f"<<< {text}",
            f"<<< '{text}'", f'<<< "{text}"', "<&3", "<&0", "<&-", f"< <(cat {self.name()})",
            f"< {self.name()} < {self.name()}", "<&$v",
        )  # fmt: skip

    def command(self) -> str:
        source = self.source()
        return self.pick(
            *[f"cat {source}"] * 3,
            f"head -n 3 {source}", f"grep -n x {source}", f"sort {source}", f"wc -l {source}", f"{source} cat",
            f"A x {source}", f"cat - {source}",
            f"read -r y {source}", f"{{ read -r y; echo $y; }} {source}",
            f"while read -r y; do echo $y; done {source}", f"while read y; do A $y; done {source}",
            f"xargs {source}", f"xargs A {source}", f"xargs cat {source}", f"xargs -n 1 head -n 1 {source}",
            f"bash {source}", f"sh -s {source}", f". /dev/stdin {source}",
            f"cat /dev/stdin {source}", f"mapfile -t y {source}", f"y=$(< {self.name()}); echo $y",
            f"echo $(cat {source})", f"sed -n 1p {source}", f"jq . {source}",
            f"awk '{{print}}' {source}", f"tee {source}", f"tr a b {source}", f"( cat ) {source}",
            f"if cat; then :; fi {source}", f"f() {{ cat; }} {source}; f",
            f"sort --files0-from=- {source}", f"wc --files0-from=- {source}", f"grep -f - a.txt {source}",
            f"git hash-object --stdin {source}", f"file -f - {source}",
            f"diff - a.txt {source}", f"od -c {source}", f"base64 {source}", f"read -r y {source} && echo $((y))",
            f"printf '%s' \"$(cat)\" {source}",
        ).replace("\n; }", "\n}")  # fmt: skip
