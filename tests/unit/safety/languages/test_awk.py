"""Which awk programs are known to read their input and print only."""

from __future__ import annotations

from execpolicy.safety.languages.awk import program_refusal
from tests.support.each import each

PRINTS = [
    "{print $1}",
    "NR>=2 && NR<=4",
    '/two/{print NR": "$0}',
    "END{print NR}",
    'BEGIN{FS=","; OFS="\\t"} {print $2,$1}',
    "$1 > 5 {print; n++} END{print n/2}",
    "{s+=$1} END{print s/NR}",
    "{a[$1]++} END{for(k in a) print k, a[k]}",
    '{gsub(/[a-z]+\\//,""); print}',
    "!seen[$0]++",
    "length>3",
    "/[[:space:]]/",
    "$0 ~ /a|b/",
    "a || b",
    "{print (a > b)}",
    '{if ($1 > 2) print $1; else print "no"}',
    "{x = $1 > 2 ? 1 : 2; print x}",
    '{print "a > b | c; system(1)"}',
    '{print > "/dev/stderr"}',
    '{printf "%s\\n", $1 > "/dev/stdout"; n++}',
    "function f(x) { return x*2 } {print f($1)}",
    "# system(1)\n{print}",
    "{print toupper(substr($0,1,1)) substr($0,2)}",
    "{print 1e3, .5, 10.25}",
    "/a/{getline; print}",
    "{while ((getline line) > 0) n++}",
    '{print > "/dev/null"}',
]

REFUSED = [
    'BEGIN{system("date")}',
    'BEGIN { system ("date") }',
    '{print > "out"}',
    "{print>$1}",
    '{print >> "out"}',
    '{print $1, $2 > "out"}',
    '{print(1) > "out"}',
    '{printf "x" > "out"}',
    '{print a,\nb > "out"}',
    '{print a,\n\nb > "out"}',
    '{print a,#c\nb > "out"}',
    '{print a &&\nb > "out"}',
    '{print \\\n"x" > "out"}',
    '{print a[b > "out"]}',
    '{print > "/dev/stderr" ".x"}',
    '{print > "/dev/stderr"x}',
    '{print | "sh"}',
    '{print |& "sh"}',
    'BEGIN{"date" | getline}',
    'BEGIN{while((getline l < "/etc/passwd")>0) print l}',
    '{getline < "f"}',
    '{getline<"f"}',
    '{getline x < "f"}',
    "{getline x y}",
    "{getline x[1]}",
    "{getline $1}",
    '{print getline > "out"}',
    '{getline x > "out"; print x > "out"}',
    '{"date" | getline x}',
    '@load "filefuncs"; BEGIN{}',
    '@include "x"\n{print}',
    'BEGIN{f="system"; @f("date")}',
    'BEGIN{print ENVIRON["HOME"]}',
    'BEGIN{ARGV[1]="/etc/passwd"}',
    'BEGIN{print PROCINFO["pid"]}',
    'BEGIN{awk::system("date")}',
    '{if (1) /"/ ; system("date") ; /"/}',
    '/[/]/ {print > "out"} /]/',
    "/[]/]/",
    "/[[:alpha:]/]/",
    "{x++ /2/ 3}",
    "{print length /2/ 1}",
    'BEGIN{extension("x")}',
    'BEGIN{print "unterminated',
    "/unterminated",
    "{print `date`}",
    "{print 'a'}",
    "{print}\r",
    "# a\\\nBEGIN{system(1)}",
    "{print 1else}",
    "{print 0x1F}",
    ")",
]


@each("text", PRINTS)
def test_programs_that_print(text: str) -> None:
    assert program_refusal(text) is None


@each("text", REFUSED)
def test_programs_that_do_more_or_are_unclear(text: str) -> None:
    assert program_refusal(text) is not None
