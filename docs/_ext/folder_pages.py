"""The first page of a folder leads to the others: so the Markdown need not say it in a language of Sphinx.

The pages in ``evidence`` are no part of the site: links lead to their Markdown.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx


def lead_on(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the list of all pages beside ``FOLDER/README`` at its end, and link to evidence as to files."""
    source[0] = source[0].replace("](evidence/", "](path:evidence/")
    folder, _, name = docname.rpartition("/")
    if name != "README" or "{toctree}" in source[0]:
        return
    pages = sorted(path.stem for path in (Path(app.srcdir) / folder).glob("*.md") if path.stem != "README")
    if pages:
        source[0] += "\n```{toctree}\n:maxdepth: 1\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("source-read", lead_on)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
