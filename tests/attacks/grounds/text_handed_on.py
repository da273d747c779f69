"""Text that another shell reads: its options, its start-up files, its arguments and its input."""

from __future__ import annotations

from tests.attacks.attack import Attack


class TextHandedOn(Attack):
    """Attacks ``text-handed-on``.

    Rests on how shells take their arguments (POSIX, sh; bash manual, 6.1 and 6.2): the word behind ``-c`` is the
    script, what follows it are ``$0`` and the positional parameters, and without ``-l``, ``-i``, ``BASH_ENV`` and their
    like no other file is read first. It breaks where an option moves the script to another word, where a start-up file
    or an option of the shell changes how the text is read, where the text is put together from data, and where input
    is text.
    """

    ground = "text-handed-on"
    shells = ("bash", "sh", "zsh", "ksh")

    def script(self) -> str:
        parts = []
        if self.chance(0.15):
            parts.append(self.setting())
        parts.append(self.call())
        return self.joined(*parts)

    def setting(self) -> str:
        return self.pick(
            "x=evil", "x='A; evil'", "export BASH_ENV=cmd.txt", "export ENV=cmd.txt", "set -- evil", "export x=1",
            "cd sub",
            "export HOME=.", "x='$(evil)'", "shopt -s expand_aliases", "export SHELLOPTS", "set -o posix",
            "export ZDOTDIR=sub",
            "export BASHOPTS", "set -a", "IFS=/", "x=-c", "A() { evil; }; export -f A", "x=A", "y='evil'; x=y",
        )  # fmt: skip

    def shell_name(self) -> str:
        return self.pick(
            "bash",
            "bash",
            "bash",
            "sh",
            "sh",
            "sh",
            "dash",
            "zsh",
            "mksh",
            "/bin/bash",
            "/bin/sh",
            "busybox sh",
            "busybox ash",
        )

    def options(self) -> str:
        return self.pick(
            *[""] * 150,
            *["-e", "-eu", "-x", "--norc", "-o pipefail"] * 4,
            "-e", "-x", "-eu", "-o pipefail", "-o posix", "-O extglob", "+O extglob", "--posix", "--norc",
            "--noprofile", "-p", "-f",
            "--rcfile cmd.txt", "--init-file cmd.txt", "-i", "-l", "--login", "-n", "-v", "-s", "-r", "-a", "-k",
            "-B", "-E", "-T",
            "--", "-", "+e", "-O expand_aliases", "-o errexit", "-euo pipefail", "-O cmd.txt", "--restricted",
            "--debugger", "-D",
            "--dump-strings", "-o xtrace", "-t", "-y", "--emulate sh", "-o noexec", "-h", "-m", "-O nullglob", "-w",
            "-O failglob",
        )  # fmt: skip

    def text(self) -> str:
        return self.pick(
            *["A x", "A x; B", "ls a.txt", "B | cat", "./run.sh", "A 'y z'", "head -n 1 a.txt", "A && B"] * 5,
            "A x", "A x", "B; A", "ls a.txt", "A $x", "A \"$1\"", "$1", "\"$@\"", "$0", "A; evil", "evil", "./run.sh",
            "A $(B)",
            "eval \"$1\"", "A $(evil)", "cat <<E\n$(A)\nE", "x=1; A $x", "A \"$@\"", "A # evil", "A '",
            "alias A=evil\nA", "exec A x",
            "A `evil`", "cat \"$1\"", "C ok", "C $1", "f() { A; }; f", "head -n \"$1\" a.txt", "cd sub && ./run.sh",
            "A \\\nx", ". cmd.txt",
            "test -f \"$1\" && A", "echo $((x))", "[[ $x -eq 1 ]]", "A x > out/x", "A x > $1", "echo \"$0\"",
            "bash -c 'A'", "!evil", "A !!",
        )  # fmt: skip

    def quoted(self, text: str) -> str:
        if "'" not in text and self.chance(0.75):
            return f"'{text}'"
        if self.chance(0.8):
            return '"' + text.replace('"', '\\"').replace("`", "\\`") + '"'
        return "$'" + text.replace("'", "\\'").replace("\n", "\\n") + "'"

    def arguments(self) -> str:
        return self.pick(
            *[""] * 30,
            *[" _", " _ 1", " sh"] * 3,
            " _", " _ evil", " _ .env", " evil", " _ 1", " _ 'evil; evil'", " _ -x", " _ \"$x\"", " _ $x", " A evil",
            " -- evil",
            " _ '$(evil)'", " _ A", " 'a[$(evil)]' 1", " _ *", " -x evil", " _ out2",
        )  # fmt: skip

    def call(self) -> str:
        shell, text = self.shell_name(), self.text()
        options = " ".join(part for part in (self.options(), self.options()) if part)
        prefix = self.pick(
            *[""] * 60,
            "BASH_ENV=cmd.txt ", "ENV=cmd.txt ", "x=evil ", "env ", "PATH=sub ", "SHELLOPTS=xtrace ", "HOME=. ",
            "CI='a[$(evil)]' ",
            "env -i ", "PS4='$(evil)' ", "PROMPT_COMMAND=evil ", "ZDOTDIR=sub ", "IFS=A ", "BASHOPTS=expand_aliases ",
            "command ",
        )  # fmt: skip
        quoted, behind = self.quoted(text), self.arguments()
        letters = self.pick("e", "x", "eu", "l", "i", "n", "ef", "p", "a", "k")
        source = self.pick("", "-s", "-s evil", "- ", "/dev/stdin")
        script = self.pick("cmd.txt", "run.sh", "/dev/stdin", "sub/run.sh", "-", "--")
        calls = [
            f"{prefix}{shell} {options} -c {quoted}{behind}",
            f"{prefix}{shell} {options} -c {quoted}{behind}",
            f"{prefix}{shell} -c {quoted}{behind}",
            f"{prefix}{shell} -c {quoted}",
            f"{prefix}{shell} -c {options} {quoted}{behind}",
            f"{prefix}{shell} -{letters}c {quoted}{behind}",
            f"{prefix}{shell} -c{self.pick('e', 'x', 'l', 'i', 'A', 's')} {quoted}{behind}",
            f"{prefix}{shell} {options} <<< {quoted}",
            f"{prefix}{shell} {options} <<'E'\n{text}\nE",
            f"{prefix}{shell} {options} <<E\n{text}\nE",
            f"echo {quoted} | {prefix}{shell} {options}",
            f"printf '%s\\n' {quoted} | {prefix}{shell} {options} {source}",
            f"{prefix}{shell} {options} {script} <<< {quoted}",
            f"eval {self.quoted(text)}",
            f"eval -- {self.quoted(text)} {self.quoted(self.text())}",
            f". /dev/stdin <<< {self.quoted(text)}",
            f"source <(echo {self.quoted(text)})",
            f"{prefix}{shell} <(echo {self.quoted(text)})",
            f"trap {self.quoted(text)} EXIT",
        ]
        return self.random.choice(calls)
