"""How Sphinx makes the site: ``python -m sphinx -W --keep-going -b html docs build/site``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "execpolicy"
language = "en"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "folder_pages", "public_names"]
exclude_patterns = ["_ext", "evidence/*"]

# Every page is Markdown that reads as well where the sources are looked at. A link that leads nowhere and a page that
# nothing leads to are warnings, and `-W` makes them errors.
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
napoleon_use_ivar = True  # an attribute that is also a member is described once
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"  # brings its own fonts, search, and a dark mode; nothing is fetched from elsewhere
html_title = "execpolicy"
html_copy_source = False
html_show_copyright = False  # LICENSE says it
html_show_sourcelink = False
