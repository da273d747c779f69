"""More productions: what agents really write, and odd mixes of what bash has.

Everything here is a list of snippets in which ``%w`` stands for a random word, ``%d`` for a dollar expansion, ``%n``
for a nested list of commands, ``%v`` for a variable's name, ``%f`` for a file that is written, ``%r`` for one that is
read.
"""

from __future__ import annotations

import re

from tests.bash_judge.generate import FILES, READABLE, VARIABLES, Generator, weight

_SLOT = re.compile("%[wdnvfrs]")

EVERYDAY = (
    "git status && git diff HEAD~1 2>&1 | head -50",
    "cd src && FOO=1 make -n",
    "cd %w && A %w",
    "grep -rn \"foo|bar\" --include='*.py' . | head -%w",
    "find . -name '*.txt' -exec grep %w {} \\;",
    "find . \\( -name a -o -name 'b*' \\) -print0 | xargs -0 A %w",
    "python - <<'EOF'\nimport os; print('a|b; c')\nif x: y()\nEOF\n",
    "sed -i 's/a/b;c/' %r",
    "sed -n '/^a$/,/b/p' %r | B",
    'for f in $(ls); do wc -l "$f"; done',
    'for f in *.txt; do A "$f" > "%f"; done',
    "cat > %f <<EOF\nline $x $(A in) `B in`\n\\$y \\\\ \\`C\\`\nEOF\n",
    'cat <<-"EOF" | A %w\n\tline $x $(A not)\n\tEOF\n',
    "[ -f %r ] || exit 1",
    "set -euo pipefail\nA %w",
    'curl -s "http://x?y=1&z=2" | jq \'.a[] | select(.b=="c")\'',
    "awk '{print $1, \"$x\"; }' %r | sort -u",
    'echo "a$(date)b" >> %f',
    "A %w 2>/dev/null || true",
    "A %w >/dev/null 2>&1 &",
    "(cd %w && A; B) | tee %f",
    "git commit -m \"$(cat <<'EOF'\nit's a message (really); A x\n\n- `not run` $(neither)\nEOF\n)\"",
    'A "$(B "$(C "%w")")" \'%w\'',
    'if ! A %w; then echo "no: $?" >&2; fi',
    'while read -r x; do A "$x"; done < %r',
    "while IFS= read -r x y; do A \"$x\" $y; done <<< 'p q'",
    'A --opt="%w" -x=%w -- %w',
    "npm test -- --grep 'a (b)' 2>&1 | tail -n 20",
    "docker run --rm -v \"$PWD\":/x img sh -c 'A; B'",
    "ls -la | grep '^d' | awk '{print $NF}'",
    'test -n "$x" && A || B',
    "A && { B; C; } || { D; E %w; }",
    "printf '%s\\n' a b | while read x; do A \"$x\"; done",
    "export x=%w; A $x",
    'x=$(A %w); B "$x" ${x}',
    "x=`A %w`; B $x",
    'y="$(A "%w" | B)" C %w',
    "timeout 5 A %w",
    "A $(B %w) $(C %w)",
    "pytest -q 2>&1 | tail -5; echo $?",
    "A 'it'\\''s' \"%w\"'%w'",
    "A \\\n  --one %w \\\n  --two=%w \\\n  | B",
    "# comment with 'quote and $(A no)\nA %w # other `B no`",
    "A <(B %w) <(C)",
    "diff <(A | B) <(C 2>&1)",
    "B > >(A %w) 2> >(C)",
    "echo {a,b}{1..3} | A",
    "A ${x:-%w} \"${y:-$(B)}\" '${z}'",
    "mkdir -p a/b && touch a/b/{c,d}.txt",
    "kill %1 2>/dev/null; A",
    "A |& B",
    "A 2>&1 1>&3 3>&- | B",
    "{ A; B; } 2>&1 | C %w",
    'cat %r | while read -r line; do case $line in a*) A;; *) B "$line";; esac; done',
)
"""Lines as agents write them."""

