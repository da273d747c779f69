"""Decides if a coding agent may run a command.

Every public name is listed in ``__init__.pyi`` and is imported on first use: a check must not pay for modules that it
does not need. The packages among :data:`PARTS` have public names of their own. Names that are not listed may change
freely.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PARTS = (
    "approvals",
    "exchange",
    "formatting",
    "inbox",
    "insight",
    "lint",
    "permissions",
    "protocol",
    "testing",
    "types",
)

_homes: "dict[str, dict[str, str]]" = {}


def homes(package: "str" = "execpolicy") -> "dict[str, str]":
    """The public names of ``package``, constants first, then classes, then functions, with the module of each."""
    if package not in _homes:
        with open(f"{sys.modules[package].__path__[0]}/__init__.pyi", encoding="utf-8") as stub:
            lines = stub.read().split("from ")[1:]
        found = {}
        for line in lines:
            module, *words = line.split()
            found.update({words[at + 1].rstrip(","): module for at, word in enumerate(words) if word == "as"})
        order = sorted(found, key=lambda name: (name[0].islower(), not name.isupper(), name))
        _homes[package] = {name: found[name] for name in order if found[name] != package}
    return _homes[package]


def public_names(
    package: "str", *, parts: "tuple[str, ...]" = ()
) -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """``__getattr__`` and ``__dir__`` of a package, by its ``__init__.pyi``.

    Args:
        parts: the packages in it that have public names of their own. Their names still work without the part, with a
            warning, as they did before 0.1.
    """

    def get(name: "str") -> "object":
        if name == "__all__":
            return list(homes(package))
        if name in parts:
            __import__(f"{package}.{name}")
            return sys.modules[f"{package}.{name}"]
        home = None if name.startswith("__") else homes(package).get(name)
        if home is not None:
            __import__(home)
            value = vars(sys.modules[package])[name] = getattr(sys.modules[home], name)
            return value
        for part in () if name.startswith("_") else parts:
            public = get(part)
            if name in homes(f"{package}.{part}"):
                import warnings

                message = f"{package}.{name} is deprecated: use {package}.{part}.{name}"
                warnings.warn(message, DeprecationWarning, stacklevel=2)
                return getattr(public, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: list(homes(package))


__getattr__, __dir__ = public_names(__name__, parts=PARTS)
