"""Files that hold a secret, found by a selector of a program instead of by their name."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import inside


class SecretSelected(Attack):
    """Attacks what is known of secrets' names where a program finds the files.

    Programs that walk are told which files to read by globs, types, regular expressions, lists of names and pathspecs,
    in spellings of their own. A selector that means a secret shows it. What a program finds although nothing in the
    script means a secret (``grep -r x .``) is not kept, so that every script here selects one.
    """

    ground = "secret-selected"
    shells = ("bash", "sh")

    def script(self) -> str:
        line = self.any_of(self.by_option, self.by_option, self.found)
        return inside(self, line) if self.chance(0.2) else line

    def name(self) -> str:
        return self.pick(
            *(
                ".env",
                ".env",
                "*.env",
                ".en?",
                ".e*",
                ".[e]nv",
                ".ENV",
                "**/.env",
                "sub/.env",
                ".{env,x}",
                "?env",
                "/.env",
            ),
            *("*env", ".en[v]", ".[!x]nv", "*.e[n]v", "[.]env", "\\\\.env", ".env*", ".e?v", "*v", ".*"),
        )

    def by_option(self) -> str:
        name = self.name()
        glob = self.pick(f"'{name}'", f'"{name}"')
        return self.pick(
            *(
                f"grep -r --include={glob} T .",
                f"grep -rh T --include {glob} .",
                f"rgrep --include={glob} T",
                f"grep -r T {name}",
            ),
            *(
                f"rg --hidden -g {glob} T",
                f"rg --hidden --glob={glob} T",
                f"rg --hidden --iglob {glob} T",
                f"rg -.g{glob} T",
            ),
            *(
                f"rg -. --type-add x:{glob} -tx T",
                f"rg --type-add 'x:{name}' -tx -. T",
                f"rg -uu -g {glob} T",
                f"rg T {glob}",
            ),
            *(
                f"git grep --no-index --no-exclude-standard -e T -- {glob}",
                f"git grep --untracked T -- ':(icase){name}'",
            ),
            *(
                f"git grep --no-index T -- ':(glob){name}'",
                f"git diff --no-index /dev/null {name}",
                f"git diff --no-index a.txt {name}",
            ),
            *(
                f"diff a.txt {name}",
                f"diff -N a.txt {name}",
                f"sort --files0-from={name}",
                f"wc --files0-from={name}",
                f"file -f {name}",
            ),
            *(
                f"grep -f {name} {name}",
                f"jq -R . {name}",
                f"jq -n --rawfile x {name} '$x'",
                f"awk 1 {name}",
                f"od -c {name}",
            ),
            *(
                f"xargs -a {name} echo",
                f"date -f {name}",
                f"sed -n '1r {name}' a.txt",
                f"sed -n 1p {name}",
                f"comm a.txt {name}",
            ),
            *(
                f"jq -n 'input' {name}",
                f"nl {name}",
                f"fold -w 4 {name}",
                f"tail -n +1 {name}",
                f"uniq {name}",
                f"paste a.txt {name}",
            ),
            *(
                f"git hash-object -w {name}",
                f"git blame --contents {name} a.txt",
                "grep -r T --exclude='*.txt' .e*",
                f"head {name}",
            ),
        )

    def found(self) -> str:
        name = self.name()
        regex = self.pick(".*/[.]env", ".*env", ".*/\\\\.e.*", "./.env", ".*[.]ENV", ".*/.e?nv")
        test = self.pick(
            *(f"-name '{name}'", f"-iname '{name}'", f"-path './{name}'", f"-wholename '*{name}'", f"-regex '{regex}'"),
            *(f"-iregex '{regex}'", f"-ipath '*{name}'", "-name .e'nv'", "-samefile .env", "-name .env -size -9"),
        )
        use = self.pick("cat", "head -n 3", "grep T", "sort", "sed -n 1p", "rg T", "awk 1", "tac")
        return self.pick(
            *(
                f"find . {test} -exec {use} {{}} +",
                f"find . {test} -exec {use} {{}} ';'",
                f"find . {test} | xargs {use}",
            ),
            *(
                f"find . {test} -print0 | xargs -0 {use}",
                f"{use} $(find . {test})",
                f"find {test} -execdir {use} {{}} ';'",
            ),
            *(f"find . {test} | while read -r f; do {use} $f; done", f"for f in $(find . {test}); do {use} $f; done"),
            *(f"find . {test} -print0 | sort -z --files0-from=-", f"find . {test} -print0 | wc --files0-from=-"),
            *(
                f"x=$(find . {test}); {use} $x",
                f"find . {test} | xargs -I_ {use} _",
                f"find . {test} | xargs -n1 {use}",
            ),
        )
