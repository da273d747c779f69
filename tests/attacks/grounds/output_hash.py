"""Substitutions from which an option comes where names of objects were expected."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.phrases import DECOYS, inside

_KNOWN = (
    "git rev-parse HEAD",
    "git rev-parse --short HEAD",
    "git rev-parse --verify HEAD",
    "git rev-parse --verify -q HEAD",
    "git rev-parse --short=7 HEAD",
    "git rev-list --all",
    "git rev-list -n 1 HEAD",
    "git rev-list -1 HEAD",
    "git rev-list --tags",
    "git rev-list --reverse --all",
    "git log --format=%H",
    "git log -1 --format=%h",
    "git log --format=format:%H",
    "git log --reverse --format=%h",
    "git merge-base HEAD HEAD",
    "git merge-base --all HEAD HEAD",
)
"""Calls that print names of objects only."""


class OutputHash(Attack):
    """Attacks ``output-hash``.

    ``git show $(git rev-parse HEAD)`` is safe although the word is dynamic, because that call prints nothing that
    starts with a dash. It would break where git prints names or what it was given (``rev-parse --…``, tags, formats
    with text of their own), where an error or another command joins the output, where a filter reads its own input,
    and where a name is split or is empty and the next word moves up. The folder holds a tag and a file with
    ``--output=owned``, which writes a file.
    """

    ground = "output-hash"
    shells = ("bash", "sh", "posix-bash", "sh-mksh", "zsh", "ksh", "busybox")

    def script(self) -> str:
        text = self.output()
        output = f"`{text}`" if "`" not in text and "$" not in text and self.chance(0.1) else f"$({text})"
        script = self.use(output)
        if self.chance(0.2):
            script = (
                self.pick(*DECOYS, "exec 2>&1", "cd sub", "x=1", "IFS=e", "IFS=0123456789")
                + self.pick("; ", "\n")
                + script
            )
        return inside(self, script) if self.chance(0.15) else script

    def names(self) -> str:
        if self.chance(0.6):
            return self.pick(*_KNOWN)
        bad = self.pick(
            "--output=owned",
            "'x --output=owned'",
            "$'x\\n--output=owned\\ny'",
            "HEAD",
            "HEAD^",
            "HEAD a.txt",
            "-- a.txt",
        )
        return self.pick(
            "git rev-parse HEAD",
            "git rev-parse --short HEAD",
            "git rev-parse --verify HEAD",
            f"git rev-parse {bad}",
            f"git rev-parse --short {bad}",
            f"git rev-parse --verify -q {bad}",
            f"git rev-parse -- {bad}",
            f"git rev-parse --default {bad}",
            f"git rev-parse --abbrev-ref {bad}",
            "git rev-parse --symbolic --tags",
            "git rev-parse --abbrev-ref --tags",
            "git rev-list --all",
            "git rev-list -n 1 HEAD",
            "git rev-list -1 HEAD",
            "git rev-list --max-count=1 HEAD",
            f"git rev-list -1 {bad}",
            f"git rev-list --all {bad}",
            "git rev-list --all --format=--output=owned",
            "git rev-list --all --header",
            "git rev-list --parents HEAD",
            "git rev-list --left-right HEAD",
            "git rev-list --boundary HEAD",
            "git rev-list --objects HEAD",
            "git rev-list --disk-usage HEAD",
            "git log --format=%H",
            "git log -1 --format=%h",
            "git log --format=%D",
            "git log --format=%d",
            "git log -1 --format=--output=owned",
            "git log --format=format:%H -1",
            "git log --format=%H --stat",
            "git log --format=%H -p",
            "git log --format=%H --graph",
            "git log --format=%H --source",
            "git log --format=%H --decorate",
            f"git log --format=%H {bad}",
            "git log -1 --format=%H%n--output=owned",
            "git log --pretty=%H -1",
            "git merge-base HEAD HEAD",
            f"git merge-base HEAD {bad}",
            "git merge-base --all HEAD HEAD",
            "git merge-base -h",
            "git describe --tags",
            "git describe --all",
            "git tag",
            "git tag --list",
            "git branch --show-current",
            "git for-each-ref --format='%(refname:short)'",
            "git for-each-ref --format='%(objectname)'",
            "git name-rev --name-only HEAD",
            "git symbolic-ref --short HEAD",
            "git show-ref --hash",
            "git show-ref --tags",
            "git ls-files",
            "git stash list",
            "git hash-object a.txt",
            "git write-tree",
            "git log --format=%H --author $opt",
            'git log --format=%H --grep "$opt"',
            'git rev-list --all --grep "$word"',
            "git log --format=%H -g",
            "git log --reverse --format=%H",
            "git -C sub rev-parse HEAD",
            "git --git-dir=.git rev-parse HEAD",
            "git log --format=%H -n 0",
        )

    def output(self) -> str:
        names = self.names()
        redirect = self.pick(
            *[""] * 6, "2>&1", "2>/dev/null", "2>/dev/stdout", "&>/dev/stdout", "< revs", ">&2", "2>>/dev/stdout"
        )
        made = f"{names} {redirect}".strip()
        if self.chance(0.35):
            return made
        if self.chance(0.5):
            own = self.pick(
                *[""] * 8, "< revs", "<<< --output=owned", "<<E\n--output=owned\nE\n", "0< revs", "<> revs", "< nofile"
            )
            chosen = self.pick(
                "cat", "head -n 1", "head -1", "tail -1", "sort", "sort -r", "uniq", "tac", "tail -n +1", "sort -u"
            )
            return f"{made} | {chosen} {own}".rstrip(" ")
        return self.pick(
            f"{made} | cat",
            f"{made} | head -n 1",
            f"{made} | tail -1",
            f"{made} | head -1 < revs",
            f"{made} | cat < revs",
            f"{made} | cat revs",
            f"{made} | cat - revs",
            f"{made} | sort",
            f"{made} | sort -r revs",
            f"{made} | uniq < revs",
            f"{made} | tac <<< --output=owned",
            f"{made} | head -n 1 <<E\n--output=owned\nE\n",
            f"{made} |& head -2 | tail -1",
            f"{made} |& cat",
            f"{made} | grep -v x",
            f"{made} | sed -n 1p",
            f"{made} | cut -c 1-",
            f"{made} | head -c 3",
            f"{made} | tail -c 20",
            f"{made}; cat revs",
            f"cat revs; {made}",
            f"{made} || cat revs",
            f"{made} && cat revs",
            f"cat revs | {made}",
            f"{{ {made}; }} 2>&1",
            f"{{ {made}; cat revs; }}",
            f"( {made} ) 2>&1 | head -1",
            f"{{ echo --output=owned >&2 | {made}; }} 2>&1",
            f"if true; then {made}; fi",
            f"while true; do {made}; break; done 2>&1",
            f"GIT_TRACE=1 {made} 2>&1",
            f"x=1 {made}",
            f"timeout 5 {made}",
            f"command {made}",
            f"echo $({made})",
            f"f() {{ cat revs; }}; {made}",
            f"cd sub; {made}",
            f"! {made}",
            f"[ -f revs ] && {made}",
            f"{made} >(cat revs)",
            f"{made} <(cat revs)",
            f"{made} | cat <(cat revs)",
            f"{made} | tee revs",
            f"{made} | xargs echo",
            f"{made} | paste -s",
            f"{made} | rev",
            f"{made} | head -n 1 -- revs",
        )

    def use(self, output: str) -> str:
        if self.chance(0.4):
            output = f'"{output}"'
        if self.chance(0.5):
            return f"{self.pick('git show', 'git log -1', 'git diff', 'git show --stat')} {output}"
        command = self.pick(
            "git show",
            "git log -1",
            "git diff",
            "git diff --stat",
            "git show --stat",
            "git log --oneline",
            "git diff HEAD",
        )
        return self.pick(
            f"{command} {output}",
            f"{command} {output}",
            f'{command} "{output}"',
            f"{command} {output} -- a.txt",
            f"{command} {output}..HEAD",
            f"{command} {output}^",
            f'{command} "{output}:a.txt"',
            f"{command} {output}-x",
            f"{command} {output}--output=owned",
            f"{command} {output}=owned",
            f"x={output}; {command} $x",
            f'x={output}\n{command} "$x"',
            f'x={output}; {command} "$x" HEAD',
            f"x={output}; {command} ${{x}}..HEAD",
            f"for c in {output}; do {command} $c; done",
            f'for c in {output}; do {command} "$c"; done',
            f"while read -r c; do {command} $c; done <<< {output}",
            f"a=({output}); {command} ${{a[0]}}",
            f'a=({output}); {command} "${{a[@]}}"',
            f"f() {{ {command} $1; }}; f {output}",
            f'f() {{ {command} "$1"; }}; f {output}',
            f"set -- {output}; {command} $1",
            f"x={output}; y=$x; {command} $y",
            f"x={output} && {command} $x --",
            f"local x={output}; {command} $x",
            f"export x={output}; {command} $x",
            f"{command} $({output})",
            f"{command} {output} {output}",
            f'{command} ""{output}',
            f"{command} ''{output}-owned",
            f"x={output}; {command} ${{x:0:8}}",
            f"x={output}; {command} ${{x#a}}",
            f"sort {output} a.txt",
            f"rg {output} a.txt",
        )
