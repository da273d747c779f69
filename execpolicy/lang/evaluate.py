"""Evaluates rule text within its limits: this process reads literal files, a child process runs everything else.

Starlark has no memory limit, aborts on huge values and cannot be interrupted in several operations. A hostile file can
therefore only harm a child process, whose address space, processor time and wall-clock time are limited.
"""

from __future__ import annotations

from execpolicy.lang import limited_process, starlark_run
from execpolicy.lang.literal import record_literal
from execpolicy.lang.recording import Failure, Recording
from execpolicy.lang.scan import exceeded_limit, shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.lang.file_limits import FileLimits


def evaluate(text: str, limits: FileLimits, *, trusted: bool = False) -> tuple[Recording, tuple[tuple[str, int], ...]]:
    """The recording of ``text``, and the places where it rebinds a builtin's name (``(name, line)``). Never raises.

    Args:
        trusted: the text belongs to the package; it is evaluated in this process, unless the process has a memory
            limit: Starlark hangs or aborts when it reaches one.
    """
    failure = exceeded_limit(text, limits)
    if failure is not None:
        return Recording([], failure), ()
    literal = record_literal(text)
    if literal is not None:
        if len(literal.calls) > limits.statements:
            return Recording([], Failure("EP006", f"the file defines more than {limits.statements:,} rules")), ()
        return literal, ()
    measured = shape(text, limits)
    if measured.failure is not None:
        return Recording([], measured.failure), measured.rebound
    if trusted and not limited_process.is_limited():
        return starlark_run.run_starlark(text, limits), measured.rebound
    return limited_process.evaluate_in_child(text, limits), measured.rebound
