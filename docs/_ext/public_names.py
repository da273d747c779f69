"""`public-names`: every public name of a package, from its docstring."""

from __future__ import annotations

import inspect
from importlib import import_module

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from execpolicy import homes


def kind_of(thing: object) -> str:
    """Which of autodoc's directives shows it."""
    if inspect.isclass(thing):
        return "exception" if issubclass(thing, BaseException) else "class"
    return "function" if inspect.isroutine(thing) else "data"


class PublicNames(SphinxDirective):
    """Takes the name of a package, and puts there what the docstrings of its public names say."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The nodes that autodoc makes of each name."""
        package = self.arguments[0]
        module = import_module(package)
        lines = []
        for name, home in sorted(homes(package).items()):
            kind = kind_of(getattr(module, name))
            # the docstring of a value stands behind it, where it is assigned
            place = f"{home}.{name}" if kind == "data" else f"{package}.{name}"
            lines += [f".. auto{kind}:: {place}", ""]
        holder = nodes.container()
        self.state.nested_parse(StringList(lines, "public-names"), 0, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
