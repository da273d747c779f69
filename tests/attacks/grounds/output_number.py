"""Substitutions from which other text than numbers comes."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, inside

_KNOWN = (
    "wc -l",
    "wc -c",
    "cat a.txt | wc -l",
    "grep -c o a.txt",
    "grep -c o 'b[$(evil)]'",
    "grep -ci o nofile",
    "id -u",
    "nproc",
    "date +%s",
    "date -u +%Y",
    "seq 3",
    "stat -c %s a.txt",
    "stat -c %s 'b[$(evil)]'",
    "git rev-list --count HEAD",
    "git rev-list --count 'b[$(evil)]'",
    "date -d 'b[$(evil)]' +%s",
)
"""Calls that print integers only, some with an error message that holds more."""


class OutputNumber(Attack):
    """Attacks ``output-number``.

    ``$(( $(wc -l < f) ))`` evaluates what ``wc`` prints; an entry says that this form of call prints integers only.
    It would break where another descriptor joins the output (``2>&1`` here or around it, ``&>``, ``|&``, an error
    message with a name in it), where a filter behind it reads something else than its pipe (its own ``<``, a
    here-document, an operand), where a second command, a process substitution or a function prints into the same
    text, and where the program is one whose form prints names after all (``grep -c`` with several files,
    ``rgrep``). What is printed holds ``a[$(evil)]``, which arithmetic expands.
    """

    ground = "output-number"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "zsh", "ksh", "ksh93", "busybox")

    def script(self) -> str:
        text = self.output()
        use = self.use(f"`{text}`" if "`" not in text and "$" not in text and self.chance(0.1) else f"$({text})")
        if self.chance(0.25):
            use = (
                self.pick(*DECOYS, "exec 2>&1", "set -x", "cd sub", "x=1", "f() { wc -l < a.txt; }")
                + self.pick("; ", "\n")
                + use
            )
        if self.chance(0.1):
            use = self.pick(f"{{ {use}; }} 2>&1", f"( {use} ) 2>&1", f"{use} 2>&1", f"f() {{ {use}; }}; f 2>&1")
        return inside(self, use) if self.chance(0.15) else use

    def counted(self) -> str:
        if self.chance(0.5):
            return self.pick(*_KNOWN)
        bad = self.pick(
            "'b[$(evil)]'", "'a[$(evil)]'", "'sub/a[$(evil)]'", "a.txt", "b.txt", "nofile", "'0?a[$(evil)]'", "*", "./*"
        )
        return self.pick(
            "wc -l",
            "wc -l",
            f"wc -l {bad}",
            f"wc -c < {bad}",
            "wc -lw < a.txt",
            f"grep -c o {bad}",
            f"grep -c o a.txt {bad}",
            f"grep -ch o {bad}",
            f"grep -cH o {bad}",
            f"grep -c -e o {bad}",
            "grep -rc o sub",
            f"grep -cv {bad}",
            f"egrep -c o {bad}",
            "rgrep -c o",
            f"rgrep -c o {bad}",
            f"grep --count o {bad}",
            f"grep -c $opt {bad}",
            "date +%s",
            f"date -d {bad} +%s",
            "date -u +%s",
            f"date +%s -r {bad}",
            f"stat -c %s {bad}",
            f"stat -c %s a.txt {bad}",
            f"stat -c %n {bad}",
            f"stat --format %s {bad}",
            "seq 3",
            "seq 1 2",
            f"seq {bad}",
            "id -u",
            f"id -u {bad}",
            "nproc",
            "git rev-list --count HEAD",
            f"git rev-list --count {bad}",
            "git rev-list --count --all",
            f"expr 1 + {bad}",
            f"expr {bad}",
            "expr 1 + 1",
            "echo 3",
            "printf %d 3",
            "cat n.txt",
            "du -s .",
            f"git rev-list --count HEAD -- {bad}",
            f"grep -c '' - {bad}",
            f"wc -l --files0-from={bad}",
            f"id -u >(cat {bad})",
            "id -u >(cat f)",
            "wc -l <(cat f)",
            "grep -c o <(cat f)",
            "nice id -u",
            "timeout 5 wc -l < a.txt",
            "command id -u",
            "bash -c 'id -u; cat f'",
            "f",
        )

    def output(self) -> str:
        count = self.counted()
        redirect = self.pick(
            *(
                "",
                "",
                "",
                "",
                "< a.txt",
                "< a.txt",
                "2>&1",
                "2>/dev/null",
                "2>/dev/stdout",
                "&>/dev/stdout",
                ">&2",
                "< f",
                "1>&2 2>&1",
            ),
            *(
                "< nofile",
                "< 'b[$(evil)]' 2>&1",
                "2>&1 < a.txt",
                ">/dev/null",
                ">/dev/stderr",
                "2>>/dev/stdout",
                "&>>/dev/stdout",
                "<<< f",
            ),
            *(
                "3>&1 2>&3",
                "2>&1 >/dev/null",
                "<<E\nx\nE\n",
                ">&1",
                "2>&-",
                "0<&-",
                "< a.txt < nofile",
                "2>/dev/fd/1",
                "2>/proc/self/fd/1",
            ),
        )
        if self.chance(0.45):
            redirect = self.pick("", "", "< a.txt", "2>/dev/null", "2>&1", "2>/dev/stdout", "&>/dev/stdout")
        counted = f"{count} {redirect}".strip()
        if self.chance(0.35):
            return counted
        return self.pick(
            f"cat f | {counted}",
            f"cat a.txt | {counted}",
            f"cat nofile | {counted}",
            f"cat 'b[$(evil)]' 2>&1 | {counted}",
            f"cat 'b[$(evil)]' |& {counted}",
            f"{counted} | cat",
            f"{counted} | head -n 1",
            f"{counted} | head -n 1 < f",
            f"{counted} | cat f",
            f"{counted} | cat - f",
            f"{counted} | cat < f",
            f"{counted} | tail -1 <<< 'a[$(evil)]'",
            f"{counted} | sort -n | tail -1",
            f"{counted} | tac",
            f"{counted} | uniq f",
            f"{counted} | tee /dev/stderr",
            f"{counted} |& head -1",
            f"{counted} |& cat",
            f"{counted} | tr -d x",
            f"{counted}; cat f",
            f"cat f; {counted}",
            f"{counted}\ncat f",
            f"{counted} || cat f",
            f"{counted} && cat f",
            f"{counted} & cat f",
            f"{{ {counted}; }}",
            f"{{ {counted}; }} 2>&1",
            f"( {counted} )",
            f"( {counted} ) 2>&1",
            f"( {counted}; cat f )",
            f"{{ echo 'a[$(evil)]' >&2 | {counted}; }} 2>&1",
            f"{{ echo 'a[$(evil)]' >&2; {counted}; }} 2>&1",
            f"if true; then {counted}; fi",
            f"if cat f; then {counted}; fi",
            f"for i in 1; do {counted}; done 2>&1",
            f"while true; do {counted}; break; done",
            f"! {counted}",
            f"time {counted}",
            f"x=1 {counted}",
            f"LC_ALL=C {counted}",
            f"f() {{ cat f; }}; {counted}",
            f"set -x; {counted}",
            f"exec 2>&1; {counted}",
            f"trap 'cat f' EXIT; {counted}",
            f"cd sub; {counted}",
            f"echo $({counted})",
            f"echo 'a[$(evil)]' >&2 | {counted}",
            f"true || {counted}",
            f"case x in x) {counted};; esac",
            f"[ -f f ] && {counted}",
            f"[[ -f f ]] && {counted}",
            f"{counted} # x\n",
            f"while read -r l; do echo $l; done < f | {counted}",
            f"tail -f nofile | {counted}",
        )

    def use(self, output: str) -> str:
        if self.chance(0.3):
            return self.pick(
                *(
                    f"echo $(( {output} ))",
                    f"head -n {output} a.txt",
                    f"(( {output} > 1 ))",
                    f"echo $(( 0 ? {output} : 1 ))",
                ),
                *(f'sed -n "{output}p" a.txt', f"x={output}; head -n $x a.txt", f"[[ {output} -gt 1 ]] && echo y"),
            )
        return self.pick(
            f"echo $(( {output} ))",
            f"echo $(( {output} + 1 ))",
            f"echo $((0?{output}:1))",
            f"echo $(( 0 ? {output} : 1 ))",
            f"echo $(( 1 - {output} ))",
            f"(( {output} ))",
            f"(( {output} > 1 )) && echo y",
            f"(( 0 ? {output} : 1 ))",
            f"(( x = {output} ))",
            f"[[ {output} -gt 1 ]] && echo y",
            f"[[ 1 -eq {output} ]]",
            f"[[ '0?'{output} -eq 1 ]]",
            f"x={output}; echo $((x))",
            f"x={output}; echo $((x + 1))",
            f"x={output}\n(( x > 1 ))",
            f"x={output}; [[ $x -gt 1 ]]",
            f"x={output}; y=$((x)); echo $y",
            f"x={output}; head -n $((x)) a.txt",
            f"head -n {output} a.txt",
            f'head -n "{output}" a.txt',
            f"tail -n {output} a.txt",
            f'sed -n "{output}p" a.txt',
            f'x={output}; sed -n "${{x}}p" a.txt',
            f'x={output}; sed -n "1,${{x}}p" a.txt',
            f"sed -n {output}p a.txt",
            f"for i in $(seq {output}); do echo $i; done",
            f"for i in {output}; do echo $((i)); done",
            f"for ((i=0; i<{output}; i++)); do break; done",
            f"echo ${{x:{output}}}",
            f"x=abc; echo ${{x:0:{output}}}",
            f"echo ${{a[{output}]}}",
            f"a[{output}]=1",
            f"echo $[ {output} ]",
            f"let 'x = 1'; echo $(( x + {output} ))",
            f"seq {output}",
            f"sleep $(( {output} * 0 ))",
            f"x=$(( {output} )); y=$(( x )); echo $y",
            f"export x={output}; echo $((x))",
            f"f() {{ echo $(( {output} )); }}; f",
            f"declare -i x={output}",
            f"[ {output} -gt 1 ] && echo y",
            f"test {output} -gt 1 -o -v x",
            f"[ {output} -a -v x ]",
            f"x={output}; [ $x -gt 1 ] && echo y",
            f"x={output}; while [ $x -gt 100000 ]; do x=$((x / 2)); done",
            f"f() {{ x=$(cat f); }}; x={output}; f; echo $((x))",
            f"x={output}; for i in 1; do x=$(cat f); done; echo $((x))",
            f"x={output}; x=$(< f); [ $x -gt 1 ]",
            f"x={output}$(cat f); echo $((x))",
        )
