"""Words that a function is called with by a way that was not seen, or that are counted otherwise."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, inside

_BODIES = {
    'sort "$1" a.txt': ("-r", "-oowned"),
    "sort $1 a.txt": ("-r", "-oowned"),
    'sort "$@"': ("-r a.txt", "-oowned a.txt"),
    'sort a.txt "$2"': ("x -r", "x -oowned"),
    'D "$1"': ("ok", "bad"),
    'D "$@"': ("ok x", "bad"),
    "D $2": ("x ok", "x bad"),
    'sed -n "$1" a.txt': ("1p", "1eevil"),
    'sed -n "$2" a.txt': ("x 1p", "x 1eevil"),
    'bash -c "$1"': ("true", "evil"),
    'find sub -name "$1" "$2"': ("x -print", "x -delete"),
    'cat "$1"': ("a.txt", ".env"),
    'uniq a.txt "$1"': ("-c", "owned"),
}
"""The body of a function: arguments that may be allowed, and some that must not reach it."""


class CallProven(Attack):
    """Attacks ``call-proven``.

    A command in a function is judged with the arguments of each call that stands in the script. It would break if a
    call is not seen (an alias, a trap, a name in a variable, a call from another function with its own words), if
    the words are counted otherwise than they are written (an unquoted empty word is no word, braces and patterns
    are several), or if ``set``, ``shift``, ``getopts`` or a changed ``IFS`` give the parameters other values. Bash
    manual, 3.3 (functions) and 3.4.1 (positional parameters).
    """

    ground = "call-proven"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "busybox", "zsh")

    def script(self) -> str:
        body = self.pick(*_BODIES)
        good, bad = _BODIES[body]
        head = self.pick("f() { %s; }", "f() { %s; }", "f () {\n%s\n}", "f() ( %s )", "function f { %s; }")
        around = self.pick(
            "%s", "%s", "%s", "%s", "if true; then %s; fi", "for i in 1; do %s; done", "! %s", "%s | cat"
        )
        inner = around % body
        if self.chance(0.25):
            inner = self.shifted(good, bad) + self.pick("; ", "\n") + inner
        parts = [head % inner]
        if self.chance(0.35):
            parts.insert(self.random.randrange(2), self.pick(*DECOYS))
        calls = [f"f {good}"] if self.chance(0.7) else []
        if self.chance(0.7):
            calls.append(self.other(good, bad))
        self.random.shuffle(calls)
        parts += calls or [f"f {good}"]
        script = self.joined(*parts).replace(" && function", "\nfunction")
        return inside(self, script) if self.chance(0.2) else script

    def shifted(self, good: str, bad: str) -> str:
        return self.pick(
            "shift",
            "shift 1",
            f"set -- {bad}",
            f"set {bad}",
            f"builtin set -- {bad}",
            f"command -- set -- {bad}",
            "getopts ab o",
            "IFS=o",
            "IFS=a",
            "local IFS=d",
            "local x=$1",
            f"local -a x; x=({bad})",
            f"eval 'set -- {bad}'",
            'read -r x <<< "$1"',
            "unset 1",
            "OPTIND=1",
            f"g() {{ set -- {bad}; }}; g",
            "cd .",
        )

    def other(self, good: str, bad: str) -> str:
        """A call with the bad words, or one that may become it."""
        first, _, rest = bad.partition(" ")
        return self.pick(
            f"alias c='f {bad}'; c",
            f"x=f; $x {bad}",
            f"\\f {bad}",
            f"'f' {bad}",
            f"trap 'f {bad}' EXIT",
            f"eval 'f {bad}'",
            f"mapfile -C 'f {bad}' -c 1 q < a.txt",
            f"f $nothing {bad}",
            f"f $nothing x {bad}",
            f"e=; f $e {bad}",
            f"e=; f $e x {bad}",
            f"f ${{e}} {bad}",
            f"f $(true) {bad}",
            f"f {{x,{first}}} {rest}",
            f"f {{x,{first},y}}",
            f'g() {{ f "$@"; }}; g {bad}',
            f'g() {{ f "$1"; }}; g {bad}',
            f"g() {{ f $*; }}; g {bad}",
            f'set -- {bad}; f "$@"',
            f"set -- {bad}; f $1",
            f'a=({bad}); f "${{a[@]}}"',
            f"a=({bad}); f ${{a[0]}}",
            f"x='{bad}'; f $x",
            f"x='{bad}'; f \"$x\"",
            f"x={first}; f $x {rest}",
            f"x=1; x={first}; f $x {rest}",
            f"f ./*.none {bad}",
            "f *",
            f"f -* {rest}",
            "f [b]ad",
            "f ba?",
            "f $word",
            "f $opt a.txt",
            'f "$prog"',
            'f x "$prog"',
            f"f $(echo {bad})",
            'f "$(cat revs)"',
            f"command f {bad}",
            f"bash -c 'f {bad}'",
            f"export -f f; bash -c 'f {bad}'",
            f"echo {first} | xargs -I_ bash -c 'f _'",
            f"while read -r l; do f $l; done <<< '{bad}'",
            f"for l in {bad}; do f $l; done",
            f'for l in {first} ok; do f "$l" {rest}; done',
            f"f() {{ :; }}; f {bad}",
            f"f {good}; f() {{ {self.pick(*_BODIES)}; }}; f {bad}",
            f"f {good} {bad}",
            f"f '' {bad}",
            f'f "" x {bad}',
            f"f ${{1+x}} {bad}",
            f"f {bad} &\nwait",
            f"! f {bad}",
            f"time f {bad}",
            f"( f {bad} )",
            f"echo $(f {bad})",
            f"coproc f {bad}",
            f"f\\\n {bad}",
            f"y=1 f {bad}",
            f"f < a.txt {bad}",
            f"> /dev/null f {bad}",
            f"f {good}{{,}}",
            f"f ~ {bad}",
        )
