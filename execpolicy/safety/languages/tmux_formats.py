"""Formats of tmux that show what tmux knows of itself.

A name that is no variable of tmux is looked up in the environment (``format_find`` in tmux 3.3): ``#{TOKEN}`` prints a
secret. ``#(…)`` is a command, which the modifiers ``E`` and ``T`` also find in what they expand.
"""

from __future__ import annotations

import re

_NAMED = re.compile(r"[{:]([^{}:,;#]+)\}")
"""The name that is looked up: the last part of ``#{…}``, behind its modifiers; other parts are texts and formats."""
_CONDITION = re.compile(r"#\{\?([^{}:,;#]+),")
_EXPANDED = re.compile(r"[{;]\s*[ET](?![A-Za-z_])")
_FAMILIES = (
    *(
        "alternate_",
        "buffer_",
        "client_",
        "copy_",
        "cursor_",
        "history_",
        "hook",
        "keypad_",
        "last_",
        "mouse_",
        "pane_",
    ),
    *("popup_", "rectangle_", "scroll_", "search_", "selection_", "session_", "status-", "window_", "window-", "pane-"),
    *("active_window_index", "config_files", "host", "insert_flag", "line", "loop_last_flag", "next_session_id"),
    *("origin_flag", "start_time", "synchronized_output_flag", "socket_path", "wrap_flag", "bracket_paste_flag"),
)
_COPIED = frozenset(
    ("buffer_sample", "buffer_full", "copy_cursor_line", "copy_cursor_word", "mouse_line", "mouse_word")
)
"""Formats for text that a person copied or looks at."""
_SINGLE = frozenset(("pid", "user", "uid", "version", "command", "mouse", "prefix", "status"))


def format_refusal(text: str) -> str | None:
    """Returns why ``text`` may run a command or show the environment, or ``None`` if it does neither."""
    if "#(" in text:
        return "is a format that runs a command"
    if _EXPANDED.search(text):
        return "is a format that expands its own result, which may contain a command"
    for name in (*_NAMED.findall(text), *_CONDITION.findall(text)):
        if not (name.startswith(_FAMILIES) or name in _SINGLE or name[:1] == "@"):
            return f"is a format with `{name}`, which tmux may take from the environment"
        if name in _COPIED:
            return f"is a format with `{name}`, which shows what a user copied"
    return None
