"""Names that start another program than the one that is meant."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, behind, inside, spelt


class ProgramNamed(Attack):
    """Attacks ``program-named``.

    A name without a slash is looked for among special builtins, functions, builtins and then the folders of
    ``PATH`` (POSIX 2.9.1.4), so that it means the program as long as no alias, no function and no hashed place
    takes it and ``PATH`` is what the caller has. It breaks with every way to change, hide, empty or retype ``PATH``
    (an assignment, a declaration without a value, a loop, ``read``, a reference, a redirection that stores), with
    the shell's own tables, and with paths that only look like a system folder. The folder holds an ``ls``, a
    ``cat`` and an ``A`` that are bad.
    """

    ground = "program-named"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "zsh", "ksh", "ksh93", "busybox")

    def script(self) -> str:
        if self.chance(0.15):
            return self.emptied() if self.chance(0.35) else self.bared()
        if self.chance(0.3):
            return self.retyped()
        change = self.table() if self.chance(0.25) else self.path()
        use = self.use()
        script = change + self.pick("; ", "; ", "\n", " && ", " || ", " ") + use if self.chance(0.85) else use
        if self.chance(0.3):
            script = f"f() {{ {script}\n}}; f"
        if self.chance(0.2):
            script = self.joined(self.pick(*DECOYS), script)
        return inside(self, script) if self.chance(0.2) else script

    def retyped(self) -> str:
        """``PATH`` declared without a value, where that makes it local, an array or otherwise empty."""
        builtin = self.pick("declare", "typeset", "declare", "typeset", "local", "readonly", "export")
        option = self.pick("", "", " -a", " -A", " -g", " -r", " -x", " -ga", " -ra", " --", " +x", " -ax")
        names = self.pick(
            "PATH", "PATH", "x PATH", "PATH y", "PATH{,}", "{x,PATH}", "P{ATH,}", "x=1 PATH", "'PATH'", "PA''TH"
        )
        use = self.pick(
            "ls", "cat a.txt", "A", "A x", "ls sub", "cat b.txt", "time ls", "ls | cat", "command ls", "echo $(ls)"
        )
        line = f"{builtin}{option} {names}{self.pick('; ', chr(10), ' && ')}{use}"
        if self.chance(0.65):
            line = self.pick(f"f() {{ {line}; }}; f", f"f() {{\n{line}\n}}\nf", f"f() {{ {line}; }}; f | cat")
        return inside(self, line) if self.chance(0.1) else line

    def emptied(self) -> str:
        """``PATH`` made an array, or one of another kind, by a value that looks right."""
        name = self.pick("PATH[0]", "PATH[0]", "PATH[1]", "path[1]", "PATH+", "PATH[x]", "PATH[$#]", "PATH")
        value = self.pick("/usr/bin", "/usr/bin:/bin", "$PATH", '"$PATH"', "/bin", ":/usr/bin", "(/usr/bin)")
        front = self.pick("", "", "", "export ", "declare ", "readonly ", "typeset -g ")
        use = self.pick("ls", "cat a.txt", "A x", "bash -c ls", "ls | cat", "sh -c 'A x'", "echo $(ls)", "timeout 5 ls")
        return f"{front}{name}={value}{self.pick('; ', chr(10), ' && ', ' ')}{use}"

    def bared(self) -> str:
        """A command that is started without an environment, or by the name of another."""
        use = self.pick("A", "A x", "ls", "cat a.txt", "B; A", "ls | cat")
        inner = self.pick(f"bash -c '{use}'", f"sh -c '{use}'", f"mksh -c '{use}'", f"zsh -c '{use}'", "A x", "ls")
        front = self.pick(
            *(
                "exec -c",
                "exec -c",
                "exec -cl",
                "exec -l -c",
                "command exec -c",
                "env -i",
                "env -",
                "env -u PATH",
                "env -iC .",
            ),
            *("exec -ca sh", "exec -c env", "env -i env", "timeout 5 env -i", "exec env -i", "nice env -uPATH"),
        )
        named = self.pick("touch", "rm", "sh", "cp a.txt", "tee", "./A", "evil")
        return self.pick(
            f"{front} {inner}",
            f"{front} {inner}",
            f"( {front} {inner} )",
            f"exec -a {named.partition(' ')[0]} busybox {self.pick('a.txt', 'out2', '-c evil', 'sh -c evil')}",
            f"{self.pick('hash', 'hash -r', 'hash -p')} {self.pick('ls=./A', 'cat=./A', './A ls')}; ls; cat a.txt",
        )

    def path(self) -> str:
        name = self.pick("PATH", "PATH", "PATH", "path", "'PATH'", "P\\ATH", "x")
        value = self.pick(".", "", "./sub", "$PWD", ".:$PATH", "sub", "$x", "/usr/bin", "'.'", "(.)", "..", "~", ":")
        declare = behind(self, self.pick("declare", "typeset", "local", "readonly", "export", "declare", "typeset"))
        option = self.pick(
            "", "", " -a", " -A", " -u", " -l", " -r", " -g", " -i", " -n", " -x", " +x", " -ga", " -T", " -U"
        )
        return self.pick(
            f"{declare}{option} {name}",
            f"{declare}{option} {name}",
            f"{declare}{option} {name}",
            f"{declare}{option} {name}={value}",
            f"{declare}{option} x {name}",
            f"{name}={value}",
            f"{name}+={value}",
            f"{name}[0]={value}",
            f"export {name}={value}",
            f"export -n {name}",
            f"{behind(self, 'unset')} {name}",
            f"{behind(self, 'unset')} -v {name}",
            f"for {name} in {value or 'x'}; do :; done",
            f"read -r {name} <<< {value or 'x'}",
            f"read -r {name} < a.txt",
            f"printf -v {name} %s '{value}'",
            f"mapfile -t {name} < a.txt",
            f"getopts ab {name} -a",
            f": ${{{name}:={value}}}",
            f": ${{{name}={value}}}",
            f": ${{nothing:={value}}}",
            f"declare -n r={name}; r={value}",
            f"typeset -n r={name}; for r in {value or 'x'}; do :; done",
            f"(( {name} = 1 ))",
            f": $(( {name} = 1 ))",
            f"let {name}=1",
            f"exec {{{name}}}< a.txt",
            f"true {{{name}}}< a.txt",
            f"select {name} in .; do break; done <<< 1",
            f"x={name}; declare $x=.",
            f"declare {{x,{name}}}=.",
            f"declare x{{,y}} {name}{{,}}",
            f"export x=1 {name}",
            f"coproc {name} {{ :; }}",
            f"{name}={value} true",
            f"{name}={value} :",
            f"{name}={value} eval :",
            f"wait -n -p {name}",
            f"read -ra {name} < a.txt",
            f"IFS= read -r {name} < b.txt",
            f"typeset -T {name} x",
            f"set -A {name} .",
            f"integer {name}",
            f"nameref {name}=x",
        )

    def table(self) -> str:
        name = self.pick("ls", "cat", "A", "grep", "sort")
        return self.pick(
            f"alias {name}=evil",
            f"{behind(self, 'alias')} {name}=evil",
            f"alias {name}='A; evil'",
            f"hash -p ./evil.sh {name}",
            f"hash {name}=./evil.sh",
            f"hash -t {name}",
            f"BASH_CMDS[{name}]=./evil.sh",
            f"BASH_ALIASES[{name}]=evil",
            f"BASH_CMDS=([{name}]=./evil.sh)",
            f"commands[{name}]=./evil.sh",
            f"functions[{name}]=evil",
            f"aliases[{name}]=evil",
            f"{name}() {{ evil; }}",
            f"{name}() {{ :; }}",
            f"function {name} {{ evil; }}",
            f"function {name} {{ :; }}",
            f"enable -n {name}",
            f"enable -f ./x {name}",
            f"disable {name}",
            "command_not_found_handle() { evil; }; nosuch",
            "command_not_found_handler() { evil; }; nosuch",
            "shopt -s expand_aliases; alias A=evil",
            "set -o posix",
            "cd sub",
            "autoload A",
            f"typeset -f {name}",
            "rehash",
            f"x={name}; alias $x=evil",
            f"declare -A BASH_CMDS; BASH_CMDS[{name}]=./evil.sh",
            "trap 'evil' EXIT",
            f"unset -f {name}",
        )

    def use(self) -> str:
        program = self.pick(
            "ls", "cat a.txt", "A x", "grep one a.txt", "ls sub", "A", "sort a.txt", "cat b.txt", "ls -l", "D ok"
        )
        word, _, rest = program.partition(" ")
        return self.pick(
            program,
            program,
            program,
            f"{spelt(self, word)} {rest}",
            f"command {program}",
            f"command -p {program}",
            f"env {program}",
            f"env -i {program}",
            f"env PATH=. {program}",
            f"env -u PATH {program}",
            f"env - {program}",
            f"timeout 5 {program}",
            f"nice {program}",
            f"exec {program}",
            "exec -a A evil",
            f"builtin {program}",
            f"echo | xargs {program}",
            f"bash -c '{program}'",
            f"sh -c '{program}'",
            f"find . -name b.txt -exec {program} ';'",
            f"find . -name b.txt -execdir {program} ';'",
            *[f"./{program}"] * 3,
            f"sub/{program}",
            f"/usr/bin/{program}",
            f"/bin/../bin/{program}",
            f"/usr/bin/../../{program}",
            f"/usr/bin/./{program}",
            f"//usr/bin/{program}",
            f"/usr/bin//{program}",
            f"/proc/self/cwd/{program}",
            f"~/{program}",
            f"$PWD/{program}",
            f"./../{program}",
            f"PATH= {program}",
            f"PATH=. {program}",
            f"PATH=.:$PATH {program}",
            f"X=1 {program}",
            f"{program} | cat",
            f"echo $({program})",
            f"time {program}",
            f"! {program}",
        )
