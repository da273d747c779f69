"""Programs that run another one: their options, their values, and what they do beside that."""

from __future__ import annotations

from collections.abc import Callable

from tests.attacks.attack import Attack

OPTIONS = {
    "nice": ("-n 5", "-5", "-n5", "--adjustment=5", "-n evil", "--adj=5", "--"),
    "nohup": ("--", "--help", "-x"),
    "stdbuf": ("-oL", "-o0", "-o L", "--output=L", "-i0 -oL", "-oevil", "--out=L"),
    "time": ("-p", "-o out2", "-f evil", "--", "-v", "-ao out2", "-p --"),
    "command": ("-p", "--", "-v", "-pv", "-V", "-p --"),
    "builtin": ("--",),
    "exec": ("-a A", "-c", "-l", "-a evil", "--", "-cl", ">out2"),
    "eval": ("--",),
    "!": (),
    "coproc": (),
    "noglob": (),
    "busybox": ("sh",),
    "setsid": ("-w",),
    "ionice": ("-c3", "-c 3"),
    "chrt": ("-i 0",),
    "flock": ("lock", "-n lock", "-x out2", "-s a.txt", "-n a.txt -c"),
}
"""Wrappers beside ``env``, ``timeout`` and ``xargs``, each with some of its options."""


class WrapperTransparent(Attack):
    """Attacks ``wrapper-transparent``.

    Rests on the manuals of coreutils, findutils and of the shells: with the options that are known, a wrapper hands its
    operands on as one command, word for word, and runs nothing else. It breaks where an option takes a value that is
    taken for the command (or the other way round), where an option changes the folder, the search path or the
    environment of what runs, writes a file, or splits a text into words, and where input adds words.
    """

    ground = "wrapper-transparent"
    shells = ("bash", "sh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        command = self.inner()
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            command = self.wrapped(command)
        if self.chance(0.25):
            command = self.pick("cat cmd.txt | ", "echo evil | ", "echo x | ", "ls | ", "echo '; evil' | ") + command
        if self.chance(0.15):
            command = self.pick("cd sub; ", "x=evil; ", "cd sub && ", "export PATH=.; ", "PATH=sub ") + command
        return command

    def inner(self) -> str:
        return self.pick(
            "A x", "A x", "B", "C ok", "C bad", "evil", *["./run.sh"] * 4, "ls a.txt", "cat a.txt", "A -x", "A evil",
            "A ';' evil",
            "A '$(evil)'", "sort a.txt", "echo hi", "bash -c 'A x'", "sh -c evil", "A $x", "A {}", "head -n 1 a.txt",
        )  # fmt: skip

    def wrapped(self, command: str) -> str:
        if self.chance(0.12):
            return self.found(command)
        if self.chance(0.4):
            options = self.random.choice((self.env_option, self.timeout_option, self.xargs_option))
            wrapper = {self.env_option: "env", self.xargs_option: "xargs"}.get(options, "timeout")
            duration = self.pick("1 ", "1s ", "0.5 ", "5 ", "x ", "") if wrapper == "timeout" else ""
            return f"{wrapper} {self.some(options)}{duration}{command}"
        wrapper = self.random.choice(sorted(OPTIONS))
        return f"{wrapper} {self.pick('', *OPTIONS[wrapper])} {command}"

    def found(self, command: str) -> str:
        """``command`` run by ``find``."""
        start = self.pick("a.txt", "sub -name c.txt", "sub -name a.txt")
        end = self.pick("{} \\;", "\\;", "{} +", "';'", "+", "{} ';' -exec evil \\;", "a{}b \\;", "{} \\; -print")
        return f"find {start} {self.pick('-exec', '-exec', '-execdir', '-ok')} {command} {end}"

    def some(self, maker: Callable[[], str]) -> str:
        return "".join(maker() + " " for _ in range(self.random.choice((0, 1, 1, 2))))

    def env_option(self) -> str:
        return self.pick(
            "-i", "-", "-u HOME", "-uPATH", "--unset=X",
            *["-C sub", "--chdir=sub", "-Csub", "-iC sub"] * 2, "-S 'A x'", "-S'evil'", "-vS 'A'",
            "--",
            "--split-string='A ok'", "-s A", "--ignore-environment", "--ig", "--chd=sub", "-0", "X=1", "CI=1",
            "PATH=sub",
            "LD_PRELOAD=x", "BASH_ENV=cmd.txt", "ENV=cmd.txt", "-P sub", "-iu X", "--block-signal", "--argv0=evil",
            "-a evil",
            "--default-signal=PIPE", "A=1", "-v", "--debug", "LC_ALL=C", "--list-signal-handling", "X='$(evil)'",
        )  # fmt: skip

    def timeout_option(self) -> str:
        return self.pick(
            "-s KILL", "-sKILL", "--signal=KILL", "--signal KILL", "-k 1", "-k1", "--kill-after=1",
            "--preserve-status", "-v",
            "--foreground", "--pres", "--", "--sig KILL", "-k", "-s", "-t 1", "--fore", "-vk 1",
        )  # fmt: skip

    def xargs_option(self) -> str:
        return self.pick(
            "-n 1", "-n1", "-I {}", "-I{}", "-I A", "-i", "-iA", "-I x", "-0", "-d '\\n'", "-r", "-t", "-P 2",
            "-a cmd.txt", "-L 1",
            "-l", "-e", "-E x", "-p", "-s 100", "--max-args=1", "--replace", "--replace=x", "--arg-file=cmd.txt",
            "--max-a=1",
            "--process-slot-var=PATH", "--process-slot-var=X", "-x", "--", "-o", "--no-run-if-empty", "-J %", "-R 1",
            "-S 9",
        )  # fmt: skip
