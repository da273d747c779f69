"""What of Perl's one-liners only prints."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy.safety.languages.perl import program_refusal
from tests.support.each import each

PRINTING = (
    "print",
    "print if /TODO/",
    "print unless /^#/",
    "print; next if 5..10",
    "print if $. == 3",
    'print "$.: $_" if /x/ && !/y/',
    'print "$1\\n" if /name=(\\w+)/',
    "print 'a', \"b\", 3, length $_",
    "s/foo/bar/",
    "s/^\\s+|\\s+$//g; print",
    "s{error_count}{warning_count}g",
    "s|/usr|/opt|gi",
    "s/(\\d+)/<$1>/g",
    "s/(?<=a)b//",
    "tr/a-z/A-Z/",
    "y/a/b/d",
    "my $x = 1; print $x",
    "$n++; END { print $n }",
    "$s += $1 if /(\\d+)/; END { print $s }",
    'say "hello"',
    "chomp; print uc($_), lc $_",
    'print "system is down\\n"',
)
DOING_MORE = (
    "system 'x'",
    "print `x`",
    "print qx(x)",
    "exec 'x'",
    "s/a/b/e",
    "s/a/system('x')/ee",
    "s/a/b/rge",
    "s,a,b,e",
    's{a}{@{[system "x"]}}',
    's/a/${\\ system "x"}/',
    "s/a/$x[`x`]/",
    "s/a/$1->[`x`]/",
    "s/a/$& [`x`]/",
    "s'a'@{[`x`]}'",
    "s{{}{x}; print \"}{y}; system 'x'; #\"",
    "s{a}{{}; print \"}; system 'x'; #\"",
    "print if m{{}x; print \"}; system 'x'; #\"",
    'print "@{[system q(x)]}"',
    'print "$x{`x`}"',
    'print "$x [`x`]"',
    'print "$1->{`x`}"',
    'print "$+{x}"',
    'print "$ {x}"',
    "print if /(?{system 'x'})/",
    "print if /(??{'x'})/",
    "print if /(?p{'x'})/",
    "print if /(*{system 'x'})/",
    "print if /(a)(?(?{1})b)/",
    "print if /$x/",
    "print if /@{[1]}/",
    "print if /\\p{IsX}/",
    "print if /x/e",
    "open F, '>x'",
    "print F 'x'",
    "print {$x} 'x'",
    "print STDERR 'x'",
    "print <F>",
    "print <*>",
    "print glob('*')",
    "print sort { system 'x' } 1",
    "print Foo->bar",
    "print $x->foo",
    "print $ENV{HOME}",
    "print %ENV",
    "print if -e 'x'",
    "unlink 'x'",
    "do 'x'",
    "require x",
    "use x",
    "eval 'x'",
    "BEGIN { system 'x' }",
    "END { system 'x' }",
    "print; END { print } system 'x'",
    "tr/a/b/; exec 'x'",
    "print 'a'\nsystem 'x'",
    "$x = `x`",
    "$x = <STDIN>",
    "kill 9, 1",
    "print 'a' x 9; fork",
    "print" + " " * 3_000,
)


@each("program", PRINTING)
def test_what_only_prints_is_read(program: str) -> None:
    assert program_refusal(program) is None


@each("program", DOING_MORE)
def test_what_does_more_is_refused(program: str) -> None:
    assert program_refusal(program) is not None


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("perl") is None, reason="needs Perl")
@pytest.mark.parametrize("seed", range(2))
def test_programs_that_are_read_start_nothing_in_a_real_perl(seed: int, tmp_path: Path) -> None:
    """Programs put together of pieces, most of them broken: no ``HIT`` may come of one that is read."""
    chance = random.Random(seed)
    pieces = [
        piece for program in (*PRINTING, *DOING_MORE[:-1]) for piece in program.replace("'x'", "'touch HIT'").split()
    ]
    pieces = [piece.replace("`x`", "`touch${IFS}HIT`").replace("q(x)", "q(touch${IFS}HIT)") for piece in pieces]
    pieces += ["/", ";", "{", "}", "$", "@", "\\", '"', "'", "(?", "[", "]", "if", "e", "`touch${IFS}HIT`", "s/", "->"]
    pieces += ["s{", "m{", "}{", 'print "}', "; system(q(touch HIT)); #", "s,", ",", "#", "y/"]
    (tmp_path / "a.txt").write_text("name=1 TODO foo\n#x 5\n")
    read = 0
    for _ in range(20_000):
        program = chance.choice(["", " "]).join(chance.choices(pieces, k=chance.randrange(1, 5)))
        if program_refusal(program) is None:
            read += 1
            subprocess.run(
                ["perl", chance.choice(["-ne", "-pe", "-nE"]), program, "a.txt"],
                cwd=tmp_path, capture_output=True, timeout=20, check=False,
            )  # fmt: skip
            assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt"], program
    assert read > 200
