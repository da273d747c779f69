"""What the operating system refuses, in every place where a name or a word can stand."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from tests.attacks.attack import Attack
from tests.attacks.leak import RULES
from tests.attacks.phrases import EVIDENT, inside

SHORT = (
    *(
        "out/x\0y",
        "\0",
        "a.txt\0",
        "\0a.txt",
        "out\0",
        "\ud800",
        "out/\ud800x",
        "x\udfff",
        "\ud83d",
        "\udcff",
        "out/\udce9",
    ),
    *(
        "\ufffe",
        "\U0010ffff",
        "a\nb",
        "out/a\nb",
        "\n",
        "out/x\n",
        "\r",
        "out/\r",
        "\x01",
        "out/\x7f",
        "\x1b[2J",
        "\u202ea",
    ),
    *(
        "",
        ".",
        "..",
        "./",
        "../",
        "./.",
        "out/.",
        "out/..",
        "out/./.",
        "out/../a.txt",
        "out//../..",
        "out/x/..",
        "/",
        "//",
    ),
    *(
        "///",
        "//a",
        "/..",
        "/../..",
        "out",
        "out/",
        "out//",
        "./out",
        "sub",
        "sub/",
        "a.txt/",
        "a.txt/x",
        "a.txt/..",
        "a.txt/.",
    ),
    *(
        "nothing/x",
        "nothing/../out/x",
        "nothing/",
        "out/nothing/x",
        "ring",
        "ring/",
        "ring/x",
        "out/ring",
        "out/ring/x",
    ),
    *(
        "ring/../out/x",
        "out/ring/../x",
        "out/away",
        "out/away/..",
        "out/away/x",
        "link/",
        "link/..",
        "-",
        "--",
        "+",
        "~x/y",
    ),
    *(
        "/dev/fd/99",
        "/dev/fd/-1",
        "/dev/fd/",
        "/dev/fd",
        "/dev/fd/1",
        "/dev/stdin",
        "/dev/tty",
        "/dev/full",
        "/dev/null/",
    ),
    *("/dev/null/x", "/dev/nothing", "/dev/tcp/", "/dev/tcp/x", "/dev/tcp/127.0.0.1/0", "/dev/udp/x/99999", "/dev"),
    *(
        "/proc/self",
        "/proc/self/fd/99",
        "/proc/self/fd/1",
        "/proc/self/cwd",
        "/proc/self/cwd/out/x",
        "/proc/self/cwd/a.txt",
    ),
    *(
        "/proc/self/root/etc/passwd",
        "/proc/self/exe",
        "/proc/self/mem",
        "/proc/thread-self/cwd/x",
        "/proc/0/x",
        "/proc/1/cwd/x",
    ),
    *(
        "/proc/self/comm",
        "/proc/self/fd/../cwd/x",
        "/proc/self/environ",
        "/proc/self/cwd/.env",
        "out/../.env",
        "out/ring/../.env",
    ),
)
"""Names that no file has, that a file may have although nobody expects it, or that mean another one."""
QUOTED = (
    *(
        "$'out/x\\0y'",
        "$'\\x00'",
        "$'\\u0000'",
        "$'a.txt\\c@x'",
        "$'\\ud800'",
        "$'\\udcff'",
        "$'\\xff'",
        "$'out/\\377'",
    ),
    *(
        "$'\\U00110000'",
        "$'\\xed\\xa0\\x80'",
        "$'\\n'",
        "$'out/\\n'",
        "\"$(printf 'a\\0b')\"",
        "\"$(printf '\\377')\"",
        '""',
        "''",
    ),
)
"""The same as the shell spells them."""
REPEATED = (
    ("x", 300),
    ("x", 255),
    ("x", 256),
    ("d/", 3_000),
    ("./", 2_100),
    ("../", 2_000),
    ("out/../", 900),
    ("é", 200),
)
"""What makes a name, or a path, longer than a system takes."""


class RefusedNames(Attack):
    """Attacks the judge with what an operating system would refuse, or understand as something else.

    Names with NUL bytes, half surrogates and newlines, too long, empty, of folders and of rings of links stand where a
    script can name a file, a program, a folder, a variable or a text. The judge must not fail over them; what it allows
    must do nothing else than what a rule allows; and what is forbidden beside them must still be seen.
    """

    ground = "refused-names"
    rules = RULES + 'prefix_rule(pattern=["evil"], decision="forbidden")\n'
    shells = ("bash", "zsh", "ksh", "sh", "busybox", "posix-bash", "sh-mksh")

    def script(self) -> str:
        self.least = Decision.ALLOW
        if self.chance(0.03):
            return self.delimited()
        made = self.any_of(self.written, self.written, self.argument, self.program, self.folder, self.value, self.text)
        if self.chance(0.2):
            other = self.any_of(self.written, self.argument, self.folder)
            made = f"{made}\n{other}" if "<<" in made else self.joined(made, other)
        if self.chance(0.4):
            self.least = Decision.FORBIDDEN
            made = self.beside(made, self.pick(*EVIDENT, "ev\0il x", "evil x > /dev/null"))
        return inside(self, made) if self.chance(0.25) else made

    def beside(self, made: str, evil: str) -> str:
        """``evil`` before, behind or within ``made``, where a shell may come to it, or would if nothing went wrong."""
        name = self.name()
        return self.pick(
            *(f"{evil}; {made}", f"{evil}\n{made}", f"{made}\n{evil}", f"{made}\n{evil}"),
            *(f"{made} || {evil}" if "\n" not in made else f"{{ {made}\n}} || {evil}", f"{{ {made}\n{evil}; }}"),
            *(f"if {made}\nthen {evil}; fi", f"f() {{ {made}\n{evil}; }}; f", f"( {made}\n{evil} )"),
            *(f"while {made}\ndo {evil}; break; done", f"{made}\necho $({evil})", f'{made}\nA {name} "$({evil})"'),
            *(f"{evil} {name}", f"{evil} > {name}", f"> {name} {evil}", f"evil {name} x", f"x={name} {evil}"),
            *(f"A {name} && {evil}", f"cd {name}; {evil}", f"cat <<E\n{self.bare()}\n$({evil})\nE"),
            *(f"bash <<'F'\n{made}\n{evil}\nF", f"eval 'evil' {name}"),
        )

    def bare(self) -> str:
        """One of the names as it is."""
        if self.chance(0.15):
            piece, times = self.random.choice(REPEATED)
            return self.pick("", "out/", "/", "./") + piece * times
        return self.pick(*SHORT)

    def name(self) -> str:
        """One of the names, quoted."""
        if self.chance(0.2):
            return self.pick(*QUOTED)
        bare = self.bare()
        plain = bare and bare.isprintable() and bare[0] != "~" and "*" not in bare and "[" not in bare
        return self.pick("'{}'", '"{}"', "'{}'", "{}" if plain else "'{}'").format(bare)

    def written(self) -> str:
        name = self.name()
        made = self.pick("echo x", "printf %s x", "A x", ":", "cat a.txt", "", "true", "exec", "echo")
        return self.pick(
            *(f"{made} > {name}", f"{made} > {name}", f"{made} >> {name}", f"{made} >| {name}", f"{made} 2> {name}"),
            *(f"{made} 3> {name}", f"{made} <> {name}"),
            f"{made} &> {name}" if self.bash_like() else f"{made} > {name} 2>&1",
            *(f"{made} >& {name}" if self.bash_like() else f"{made} 1> {name}", f"exec 3> {name}; echo x >&3"),
            *(f"{{ {made or ':'}; }} > {name}", f"for i in 1; do echo $i; done > {name}", f'x={name}; echo x > "$x"'),
            *(f"x={name}; echo x > $x", f"echo x > out/{name}", f"echo x > {name}/x", f"echo x > {name}/../out/x"),
            *(f"echo x | tee {name}", f"cd {name} && echo x > out/y", f"cd out && echo x > {name}"),
            f"cd {name}; echo x > x",
        )

    def argument(self) -> str:
        name = self.name()
        return self.pick(
            *(f"A {name}", f"A x {name}", f"C {name}", f"C ok {name}", f"D {name}", f"C ok{name}", f"cat {name}"),
            *(f"cat -- {name}", f"cat < {name}", f"cat -- {name} a.txt", f"ls -d {name}", f"ls {name}"),
            *(f"head -n 1 {name}", f"head -n {name} a.txt", f"wc -l < {name}", f"stat {name}"),
            *(f"sort -o {name} a.txt", f"sort {name}", f"grep -c one {name}", f"grep {name} a.txt", f"rg one {name}"),
            *(f"find {name} -maxdepth 1 -name {name}", f"git diff --no-index {name} a.txt", f"git log -1 {name}"),
            *(f"[ -f {name} ]", f"test {name} -nt a.txt"),
            *(f"[[ -e {name} ]]" if self.bash_like() else f"test -e {name}", f"dash run.sh {name}"),
            *(f"xargs A < {name}", f"echo {name} | xargs A", f"echo {name} | xargs cat", f"realpath {name}"),
            *(f"cp a.txt {name}", f"mkdir -p {name}"),
        )

    def program(self) -> str:
        name = self.name()
        return self.pick(
            *(f"{name}", f"{name} x", f"./{name} x", f"./run.sh{name}", f"./run.sh/{name}", f"{name}/run.sh"),
            *(f"./{name}/run.sh", f"A{name}", f"{name}A", f"out/{name}", f"command {name} x", f"exec {name}"),
            *(f". {name}", f"source {name}", f"eval {name}", f"dash {name}", f"bash {name}", f"env {name}"),
            *(f"timeout 5 {name}", f"timeout {name} A", f"type {name}", f"hash {name}", f"trap {name} EXIT"),
            *(f"x={name}; $x", f"alias {name}=A; A x", f"{self.pick('f', 'A', 'ls')}() {{ {name}; }}; f"),
        )

    def folder(self) -> str:
        name = self.name()
        behind = self.pick("A x", "./run.sh", "cat a.txt", "ls", "git status", "O", "cat .env", "pwd", "echo x > out/y")
        move = self.pick(
            "cd", "cd", "cd --", "cd -P", "pushd" if self.bash_like() else "cd", "command cd", "builtin cd"
        )
        return self.pick(
            *(f"{move} {name} && {behind}", f"{move} {name}; {behind}", f"{move} {name}\n{behind}"),
            *(f"({move} {name} && {behind})", f"{move} {name} || {behind}", f"{move} {name} {name}; {behind}"),
            *(f"CDPATH={name} {move} sub; {behind}", f"CDPATH={name}; {move} sub && {behind}"),
            *(f'x={name}; {move} "$x" && {behind}', f"env -C {name} {behind}", f"git -C {name} status"),
            *(f"HOME={name}; cd; {behind}", f"HOME={name}; cat ~/a.txt"),
        )

    def value(self) -> str:
        name = self.name()
        return self.pick(
            *(f"x={name}", f'x={name}; A "$x"', f"x={name}; A $x", f"x={name} A y", f"export x={name}; A $x"),
            *(f"readonly x={name}", f'for x in {name} a.txt; do cat "$x"; done'),
            *(f"case {name} in {name}) A x;; esac", f"PATH={name} A x", f"PATH={name}; A x"),
            *(f"PATH={name}:$PATH; ls", f"IFS={name}; A $IFS", f"LC_ALL={name} sort a.txt", f"TZ={name} date"),
            *(f"unset {name}", f"export {name}", f"read -r {name} < a.txt", f'set -- {name}; A "$1"'),
            f'x=({name}); A "${{x[0]}}"' if self.bash_like() else f"x={name}; A ${{x#?}}",
            *(f"x[{name}]=1" if self.bash_like() else f"echo $(({name}))", f"echo ${{x:-{name}}}"),
            *(f"x={name}; echo ${{#x}} ${{x%%/*}}", f"printf {name} x", f"printf '%s' {name}", f"echo $(( {name} ))"),
            f"echo -e {name}",
        )

    def text(self) -> str:
        bare = self.bare()
        quoted = self.name()
        return self.pick(
            *(f"cat <<E\n{bare}\nE", f"cat <<'E'\n{bare}\nE", f"cat <<-E\n\t{bare}\n\tE", f"A x <<E\n{bare}\nE\nA y"),
            f"cat <<E\n{bare}\nE\necho x > {quoted}",
            *(f"cat <<< {quoted}" if self.bash_like() else f"echo {quoted} | cat", f"# {bare}\nA x"),
            *(f"echo 'a\\\n{bare}'\nA x", f"bash -c {quoted}", f"bash -c A {quoted}", f'echo "`echo {quoted}`"'),
            *(f'while read -r x; do A "$x"; done <<E\n{bare}\nE', f"xargs A <<E\n{bare}\nE", f"jq -n {quoted}"),
            *(f"sed {quoted} a.txt", f"awk {quoted} a.txt"),
        )

    def delimited(self) -> str:
        """A here-document that such a name ends, or that has no end: the rest of the script is text, or is none."""
        bare, quoted = self.bare(), self.name()
        return self.pick(
            *(f"cat <<{quoted}\nx\n{bare}\nA x", f"cat <<E{quoted}\nx\nE{bare}\nA x"),
            *(f"cat <<'{bare}'\nx\n{bare}\nA x", f"cat <<'{bare}'\nA x\n{bare}\necho x > {quoted}"),
        )
