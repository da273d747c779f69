"""Numbers that commands print, in variables, arithmetic and conditions; and integers that nothing can change."""

from __future__ import annotations

import pytest

from tests.support.each import each
from tests.support.judging import decision

NUMBERS = [
    'n=$(wc -l < a.txt); echo $((n / 2)); sed -n "$((n/2))p" a.txt',
    "n=`cat a.txt | wc -l`; tail -n +$((n - 3)) a.txt",
    "n=$(date +%s); sleep 1; m=$(date +%s); echo $((m-n))",
    "[ $(wc -l < a.txt) -lt 10 ]",
    "while [ $(ls | wc -l) -lt 10 ]; do sleep 5; done",
    "n=$(ls | wc -l); if [ $n -gt 3 ]; then echo many; fi",
    "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
    "i=0; while test $i -le 3; do echo $i; ((i++)); done",
    "ls; rc=$?; [ $rc -eq 0 ] && echo ok",
    "[ $EUID -eq 0 ] && echo root",
    "ps -p $PPID",
    "pstree $$",
    "let i=0",
    "let x=1+2 y=3",
]
TEXTS = [
    "n=$(cat a.txt); echo $((n / 2))",
    "n=$(< a.txt); echo $((n / 2))",
    "n=$(wc -l < a.txt; < b.txt); echo $((n / 2))",
    "n=$(m=$(cat a.txt)); echo $((n / 2))",
    "n=a$(wc -l < a.txt); echo $((n / 2))",
    "n=$(wc -l < a.txt); n+=$(cat b.txt); echo $((n / 2))",
    "n=$(wc -l < a.txt); n=$(cat b.txt); echo $((n / 2))",
    "n=$(wc -l < a.txt); for i in a; do n=$(cat b.txt); done; echo $((n / 2))",
    "f() { n=$(cat b.txt); }; n=$(wc -l < a.txt); f; echo $((n / 2))",
    "n=$(wc -l < a.txt); echo $(n=$(cat b.txt); echo $((n / 2)))",
    "n=$(wc -l < a.txt); read -r n < b.txt; echo $((n / 2))",
    "n=$(wc -l 2>&1); echo $((n / 2))",
    "n=$(wc -l < a.txt) && if true; then n=$(cat b.txt); fi; echo $((n / 2))",
    "true || n=$(wc -l < a.txt); echo $((n / 2))",
    "[ $(cat a.txt) -gt 3 ]",
    "n=$(cat a.txt); [ $n -gt 3 ]",
    "[ -$(wc -l < a.txt) -gt 3 ]",
    "x=-v; [ $x$(wc -l < a.txt) 'a[$(id)]' ]",
    "f() { n=$(cat b.txt); }; n=$(wc -l < a.txt); f; [ $n -gt 3 ]",
    "IFS=0; i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
    "let x=y",
    "let PATH=1",
    "let 'a[$(id)]=1'",
    "x=1; let x=y+1",
]


@each("script", NUMBERS)
def test_what_prints_a_number_may_be_counted_with(script: str) -> None:
    assert decision(script) == "allow"


@each("script", TEXTS)
def test_other_output_is_never_evaluated(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize("shell", ["sh", "zsh", "ksh"])
@each("script", ["[ $EUID -eq 0 ]", "[ $UID -eq 0 ]"])
def test_other_shells_take_identities_from_the_environment(script: str, shell: str) -> None:
    assert decision(script, shell=shell) == "prompt"
