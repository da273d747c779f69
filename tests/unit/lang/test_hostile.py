"""Hostile rule files fail to load with a diagnostic; they never kill or hang the process."""

import os

import pytest

from execpolicy.errors import RuleFileError
from execpolicy.lang import limited_process
from execpolicy.lang.compile import compile_source
from execpolicy.lang.file_limits import FileLimits
from execpolicy.source import Source

LIMITS = FileLimits(seconds=1.0, memory=512 << 20)

HOSTILE = {
    "brackets": ("[" * 100_000, "EP006"),
    "closed-brackets": ("x = " + "[" * 20_000 + "]" * 20_000, "EP006"),
    "blocks": ("".join(f"{' ' * i}if True:\n" for i in range(6_000)), "EP006"),
    "not-chain": ("x = " + "not " * 50_000 + "True\n", "EP006"),
    "plus-chain": ("x = 1" + " + 1" * 50_000 + "\n", "EP006"),
    "endless-loop": ("def f():\n  for i in range(1000000000):\n    pass\nf()\n", "EP006"),
    "huge-list": ("x = [0] * 1000000000\n", None),
    "string-doubling": ('x = "a"\n' + "x = x + x\n" * 60, None),
    "list-doubling": ("x = [1]\n" + "x = x + x\n" * 60, None),
    "laughs": ("a = [1]\n" + "a = [a,a,a,a,a,a,a,a]\n" * 30 + "prefix_rule(pattern = a)\n", None),
    "huge-number": ("x = 1\n" + "x = x * 1000000000000000000\n" + "".join("x = x * x\n" for _ in range(60)), None),
    "deep-recursion": ("def f(n):\n  f(n + 1)\nf(0)\n", "EP002"),
    "sorted-range": ("x = sorted(range(1000000000))\n", None),
    "nul": ('prefix_rule(pattern = ["a\0"])\n', "EP001"),
    "bom": ('\ufeffprefix_rule(pattern = ["a"])\n', "EP001"),
    "surrogate": ('x = 1\nprefix_rule(pattern = ["\udc80"])\n', None),
    "tab": ('prefix_rule(\tpattern = ["a"])\n', "EP001"),
    "too-long": ("#" * (33 << 20), "EP006"),
    "million-rules": ('prefix_rule(pattern=["a"], decision="allow")\n' * 1_000_000, "EP006"),
    "evaluated-million": ("[prefix_rule([str(i)]) for i in range(2000000)]\n", "EP006"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_ends_in_a_diagnostic(name: str) -> None:
    text, code = HOSTILE[name]
    with pytest.raises(RuleFileError) as caught:
        compile_source(Source("hostile.rules", text), limits=LIMITS)
    found = caught.value.diagnostics[0]
    assert found.message
    assert "\n" not in found.message
    assert found.code == code if code else found.code in ("EP001", "EP002", "EP006")


def test_what_a_short_text_makes_of_itself_is_bounded() -> None:
    text = 'prefix_rule(pattern = ["a"], not_match = ["b " * 1000] * 1000)\n'
    with pytest.raises(RuleFileError, match="comes to more than 524,288 bytes"):
        compile_source(Source("short.rules", text), limits=FileLimits(size=1 << 16))


def test_a_line_of_ten_megabytes_is_fine() -> None:
    compiled = compile_source(Source("long.rules", 'x = "' + "a" * 10_000_000 + '"\nprefix_rule(pattern = ["a"])\n'))
    assert len(compiled.statements) == 1


@pytest.mark.parametrize("last", ["lambda: 1", "range(3)", "x = 1\nx", "len", "[[[]]]"])
def test_the_value_of_the_last_statement_does_not_matter(last: str) -> None:
    text = f'y = 1\nprefix_rule(pattern = ["a"])\n{last}\n'
    assert len(compile_source(Source("last.rules", text)).statements) == 1


@pytest.mark.parametrize(("depth", "fine"), [(48, True), (49, False)])
def test_call_depth_is_codex_s(depth: int, fine: bool) -> None:
    text = f"def f(n):\n  if n == 0:\n    return 1\n  return f(n - 1)\nf({depth})\n"
    if fine:
        compile_source(Source("deep.rules", text))
    else:
        with pytest.raises(RuleFileError) as caught:
            compile_source(Source("deep.rules", text))
        assert caught.value.diagnostics[0].message == "Starlark call stack overflow"


def test_the_recorder_is_out_of_reach() -> None:
    for name in ("_record", "_encode", "call_stack"):
        with pytest.raises(RuleFileError) as caught:
            compile_source(Source("forge.rules", f"x = 1\n{name}()\n"))
        assert f"Variable `{name}` not found" in caught.value.diagnostics[0].message


def test_a_string_cannot_forge_a_position() -> None:
    text = 'x = ["a"]\ny = "* rules-0000:99, in <module>"\nprefix_rule(pattern = x, justification = y)\n'
    (rule,) = compile_source(Source("forge.rules", text)).statements
    assert str(rule.place) == "forge.rules:3"


def test_who_computes_slowly_on_a_busy_machine_is_waited_for_and_who_hangs_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limited_process, "_GRACE_SECONDS", 0.02)

    def answer(times: list[float], *, late: bool = True, clock: float = 100_000.0) -> bytes | None:
        """What is read of a process that shows these processor times, and answers when it was asked for the last."""
        shown = iter(times)
        read, write = os.pipe()

        def processor_time(_: int) -> float:
            now = next(shown)
            if late and now == times[-1]:
                os.write(write, b"done")
                os.close(write)
            return now

        monkeypatch.setattr(limited_process, "_processor_time", processor_time)
        try:
            return limited_process._read_all(read, 0.1, clock, 1 << 20, 0)
        finally:
            os.close(read)
            if not late:
                os.close(write)

    assert answer([0.01, 0.02, 0.03, 0.04]) == b"done"
    assert answer([0.01, 0.02, 0.02], late=False) is None, "it computes no more"
    assert answer([0.0], late=False) is None, "nobody tells what it computes"
    assert answer([0.05, 0.2], late=False) is None, "it computed for longer than it may"
    assert answer([0.01], late=False, clock=0.1) is None, "nobody waits for ever"


def test_the_processor_time_of_a_process_is_known() -> None:
    first = limited_process._processor_time(os.getpid())
    sum(range(1_000_000))
    assert limited_process._processor_time(os.getpid()) > first > 0
    assert limited_process._processor_time(2**22 + 1) == 0.0
