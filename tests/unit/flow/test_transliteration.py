"""The static version of ``tr`` against what coreutils print, and what scripts make of it."""

import pytest

from execpolicy.flow.transliteration import tr
from tests.support.judging import decision


@pytest.mark.parametrize(
    ("args", "given", "printed"),
    [
        (["a-c", "xyz"], b"abcd", b"xyzd"),
        (["abc", "x"], b"abcd", b"xxxd"),
        (["-d", " "], b". e n v", b".env"),
        (["-s", "e"], b".eenv", b".env"),
        (["-s", "a-z"], b".eennvv\n", b".env\n"),
        (["--squeeze-repeats", "a", "b"], b"aab", b"b"),
        (["-cd", ".env"], b".AeBnCv\n", b".env"),
        (["-c", ".env", "x"], b".ae", b".xe"),
        (["-ds", "x", "e"], b"x.exenv", b".env"),
        (["-t", "ab", "x"], b"ab", b"xb"),
        (["-x", "a"], b"a", None),
        (["a"], b"a", None),
        (["-d", "a", "b"], b"a", None),
        (["a", "b", "c"], b"a", None),
    ],
)
def test_tr_prints_what_coreutils_print(args: list[str], given: bytes, printed: bytes | None) -> None:
    assert tr(args, given, "bash") == printed


@pytest.mark.parametrize(
    "script",
    [
        "echo .eenv | tr -s e | xargs cat",
        "tr -cd .env <<< .AeBnCv | xargs cat",
        "basenc -d --base16 <<< 2E656E76 | xargs cat",
        "basenc --base64 -d <<< LmVudg== | xargs cat",
        "echo nv | xargs printf '.e%s' | xargs cat",
        "echo nv | xargs -I{} echo .e{} | xargs cat",
        "jq -rn '[46,101,110,118]|implode' | xargs cat",
        "jq -rn '\"LmVudg\"|@base64d' | xargs cat",
        "jq -rn '\"\\u002eenv\"' | xargs cat",
        "jq -rn --arg x nv '\".e\\($x)\"' | xargs cat",
        "jq -rn --arg a .e --arg b nv '$a+$b' | xargs cat",
        'cat "$(jq -rn \'"vne."|explode|reverse|implode\')"',
        "awk 'BEGIN{print sprintf(\"%cenv\",46)}' | xargs cat",
        "git log -1 --format='.e%%nv' | tr -d % | xargs cat",
    ],
)
def test_a_name_that_filters_put_together_is_a_secret(script: str) -> None:
    assert decision(script) == "prompt"
