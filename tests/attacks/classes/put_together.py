"""What is forbidden, by a name that the shell or a program puts together."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.leak import FORBIDDING
from tests.attacks.phrases import DECOYS, inside


class PutTogether(Attack):
    """Attacks the promise that what is forbidden is found, where its name stands nowhere.

    ``evil`` is made by variables, arrays, loops, options and patterns of the shell, or printed by a program, and then
    used as a command, handed to a shell, written to a file that is run, or given to a program that runs it. What the
    reader follows must be forbidden; what only running would show (``fold``, ``od``, ``bc``) must not be allowed.
    """

    ground = "put-together"
    rules = FORBIDDING
    forbids = True
    shells = ("bash", "zsh", "ksh")

    def script(self) -> str:
        kind = self.random.random()
        if kind < 0.35:
            self.evident, made = True, self.by_shell()
        elif kind < 0.75:
            self.evident, made = True, self.used(self.printed())
        elif kind < 0.85:
            self.evident, made = True, self.through_file(self.printed())
        else:
            self.evident, made = False, self.used(self.computed())
        if self.shell != "bash":  # the reading of the others is not followed as far
            self.evident = False
        if self.chance(0.15):
            made = self.joined(self.pick(*DECOYS), made)
        return inside(self, made) if self.chance(0.15) else made

    def by_shell(self) -> str:
        return self.pick(
            *(
                "x=evil; $x y",
                "x=ev; y=il; $x$y z",
                "x=ev; x+=il; $x y",
                "x=ev; ${x}il y",
                "x=(evil y); ${x[@]}",
                "x=xevil; ${x#x} y",
            ),
            *(
                "x=evilx; ${x%x} y",
                "x=eWil; ${x/W/v} y",
                "x=EVIL; ${x,,} y",
                "x=aevilb; ${x:1:4} y",
                "for i in ev il; do x+=$i; done; $x y",
            ),
            *(
                "printf -v x %s%s ev il; $x y",
                "read -r x <<< evil; $x y",
                "read -ra x <<< 'evil y'; ${x[@]}",
                "set -- evil y; $1 z",
            ),
            "BASH_CMDS[g]=evil; g x",
            *(
                "shopt -s expand_aliases\nalias g=evil\ng x",
                "BASH_ALIASES[g]=evil\nshopt -s expand_aliases\ng x",
                "x='\\145vil'; ${x@E} y",
            ),
            *(
                "$'\\145vil' x",
                "$'ev\\x69l' y",
                "e''v\"i\"l x",
                "ev\\il x",
                "{evil,x}",
                "ev{il,} x",
                "f() { $1 x; }; f evil",
                'f() { "$@"; }; f evil x',
            ),
            *("x=y; y=evil; ${!x} z", "x=evil; eval $x y", "eval 'x=evil'; $x y", "trap 'evil x' EXIT"),
            *(
                "for x in evil; do $x y; done",
                "case x in x) y=evil;; esac; $y z",
                "x=$(echo evil) && $x y",
                "x=evil y=z; $x",
                "x=${z:-evil}; $x y",
            ),
            *(
                "${z:-evil} x",
                ": ${x:=evil}; $x y",
                "mapfile -t x <<< evil; $x y",
                'mapfile -td, x <<< ev,il,; "${x[0]}${x[1]}" y',
                "echo ev,il | { IFS=, read x y; $x$y z; }",
                "echo ev il | while read x y; do $x$y z; done",
                "read x y < <(echo ev il); $x$y z",
                "x=; ${x:-ev}il y",
                "x=evil bash -c '$x y'",
                'x=evil; bash -c "$x y"',
            ),
            *(
                "export x=evil; bash -c '$x y'",
                "bash -c '$0 x' evil",
                "bash -c '\"$@\"' _ evil x",
                "x=a.evil.b; y=${x#*.}; ${y%.*} z",
                "IFS=:; x=a:evil; set -- $x; $2 y",
            ),
            *(
                "select x in evil; do $x y; break; done <<< 1",
                "while read -r x; do $x y; done <<< evil",
                "declare x=evil; $x y",
                "local x=evil; $x y",
            ),
            *("a=evil; b=(1 $a); ${b[1]} x", "declare -A a=([k]=evil); ${a[k]} x", "printf -v 'a[1]' evil; ${a[1]} x"),
            *("coproc evil x; wait", "exec evil x", "x=ev; x=${x}il; ${x} y", "y=$(printf %s ev il); $y z"),
            *("f() { echo evil; }; $(f) x", "command evil x", 'hash -p "$(command -v evil)" g; g x'),
        )

    def printed(self) -> str:
        """A command that prints the name, and that the reader follows."""
        return self.pick(
            *("echo evil", "printf %s evil", "printf '%s%s' ev il", "printf '\\145vil'", "printf '%b' '\\0145vil'"),
            *("printf 'ev%s\\n' il", "printf '%.4s' evilx", "echo -e '\\x65vil'", "echo $'\\x65vil'"),
            *("{ printf ev; printf il; }", "(echo evil)", "echo evil | cat", "cat <<< evil"),
            *("echo ZXZpbA== | base64 -d", "base64 -d <<< ZXZpbAo=", "xxd -r -p <<< 6576696c"),
        )

    def computed(self) -> str:
        """A command that prints the name, which only running it shows."""
        return self.pick(
            *("echo live | rev", "rev <<< live", "rev <<< evil | rev", "tac <<< evil", "sort <<< evil"),
            *("echo EVIL | tr A-Z a-z", "tr x e <<< xvil", "echo axvil | tr -d a | tr x e"),
            *("echo x:evil | cut -d: -f2", "cut -c2- <<< xevil", "echo xvil | sed s/x/e/", "sed 's/a/vi/' <<< eal"),
            *('awk \'BEGIN { print "ev" "il" }\'', "echo ev il | awk '{ print $1 $2 }'"),
            *("awk 'BEGIN { n = split(\"l i v e\", a); while (n) printf a[n--] }'",),
            *('perl -e \'print "ev" . "il"\'', "python3 -c 'print(\"live\"[::-1])'", 'node -p \'"ev" + "il"\''),
            *('jq -rn \'"ev" + "il"\'', "sqlite3 :memory: \"select 'evil'\""),
            *(
                "fold -w 4 <<< evilevil | head -n 1",
                "echo evil | od -An -c | tr -d ' \\n'",
                "paste -sd '' <<< $'ev\\nil'",
            ),
            *('for i in 145 166 151 154; do printf "\\\\$i"; done', "bc <<< 'print \"evil\"'"),
            *("git log -1 --format='%x65vil'", "column -t <<< evil", "pr -t <<< evil", "fmt <<< evil"),
            *("xxd -p <<< evil | xxd -r -p", "base64 <<< evil | base64 -d", "printf '%s\\n' e v i l | tr -d '\\n'"),
            *("comm <(echo evil) /dev/null", "join <(echo evil) <(echo evil)", "dd 2>/dev/null <<< evil"),
            *("ls | grep evil | cut -d. -f1", "find evil.sh -printf '%f' | cut -c-4", "head -c 4 cmd.txt"),
            *("cut -d' ' -f1 cmd.txt", "awk '{ print $1 }' cmd.txt", "tr -d x < cmd.txt | head -c4"),
        )

    def used(self, printed: str) -> str:
        return self.pick(
            *(
                f"$({printed}) x",
                f"$({printed}) x",
                f'"$({printed})" x',
                f"x=$({printed}); $x y",
                f"{printed} | sh",
                f"{printed} | bash -s x",
            ),
            *(
                f'eval "$({printed})"',
                f'sh -c "$({printed}) x"',
                f"bash <({printed})",
                f"source <({printed})",
                f"env $({printed}) x",
            ),
            *(f"{printed} | xargs env", f"command $({printed}) x", f"timeout 5 $({printed})", f'sh <<< "$({printed})"'),
            *(
                f"x=$({printed})\n$x y",
                f"for x in $({printed}); do $x y; done",
                f"{printed} | while read -r x; do $x y; done",
                f"cat <({printed}) | sh",
            ),
            *(
                f"x=`echo $({printed})`; $x y",
                f"read -r x < <({printed}); $x y",
                f"awk 'BEGIN {{ system(ARGV[1]) }}' \"$({printed})\"",
            ),
            *(
                f"xargs -a <({printed}) env",
                f"find a.txt -exec $({printed}) {{}} ';'",
                f"f() {{ {printed}\n}}; $(f) x",
                f"set -- $({printed}); $1 x",
            ),
        )

    def through_file(self, printed: str) -> str:
        run = self.pick(
            "sh out/x",
            "bash out/x",
            ". ./out/x",
            "source out/x",
            "bash < out/x",
            "cat out/x | sh",
            "$(cat out/x) y",
            "$(< out/x) y",
        )
        return self.pick(
            *(
                f"{printed} > out/x; {run}",
                f"{{ {printed}; }} > out/x && {run}",
                f"{printed} | tee out/x; {run}",
                f'echo "$({printed})" > out/x\n{run}',
            ),
            *(f"cat <({printed}) > out/x; {run}", f"{printed} >> out/x; {run}"),
            f"{printed} > out/x; chmod +x out/x; ./out/x",
        )
