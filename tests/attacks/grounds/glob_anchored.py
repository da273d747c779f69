"""Patterns whose names are split, vanish, are more than were thought, or start with a dash after all."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, inside

_ANCHORED = (
    "./*",
    "./*.txt",
    "./a*",
    "./a.txt*",
    "sub/*",
    "./[a-c]*",
    "a*",
    "a.txt*",
    "./?.txt",
    "./a.txt?*",
    "$PWD/*",
)
_OPEN = (
    "*",
    "*.txt",
    "-*",
    "[-]*",
    "?n",
    "-*",
    "-o*",
    "-[eo]*",
    "*e*",
    "{./*,-oowned}",
    "?*.txt",
    "[!a]*",
    "*/",
    ".e*",
    "./.e*",
    "./.*",
    "[.]e*",
)


class GlobAnchored(Attack):
    """Attacks ``glob-anchored``.

    A name that a pattern finds begins as the pattern does, so that ``./*.txt`` never becomes an option. That holds
    for the word where the pattern stands, once: put into a variable and used unquoted, a name with blanks is split
    and its second half is a word of its own (bash manual 3.5.7; tried). It would also break where a pattern may
    find nothing and vanish (``nullglob``), where it finds more names than the program has places for input, where
    options of the shell find hidden files, and where a shell reads more into a pattern than names (zsh:
    ``*(e:evil:)``, ksh: ``@(…)``).
    """

    ground = "glob-anchored"
    shells = ("bash", "sh", "posix-bash", "zsh", "ksh", "ksh93", "busybox", "sh-mksh")

    def script(self) -> str:
        pattern = self.pick(*_ANCHORED) if self.chance(0.75) else self.pick(*_OPEN)
        pattern += self.pick(
            *[""] * 12, "(e:evil:)", "(e:'evil':)", "(D)", "(+evil)", "(N)", "(#qe:evil:)", "(:h)", "/"
        )
        parts = [self.pick(*DECOYS)] if self.chance(0.2) else []
        if self.chance(0.2):
            parts.append(
                self.pick(
                    *("shopt -s nullglob", "shopt -s dotglob", "shopt -s extglob", "GLOBIGNORE=x", "set -f", "IFS=."),
                    *(
                        "shopt -s globstar",
                        "shopt -s failglob",
                        "cd sub",
                        "IFS=",
                        "setopt globdots",
                        "IFS=e",
                        "set -o noglob",
                    ),
                )
            )
        if self.chance(0.05):
            parts.append(self.near())
        else:
            parts.append(self.direct(pattern) if self.chance(0.35) else self.through(pattern))
        script = self.joined(*parts)
        return inside(self, script) if self.chance(0.15) else script

    def near(self) -> str:
        """A pattern that finds nothing but an option."""
        program = self.pick("sort", "sort a.txt", "shuf", "sort -r", "sort --", "cat", "./ls")
        return f"{program} {self.pick('-o*', '-oo*', '-o?ut2', '-[o]out2', './-o*', '[-]oout2')}"

    def direct(self, words: str) -> str:
        return self.pick(
            f"sort {words}",
            f"sed -n 1p {words}",
            f"cat {words}",
            f"uniq {words}",
            f"rg one {words}",
            f"grep -n one {words}",
            f"head -n 1 {words}",
            f"sort -k {words} a.txt",
            f"sort -t {words} a.txt",
            f"sed -n -e {words}",
            f"sed {words} a.txt",
            f"D {words}",
            f"find {words}",
            f"find {words} -name x",
            f"wc -l {words}",
            f"git log {words}",
            f"git diff -- {words}",
            f"od {words}",
            f"comm {words}",
            f"diff {words}",
            f"ls {words}",
            f"echo {words}",
            f"cut -d {words} -f 1 a.txt",
            f"shuf {words}",
            f"shuf -n 1 {words}",
            f"tail -n {words}",
            f"sort -r {words} {words}",
            f"file {words}",
            f"tree {words}",
            f"cat < {words}",
            f"awk 1 {words}",
            f"jq . {words}",
            f"base64 {words}",
        )

    def through(self, pattern: str) -> str:
        name = self.pick("f", "x", "name")
        split = self.pick(
            f"${name}", f"${name}", f"${{{name}}}", f'"${name}"', f"./${name}", f"${{{name}##*/}}", f"${{{name}%.txt}}"
        )
        return self.pick(
            f"for {name} in {pattern}; do {self.direct(split)}; done",
            f"for {name} in {pattern}; do {self.direct(split)}; done",
            f"for {name} in {pattern}\ndo\n{self.direct(split)}\ndone",
            f'for {name} in a.txt {pattern}; do [ -f "${name}" ] && {self.direct(split)}; done',
            f"for {name} in {pattern}; do y=${name}; {self.direct(split.replace(name, 'y'))}; done",
            f"for {name} in {pattern}; do y=$(echo ${name}); {self.direct(split.replace(name, 'y'))}; done",
            f"{name}=({pattern}); {self.direct(f'${{{name}[@]}}')}",
            f"{name}=({pattern}); for y in ${{{name}[@]}}; do {self.direct('$y')}; done",
            f"{name}=({pattern}); {self.direct(f'${{{name}[1]}}')}",
            f"{name}={pattern}; {self.direct(split)}",
            f"set -- {pattern}; {self.direct('$1')}",
            f"set -- {pattern}; {self.direct('$@')}",
            f"g() {{ {self.direct('$1')}; }}; g {pattern}",
            f"g() {{ {self.direct('$@')}; }}; g {pattern}",
            f'g() {{ for y in "$@"; do {self.direct("$y")}; done; }}; g {pattern}',
            f"ls {pattern} | while read -r {name}; do {self.direct(split)}; done",
            f"printf '%s\\n' {pattern} | while IFS= read -r {name}; do {self.direct(split)}; done",
            f"echo {pattern} | xargs sort",
            f"printf '%s\\n' {pattern} | xargs {self.direct('')}",
            f"ls {pattern} | xargs {self.direct('')}",
            f"find {pattern} -maxdepth 0 | xargs {self.direct('')}",
            f"mapfile -t {name} < <(ls {pattern}); {self.direct(f'${{{name}[0]}}')}",
            f"{self.direct('$(ls ' + pattern + ')')}",
            f"{self.direct('$(ls ' + pattern + ' | head -n 3)')}",
            f"for {name} in $(ls {pattern}); do {self.direct(split)}; done",
            f"bash -c '{self.direct('$1')}' _ {pattern}",
            f"bash -c 'for y in \"$@\"; do {self.direct('$y')}; done' _ {pattern}",
            f"for {name} in {pattern}; do bash -c '{self.direct('$1')}' _ \"${name}\"; done",
            f'for {name} in {pattern}; do bash -c "{self.direct(split.replace(chr(34), ""))}"; done',
            f"for {name} in {pattern}; do echo $((${name})); done",
            f"for {name} in {pattern}; do [[ ${name} -eq 1 ]]; done",
        )
