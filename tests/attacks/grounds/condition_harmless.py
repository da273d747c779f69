"""Conditions that evaluate what they compare."""

from __future__ import annotations

from tests.attacks.attack import EVIL, Attack
from tests.attacks.phrases import DECOYS, inside


class ConditionHarmless(Attack):
    """Attacks ``condition-harmless``.

    ``[[ … ]]`` and ``(( … ))`` split nothing and find no names, but they evaluate: operands of ``-eq`` and its like
    are arithmetic, in which a name means the value of that name, again and again, and a subscript is expanded (bash
    manual 6.4 and 6.5); ``-v`` and ``-R`` take a name with a subscript; zsh and ksh evaluate more (``-t``, operands
    of ``test``). In ``sh`` neither is a condition: ``[[ a > b ]]`` writes a file. An operand that is composed at
    run time, inherited, or was set by a line that failed would break the claim.
    """

    ground = "condition-harmless"
    shells = ("bash", "zsh", "ksh", "ksh93", "sh", "posix-bash", "sh-mksh", "busybox")

    def script(self) -> str:
        parts = []
        if self.chance(0.6):
            parts.append(self.given())
        if self.chance(0.25):
            parts.append(self.given())
        condition = self.condition()
        if self.chance(0.3):
            condition += self.pick(" && ", " || ", "; ", "\n") + self.condition()
        parts.append(
            self.pick(
                *(
                    condition,
                    condition,
                    condition,
                    f"{condition} && echo y",
                    f"if {condition}; then echo y; fi",
                    f"! {condition}",
                ),
                *(f"while {condition}; do break; done", f"{condition} || echo n", f"until {condition}; do break; done"),
            )
        )
        if self.chance(0.15):
            parts.insert(0, self.pick(*DECOYS))
        script = self.joined(*parts)
        return inside(self, script) if self.chance(0.15) else script

    def given(self) -> str:
        value = self.pick(*EVIL) if self.chance(0.6) else self.pick("1", "5", "x", "y", "num", "-v", "=", "b")
        if self.chance(0.4):
            return self.pick(
                "x=5",
                "n=3",
                "x=$(wc -l < a.txt)",
                "num=1",
                "x=1 n=2",
                "n=$((3))",
                "y=1; x=$((y+1))",
                "for n in 1 2; do :; done",
            )
        return self.pick(
            f"x='{value}'",
            f"x='{value}'",
            f"x={value}" if value.isalnum() else "x=1",
            f"y='{value}'",
            "x=$(cat f)",
            "x=5",
            "x=1",
            "x=y",
            "n=3",
            f"read -r x <<< '{value}'",
            f"x5='{value}'",
            f"a=('{value}')",
            f"declare x='{value}'",
            "x=1; x=$((1/0)); x=2",
            "shopt -s nocasematch",
            "x=$(wc -l < a.txt)",
            "unset x",
            "local x=1",
            f"for x in 1 '{value}'; do :; done",
            "readonly q=1; q=2; num=1",
            "num=1",
            "echo $((1/0)); num=1",
            "num=1 < nofile",
            "false && num=1",
        )

    def operand(self) -> str:
        if self.chance(0.35):
            return self.pick(
                "1",
                "3",
                "$#",
                "$?",
                "$((1))",
                "${#x}",
                "n",
                "$n",
                "num",
                "x",
                "$x",
                "a.txt",
                '"$x"',
                "''",
                "$(wc -l < a.txt)",
            )
        return self.pick(
            *(
                "$x",
                '"$x"',
                "x",
                "num",
                "$num",
                "1",
                "$((1))",
                "${x}",
                "x5",
                "x$n",
                "x$x",
                "x${x}",
                "x$((5))",
                "${#x}",
                "${x:-1}",
                "$#",
            ),
            *(
                "a[0]",
                "a[x]",
                "a[$x]",
                "a[num]",
                "a[$(evil)]",
                "'a[$(evil)]'",
                '"a[\\$(evil)]"',
                "$'a[$(evil)]'",
                "$(cat f)",
                "`cat f`",
            ),
            *(
                "$(wc -l < a.txt)",
                "$?",
                "$1",
                "${a[0]}",
                "${a[@]}",
                "${x[1]}",
                "n",
                "x+1",
                "'x'",
                '"x"',
                "\\x",
                "x'5'",
                "x\\\n5",
                "1+x",
            ),
            *(
                "$(evil)",
                "$y",
                "y",
                "0x1",
                "08",
                "-1",
                "a.txt",
                "${!x}",
                "${x@P}",
                "x[0]",
                "(x)",
                "*",
                "a*",
                "~",
                "{x,y}",
                "$x$y",
                "10#x",
            ),
        )

    def condition(self) -> str:
        left, right = self.operand(), self.operand()
        number = self.pick("-eq", "-ne", "-lt", "-gt", "-le", "-ge")
        text = self.pick("=", "==", "!=", "<", ">", "=~", "-nt", "-ot", "-ef")
        if self.chance(0.2):
            return self.pick(
                f"[[ -n {left} ]]",
                f"[[ {left} == {right} ]]",
                f"[ {left} = {right} ]",
                f"[[ {left} {number} {right} ]]",
            )
        unary = self.pick("-n", "-z", "-f", "-e", "-d", "-v", "-R", "-t", "-o", "-s", "-x", "-N", "-L", "-v", "-t")
        return self.pick(
            f"[[ {left} {number} {right} ]]",
            f"[[ {left} {number} {right} ]]",
            f"[[ {left} {number} 1 ]]",
            f"[[ {left} {text} {right} ]]",
            f"[[ {unary} {left} ]]",
            f"[[ {unary} {left} ]]",
            f"[[ {left} ]]",
            f"[[ -n {left} && {right} {number} 1 ]]",
            f"[[ ( {left} {number} 1 ) || -f {right} ]]",
            f"[[ ! {unary} {left} ]]",
            f"[[ {left} == @({right}|y) ]]",
            f"[[ {left} =~ ^({right})$ ]]",
            f"[[ {left} $y {right} ]]",
            f"[[ {left}{number} {right} ]]",
            f"[[ \"{left.strip(chr(34))}\" {number} '{right.strip(chr(39))}' ]]",
            f"(( {left} ))",
            f"(( {left} + {right} ))",
            f"(( {left} > {right} ))",
            f"(( {left} ? {right} : 1 ))",
            f"(( x = {left} ))",
            f"(( {left} && {right} ))",
            f"(( {left}, {right} ))",
            "((x++))",
            f"[ {left} {number} {right} ]",
            f"[ {left} {number} 1 ]",
            f"[ {left} {text} {right} ]" if text not in "<>" and text != "=~" else f"[ {left} \\{text[:1]} {right} ]",
            f"[ {unary} {left} ]",
            f"[ {left} ]",
            f"[ {left} -a {unary} {right} ]",
            f"[ {left} {right} {left} ]",
            f"test {left} {number} {right}",
            f"test {unary} {left}",
            f"test {left}",
            f"test {left} {right}",
            f"let {left}",
            f"let 'x={left.strip(chr(39))}'",
            f"case {left} in {right}) ;; esac",
            f"[[ -v {left} ]]",
            f"[ -v {left} ]",
            f"[[ $(( {left} )) -eq 1 ]]",
            f"command test {left} {number} 1",
            f"builtin [ {unary} {left} ]",
        )
