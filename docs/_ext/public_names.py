"""`public-names`: every public name of some packages, from its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import execpolicy


def homes_of(packages: Iterable[str]) -> list[tuple[str, str]]:
    """The public names that live in these packages (or modules beside them), by the alphabet, and their modules."""
    wanted = set(packages)
    return sorted((name, home) for name, home in execpolicy.homes().items() if home.split(".")[1] in wanted)


def kind_of(name: str) -> str:
    """Which of autodoc's directives shows it."""
    thing = getattr(execpolicy, name)
    if inspect.isclass(thing):
        return "exception" if issubclass(thing, BaseException) else "class"
    return "function" if inspect.isroutine(thing) else "data"


class PublicNames(SphinxDirective):
    """Takes the names of packages, and puts there what their docstrings say."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The nodes that autodoc makes of each name."""
        homes = homes_of(self.arguments[0].split())
        if not homes:
            raise self.error(f"there is no public name in {self.arguments[0]}")
        lines = []
        for name, module in homes:
            kind = kind_of(name)
            # the docstring of a value stands behind it, where it is assigned
            place = f"{module}.{name}" if kind == "data" else f"execpolicy.{name}"
            lines += [f".. auto{kind}:: {place}", ""]
        holder = nodes.container()
        self.state.nested_parse(StringList(lines, "public-names"), 0, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
