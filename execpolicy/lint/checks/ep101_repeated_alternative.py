"""EP101 `repeated-alternative`

## What it does
Finds a token that is listed twice in one position of a pattern. With `canonical_matching` two spellings of the same
token count as the same.

## Why it matters
In the first position every alternative makes a rule of its own, so a repeated one makes two equal rules and every
match is reported twice. Elsewhere it usually means that another token was meant.

## Example
```starlark
prefix_rule(pattern=["git", ["status", "log", "status"]])
```

## Instead
```starlark
prefix_rule(pattern=["git", ["status", "log"]])
```

## Limits
Only patterns of literals are looked at, not those that a program puts together.
"""

from __future__ import annotations

from execpolicy.core.text import canonical
from execpolicy.diagnostics.model import Edit, Fix
from execpolicy.lang.builtin_calls import BuiltinCall, Value
from execpolicy.lang.lexer import said_in_call
from execpolicy.lang.terminals import WholeCall
from execpolicy.lint.fixes import without_item
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per repeated alternative."""
    for call in file.tree.calls if file.tree is not None else ():
        if call.name != "prefix_rule" or not _may_repeat(call):
            continue
        pattern = call.argument("pattern")
        if pattern is None or pattern.value.kind != "list":
            continue
        folding = call.argument("canonical_matching")
        folded = folding is not None and folding.value.literal() is True
        for position in pattern.value.items:
            if position.kind == "list":
                yield from _repeated(file, position, folded)


def _may_repeat(call: BuiltinCall) -> bool:
    """True if the call has alternatives and one may be repeated; for plain literals without parsing the list."""
    text = call.text
    if text.count("[") < 2:
        return False
    if not isinstance(call.node, WholeCall) or "canonical_matching" in call.keywords:
        return True
    texts = [each for each in said_in_call(text) if each[0] == '"']
    return len(set(texts)) < len(texts)


def _repeated(file: RuleFile, position: Value, folded: bool) -> Findings:
    seen: set[str] = set()
    for item in position.items:
        if item.kind != "string" or item.value is None:
            continue
        key = canonical(item.value) if folded else item.value
        if key in seen:
            edits: tuple[Edit, ...] = (without_item(position, item),)
            yield file.finding(
                "EP101",
                f"`{item.value}` is repeated in this position",
                item.span,
                help="remove it, or write the token that was meant",
                fix=Fix(title="remove the repeated alternative", edits=edits, applicability="safe"),
            )
        seen.add(key)
