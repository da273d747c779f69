"""Scripts about little but values: what a variable, an array, a loop or a call gives to a word.

What is said of a word there is the ground of many an allow, and the general scripts say too little of it: an element of
a list that splits was met once in 400,000 of them, and once in some thousand of these.
"""

from __future__ import annotations

import random

_TEXTS = (
    *(
        "a",
        "b",
        "1",
        "-o",
        "./",
        "3p",
        "w",
        "*",
        "?",
        "a b",
        "~",
        "/",
        ".",
        "",
        "=",
        "{a,b}",
        "{1..3}",
        "{}",
        "\\ ",
        "\\*",
    ),
    *("a.txt", "[ab]"),
)
_EXPANSIONS = (
    *("$x", "$y", "$n", "$n", "${x}", "${n}", "${arr[0]}", "${arr[1]}", "${arr[@]}", "${arr[*]}", "$arr", "$1", "$2"),
    *("$@", "$*", "$#", "$?", "${x:-b c}", "${x:=q r}", "${y:+u v}", "${#x}", "${#arr[@]}", "${x#a}", "${x%b}"),
    *("${x/a/b}", "${x:1}", "${arr[@]:1}", "${!arr[@]}", "${x@Q}", "${x@U}", "${y^^}", "${n?}", "${arr[-1]}"),
    *("${arr[n]}", "${x:$n}", "${x:0:1}", "$((n+1))", "$((1))", "$(echo a b)", "$(echo)", "$(echo -o)", "$(echo 3)"),
    *("$(printf '%s\\n' a 'b c')", "`echo x y`", "$(echo $x)", '$(echo "$y")', "$(true)", "$(wc -l < a.txt)"),
    "$(expr 1 + 2)",
)
_STEPS = ("shift", "shift || true", ": $((n=2))", "(( n = 3 ))", "let n=4", "n=$((n*2))", "true")
_ENDS = ('B "$x" $x', 'B "${arr[@]}"', 'B $n "$y"', "B $n$x", 'for x in "${arr[@]}"; do B "$x"; done')
_DEEPEST = 2


class ValueGenerator:
    """Random scripts of assignments and of ``B WORD…``, the same for the same seed."""

    def __init__(self, seed: int, shell: str = "bash") -> None:
        self.random = random.Random(f"{seed} {shell}")

    def some(self, *choices: str) -> str:
        """One of them."""
        return self.random.choice(choices)

    def script(self) -> str:
        """The next script."""
        parts = [self._statement(0) for _ in range(self.random.randint(2, 4))]
        parts.append(f"B {self._word()}" if self.random.random() < 0.6 else self.some(*_ENDS))
        return self.some("\n", "; ").join(parts)

    def _piece(self) -> str:
        kind = self.random.random()
        text = self.some(*_TEXTS)
        if kind < 0.32:
            return text
        if kind < 0.42:
            return f"'{text}'"
        if kind < 0.5:
            return '"' + text.replace("\\", "") + '"'
        expansion = self.some(*_EXPANSIONS)
        return expansion if kind < 0.75 else f'"{expansion}"'

    def _word(self) -> str:
        return "".join(self._piece() for _ in range(self.random.choice((1, 1, 2, 2, 3)))) or "e"

    def _words(self) -> str:
        return " ".join(self._word() for _ in range(self.random.choice((0, 1, 1, 2, 3))))

    def _statement(self, depth: int) -> str:
        name = self.some("x", "y", "n", "arr")
        kind = self.random.random()
        if kind < 0.6:
            return self._given(name, kind)
        if kind < 0.8 and depth < _DEEPEST:
            return self._nested(name, depth + 1)
        return f"B {self._words()} {self._word()}"

    def _given(self, name: str, kind: float) -> str:
        if kind < 0.25:
            return f"{name}={self._word()}"
        if kind < 0.4:
            return self.some(f"arr=({self._words()})", f"arr=({self._words()})", f"arr+=({self._words()})")
        return self.some(
            f"{name}+={self._word()}",
            f"arr[{self.some('0', '1', 'n', '2')}]={self._word()}",
            f"unset {name}",
            f"{self.some('export', 'declare', 'typeset')} {name}={self._word()}",
            f"set -- {self._words()}",
            f"read -r {name} <<< {self._word()}",
            self.some(*_STEPS),
        )

    def _nested(self, name: str, depth: int) -> str:
        body = "; ".join(self._statement(depth) for _ in range(self.random.choice((1, 2))))
        return self.some(
            f"for {name} in {self._words()}; do {body}; done",
            f"for {name} in {self._words()}; do {body}; done",
            f"f() {{ {body}; }}; f {self._words()}",
            f"f() {{ local {name}={self._word()}; {body}; }}; f {self._words()}",
            f"if true; then {body}; fi",
            f"{{ {body}; }}",
            f"( {body} )",
            f"false || {{ {body}; }}",
            f"true && {name}={self._word()}",
            f"case a in a) {body};; esac",
            f"while read -r {name}; do {body}; done <<< {self._word()}",
        )
