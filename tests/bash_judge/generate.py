"""Random shell scripts, the same for the same seed.

Programs are the letters ``A`` to ``F`` (``F`` fails, the others succeed) and a few builtins. To extend the generator,
add a method ``word_…``, ``command_…`` or ``expansion_…``; it is found by its name. A method attribute ``weight`` says
how often it is chosen (1 by default).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

FILES = ("f1", "f2", "out", "g.txt")
"""Names that redirections write."""
READABLE = ("a.txt", "b.txt")
"""Files that exist in the folder that scripts run in."""
VARIABLES = ("x", "y", "zz", "i", "arr")
_PLAIN = "abkxyz0129_-./:,+%@"
_ODD = "\r\v\f\u00a0\u3000\u2028\u00e9;；“”"


def weight(number: float) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """How often a production is chosen."""

    def mark(function: Callable[..., str]) -> Callable[..., str]:
        function.weight = number  # type: ignore[attr-defined]  # an attribute of a function object
        return function

    return mark


class Generator:
    """One script after the other from one ``random.Random``.

    ``shell`` is ``bash`` or ``sh``; for ``sh`` the productions that only bash reads become rare.
    """

    def __init__(self, seed: int | str, shell: str = "bash") -> None:
        self.random = random.Random(seed)
        self.shell = shell
        self.depth = 0
        self.bodies: list[str] = []
        self.budget = 0
        self.in_backquote = 0
        self.tables: dict[str, tuple[list[Callable[[], str]], list[float]]] = {}

    def script(self) -> str:
        """One script, sometimes damaged by a random edit."""
        self.depth = 0
        self.budget = self.random.choice((3, 6, 12, 24, 40))
        self.bodies = []
        self.in_backquote = 0
        text = self.list_of_commands(self.random.choice((1, 1, 2, 3)))
        text += self.flush() if self.bodies else self.random.choice(("", "", "\n", " ", " # end", ";"))
        if self.random.random() < 0.15 and "/" not in text:
            text = self.damage(text)
        return text

    def damage(self, text: str) -> str:
        """Insert, delete or double one character."""
        at = self.random.randrange(len(text) + 1)
        how = self.random.randrange(4)
        if how == 0:
            return text[:at] + text[at + 1 :]
        if how == 1:
            return text[:at] + text[at : at + 1] + text[at:]
        return text[:at] + self.random.choice("\\\n'\"$`#{}()[];&|<> =~*!-") + text[at:]

    # choosing

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, prefix: str) -> str:
        """The text of a random production whose method name begins with ``prefix``."""
        if prefix not in self.tables:
            names = sorted(name for name in dir(self) if name.startswith(prefix))
            methods: list[Any] = [getattr(self, name) for name in names]
            self.tables[prefix] = (methods, [getattr(method, "weight", 1.0) for method in methods])
        methods, weights = self.tables[prefix]
        self.budget -= 1
        return self.random.choices(methods, weights)[0]()

    def some(self, *texts: str) -> str:
        return self.random.choice(texts)

    # blanks and ends

    def gap(self) -> str:
        """What separates two words."""
        return self.random.choices((" ", "  ", "\t", " \\\n", "\\\n ", " \\\n\\\n "), (40, 3, 2, 2, 1, 1))[0]

    def maybe_gap(self) -> str:
        return self.random.choices(("", " ", "\\\n", " \\\n"), (10, 20, 1, 1))[0]

    def newline(self) -> str:
        """A newline with the here-documents that begin behind it."""
        before = self.random.choices(("", " ", " # it's \"a $(comment) `", "#x", " #\\"), (20, 2, 3, 1, 1))[0]
        if before == "#x":
            before = ""
        return before + self.flush()

    def flush(self) -> str:
        bodies, self.bodies = self.bodies, []
        return "\n" + "".join(bodies)

    def separator(self) -> str:
        """What stands between two commands of a list."""
        if self.in_backquote and self.bodies:
            return self.flush()
        kind = self.random.randrange(10)
        if kind < 4:
            return self.maybe_gap() + self.some(";", ";", " ; ", "; ")
        if kind < 8:
            return self.newline()
        if kind == 8:
            return self.maybe_gap() + "&" + self.some(" ", "\n" if not self.bodies else " ")
        return self.some(";", "") + self.newline() + self.some("", "\n", "\\\n", " \\\n ", "\t")

    # lists

    def list_of_commands(self, count: int | None = None) -> str:
        if count is None:
            count = self.random.choice((1, 1, 1, 2, 2, 3))
        texts = []
        for index in range(count):
            texts.append(self.and_or())
            if index + 1 < count:
                texts.append(self.separator())
        return "".join(texts)

    def and_or(self) -> str:
        text = self.pipeline()
        while self.chance(0.2) and self.budget > 0:
            operator = self.some("&&", "||", "&&", "&\\\n&")
            after = self.some("", " ", "  ")
            if not self.bodies and self.chance(0.1):
                after = self.some("\n", " # c\n", "\\\n ")
            elif self.bodies and self.chance(0.5):
                after = self.flush()
            text += self.maybe_gap() + operator + after + self.pipeline()
        return text

    def pipeline(self) -> str:
        text = self.random.choices(("", "! ", "time ", "time -p ", "! time "), (40, 2, 1, 1, 0.5))[0]
        if self.shell != "bash":
            text = self.random.choices(("", "! "), (20, 1))[0]
        text += self.command()
        while self.chance(0.15) and self.budget > 0:
            operator = "|" if self.shell != "bash" or self.chance(0.8) else "|&"
            after = self.some("", " ", " ")
            if not self.bodies and self.chance(0.1):
                after = self.some("\n", " \\\n", " # c\n")
            text += self.maybe_gap() + operator + after + self.command()
        return text

    def command(self) -> str:
        if self.depth > 4 or self.budget <= 0:
            return self.simple(short=True)
        self.depth += 1
        text = self.pick("command_")
        self.depth -= 1
        return text

    # simple commands

    def program(self) -> str:
        return self.random.choices(
            (
                self.some("A", "B", "C", "D", "E"),
                "F",
                self.some("'A'", '"B"', "C''", "\\A", "A\\\n", "$'A'", "A\\\nB", '"A""B"'),
                self.some("true", ":", "false", "echo", "["),
                self.word(),
                self.some("{A,x}", "$x", "${y:-A}", "if\\\n", "Aif", "time", "A}", "{A", "!A", "A#", "a[1]", "]]"),
            ),
            (50, 6, 8, 4, 4, 2),
        )[0]

    def simple(self, *, short: bool = False) -> str:
        parts: list[str] = []
        if not short and self.chance(0.12):
            parts += [self.assignment() for _ in range(self.random.choice((1, 1, 2)))]
        if not short and self.chance(0.06):
            parts.append(self.redirect())
        if not parts or self.chance(0.85):
            parts.append(self.program())
            for _ in range(self.random.choice((0, 1, 1, 2, 3))):
                parts.append(self.word())
                if not short and self.chance(0.08):
                    parts.append(self.redirect())
            if not short and self.chance(0.15):
                parts.append(self.redirect())
        text = parts[0]
        for part in parts[1:]:
            text += self.gap() + part
        return text

    def assignment(self) -> str:
        name = self.some(*VARIABLES)
        kind = self.random.randrange(12)
        if kind == 0 and self.shell == "bash":
            items = self.gap().replace("\\\n", " ").join(self.word() for _ in range(self.random.randrange(4)))
            return f"{name}{self.some('', '+')}=({self.some('', ' ')}{items}{self.some('', ' ', chr(10), ' # c' + chr(10))})"  # noqa: E501 - one production, read as one line
        if kind == 1 and self.shell == "bash":
            return f"{name}[{self.some('0', '1', 'i', '1+1', '$i')}]={self.word()}"
        if kind == 2:
            return self.some("x=", "IFS=:", "y='a b'", 'zz="*"', "i=5", "x=$((1+2))", "x=~", "y=a:~")
        if kind == 3 and self.shell == "bash":
            return f"{name}+={self.word()}"
        return f"{name}={self.word()}"

    def redirect(self) -> str:
        kind = self.random.randrange(14)
        target = self.target()
        gap = self.some("", " ", "", "\\\n")
        if kind < 4:
            return self.some(">", ">>", ">|", "1>", "2>", "2>>", "<>") + gap + target
        if kind < 6:
            return self.some("2>&1", ">&2", "1>&2", "2>&-", ">&-", "<&-", "0<&-", "2>\\\n&1", "3>&1", ">& 2")
        if kind < 8:
            return self.some("<", "0<") + gap + self.some(*READABLE, '"a.txt"', "a\\.txt", "/dev/null")
        if kind < 11:
            return self.heredoc()
        if self.shell != "bash":
            return "2>/dev/null"
        if kind == 11:
            return "<<<" + gap + self.word()
        if kind == 12:
            return self.some("&>", "&>>", ">&", "{fd}>", "{fd}>>") + gap + target
        return self.some(">", "2>") + " >(" + self.nested() + ")"

    def target(self) -> str:
        name = self.some(*FILES)
        return self.some(name, name, name, f'"{name}"', f"'{name}'", "f\\1", "f\\\n2", "$'out'", "o${zz}ut", '"$y"f1')

    def heredoc(self) -> str:
        if self.in_backquote:
            return "2>/dev/null"
        end = self.some("E", "EOF", "E-1", "x y")
        written = {
            "E": self.some("E", "'E'", '"E"', "\\E", "E''", "E\\\n"),
            "EOF": self.some("EOF", "'EOF'", 'E"O"F', "E\\OF", "E\\\nOF"),
            "E-1": self.some("E-1", "'E-1'"),
            "x y": self.some("'x y'", '"x y"', "x\\ y"),
        }[end]
        quoted = any(char in written.replace("\\\n", "") for char in "'\"\\")
        tabs = self.chance(0.5)
        lines: list[str] = []
        for _ in range(self.random.randrange(3)):
            line = self.some(
                "text", "it's", 'a "b', "# c", "A x; B", ")", " " + end, end + " ", "}", "done", "\\$x", "a\\"
            )
            if self.chance(0.25):
                saved, self.bodies = self.bodies, []
                line += " " + (self.nested_dollar() if not quoted else "$(A") + " tail"
                self.bodies = saved
            if line.endswith("\\") and self.shell != "bash":
                line += "."
            lines.append(("\t" if tabs and self.chance(0.5) else "") + line + "\n")
        self.bodies.append("".join(lines) + ("\t" if tabs and self.chance(0.5) else "") + end + "\n")
        return ("<<-" if tabs else "<<") + self.some("", " ", "\\\n") + written

    # words

    def word(self) -> str:
        if self.budget <= 0 or self.depth > 6:
            return self.some("x", "y1", "'q r'", "-v")
        self.depth += 1
        count = self.random.choices((1, 2, 3), (60, 25, 15))[0]
        text = "".join(self.pick("word_") for _ in range(count))
        self.depth -= 1
        return text or "e"

    @weight(8)
    def word_plain(self) -> str:
        return "".join(self.random.choice(_PLAIN) for _ in range(self.random.randrange(1, 4)))

    @weight(3)
    def word_single(self) -> str:
        return (
            "'" + "".join(self.random.choice('ab $`"\\;|&#(){}<>\n*~!') for _ in range(self.random.randrange(5))) + "'"
        )

    @weight(4)
    def word_double(self) -> str:
        parts = []
        for _ in range(self.random.randrange(4)):
            kind = self.random.randrange(10)
            if kind < 5:
                parts.append(
                    self.random.choice(("a", " ", "'", "#", ";", "|", "(", ")", "{a,b}", "*", "~", "!", "\n", "&"))
                )
            elif kind < 8:
                parts.append(self.random.choice(("\\\\", '\\"', "\\$", "\\`", "\\\n", "\\a", "\\'", "\\n", "\\ ")))
            else:
                parts.append(self.nested_dollar(double=True))
        return '"' + "".join(parts) + self.some("", "", "$") + '"'

    @weight(3)
    def word_escape(self) -> str:
        return "\\" + self.random.choice(" ;&|()<>'\"\\$`#*?[]{}~!ab=\t")

    @weight(1.5)
    def word_continuation(self) -> str:
        return self.some("\\\n", "a\\\nb", "\\\n\\\n", "a\\\n", "\\\\\\\nb")

    @weight(1.5)
    def word_ansi(self) -> str:
        parts = (
            "a",
            " ",
            "\\n",
            "\\t",
            "\\'",
            '"',
            "\\\\",
            "\\x41",
            "\\101",
            "\\e",
            "\\u41",
            "$x",
            "\\?",
            "\\1",
            "\\x4g",
        )
        return "$'" + "".join(self.random.choice(parts) for _ in range(self.random.randrange(4))) + "'"

    @weight(0.3)
    def word_locale(self) -> str:
        return '$"' + self.some("a b", "x", "$x", "") + '"'

    @weight(2)
    def word_brace(self) -> str:
        inside = [
            self.some("a", "b", "", "'c,d'", '"e"', "\\,", "{x,y}", "1", "z{1..2}", "$x", "*", "~") for _ in range(3)
        ]
        return self.some(
            "{" + ",".join(inside[: self.random.randrange(1, 4)]) + "}",
            "{" + ",".join(inside[: self.random.randrange(1, 4)]) + "}",
            self.some(
                "{1..3}", "{a..c}", "{01..03}", "{3..1}", "{1..5..2}", "{a..}", "{..}", "{1..x}", "{-1..1}", "{c..a}"
            ),
            self.some(
                "{}", "{", "}", "{a", "b}", "{a,b", "{,}", "{{a,b}", "{a,b}}", "{a}", "{{,}}", "{a{b,c}", "{'x'..y}"
            ),
        )

    @weight(1.5)
    def word_glob(self) -> str:
        return self.some(
            "*", "?", "[ab]*", "*.txt", "a*", "[", "]", "[]", "a[", "[!a]*", "nomatch*", "\\*", "b.tx?", "[a-b].txt"
        )

    @weight(1)
    def word_tilde(self) -> str:
        return self.some("~", "~/x", "~+", "~nouser", "a~", "x=~", "x=a:~", "--p=~/y", "~'/'", "~\\/x")

    @weight(1.5)
    def word_sign(self) -> str:
        return self.some(
            "#", "a#b", "=", "==x", "x=y", "!", "!x", "%1", "^", "@", "-", "--", "+x", "a,b", ".", "$", "a$", "$ "
        )

    @weight(0.7)
    def word_reserved(self) -> str:
        return self.some(
            "if", "then", "fi", "do", "done", "in", "esac", "time", "function", "case", "for", "[[", "]]", "coproc"
        )

    @weight(1)
    def word_odd(self) -> str:
        return self.random.choice(_ODD.replace(";", ""))

    @weight(0.5)
    def word_number(self) -> str:
        return self.some("1", "2", "10", "007")

    @weight(4)
    def word_dollar(self) -> str:
        return self.nested_dollar()

    @weight(0.5)
    def word_process(self) -> str:
        if self.shell != "bash":
            return "p"
        return self.some("<(", "<(", ">(") + self.nested() + ")"

    # expansions

    def nested_dollar(self, *, double: bool = False) -> str:
        if self.budget <= 0:
            return self.some("$x", "${y}")
        text = self.pick("expansion_")
        if double and ("'" in text or '"' in text) and self.chance(0.5):
            return "$x"
        return text

    def nested(self) -> str:
        """Commands inside a substitution; their here-documents end inside it."""
        saved, self.bodies = self.bodies, []
        self.depth += 1
        text = self.list_of_commands(self.random.choice((1, 1, 2))) if self.depth < 7 else "A n"
        self.depth -= 1
        if self.bodies:
            text += self.flush()
        self.bodies = saved
        return text

    @weight(4)
    def expansion_name(self) -> str:
        name = self.some(*VARIABLES)
        return self.some(f"${name}", f"${{{name}}}", f"$\\\n{name}")

    @weight(1.5)
    def expansion_special(self) -> str:
        return self.some("$#", "$?", "$@", "$*", "$1", "${10}", "$-", "${#}", "${@}", "$10", "$$")

    @weight(3)
    def expansion_operator(self) -> str:
        name = self.some(*VARIABLES)
        operator = self.some(":-", "-", ":+", "+", "#", "##", "%", "%%", ":-", "=", ":=")
        if self.shell == "bash" and self.chance(0.3):
            operator = self.some("/", "//", "^", "^^", ",", "/#")
        word = self.some(
            "w",
            "a b",
            "",
            "'q'",
            '"q r"',
            "\\}",
            "$y",
            "*",
            "a;b",
            "a|b",
            "(",
            "{a",
            "#",
            "~",
            '"$y"',
            "a\\\nb",
            "/z",
            "<",
            "'}'",
        )
        if self.chance(0.2):
            word = self.nested_dollar()
        return f"${{{name}{operator}{word}}}"

    @weight(1)
    def expansion_slice(self) -> str:
        name = self.some(*VARIABLES)
        if self.shell != "bash":
            return f"${{#{name}}}"
        return self.some(
            f"${{{name}:1}}", f"${{{name}:0:2}}", f"${{#{name}}}", f"${{{name}: -1}}", f"${{{name}@Q}}", f"${{!{name}}}",  # noqa: E501 - one production, read as one line
            "${arr[@]}", "${arr[0]}", "${#arr[@]}", "${arr[$i]}", "${!arr[@]}", "${arr[*]}", "${x:i:1}", "${@:1}", "${!x@}",  # noqa: E501 - one production, read as one line
        )  # fmt: skip

    @weight(2)
    def expansion_arithmetic(self) -> str:
        inside = self.some(
            "1+2", "i", "i+1", "(1+2)*3", "$i+1", " 1 ", "2>1", "i++", "1?2:3", "1<<2", "x=3", "16#f", "$(A 1)1"
        )
        if self.shell == "bash" and self.chance(0.2):
            return f"$[{self.some('1+2', 'i', '(2)')}]"
        return f"$(({inside}))"

    @weight(3)
    def expansion_command(self) -> str:
        if self.depth > 6:
            return "$x"
        return (
            "$("
            + self.some("", " ", "\n", "# c)\n" if self.shell == "bash" else "")
            + self.nested()
            + self.some("", " ", "\n")
            + ")"
        )

    @weight(1.5)
    def expansion_backquote(self) -> str:
        if self.depth > 6 or self.in_backquote > 1:
            return "$y"
        saved, self.bodies = self.bodies, []
        self.in_backquote += 1
        text = self.nested()
        self.in_backquote -= 1
        self.bodies = saved
        escaped = text.replace("\\", "\\\\").replace("`", "\\`")
        if self.chance(0.7):
            escaped = escaped.replace("$", "\\$")
        if self.chance(0.1):
            escaped = text
        return "`" + escaped + "`"

    # commands

    @weight(30)
    def command_simple(self) -> str:
        return self.simple()

    @weight(2)
    def command_group(self) -> str:
        return "{" + self.some(" ", "\n", "\t") + self.list_of_commands() + self.end() + "}" + self.trailer()

    @weight(2)
    def command_subshell(self) -> str:
        inside = self.list_of_commands()
        return (
            "("
            + self.some("", " ", "\n")
            + inside
            + (self.flush() if self.bodies else self.some("", " "))
            + ")"
            + self.trailer()
        )

    def end(self) -> str:
        """Before a closing or middle keyword."""
        return self.newline() if self.bodies or self.chance(0.4) else self.some("; ", " ;", ";")

    def lead(self) -> str:
        """Behind a keyword that a list follows."""
        return self.newline() if self.bodies else self.some(" ", " ", "\n", " \\\n", " # c\n")

    def trailer(self) -> str:
        """Redirections behind a compound command."""
        return self.maybe_gap() + self.redirect() if self.chance(0.12) else ""

    def keyword(self, text: str) -> str:
        if self.chance(0.03):
            return text[:1] + "\\\n" + text[1:]
        return text

    @weight(2)
    def command_if(self) -> str:
        text = self.keyword("if") + self.lead() + self.list_of_commands(1) + self.end()
        text += self.keyword("then") + self.lead() + self.list_of_commands() + self.end()
        if self.chance(0.3):
            text += "elif" + self.lead() + self.list_of_commands(1) + self.end() + "then" + self.lead()
            text += self.list_of_commands(1) + self.end()
        if self.chance(0.4):
            text += self.keyword("else") + self.lead() + self.list_of_commands(1) + self.end()
        return text + self.keyword("fi") + self.trailer()

    @weight(1)
    def command_while(self) -> str:
        head = self.some("while F", "until A", "while false", "until true", "while F w; A c; F")
        return head + self.end() + "do" + self.lead() + self.list_of_commands() + self.end() + "done" + self.trailer()

    @weight(2)
    def command_for(self) -> str:
        name = self.some(*VARIABLES[:4])
        words = self.gap().join(self.word() for _ in range(self.random.randrange(4)))
        head = f"for {name} in {words}".rstrip() if self.chance(0.9) else f"for {name}"
        return head + self.end() + "do" + self.lead() + self.list_of_commands() + self.end() + "done" + self.trailer()

    @weight(0.5)
    def command_arithmetic_for(self) -> str:
        if self.shell != "bash":
            return "A"
        head = self.some("for ((k=0;k<2;k++))", "for (( k = 0 ; k < 1 ; k++ ))", "for ((;0;))")
        return head + self.some("; ", "\n", " ") + "do" + self.lead() + self.list_of_commands(1) + self.end() + "done"

    @weight(1.5)
    def command_case(self) -> str:
        text = f"case {self.word()} in" + self.lead()
        for _ in range(self.random.randrange(1, 3)):
            pattern = self.some("x", "*", "a|b", "'q r'", '"$x"', "[ab]*", "$(A p)", "?", "x | y", "\\)", "a*)"[:2])
            text += self.some("", "(", "") + pattern + ")" + self.lead()
            text += self.list_of_commands(1) + (self.flush() if self.bodies else self.some("", " ", "\n"))
            text += self.some(
                ";;", ";;", ";;\n", ";&\n" if self.shell == "bash" else ";;", ";;&\n" if self.shell == "bash" else ";;"
            )
        return text + self.some("", " ", "\n") + "esac" + self.trailer()

    @weight(0.4)
    def command_select(self) -> str:
        if self.shell != "bash":
            return "B"
        return "select x in a b; do " + self.list_of_commands(1) + self.end() + "break; done <<< 1"

    @weight(1.5)
    def command_test(self) -> str:
        if self.shell != "bash":
            return "[ " + self.word() + " = " + self.word() + " ]"
        return self.some(
            f"[[ {self.word()} == {self.word()} ]]",
            "[[ a == @(a|b) ]]", "[[ -n $x && ! -f nofile ]]", "[[ $i -eq 1 || ( a < b ) ]]", "[[ ab =~ ^(a|c)b$ ]]",
            "[[ -z \"$(A t)\" ]]", "[[ $x = a* ]]", "[[ $x != $(B u) ]]", "[[ a\n&& b ]]", "[[ ! x ]]", "[[ -v x ]]",
        )  # fmt: skip

    @weight(0.8)
    def command_arithmetic(self) -> str:
        if self.shell != "bash":
            return "C"
        return self.some(
            "((1))", "(( i = 2 ))", "((i++))", "(( $(A 3)1 > 2 ))", "((A); B)", "( (A x) )", "((A x) | B )"
        )

    @weight(1)
    def command_function(self) -> str:
        name = self.some("f", "g", "A")
        if name == "A" and self.chance(0.7):
            name = "h"
        if self.shell == "bash" and self.chance(0.3):
            head = self.some(f"function {name} ", f"function {name}()", f"function {name} () ")
        else:
            head = self.some(f"{name}()", f"{name} () ", f"{name}( ) ", f"{name}()\n")
        saved, self.bodies = self.bodies, []
        body = "{ " + self.list_of_commands(1) + self.end() + "}"
        self.bodies = saved + self.bodies
        return head + body + (self.end() + name + self.gap() + self.word() if self.chance(0.7) and name != "A" else "")

    @weight(1)
    def command_builtin(self) -> str:
        return self.some(
            f"export {self.some(*VARIABLES)}={self.word()}",
            f"set -- {self.word()} {self.word()}",
            f"echo {self.word()}",
            f"read {self.some(*VARIABLES)} < a.txt",
            f"unset {self.some(*VARIABLES)}",
            "declare -a arr=(1 2 'a b')" if self.shell == "bash" else ":",
            f"local x={self.word()}" if self.shell == "bash" else ":",
            f"printf -v x %s {self.word()}" if self.shell == "bash" else ":",
        )

    @weight(0.4)
    def command_coproc(self) -> str:
        return self.some("coproc A x", "coproc N { A x; }", "coproc { B; }") if self.shell == "bash" else "D"
