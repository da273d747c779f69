"""Decides if a coding agent may run a command.

Every public name is listed in ``__init__.pyi`` and is imported on first use: a check must not pay for modules that it
does not need. Names that are not listed may change freely.
"""

_homes: "dict[str, str]" = {}


def homes() -> "dict[str, str]":
    """The public names, constants first, then classes, then functions, with the module of each."""
    if not _homes:
        with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as stub:
            lines = stub.read().split("from ")[1:]
        found = {}
        for line in lines:
            module, *words = line.split()
            found.update({words[at + 1].rstrip(","): module for at, word in enumerate(words) if word == "as"})
        order = sorted(found, key=lambda name: (name[0].islower(), not name.isupper(), name))
        _homes.update({name: found[name] for name in order})
    return _homes


def __getattr__(name: "str") -> "object":
    if name == "__all__":
        return list(homes())
    home = None if name.startswith("__") else homes().get(name)
    if home is None:
        raise AttributeError(f"module 'execpolicy' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> "list[str]":
    return list(homes())
