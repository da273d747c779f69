"""Variables that an entry accepts for its program, with a near miss of name, value or program."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, inside, spelt

_PAIRS = (
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_PAGER", ""),
    ("GH_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("LESS", "FRX"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_DIR", ".git"),
    ("GIT_WORK_TREE", "."),
    ("IFS", ","),
    ("IFS", ""),
    ("SYSTEMD_COLORS", "0"),
)


class AssignmentAccepted(Attack):
    """Attacks ``assignment-accepted``.

    ``PAGER=cat git log`` is safe although ``PAGER`` names a program, because the entry for git lists it with this
    value, for this one command. It would break if the value is not this text (an append, a subscript, an expansion,
    a function or a file of the folder named ``cat``), if the assignment outlives its command (before special
    builtins and functions in POSIX mode, and in ksh; POSIX 2.9.1.2), or if another program of the same command line
    gets it.
    """

    ground = "assignment-accepted"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        name, value = self.random.choice(_PAIRS)
        if self.chance(0.35):
            value = self.pick(
                "evil", "./cat", "cat;evil", "cat evil.sh", "$(evil)", "cat\nevil", "sub/A", "cat|evil", "*", "^"
            )
        shown = self.pick(f"'{value}'", f"'{value}'", f'"{value}"', f"$'{value}'") if not value.isalnum() else value
        shown = spelt(self, shown) if value.isalnum() else shown
        given = self.pick(
            f"{name}={shown}",
            f"{name}={shown}",
            f"{name}={shown}",
            f"{name}+={shown}",
            f"{name}[0]={shown}",
            f"x=1 {name}={shown}",
            f"PATH=. {name}={shown}",
            f"{name}=$x",
            f"{name}={shown} {name}=evil",
            f"{name}=({shown})",
            f"env {name}={shown}",
            f"export {name}={shown};",
        )
        program = self.pick(
            "git log -1",
            "git -p log -1",
            "git --paginate diff",
            "git diff HEAD",
            "git show",
            "git status",
            "git branch",
            "git blame a.txt",
            "git grep one",
            "git grep -O one",
            "git log -1 | cat",
            "timeout 5 git log -1",
            "read -r a b < a.txt",
            "read -ra a <<< '1,2'",
            "command git log",
            "ls",
            "evil",
            "bash -c 'git log -1'",
            "read -r x",
            "while read -r l; do echo $l; done < b.txt",
        )
        use = f"{given} {program}"
        if name == "IFS" or self.chance(0.1):
            then = self.pick(
                "x=-r,-oowned; sort $x a.txt", "D o,bad", "x=bad; D $x", "x=1p,1eevil; sed -n $x a.txt", "A $x"
            )
            use = self.joined(use, then)
        if self.chance(0.25):
            before = self.pick(
                "cat() { evil; }", "git() { ls; }", "read() { ls; }", "x=cat", "x=evil", "alias git=evil", "cd sub"
            )
            use = self.joined(before if self.chance(0.6) else self.pick(*DECOYS), use)
        return inside(self, use) if self.chance(0.2) else use
