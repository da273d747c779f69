"""Declarations that evaluate what they are given, or that change a variable with a meaning."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, behind, inside, spelt

_VALUES = ("a=($(evil))", "a=(`evil`)", "a=([x]=$(evil))", "a[$(evil)]=1", "a+=($(evil))", "x=1", "a=1", "a=(1 2)", "a")
_SPECIAL = (
    *("PATH", "HOME", "IFS", "PWD", "OLDPWD", "CDPATH", "ENV", "BASH_ENV", "PS4", "SHELLOPTS", "GLOBIGNORE", "LC_ALL"),
    *("RANDOM", "SECONDS", "OPTIND", "BASH_CMDS", "BASH_ALIASES", "FUNCNEST", "POSIXLY_CORRECT", "path", "fpath", "a"),
    *("EXECIGNORE", "HISTFILE", "PROMPT_COMMAND", "LD_PRELOAD", "LANG", "LINENO", "COLUMNS", "x", "CI", "REPLY"),
)

_ARRAYS = (
    *("a=(1)", "a=(1 2)", "declare -a a", "declare -A a", "a[0]=1", "read -ra a < a.txt", "read -aa < a.txt", "a+=()"),
    *("declare a=(1)", "typeset a=()", "export a=(1)", "readonly b=1 a=(1)", "declare b=1 a+=(1)", "mapfile a < a.txt"),
    *("g() { a=(1); }; g", "for a in 1 2; do :; done", "set -A a 1 2", "echo a=(1)", "declare 'a=(1)'"),
)
"""What makes ``a`` an array, or looks as if it did."""


class SetsVariables(Attack):
    """Attacks ``sets-variables``.

    A declaration that gives plain variables values runs nothing and changes nothing of what runs. bash evaluates
    the value of ``declare`` again as a compound assignment where the variable is an array, or is made one by any
    cluster of options or by a list in another argument of the same declaration, also one behind it (manual 4.2,
    ``declare``; tried with quoted, expanded and read values); every shell evaluates subscripts and the values of
    integers; braces and, in dash, blanks split one argument into several assignments. A variable with a meaning
    changes it when it only becomes an array, local or lower case: ``declare -a PATH; ls`` runs ``./ls``.
    """

    ground = "sets-variables"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "zsh", "ksh", "ksh93", "busybox")

    def script(self) -> str:
        if self.chance(0.12):
            return self.once_more()
        builtin = self.pick("declare", "typeset", "local", "readonly", "export", "declare", "typeset")
        words = behind(self, builtin) if self.chance(0.2) else spelt(self, builtin) if self.chance(0.2) else builtin
        if self.chance(0.6):
            options = self.pick("-a", "-A", "-ga", "-ra", "-ar", "-gA", "-ax", "-x", "-r", "-g", "-i", "-l", "-u", "-n")
            if self.chance(0.15):
                options += " " + self.pick("-a", "-r", "--", "+x", "+a", "-g", "-H", "-T", "-p", "-E", "-U")
            words += " " + options
        parts = []
        if self.chance(0.35):
            parts.append(self.pick(*_ARRAYS))
        if self.chance(0.5):
            parts.append(self.pick("x='($(evil))'", "x=$(cat g)", 'x="$(cat f)"', "read -r x < g", "x='1 PATH=.'"))
        words += " " + self.argument()
        if self.chance(0.15):
            words += " " + self.argument()
        line = words
        if "local" in words or self.chance(0.25):
            line = self.pick(
                f"f() {{ {words}; ls; }}; f", f"f() {{ {words}; ls; }}; f '($(evil))'", f"f() {{ {words}\n}}\nf x"
            )
        parts.append(line)
        if self.chance(0.25):
            parts.insert(0, self.pick(*DECOYS))
        parts.append(
            self.pick("ls", "cat a.txt", "echo $a", "ls sub", "echo *", 'sort "$HOME-oowned" a.txt', "cd sub", "A x")
        )
        script = self.joined(*parts)
        return inside(self, script) if self.chance(0.2) else script

    def once_more(self) -> str:
        """An array, by whatever declares one, and a declaration that gives it text which is read once more."""
        array = self.pick(
            "a=(1)", "declare a=(1)", "typeset a=()", "declare -a a", "declare b=1 a=(1)", "declare a+=(1)"
        )
        text = self.pick("x=$(cat g)", "read -r x < g", "x='($(evil))'", "x=$(< g)", "read -r x < f")
        value = self.pick("$x", '"$x"', "$(cat g)", '"$(cat g)"', "${x}", "'($(evil))'")
        name = self.pick("a", "a", "a", "b", "a+")
        again = f"{self.pick('declare', 'typeset', 'declare -g', 'export', 'readonly')} {name}={value}"
        if self.chance(0.2):
            again = self.pick(f"f() {{ {again}; }}; f", f"f() {{ local {name}={value}; }}; f")
        return self.joined(array, text, again) if self.chance(0.7) else self.joined(text, array, again)

    def argument(self) -> str:
        if self.chance(0.4):
            value = self.pick(*_VALUES)
            return self.pick(
                f"'{value}'",
                f"'{value}'",
                f'"{value}"' if "$" not in value and "`" not in value else f"'{value}'",
                f"$'{value}'",
                value.replace("(", "\\(").replace(")", "\\)").replace("$", "\\$").replace("`", "\\`"),
                f"a='{value.partition('=')[2]}'",
                f"a+='{value.partition('=')[2]}'",
            )
        if self.chance(0.35):
            return self.pick(
                "a=$x",
                'a="$x"',
                '"a=$x"',
                "a=$(cat g)",
                'a="$(cat g)"',
                "a=$(cat f)",
                "a={x,$x}",
                "a={x,$(cat f)}",
                "a=$1",
                'a="$1"',
                "a=$num",
                "a=($x)",
                'a=("$x")',
                "a=([$x]=1)",
                "a=([num]=1)",
                "a=(['$(evil)']=1)",
                "$x",
                '"$x"',
                "a=${x:-y}",
                "a=x$x",
                "a=~/x",
                "a=*",
                "a=`cat g`",
                "a+=$x",
                "a=$GITHUB_TOKEN; echo $a",
            )
        name = self.pick(*_SPECIAL)
        return self.pick(name, name, f"{name}=1", f"{name}=", f"{name}=.", f"{name}=(.)", f"'{name}'", f"{name}+=x")
