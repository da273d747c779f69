"""Values that reach a word by a way that was not seen."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, DROPPING, inside

_SINKS = {
    "opt": (
        "-r",
        "-oowned",
        ('sort "$opt" a.txt', "sort $opt a.txt", "sort ${opt} b.txt", 'bash -c "sort $opt a.txt"'),
    ),
    "prog": ("1p", "1eevil", ('sed -n "$prog" a.txt', "sed -n $prog a.txt", 'sed -n -e "$prog" a.txt')),
    "word": ("ok", "bad", ('D "$word"', "D $word", 'D "${word}"', "D ${word} x", "timeout 1 D $word")),
    "num": ("1", "a[$(evil)]", ("echo $((num))", "head -n $((num+1)) a.txt", ": $((num))", '[ "$((num))" = 1 ]')),
    "code": ("true", "evil", ('bash -c "$code"', 'sh -c "$code"', 'bash -c "echo; $code"')),
}
"""Variable: a value that may be allowed, one that must not reach the word, and where it is used.

The environment holds the second value of each (``driver.HOSTILE``): no assignment means that one.
"""


class VariableProven(Attack):
    """Attacks ``variable-proven``.

    A dynamic word counts as the values that are assigned to its variable in the script. That rests on two things:
    one assignment surely came before (else the environment's value is used, and all of these are exported with a
    bad one), and no other way gives the variable a value: builtins that store, loops, arithmetic, attributes that
    change what is assigned, ``local`` of a caller, references, scopes that end. Lines that fail half-way, other
    spellings of the storing builtins, and parts of the script that run in another process are what would break it.
    """

    ground = "variable-proven"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "busybox", "ksh", "zsh")

    def script(self) -> str:
        if self.chance(0.08):
            return self.split()
        name = self.pick(*_SINKS)
        good, bad, sinks = _SINKS[name]
        given = self.given(name, good)
        before = self.pick(*DROPPING) if self.chance(0.5) else self.pick(*DECOYS)
        first = before + self.pick("; ", "; ", "; ", "\n", " && ", " || ", " | ") + given
        parts = [first if self.chance(0.8) else given]
        if self.chance(0.45):
            parts.insert(self.random.randrange(len(parts) + 1), self.unseen(name, bad))
        sink = self.random.choice(sinks)
        parts.append(f"h() {{ {sink}; }}; h" if self.chance(0.1) else sink)
        script = parts[0] + "".join(self.pick("\n", "\n", "; ") + part for part in parts[1:])
        return inside(self, script) if self.chance(0.3) else script

    def split(self) -> str:
        """A word that begins with something literal and is several: only the first of them begins so."""
        front = self.pick("./", "a", "sub/", "$PWD/", "x", "./a", "$x", "$x")
        data = self.pick("$(cat revs)", "`cat revs`", "$(echo b -oowned)", "$y", "${y}", "$(< revs)", "$(cat opts.txt)")
        word = self.pick(
            f"{front}{data}", f"{front}{data}", f"{front}{data}.txt", f'"{front}"{data}', f'"{front}{data}"'
        )
        given = self.pick("y='b -oowned'", "y=$(cat revs)", "x=./", "true", "read -r y < revs", "y=b")
        use = self.pick('sort "$n"', 'sort "$n" a.txt', 'rg one "$n"', 'sed -n "$n" a.txt', 'git diff "$n"')
        named = use.replace("$n", self.pick("$n", "${n}", "$n"))
        given = self.joined("x=./a", given) if "$x" in front else given
        loop = self.pick(
            f"sort {word}",
            f"for n in {word}; do {named}; done",
            f"for n in a.txt {word}; do {named}; done",
            f"n=({word}); {use.replace('$n', '${n[1]}')}",
            f'n=({word}); for m in "${{n[@]}}"; do {use.replace("$n", "$m")}; done',
            f"set -- {word}; {use.replace('$n', '$2')}",
            f"g() {{ {use.replace('$n', '$2')}; }}; g {word}",
            f"select n in {word}; do {named}; break; done <<< 2",
            f"for n in {word}; do m=$n; {use.replace('$n', '$m')}; done",
        )
        return self.joined(given, loop)

    def given(self, name: str, good: str) -> str:
        plain = self.pick(f"{name}={good}", f"{name}='{good}'", f'{name}="{good}"')
        if self.chance(0.6):
            return plain
        return self.pick(
            f"export {plain}",
            f"{{ {plain}; }}",
            f"( {plain} )",
            f"{plain} | cat",
            f"{plain} &",
            f"{plain} true",
            f"{plain} :",
            f"{plain} cat < a.txt",
            f"false && {plain}",
            f"if true; then {plain}; fi",
            f"for {name} in {good}; do :; done",
            f"for {name} in ; do :; done; {plain}",
            f"for i in 1 2; do {plain}; done",
            f"while true; do {plain}; break; done",
            f"g() {{ {plain}; }}; g",
            f"g() {{ local {plain}; }}; g",
            f"g() {{ local {name}; {plain}; }}; g",
            f"{plain} < nofile",
            f"{plain} > /dev/null",
            f"{{ {plain}; }} < nofile",
            f"y={good}; {name}=$y",
            f"{name}={good} y=$((1/0))",
            f"y=$((1/0)) {name}={good}",
            f"readonly {name}; {plain}",
            f"case x in y) {plain} ;; *) {plain} ;; esac",
            f"echo | while read -r l; do {plain}; done",
            f"{plain}; unset {name}",
            f"{name}=({good})",
            f"cat <<E\n$((1/0))\nE\n{plain}",
            f"true || {plain}",
            f"test -f nofile || {plain}",
        )

    def unseen(self, name: str, bad: str) -> str:
        """Another way to give ``name`` the bad value."""
        quoted = f"'{bad}'"
        return self.pick(
            f"read -r {name} <<< {quoted}",
            f"read -r {name} <<'E'\n{bad}\nE",
            f"echo {quoted} | read -r {name}",
            f"printf -v {name} %s {quoted}",
            f"printf -v{name} %s {quoted}",
            f"mapfile -t {name} <<< {quoted}",
            f"read -ra {name} <<< {quoted}",
            f"IFS= read -r -d '' {name} <<< {quoted}",
            f"builtin printf -v {name} %s {quoted}",
            f"command read -r {name} <<< {quoted}",
            f": ${{{name}:={bad}}}",
            f": ${{{name}={bad}}}",
            f"declare -n r={name}; r={quoted}",
            f"r={name}; declare $r={quoted}",
            f"r={name}; read -r $r <<< {quoted}",
            f"{name}+={quoted}",
            f"{name}[0]={quoted}",
            f"declare -l {name}",
            f"declare -u {name}",
            f"declare -i {name}",
            f"g() {{ local {name}={quoted}; h; }}",
            f"eval {name}={quoted}",
            f"for {name} in {quoted}; do :; done",
            f"for {name} in a$(echo x {quoted}); do :; done",
            f"for {name} in a ./`echo x {quoted}`; do :; done",
            f"select {name} in a$(echo x {quoted}); do break; done <<< 2",
            f"y='x {bad}'; for {name} in a$y; do :; done",
            f'y=(a$(echo x {quoted})); for {name} in "${{y[@]}}"; do :; done',
            f"unset {name}",
            f"set -- {quoted}",
            f"getopts ab {name} {quoted}",
            f"export {name}={quoted}",
            f"select {name} in {quoted}; do break; done <<< 1",
            f"coproc {name} {{ :; }}",
            f"exec {{{name}}}< a.txt",
            f"true {{{name}}}< a.txt",
            f"let {name}=1",
            f"(( {name} = 2 ))",
            f": $(( {name} = 2 ))",
            f"wait -n -p {name}",
            "IFS=bdor",
            "IFS=0123456789",
            "x=$IFS; IFS=$x",
            f"trap '{name}={bad}' EXIT",
            f"{name}={quoted} true",
            f"( {name}={quoted} )",
            f"g() {{ {name}={quoted}; }}",
            f"alias {name}=x",
            f"typeset -T {name} zz",
            "shift",
            f"a=({quoted} y); {name}=$a",
        )
