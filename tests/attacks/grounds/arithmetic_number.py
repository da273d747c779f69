"""Names that are put together at run time, numbers that fail, and values that hold a subscript."""

from __future__ import annotations

from tests.attacks.attack import EVIL, Attack


class ArithmeticNumber(Attack):
    """Attacks ``arithmetic-number``.

    A variable in an expression is evaluated as an expression itself, and a subscript in it is expanded (bash manual,
    6.5). The claim breaks where a name is not the one that is written (``x$y``), where a value is not the one that was
    assigned, or where text that is no number gets there by another way.
    """

    ground = "arithmetic-number"
    shells = ("bash", "sh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        name = self.pick("x", "y", "n", "i", "ab")
        loaded = name + self.pick("0", "1", "5", "12", "_a", "")
        parts = [f"{loaded}='{self.pick(*EVIL)}'", f"{name}={self.pick('5', '0', '1', '12', 'a', '08', '_a')}"]
        self.random.shuffle(parts)
        if self.chance(0.3):
            parts.insert(self.random.randrange(3), self.pick("false", "true", f"{name}=7", "cat f", f"unset {name}"))
        expression = self.expression(name)
        if self.chance(0.2):
            expression += self.pick("+", "-", "*", "?1:") + self.expression(name)
        parts.append(self.use(name, expression))
        return self.joined(*parts)

    def expression(self, name: str) -> str:
        return self.pick(
            f"{name}${name}",
            f"{name}${{{name}}}",
            f"{name}$?",
            f"{name}$((5))",
            f"{name}$#",
            f"{name}\\\n5",
            f"${name}",
            f"${{{name}}}",
            name,
            f"{name}5",
            f'{name}"5"',
            f"{name}'5'",
            f"{name}[0]",
            f"{name}+1",
            f"{name}++",
            f"${{#{name}}}",
            f"${{{name}:-5}}",
            f"{name}`echo 5`",
            f"{name}$(echo 5)",
            f"{name}$'5'",
            f"1{name}",
            f"0x{name}",
            f"{name}_$((1))",
            f"10#{name}",
            f"10#${name}",
            f"${{!{name}}}",
        )

    def use(self, name: str, expression: str) -> str:
        uses = [
            f"echo $(({expression}))",
            f'head -n "$(({expression}))" a.txt',
            f"echo $((1 + {expression}))",
            f"tail -n $(({expression})) a.txt",
            f": $(({expression}))",
            f"z=$(({expression})); echo $z",
        ]
        if self.bash_like():
            uses += [
                f"(( {expression} )) && echo y",
                f"let 'z={expression}'",
                f"let z={expression}",
                f"echo ${{{name}:{expression}}}",
                f"echo ${{{name}:0:{expression}}}",
                f"a=(1 2); echo ${{a[{expression}]}}",
                f"[[ {expression} -eq 1 ]]",
                f"for ((j=0; j<{expression}; j++)); do echo $j; break; done",
                f"echo $[{expression}]",
                f"a[{expression}]=1",
                f"declare -i z; z={expression}",
            ]
        return self.random.choice(uses)
