"""Manual pages: the sections of docs/commands.md as roff, one for each command, and one for the program."""

from __future__ import annotations

import re
from pathlib import Path

_TABLE_RULE = re.compile(r"^\|(?:-+\|)+$")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
_SPAN = re.compile(r"`([^`]*)`|\*\*([^*]*)\*\*|\*([^*]*)\*")


def man_pages(docs: Path, version: str) -> dict[str, str]:
    """File name to text of every manual page.

    Args:
        docs: the folder of the documentation.
        version: of the program.
    """
    index, *sections = (docs / "commands.md").read_text("utf-8").split("\n## ")
    found = {}
    for section in sections:
        title, summary, body = section.split("\n", 2)[0], *section.split("\n", 2)[2].split("\n", 1)
        name = title.replace(" ", "-")
        found[f"{name}.1"] = man_page(f"# {title}: {summary}\n{body}", name, version)
    others = ", ".join(f"**{name.removesuffix('.1')}**(1)" for name in sorted(found))
    text = f"# execpolicy: may this command run?\n{index.partition(chr(10))[2]}\n\n## See also\n\n{others}\n"
    return {"execpolicy.1": man_page(text, "execpolicy", version), **found}


def man_page(markdown: str, name: str, version: str) -> str:
    """A page of the documentation as a manual page of section 1."""
    title, _, body = markdown.partition("\n")
    summary = title.partition(": ")[2] or title.lstrip("# ")
    lines = [f'.TH "{name.upper()}" "1" "" "execpolicy {version}"', ".SH NAME", f"{_text(name)} \\- {_text(summary)}"]
    lines.append(".SH DESCRIPTION")
    blocks = re.split(r"^```\w*\n(.*?)^```\n?", body, flags=re.MULTILINE | re.DOTALL)
    for at, block in enumerate(blocks):
        if at % 2:
            lines += [".PP", ".nf", ".RS 2", *map(_verbatim, block.rstrip("\n").split("\n")), ".RE", ".fi"]
        else:
            for paragraph in re.split(r"\n{2,}", block.strip("\n")):
                lines += _paragraph(paragraph)
    return "\n".join(lines) + "\n"


def _paragraph(text: str) -> list[str]:
    if not text.strip():
        return []
    if text.startswith("#"):
        return [f'.SH "{_text(text.lstrip("# ").upper())}"']
    lines = text.split("\n")
    if lines[0].startswith("|"):
        return _table(lines)
    if lines[0].startswith(("* ", "- ")):
        items = re.split(r"\n(?=[*-] )", text)
        return [line for item in items for line in (".IP \\(bu 2", _text(" ".join(item[2:].split())))]
    return [".PP", _text(" ".join(text.split()))]


def _table(lines: list[str]) -> list[str]:
    """A table as terms and what they mean; its head is left out where it names nothing."""
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if not _TABLE_RULE.match(line)
    ]
    head, *rest = rows
    title = " \\- ".join(cell for cell in head if cell)
    found = [f'.SS "{_text(title)}"'] if title not in ("option", "status") else []
    for term, *meaning in rest:
        found += [".TP", _text(term.replace("\\|", "|")), _text(" \\- ".join(meaning).replace("\\|", "|"))]
    return found


def _text(markdown: str) -> str:
    """A line of running text."""
    plain = _LINK.sub(r"\1", markdown)
    out, at = "", 0
    for match in _SPAN.finditer(plain):
        out += _escaped(plain[at : match.start()])
        code, strong, emphasis = match.groups()
        out += f"\\fI{_escaped(emphasis)}\\fR" if emphasis is not None else f"\\fB{_escaped(code or strong or '')}\\fR"
        at = match.end()
    out += _escaped(plain[at:])
    return f"\\&{out}" if out.startswith((".", "'")) else out


def _escaped(text: str) -> str:
    return text.replace("\\-", "\0").replace("\\", "\\e").replace("-", "\\-").replace("\0", "\\-").replace('"', "\\(dq")


def _verbatim(line: str) -> str:
    shown = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{shown}" if shown.startswith((".", "'")) else shown
