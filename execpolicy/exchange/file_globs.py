"""Patterns of agents for files that their tools may write, as globs of ``write_rule`` that cover at least as much."""

from __future__ import annotations


def of_gitignore(pattern: str) -> tuple[str, ...]:
    """A pattern as ``.gitignore`` reads it: ``//x`` absolute, ``/x`` and ``./x`` in the project, ``x`` anywhere in it.

    Empty if it cannot be said. What lies below a folder of the name is covered as well.
    """
    if _unusual(pattern):
        return ()
    if pattern.startswith("//"):
        base = pattern[1:]
    elif pattern.startswith("~/"):
        base = pattern
    elif pattern.startswith("/"):
        base = "." + pattern
    else:
        inner = pattern.removeprefix("./").rstrip("/")
        anchored = "/" in inner or pattern.startswith("./")
        base = f"./{inner}" if anchored or inner.startswith("**") else f"./**/{inner}"
    base = base.rstrip("/")
    if base in ("", ".", "~", "./*", "./**/*"):
        return () if base in ("", ".", "~") else ("./**",)
    return (base,) if base.endswith("/**") else (base, f"{base}/**")


def of_wildcards(pattern: str) -> tuple[str, ...]:
    """A pattern over the path below the project in which ``*`` crosses folders; empty if it cannot be said."""
    if _unusual(pattern) or "?" in pattern:
        return ()
    parts = []
    for part in pattern.removeprefix("./").split("/"):
        if part.count("*") == 0 or part == "**":
            parts.append(part)
        elif part == "*":
            parts.append("**")
        elif part.startswith("*") and part.count("*") == 1:
            parts += ["**", part]
        else:
            return ()
    start = "/" if pattern.startswith("/") else "./"
    base = (pattern[:1] == "~" and "/".join(parts)) or start + "/".join(parts).lstrip("/")
    return (base,)


def _unusual(pattern: str) -> bool:
    return not pattern or pattern != pattern.strip() or any(char in pattern for char in "[]{}\\!$\n") or ".." in pattern
