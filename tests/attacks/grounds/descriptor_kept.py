"""Descriptors that are moved, opened on files before, or named by words that are no numbers."""

from __future__ import annotations

from tests.attacks.attack import Attack


class DescriptorKept(Attack):
    """Attacks ``descriptor-kept``.

    Rests on ``>&N`` with a number copying what N stands for (POSIX, 2.7.6), and on 1 and 2 standing for what the caller
    gave unless something visible moved them. It breaks where the word behind ``>&`` is no number (bash then opens a
    file of that name), where N was opened on a file with ``<>`` or a name in braces, where a descriptor is moved with
    ``N-``, where the change outlives the command (``exec``), and where ``/dev/stdout`` is written while 1 stands for a
    file that was opened for reading: Linux opens that file anew, for writing (tried).
    """

    ground = "descriptor-kept"
    shells = ("bash", "sh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        parts = [self.opening() for _ in range(self.random.choice((0, 0, 0, 0, 1, 2)))]
        parts.append(self.command())
        if self.chance(0.3):
            parts.append(self.command())
        return self.joined(*parts)

    def opening(self) -> str:
        return (
            "exec " + self.copies()
            if self.chance(0.5)
            else self.pick("x=2", "x=a.txt", "x=out2", "x='2 '", "set -C", "v=3", "x=-", "x=3")
        )

    def word(self) -> str:
        return self.pick(
            *["1", "2", "1", "2", "-"] * 14,
            "3",
            "$x", '"$x"', "a.txt", "out2", "2-", "1-", "'2'", "\\2", "${x}", "$v", "2a", "02", "$((2))", "$(echo 2)",
            "'1 '", "2\\\n", "{1,2}", "p", "0",
            "-2", "+2", "/dev/null", "/dev/stdout", "9", "10", "1$x", "~", "*", "[2]", "$'2'", "''", "2x", "out/n",
        )  # fmt: skip

    def copy(self) -> str:
        return self.pick(
            *["1<a.txt >/dev/stdout", "2<b.txt 2>/dev/stderr", "1<n.txt >>/dev/stdout", "1<a.txt 2>/dev/stdout"],
            *["2>&1", ">&2", "2>&-", "1>&2", "2>/dev/null", ">&-"] * 3,
            f"{self.pick('', '1', '2', '2', '', '3', '0', '9', '{v}', '10')}>&{self.pick('', '', ' ')}{self.word()}",
            f"{self.pick('', '1', '2', '3')}<&{self.word()}",
            f"{self.pick('3', '1', '', '2', '{v}')}<>{self.pick('a.txt', 'out/n', '/dev/null', 'out2')}",
            f"{self.pick('3', '{v}', '9')}<a.txt",
            f"{self.pick('3', '{v}', '9')}>{self.pick('/dev/null', 'out/n', 'a.txt')}",
            "2>&1",
            ">&2",
            self.pick(">!", ">>!", ">&!", "&>!", ">&|", ">>|", "&>|", ">>&", "2&>", "&>", "&>>", "<->", "<1-9>")
            + "out2",
            self.pick("1<a.txt", "2<b.txt", "1<n.txt", "1<>out/n", ">/dev/stdout", "2>/dev/stderr", ">>/dev/stdout"),
        )

    def copies(self) -> str:
        return " ".join(self.copy() for _ in range(self.random.choice((1, 1, 1, 2, 2))))

    def command(self) -> str:
        run = self.pick("A x", "echo hi", "ls a.txt", "cat a.txt", ":", "B", "ls missing", "true")
        return self.pick(
            f"{run} {self.copies()}",
            f"{run} {self.copies()}",
            f"{run} {self.copies()}",
            f"{{ {run} {self.copies()}; }} {self.copies()}",
            f"( {run} {self.copies()} ) {self.copies()}",
            f"{run} {self.copies()} | cat",
            f"{self.copies()} {run}",
            f"for i in 1; do {run}; done {self.copies()}",
            f"f() {{ {run}; }} {self.copies()}; f",
            f"x=$({run} {self.copies()}); echo $x",
            f"{run} |& cat {self.copies()}",
        )
