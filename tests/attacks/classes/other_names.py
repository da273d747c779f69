"""A forbidden program under another name: the script copies it, links to it or moves it, and runs that."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.leak import FORBIDDING
from tests.attacks.phrases import ENDING_DECOYS

_MORE = 'prefix_rule(pattern=[["cd", "export", "hash", "which", "gunzip", "python3", "perl"]])\n'


class OtherNames(Attack):
    """Attacks the promise that what is forbidden is found under whatever name the script gives it.

    The program itself, or one that runs it, is made under other names, once or several times, in the ways of programs,
    of inner shells and of program texts, and called by a path, by a name, or behind another program.
    """

    ground = "other-names"
    rules = FORBIDDING + _MORE
    forbids = True
    shells = ("bash", "zsh", "ksh", "sh")

    def script(self) -> str:
        self.evident = True
        program, rest = self.random.choice(
            (("evil", "x"), ("evil", "x y"), ("sh", "-c 'evil x'"), ("env", "evil x"), ("nice", "evil x"))
        )
        found = self.pick(
            *(f"../bin/{program}", f'"$(command -v {program})"', f"$(which {program})", f"$(command -v {program})"),
            *((f'"$(type -P {program})"',) if self.shell == "bash" else ()),
            *(("$p/" + program, f'"$p"/{program}')),
        )
        folder, base = self.pick("out/", "out/", "", "sub/"), self.pick("f", "g-1", "tool", "x.bin", "d/e")
        made = f"{folder}{base}"
        lines = ["p=../bin"] if "$p" in found else []
        lines.append(self.pick(f"mkdir -p {made.rpartition('/')[0] or '.'}", "mkdir -p out/d sub/d d"))
        for step in range(self.random.choice((1, 1, 1, 2, 3))):
            new = made if step == 0 else f"out/n{step}"
            if step == 0 and self.chance(0.3):  # a program of the script's own, under as many names
                rest = ""
                lines.append(self._writing(new))
            else:
                lines.append(self._making(found, new, first=step == 0, program=program))
            found, made = new, new
        if self.chance(0.2):
            lines.insert(self.random.randrange(len(lines) + 1), self.pick(*ENDING_DECOYS))
        lines.append(self._read(made) if rest == "" and self.chance(0.5) else self._calling(made, rest or "x"))
        if self.chance(0.2):
            lines.append(self.pick(f"cp a.txt {made}", f"rm {made}", f"ln -sf /bin/true {made}"))
        return self.joined(*lines)

    def _making(self, found: str, made: str, *, first: bool, program: str) -> str:
        folder, _, base = made.rpartition("/")
        executable = f"chmod +x {made}"
        ways = [
            *(
                f"cp {found} {made}",
                f"cp -L -- {found} {made}",
                f"cp -f {found} ./{made}",
                f"command cp {found} {made}",
            ),
            *(f"install -m 755 {found} {made}", f"install {found} {made}", f"env cp {found} {made}"),
            *(f"cat {found} > {made}; {executable}", f"cat < {found} > {made} && {executable}"),
            *(f"tee {made} < {found} > /dev/null; {executable}", f"cat {found} | tee {made} > /dev/null; {executable}"),
            *(f"dd if={found} of={made}; {executable}", f"cat {found} | cat > {made}; {executable}"),
            *(f"{{ cat {found}; }} > {made}; {executable}", f"base64 {found} | base64 -d > {made}; {executable}"),
            *(f"gzip -c {found} > {made}.gz; gunzip {made}.gz; {executable}", f"q={made}; cp {found} $q"),
            *(f"q={found}; cp $q {made}", f"for q in {found}; do cp $q {made}; done", f'q={made}; cp {found} "$q"'),
            *(f"busybox cp {found} {made}", f"echo {found} {made} | xargs cp", f"eval 'cp {found} {made}'"),
            *(f"g() {{ cp {found} {made}; }}; g", f'g() {{ cp "$1" "$2"; }}; g {found} {made}'),
            *(f"( cp {found} {made} )", f"cp {found} {made} & wait", f"if true; then cp {found} {made}; fi"),
        ]
        if folder:
            ways += [f"cp {found} {folder}/b{base}; mv {folder}/b{base} {made}", f"q={folder}; cp {found} $q/{base}"]
        else:
            ways += [f"ln -s {found} {made}", f"ln -sf {found} ./{made}"]
        if not first:
            ways += [f"mv {found} {made}", f"ln -f {found} {made}", f'ln -sf "$PWD/{found}" {made}']
        if "'" not in found and "$" not in found:
            ways += [f"bash -c 'cp {found} {made}'", f"sh -c 'cat {found} > {made}'; {executable}"]
            ways += [f'python3 -c \'import shutil; shutil.copy("{found}", "{made}")\'; {executable}']
            ways += [f'python3 -c \'import os; os.symlink(os.path.realpath("{found}"), "{made}")\'']
            ways += [f'perl -e \'use File::Copy; copy("{found}", "{made}")\'; {executable}']
        if first and program == "evil":
            ways += [f"find ../bin -name evil -exec cp {{}} {made} \\;"]
        return self.pick(*ways)

    def _writing(self, made: str) -> str:
        folder, _, base = made.rpartition("/")
        text = self.pick("evil x", "#!/bin/sh\nevil x", "true\nevil x y", 'x=evil\n"$x" y')
        printed = self.pick(f"printf '%s\\n' '{text}'", f"cat <<'E'\n{text}\nE\n", f"echo '{text}'")
        written = f"cat > {made} <<'E'\n{text}\nE" if "<<" in printed else f"{printed} > {made}"
        ways = [written, f"printf '%s\\n' '{text}' | tee {made} > /dev/null", f"printf '%s\\n' '{text}' | dd of={made}"]
        ways += [f"q={made}; printf '%s\\n' '{text}' > $q", f"q={made}; printf '%s\\n' '{text}' > \"$q\""]
        ways += [f"{{ printf '%s\\n' '{text}'; }} > {made}", f"g() {{ printf '%s\\n' '{text}' > {made}; }}; g"]
        ways += [
            f"g() {{ printf '%s\\n' '{text}' > \"$1\"; }}; g {made}",
            f"exec 4> {made}; printf '%s\\n' '{text}' >&4",
        ]
        ways += [f"install -m 755 /dev/stdin {made} <<'E'\n{text}\nE", f"cp /dev/stdin {made} <<'E'\n{text}\nE"]
        if '"' not in text and "\n" not in text:
            ways += [f'bash -c "echo {text} > {made}"', f'eval "echo {text} > {made}"']
            ways += [f'python3 -c \'open("{made}", "w").write("{text}")\'']
            ways += [f'perl -e \'open F, ">{made}"; print F "{text}"\'']
            ways += [self._in_pieces(text, made) for _ in range(4)]
        if folder:
            ways += [f"q={folder}; printf '%s\\n' '{text}' > $q/{base}"]
            ways += [f"(cd {folder}; printf '%s\\n' '{text}' > {base})"]
        return self.pick(*ways) + f"\nchmod +x {made}"

    def _in_pieces(self, text: str, made: str) -> str:
        """Each half of the text by a writer of its own, some in other shells."""
        half = self.random.randrange(1, len(text))
        first, second = (part.replace(" ", "\\ ") for part in (text[:half], text[half:]))
        first, second = f"printf %s {first}", f"echo {second}"
        return f"{self._piece(first, '>', made)}; {self._piece(second, '>>', made)}"

    def _piece(self, printing: str, sign: str, made: str) -> str:
        written = f"{printing} {sign} {made}"
        return self.pick(
            *(written, f"sh -c '{written}'", f"eval '{written}'", f"sh -c 'sh -c \"{written}\"'"),
            *(f"({printing}) {sign} {made}", f"bash -c '{printing}' {sign} {made}"),
            f"exec 4{sign} {made}; {printing} >&4",
        )

    def _read(self, made: str) -> str:
        """A shell that is told to read the file, by one of its names."""
        folder, _, base = made.rpartition("/")
        path = self.pick(made, f"./{made}", f'"$PWD/{made}"', f"$PWD/{made}", "$q", '"$q"', base)
        front = f"q={made}; " if "$q" in path else f"cd {folder or '.'}; " if path == base else ""
        reading = ("sh", "bash", "dash", "env sh", "timeout 5 sh", "sh -e", "bash --")
        return front + self.pick(
            *[f"{shell} {path}" for shell in reading],
            *(f"sh < {path}", f"cat {path} | sh", f"cat < {path} | bash", f'eval "$(cat {path})"', f". ./{made}"),
            *(
                f'sh -c "$(cat {path})"',
                f"sed 's/zz/y/' {path} | sh",
                f"head -n 9 {path} | sh",
                f"tac {path} | tac | sh",
            ),
            *(f"for k in {path}; do sh $k; done", f"k={path}; sh $k", f'h() {{ sh "$1"; }}; h {path}'),
        )

    def _calling(self, made: str, rest: str) -> str:
        folder, _, base = made.rpartition("/")
        path = made if folder else f"./{made}"
        return self.pick(
            *(f"{path} {rest}", f"./{made} {rest}", f'"$PWD/{made}" {rest}', f"$PWD/{made} {rest}"),
            *(f"{path} {rest} > out/log", f"env {path} {rest}", f"timeout 5 {path} {rest}", f"command {path} {rest}"),
            *(f"q={path}; $q {rest}", f"for q in {path}; do $q {rest}; done", f"if true; then {path} {rest}; fi"),
            *(f'sh -c "{path} {rest}"', f'eval "{path} {rest}"', f"h() {{ {path} {rest}; }}; h"),
            *(f"PATH={folder or '.'}:$PATH; {base} {rest}", f'export PATH="$PWD/{folder}:$PATH"; {base} {rest}'),
            *(f"PATH=$PWD/{folder}:$PATH; {base} {rest}", f"PATH={folder or '.'} {base} {rest}"),
            *(f"cd {folder or '.'}; ./{base} {rest}", f"cd {folder or '.'} && ./{base} {rest}"),
        )
