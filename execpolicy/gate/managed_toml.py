"""Our hooks in Codex's ``requirements.toml``, the settings of the machine: a marked block, all else stays as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence

from execpolicy.errors import ExecPolicyError

_BEGIN = "# begin: written by `execpolicy install codex --scope machine`"
_END = "# end of execpolicy"
_MARK = "  # by execpolicy"
_BLOCK = re.compile(rf"(?:\r?\n)?{re.escape(_BEGIN)}\r?\n.*?{re.escape(_END)}\r?\n", re.DOTALL)
_LINE = re.compile(rf"^.*{re.escape(_MARK)}\r?\n", re.MULTILINE)
_PLACE = re.compile(r"^(.*) \(at line (\d+), column (\d+)\)$")


def with_block(path: str, text: str, events: Sequence[str], command: str, patience: int) -> str:
    """``text`` with ``command``, given ``patience`` seconds, as the hook for ``events``, and with hooks switched on.

    Raises:
        ExecPolicyError: it is broken, or says the opposite.
    """
    table = _parsed(path, text)
    bare = without_block(text)
    table = _parsed(path, bare)
    features, hooks = table.get("features", {}), table.get("hooks", {})
    if not isinstance(features, dict) or not isinstance(hooks, dict) or features.get("hooks") is False:
        raise ExecPolicyError(f"{path}: it switches hooks off; set `hooks = true` under `[features]` first")
    block = [_BEGIN]
    for name, there, lines in (
        ("features", features, {"hooks": "true"}),
        ("hooks", hooks, {"managed_dir": json.dumps(path.rpartition("/")[0])}),
    ):
        missing = [f"{key} = {value}" for key, value in lines.items() if key not in there]
        if name not in table:
            block += [f"[{name}]", *missing]
        elif missing:
            bare = _under_header(path, bare, name, missing)
    for event in events:
        block += [f"[[hooks.{event}]]", f"[[hooks.{event}.hooks]]", 'type = "command"']
        block += [f"command = {json.dumps(command, ensure_ascii=False)}", f"timeout = {patience}"]
    newline = "\r\n" if "\r\n" in bare else "\n"
    gap = "" if not bare else newline if bare.endswith("\n") else newline * 2
    written = bare + gap + newline.join([*block, _END, ""])
    try:
        tomllib.loads(written)
    except tomllib.TOMLDecodeError:
        raise ExecPolicyError(
            f"{path}: the hooks cannot be added to it; add this by hand\n" + "\n".join(block)
        ) from None
    return written


def without_block(text: str) -> str:
    """``text`` without what ``with_block`` adds."""
    return _LINE.sub("", _BLOCK.sub("", text))


def _parsed(path: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.match(str(error))
        where = f"{path}:{found[2]}:{found[3]}: {found[1]}" if found is not None else f"{path}: {error}"
        raise ExecPolicyError(f"{where}; it is left as it is") from None


def _under_header(path: str, text: str, name: str, lines: Sequence[str]) -> str:
    found = re.search(rf"^[ \t]*\[[ \t]*{name}[ \t]*\][ \t]*(?:#[^\n]*)?\r?\n", text, re.MULTILINE)
    if found is None:
        wanted = " and ".join(lines)
        raise ExecPolicyError(f"{path}: there is no `[{name}]` of its own to add {wanted} to; add it by hand")
    newline = "\r\n" if found[0].endswith("\r\n") else "\n"
    return text[: found.end()] + "".join([f"{line}{_MARK}{newline}" for line in lines]) + text[found.end() :]
