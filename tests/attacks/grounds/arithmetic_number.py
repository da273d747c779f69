"""Names that are put together at run time, numbers that fail, and values that hold a subscript."""

from __future__ import annotations

from tests.attacks.attack import EVIL, Attack
from tests.attacks.phrases import DROPPING, inside


class ArithmeticNumber(Attack):
    """Attacks ``arithmetic-number``.

    A variable in an expression is evaluated as an expression itself, and a subscript in it is expanded (bash
    manual, 6.5). The claim breaks where a name is not the one that is written (``x$y``, put together at run time),
    where a value is not the one that was assigned (the line that assigns it failed and the environment's is used, a
    scope has ended, a builtin stored another), or where text that is no number gets there by another way
    (subscripts, offsets, ``$[ ]``, ``let``, integers by declaration, constants of another base).
    """

    ground = "arithmetic-number"
    shells = ("bash", "sh", "posix-bash", "zsh", "ksh", "ksh93", "sh-mksh", "busybox")

    def script(self) -> str:
        if self.chance(0.35):
            return self.inherited()
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

    def inherited(self) -> str:
        """The environment holds ``num``, which is no number, and the assignment may not happen or not hold."""
        given = self.pick(
            *(
                "num=1",
                "num=5",
                "num=$((1))",
                "num=$(wc -l < a.txt)",
                "for num in 1 2; do :; done",
                "num=1 true",
                "( num=1 )",
            ),
            *(
                "num=1 | cat",
                "export num=1",
                "g() { num=1; }; g",
                "g() { local num=1; }; g",
                "num=1 < nofile",
                "false && num=1",
            ),
            *(
                "if true; then num=1; fi",
                "num=1; unset num",
                "num=(1)",
                "read -r num < n.txt",
                "num+=1",
                "declare num=1",
                "{ num=1; }",
            ),
            *(
                "num=1 &",
                "num=08",
                "num=0x1f",
                "num=1 q=$((1/0))",
                "num=-1",
                "num=1; num=x",
                "for ((num=0; num<2; num++)); do :; done",
            ),
            *(
                "num=1; g() { local num; echo $((num)); }; g",
                "num=1 > nofolder/x",
                "readonly num; num=1",
                "num=${#num}",
                "num=$num",
            ),
        )
        if self.chance(0.5):
            given = self.pick(*DROPPING) + self.pick("; ", "; ", "\n", " && ", " || ") + given
        use = self.use(
            "num", self.pick("num", "num", "$num", "num + 1", "${num}", "num++", "-num", "(num)", "num ? 1 : 2")
        )
        script = given + self.pick("\n", "\n", "; ", " && ") + use
        return inside(self, script) if self.chance(0.2) else script

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
        if not self.shell.startswith("bash"):
            uses += [
                f'echo "$#a[{expression}]"',
                f"z=$#{name}[{expression}]",
                f'echo "${name}\u00e9[{expression}]"',
                f'printf %d "${name}"',
                f'printf "%*s" "${name}" a',
            ]
        return self.random.choice(uses)
