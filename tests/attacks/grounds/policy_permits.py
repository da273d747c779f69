"""Commands that nothing settles: only a caller's own policy may let them run, and no script has that policy."""

from __future__ import annotations

from tests.attacks.attack import Attack


class PolicyPermits(Attack):
    """Attacks ``policy-permits``.

    Claims nothing about a command: it is given where the caller's approval policy, which no script can name, lets run
    what neither rule nor entry settles. It breaks where a script is allowed on this ground under the default fallback,
    or where a command that nothing settles is hidden beside allowed ones and passes with them.
    """

    ground = "policy-permits"
    shells = ("bash", "sh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        parts = [self.known() for _ in range(self.random.randrange(3))]
        parts.insert(self.random.randrange(len(parts) + 1), self.unknown() if self.chance(0.6) else self.known())
        return self.joined(*parts)

    def known(self) -> str:
        return self.pick(
            "A x",
            "ls a.txt",
            "echo evil",
            "cat a.txt",
            "B | cat",
            "x=1",
            "true",
            "head -n 1 a.txt",
            "A 'evil x'",
            "C ok",
            "# evil",
            "echo \\; evil",
        )

    def unknown(self) -> str:
        run = self.pick("evil", "D", "evil x", "./evil.sh", "D -x", "C", "C no", "sub/run.sh")
        return self.pick(
            run, f"true || {run}", f"false && {run}", f"if false; then {run}; fi", f"f() {{ {run}; }}",
            f"f() {{ {run}; }}; f", f"( {run} )", f"{{ {run}; }}",
            f"echo $({run})", f"x=$({run})", f"A <({run})", f"cat <<E\n$({run})\nE\n", f"case x in y) {run};; esac",
            f"for i in; do {run}; done", f"{run} &",
            f"echo '{run}'", f'echo "{run}"', f"timeout 1 {run}", f"env {run}", f"bash -c '{run}'", f"A; {run} | cat",
            f"! {run}", f"trap '{run}' EXIT",
            f"eval '{run}'", f"while {run}; do break; done", f"[ -n \"$({run})\" ]", f"echo ${{x:-$({run})}}",
            f"x={run}; $x", f"alias z='{run}'", f"A # {run}",
            f"coproc {run}", f"time {run}", f"x=${{y:=$({run})}}", f"select i in 1; do {run}; done < /dev/null",
            f"exit; {run}", f"exec {run}", f": {run}",
        )  # fmt: skip
