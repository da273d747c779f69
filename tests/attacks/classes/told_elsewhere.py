"""What is forbidden, told to a program that keeps it, and run when it comes out again."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from tests.attacks.attack import Attack
from tests.attacks.leak import FORBIDDING
from tests.attacks.phrases import ENDING_DECOYS, inside

_WRITING = (
    ("emacs --batch --eval", '(write-region SAID nil "out/x")'),
    ("vim -es -c", 'call writefile([SAID], "out/x")'),
    ("node -e", 'require("fs").writeFileSync("out/x", SAID)'),
    ("python3 -c", 'open("out/x", "w").write(SAID)'),
    ("python3 <<<", 'open("out/x", "w").write(SAID)'),
    ("perl -e", 'open F, ">out/x"; print F SAID'),
    ("ruby -e", 'File.write("out/x", SAID)'),
    ("php -r", 'file_put_contents("out/x", SAID);'),
    ("lua -e", 'io.open("out/x", "w"):write(SAID)'),
    ("awk", 'BEGIN { print SAID > "out/x" }'),
    ("jq -rn", "SAID"),
    ("yq -n", ".a = SAID"),
    ("julia -e", 'write("out/x", SAID)'),
    ("R -e", 'writeLines(SAID, "out/x")'),
    ("guile -c", '(call-with-output-file "out/x" (lambda (p) (display SAID p)))'),
    ("tclsh <<<", "set f [open out/x w]; puts $f SAID; close $f"),
    ("duckdb -c", "copy (select SAID) to 'out/x'"),
)
"""Programs with a text that writes the constant ``SAID`` into a file."""


class ToldElsewhere(Attack):
    """Attacks the promise that what is forbidden is found, where no model of programs says how it gets to who runs it.

    ``evil x`` goes into a history, a database, a clipboard, an archive or a file that a program writes in its own
    language, and a shell or an interpreter gets it from there. The text stands in the script: it must be forbidden.
    """

    ground = "told-elsewhere"
    rules = FORBIDDING
    forbids = True
    shells = ("bash", "zsh", "ksh")

    def script(self) -> str:
        self.least = Decision.ALLOW
        self.evident = self.shell == "bash"  # the reading of the others is not followed as far
        text = self.pick("evil x", "evil x y", "A; evil x", "env evil x", "sh -c 'evil x'", "exec evil x")
        if self.shell == "bash" and self.chance(0.2):
            made = self.changed()
        else:
            made = self.written(text) if self.chance(0.4) else self.joined(*self.told(text))
        if self.chance(0.15):
            made = self.joined(self.pick(*ENDING_DECOYS), made)
        return inside(self, made) if self.chance(0.2) else made

    def written(self, text: str) -> str:
        return self.joined(self.by_program(text), self.pick("sh out/x", "bash out/x", ". ./out/x"))

    def changed(self) -> str:
        """A text that filters change on its way, through a pipe or out of a file."""
        self.least = Decision.FORBIDDEN
        said, filters = self.random.choice(
            (
                ("x live", "rev"),
                ("rivy k", "tr a-z n-za-m"),
                ("evil_x", "tr _ ' '"),
                ("uvil x", "sed s/u/e/"),
                ("xxevil x", "cut -c3-"),
                ("EVIL X", "tr A-Z a-z"),
                ("x_live", "rev | tr _ ' '"),
                ("evil x;", "sed 's/;//'"),
            )
        )
        told, get = self.random.choice(
            (
                (f"redis-cli set a {quoted(said)}", "redis-cli get a"),
                (f"git config x.y {quoted(said)}", "git config x.y"),
                (f"xclip <<< {quoted(said)}", "xclip -o"),
                (f"frobnicate -o out/kept {quoted(said)}", "cat out/kept"),
            )
        )
        used = self.pick(
            *(f"{get} | {filters} | sh", f"{get} | {filters} | bash -s x", f'eval "$({get} | {filters})"'),
            *(f'sh -c "$({get} | {filters})"', f"sh <({get} | {filters})", f". <({get} | {filters})"),
        )
        return self.joined(told, used)

    def told(self, text: str) -> tuple[str, str]:
        """Something that keeps ``text``, and a use of what gives it back."""
        word = quoted(text)
        tell, get = self.random.choice(
            (
                (f"git commit --allow-empty -m {word}", "git log -1 --format=%s"),
                (f"git commit --allow-empty --message={word}", "git log -1 --format=%B"),
                (f"git tag -m {word} v1", "git tag -l --format='%(contents)' v1"),
                (f"git notes add -m {word}", "git notes show"),
                (f"git stash push -m {word}", "git stash list --format=%s"),
                (f"git config x.y {word}", "git config x.y"),
                (f"id=$(git hash-object -w --stdin <<< {word})", 'git cat-file -p "$id"'),
                (f"tmux set-buffer {word}", "tmux show-buffer"),
                (
                    f"sqlite3 a.db \"insert into t values ('{text.replace(chr(39), chr(39) * 2)}')\"",
                    "sqlite3 a.db .dump",
                ),
                (f"sqlite3 a.db <<< {quoted(quoted(text))}", "sqlite3 a.db 'select * from t'"),
                (f"redis-cli set a {word}", "redis-cli get a"),
                (f"xclip <<< {word}", "xclip -o"),
                (f"echo {word} | pbcopy", "pbpaste"),
                (f"logger {word}", "journalctl -n 1 -o cat"),
                (f"ln -s {word} out/l", "ls -l out"),
                (f"touch {word}", "find . -name 'ev*' -printf '%f\\n'"),
                (f"echo {word} > out/y; tar cf out/a.tar out/y", "tar xOf out/a.tar"),
                (f"echo {word} > out/y; zip out/a out/y", "unzip -p out/a"),
                (f"echo {word} > out/y; gzip out/y", "gzip -dc out/y.gz"),
                (f"echo {word} > out/y; git add out/y", "git show :out/y"),
            )
        )
        return tell, self.used(get)

    def used(self, get: str) -> str:
        return self.pick(
            *(f"{get} | sh", f"{get} | bash -s x", f'eval "$({get})"', f'sh -c "$({get})"', f"sh <({get})"),
            *(f". <({get})", f'sh <<< "$({get})"', f"{get} | xargs -I% sh -c %", f"{get} | timeout 5 sh"),
            *(
                f"{get} > out/x; sh out/x",
                f"{get} | tee out/x; . ./out/x",
                f"{get} | while read -r l; do eval $l; done",
            ),
            *(f'x=$({get}); eval "$x"', f"f() {{ {get}; }}; f | sh", f"bash -c {quoted(get + ' | sh')}"),
            *(f'{get} | perl -ne "system \\$_"', f'trap "$({get})" EXIT', f"source /dev/stdin < <({get})"),
        )

    def by_program(self, text: str) -> str:
        """A program that writes ``text`` into a file as its own language says."""
        said = '"' + text.replace('"', '\\"') + '"'
        program, code = self.random.choice(_WRITING)
        return program + " " + quoted(code.replace("SAID", said)) + " > out/x" * (program in ("jq -rn", "yq -n"))


def quoted(text: str) -> str:
    """``text`` as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"
