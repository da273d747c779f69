"""What is forbidden, in the words, the input or the environment of a program that a rule allows."""

from __future__ import annotations

from tests.attacks.attack import Attack
from tests.attacks.leak import FORBIDDING
from tests.attacks.phrases import DECOYS, inside


class InPrograms(Attack):
    """Attacks the guarantee that a forbidden command is found in what the words of an allowed program visibly run.

    Each program is given ``evil`` in the way that its manual says it runs something: in a program text, an option, a
    setting, a variable, a file of orders or its input. The outer program is allowed by a rule, so that nothing but the
    reading of its words stands between. Where the text shows what runs, the script must be forbidden.
    """

    ground = "in-programs"
    rules = FORBIDDING
    forbids = True
    shells = ("bash", "zsh", "ksh", "sh")

    def script(self) -> str:
        self.evident = True
        made = self.any_of(self.language, self.language, self.editor, self.setting, self.wrapper, self.by_input)
        if self.shell == "sh" and ("<<<" in made or "<(" in made):
            made = self.wrapper()
        if self.chance(0.15):
            made = self.joined(self.pick(*DECOYS), made)
        return inside(self, made) if self.chance(0.2) else made

    def command(self) -> str:
        """A text for a shell."""
        return self.pick(
            "evil",
            "evil x",
            "evil x",
            "A; evil x",
            "true && evil",
            "exec evil",
            "env evil x",
            "sh -c evil",
            "evil 2>&1",
        )

    def language(self) -> str:
        text = self.command()
        awk = self.pick("awk", "gawk", "mawk")
        python = self.pick("python3 -c", "python3 -Sc", "python3 -I -c")
        return self.pick(
            f"{awk} 'BEGIN {{ system(\"{text}\") }}'",
            f"{awk} 'BEGIN {{ system(ARGV[1]) }}' '{text}'",
            f"{awk} -v c='{text}' 'BEGIN {{ system(c) }}'",
            f"{awk} 'BEGIN {{ \"{text}\" | getline; print }}'",
            f"{awk} '{{ print | \"{text}\" }}' a.txt",
            f"{awk} 'BEGIN {{ c = \"{text}\"; system(c) }}'",
            f'{awk} \'BEGIN {{ system("ev" "il") }}\'',
            f"{awk} '{{ system($0) }}' c='{text}' <<< '{text}'",
            f"sed '1e {text}' a.txt",
            f"sed -n 's/.*/{text}/ep' a.txt",
            f"sed -e 1p -e '1e {text}' a.txt",
            "perl -e 'exec @ARGV' evil x",
            f"perl -e 'system(\"{text}\")'",
            "perl -e 'system qw(evil x)'",
            f"perl -e 'print `{text}`'",
            f"perl -e 'open(F, \"{text}|\"); print <F>'",
            f"perl -ne 'system $_' <<< '{text}'",
            f"perl -we 'system(shift)' '{text}'",
            f"perl -MPOSIX -e 'exec(\"{text}\")'",
            f"{python} 'import os; os.system(\"{text}\")'",
            f'{python} \'import subprocess; subprocess.run(["evil", "x"])\'',
            f"{python} 'import subprocess as s; s.call(\"{text}\", shell=True)'",
            f"{python} 'import os, sys; os.system(sys.argv[1])' '{text}'",
            f"{python} 'import subprocess, sys; subprocess.run(sys.argv[1:])' evil x",
            f'{python} \'import os; os.execvp("evil", ["evil"])\'',
            f"{python} 'import pty; pty.spawn(\"evil\")'",
            f"python3 -m timeit -n 1 -r 1 'import os; os.system(\"{text}\")'",
            f'node -e \'require("child_process").execSync("{text}")\'',
            'node -p \'require("child_process").spawnSync("evil", ["x"])\'',
            f"tclsh <<< 'exec {text.split(';')[-1].strip()}'",
            "tclsh <(echo 'exec evil x')",
            f"sqlite3 :memory: '.sh {text}'",
            f"sqlite3 :memory: '.system {text}'",
            f"sqlite3 :memory: 'select 1;' '.shell {text}'",
            f"sqlite3 -cmd '.sh {text}' :memory: 'select 1'",
            f"groff -U <<< '.sy {text}'",
            f"gdb -batch -ex 'shell {text}'",
            f"gdb -batch -ex '!{text}'",
        )

    def editor(self) -> str:
        text = self.command()
        return self.pick(
            f"ed <<< '!{text}'",
            f"printf '!{text}\\nq\\n' | ed -s",
            f"ed -s a.txt <<'E'\n!{text}\nq\nE",
            f"ed -s '!{text}' <<< q",
            f"printf 'r !{text}\\nq\\n' | ed -s a.txt",
            f"vim -es -c '!{text}' -c q",
            f"ex -sc '!{text}' -c q",
            f"vim -es -c 'call system(\"{text}\")' -c q",
            f"vim -es +'!{text}' +q",
            f"ex -s <<< '!{text}'",
            f"vim -es -c 'r !{text}' -c q! a.txt",
            f"vi -es --cmd '!{text}' -c q",
            f"script -qc '{text}' /dev/null",
            f"script -q /dev/null -c '{text}'",
            f"man -P '{text}' ls",
            f"PAGER='{text}' man ls",
        )

    def setting(self) -> str:
        text = self.command()
        return self.pick(
            f"git -c alias.x='!{text}' x",
            f"git -c core.pager='{text}' -p log",
            f"git -c alias.x='!f() {{ {text}; }}; f' x",
            f"GIT_PAGER='{text}' git -p log",
            f"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!{text}' git x",
            f"git --config-env=alias.x=c x; c='!{text}' git --config-env=alias.x=c x",
            f"git grep -O'{text}' one",
            f"GIT_EDITOR='{text}' git commit --allow-empty",
            f"EDITOR='{text}' git commit --allow-empty",
            f"git -c core.editor='{text}' commit --allow-empty",
            f"git rebase -x '{text}' HEAD",
            f"git bisect run {text.split(';')[-1].split('&&')[-1]}",
            f"GIT_SSH_COMMAND='{text}' git fetch ssh://h/x",
            f"git -c core.sshCommand='{text}' ls-remote ssh://h/x",
            f"git ls-remote 'ext::{text}'",
            "git -c protocol.ext.allow=always ls-remote 'ext::evil x'",
            f"git -c diff.external='{text}' diff HEAD --no-index a.txt b.txt",
            "GIT_EXTERNAL_DIFF='evil' git diff --no-index a.txt b.txt",
            f"make --eval='$(shell {text})' -f /dev/null",
            "MAKEFLAGS='--eval=$(shell\\ evil)' make -f /dev/null",
            f"tar cf /dev/null --checkpoint=1 --checkpoint-action='exec={text}' a.txt",
            f"tar -I '{text}' -cf out/x a.txt",
            "tar cIf 'evil' out/x a.txt",
            "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=evil' tar cf /dev/null a.txt",
            f"tar --use-compress-program='{text}' -cf out/x a.txt",
            f"tar cf out/y a.txt; tar xf out/y --to-command='{text}'",
            f"zip -q -TT '{text}' -T out/z a.txt",
            f"ssh -o ProxyCommand='{text}' h",
            f"ssh -oPermitLocalCommand=yes -o 'ProxyCommand {text}' h",
            "rg --pre evil one a.txt",
            "sort --compress-program=evil -S 1K a.txt",
            f"split --filter='{text}' a.txt",
            f"BASH_ENV=<(echo '{text}') bash -c :",
            f"less() {{ {text}; }}; less",
            f"PS4='$({text})' bash -xc :",
            f"LESSOPEN='|{text} %s' less a.txt",
        )

    def wrapper(self) -> str:
        text = self.command()
        words = self.pick("evil", "evil x", "env evil", "evil 'x y'", "'evil' x", "sh -c evil")
        before = self.pick(
            *(
                "env",
                "env -i PATH=$PATH",
                "env X=1",
                "nice -n 5",
                "timeout 5",
                "timeout -k 1 5",
                "nohup",
                "stdbuf -oL",
                "setsid -w",
            ),
            *(
                "command",
                "exec",
                "busybox env",
                "busybox",
                "xargs",
                "echo x | xargs",
                "xargs -a a.txt",
                "setpriv --reuid 0",
            ),
            *(
                "flock out/l",
                "ionice -c3",
                "taskset 1",
                "chrt -i 0",
                "cmake -E env",
                "cmake -E time",
                "unshare",
                "strace -o /dev/null",
            ),
            *(
                "env -S 'nice -n 1'",
                "find a.txt -exec",
                "time",
                "!",
                "env -u X",
                "exec -a A",
                "script -qc",
                "bash -c '\"$@\"' _",
            ),
        )
        end = " {} +" if before.startswith("find") else ""
        if before == "script -qc":
            return f"script -qc '{text}' /dev/null"
        return self.pick(
            f"{before} {words}{end}",
            f"{before} {words}{end}",
            f"{before} sh -c '{text}'{end}",
            f"env -S '{words.replace(chr(39), '')}'",
            f"capsh -- -c '{text}'",
            f"runuser -u root -- {words}",
            f"find a.txt -exec {words} ';'",
            f"find a.txt -execdir {words} {{}} +",
            f"find . -maxdepth 1 -name b.txt -okdir {words} ';'",
            f"echo {words} | xargs -I_ sh -c _" if "'" not in words else f"xargs {words}",
            "echo evil x | xargs env",
            "printf '%s\\n' evil | xargs -n1 env",
            "echo x | xargs -I_ evil _",
            f"flock out/l -c '{text}'",
            f"bash -c '{text}'",
            f"bash -lc '{text}' _ x",
            f"zsh -fc '{text}'",
            f"busybox sh -c '{text}'",
            f"trap '{text}' EXIT",
            f"eval '{text}'",
            f"coproc {words}; wait",
        )

    def by_input(self) -> str:
        text = self.command()
        return self.pick(
            *(
                f"sh <<< '{text}'",
                f"bash <<'E'\n{text}\nE",
                f"echo '{text}' | sh",
                f"printf '%s\\n' '{text}' | bash -s x",
            ),
            *(
                f"bash <(echo '{text}')",
                f"source <(echo '{text}')",
                f". /dev/stdin <<< '{text}'",
                f"bash /dev/stdin <<< '{text}'",
            ),
            *(f"cat <<< '{text}' | sh", f"cat <(echo '{text}') | bash", f"tee out/x <<< '{text}' | sh"),
            *(f"bash < <(echo '{text}')", f"bash 0<<< '{text}'", f"echo '{text}' | bash -"),
            *(
                f"awk '{{ system($0) }}' <<< '{text}'",
                f"echo '{text}' | awk '{{ system($0) }}'",
                f"echo '{text}' | perl -ne 'system $_'",
            ),
            *(f"echo '{text}' | xargs -0 sh -c", f"printf '%s\\0' '{text}' | xargs -0 -n1 sh -c"),
            *(f"echo 'import os; os.system(\"{text}\")' | python3", f"python3 <<< 'import os; os.system(\"{text}\")'"),
            *(
                f"perl <<< 'system(\"{text}\")'",
                f'node <<< \'require("child_process").execSync("{text}")\'',
                f"read -r x <<< '{text}'; eval \"$x\"",
            ),
            *(
                "while read -r x; do $x; done <<< 'evil x'",
                "mapfile -t x <<< evil; ${x[0]} y",
                f"sqlite3 <<< '.sh {text}'",
            ),
            *(f"echo '{text}' | tee /dev/stderr | sh", f"{{ echo '{text}'; }} | sh"),
        )
