"""Programs that are safe only where their output is no terminal."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, inside


class PagedOutput(Attack):
    """Attacks entries with ``piped``.

    ``P`` runs a program where its output is a terminal, as those do that open a pager. Its entry speaks only where the
    output is surely a pipe, a substitution or ``/dev/null``, which breaks where a redirection, another descriptor, a
    group, a function, a process substitution or a wrapper gives it the terminal after all. The scripts are run on one.
    """

    ground = "paged-output"
    terminal = True
    shells = ("bash", "sh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        line = self.placed(self.call())
        if self.chance(0.2):
            line = self.joined(self.pick(*DECOYS, "exec 3>&1", "exec 1>&2", "x=P", "f() { P; }", "cd sub"), line)
        if self.chance(0.2):
            line += self.pick(" | cat", " > /dev/null", "; P", " 2>&1 | cat", " | head -n 1", " &\nwait")
        return inside(self, line) if self.chance(0.25) else line

    def call(self) -> str:
        call = self.pick(
            "P", "P", "P x", "P -n 5", "P a.txt", "timeout 5 P", "nice P", "env P", "command P", "stdbuf -oL P"
        )
        return call + self.pick(
            *("", "", "", " 2>&1", " > /dev/null", " 2>/dev/null", " >&2", " 1>&2", " > /dev/tty", " >/dev/stdout"),
            *(
                " > /dev/stderr",
                " < a.txt",
                " 3>&1",
                " >&3",
                " &> /dev/null",
                " 1>&0",
                " > out/x",
                " >/dev/fd/2",
                " <&2",
            ),
            *(
                " 2>&1 >/dev/null",
                " >/dev/null >&2",
                " >&2 >/dev/null",
                " 1>&-",
                " <<< x",
                " >> /dev/null",
                " >|/dev/null",
            ),
        )

    def placed(self, call: str) -> str:
        return self.pick(
            *(f"{call} | cat", f"{call} | head -n 1", f"{call} | cat", f"x=$({call})", f'echo "$({call})"', call),
            *(
                f"{call} |& cat",
                f"echo x | {call}",
                f"echo x | {call} | cat",
                f"{{ {call}; }} | cat",
                f"( {call} ) | cat",
            ),
            *(f"{{ {call}; echo x; }} | cat", f"{{ {call} | cat; }}", f"{call} && ls | cat", f"ls | cat; {call}"),
            *(f"cat <({call})", f"cat < <({call})", f"echo x > >({call})", f"echo x | tee >({call}) | cat"),
            *(
                f"f() {{ {call}; }}; f | cat",
                f"f() {{ {call}; }}; f",
                f"f() {{ {call} | cat; }}; f",
                f"x=$(f() {{ {call}; }}; f)",
            ),
            *(f"if {call} | cat; then :; fi", f"if {call}; then :; fi | cat", f"while {call}; do break; done | cat"),
            *(f"for i in 1; do {call}; done | cat", f"! {call} | cat", f"time {call} | cat", f"{call} | {{ cat; P; }}"),
            *(
                f"{{ {call} >&2; }} | cat",
                f"{{ {call}; }} > /dev/null",
                f"{{ {call}; }} >&2 | cat",
                f"x=`{call}`; echo $x",
            ),
            *(f"( {call} >&2 ) | cat", f"{{ {call}; }} 2>&1 | cat", f"x=$({call} >&2)", f"x=$( {{ {call}; }} >&2)"),
            *(
                f"echo | xargs {call} | cat",
                f"find a.txt -exec {call} ';' | cat",
                f"exec {call} | cat",
                f"coproc {call}",
            ),
            *(
                f"bash -c '{call}' | cat",
                f"bash -c '{call} | cat'",
                f"eval '{call}' | cat",
                f"sh -c '{call}' > /dev/null",
            ),
            *(
                f"{call} | tee /dev/tty",
                f"trap '{call}' EXIT; ls | cat",
                f"{call} & ls | cat",
                f"[ $({call}) ] || ls | cat",
            ),
            *(f"cat <<E\n$({call})\nE", f"echo $(( $({call}) + 1 ))", f"case $({call}) in *) ;; esac", f"ls $({call})"),
        )
