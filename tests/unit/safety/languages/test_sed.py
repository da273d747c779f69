"""Which sed scripts are known to print only."""

from __future__ import annotations

from execpolicy.programs.sed_script import script_refusal
from tests.support.each import each

PRINTS = [
    "",
    "p",
    "1,200p",
    "$p",
    "190,$p",
    "1~2p",
    "1,+3p",
    "2,~4p",
    "0,/re/p",
    "/a/,/b/p",
    "/a/I,/b/Mp",
    "\\,a/b,p",
    "1,3p;10,12p",
    "1!G;h;$!d",
    "s/one/1/g",
    "s|/usr|/opt|2gIp",
    "s/a\\/b/c/",
    "s/w out/e/",
    "s/a/w out/",
    "y/abc/xyz/",
    "/w x/d",
    "{p;p}",
    "/a/{s/b/c/;p}",
    ":a;N;$!ba;s/\\n/ /g",
    "a w out",
    "$a\\\nw out",
    "i\\  text e",
    "2c\\text",
    "#w out\np",
    "=;l 5;n;N;x;D;P;z;q3",
    " 1 , 3 p ",
    "$!{$!N;P;D}",
    "w /dev/null",
    "s/a/b/w /dev/stdout",
    "s/a/b/gw/dev/stderr\np",
]

REFUSED = [
    "s/[/]/x/",  # is the slash inside the brackets a delimiter?
    "w out",
    "1w out",
    "W out",
    "r /etc/passwd",
    "w /dev/nul",
    "w /dev/null;p",
    "s/a/b/w /dev/null }",
    "R x",
    "e",
    "1e date",
    "s/a/b/w out",
    "s/a/b/gw out",
    "s/a/b/e",
    "s/a/b/ge",
    "p;w out",
    "p\nw out",
    "{p}w out",
    "{w out\n}",
    "/a/{s/b/c/;w out\n}",
    "s/[/]w out/x/;p",
    "s/[/]/w out/",
    "y/a/b/;w out",
    "a\\\ntext\nw out",
    "a text\nw out",
    "a\\\\\nw out",
    "s/a/\\\nw out/",
    "# a\\\nw out",
    "ba;w out",
    ":a w out",
    "b#\\(l 1}w out",
    "p # w out",
    "s/a/b",
    "s\\a\\b\\",
    "{p",
    "p}",
    "1",
    "F x",
    "v",
    "p\rw out",
    "!w out",
    "$!w out",
    "1,2!e date",
    "s\nx\ny\nw out",
]


@each("text", PRINTS)
def test_scripts_that_print(text: str) -> None:
    assert script_refusal(text) is None


@each("text", REFUSED)
def test_scripts_that_do_more_or_are_unclear(text: str) -> None:
    assert script_refusal(text) is not None
