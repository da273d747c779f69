"""Words that are not, byte for byte, what they seem to be."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, inside

_LETTERS = {
    "b": ("\\x62", "\\142", "\\u0062", "\\U62", "\\x{62}"),
    "a": ("\\x61", "\\141", "\\u61"),
    "d": ("\\144", "\\x64"),
}


class WordsLiteral(Attack):
    """Attacks ``words-literal``.

    A literal word is the text that its quoting leaves (POSIX 2.2, bash manual 3.1.2), whatever surrounds it. Shells
    disagree on ``$'…'`` (dash and busybox have no or another one), on escapes in it and behind NUL, on braces,
    tildes, ``=name``, on quotes in ``${x-'…'}``, on carriage returns and other blanks; a locale may give ``$"…"``
    another text and other bytes to a letter. Each script spells ``bad``, which a rule forbids for ``D``, or an
    option that writes.
    """

    ground = "words-literal"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "sh-zsh", "busybox", "zsh", "ksh", "ksh93")

    def script(self) -> str:
        make = self.pick("D", "D", "sort", "sed", "C", "find", "cat")
        if make == "D":
            line = f"D {self.word('bad', 'ok')}" + self.pick("", " x", " bad")
        elif make == "C":
            line = f"C {self.word('bad', 'ok')}"
        elif make == "sort":
            line = f"sort {self.word('-oowned', '-r')} a.txt"
        elif make == "sed":
            line = f"sed -n {self.word('1eevil', '1p')} a.txt"
        elif make == "find":
            line = f"find sub {self.word('-delete', '-print')}"
        else:
            line = f"cat {self.word('.env', 'a.txt')}"
        if self.chance(0.15):
            line = line + self.pick("; ", "\n", " | ", " && ") + self.pick(*DECOYS)
        if self.chance(0.25):
            line = (
                self.pick(
                    *DECOYS,
                    "x=bad",
                    "word=ok",
                    "set +B",
                    "shopt -s nullglob",
                    "IFS=a",
                    "export LC_ALL=zh_CN.GBK",
                    "set -f",
                )
                + self.pick("; ", "\n")
                + line
            )
        return inside(self, line) if self.chance(0.2) else line

    def word(self, bad: str, good: str) -> str:
        """A word that may become ``bad`` although it looks like something else, often like ``good``."""
        at = self.random.randrange(1, len(bad))
        head, tail = bad[:at], bad[at:]
        escaped = "".join(self.pick(letter, *_LETTERS.get(letter, (letter,))) for letter in bad)
        return self.pick(
            f"$'{escaped}'",
            f"$'{escaped}'",
            f"\"$'{escaped}'\"",
            f"$'{head}\\0{good}'{tail}",
            f"$'{bad}\\0x'",
            f"$'{bad}\\c@x'",
            f"$'{head}\\c{tail}'",
            f"$'\\'{good}'",
            f"$'{bad}\\x00{good}'",
            f"$'{head}\\\n{tail}'",
            f"$'\\e{bad}'",
            f"$'{bad}\\u200b'",
            f"$'{bad}\\377'",
            f'$"{bad}"',
            f'$"{good}"',
            f"{{{good},{bad}}}",
            f"{{{bad},{good}}}",
            f"{head}{{{tail},x}}",
            f"{head}{{x..x}}{tail}",
            f"{{{bad}}}",
            f"{{,{bad}}}",
            f"{{{head}}}{tail}",
            "{b..b}ad",
            f"\\{bad}",
            f"{head}\\{tail}",
            f"{head}\\\n{tail}",
            f"'{head}\\\n{tail}'",
            f'"{head}\\\n{tail}"',
            f'"{head}\\{tail}"',
            f"{head}''{tail}",
            f'{head}""{tail}',
            f"{head}$''{tail}",
            f'{head}$""{tail}',
            f"{head}``{tail}",
            f"{head}$(){tail}",
            f"{head}${{x}}{tail}",
            f'{head}"${{x}}"{tail}',
            f"{head}$x{tail[:0]}'{tail}'",
            f"{head}$@{tail}",
            f'{head}"$@"{tail}',
            f"{head}${{x#y}}{tail}",
            f"${{x-{bad}}}",
            f"${{x:-'{bad}'}}",
            f"\"${{x-'{bad}'}}\"",
            f'"${{x-"{bad}"}}"',
            f"\"${{x-$'{bad}'}}\"",
            f"${{x:+{good}}}{bad}",
            f"${{x:+{good}}} {bad}",
            f"$nothing {bad}",
            f"$x{bad}",
            f"{head}?",
            f"[{bad[0]}]{bad[1:]}",
            f"{head}*",
            f"+({bad})",
            f"@({bad}|x)",
            f"{bad}\r",
            f"{bad}\u00a0",
            f"\ufeff{bad}",
            f"~/../{bad}",
            f"~+/{bad}",
            f"~-/{good}",
            f"={bad}",
            f"={good}",
            f"{head}#{tail}",
            f"{good}#{bad}",
            f"{good} #{bad}",
            f"#{good}\n{bad}",
            f"{good}\t{bad}",
            f"{good}\f{bad}",
            f"{good}\v{bad}",
            f"{good}\\ {bad}",
            f"{good}\u3000{bad}",
            f"`echo {bad}`",
            f"`echo '\\{bad}'`",
            f"$(echo {bad})",
            f"$(printf '%s' {bad})",
            f"<(echo {bad})",
            f"$((1)){bad}",
            f"!{bad}",
            f"!!{bad}",
            f"^{bad}",
            f"%{bad}",
            "$word",
            f"$0{bad}",
            "${word}",
            "${!w*}",
            "${word^^}",
            "${word@Q}",
            f"'{bad}'''",
            f"'{head}''{tail}'",
            f"\"{head}\"'{tail}'",
            f"-- {bad}",
            f"'' {bad}",
            f'"$(echo {bad})"',
            f'"`echo \\"{bad}\\"`"',
            f'"\\{bad}"',
            f'"{good}\\" {bad}"',
            f"中\\\n{bad}",
            f"{bad}\x01",
            f"{head}\x7f{tail}",
            f"$\\\n'{bad}'",
            f"$[1]{bad}",
            f"[[:alpha:]]{bad[1:]}",
            f"${{x:-{good}}} {bad}",
            f"{good}",
            f"{good}",
            f"'{good}'",
            f'"{good}"',
            f"$'{good}'",
            f"\\{good}",
        )
