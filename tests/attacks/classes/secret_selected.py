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
        line = self.any_of(self.by_option, self.by_option, self.found, self.listed, self.handed, self.made)
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
            *(
                f"-iregex '{regex}'",
                f"-ipath '*{name}'",
                "-name .e'nv'",
                "-samefile .env",
                "-name .env -size -9",
            ),
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

    def listed(self) -> str:
        """Names that a program lists, those of the secrets picked out."""
        lists = self.pick(
            *(
                "ls -A",
                "ls -a",
                "ls -1A",
                "echo .*",
                "printf '%s\\n' .*",
                "find . -maxdepth 1",
                "rg --files --hidden",
                "ls -d .*",
            ),
            *("tree -a -i", "git ls-files -o", "du -a", "ls -A sub", "stat -c %n .*", "dir -A", "printf '%s\\n' .e*"),
        )
        picks = self.pick(
            *(
                "grep env",
                "grep -i ENV",
                "grep -x .env",
                "sed -n /env/p",
                "awk '/env/'",
                "rg env",
            ),
            *("grep -F .env", "awk '$1 ~ /env/'", "sed '/env/!d'", "grep -E '[.]e(nv|x)'"),
            *("grep '^[.]e'", "grep nv$", "grep 'e.v$'", "awk '/^\\.e/'", "sed -n '/nv$/p'", "grep -E '^.{4}$'"),
            *("grep -iE 'N(V|X)$'", "grep -P '^\\W\\w{3}$'", "grep '^.[[:alpha:]]*v$'"),
        )
        use = self.pick("cat", "head -n 3", "grep T", "sort", "sed -n 1p", "tac")
        return self.pick(
            *(
                f"{lists} | {picks} | xargs {use}",
                f"{use} $({lists} | {picks})",
                f"{lists} | {picks} | xargs -I_ {use} ./_",
            ),
            *(
                f"for f in $({lists} | {picks}); do {use} $f; done",
                f"{lists} | {picks} | while read -r f; do {use} $f; done",
            ),
            *(
                f"x=$({lists} | {picks}); {use} $x",
                f"f=($({lists} | {picks})); {use} ${{f[0]}}",
            ),
        )

    def made(self) -> str:
        """Names that filters make of a text."""
        text, filters = self.pick(
            *((".xenv", "colrm 2 2"), (".e-nv", "numfmt --invalid=ignore -d -"), (".eXnv", "cut -d X -f 1,2")),
            *((".eXnv", "cut -dX -f1,2 --output-delimiter="), ("_env", 'awk \'{gsub("_", "."); print}\'')),
            *((".env", "fold"), (".env", "fold -w 80"), (".env", "column -t"), (".env", "pr -t"), (".env", "fmt")),
            *(
                (".ENV", "awk '{print tolower($0)}'"),
                (".env", "iconv -t UTF-8"),
                ("x.env", "awk '{print substr($1, 2)}'"),
            ),
            *(("env", "awk '{print \".\" $0}'"), ("x.env.x", "grep -o '[.]e..'"), ("x .env", "awk '{print $NF}'")),
            *((".env", "expand"), ("/.env/", "awk -F/ '{print $2}'"), ("vne.", "rev"), (".fow", "tr fow env")),
            *(
                ("env.", "awk -F. '{print \".\" $1}'"),
                (".e_nv", "perl -pe 's/_//'"),
                (".e_nv", 'python3 -c \'print(input().replace("_",""))\''),
            ),
        )
        given = self.pick(
            f"echo '{text}' | {filters}", f"printf '%s\\n' '{text}' | {filters}", f"{filters} <<< '{text}'"
        )
        if self.shell == "sh":
            given = f"echo '{text}' | {filters}"
        use = self.pick("cat", "head -n 3", "grep T", "sort", "sed -n 1p", "tac")
        return self.pick(
            *(
                f'{use} "$({given})"',
                f"{use} $({given})",
                f'x=$({given}); {use} "$x"',
                f"for f in $({given}); do {use} $f; done",
            ),
            *(f"{given} | while read -r f; do {use} $f; done", f"echo '{text}' | {filters} | xargs {use}"),
        )

    def handed(self) -> str:
        """Names that nothing chooses: what a folder hides, what is ignored, in parts, by numbers."""
        lists = self.pick(
            *(
                "ls -A",
                "ls -a | tail -n 3",
                "ls -A | grep -v '[.]txt$'",
                "ls -A | head -n 4",
                "ls -A | sort | sed -n 1p",
                "ls -1A | awk 'NR < 5'",
            ),
            *("git ls-files -o", "git ls-files --others -i --exclude-standard", "git check-ignore .*"),
            *("git status --ignored --porcelain | cut -c4-", "cat .gitignore", "head -n 1 .gitignore"),
            *("git log -1 --format=.e%x6ev", "find . -maxdepth 0 -printf '.e\\156v'", "stat --printf='.\\x65nv' a.txt"),
        )
        use = self.pick("cat", "head -n 3", "grep T", "sort", "sed -n 1p", "tac")
        return self.pick(
            *(f"{lists} | xargs {use}", f"{use} $({lists})", f"for f in $({lists}); do {use} $f; done"),
            *(f"{lists} | while read -r f; do {use} $f; done", f"x=$({lists}); {use} $x", f"xargs {use} < .gitignore"),
            *(f"echo .e,nv | {{ IFS=, read a b; {use} $a$b; }}", f"echo .e nv | while read a b; do {use} $a$b; done"),
            *(
                f"mapfile -td, a <<< .e,nv,; {use} ${{a[0]}}${{a[1]}}",
                f"printf '.e\\nnv\\n' | {{ read a; read b; {use} $a$b; }}",
                f"read a b < <(echo .e nv); {use} $a$b",
            ),
        )
