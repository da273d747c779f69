"""Words behind an allow rule that become what a stricter rule names."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, inside


class DynamicBehindRule(Attack):
    """Attacks ``dynamic-behind-rule``.

    ``D`` is allowed with any words, ``D bad`` is forbidden, so that a word behind ``D`` may only be dynamic where
    no value of it makes the command ``D bad``. What could be overlooked: a word that vanishes, so that the next one
    moves to its place (POSIX 2.6), one that becomes several, ends of a word that are literal and leave the rest
    open, names that patterns, braces, classes and tildes find (there is a file ``bad``), and the arguments of inner
    shells, functions and wrappers.
    """

    ground = "dynamic-behind-rule"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "zsh", "ksh", "ksh93", "busybox")

    def script(self) -> str:
        first = self.pick("D", "D", "D", "D", "A", "C ok", "./run.sh")
        words = self.word()
        if self.chance(0.5):
            words += " " + (self.word() if self.chance(0.5) else self.pick("bad", "x", "ok", "'bad'"))
        if self.chance(0.35):
            words = self.pick("ok", "x", "--", "-v", "''", '""') + " " + words
        line = f"{first} {words}"
        if self.chance(0.45):
            line = self.given() + self.pick("; ", "\n", " && ") + line
        if self.chance(0.25):
            line = self.handed(first, words) if self.chance(0.6) else self.pick(*DECOYS) + "; " + line
        return inside(self, line) if self.chance(0.2) else line

    def given(self) -> str:
        return self.pick(
            *(
                "x=bad",
                "x=b",
                "x=",
                "x='bad x'",
                "x=(bad)",
                "a=()",
                "a=(bad)",
                "set --",
                "set -- bad",
                "shopt -s nullglob",
            ),
            *(
                "read -r x <<< bad",
                "printf -v x bad",
                "x=$(echo bad)",
                "x=ad",
                "IFS=x",
                "unset x",
                "x=*",
                "x='b*'",
                "x=d",
                "x=ok",
            ),
            *(
                "for x in ok bad; do :; done",
                "x=ok; x=bad",
                "shopt -s extglob",
                "set -f",
                "x=xbad",
                "y=bad; x=$y",
                "cd sub",
                "x=' '",
            ),
            *(
                "shopt -s nocaseglob",
                "shopt -s failglob",
                "GLOBIGNORE=x",
                "x=${word}",
                "declare -u x=bad",
                "x=BAD",
                "x=b?d",
            ),
        )

    def word(self) -> str:
        return self.pick(
            *(
                "$x",
                '"$x"',
                "${x}",
                "$word",
                '"$word"',
                "$nothing",
                '"$nothing"',
                "$(true)",
                '"$(true)"',
                "$(echo bad)",
                "`echo bad`",
            ),
            *(
                "b$x",
                "ba$x",
                '"b$x"',
                "$x'd'",
                "${x}d",
                "b${x}d",
                "$x$y",
                "x$x",
                "$xbad",
                "bad$x",
                "${x}bad",
                '"$x"bad',
                "$x''",
                "-$x",
            ),
            *(
                "b?d",
                "b*",
                "*",
                "?ad",
                "[b]ad",
                "[a-c]ad",
                "[[:alpha:]]ad",
                "[!x]ad",
                "[^x]ad",
                "ba[d]",
                "b[[=a=]]d",
                "[[.b.]]ad",
            ),
            *(
                "?[a]?",
                "*d",
                "*a*",
                "ba*",
                "./*",
                "x*",
                "+(b)ad",
                "@(bad)",
                "b@(a)d",
                "!(x)",
                "*(b)ad",
                "?(b)ad",
                "ba[c-e]",
                "b\\*",
            ),
            *(
                "{b,c}ad",
                "{bad,x}",
                "{x,bad}",
                "b{a,}d",
                "{b..b}ad",
                "{,bad}",
                "b{,x}ad",
                "{$x,bad}",
                "{bad,$x}",
                "ba{d,$x}",
            ),
            *(
                '"$@"',
                "$@",
                "$*",
                '"$*"',
                "$1",
                '"$1"',
                '"${a[@]}"',
                "${a[@]}",
                "${a[0]}",
                '"${a[0]}"',
                "$a",
                '"${a[@]}"bad',
            ),
            *(
                "${x:-bad}",
                '"${x:-bad}"',
                "${x:+ok}",
                "${x:+bad}",
                "${x-ok}",
                "${x#x}",
                "${x%x}",
                "${x/x/b}",
                "${x,,}",
                "${x^^}",
            ),
            *(
                "${x:0:3}",
                "${x:=bad}",
                "${x:=ok}",
                "${x:?}",
                "${!x}",
                "${#x}",
                "$((1))",
                "$(( 1 + 1 ))",
                "$?",
                "$#",
                "$$",
                "$!",
                "$-",
            ),
            *(
                "<(true)",
                "~",
                "~+",
                "~x",
                "=bad",
                "$'bad'",
                "$'b'$x",
                '$"bad"',
                "$_",
                "$0",
                "bad",
                "ok",
                "''",
                "$(cat bad)",
                "${x@Q}",
            ),
            *(
                "$(printf 'b%s' ad)",
                "$(echo ok)",
                "$(date +%s)",
                "$(wc -l < a.txt)",
                "$(git rev-parse HEAD)",
                "./*.none",
                "?.none",
            ),
            *(
                'b"$x"d',
                "b'a'$x",
                '"b"$x',
                "'b'?d",
                "b\\a?",
                "\\b*",
                '"ba"*',
                "''$x",
                "$x\\\nbad",
                "${x}''",
                "$(echo)",
                "${x+}",
            ),
        )

    def handed(self, first: str, words: str) -> str:
        """The command handed on by something else."""
        return self.pick(
            f'f() {{ {first} "$@"; }}; f {words}',
            f"f() {{ {first} $1; }}; f {words}",
            f'f() {{ {first} "$1" x; }}; f {words}',
            f'f() {{ shift; {first} "$@"; }}; f x {words}',
            f"bash -c '{first} \"$@\"' _ {words}",
            f"bash -c '{first} $1' _ {words}",
            f"bash -c '{first} $0' {words}",
            f"timeout 5 {first} {words}",
            f"nice {first} {words}",
            f"env {first} {words}",
            f"echo {words} | xargs {first}",
            f"printf '%s\\n' {words} | xargs {first}",
            f"xargs {first} < bad",
            f"echo bad | xargs {first} x",
            f"echo bad | xargs -I_ {first} _",
            f"find . -name bad -exec {first} {{}} ';'",
            f"find bad -exec {first} {{}} +",
            f"find * -exec {first} {{}} ';'",
            f"for y in {words}; do {first} $y; done",
            f'for y in {words}; do {first} "$y" x; done',
            f"while read -r y; do {first} $y; done <<< bad",
            f'echo bad | while read -r y; do {first} "$y"; done',
            f'x=({words}); {first} "${{x[@]}}"',
            f'set -- {words}; {first} "$@"',
            f"stdbuf -oL {first} {words}",
            f"nohup {first} {words}",
            f"time {first} {words}",
            f"x={words.partition(' ')[0]} {first} $x",
            f"{first} \\\n{words}",
            f"> /dev/null {first} {words}",
            f"{first} < a.txt {words}",
            f'mapfile -t y < a.txt; {first} "${{y[@]}}"',
            f"y='{first} bad'; $y",
            f'bash -c "{first} {words.replace(chr(34), "")}"',
        )
