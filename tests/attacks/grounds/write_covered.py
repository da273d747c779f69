"""Files that start in the folder that may be written to and end somewhere else: of redirections and of programs."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.leak import RULES


class WriteCovered(Attack):
    """Attacks ``write-covered``.

    Rests on the target being resolved as the system does it: links are followed from left to right, ``..`` is taken
    behind the link (path_resolution(7)), and a relative name starts in the folder where the command stands. It breaks
    where a link is shortened away, where the folder is not the one that is believed, where expansion makes another
    name, and where a name inside the allowed folder is a link out of it.
    """

    ground = "write-covered"
    rules = RULES.replace("write_rule(", 'write_rule(delete="tree", ')
    shells = ("bash", "sh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        parts = []
        if self.chance(0.15):
            parts.append(self.setting())
        parts.append(self.command())
        if self.chance(0.25):
            parts.append(self.command())
        return self.joined(*parts)

    def setting(self) -> str:
        return self.pick(
            "cd sub", "cd out", "cd out/away", "cd link", "cd ./sub/..", "x=../x", "x=y", "x=away/z", "(cd sub)",
            "cd sub && cd ..", "pushd sub",
            "cd -P link", "cd link/..", "builtin cd sub", "command cd sub", "CDPATH=sub cd .", "cd missing",
            "HOME=sub; cd", "set -C", "cd -",
            "x=", "f() { cd sub; }; f", "eval 'cd sub'", "cd \"$x\"", "PWD=sub", "OLDPWD=sub; cd -", "x='../x'",
            "cd out; cd ..", "set -- sub",
        )  # fmt: skip

    def target(self) -> str:
        name = self.pick("n", "x", "a.txt", "new2", "b.c", "-n", "'x y'", "new", ".x")
        return self.pick(
            *[f"out/{name}", f"./out/{name}", f"out/./{name}"] * 22,
            f"./out/{name}", f"out//{name}", f"out/./{name}", f"out/../{name}", f"out/away/{name}",
            f"out/away/../{name}",
            f"out/away/../out/{name}", f"out/../out/{name}", f"link/../out/{name}", f"sub/../out/{name}",
            f"out/'../'{name}", f"out/..\\/{name}",
            f"out/{{{name},../y}}", f"out/$x{name}", "out/$x", '"out/$x"', f"out/${{x}}/{name}",
            f"out/$(echo {name})", f"out/*{name}", "out*/n",
            "[o]ut/n", "out/away*/n", "ou\\\nt/n", "out/..", "out", "out/", "out/away", f"../w/out/{name}",
            f"~/out/{name}", f"$PWD/out/{name}",
            "out/$'..'/x", "out/$'\\x2e\\x2e/x'", f"{{out,sub}}/{name}", "out/n{1..2}", "out/.//..//x",
            f"\"out\"/{name}", f"out/away/./{name}",
            f"./out/../out/{name}", f"out/x/../{name}", f"sub/out/{name}", f"OUT/{name}", f"out/{name}/../../x",
            f"./../w/out/{name}", "out/$1",
            f"out/{name}\\\n", "$'out/n\\0/../../x'", f"=out/{name}", "out/(n|x)", f"out/{name}~", "link/x", "out/~/x",
        )  # fmt: skip

    def redirect(self) -> str:
        return (
            self.pick(*[">"] * 20, ">>", ">>", ">|", "2>", "&>", ">&", "<>", "1>", "3>", "{v}>", "2>>", "&>>")
            + self.pick("", " ")
            + self.target()
        )

    def program(self) -> str:
        """A call of a program whose writes are known."""
        one, other = self.target(), self.target()
        source = self.pick("a.txt", "sub", "link", "out", "out/away", "*", "sub/*", "./*", ".", "missing", other, other)
        return self.pick(
            f"mkdir {one}", f"mkdir -p {one}", f"touch {one}", f"touch {one} {other}", f"echo x | tee {one}",
            f"tee -a {one} < a.txt", f"truncate -s 0 {one}", f"cp {source} {one}", f"cp -r {source} {one}",
            f"cp -a {source} {one}", f"cp {source} a.txt {one}", f"mv {source} {one}", f"mv {other} {source} {one}",
            f"ln -s {source} {one}", f"ln {source} {one}", f"ln -sf {source} {one}", f"ln -sfn {source} {one}",
            f"ln -s ../sub {one}", f"ln -s ../a.txt {one}", f"ln -s $PWD/sub {one}", f"ln -s ../out {one}",
            f"rm {one}", f"rm -f {one} {other}", f"rm -rf {one}", f"rm -r {one}", f"rm -d {one}", f"rmdir {one}",
            f"chmod +x {one}", f"chmod 600 {one}", f"sed -i s/a/b/ {one}", f"sed -i -e 's/x/y/;p' {one} {other}",
            f"sort -o {one} a.txt", f"install -m 644 {source} {one}", f"install -d {one}", f"cp -rT {source} {one}",
            f"tar -cf {one} {source}", f"tar -xf {source} -C {one}", f"tar -C sub -cf {one} .",
        )  # fmt: skip

    def command(self) -> str:
        if self.chance(0.4):
            return self.any_of(self.program, self.in_folder)
        return self.redirecting()

    def in_folder(self) -> str:
        """A program's call in another folder, or after one that changes what its words name."""
        run = self.program()
        return self.pick(
            f"cd {self.pick('sub', 'out', 'link', 'missing', 'out/away', '..')} && {run}",
            f"cd {self.pick('sub', 'out', 'link', 'missing')}; {run}",
            f"(cd out; {run})",
            f"{self.program()} && {run}",
            f"{self.program()}; {self.program()}; {run}",
            f"for d in out out/n sub; do {run}; done",
            f"env -C out {run}",
            f"d=out; {run}",
            f"{run} > {self.target()}",
            f"{self.program()}; echo x > {self.target()}",
        )

    def redirecting(self) -> str:
        run = self.pick("A x", "ls a.txt", "echo hi", "cat a.txt", ":", "", "B | cat")
        redirect = self.redirect()
        return self.pick(
            *[f"{run} {redirect}"] * 9,
            f"{redirect} {run}",
            f"( cd {self.pick('sub', 'out', 'link', '.')} && {run or ':'} {redirect} )",
            f"{{ {run or ':'}; }} {redirect}",
            f"cd {self.pick('sub', 'out', 'link', 'missing')} || {run or ':'} {redirect}",
            f"cd {self.pick('sub', 'out', 'link', 'missing')}; {run or ':'} {redirect}",
            f"for d in sub out; do cd $d; {run or ':'} {redirect}; done",
            f"bash -c '{run or ':'} {redirect}'" if "'" not in redirect else f"{run} {redirect}",
            f"cd sub | {run or ':'} {redirect}",
            f"cd sub & {run or ':'} {redirect}",
            f"if cd sub; then :; fi; {run or ':'} {redirect}",
            f"env -C sub sh -c '{run or ':'} {redirect}'" if "'" not in redirect else f"{run} {redirect}",
            f"f() {{ {run or ':'} {redirect}; }}; cd sub; f",
            f"{run or ':'} {redirect} {self.redirect()}",
        )
