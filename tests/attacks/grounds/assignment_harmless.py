"""Names and values of assignments that have a meaning after all."""

from __future__ import annotations

from execpolicy.shell.variables import _PLAIN_UPPER, ANY_VALUE
from tests.attacks.attack import EVIL, Attack
from tests.attacks.phrases import DECOYS, inside

_MEANING = (
    *("PATH", "IFS", "HOME", "CDPATH", "ENV", "BASH_ENV", "PS4", "PS1", "GLOBIGNORE", "FIGNORE", "OPTIND", "RANDOM"),
    *("SECONDS", "LINENO", "HISTFILE", "HISTCMD", "POSIXLY_CORRECT", "BASH_COMPAT", "TMOUT", "LD_PRELOAD", "SHELL"),
    *("EXECIGNORE", "TIMEFORMAT", "PROMPT_COMMAND", "MAILPATH", "TMPDIR", "GREP_OPTIONS", "LS_OPTIONS", "LESSOPEN"),
    *("NULLCMD", "READNULLCMD", "FPATH", "MODULE_PATH", "RPS1", "SPROMPT", "WATCH", "EDITOR", "VISUAL", "FCEDIT"),
    *("path", "fpath", "argv", "cdpath", "commands", "functions", "aliases", "options", "status", "psvar", "prompt"),
    *("KSH_VERSION", "EXECSHELL", "TTY", "SHLVL", "EUID", "UID", "PPID", "ERRNO", "COLUMNS", "LINES", "GIT_DIR"),
    *("RIPGREP_CONFIG_PATH", "BLOCKSIZE", "TZ", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LANGUAGE"),
    *("HISTCHARS", "histchars", "_", "BASHOPTS", "SHELLOPTS", "FUNCNEST", "MATCH", "match", "REPLY", "key", "STTY"),
    *("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_CONFIG_COUNT", "savehist", "mbegin", "KEYTIMEOUT", "ZDOTDIR"),
    *("LISTMAX", "DIRSTACKSIZE", "SAVEHIST", "BAUD", "TIMEFMT", "WORDCHARS", "LOGCHECK", "CHILD_MAX", "EPOCHSECONDS"),
)
_LOCALES = ("C", "POSIX", "en_US.UTF-8", "C.UTF-8", "zh_CN.GBK", "zh_TW.BIG5", "tr_TR.ISO-8859-9", "zh_CN.gbk", "x")
_READ_OTHERWISE = (
    "echo 中\\;evil",
    'echo "中\\"; evil #"',
    'echo "功\\"; evil; echo "x"',
    "echo 許\\;evil",
    "echo $'中\\'; evil #'",
    "echo 中\\|evil",
    "echo 中\\\nevil",
    "cat <<中\\\nx\n中\\\nevil",
    'echo "中\\$(evil)"',
    'echo "中\\`evil`"',
    'D "中\\"; evil #"',
)
"""The last byte of these letters is a backslash in GBK or BIG5, as UTF-8 it belongs to the letter."""


class AssignmentHarmless(Attack):
    """Attacks ``assignment-harmless``.

    Short lists say which names, with which values, mean nothing to the shell and to the programs that entries speak
    for. Beside names that were overlooked, three things would break it: a locale in which later text is read
    otherwise (the second byte of a letter in GBK, BIG5 and their like is a backslash; bash reads the next line with
    it), a shell that evaluates the value because it holds the variable as an integer (zsh, ksh), and a value that
    is itself a secret and is then printed from a variable with a harmless name.
    """

    ground = "assignment-harmless"
    shells = ("bash", "sh", "posix-bash", "zsh", "ksh", "ksh93", "sh-mksh", "busybox")

    def script(self) -> str:
        kind = self.random.random()
        if kind < 0.3:
            return self.locale()
        if kind < 0.5:
            return self.secret()
        harmless = self.random.random() < 0.6
        name = self.random.choice((*sorted(ANY_VALUE), *sorted(_PLAIN_UPPER))) if harmless else self.pick(*_MEANING)
        name += self.pick("", "", "", "", "", "[0]", "[$(evil)]", "[num]", "+")
        value = self.pick(
            *(f"'{text}'" for text in EVIL),
            *("1", ".", "./sub", "$num", "'1 PATH=.'", "(1 2)", "('$(evil)')", "$(cat f)", "$((1))", "x:~", "'.*'"),
            *("evil", "'!evil'", "./evil.sh", "'|evil'", "'$(evil)'", "a.txt", "", "~", "{a,b}", "([num]=1)"),
        )
        given = f"{name}={value}"
        given = self.pick(
            given,
            given,
            given,
            f"export {given}",
            f"x=1 {given}",
            f"{given} y=2",
            f"for {name.rstrip('+')} in {value.strip('()') or 'x'}; do :; done",
            f"read -r {name} < f",
            f"printf -v {name} %s {value.strip('()')}",
        )
        use = self.pick(
            *("ls", "echo *", "cat a.txt", "git log -1", "git diff", "bash -c ls", "cd sub", "set -x; ls", "A x"),
            *("sh -c 'echo $0'", "grep one a.txt", "printf '%s\\n' x", "echo $((1+1))", "sleep 0", "read -r z < b.txt"),
            *(f"echo ${name.partition('[')[0].rstrip('+')}", "date", "sort a.txt", "ls a* | head -1", "echo ~", "wait"),
        )
        both = (
            f"{given} {use}" if self.chance(0.35) and not given.startswith(("for", "read")) else self.joined(given, use)
        )
        if self.chance(0.2):
            both = self.joined(self.pick(*DECOYS), both)
        return inside(self, both) if self.chance(0.15) else both

    def locale(self) -> str:
        name = self.pick("LC_ALL", "LANG", "LC_CTYPE", "LC_ALL", "LC_CTYPE", "LANGUAGE", "LC_COLLATE", "LC_X")
        value = self.pick(*_LOCALES)
        text = self.pick(*_READ_OTHERWISE)
        given = self.pick(
            f"{name}={value}",
            f"{name}='{value}'",
            f"export {name}={value}",
            f"declare -x {name}={value}",
            f"declare {name}={value}",
            f"f() {{ local {name}={value}; }}; f",
            f"readonly {name}={value}",
            f"typeset -g {name}={value}",
            f"unset LC_ALL; {name}={value}",
            f"for {name} in {value}; do :; done",
            f"read -r {name} <<< {value}",
            f"printf -v {name} %s {value}",
            f"{name}=C; {name}={value}",
        )
        quoted = "'" + text.replace("'", "'\\''") + "'"
        return self.pick(
            f"{given}\n{text}",
            f"{given}\n{text}",
            f"{given}; {text}",
            f"{given}\nset -e\n{text}",
            f"{name}={value} bash -c {quoted}",
            f"export {name}={value}; bash -c {quoted}",
            f"env {name}={value} bash -c {quoted}",
            f"{name}={value} sh -c {quoted}",
            f"f() {{ {text}\n}}\n{given}\nf",
            f"{given}\nif true; then\n{text}\nfi",
            f"{name}={value} cat a.txt\n{text}",
        )

    def secret(self) -> str:
        token = self.pick("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY")
        source = self.pick(
            f"${token}", f"${{{token}}}", f'"${token}"', f"${{{token}:-x}}", f"${{{token}#x}}", f"x${token}"
        )
        name = self.pick("CI", "x", "MSG", "NO_COLOR", "LINE", "y", "FORCE_COLOR", "msg")
        return self.pick(
            f"{name}={source} printenv {name}",
            f"{name}={source}; echo ${name}",
            f"{name}={source}; echo ${{{name}}} | cat",
            f"{name}={source}\nprintf '%s\\n' \"${name}\"",
            f"export {name}={source}; printenv {name}",
            f"{name}={source} bash -c 'echo ${name}'",
            f"export {name}={source}; bash -c 'echo ${name}'",
            f"set -x; {name}={source}",
            f"{name}={source} git log -1",
            f"{name}={source}; cat <<< ${name}",
            f"{name}={source}; cat <<E\n${name}\nE",
            f"{name}={source}; declare -p {name}",
            f"{name}=({source}); echo ${{{name}[0]}}",
            f"for {name} in {source}; do echo ${name}; done",
            f"{name}={token}; echo ${{!{name}}}",
            f"{name}={source}; y=${name}; echo $y",
            f"{name}={source}; echo ${{#{name}}}",
            f"{name}={source}; [ ${name} = x ] && echo y",
            f"f() {{ local {name}={source}; echo ${name}; }}; f",
            f'{name}={source}; cd "${name}"',
            f'{name}={source}; ls "${name}"',
            f"x={source}; ${{x:?}}; : ${{y:?$x}}",
        )
