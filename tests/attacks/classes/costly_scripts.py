"""Scripts that are made to cost, around something that is forbidden or that nothing allows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from execpolicy.core.decision import Decision
from execpolicy.programs.catalog import records
from execpolicy.programs.record import Program
from tests.attacks.attack import Attack
from tests.attacks.leak import RULES
from tests.attacks.phrases import EVIDENT, quoted
from tests.support import hostile

LONGEST = 20_000
"""Characters of a script; what agents write is shorter."""
_ENDING = frozenset(["exec", "exit", "logout", "return", "set", "shopt", "setopt"])
"""Builtins behind which a shell may not go on, or reads otherwise."""
UNPROVEN = ("unknown-tool x", "./evil.sh x", "python3 x.py", "sh x.sh", "curl https://example.org/x", "echo x > nobody")


@cache
def _records() -> list[Program]:
    """What is known of programs that may run others, or read what the script writes."""
    return [record for record in records() if not _ENDING.intersection(record.names)]


class CostlyScripts(Attack):
    """Attacks the promise that no script is too much for the judge: it answers, soon, and no laxer for all the work.

    Files, values and functions are made of one another in chains and rings, constructs are nested, pieces of syntax are
    repeated, loops go over lists of lists, texts are evaluated that evaluate texts. In front of it, behind it or within
    stands what is forbidden, which must be found, or what nothing allows, which must not be allowed.
    """

    ground = "costly-scripts"
    rules = RULES + 'prefix_rule(pattern=["evil"], decision="forbidden")\n'
    shells = ("bash", "zsh", "ksh", "sh")

    def script(self) -> str:
        size = int(60 * (LONGEST / 60) ** self.random.random() ** 8)  # most are short: each says the same as a long one
        kind = self.random.random()
        if kind < 0.2:  # what stands behind it may be text, or nothing at all
            return self.around([self.broken(size)], in_front=True)
        if kind < 0.3:
            self.least = Decision.FORBIDDEN
            return self.nested()
        several = self.random.choice((1, 1, 2, 3))
        return self.around([self.whole(size // several) for _ in range(several)], in_front=kind < 0.4)

    def around(self, parts: list[str], *, in_front: bool) -> str:
        """``parts`` with what is forbidden or not allowed among them, in front of them or around them all."""
        self.least, evil = Decision.FORBIDDEN, self.pick(*EVIDENT, "x=$(evil)", "bash -c 'evil x'")
        if self.chance(0.25):
            self.least, evil = Decision.PROMPT, self.pick(*UNPROVEN)
        at = 0 if in_front else self.random.randrange(len(parts) + 1)
        made = "\n".join([*parts[:at], evil, *parts[at:]])
        if in_front or self.chance(0.6):
            return made
        return self.pick(
            f"f() {{ {made}\n}}\nf",
            f"for i in 1 2 3; do {made}\ndone",
            f"( {made}\n)",
            f"{{ {made}\n}} > out/x",
            f"{{ {made}\n}} | cat",
            f"bash -c {quoted(made)}",
            f"eval {quoted(made)}",
            f"sh <<'F'\n{made}\nF",
            f"x=$({made}\n)",
            f"if {made}\nthen :; fi",
        )

    def broken(self, size: int) -> str:
        """What may leave a quote or a bracket open."""
        if self.chance(0.5):
            opening, closing = self.random.choice(hostile.OPENINGS)
            made = hostile.nest(opening, closing, self.random.choice((5, 40, size // (len(opening) + len(closing)))))
            return self.pick(made, made, "echo " + made[: len(made) // 2])
        return hostile.fill(self.pick(*hostile.PLACES), self.pick(*hostile.ATOMS), size)

    def nested(self) -> str:
        """What is forbidden, within many constructs of one kind or two."""
        made = self.pick("evil x", "evil")
        around = self.random.choices(hostile.RUNNING, k=self.random.choice((1, 1, 2)))
        # a wrapper takes words, and syntax takes commands: no syntax stands within a wrapper
        for opening, closing in sorted(around, key=lambda each: bool(each[1]) or each[0] == "! "):
            times = (
                self.random.choice((150, 500))
                if self.chance(0.03)
                else self.random.choice((2, 3, 5, 10, 20, 33, 40, 70))
            )
            made = hostile.nest(opening, closing, times, made)
        return made

    def whole(self, size: int) -> str:
        """Whole lines, behind which a shell goes on."""
        return self.random.choice(
            (self.lines, self.lines, self.loops, self.lists, self.functions, self.texts, self.documents, self.mixed)
            + (self.words, self.words)
        )(size)

    def words(self, size: int) -> str:
        """A program of the catalog with words that are many, long, or both; each may be where a command starts."""
        record = self.random.choice(_records())
        listed = [option.rstrip(":*!?&~") for option in f"{record.options} {record.runs}".split()]
        options = [option for option in listed if option[:1] == "-"] or ["-c", "-e", "-x"]
        first, second = self.random.choices(options, k=2)
        atom = "".join(self.random.choices(hostile.WORDS, k=self.random.choice((1, 1, 2))))
        word, other = quoted(atom), quoted(self.pick(*hostile.WORDS))
        long = quoted(atom * (size // len(atom)))
        half = quoted(atom * (size // len(atom) // 2))
        name = self.pick(*record.names)
        return self.pick(
            f"{name} {long}",
            f"{name} {first} {long}",
            f"{name} {first}={long}",
            f"{name} {first} {half} {second} {half}",
            f"{name} {half} {f'{other} ' * (size // len(other) // 2)}",
            f"{name} {f'{first} {word} ' * (size // (len(first) + len(word) + 2))}",
            f"{name} {f'{first} {word} {second} {other} ' * (size // (len(first + second + word + other) + 4))}",
            f"{name} {first} x {f'{word} ' * (size // (len(word) + 1))}",
            f"{name} {first} {half} -- {f'{word} ' * (size // len(word) // 2)}",
            f"{name} {first} <(printf %s {long})",
            f"printf %s {long} > out/f; {name} {first} out/f; {name} out/f",
            f"printf %s {long} | {name} {first} {word}",
        )

    def lines(self, size: int) -> str:
        return hostile.chain(self.pick(*hostile.LINES), self.random.choice((*hostile.RINGS, 2, 40)), size)

    def mixed(self, size: int) -> str:
        """Lines of different kinds, which share their names."""
        made: list[str] = []
        ring = self.random.choice((1, 3, 7))
        while sum(map(len, made)) < size:
            n, m = self.random.randrange(ring), self.random.randrange(ring)
            made.append(self.pick(*hostile.LINES).format(n=n, m=m))
        return "\n".join(made)

    def loops(self, size: int) -> str:
        """Loops in loops over lists, which the values of the outer ones are in."""
        depth = self.random.randrange(1, 20)
        many = max(1, size // depth // 12)
        words = self.pick("a{} ", "$v{} ", "a{}$x ", "$(echo {}) ", "{}* ", "'{}' ")
        listed = "".join([words.format(at % 9) for at in range(many)])
        body = self.pick(
            'x="$x$v0"', "A $v0 $x", 'y+=("$x")', 'bash -c "$v0 $x"', 'echo "$x" >> out/f', "x=$v0; $x", "eval $x"
        )
        opened = [
            self.pick(
                "for v{} in {}; do", "for v{} in {}; do", "while read -r v{} <<< '{}'; do", "until v{}=({}); do"
            ).format(at, listed)
            for at in range(depth)
        ]
        return "\n".join([*opened, body, *["done"] * depth])

    def lists(self, size: int) -> str:
        """Many words: of braces, of variables, in arrays, as arguments."""
        word = self.pick(
            "a ", "$x ", '"$x$y" ', "{a,b} ", "a* ", "$(A) ", "x=1 ", "${x[@]} ", "$((1)) ", "<(A) ", "> out/a ", "-x "
        )
        many = word * (size // len(word))
        braces = self.pick("{a,b}", "{1..9}", "{a,{b,c}}", "$x{a,b}") * self.random.choice((3, 9, 30))
        return self.pick(
            f"A {many}",
            f'x=({many})\nA "${{x[@]}}"',
            f'set -- {many}\nA "$@"; $1 $2',
            f"echo {braces}",
            f"for i in {braces}; do x+=$i; done; $x",
            f"case x in {'a|' * (size // 2)}b) A;; esac",
            f"x={braces.replace(' ', '')}; $x; A {many}",
            f"echo {many} | while read -r a b; do A $a; x=$x$b; done; $x",
            f"A{' && A' * (size // 5)}",
            f"A{' | cat' * (size // 6)}",
            f"A{'; A x' * (size // 5)}",
        )

    def functions(self, size: int) -> str:
        """Functions that call one another, or themselves, several times each."""
        body = self.pick(
            '{m} "$@" a; {m} b "$@"',
            'x=$({m}); echo "$x$({m})"',
            "{m}; {m}; A x",
            '"$1" "$2"; {m} "$2" "$1"',
            "{m} | {m}",
            "x=$x$1; {m} $x; $x",
            'local x=$1; eval "$x; {m}"',
            'if [ $# -gt 9 ]; then return; fi; {m} "$@" "$@"',
        )
        many = max(1, size // (len(body) + 12))
        ring = self.random.choice((1, many, max(1, many // 2)))
        made = [f"f{at}() {{ {body.replace('{m}', f'f{(at + 1) % ring}')}; }}" for at in range(many)]
        calls = self.pick(
            "f0 x y", "f0; f0 a", "$(f0)", "x=$(f0 a b); $x", "for i in 1 2 3; do f0 $i; done", "f0 $(f0)"
        )
        return "\n".join([*made, calls])

    def texts(self, size: int) -> str:
        """Texts that are evaluated and evaluate texts themselves, each quoted once more."""
        made = self.pick("A x", "echo $x", "x=$x$x; $x", "A $(A)", "eval $x")
        outer: tuple[Callable[[str], str], ...] = (
            lambda text: "bash -c " + quoted(text),
            lambda text: "eval " + quoted(text),
            lambda text: 'eval "' + text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") + '"',
            lambda text: 'sh -c "' + text.replace("\\", "\\\\").replace('"', '\\"') + '"',
            lambda text: f"trap '{text.replace(chr(39), chr(34))}' EXIT",
            lambda text: f"x='{text.replace(chr(39), chr(34))}'; eval \"$x\"",
            lambda text: f"{text}; {text}",
            lambda text: f"echo '{text.replace(chr(39), chr(34))}' | sh",
        )
        wrapped = made
        while len(wrapped) < min(size, 6_000):
            made, wrapped = wrapped, self.random.choice(outer)(wrapped)
        return made

    def documents(self, size: int) -> str:
        """Long texts: of lines to run, of variables, written to files that are read again."""
        line = self.pick(
            "A x", "$x", "`A`", "$(cat out/f)", "${x:-$(A)}", "x=$x$x", "a b c", "cat out/f >> out/g", "\\$x", "'", '"'
        )
        text = "\n".join([line] * (size // (len(line) + 1)))
        mark = self.pick("E", "'E'")
        return self.pick(
            f"cat <<{mark}\n{text}\nE",
            f"bash <<{mark}\n{text}\nE",
            f"cat > out/f <<{mark}\n{text}\nE\nbash out/f",
            f"x=$(cat <<{mark}\n{text}\nE\n)\n$x",
            f"while read -r x; do $x; y=$y$x; done <<{mark}\n{text}\nE\n$y",
            f"cat <<{mark} | sed s/a/b/ | tee out/f | bash\n{text}\nE",
            f"python3 - <<{mark}\n{text}\nE",
            f"cat > out/f <<{mark}\n{text}\nE\ncat out/f out/f > out/g; cat out/g out/g > out/f; sh out/f",
        )
