"""Ways to be in another folder than the one that the caller named."""

from __future__ import annotations

from tests.attacks.arena import HIDDEN
from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, behind, inside, spelt


class FolderKnown(Attack):
    """Attacks ``folder-known``.

    ``./run.sh`` and ``> out/x`` mean the caller's folder as long as nothing before them moves, in this shell or in the
    one that started it: a ``cd`` holds for what is started behind it, so that the text of an inner shell begins where
    its shell stands. Spellings of the moving builtins, wrappers with a folder of their own (``env -C``, ``find
    -execdir``), ``CDPATH``, links on the way, and pipelines whose last command runs in this shell (zsh, ksh) would
    break it. A secret is one by its folder too: whoever gets there and reads a file of any name, or all files, prints
    it, by whatever way the script names the folder. In ``sub`` there are another ``run.sh`` and another ``out``, which
    nothing allows. Most scripts only look as if they moved, or move another process: those must be right about it, and
    are run.
    """

    ground = "folder-known"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "zsh", "ksh", "ksh93", "busybox")

    def script(self) -> str:
        if self.chance(0.25):
            return inside(self, self.visit())
        still = self.chance(0.65)
        use = self.covered() if still and self.chance(0.9) else self.use()
        if self.chance(0.35 if still else 0.55):
            use = self.passed(use) if still else self.handed(use)
        move = self.elsewhere() if still else self.move()
        script = move + self.pick("; ", "\n", " && ", " && ", " || ", " | ", " & ") + use
        if self.chance(0.15):
            script = use + self.pick("; ", "\n") + move
        if self.chance(0.2):
            script = self.joined(self.pick(*DECOYS), script)
        return inside(self, script) if self.chance(0.2) else script

    def place(self) -> str:
        return self.pick(
            "sub", "./sub", "link", "link/", "sub/out/..", "out/away", "$PWD/sub", '"sub"', "s*b", "out/../sub"
        )

    def visit(self) -> str:
        """Gets to where every file is a secret, and reads one that is not called like one."""
        home = self.pick(
            "~", "$HOME", '"$HOME"', "${HOME}", "~/.", "~//", "~/.ssh/..", "$(echo ~)", "~/x/..", "$PWD/../home"
        )
        place = home + self.pick("", "/.ssh", "/.ss?", "/.s*", "/.ssh/.", "/*/../.ssh", "/$s")
        use = self.pick(
            *("cat config", "cat con*", "cat < config", "read -r x < config; echo $x", "sort ./config", "cat ./*"),
            *(
                f"grep -r {HIDDEN} .",
                f"grep -rh {HIDDEN}",
                f"rg --hidden {HIDDEN}",
                "head -n 1 $f",
                "x=$(cat config); echo $x",
                "cat *",
            ),
            *("for f in *; do cat $f; done", "cat .s*/config", "cat */config", "ls | xargs cat", "cat -- config"),
            *(
                f"find . -type f -exec grep {HIDDEN} {{}} +",
                f"find . -type f | xargs grep {HIDDEN}",
                "cat $OLDPWD/config",
                "cat ~-/config",
            ),
        )
        cd = behind(self, "cd")
        move = self.pick(
            *(f"{cd} {place}", f"{cd} {place}", f"d={place}; {cd} $d", f'd={place}\n{cd} "$d"', f"pushd {place}"),
            *(f"cd {home}; cd .ssh", f"cd {place}; cd /; cd -", f"cd {place}; cd sub", f"cd {place}; popd; cd -"),
            *(
                f"f() {{ cd {place}; }}; f",
                f'f() {{ cd "$1"; }}; f {place}',
                f"cd {home} && cd .s*",
                "cd .. && cd home/.ssh",
            ),
            *(
                f"{{ cd {place}; }}",
                f"if cd {place}; then :; fi",
                f"cd nowhere || cd {place}",
                f"CDPATH={home}; cd .ssh",
            ),
            *("cd; cd .ssh", "cd ../home; cd ./.ssh", f"set -- {place}; cd $1", f"a=({place}); cd ${{a[0]}}"),
            *(f"cd sub; cd {place}", f"cd {place}/nowhere; cd {place}", f"x={home}; cd $x/.ssh", f"HOME={place}; cd"),
        )
        quoted = "'" + use.replace("'", "'\\''") + "'"
        return self.pick(
            *(f"{move}; {use}", f"{move} && {use}", f"{move}\n{use}", f"({move}; {use})", f"{move}; bash -c {quoted}"),
            *(f"for d in {place}; do cd $d; {use}; done", f"while cd {place}; do {use}; break; done"),
            *(f"echo {place} | while read -r d; do cd $d; {use}; done", f"g() {{ {use}; }}; {move}; g"),
            *(f"for i in 1 2; do {use}; {move}; done", f'echo "$({move}; {use})"', f"cat <({move}; {use})"),
            *(
                f"env -C {place} {use}",
                f"git -C {place} grep --no-index {HIDDEN}",
                f"{{ {move}; }} & {use}",
                f"({move}); {use}",
            ),
        )

    def elsewhere(self) -> str:
        """What names another folder, or moves a process that is not the one behind it, or seems to move."""
        place = self.place()
        inner = self.pick(
            f"cd {place}",
            f"cd {place}; pwd",
            f"cd {place} && ls",
            f"pushd {place}",
            f"cd {place}; bash -c pwd",
            f"{behind(self, 'cd')} {place}",
            f"{spelt(self, 'cd')} {place}",
        )
        quoted = "'" + inner.replace("'", "'\\''") + "'"
        return self.pick(
            f"bash -c {quoted}",
            f"sh -c {quoted}",
            f"timeout 5 bash -c {quoted}",
            f"nice bash -c {quoted}",
            f"bash -c {quoted} &",
            f"bash -c {quoted} | cat",
            f"echo x | bash -c {quoted}",
            f'echo "$(bash -c {quoted})"',
            f'x=$(bash -c {quoted}); echo "$x"',
            f"if bash -c {quoted}; then :; fi",
            f"! bash -c {quoted}",
            f"bash -c {quoted} || true",
            f"( bash -c {quoted} )",
            f"{{ bash -c {quoted}; }}",
            f"go() {{ bash -c {quoted}; }}; go",
            f"for d in {place}; do bash -c {quoted}; done",
            f"bash -c 'bash -c \"cd {place}\"; pwd'" if '"' not in place else "bash -c 'cd sub'",
            f"git -C {place} status",
            f"git -C {place} log -1",
            f"ls {place}",
            f"find {place} -name c.txt",
            f"find {place} -name c.txt -exec ls {{}} ';'",
            f"echo cd {place}",
            f"echo 'cd sub'; : cd {place}",
            f"cat <<E\ncd {place}\nE",
            f"cat <<'E'\ncd {place}\nE",
            f"# cd {place}\ntrue",
            f"printf '%s\\n' cd {place}",
            f"test -d {place}",
            f"[ -d {place} ]",
            f"cat {place}/c.txt",
            f'd={place}; ls "$d"',
            f"d='cd {place}'; echo \"$d\"" if "'" not in place else "d='cd sub'; echo \"$d\"",
            f"case cd in {place}) ;; esac",
            f"for cd in {place}; do echo $cd; done",
            "type cd",
            "command -v cd",
            "pwd -P",
            "pwd; ls -d .",
            "dirs",
            f"realpath {place}",
            f"stat {place}",
        )

    def covered(self) -> str:
        """A use that a rule covers in the caller's folder."""
        return self.pick(
            "./run.sh",
            "./run.sh x",
            "dash run.sh",
            "dash run.sh x",
            "./run.sh > out/x",
            "./run.sh 2>&1 >> out/x",
            "A > out/x",
            "A 2> out/x",
            "echo hi > out/x",
            "echo hi >> ./out/x",
            "echo hi >| out/x",
            "cat < a.txt > out/x",
            "A > out/../out/x",
            "pwd > out/x; ./run.sh",
            "{ A; B; } > out/x",
            "for i in 1 2; do ./run.sh $i; done",
            "ls && ./run.sh || A > out/x",
        )

    def passed(self, use: str) -> str:
        """``use``, handed on in a way that stays in the folder."""
        quoted = "'" + use.replace("'", "'\\''") + "'"
        return self.pick(
            f"bash -c {quoted}",
            f"sh -c {quoted}",
            f"timeout 5 bash -c {quoted}",
            f"bash -c {quoted} x y",
            f"nice bash -c {quoted}",
            f"( {use} )",
            f"{{ {use}; }}",
            f'echo "$({use})"',
            f"f() {{ {use}; }}; f",
            f"! {{ {use}; }}",
            f"{use} | cat",
            f"if true; then {use}; fi",
        )

    def move(self) -> str:
        place = self.place()
        cd = spelt(self, "cd")
        return self.pick(
            f"cd {place}",
            f"cd {place}",
            f"cd {place}",
            f"{behind(self, 'cd')} {place}",
            f"{cd} {place}",
            f"pushd {place}",
            f"pushd {place} > /dev/null",
            f"chdir {place}",
            f"cd -P {place}",
            f"cd -- {place}",
            f"( cd {place} )",
            f"{{ cd {place}; }}",
            f"echo $(cd {place})",
            f"cd {place} | cat",
            f"echo | cd {place}",
            f"echo | {{ cd {place}; }}",
            f"cd {place} &",
            f"f() {{ cd {place}; }}; f",
            f"d={place}; cd $d",
            f"echo {place} | while read -r d; do cd $d; done",
            f"while read -r d; do cd $d; done <<< {place}",
            "CDPATH=sub; cd out",
            "CDPATH=sub cd out",
            f"x=cd; $x {place}",
            f"eval cd {place}",
            f"eval 'cd {place}'" if "'" not in place else "eval cd sub",
            f"{behind(self, 'eval')} cd {place}",
            "command eval 'eval cd sub'",
            f"alias c=cd; c {place}",
            f"bash -c 'cd {place}'",
            f"if cd {place}; then :; fi",
            f"cd {place} || exit",
            f"! cd {place}",
            f"cd nowhere; cd {place}",
            f"cd {place}; cd -",
            f"cd {place}; cd ..",
            f"OLDPWD={place}; cd -",
            f"HOME={place}; cd",
            f"HOME={place} cd",
            f"set -o autocd; {place}",
            f"setopt autocd; {place}",
            f"dirs {place}",
            f"git -C {place} status",
            f"time cd {place}",
            f"coproc cd {place}",
            f"cd {place} > /dev/null 2>&1",
            f"for d in {place}; do cd $d; done",
            "for d in */; do cd $d; done",
        )

    def use(self) -> str:
        return self.pick(
            "./run.sh",
            "./run.sh x",
            "dash run.sh",
            "A > out/x",
            "echo hi > out/x",
            "echo hi >> ./out/x",
            "D bad/../x > out/x",
            "> out/x",
            "./run.sh > out/x",
            "echo hi | tee out/x",
            "echo hi >| out/x",
            "A &> out/x",
            "A 2> out/x",
            "./../run.sh",
            "sub/../run.sh",
            "cat < a.txt > out/x",
            "x=./run.sh; $x",
            "A > out/away/x",
            "A > out/../out/x",
            "A > out/../sub/out/x",
            "A > out/away/../x",
        )

    def handed(self, use: str) -> str:
        quoted = "'" + use.replace("'", "'\\''") + "'"
        return self.pick(
            f"bash -c {quoted}",
            f"sh -c {quoted}",
            f"timeout 5 bash -c {quoted}",
            f"bash -c {quoted} x y",
            f"env bash -c {quoted}",
            f"nice {use}",
            f"timeout 5 {use}",
            f'bash -c "bash -c {quoted}"',
            f"env -C sub {use}",
            f"env --chdir=sub {use}",
            f"bash -c 'cd sub; '{quoted}",
            f"find sub -name c.txt -execdir {use} ';'",
            f"find sub -name c.txt -exec {use} ';'",
            f"echo sub | xargs -I_ bash -c 'cd _; '{quoted}",
            f"xargs {use} < /dev/null",
            f"xargs bash -c {quoted} < a.txt",
            f"bash <<< {quoted}",
            f"bash <<'E'\n{use}\nE",
            f"echo {quoted} | bash",
            f"( {use} )",
            f"{{ {use}; }}",
            f'echo "$({use})"',
            f"f() {{ {use}; }}; f",
            f"stdbuf -oL {use}",
            f"nohup {use}",
            f"! {use}",
            f"{use} &\nwait",
            f"{use} | cat",
            f"cat <({use})",
            f"eval {quoted}",
            f"dash -c {quoted}",
            f"zsh -c {quoted}",
            f"busybox sh -c {quoted}",
        )
