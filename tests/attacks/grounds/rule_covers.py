"""Words that are written in one way and run in another, beside a rule that forbids one of them."""

from __future__ import annotations

from tests.attacks.attack import Attack


class RuleCovers(Attack):
    """Attacks ``rule-covers``.

    Rests on the pattern being compared with the words that the program gets, after quotes, braces and line
    continuations (bash manual, 3.5), and on stricter rules being tried under every spelling and at every depth. It
    breaks where ``C bad`` hides in quotes, braces, variables, arrays, globs, a wrapper or a name with a folder while
    another rule allows what is seen, and where ``C ok`` becomes more words than the rule looked at.
    """

    ground = "rule-covers"
    shells = ("bash", "sh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        parts = [self.any_of(self.setting, self.harmless) for _ in range(self.random.randrange(3))]
        parts.append(self.framed(self.any_of(self.written, self.written, self.open_ended)))
        if self.chance(0.2):
            parts.append(self.harmless())
        return self.joined(*parts)

    def setting(self) -> str:
        return self.pick(
            "x=bad", "x=ok", "x='ok bad'", "x=C", "set -- bad", "set -- ok", "x=(C bad)", "x=", "x='-- bad'", "IFS=k"
        )

    def harmless(self) -> str:
        return self.pick("A 1", "B", "A x | B", "C ok", "echo C bad", "true", "A 'C bad'", "ls a.txt")

    def written(self) -> str:
        """``C`` may have ``ok`` as its first word, ``D`` anything but ``bad``."""
        second = self.pick("ok", "bad", "ok", "ok bad", "bad ok", "b", "o")
        line = self.pick(
            f"C {second}",
            f"'C' {second}",
            f"\\C {second}",
            f'"C" "{second}"',
            f"C ${{x}}{second}",
            f"C {second}$x",
            "C b''ad",
            "C b\\ad",
            "C ba\\\nd",
            "C o\\\nk",
            "C $'ok'",
            "C $'b\\x61d'",
            'C $"bad"',
            "C ok$'\\0'bad",
            "C {ok,bad}",
            "C ok{,bad}",
            "C ba{d,}",
            "{C,ok}",
            "{C,bad}",
            "C $x",
            'C "$x"',
            "C ok $x",
            'C "$@"',
            "C ok $@",
            "$x ok",
            "${x[@]}",
            "C ${x:-bad}",
            "C ${x:-ok}",
            "C ok ${x+bad}",
            "C `echo bad`",
            "C $(echo ok)",
            "C ok; C bad",
            "C ok & C bad",
            "C ok | C bad",
            "C ok\nC bad",
            "C ok #; C bad",
            "C ok \\\n bad",
            "C b?d",
            "C [b]ad",
            "C ok *",
            "C =bad",
            "C ok= bad",
            "C -- ok",
            "C <<< bad ok",
            "C <a.txt ok",
            "<a.txt C bad",
            "2>&1 C ok",
            "C ok 2>&1 bad",
        )
        return line.replace("C", "D") if self.chance(0.4) else line

    def open_ended(self) -> str:
        name = self.pick("A", "B")
        return self.pick(
            f"{name} x; C bad",
            f"{name} $(C bad)",
            f"{name} `C ok`",
            f'{name} "$(C bad)"',
            f"{name} <(C bad)",
            f"{name} ${{x:-$(C bad)}}",
            f"{name} $((1+$(C ok)))",
            f"{name} '$(C bad)'",
            f"{name} \\$(C bad\\)",
            f"{name} ${{x#$(C bad)}}",
            f"{name} -- $x",
            f"{name}$x",
            f"{name}''",
            f"./{name}",
            f"sub/../{name}",
            f"{name} C bad",
            f"{name} ; {name} &",
            f"{name} | C bad",
            f"{name} && C ok || C bad",
            f"! {name} || C bad",
            f"{name}() {{ C bad; }}; {name}",
            f"alias {name}='C bad'\n{name}",
        )

    def framed(self, command: str) -> str:
        return self.pick(
            command,
            command,
            command,
            f"( {command} )",
            f"{{ {command}; }}",
            f"if true; then {command}; fi",
            f"for i in 1 2; do {command}; done",
            f"case x in x) {command};; esac",
            f"env {command}",
            f"command {command}",
            f"timeout 1 {command}",
            f"echo | xargs {command}",
            f"true && {command}",
            f"f() {{ {command}; }}; f",
            f"x=1 {command}",
        )
