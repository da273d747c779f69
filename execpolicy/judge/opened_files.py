"""The files that redirections open: which may be read, and which may be written."""

from __future__ import annotations

from execpolicy.core.ground import AllowedTarget, Ground
from execpolicy.judge.command_verdict import Block
from execpolicy.judge.file_write import HARMLESS_TARGETS, FileWrite
from execpolicy.judge.folders import restricted_writes
from execpolicy.safety.heuristics import secret_behind
from execpolicy.safety.secrets import secret_in, secret_matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from execpolicy.judge.folders.whereabouts import Whereabouts
    from execpolicy.shell.script import Command, Redirect
    from execpolicy.source import Span

    Finding: TypeAlias = Ground | Block

_CONNECTIONS = ("/dev/tcp/", "/dev/udp/")
_HARMLESS_SOURCES = frozenset(["/dev/tty", "/dev/urandom", "/dev/random"])


def opened_for_reading(command: Command, where: Whereabouts) -> list[Finding]:
    """For every redirection that ``command`` reads why that is harmless, or the well-known secret in it."""
    found: list[Finding] = []
    facts = where.facts
    for redirect in command.redirects:
        if not redirect.operator.startswith("<") or redirect.operator == "<&":
            continue
        problem = None
        if redirect.operator in ("<", "<>"):
            target = redirect.target
            for word, *_ in facts.cases(target) or ((target,),):
                if word.literal is None:
                    problem = problem or secret_matching(word.shape or "*") or secret_behind(word, facts)
                elif word.literal in _HARMLESS_SOURCES or (
                    where.rulebook.reads.allowing and restricted_writes.may_read(command, word.literal, where)
                ):
                    continue
                else:
                    problem = problem or secret_in(word.literal)
                problem = problem or where.secret_source(command, word)
        if problem is None:
            found.append(Ground("input-harmless", redirect.span, redirect.target.literal or redirect.operator))
        else:
            found.append(Block("secret", f"it reads a file by redirection: {problem}", redirect.span))
    return found


def opened_for_writing(command: Command, where: Whereabouts) -> list[Finding]:
    """Returns why the redirections of ``command`` may write each file, in every folder that it may start in, or why
    not.
    """
    found: list[Finding] = []
    for redirect in command.redirects:
        span = redirect.span
        if _moves_descriptors(redirect):
            detail = "it opens or copies a descriptor, and `/dev/stdout` would then write to that file"
            found.append(Block("descriptor", detail, span))
        elif not redirect.operator.startswith("<"):
            found.append(Ground("descriptor-kept", span, redirect.operator))
        if not redirect.writes:
            continue
        targets = where.files_named(redirect.target)
        if not targets:
            found.append(Block("write", "it writes a file that is only known at run time", span))
        for target in targets:
            found += _written(target, command, span, where)
        if redirect.target.literal is None and redirect.target.kind != "tilde" and targets:
            found.append(Ground("variable-proven", span))
    return found


def _written(target: str, command: Command, span: Span, where: Whereabouts) -> list[Finding]:
    """Returns why ``command`` may write the file ``target``, in every folder that it may start in, or why not."""
    if target in HARMLESS_TARGETS:
        return [Ground("write-null", span, target)]
    if target.startswith(_CONNECTIONS):
        return [Block("write", f"`{target}` is a connection", span)]
    found: list[Finding] = []
    paths: Sequence[str] = (target,)
    if not target.startswith("/"):
        if where.moves:
            paths = where.paths_of(command, target)
        found.append(
            Ground("folder-known", span, target)
            if paths
            else Block("write", f"`{target}` depends on the folder that the script changes", span)
        )
    writes = [FileWrite(path, where.rulebook, where.situation) for path in paths or (target,)]
    wrong = next((write for write in writes if write.problem is not None), None)
    if wrong is None or wrong.problem is None:
        allowing = writes[0].allowing
        found.append(Ground("write-covered", span, target if allowing is None else AllowedTarget(target, allowing)))
    else:
        found.append(Block("write", wrong.problem, span, outside=wrong.outside, unknown=wrong.plain))
    return found


def _moves_descriptors(redirect: Redirect) -> bool:
    """True if a redirection makes a descriptor other than standard input stand for another file, beyond `2>&1`."""
    if redirect.operator in ("<", "<>", "<<", "<<-", "<<<"):
        return redirect.fd not in (None, "0")
    if redirect.operator in (">&", "<&") and not redirect.writes:
        target = redirect.target.literal
        if target == "-":
            return False
        if redirect.operator == "<&":
            return not (redirect.fd in (None, "0") and target == "0")
        return redirect.fd not in (None, "1", "2") or target not in ("1", "2")
    return redirect.fd not in (None, "1", "2")