ODD = (
    'read -r x y < %r; A $x "$y"',
    'read -ra arr <<< "a b %w"; A "${arr[@]}"',
    'mapfile -t arr < %r; A "${arr[0]}"',
    "getopts ab: x -a; A $x $OPTARG",
    "printf -v x '%s' %w; A $x",
    "IFS=,; A $x %d",
    "IFS=%w; x=a,b:c; A $x ${x}",
    "local -n y=x; A $y",
    "declare -n y=x; y=%w; A $x",
    "declare -A arr=([k]=v [l]=%w); A ${arr[k]}",
    "declare -i i=5+2; A $i",
    "declare -u x=%w; A $x",
    'declare x=%w y; A "$x"',
    "set -f; A * %w; set +f",
    "set -o noglob; A *",
    "shopt -s nullglob; A nomatch* %w",
    "shopt -s dotglob nocaseglob; A *",
    'set -- a \'b c\' %w; A "$@" $# $1; shift; A "$*"',
    'unset x; A ${x} "${x}"',
    "unset arr[0]; A ${arr[@]}",
    "trap 'A t' EXIT",
    "trap 'B %w' 0; C",
    "eval 'A %w'",
    "eval \"A %w\"; eval A '%w' ';' B",
    "eval A %w",
    "command A %w",
    "command -p A %w",
    "builtin echo %w; command -v A",
    "exec 3>&1; A >&3; exec 3>&-",
    "exec {fd}>%f; A >&$fd; exec {fd}>&-",
    "A {fd}>%f {x}<%r",
    ". ./%r; A",
    "let i=1+1 'j = 2'; A $i",
    'A "$((i+=2))" $((i ? 1 : 2)) $(( (1) ))',
    "A $(( $(B 1)1 + 2 )) $(($x))",
    "alias z='A x'; z %w",
    "shopt -s expand_aliases\nalias z='A x'\nz %w",
    "type A; hash; wait; A & wait $!",
    "[[ $x =~ ^[a-z]+(x|y)$ ]] && A",
    "[[ $x == a* && ( -z $y || -n $x ) ]] || A %w",
    "[[ %w =~ a\\ b|'c d' ]]; A",
    "[[ x == +(x|y)* && a != !(b) ]]; A",
    "[[ a < b || ! -e %r ]] && A",
    '[[ $(A %w) == "$(B)" ]] | C',
    "[[ -n %w\n|| # c\n-z %w ]]",
    "time -p -- A %w",
    "time -- A %w",
    "time; A",
    "time { A; B; }",
    "time ! A | B",
    "! ! A %w",
    "! time -p A %w",
    'for x in *.txt %w; do A "$x"; done > %f',
    'for x in "${arr[@]}" "$@"; do A "$x"; done',
    'for x in a$(echo x y)b ./`echo z %w`; do A "$x"; done',
    'arr=(a$(echo x y) "$(echo q r)" $(:)); for x in "${arr[@]}"; do A "$x"; done; B "${arr[@]}"',
    "A \\ {},%w} \\\t{%w,} ' '{},}",
    "for ((k=0; k<2; k++)) { A $k; }",
    "for x in a b; { A $x; }",
    "for x; do A; done",
    "for x do A; done",
    "for x\nin a\ndo A; done",
    "select x in a; do A $x; break; done <<< 1",
    "while ! A; do B; done",
    "until A %w; do :; done",
    "case %w in (a|b) A;; *) B;& esac",
    "case $x in\n  a) A ;;\n  # comment )\n  b | 'c d') B %w ;;\n  *) C ;;\nesac",
    "case x in x) A;; esac | B",
    "case in in in) A;; esac",
    "x=$(case a in a) A;; (b) B; esac)",
    "A $(case %w in (a) B;; esac) $(if C; then D; fi)",
    "f() ( A %w ); f",
    "f() for x in a; do A $x; done; f",
    "f() [[ x ]]; f && A",
    "f() { A; } > %f; f",
    'function f { A "$@"; }; f %w',
    "f () if A; then B; fi\nf",
    "h-1() { A %w; }; h-1",
    "f(){ A;}; f",
    'f() { local c="$1"; $c %w; }; f B',
    "f() { return 0; A; }; f; B",
    "function g() { B; } 2>&1; g | C",
    'A "$(cat <<E\nx $(B in)\nE\n)" %w',
    "A \"$(B <<'E'\n)\nE\n)\"",
    "A $(B <<< %w)",
    "A <<E <<'F'\n$(B)\nE\n$(C)\nF\n",
    "A <<E | B <<F\none\nE\ntwo `C`\nF\n",
    "A <<E && B\n$x ${y:-$(C)}\nE\n",
    "A <<\\E; B\n$(C)\nE\n",
    'cat <<E\na\\\nb $(A \\\nx) \\$(B) "$(C)"\nE\n',
    "(A <<E\nx\nE\n)",
    "{ A <<E\nx\nE\n}; B",
    "if A <<E; then B; fi\nx\nE\n",
    'A <<< "%w $(B %w)"',
    "A <<<$x 2>&1",
    "A &> %f; B &>> %f",
    "A >& %f",
    "A > %f%w 2>&1",
    "> %f A %w",
    "2>&1 A %w",
    "A >| %f < %r <&0",
    "A 3<> %f 4<&3-",
    "A >&2- %w",
    "coproc A %w; B",
    "coproc x { A; }; B",
    "coproc while A; do break; done",
    'A `B \\`C %w\\`` "`D \\"x y\\"`"',
    "A `B '\\\\' \"%w\"` $(C `D`)",
    'A "`B $x \\$y`" `C \\\\\\$z`',
    "A $(# comment )\nB\n) x",
    "A $( B # it's )\n)",
    "A $(B;C) $(\nB\n\nC\n)",
    "A $( (B) ; { C; } )",
    "A $((B); (C))",
    "A $( (B) | (C) )",
    "((i++)) || A; (( i > 0 && 2 < 3 )) && B",
    "((A)); (( x = y ? 1 : 2 ))",
    "x[1]=a x[i+1]=b x[$i]=%w A %w",
    'arr=(%w "%w" $(A) *.txt); B ${arr[1]} "${arr[@]}"',
    "arr=(a\nb # c\n%w\n); A ${#arr[@]} ${arr[-1]}",
    "arr+=(%w); x+=%w; A $x",
    "x=a y=$x A $x $y",
    "x='a  b'; A $x \"$x\" '$x' \\$x $x$x",
    "x='*'; A $x \"$x\"",
    "x='a b' y='c d'; A $x$y x$x\"$y\"y",
    'A ~ ~/x ~root "~" x~ ~+ a=~ --b=~',
    "x=~/a:~/b A ~; B $x",
    "A $'a\\'b' $'\\x41\\u42\\101\\t' $'\\cA'",
    "A $'a\\\nb' $'\\\\' $'\\\"' $\"%w\"",
    'A "$\'x\'" "a$"b $ "$" \'$\'',
    "A {1..10..3} {a..e..2} {01..10..4} {3..-3..-2}",
    "A {a,b}{1..2} {{1..2},x} {a,'b c'} {a,\\}b} {,a}",
    'A {a,"}"} ${x}{a,b} {a,b}$x {$x,b} {a,$(B)}',
    'A {a..} {..} {1..2..0} {a,b} {a\\,b} \\{a,b} {a,b\\}} {"a,b"}',
    "A x{a,b}=%w {a,b}=c a={b,c}",
    "{A,%w} x",
    "A [a-c].txt [!x]* ?.txt [[:alpha:]].txt",
    "A *(a) +(b) @(a|b).txt",
    "shopt -s extglob\nA !(a).txt @(a|b)*",
    "A a\\ b a\\\tb \\a\\\\b \\'x\\' \\\"",
    "A a\rb \va \fb %w\r",
    "A %w\r\nB %w\r\n",
    "A # c\r\nB",
    "A;#c\nB",
    "A&B&&C||D|E",
    "A&&\n\nB||# c\nC|\nD",
    "A\\\nB C\\\n D",
    "A \\\n\\\n\\\nB",
    "A \\\n# not a comment \\\nB",
    "A # comment \\\nB",
    "A 'a\\\nb' \"a\\\nb\"",
    "!A; ! A; !\nA",
    "{A;}; { A; }; {\nA\n}",
    "A }; B {; C ]]; D if then",
    "if A; then B; elif C; then D; else E; fi > %f 2>&1",
    "if A\nthen\nB\nfi&&C",
    "if A;then B;fi;C",
    "while A; do B; break; done",
    "time for x in a; do A; done",
    'A $1 ${1} ${10} $10 $@ "$@" $* "$*" $# $? $- $0 $_',
    'A ${x:+a b} "${x:+a b}" ${x:+"a b"} ${x+\'a b\'}',
    'A ${x-a b} ${x-"a b"} "${x-\'a b\'}" "${x-"a b"}"',
    "A ${x//a/b} ${x/#a/'b c'} ${x//\\//_} ${x/%%w/}",
    'A ${x%%[ab]*} ${x#"$y"} ${x##*/} "${x%.*}"',
    'A ${x^} ${x,,} ${x^^[a-c]} ${x@Q} ${x@U} "${x@E}" ${x@a}',
    "A ${x:1} ${x:1:2} ${x: -1} ${x:(-1)} ${x:0:-1} ${x:$i:i+1}",
    'A ${!x} ${!x@} ${!arr[@]} ${!arr[*]} "${!x:-a}"',
    'A ${arr[@]:1:2} ${arr[*]} "${arr[*]}" ${#arr[0]} ${arr[$((1+1))]}',
    "A ${#} ${#x} ${#@} ${##} ${#-} ${#?}",
    "A ${x:?} %w; B",
    'A ${x:=%w} "${y:=a b}"; B $x $y',
    "A ${x:-${y:-%w}} ${x:-${y:-'a}b'}} ${x:-\\}}",
    'A "${x:-\\"a\\"}" "${x:-a\\}b}" ${x:-a\nb}',
    "A ${x:-{a,b}} ${x:-a{b,c}} a{b,${x:-c}}",
    'A ${x:-<(B)} ${x:-$(B "}")} ${x:-`B }`}',
    'A $[1+2] $[ i ] "$[x]"',
    "A %w;; B",
    "A &; B",
    "A & & B",
    "A | | B",
    "( A ) B",
    "A ( B )",
    "fi; A",
    "function",
    "A \x24{}",
    "A ${x",
    'A "$(',
    "A \u00a0B \u2028C \u3000",
    "A\u00a0x",
    "x=1 y=2; ((x+y)); A $((x*y))",
    "A $((16#ff)) $((0x1F)) $((010)) $((1,2))",
    "export -f f; export x; readonly y=%w; A",
    "f() { A; f2() { B; }; f2; }; f",
    "unset -f A; A %w",
    'A() { B "$@"; }; A %w',
    'echo() { A "$@"; }; echo %w',
    "{ A %w; } & B",
    "(A; (B; (C %w))) && D",
    'A $(B $(C $(D "%w")))',
    'A "$(B "$(C \'%w\')")"',
    'A "a $(B "b $(C "c") d") e"',
    'A $(B \\\n%w) "$(B \\\n%w)"',
    'A \\$(B) \\`C\\` "\\$(D)"',
    "A '$(B)' '`C`' \"'$(D)'\"",
    "echo %w | A $(B) | (C; D)",
    "%n",
    "{ %n\n}",
    "( %n\n)",
    'A $(%n\n) "$(%n\n)"',
    "A <(%n\n)",
    "x=$(%n\n) B",
    "if %n\nthen %n\nfi",
    "f() {\n%n\n}; f %w",
    "case %w in %w) %n\n;; esac",
)
"""Everything else that bash has, often in unusual company."""


