"""Redirections to /dev/null and to the streams that are open already, and what is nearly so."""

from __future__ import annotations

from tests.attacks.attack import Attack

NEAR = (
    *(["/dev/null"] * 70),
    *(
        "/dev//null",
        "/dev/./null",
        "/dev/null/",
        "/dev/null/../../x",
        "/dev/../x",
        "/dev/nul",
        "/dev/null2",
        "/dev/NULL",
        "dev/null",
    ),
    *(
        "'/dev/null '",
        "/dev/{null,x}",
        "/dev/n?ll",
        "/dev/null*",
        "/dev/$x",
        '"/dev/$x"',
        "/dev/nu\\\nll",
        "/dev/nu\\ll",
        "$'/dev/null'",
    ),
    *(
        "/dev/stdout",
        "/dev/stderr",
        "/dev/stdin",
        "/dev/fd/1",
        "/dev/fd/2",
        "/dev/fd/3",
        "/proc/self/fd/1",
        "/dev/tty",
        "/dev/fd/0",
    ),
    *(
        "null",
        "../dev/null",
        "~/../dev/null",
        "$n",
        "$(echo /dev/null)",
        "a.txt",
        "out2",
        "/dev/null$x",
        "/dev/zero",
        "/dev/full",
        "link",
    ),
)
FORMS = (
    *([">", "2>", ">>", "2>>", ">|", "1>"] * 4),
    "&>",
    "&>>",
    ">&",
    "<>",
    "3>",
    "2>|",
    "1<>",
    "{v}>",
    "9>",
    "2>&1 >",
    ">&2 2>",
)


class WriteNull(Attack):
    """Attacks ``write-null``.

    Rests on the redirection opening exactly the word that is written: the shell treats ``/dev/stdout``, ``/dev/stderr``
    and ``/dev/fd/N`` as descriptors that it has (bash manual, 3.6) or the system opens what they stand for. It breaks
    where the word is another after expansion or in another folder, and where descriptor 1 or 2 was moved to a file
    before, so that ``/dev/stdout`` opens and truncates that file anew.
    """

    ground = "write-null"
    shells = ("bash", "sh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        parts = []
        if self.chance(0.2):
            parts.append(self.setting())
        parts.append(self.command())
        if self.chance(0.3):
            parts.append(self.command())
        return self.joined(*parts)

    def setting(self) -> str:
        return self.pick(
            "cd /dev", "x=null", "x=../x", "n=/dev/null", "cd sub", "exec >out/x", "exec 2>a.txt", "exec 3>&1",
            "n=a.txt", "exec 3<a.txt",
            "exec 1<>a.txt", "set -C", "exec >&-", "exec 2>/dev/null", "exec 3<>a.txt 1>&3", "set -o noclobber",
            "exec >/dev/null",
        )  # fmt: skip

    def redirect(self) -> str:
        return self.pick(*FORMS) + self.pick("", " ", "") + self.pick(*NEAR)

    def command(self) -> str:
        run = self.pick("A x", "ls a.txt", "echo hi", "cat a.txt", "B", ":", "true", "", "echo x y")
        redirects = " ".join(self.redirect() for _ in range(self.random.choice((1, 1, 2))))
        return self.pick(
            *[f"{run} {redirects}"] * 6,
            f"{redirects} {run}",
            f"{{ {run or ':'}; }} {redirects}",
            f"( {run or ':'} ) {redirects}",
            f"for i in 1; do {run or ':'}; done {redirects}",
            f"f() {{ {run or ':'}; }} {redirects}; f",
            f"{{ {run or ':'} {redirects}; }} {self.redirect()}",
            f"{run or ':'} {redirects} | cat",
            f"x=$({run or ':'} {redirects})",
            f"if {run or ':'}; then :; fi {redirects}",
            f"{run or ':'} 1<>a.txt {redirects}",
            f"{run or ':'} 1<a.txt {redirects}",
        )
