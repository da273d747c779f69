"""Functions that were never defined, were taken away again, or are not what a name runs."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, DROPPING, behind, inside, spelt


class FunctionInForce(Attack):
    """Attacks ``function-in-force``.

    A call of a function is safe because its body is judged where it stands, which claims that the name surely means
    that body. A name is looked for among functions before programs (POSIX 2.9.1.4), but a definition is a command
    like any other: an expansion error drops the rest of its line while the next line still runs (bash manual 3.7.1;
    tried), a subshell or a pipeline keeps it to itself, ``unset`` removes it behind any number of ``command`` and
    ``builtin``, and ``command``, ``exec``, ``env`` or ``xargs`` pass it by. Each script defines ``evil`` and then
    calls it.
    """

    ground = "function-in-force"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "busybox", "sh-zsh", "zsh", "ksh", "ksh93")

    def script(self) -> str:
        definition = self.defined(self.pick(":", "echo hi", "true; echo x", "cat a.txt", "A x", 'echo "$1"'))
        before = self.pick(*DROPPING) if self.chance(0.55) else self.pick(*DECOYS)
        first = before + self.pick("; ", "; ", "; ", " || true; ", "\n", " && ", " & ", " | ") + definition
        if self.chance(0.1):
            first = definition
        parts = [first]
        if self.chance(0.3):
            parts.append(self.pick(*DECOYS))
        if self.chance(0.3):
            parts.append(self.removed())
        parts.append(self.called())
        script = parts[0] + "".join(self.pick("\n", "\n", "\n", "; ") + part for part in parts[1:])
        return inside(self, script) if self.chance(0.4) else script

    def defined(self, body: str) -> str:
        plain = f"evil() {{ {body}; }}"
        if self.chance(0.6):
            return plain
        return self.pick(
            f"evil () {{\n{body}\n}}",
            f"evil() ( {body} )",
            f"evil() if true; then {body}; fi",
            f"function evil {{ {body}; }}",
            f"function evil() {{ {body}; }}",
            f"{{ {plain}; }}",
            f"( {plain} )",
            f"{plain} | cat",
            f"{plain} &",
            f"true | {plain}",
            f"{{ {plain}; }} | cat",
            f"false && {plain}",
            f"false || {plain}",
            f"true || {plain}",
            f"! {plain}",
            f"time {plain}",
            f"{plain} < nofile",
            f"{plain} > /dev/null",
            f"if false; then {plain}; fi",
            f"while false; do {plain}; done",
            f"for z in; do {plain}; done",
            f"g() {{ {plain}; }}",
            f"g() {{ {plain}; }}; g",
            f"g() {{ return; {plain}; }}; g",
            f"echo $({plain})",
            f"case a in b) {plain} ;; esac",
            f"{{ {plain}; }} < nofile",
            f"{{ {plain}; }} > nofolder/x",
            f"evil() {{ {body}; }}; evil() {{ B; }}",
            f"readonly -f evil; {plain}",
            f"eval '{plain}'",
            f"cat <<E\n$((1/0))\nE\n{plain}",
            f"\\\n{plain}",
        )

    def removed(self) -> str:
        unset = behind(self, "unset")
        return self.pick(
            f"{unset} evil",
            f"{unset} -f evil",
            f"{unset} -f -- evil",
            f"{unset} x y evil",
            f"x=evil; {unset} $x",
            "x=unset; $x evil",
            f"g() {{ {unset} evil; }}; g",
            f"( {unset} evil )",
            f"{unset} -v evil",
            f"eval '{unset} evil'",
            "alias evil=B",
            "unalias evil",
            "hash -r",
            "typeset -f evil > /dev/null",
            "export -n evil",
            "declare +f evil",
            f"{behind(self, 'unfunction')} evil",
            f"{behind(self, 'disable')} -f evil",
            f"for f in evil; do {unset} $f; done",
            f"{unset} nothing || true",
            f"trap '{unset} evil' DEBUG",
            "set -o posix",
            "shopt -s expand_aliases",
        )

    def called(self) -> str:
        evil = spelt(self, "evil")
        if self.chance(0.6):
            return evil
        return self.pick(
            f"{behind(self, 'evil')}",
            f"{evil} x | cat",
            f"x=1 {evil}",
            f"( {evil} )",
            f'echo "$({evil})"',
            f"command {evil}",
            f"exec {evil}",
            f"env {evil}",
            f"nohup {evil}",
            f"timeout 1 {evil}",
            f"nice {evil}",
            f"echo a | xargs {evil}",
            f"bash -c {evil}",
            "export -f evil; bash -c evil",
            f"{evil} &\nwait",
            f"! {evil}",
            f"if {evil}; then :; fi",
            f"time {evil}",
            f"stdbuf -oL {evil}",
            f"find . -name b.txt -exec {evil} ';'",
            "sub/../evil.sh",
            f"h() {{ {evil}; }}; h",
            "e\\\nvil",
            f"cat <({evil})",
            "coproc evil",
        )