class RichGenerator(Generator):
    """The generator of the long runs: grammar, snippets, and splices of both."""

    def script(self) -> str:
        text = super().script()
        if self.chance(0.04):
            other = super().script()
            text = text[: self.random.randrange(len(text) + 1)] + other[self.random.randrange(len(other) + 1) :]
        if self.chance(0.03) and "/" not in text:
            text = self.damage(self.damage(text))
        return text

    def fill(self, snippet: str) -> str:
        """``snippet`` with its slots filled."""
        self.depth += 1
        text = _SLOT.sub(self._slot, snippet)
        self.depth -= 1
        return text

    def _slot(self, match: re.Match[str]) -> str:
        kind = match[0][1]
        if kind == "s":
            return match[0]
        if kind == "v":
            return self.some(*VARIABLES)
        if kind == "f":
            return self.some(*FILES)
        if kind == "r":
            return self.some(*READABLE)
        if kind == "n":
            return self.nested()
        return self.some("x", "y z", "-v", "a.txt") if self.chance(0.3) else self.word() if kind == "w" else "$x"

    def snippet(self, table: tuple[str, ...]) -> str:
        """A filled snippet; not between a here-document and its body, nor inside backquotes."""
        if self.bodies or self.in_backquote:
            return self.simple(short=True)
        text = self.fill(self.random.choice(table))
        return "A" if self.bodies else text

    @weight(7)
    def command_everyday(self) -> str:
        return self.snippet(EVERYDAY)

    @weight(10)
    def command_odd(self) -> str:
        return self.snippet(ODD)

    @weight(1)
    def word_ansi_rich(self) -> str:
        parts = ("\\u00e9", "\\U1F600", "\\0", "\\400", "\\08", '\\"', "\\cA", "\\x", "\\z", "\\\\", "\\'", "\n", "é")
        return "$'" + "".join(self.random.choice(parts) for _ in range(self.random.randrange(3))) + "'"

    @weight(1)
    def word_sequence(self) -> str:
        low, high, step = (self.some("1", "0", "-2", "03", "a", "c", "A", "+1", "x") for _ in range(3))
        return (
            self.some("", "a", "{b,c}")
            + "{"
            + low
            + ".."
            + high
            + self.some("", ".." + step)
            + "}"
            + self.some("", "b")
        )

    @weight(1)
    def word_mixed_braces(self) -> str:
        inside = ",".join(self.word() for _ in range(self.random.randrange(1, 4)))
        return self.some("", "a", "$x", '"q"') + "{" + inside + "}" + self.some("", "b", "$y", "{1..2}")

    @weight(2)
    def expansion_deep(self) -> str:
        name = self.some(*VARIABLES)
        operator = self.some(":-", "-", ":+", "+", "#", "%", "/", "//", "/a/", ":=", "^", ",,", "%%", "##")
        if self.shell != "bash" and operator[0] in "/^,":
            operator = ":-"
        word = self.some(self.word(), self.word(), f'"{name} $y"', f"'{name} y'", self.nested_dollar())
        return f"${{{name}{operator}{word}}}"

    @weight(1)
    def expansion_subscript(self) -> str:
        if self.shell != "bash":
            return "$x"
        inside = self.some("0", "@", "*", "i", "$i", "i+1", "-1", "$((1))", '"k"', "k", "x[0]", "$(A)", "'k'")
        return f"${{{self.some('', '#', '!')}arr[{inside}]{self.some('', '', '', ':1', '#a', '/a/b', '@Q', ':-w')}}}"
