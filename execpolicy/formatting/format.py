"""Format one rule file: parse, lay out, prove."""

from __future__ import annotations

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import RuleFileError
from execpolicy.formatting.layout import canonical_text
from execpolicy.formatting.proof import same_meaning
from execpolicy.lang.parse import parse
from execpolicy.source import Source


def format_source(source: Source) -> str:
    """The text of ``source`` in canonical layout; the same text when it has it already.

    Raises:
        RuleFileError: it is no rule file; or (EP901, a bug here) the new text would not mean the same.
    """
    before = parse(source)
    text = canonical_text(before)
    if text == source.text:
        return text
    try:
        after = parse(Source(source.name, text))
        proven = same_meaning(before, after)
    except RuleFileError:
        proven = False
    if not proven:
        raise RuleFileError(
            Diagnostic(
                code="EP901",
                message="formatting would change what the file means, so it was left alone",
                path=source.name,
                help="please report this file as a bug of the formatter",
            )
        )
    return text
