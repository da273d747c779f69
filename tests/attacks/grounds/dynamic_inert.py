"""Words known at run time only, in places that evaluate them, and words that are another number of words."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, inside

_SECRETS = ("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY")


class DynamicInert(Attack):
    """Attacks ``dynamic-inert``.

    Where an entry takes any word, its value does not matter. That claim breaks if the word is more or fewer words
    than it looks (splitting, patterns and braces, POSIX 2.6.5), if the place is one where a shell or a program
    evaluates text (formats, subscripts, operators of ``test``, options behind operands), or if the value is a
    secret that the program prints: from a variable of the environment by way of another, or from a file whose name
    the script puts together. Unquoted text in ``${x-…}``, several variables, arrays and outputs of commands are
    ways to put it together. A secret file that is found without its name (``ls -A | xargs cat``, ``grep -r x .``)
    is not kept: secrets are known by name, and the script must show it.
    """

    ground = "dynamic-inert"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "zsh", "ksh", "ksh93", "busybox")

    def script(self) -> str:
        kind = self.random.random()
        if kind < 0.1:
            line = self.transformed() if kind < 0.06 else self.complained()
        else:
            line = self.secret() if kind < 0.35 else self.composed() if kind < 0.62 else self.placed()
        if self.chance(0.25):
            line = self.pick(*DECOYS) + self.pick("; ", "\n", " && ") + line
        return inside(self, line) if self.chance(0.25) else line

    def secret(self) -> str:
        name = self.pick(*_SECRETS)
        value = self.pick(
            *(f"${name}", f'"${name}"', f"${{{name}}}", f"${{{name}:0:9}}", f"${{{name}#x}}", f"${{{name}:-x}}"),
            *(
                f'"${{{name}}}"',
                f"x${name}",
                f"${{x:-${name}}}",
                f"${{x:+y}}${name}",
                f"$(echo ${name})",
                f"${{{name},,}}x",
            ),
            *(f"$(printenv {name})", f"${{{name}/x/y}}", f"${{{name}@Q}}", f"$(printf %s ${name})", f"${{{name}%%x*}}"),
        )
        return self.pick(
            f"echo {value}",
            f"x={value}; echo $x",
            f"x={value}\ny=$x\nprintf '%s\\n' \"$y\"",
            f"cat <<< {value}",
            f"cat <<E\n{value}\nE",
            f"read -r x <<< {value}; echo $x",
            f"for x in {value}; do echo $x; done",
            f"set -x; : {value}",
            f"set -x; [ {value} = y ]",
            f"set -x; x={value}",
            f"set -o xtrace\ntrue {value}",
            f"set -ex; cd {value}",
            f"[[ {value} =~ .* ]]; echo $BASH_REMATCH",
            f"[[ {value} =~ (.*) ]] && echo ${{BASH_REMATCH[1]}}",
            f"[[ x =~ {value} ]] || echo ${{BASH_REMATCH[0]}}",
            f"case {value} in *) ;; esac",
            f"cd {value}",
            f"cd {value} 2>&1 | cat",
            f"ls {value}",
            f"exit {value}",
            f"sleep {value}",
            f"[ {value} -eq 1 ]",
            f"echo $(( {value} ))",
            f": ${{x:?{value}}}",
            f"echo ${{x:-{value}}}",
            f"f() {{ echo $1; }}; f {value}",
            f"bash -c 'echo $1' _ {value}",
            f'bash -c "echo {value.strip(chr(34))}"',
            f"bash -c 'echo {value}'",
            f"x={value} bash -c 'echo $x'",
            f"CI={value} printenv CI",
            f"env x={value} printenv x",
            f"export CI={value}; printenv CI",
            f"echo {value} | cat",
            f"cat <(echo {value})",
            f"a=({value}); echo ${{a[@]}}",
            f"x={name}; echo ${{!x}}",
            f"declare -n x={name}; echo $x",
            f"x=$(echo {value}); echo $x",
            f"mapfile -t x <<< {value}; echo ${{x[0]}}",
            f"echo {value} | while read -r x; do echo $x; done",
            f"echo {value} | tr a-z A-Z | tr A-Z a-z",
            f"grep {value} a.txt",
            f"awk -v x={value} 'BEGIN {{ print x }}'",
            f"jq -n --arg x {value} '$x'",
            f"date +{value}",
            f"basename {value}",
            f"echo {value} > /dev/stderr",
            f"head {value}",
            f"{value}",
            f"declare -p {name}",
            f"typeset -p {name}",
            "export -p",
            f"printenv {name}",
            "set | grep TOK",
            "compgen -e",
            "echo ${!GITHUB@}",
            f"echo ${{{name}:?}}",
            f"test -n {value} && echo set",
            f"echo ${{#{name}}}",
            f"awk 'BEGIN {{ print ENVIRON[\"{name}\"] }}'",
            "jq -n env",
            "ps e",
            f"xargs -a a.txt echo {value}",
            f"tail -n 1 <<< {value}",
            f"printf %q {value}",
            f"git log --grep {value}",
            f"diff <(echo {value}) a.txt",
            f"find {value}",
            f"sort - <<< {value}",
        )

    def transformed(self) -> str:
        """The name of a secret file behind an operator that leaves a value as it is, or nearly."""
        given = self.pick(
            "x=.env", "x=.e; x+=nv", "x=.e\nx=${x}nv", "y=nv; x=.e$y", "x=.ENV", "x=.en; x=$x'v'", "x=(.env)"
        )
        operator = self.pick(
            *(
                "@E",
                "@E",
                "@Q",
                "@P",
                "@A",
                "@L",
                "@a",
                "@K",
                "~",
                "~~",
                "?",
                ":?",
                "?no",
                ",,",
                ",",
                "^",
                ":0",
                "#",
                "%",
                "-x",
            ),
            *("//x", "/#x", ":=x", "+$x", ":+$x", "##x", ": 0", "[0]", "[@]", "[*]", ":-x", "%%x", "@", "^^"),
        )
        word = self.pick(f"${{x{operator}}}", f'"${{x{operator}}}"', f"./${{x{operator}}}", f"sub/${{x{operator}}}")
        use = self.pick("cat", "head -n 1", "sort", "grep T", "cat <")
        return f"{given}; " + self.pick(
            f"{use} {word}",
            f"echo {word} | xargs cat",
            f"printf '%s\\n' {word} | xargs {use.rstrip(' <')}",
            f"y={word}; {use} $y",
            f"for y in {word}; do {use} $y; done",
            f"bash -c 'cat \"$1\"' _ {word}",
        )

    def complained(self) -> str:
        """Conditions and builtins that complain of what they were given: they print it."""
        token = f'"${self.pick(*_SECRETS)}"'
        operator = self.pick("-eq", "-lt", "-ge", "=", "!=", "-a", "-o", "-nt", "-ef", "==", "<", "-x")
        words = [self.pick(token, token, "1", "x", "!", "-n", "-t", "(", ")", "-eq", operator) for _ in range(4)]
        words[self.random.randrange(4)] = token
        test = self.pick(
            f"{token} {operator} 1",
            f"1 {operator} {token}",
            f"1 = {token} {operator} 2",
            f"-t {token}",
            f"! {token} {operator} 1",
            f"{token} {operator}",
            " ".join(words[: self.random.choice((2, 3, 4))])
            .replace("(", "\\(")
            .replace(")", "\\)")
            .replace("<", "\\<"),
        )
        return self.pick(
            *(
                f"[ {test} ]",
                f"test {test}",
                f"[ {test} ] && echo y",
                f"if [ {test} ]; then :; fi",
                f"command [ {test} ]",
            ),
            *(
                f"{one} {token}"
                for one in ("exit", "shift", "break", "umask", "ulimit -n", "type", "alias", "unalias", "let")
            ),
            *(
                f"{one} {token}"
                for one in ("pushd", "popd", "getopts a", "fc", "shopt", "hash", "enable", "unset", "kill")
            ),
        )

    def composed(self) -> str:
        """The name of a secret file that nobody reads in the script."""
        word = self.pick(
            *(
                "${x}",
                "${x%x}",
                "$x",
                '"$x"',
                "$d$e",
                "${d}env",
                "$d'env'",
                "${d:-.}env",
                "${x-.env}",
                "${x:-.env}",
                "$x.env",
            ),
            *(
                "$(echo .en)v",
                '"$(echo .en)v"',
                "${x[0]}${x[1]}",
                "${x#y}",
                "$(printf .env)",
                "`echo .env`",
                "$(ls -A | grep .env)",
            ),
            *(
                "./$x",
                ".${e}",
                ".$e",
                "sub/.$e",
                "$d/.env",
                "$PWD/.$e",
                ".en$v",
                '".en"$v',
                ".e${n}v",
                "${x/y/v}",
                "${x,,}",
            ),
            *(".e*", ".??v", ".[e]nv", "{.e,}nv", ".{e,x}nv", "$(echo .*)", "${x//-/}", "$(ls)"),
            *("${x:1}", "${x^^}", "$1", '"$1"', '"${@}"', "$_", "~/.ssh/id_rsa", "~/.ssh/id*", "$HOME/.s$x/id_rsa"),
            *("$(find . -name '.en?')", "$(ls -A | grep -x .env)", "${x[*]}", "${x@E}"),
            *("~/.ssh/$x", "${HOME}/.ssh/id_${e}"),
        )
        given = self.pick(
            *(
                "x=.env",
                "x=.envx",
                "x=.en; v=v",
                "d=.; e=env",
                "e=env",
                "x=(.en v)",
                "x=y.env",
                "x=.eny",
                "x=.ENV",
                "x=x.env",
            ),
            *(
                "x=.-e-n-v",
                "set -- .env",
                "x='\\056env'",
                ": .env",
                "x=sh",
                "v=v",
                "n=n",
                "d=sub",
                "x=.e; x+=nv",
                "x=*",
                "e=rsa",
            ),
            *(
                "printf -v x .env",
                "read -r x <<< .env",
                "x=$(echo .env)",
                "true",
                "x=(.*)",
                "for x in .env; do :; done",
                "cd sub",
            ),
            *(
                "cd ~/.ssh",
                "d=.ssh; cd ~/$d",
                "d=s; cd ~/.s${d}h",
                "cd ${HOME}/.ss*",
                "declare x=.env",
                "x=.e??",
                "e=env; x=.$e",
            ),
        )
        use = self.pick(
            "cat", "cat", "head -n 1", "sort", "grep T", "cat <", "wc", "tail -n1", "sed -n 1p", "cut -c1-", "rev", "nl"
        )
        if given.startswith(("cd ~", "cd $", "d=.ssh")):
            word = self.pick("*", "id*", "id_rsa", "$(ls)", "./*", word)
        return self.pick(
            f"{given}; {use} {word}",
            f"{given}\n{use} {word}",
            f"{given} && {use} {word}",
            f"f() {{ {use} {word}; }}; {given}; f",
            f"bash -c '{use} \"$1\"' _ .env",
            f"bash -c '{use} $0' .env",
            f"printf '%s\\n' .env | xargs {use}",
            f"echo .env | xargs bash -c '{use} \"$@\"' _",
            f'{given}; bash -c "{use} {word.replace(chr(34), "")}"',
            f"{given}; bash -c '{use} $1' _ {word}",
            f"{given}; echo {word} | xargs {use}",
            f"ls -A | grep .env | xargs {use}",
            f"for y in {word}; do {use} $y; done",
            f"{given}; while read -r l; do echo $l; done < {word}",
            f'{given}; echo "$(<{word})"',
            f"{given}; mapfile -t l < {word}; echo $l",
            f"f() {{ {use} $1; }}; f .env",
            f'f() {{ {use} "$1"; }}; f {word}',
            f'{given}; f() {{ {use} "$1"; }}; f {word}',
            f"{given}; y={word}; {use} $y",
            f"export x=.env; bash -c '{use} $x'",
            f"x=.env bash -c '{use} $x'",
            f"find . -maxdepth 1 -name '.e*' -exec {use} {{}} ';'",
        )

    def placed(self) -> str:
        word = self.pick(
            "$opt", '"$opt"', "$num", '"$num"', "$prog", '"$prog"', "$(cat revs)", '"$(cat f)"', "$(cat opts.txt)", "$x"
        )
        word = self.pick(
            word, word, word, f"a{word}", f"{word}x", f"./{word}", f"+{word}", f"{word} {word}", f"-n{word}"
        )
        given = self.pick(
            "", "", "x='-oowned a.txt'; ", "x='a[$(evil)]'; ", "read -r x < opts.txt; ", "x=$(cat f); ", "x='1eevil'\n"
        )
        return given + self.pick(
            f"sort a.txt {word}",
            f"sort -- {word}",
            f"sort -k {word} a.txt",
            f"sort -k1 {word}",
            f"uniq {word}",
            f"uniq a.txt {word}",
            f"sed -n 1p {word}",
            f"sed -n {word}p a.txt",
            f'sed -n "{word.strip(chr(34))}p" a.txt',
            f'sed "s/a/{word.strip(chr(34))}/" a.txt',
            f"awk {word} a.txt",
            f'awk "BEGIN {{ print {word.strip(chr(34))} }}"',
            f"awk -v x={word} 1 a.txt",
            f"awk 1 {word}",
            f"grep {word} a.txt",
            f"grep -e {word} a.txt",
            f"grep -- {word}",
            f"rg {word}",
            f"rg -e {word} a.txt",
            f"find . -name {word}",
            f"find {word}",
            f"find . {word}",
            f"echo {word}",
            f"printf {word}",
            f"printf '%s' {word}",
            f"printf '%d' {word}",
            f"printf '%*d' {word} 1",
            f"printf '%b' {word}",
            f"printf '%q' {word}",
            f"printf '%n' {word}",
            f"printf '%(%s)T' {word}",
            f"test {word}",
            f"[ {word} ]",
            f"[ {word} = 1 ]",
            f"[ {word} -eq 1 ]",
            f"[ 1 {word} 1 ]",
            f"[ {word} a.txt ]",
            f"[ -n {word} ]",
            f"[ -v {word} ]",
            f"[ x -a {word} y ]",
            f"[ -t {word} ]",
            f"exit {word}",
            f"shift {word}",
            f"sleep {word}",
            f"cd {word}",
            f"command -v {word}",
            f"type {word}",
            f"wait {word}",
            f"read -t {word} z < a.txt",
            f"read -p {word} z < a.txt",
            f"read -d {word} z < a.txt",
            f"read {word} < a.txt",
            f"mapfile -n {word} z < a.txt",
            f"unset {word}",
            f"head -n {word} a.txt",
            f"head -c {word} a.txt",
            f"tail {word} a.txt",
            f"cut -c {word} a.txt",
            f"tr {word} x < a.txt",
            f"date -d {word}",
            f"date +{word}",
            f"seq {word}",
            f"expr {word} + 1",
            f"basename {word}",
            f"ls {word}",
            f"git log {word}",
            f"git log -- {word}",
            f"git log --grep={word}",
            f"git show {word}",
            f"git diff HEAD {word}",
            f"git rev-parse {word}",
            f"git grep {word}",
            f"git grep -e {word}",
            f"git status {word}",
            f"jq {word} a.txt",
            f"jq . {word}",
            f"diff {word} a.txt",
            f"xargs echo {word} < a.txt",
            f"wc -l {word}",
            f"wc --files0-from={word}",
            f"od {word}",
            f"pr {word}",
            f"fold -w {word} a.txt",
            f"file {word}",
            f"tree {word}",
            f"stat {word}",
            f"stat -c {word} a.txt",
            f"nl {word}",
            f"ps {word}",
            f"id {word}",
            f"hexdump {word}",
            f"shuf {word}",
            f"tee {word} < a.txt",
            f"echo x > {word}",
            f"cat < {word}",
            f"bash -c 'echo $1' _ {word}",
            f"declare x={word}",
            f"export x={word}",
            f"local x={word}",
            f"kill -0 {word}",
            f"umask {word}",
            f"hash {word}",
            f"return {word}",
            f"which {word}",
            f"jobs {word}",
            f"pwd {word}",
            f"true {word}",
            f"set -- {word}; sort $1 a.txt",
        )
