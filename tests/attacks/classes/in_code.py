"""What is forbidden, put together by a program text out of words that it names or is given."""

from __future__ import annotations

import gzip
import pickle
import zlib
from base64 import b32encode, b64encode, b85encode

from execpolicy.core.decision import Decision
from tests.attacks.attack import Attack
from tests.attacks.phrases import ENDING_DECOYS, inside

_PROGRAMS = (
    "perl python3 ruby node lua php awk tclsh gdb tmux cmake ninja make julia elixir octave A echo cat printf touch "
    "sed grep"
)


def _base85(said: bytes) -> str:
    """In base85, unless that has a letter that ends the word of a shell."""
    found = b85encode(said).decode()
    return found if "'" not in found else b85encode(b"evil x").decode()


class InCode(Attack):
    """Attacks the promise that what is forbidden is found, in program texts that nobody can follow.

    The interpreter is allowed by a rule. Its text names ``evil`` and ``x`` as list items, keys, symbols, names of
    functions, in another order, backwards, letter by letter or in variables, or takes one of them from its arguments,
    its input, a variable of the environment or a file that the script writes; or functions of texts make it of others.
    """

    ground = "in-code"
    rules = f"""\
prefix_rule(pattern=[{_PROGRAMS.split()!r}])
prefix_rule(pattern=["evil", "x"], decision="forbidden")
write_rule(paths=["./**"])
"""
    forbids = True
    shells = ("bash", "zsh", "ksh")

    def script(self) -> str:
        self.least = Decision.FORBIDDEN
        made = self.any_of(
            *(self.by_argument, self.by_input, self.by_keys, self.by_list, self.by_variable, self.by_file),
            *(self.by_function, self.by_encoding, self.by_pattern, self.by_edit),
        )
        if self.chance(0.15):
            made = self.joined(self.pick(*ENDING_DECOYS), made)
        return inside(self, made) if self.chance(0.2) else made

    def by_argument(self) -> str:
        code = self.pick(
            *("perl -e 'system(\"evil\", @ARGV)'", "perl -e 'unshift @ARGV, \"evil\"; exec @ARGV'"),
            "python3 -c 'import subprocess,sys; subprocess.run([\"evil\",*sys.argv[1:]])'",
            "ruby -e 'system(\"evil\", *ARGV)'",
            'node -e \'require("child_process").spawnSync("evil", process.argv.slice(1))\'',
            "php -r 'system(\"evil \" . $argv[1]);'",
            "lua -e 'os.execute(\"evil \" .. arg[1])'",
            "julia -e 'run(`evil $(ARGS)`)'",
            "elixir -e 'System.cmd(\"evil\", System.argv())'",
            "awk 'BEGIN { system(\"evil \" ARGV[1]) }'",
        )
        return f"{code} {self.pick('x', 'x y', '-- x')}"

    def by_input(self) -> str:
        code = self.pick(
            *("awk '{ system(\"evil \" $1) }'", "awk -v c=evil '{ system(c \" \" $0) }'"),
            *("perl -ne 'chomp; system \"evil\", $_'", "perl -ne 'chomp; exec \"evil\", $_'"),
            "python3 -c 'import os; os.system(\"evil \" + input())'",
            *("ruby -ne 'exec \"evil #{$_}\"'", "ruby -e 'system(\"evil\", gets.chomp)'"),
            "lua -e 'os.execute(\"evil \" .. io.read())'",
            "php -r 'system(\"evil \" . fgets(STDIN));'",
        )
        return self.pick(f"echo x | {code}", f"{code} <<< x", f"printf 'x\\n' | {code}", f"{code} <<'E'\nx\nE")

    def by_keys(self) -> str:
        return self.pick(
            *(
                "perl -e 'exec evil=>x=>'",
                "perl -e '$h{evil} = x=>; system %h'",
                "perl -e 'my %c = (evil => \"x\"); system %c'",
            ),
            *("ruby -e 'exec [:evil, :x].join(\" \")'", "ruby -e '{evil: :x}.each { |k, v| system \"#{k} #{v}\" }'"),
            "ruby -e 'module Evil; def self.x = system(name.downcase, __method__.to_s); end; Evil.x'",
            "ruby -e 'class Evil; def method_missing(m) = system(\"evil\", m.to_s); end; Evil.new.x'",
            'node -e \'require("child_process").execSync(Object.keys({evil:1,x:2}).join(" "))\'',
            'node -e \'for (const [k, v] of Object.entries({evil:["x"]})) require("child_process").spawnSync(k, v)\'',
            'lua -e \'for k, v in pairs{evil="x"} do os.execute(k .. " " .. v) end\'',
            "php -r 'class evil { static function __callStatic($n, $a) { system(\"evil \" . $n); } } evil::x();'",
            'elixir -e \'for {k, v} <- [evil: "x"], do: System.cmd("#{k}", [v])\'',
        )

    def by_list(self) -> str:
        return self.pick(
            *("perl -e '($a, $b) = qw(x evil); system $b, $a'", 'perl -e \'@c[1, 0] = ("x", "evil"); system @c\''),
            'awk \'BEGIN { split("x evil", a); system(a[2] " " a[1]) }\'',
            'python3 -c \'import subprocess; a = ["x"]; a.insert(0, "evil"); subprocess.run(a)\'',
            *("ruby -e 'exec(*%w(x evil).reverse)'", "tclsh <<< 'exec {*}[lreverse {x evil}]'"),
            *("tclsh <<< 'set a evil; lappend a x; exec {*}$a'", "tclsh <<< 'interp alias {} p {} exec evil; p x'"),
            *("tclsh <<< 'eval exec [string reverse \"x live\"]'", "tclsh <<< 'exec [join {e v i l} {}] x'"),
            *("tclsh <<< 'exec [format %c%c%c%c 101 118 105 108] x'", "tclsh <<< 'exec [string tolower EVIL] x'"),
            'octave --eval \'unix(strjoin({"evil", "x"}))\'',
        )

    def by_function(self) -> str:
        cut = int(self.pick(*"123"))
        one, other = "evil"[:cut], "evil"[cut:]
        mark = self.pick(*"ZQ_7")
        marked = mark.join((one, other))
        before, behind = self.pick("", "a", "zz", "q0"), self.pick("", "b", "yy")
        held, at = f"{before}evil{behind}", len(before)
        moved = "".join([chr((ord(each) - 97 + 13) % 26 + 97) for each in "evil"])
        less = "".join([chr(ord(each) + 1) for each in "evil x"])
        return self.pick(
            *(
                f"tclsh <<< 'exec [string map {{{mark} {{}}}} {marked}] x'",
                f'lua -e \'os.execute("{one}" .. "{other} x")\'',
            ),
            f"tclsh <<< 'exec [string range {held} {at} {at + 3}] x'",
            *(f'perl -e \'system "{one}"."{other}", "x"\'', f'perl -e \'system substr("{held}", {at}, 4), "x"\''),
            f'perl -e \'$c = "{marked}"; $c =~ s/{mark}//; system $c, "x"\'',
            f'perl -e \'$_ = "{moved}"; tr/a-z/n-za-m/; system $_, "x"\'',
            *(
                f'ruby -e \'system "{marked}".delete("{mark}"), "x"\'',
                f'ruby -e \'system "{held}"[{at}..{at + 3}], "x"\'',
            ),
            f'python3 -c \'import os; os.system("{held}"[{at}:{at + 4}] + " x")\'',
            f'python3 -c \'import os; os.system("{marked}".replace("{mark}", "") + " x")\'',
            f'python3 -c \'import os; os.system("".join(chr(ord(c) - 1) for c in "{less}"))\'',
            "python3 -c 'import os; os.system(\"\\x65vil x\")'",
            f'node -e \'require("child_process").execSync("{marked} x".replace("{mark}", ""))\'',
            f'node -e \'require("child_process").execSync("evil{mark}x".split("{mark}").join(" "))\'',
            f'awk \'BEGIN {{ c = "{marked}"; sub(/{mark}/, "", c); system(c " x") }}\'',
            f'awk \'BEGIN {{ system(substr("{held}", {at + 1}, 4) " x") }}\'',
            'awk \'BEGIN { system(sprintf("%cvil %s", 101, "x")) }\'',
            f"cat > a.cmake <<'E'\nstring(REPLACE {mark} \"\" c {marked})\n"
            "execute_process(COMMAND ${c} x)\nE\ncmake -P a.cmake",
            "tmux new -d \\; run '#{a:101}vil x'",
        )

    def by_encoding(self) -> str:
        said = self.pick("evil x", "evil x\n", "set -e\nevil x\n", "evil x; ls").encode()
        plain, packed = b64encode(said).decode(), b64encode(zlib.compress(said)).decode()
        python = self.pick(
            *(f'b64decode("{plain}")', f'b32decode("{b32encode(said).decode()}")', f'b85decode("{_base85(said)}")'),
            *(f'zlib.decompress(b64decode("{packed}"))', f'bytes.fromhex("{said.hex()}")'),
            f'gzip.decompress(b64decode("{b64encode(gzip.compress(said, mtime=0)).decode()}"))',
            *(f'({int.from_bytes(said, "big")}).to_bytes({len(said)}, "big")', f"bytes({list(said)})"),
            f'pickle.loads(b64decode("{b64encode(pickle.dumps(said.decode())).decode()}")).encode()',
        )
        imports = "import os, zlib, gzip, pickle; from base64 import *"
        node = self.pick(
            *(f'atob("{plain}")', f'Buffer.from("{said.hex()}", "hex").toString()'),
            f'require("zlib").inflateSync(Buffer.from("{packed}", "base64")).toString()',
            f"String.fromCharCode({','.join(map(str, said))})",
        )
        return self.pick(
            f"python3 -c '{imports}; os.system({python}.decode())'",
            f"python3 - <<'E'\n{imports}\nc = {python}\nos.system(c.decode())\nE",
            f"node -e 'require(\"child_process\").execSync({node})'",
            f"perl -MMIME::Base64 -e 'system decode_base64(\"{plain}\")'",
            f"perl -MMIME::Base64 -e 'system decode_base64 shift' {plain}",
            f"python3 -c 'import sys; {imports}; os.system(b64decode(sys.argv[1]).decode())' {plain}",
            f"echo {plain} | python3 -c 'import sys; {imports}; os.system(b64decode(sys.stdin.read()).decode())'",
            f"tclsh <<< 'exec sh -c [binary decode base64 {plain}]'",
            f"ruby -rbase64 -e 'system Base64.decode64(\"{plain}\")'",
            f"php -r 'system(base64_decode(\"{plain}\"));'",
        )

    def by_variable(self) -> str:
        return self.pick(
            *("S=x perl -e 'system \"evil\", $ENV{S}'", 'S=x ruby -e \'system "evil", ENV["S"]\''),
            'S=x python3 -c \'import os; os.system("evil " + os.environ["S"])\'',
            *("tmux new -d \\; set -g @c 'evil x' \\; run '#{@c}'", "tmux new -d -n evil \\; run '#{window_name} x'"),
            *("gdb -batch -ex 'alias p2=shell' -ex 'p2 evil x'", "gdb -batch -ex 'set exec-wrapper evil x' -ex run ls"),
        )

    def by_file(self) -> str:
        name, lines, run = self.pick(
            ("build.ninja", ["rule r", " command = $c x", "build a: r", " c = evil"], "ninja"),
            ("build.ninja", ["rule r", " command = ${c}l x", "build a: r", " c = evi"], "ninja"),
            ("build.ninja", ["rule r", " command = evil $out", "build x: r"], "ninja"),
            ("a.cmake", ["set(c evil)", "execute_process(COMMAND ${c} x)"], "cmake -P a.cmake"),
            ("a.cmake", ["set(l evil)", "list(APPEND l x)", "execute_process(COMMAND ${l})"], "cmake -P a.cmake"),
            ("a.cmake", ["foreach(w evil)", "execute_process(COMMAND ${w} x)", "endforeach()"], "cmake -P a.cmake"),
            ("t.py", ["import subprocess, sys", 'subprocess.run(["evil", *sys.argv[1:]])'], "python3 t.py x"),
            ("t.pl", ['system("evil", @ARGV);'], "perl t.pl x"),
            ("t.rb", ['system("evil", *ARGV)'], "ruby t.rb x"),
            ("t.js", ['require("child_process").spawnSync("evil", process.argv.slice(2))'], "node t.js x"),
            ("t.tcl", ["proc run {args} { exec {*}$args }", "run evil x"], "tclsh t.tcl"),
            ("Makefile", ["a:", "\t$(C) x", "C = evil"], "make"),
        )
        body = "\n".join(lines)
        return f"cat > {name} <<'E'\n{body}\nE\n{run}"

    def by_pattern(self) -> str:
        """By what a pattern finds, or by what is left without it."""
        mark = self.pick("q", "zz", "7", "_")
        before = f"{mark}evil x"
        return self.pick(
            *(f"perl -e '\"{before}\"=~/{mark}(.*)/; system $1'", f"perl -ne '/{mark}(.*)/ && exec $1' <<< '{before}'"),
            f"perl -e '($c)=\"{before}\"=~m{{{mark}(.*)}}; system $c'",
            f'python3 -c \'import os,re; os.system(re.match("{mark}(.*)","{before}").group(1))\'',
            f"awk -F'[{mark}]+' '{{system($1\" \"$2)}}' <<< 'evil{mark}x'",
            *(
                f"awk '{{gsub(/{mark}/,\"\"); system($0)}}' <<< '{before}'",
                "awk '{gsub(/[0-9]/,\"\");system($0)}' <<< 'e1vil x2'",
            ),
            f"awk '{{match($0,/e.*x/); system(substr($0,RSTART,RLENGTH))}}' <<< '{before}'",
            "perl -e 'readpipe \"evil x\"'",
        )

    def by_edit(self) -> str:
        """By a file that is changed in its place, or on its way."""
        mark = self.pick("q", "zz", "7", "# ")
        writing = f"printf '{mark}evil x\\n' > f"
        way = self.pick(
            f"sed 's/^{mark}//' f", f"sed -n 's/{mark}//p' f", f"perl -pe 's/{mark}//' f", "grep -o 'e.*x' f"
        )
        place = self.pick(f"sed -i 's/^{mark}//' f", f"sed -i.o -e s/'{mark}'// f", f"perl -pi -e 's/{mark}//' f")
        return self.pick(f"{writing}; {way} | sh", f"{writing}; {place}; sh f", f"{writing}; {way} > g; sh g")
