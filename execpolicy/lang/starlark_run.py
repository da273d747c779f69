"""Runs rule text in Starlark and records its builtin calls. The only import of ``starlark`` in the package.

Python callables get no position from the binding. Each builtin is therefore a Starlark function in a frozen prelude
that passes ``call_stack()`` to the recorder. The module that runs the rules has a random name, so no path or string in
the text can be mistaken for a frame. Only the public names are imported, so a rule file cannot reach the recorder.
"""

from __future__ import annotations

import os
import time
from _collections_abc import Callable

import starlark

from execpolicy.lang.recording import Failure, RecordedCall, Recording
from execpolicy.lang.scan import BUILTINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import starlark

    from execpolicy.lang.file_limits import FileLimits
    from execpolicy.lang.recording import Encoded

_PRELUDE_NAME = "<builtins>"
_ENCODE = """
def _encode(v):
    t = type(v)
    if t == "string" or t == "bool" or t == "NoneType":
        return v
    if t == "list":
        return [_encode(x) for x in v]
    if t == "dict":
        return {"d": [[_encode(k), _encode(x)] for k, x in v.items()]}
    return {"t": t, "r": repr(v)}
"""
_BUILTIN = """
def {name}(*args, **kwargs):
    _record("{name}", call_stack(), [_encode(a) for a in args], [[k, _encode(v)] for k, v in kwargs.items()])
"""
_CALL_DEPTH = 50  # frames, as in Codex (measured: a self-recursion of 48 is fine, 49 is not)
_PRELUDE_DEPTH = 8  # frames that our builtins need where Codex's need one
_OVERFLOW = "Starlark call stack overflow"
_F_STRING_HELP = "f-strings hold plain names only here, though Codex evaluates expressions: assign the value to a name"
_BYTES_HELP = 'byte strings (`b"…"`, `bytes`) are not supported here, though Codex reads them; no rule needs them'


def run_starlark(text: str, limits: FileLimits) -> Recording:
    """The recording of ``text``, up to its end or its first error. Never raises for a text without NUL.

    The memory use is not limited here: see ``evaluate``.
    """
    recording = _run(text, limits, _CALL_DEPTH)
    failure = recording.failure
    if failure is not None and failure.message == _OVERFLOW and failure.line == 0:
        # the overflow was inside our own builtin, which is deeper than Codex's: add the difference
        return _run(text, limits, _CALL_DEPTH + _PRELUDE_DEPTH)
    return recording


def _run(text: str, limits: FileLimits, depth: int) -> Recording:
    calls: list[RecordedCall] = []
    stopped: list[Failure] = []
    name = f"rules-{os.urandom(8).hex()}"
    deadline = time.thread_time() + limits.seconds

    def record(builtin: str, stack: str, args: list[Encoded], kwargs: list[list[Encoded]]) -> None:
        if len(calls) >= limits.statements:
            stopped.append(
                Failure("EP006", f"the file defines more than {limits.statements:,} rules", help="split the file")
            )
            raise ValueError(_OVERFLOW)
        calls.append(RecordedCall(builtin, _caller_line(stack, name), args, kwargs))

    def cancelled() -> bool:
        if time.thread_time() < deadline:
            return False
        if not stopped:
            stopped.append(
                Failure("EP006", f"evaluation took longer than {limits.seconds:g} s", help="remove the endless loop")
            )
        return True

    try:
        dialect = starlark.Dialect.extended()
        dialect.enable_f_strings = True
        module = _module_with_builtins(dialect, record)
        ast = starlark.parse(name, text, dialect)
        options = starlark.EvalOptions(check_cancelled=cancelled, max_callstack_size=depth)
        starlark.eval_with(options, module, ast, starlark.Globals.standard())
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic inside Starlark is a `PanicException`, which is not an `Exception`
        if stopped:
            return Recording(calls, stopped[0])
        report = str(error)
        if isinstance(error, starlark.StarlarkError):
            if name not in report:
                # an error without a position is about the value of the last statement, which the binding converts to a
                # Python object even if it is unused
                return Recording(calls, None)
            return Recording(calls, _failure(report, name))
        return Recording(calls, Failure("EP002", f"Starlark cannot evaluate this file: {report.splitlines()[0]}"))
    return Recording(calls, stopped[0] if stopped else None)


def _module_with_builtins(dialect: starlark.Dialect, record: Callable[..., object]) -> starlark.Module:
    prelude = starlark.Module()
    prelude.add_callable("_record", record)
    source = _ENCODE + "".join([_BUILTIN.format(name=builtin) for builtin in BUILTINS])
    with_stack = starlark.Globals.extended_by([starlark.LibraryExtension.CallStack])
    starlark.eval(prelude, starlark.parse(_PRELUDE_NAME, source, dialect), with_stack)
    frozen = prelude.freeze()
    module = starlark.Module()
    names = ", ".join([f'"{builtin}"' for builtin in BUILTINS])
    load = starlark.parse("<load>", f'load("builtins", {names})\n', dialect)
    starlark.eval(module, load, starlark.Globals.standard(), starlark.FileLoader(lambda _: frozen))
    return module


def _caller_line(stack: str, name: str) -> int:
    """The line of the innermost frame that is in the rule file."""
    mark = f"* {name}:"
    at = stack.rfind(mark)
    digits = stack[at + len(mark) :].split(",", 1)[0] if at >= 0 else ""
    return int(digits) if digits.isdigit() else 0


def _failure(report: str, name: str) -> Failure:
    """The message, line and columns of a Starlark error."""
    arrow = report.rfind(f"--> {name}:")
    start = report.find("error: ")
    message = report[start + 7 if start >= 0 else 0 : arrow if arrow >= 0 else len(report)].rstrip()
    line = column = end = 0
    if arrow >= 0:
        place = report[arrow + len(name) + 5 :].split("\n", 1)[0].split(":")
        if len(place) == 2 and place[0].isdigit() and place[1].isdigit():
            line, column = int(place[0]), int(place[1])
            end = _underline_end(report[arrow:], column)
    elif _OVERFLOW in report:
        message = _OVERFLOW
    is_syntax = not report.startswith("Traceback")
    help = None
    if message.startswith("Not a valid identifier: `"):
        help = _F_STRING_HELP
    elif message.startswith("Variable `bytes` not found") or _is_byte_literal(message, report[arrow:], column):
        help = _BYTES_HELP
    message = message.split(" here, expected one of ", 1)[0].replace(name, "this file")
    return Failure("EP001" if is_syntax else "EP002", message, line, column, end, help)


def _is_byte_literal(message: str, excerpt: str, column: int) -> bool:
    """True if the string literal that Starlark did not expect directly follows a `b`."""
    if not message.startswith("Parse error: unexpected string literal"):
        return False
    lines = excerpt.split("\n")
    code = lines[2].partition("| ")[2] if len(lines) > 2 else ""
    return column >= 2 and code[column - 2 : column - 1] in ("b", "B")


def _underline_end(excerpt: str, column: int) -> int:
    """The column after the underlined text, from the carets that Starlark printed; 0 if it spans several lines."""
    lines = excerpt.split("\n")
    if len(lines) > 3:
        carets = lines[3].partition("|")[2].strip()
        if carets and carets == "^" * len(carets):
            return column + len(carets)
    return 0
