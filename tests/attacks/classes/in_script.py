"""What is forbidden, put together by a shell script of words that it holds as data."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from tests.attacks.attack import Attack
from tests.attacks.phrases import ENDING_DECOYS, inside


class InScript(Attack):
    """Attacks the promise that what is forbidden is found where only the shell knows what it puts together.

    ``evil`` and ``x`` stand in arrays, names of functions and aliases, matches, names of files that the script makes
    and in what filters change; in another order, backwards, with a mark between their letters, or letter by letter.
    """

    ground = "in-script"
    rules = """\
prefix_rule(pattern=[["echo", "printf", "touch", "mkdir", "alias", "hash", "cat", "tr", "sed", "rev", "ls"]])
prefix_rule(pattern=["evil", "x"], decision="forbidden")
write_rule(paths=["./**"])
"""
    forbids = True
    shells = ("bash", "zsh", "ksh")

    def script(self) -> str:
        self.least = Decision.FORBIDDEN
        made = self.any_of(self.by_array, self.by_part, self.by_name, self.by_filter, self.by_file, self.by_other)
        if self.chance(0.15):
            made = self.joined(self.pick(*ENDING_DECOYS), made)
        return inside(self, made) if self.chance(0.2) else made

    def by_array(self) -> str:
        return self.pick(
            *('a=(x evil); "${a[1]}" "${a[0]}"', "a=(x evil y); set -- ${a[@]}; $2 $1"),
            *('for w in x evil; do b="$w $b"; done; $b', 'for w in evil x; do c="$c $w"; done; eval "$c"'),
            *("set -- x evil; $2 $1", "read -r a b <<< 'x evil'; $b $a", "IFS=-; set -- $(echo evil-x); $1 $2"),
            'declare -A m=([x]=evil); for k in "${!m[@]}"; do ${m[$k]} $k; done',
            "printf -v c '%s %s' evil x; $c",
            "mapfile -t a <<< $'evil\\nx'; \"${a[@]}\"",
        )

    def by_part(self) -> str:
        mark = self.pick(*"ZQ_7")
        cut = int(self.pick(*"123"))
        marked = mark.join(("evil"[:cut], "evil"[cut:]))
        before, behind = self.pick("", "a", "zz"), self.pick("", "b", "yy")
        return self.pick(
            *(f"c={marked}; ${{c/{mark}/}} x", f"c={marked}; ${{c//{mark}}} x", f"c={mark}evil; ${{c#{mark}}} x"),
            f"c=evil{mark}; ${{c%{mark}}} x",
            *(f"c=evil{mark}x; ${{c/{mark}/ }}", f"c={before}evil{behind}; ${{c:{len(before)}:4}} x"),
            *("[[ evil-x =~ ^(.*)-(.*)$ ]] && ${{BASH_REMATCH[1]}} x", "c=EVIL; ${c,,} x", "c=live; $(rev <<< $c) x"),
            'c=live; while [ -n "$c" ]; do d=${c:0:1}$d; c=${c:1}; done; $d x',
            f"c={'evil'[:cut]}; d={'evil'[cut:]}; $c$d x",
            'for c in 101 118 105 108 32 120; do s+=$(printf "\\\\$(printf %o $c)"); done; eval "$s"',
        )

    def by_name(self) -> str:
        return self.pick(
            *("x() { evil $FUNCNAME; }; x", "evil() { command ${FUNCNAME[0]} x; }; evil", "x() { evil $0; }; x"),
            "shopt -s expand_aliases\nalias g='evil ' q=x\ng q",
            *("alias g=evil\ng x", "alias -g Q=x; eval 'evil Q'", "hash -p $(command -v evil) z; z x"),
            'command_not_found_handle() { evil "${1#z}"; }; zx',
            *("command_not_found_handle() { ${1//_/ }; }\nevil_x", "command_not_found_handler() { evil ${1#z}; }\nzx"),
        )

    def by_filter(self) -> str:
        mark = self.pick(*"ZQ_7")
        filters = self.pick(f"tr {mark} ' '", f"sed 's/{mark}/ /'", f"tr -d '\\n' | tr {mark} ' '")
        marked = f"evil{mark}x"
        return self.pick(
            *(f"echo {marked} | {filters} | sh", f"sh <<< $(echo {marked} | {filters})"),
            *(f"eval $(echo {marked} | {filters})", f"$(echo {marked} | {filters})", "echo 'x live' | rev | sh"),
            *(f"echo {marked} > f; {filters} < f | sh", f"printf '{marked[:3]}%s' {marked[3:]} | {filters} | sh"),
        )

    def by_file(self) -> str:
        return self.pick(
            *(
                "mkdir d; cd d; touch x; evil *",
                "mkdir d; cd d; touch evil; $(ls) x",
                "mkdir -p evil; cd evil; ${PWD##*/} x",
            ),
            *("mkdir d; cd d; touch x; ls | xargs evil", "cat > f <<'E'\nevil $1\nE\nsh f x"),
        )

    def by_other(self) -> str:
        """By functions, variables and arguments that another script gives."""
        given, call = self.random.choice(
            (
                ('g() { evil "$@"; }', "g x"),
                ('g() { "$2" "$1"; }', "g x evil"),
                ("g() { $1 x; }", "g evil"),
                ('g() { h "$1"; }; h() { evil "$@"; }', "g x"),
                ("c=x", "evil $c"),
                ("c=evil; d=x", "$c $d"),
                ("set -- x evil", '"$2" "$1"'),
            )
        )
        exported = "export -f g" if "g()" in given else "export c d"
        return self.pick(
            *(
                f"eval '{given}'; {call}",
                f"echo '{given}' > f.sh; . ./f.sh; {call}",
                f"eval \"eval '{given}'\"; {call}",
            ),
            *(f". /dev/stdin <<'E'\n{given}\nE\n{call}", f"trap '{given}' DEBUG; :; {call}"),
            *(f". <(echo '{given}'); {call}", f"{given}; {exported}; bash -c '{call}'"),
        )
