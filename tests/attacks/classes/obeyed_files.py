"""What is forbidden, in a file that the script writes and a program then takes its orders from."""

from __future__ import annotations

import json
from base64 import b64encode

from execpolicy.core.decision import Decision
from execpolicy.programs.files.source_files import ALL, source_patterns
from execpolicy.programs.record import Program
from execpolicy.programs.shelf import records
from tests.attacks.attack import Attack
from tests.attacks.leak import FORBIDDING
from tests.attacks.phrases import DECOYS, inside, quoted

RECORDS = tuple([record for _, record in records() if record.obeys_files()])
RULES = (
    FORBIDDING
    + f"prefix_rule(pattern=[{sorted({name for record in RECORDS for name in record.names})!r}])\n"
    + 'prefix_rule(pattern=[["cd", "rsync", "sqlite3"]])\n'
    + 'write_rule(paths=["./**"], decision="allow")\n'
)
CODE = {
    **dict.fromkeys(
        (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"),
        ('require("child_process").execSync("evil x")', 'import { spawn } from "child_process"; spawn("evil", ["x"])'),
    ),
    **dict.fromkeys(
        (".py", "SConstruct", "wscript", "Snakefile"),
        ('import os\nos.system("evil x")', 'import subprocess as s\ns.run(["evil", "x"])', 'x.run("evil", "y")'),
    ),
    **dict.fromkeys(
        (
            *(".rb", ".rake", ".gemspec", "Gemfile", "Rakefile", "rakefile", "Vagrantfile", "Podfile", "Fastfile"),
            *("Brewfile", "Dangerfile", "Guardfile", "Capfile"),
        ),
        ('system "evil x"', 'exec("evil", "x")'),
    ),
    **dict.fromkeys((".pl", ".pm", ".t"), ('system("evil x");', "exec qw(evil x);", "print `evil x`;")),
    ".php": ('<?php system("evil x");', "<?php echo `evil x`;"),
    ".go": ("package main\n//go:generate evil x\nfunc main() {}", 'func main() { exec.Command("evil", "x").Run() }'),
    **dict.fromkeys((".rs",), ('fn main() { Command::new("evil").arg("x").status(); }',)),
    **dict.fromkeys((".java", ".kt", ".kts", ".gradle", ".scala"), ('Runtime.getRuntime().exec("evil x");',)),
    **dict.fromkeys((".exs", ".ex"), ('System.cmd("evil", ["x"])',)),
    **dict.fromkeys((".swift", ".dart"), ('run("evil", ["x"])',)),
    **dict.fromkeys((".cs", ".fs"), ('Process.Start("evil", "x");',)),
    ".hs": ('main = callProcess "evil" ["x"]', 'main = system "evil x"'),
    ".ml": ('let _ = Unix.execvp "evil" [|"evil"; "x"|]', 'let _ = Sys.command "evil x"'),
    **dict.fromkeys((".c", ".cpp"), ('int main() { system("evil x"); }', 'execlp("evil", "evil", "x", 0);')),
    ".lua": ('os.execute("evil x")',),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh", ".bats"), ("evil x", "cd a && evil x", "x=evil\n$x y")),
    **dict.fromkeys((".scm", ".el"), ('(system "evil x")',)),
}
"""What files hold that are program texts, by their endings or names."""
ORDERS = (
    "evil x",
    "x:\n\tevil y",
    "x:\n    @evil y\n",
    "all: ; evil x",
    "- run: evil x",
    "run: |\n  cd a\n  evil x",
    "  command: evil x",
    "tasks:\n  x:\n    cmds:\n      - evil y",
    "x = evil y",
    'x = "evil y"',
    "x: 'evil y'",
    '{"scripts": {"x": "evil y"}}',
    '{"scripts": {"x": "cd a && evil y"}}',
    '{"tasks": ["evil y"]}',
    'cmd = ["evil", "x"]',
    'CMD ["evil", "x"]',
    "RUN evil x",
    "RUN true && evil x",
    "<exec>evil x</exec>",
    "!evil x",
    "\\! evil x",
    "shell evil x",
    "exec-once = evil x",
    "ExecStart=evil x",
    "web: evil x",
    "entry: evil x",
    "| evil x",
    "$(evil x)",
    "v := `evil x`",
    "(evil x)",
    "evil x; ls",
    "ls && evil x",
    "env A=1 evil x",
    "sh -c 'evil x'",
    'sh -c "evil x"',
    "sudo evil x",
    "commands = evil x\n",
    "spec:\n  command:\n  - evil\n  - x",
    "#!/bin/sh\nevil x",
)
"""What the others hold: recipes, settings, lists."""
RUNNING = ("", "x", "run x", "build", "test", "-v", "run", "up", "all", "install", ".", "apply")


class ObeyedFiles(Attack):
    """Attacks the promise that what is forbidden is found in the files of other programs.

    For every program whose record names files that it obeys: one of these gets there in one of the ways in which files
    come about, holds the forbidden command in one of the forms in which such files say something, and the program is
    called, which a rule allows. Nothing is run: most programs are not installed, and each reads its own form only.
    """

    ground = "obeyed-files"
    rules = RULES
    forbids = True
    shells = ("bash", "zsh", "ksh", "sh")

    def script(self) -> str:
        self.least = Decision.FORBIDDEN
        record = self.random.choice(RECORDS)
        sources = [each for each in source_patterns(record.sources) if each.lstrip("*") in CODE]
        sources += ["*.yml", "*.toml", "*.json", "Procfile"] if record.sources == ALL else []
        patterns = [*record.obeys.split(), *sources]
        named = "named" in patterns
        pattern = self.pick(*patterns)
        file = self.named() if pattern == "named" else pattern.replace("*", self.pick("a", "x1", "main"))
        text = self.text(file)
        folder = (
            "" if file.startswith((".git/", ".githooks", ".husky", "debian")) else self.pick("", "", "", "sub/", "d/e/")
        )
        made = self.written(folder + file, text)
        call = self.call(record, folder, file, named=named)
        if self.chance(0.1):
            made = f"{self.pick(*DECOYS)}\n{made}"
        script = self.pick(
            f"{made}\n{call}", f"{made}\n{call}", f"{made} && {call}" if "\n" not in made else f"{made}\n{call}"
        )
        return inside(self, script) if self.chance(0.1) else script

    def named(self) -> str:
        """A name that the program is told."""
        return self.pick("orders", "x.conf", "my.txt", "t.yml")

    def text(self, file: str) -> str:
        ending = file[max(file.rfind("."), 0) :]
        language = CODE.get(ending) or CODE.get(file)
        if language is not None:
            made = self.pick(*language)
            return self.pick(made, made, f"\n{made}\n", f"{made}\n{made}")
        made = self.pick(*ORDERS)
        return self.pick(made, made, f"# what it does\n{made}", f"a: b\n{made}\nc: d", f"{made}\n")

    def call(self, record: Program, folder: str, file: str, *, named: bool) -> str:
        name = self.pick(*record.names)
        words = self.pick(*RUNNING)
        path = folder + file
        there = f"cd {folder} && " if folder else ""
        if named:
            return self.pick(
                *(f"{name} {path}", f"{name} -f {path}", f"{name} --file={path}", f"{name} -f{path}"),
                *(f"{name} {words} {path}", f"{name} -c {path} {words}", f"{name} ./{path}"),
                *(f'f={path}; {name} -f "$f"', f"{there}{name} {file}", f"{there}{name} --config {file} {words}"),
                *(f"nice {name} -f {path}", f"(cd . && {name} {path})"),
            )
        return self.pick(
            *(f"{there}{name} {words}", f"{there}{name} {words}", f"{name} {words}"),
            *(f"(cd {folder or '.'} && {name} {words})", f"{name} -C {folder or '.'} {words}"),
            *(f"timeout 60 {name} {words}", f"{name} {words} > /dev/null 2>&1", f"X=1 {name} {words} | tail -3"),
            *(f"if {name} {words}; then :; fi", f"g() {{ {name} {words}; }}; g"),
        )

    def written(self, path: str, text: str) -> str:
        """A script that leaves ``text`` in ``path``."""
        folder, _, file = path.rpartition("/")
        whole = quoted(text)
        form = text.replace("\\", "\\\\").replace("%", "%%").replace("\n", "\\n").replace("'", "'\\''")
        lines = text.split("\n")
        echoed = "; ".join(["echo " + quoted(line) for line in lines])
        made = f"mkdir -p {folder}; " if folder else ""
        there = f"cd {folder} && " if folder else ""
        back = f"; cd {'/'.join(['..'] * (folder.count('/') + 1))}" if folder else ""
        said, encoded = json.dumps(text), b64encode(text.encode()).decode()
        cut = text.find("evil") + 4
        pieces = f"{json.dumps(text[:cut])} + {json.dumps(text[cut:])}"
        first, second = ("\n".join(part) for part in (lines[:1], lines[1:]))
        if "\\" in text:
            echoed = f"printf '%s\\n' {whole}"
        return made + self.pick(
            f"printf -- '{form}\\n' > {path}",
            f"printf %s {whole} > {path}",
            f"echo {whole} > {path}" if "\\" not in text else f"printf '%s\\n' {whole} > {path}",
            f"cat > {path} <<'E'\n{text}\nE",
            f"cat <<'E' > {path}\n{text}\nE",
            f"tee {path} <<'E'\n{text}\nE",
            f"tee {path} > /dev/null <<'E'\n{text}\nE",
            f"printf '%s\\n' {whole} | tee {path}",
            f"printf '%s\\n' {whole} | tee -a other {path}",
            f"{{ {echoed}; }} > {path}",
            f"( {echoed} ) >> {path}",
            f"> {path}; printf '%s\\n' {whole} >> {path}",
            f"cat > {path} <<'E'\n{first}\nE\ncat >> {path} <<'E'\n{second or 'evil x'}\nE",
            f"printf '%s\\n' {whole} > t; cp t {path}",
            f"printf '%s\\n' {whole} > t && mv t {path}",
            f"printf '%s\\n' {whole} > t; mv -f t ./{path}",
            f"printf '%s\\n' {whole} > t; cat t > {path}",
            f"printf '%s\\n' {whole} > t; cat t >> {path}",
            f"printf '%s\\n' {whole} > t; cat < t > {path}",
            f"printf '%s\\n' {whole} > t; install -m 644 t {path}",
            f"printf '%s\\n' {whole} > t; dd if=t of={path}",
            f"printf '%s\\n' {whole} | dd of={path}",
            f"printf '%s\\n' {whole} > t; ln t {path}",
            f"printf '%s\\n' {whole} > t; ln -sf \"$PWD/t\" {path}",
            f"printf '%s\\n' {whole} > t; rsync t {path}",
            f"printf '%s\\n' {whole} > t; sed s/none/x/ t > {path}",
            f"printf '%s\\n' {whole} > t; tac t | tac > {path}",
            f"printf '%s\\n' {whole} > {file}.new; cp {file}.new t; mv t {path}",
            f"cp <(printf '%s\\n' {whole}) {path}" if self.bash_like() else f"printf '%s\\n' {whole} > {path}",
            f"cat <(printf '%s\\n' {whole}) > {path}" if self.bash_like() else f"printf '%s\\n' {whole} > {path}",
            f"cat > {path} <<< {whole}" if self.bash_like() else f"echo a > {path}; printf '%s\\n' {whole} > {path}",
            f"w() {{ printf '%s\\n' {whole} > {path}; }}; w",
            f"w() {{ printf '%s\\n' {whole} > \"$1\"; }}; w {path}",
            f'w() {{ printf \'%s\\n\' "$2" > "$1"; }}; w {path} {whole}',
            f"w() {{ cat > {path}; }}; w <<'E'\n{text}\nE",
            f"f={path}; printf '%s\\n' {whole} > $f",
            f"f={path}; printf '%s\\n' {whole} > \"$f\"",
            f"t={whole}; printf '%s\\n' \"$t\" > {path}",
            f"t={whole}; cat > {path} <<E\n$t\nE",
            f"for f in a {path}; do printf '%s\\n' {whole} > \"$f\"; done",
            f"exec 3> {path}; printf '%s\\n' {whole} >&3; exec 3>&-",
            f"bash -c {quoted(f'printf %s {whole} > {path}')}",
            f"sh <<'F'\nprintf '%s\\n' {whole} > {path}\nF",
            f"eval {quoted(f'printf %s {whole} > {path}')}",
            f"{there}printf '%s\\n' {whole} > {file}{back}",
            f"({there}cat > {file} <<'E'\n{text}\nE\n)",
            f"printf '%s\\n' NONE > {path}; sed -i {quoted(self.edit(text))} {path}",
            f"sed -i {quoted(self.edit(text))} {path}",
            f"sed -i.old -e {quoted(self.line(text))} {path}",
            f"printf '%s\\n' {quoted(self.line(text))} > e.sed; sed -i -f e.sed {path}",
            f"perl -pi -e {quoted(self.edit(text).replace('1s', 's').replace('@', chr(92) + '@'))} {path}",
            f"awk 'BEGIN {{ print ARGV[1] }}' {whole} > {path}" if "\\" not in text else f"printf %s {whole} > {path}",
            f'python3 -c \'import sys; open("{path}", "w").write(sys.argv[1])\' {whole}',
            f"python3 - <<'E'\nfrom pathlib import Path\nPath('{path}').write_text({said})\nE",
            f"python3 - <<'E'\nwith open('{path}', 'w') as f:\n    f.write({pieces})\nE",
            f"python3 - <<'E'\nt = {said}\nopen('{path}', 'w').write(t)\nE",
            f"node - <<'E'\nrequire('fs').writeFileSync('{path}', {said})\nE",
            f"node - <<'E'\nconst fs = require('fs')\nfs.appendFileSync('{path}', {pieces})\nE",
            f"sqlite3 :memory: \"select writefile('{path}', x'{text.encode().hex()}')\"",
            f'python3 -c \'import base64; open("{path}", "wb").write(base64.b64decode("{encoded}"))\'',
            f"perl -e 'print @ARGV' {whole} > {path}",
        )

    def edit(self, text: str) -> str:
        """An edit that puts ``text`` in the place of NONE."""
        made = text.replace("\\", "\\\\").replace("&", "\\&").replace("|", "\\|").replace("\n", "\\n")
        return self.pick(f"s|NONE|{made}|", f"1s|.*|{made}|", f"s|NONE|{made}|g", f"/a/!s|$|{made}|; s|b|c|")

    def line(self, text: str) -> str:
        """An order of sed that puts in the lines of ``text``."""
        made = text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
        address = self.pick("1", "$", "/^x:/", "/a/,/b/", "\\%x%", "2,$", "")
        between = "\\" if made[:1] == "\\" else self.pick(" ", "\\")  # sed takes one backslash away
        return f"{address}{self.pick('a', 'i', 'c')}{between}{made}"
