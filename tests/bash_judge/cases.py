"""Scripts that the reader once read wrongly, found by the generator. Keep them when the generator changes."""

from __future__ import annotations

CASES = (
    "F % ~/x:b",
    'E `A` $(zz[1]="$(! time B\n)"--p=~/y A x -v )',
    "A $(coproc A x\n)",
    "]] ,1 ; A x",
    "in x; A",
    "A $(\nuntil A ;do B a << E |for z in\nE\ndo\nA x; done; done| for i in x ;do\nA -v ; A y1 ; done)",
    'E a "\\a `{ A {b,\'c,d\'}; B "$" x; }`$"',
    "C >&-]",
    "0<&-* B",
    "C >(D ; x=10 arr=(\\>a,ba\\\nb\n) C)",
    "E $(i+=(\\| $\\\nx29 )  C)",
    "E  $( ! zz=(\\; /b 0aa )  A)",
    "> >(>&-\ttime 'q r' y1) B\tx",
    "D|& B <(time case @9- in a*) E x;;esac )",
    "B x=y\\#x=a:~",
    "B ab<(A)",
    "A 2>(B)",
    "x=( \n)! D b2",
    "F $(\nE x <<E\nE  $((x=3)) tail\nE\n)",
    "B $(A >&f\\\\1)",
    "A <(B) <()",
    "A >{1..1}x",
    'A >{1..1}"$x"',
    "for x in $'\"'; do C {$x,a}xx; done",
    "A {{$x,1}}{1..2}",
    "eval 'A \\\n' #\n! B",
    "((A <<E\nx\nE\n); B)",
)
