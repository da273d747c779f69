"""What is forbidden, spelt out in the words of programs that no model describes."""

from __future__ import annotations

from base64 import b64encode

from execpolicy.core.decision import Decision
from tests.attacks.attack import Attack
from tests.attacks.phrases import ENDING_DECOYS, inside

_UNKNOWN = (
    "zig test",
    "dar -c x",
    "frobnicate",
    "mprocs",
    "unison a b",
    "xtool -v",
    "qdbus org.x /y",
    "wezterm2 start",
)
"""Programs, with what stands behind their name, that no entry knows."""
_KNOWN = ("cargo build", "docker compose up", "gh repo create", "npm install", "helm upgrade a b", "vim a.txt")
"""Programs that entries know, in forms that are not known to be safe."""
_NAMING = ("gh repo create", "npm install", "helm upgrade a b")
"""Those whose operands are names."""
_OPTIONS = ("--use", "--with", "--on-end", "-F", "-pgmZ", "--test-cmd", "--child", "-Z", "--what.to.do")
"""Options that none of these programs has."""


class SpeltOut(Attack):
    """Attacks the promise that what is forbidden is found, in the words of a program that is allowed and not modelled.

    ``evil x`` is the value of an option, or stands in several of them, in a list, a call, a key stroke, behind a mark,
    in a variable in front, or in a line that the program is given. Only the rule says what is looked for.
    """

    ground = "spelt-out"
    rules = f"""\
prefix_rule(pattern=[{sorted({each.split()[0] for each in (*_UNKNOWN, *_KNOWN)} | {"A", "echo", "cat"})!r}])
prefix_rule(pattern=["evil", "x"], decision="forbidden")
"""
    forbids = True
    shells = ("bash", "zsh", "ksh", "sh")

    def script(self) -> str:
        self.least = Decision.FORBIDDEN
        makers = [self.by_option, self.by_option, self.by_value, self.in_pieces, self.by_variable, self.by_row]
        makers += [self.by_keys, self.by_field, self.encoded, self.by_calls]
        if self.shell != "sh":
            makers.append(self.by_line)
        made = self.any_of(*makers)
        if self.chance(0.15):
            made = self.joined(self.pick(*ENDING_DECOYS), made)
        return inside(self, made) if self.chance(0.2) else made

    def program(self) -> str:
        return self.pick(*_UNKNOWN, *_KNOWN)

    def option(self) -> str:
        return self.pick(*_OPTIONS)

    def command(self) -> str:
        """A text for a shell."""
        return self.pick(
            *(
                "evil x",
                "evil x",
                "evil x y",
                "/usr/bin/evil x",
                "A; evil x",
                "A && evil x",
                "env evil x",
                "evil x 2>&1",
            ),
            *("exec evil x", 'sh -c "evil x"', "sudo evil x", "timeout 5 evil x", "evil  x", "nohup evil x &"),
        )

    def marked(self) -> str:
        """A text of another language that hands ``evil x`` on."""
        text = self.command().replace('"', "")
        return self.pick(
            *(f"!{text}", f":!{text}<CR>", f"a | {text}", f"$({text})", f"`{text}`", f'run("{text}")', f'f "{text}"'),
            *('["evil", "x"]', "[evil, x]", '{"cmd": ["evil", "x"]}', '(call "evil" "x")', "evil,x", "{ cmd: evil x }"),
            *(f'a.b = "{text}"', f"name: !{text}", f'pane command="{text}"', f"<cmd>{text}</cmd>", f'x => "{text}"'),
        )

    def by_option(self) -> str:
        text = quoted(self.command() if self.chance(0.5) else self.marked())
        glue = self.pick(" ", " ", "=") if not text.startswith("'{") else " "
        option = self.pick("--use", "--with", "--child") if glue == "=" else self.option()
        key = self.pick("", "", "", "a.b=", "x=") if glue == " " else ""
        return f"{self.program()} {option}{glue}{key}{text}" + self.pick("", " a.txt", " -v")

    def by_value(self) -> str:
        """A word of which a part is only known at run time, or that a variable holds."""
        return self.pick(
            f'{self.program()} {self.option()} "evil x $y"',
            f'{self.program()} {self.option()} "cd $D && evil x"',
            f'{self.program()} {self.option()} ":!evil x $1<CR>"',
            f"{self.program()} {self.option()} \"$(printf 'evil x')\"",
            f'x=x; {self.program()} {self.option()} "evil $x"',
            f'c="evil x"; {self.program()} {self.option()} "$c"',
            f'for c in evil; do {self.program()} --use $c --with x "$y"; done',
            f'TOOL_CMD="evil x $y" {self.program()} "$z"',
        )

    def in_pieces(self) -> str:
        first, second = self.pick("evil", "'evil'", "/usr/bin/evil"), self.pick("x", "'x'", "x y")
        return self.pick(
            f"{self.program()} {self.option()} {first} {self.option()} {second}",
            f"{self.program()} --use={first} --with={second}",
            f"{self.program()} {self.option()} {first} --with={second} a.txt",
        )

    def by_row(self) -> str:
        program = self.pick(*[each for each in (*_UNKNOWN, *_KNOWN) if each not in _NAMING])
        return f"{program} {self.pick('-- ', '', '-v ', 'a ')}{self.pick('evil', '/usr/bin/evil')} x"

    def by_variable(self) -> str:
        name = self.pick("TOOL_CMD", "P4EDITOR", "GOAUTH", "X_COMMAND", "MY_PROGRAM")
        return f"{name}={quoted(self.command())} {self.program()}"

    def by_keys(self) -> str:
        """Key by key, by the numbers of letters, or by those of keys."""
        program = self.pick("frobnicate", "xtool -v", "qdbus org.x /y")
        text = self.pick("evil x", "evil x y", "/bin/evil x")
        blank, end = self.pick("space", "Space", "' '", "KP_Space"), self.pick("", " Return", " Enter", " C-m")
        rows = [" ".join([blank if char == " " else char for char in text]) + end]
        rows.append(" ".join([str(ord(char)) for char in text + self.pick("", "\r", "\n")]))
        rows.append(" ".join([f"{self.pick('', '0x')}{ord(char):02x}" for char in text]))
        rows.append("18:1 18:0 47:1 47:0 23:1 23:0 38:1 38:0 57:1 57:0 45:1 45:0" + self.pick("", " 28:1 28:0"))
        return f"{program} {self.pick('key', 'type', 'write', '--keys')} {self.pick(*rows)}"

    def encoded(self) -> str:
        """In other letters."""
        text = self.pick("evil x", "evil x y", "/bin/evil x")
        quoted_text = self.pick(
            b64encode(text.encode()).decode(),
            text.encode().hex(),
            text.replace(" ", "%20"),
            text.replace(" ", self.pick("\\x20", "\\u0020", "&#32;", "&#x20;")),
        )
        return f"{self.pick('frobnicate', 'xtool -v')} {self.pick('--b64=', '-Z ', '--with ', '')}{quoted(quoted_text)}"

    def by_calls(self) -> str:
        """A part with each call."""
        program = self.pick("frobnicate send", "xtool -v")
        parts = self.pick(
            ["evil", "' '", "x"], ["ev", "'il '", "x", "Enter"], [*"evil", "space", "x"], ["'evil '", "x"]
        )
        if self.chance(0.5):
            return self.pick("; ", "\n", " && ").join([f"{program} {part}" for part in parts])
        return f'for k in {" ".join(parts)}; do {program} "$k"; done'

    def by_field(self) -> str:
        """The program and its arguments in fields of data."""
        key, last = self.pick("command", "cmd", "execute-command", "run"), self.pick("args", "with", "pass")
        values = self.pick('["x"]', '[{"from": "string", "name": "x"}]')
        path = self.pick("", "", "/usr/bin/")
        data = self.pick(
            f'{{"{key}": "{path}evil", "{last}": {values}}}',
            f'[{{"id": "a", "{key}": "{path}evil", "{last}": {values}}}]',
            "a stream tcp nowait root /usr/bin/evil evil x",
            'ACTION=="add", RUN+="/usr/bin/evil x"',
        )
        return f"{self.pick('frobnicate', 'xtool -v')} {self.pick('--data', '-Z', '--on-end')} {quoted(data)}"

    def by_line(self) -> str:
        program = self.pick("frobnicate", "mprocs", "xtool -v")
        text = quoted(self.pick("!", ":!", ";", ".sh ", "system ") + self.command().replace('"', ""))
        return self.pick(f"{program} <<< {text}", f"echo {text} | {program}", f"{program} <<'E'\n{text[1:-1]}\nE")


def quoted(text: str) -> str:
    """``text`` as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"
