"""Bytecode in one file: the modules that a check needs, in the order of their dependencies.

Importing a module costs 60 to 150 µs, mostly for finding it, and a check needs seventy. A wheel contains the compiled
modules of each usual form in one file (``.ci/bytecode_groups.py`` writes it), which takes a third of that time.

Without a matching file, every module is imported in the usual way. A checkout has no such file, another version of
Python has another file name, and a module that was edited after the installation must be the one that runs.
"""

import gc
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]  # what importlib uses, unknown to typeshed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

_HERE = os.path.dirname(os.path.abspath(__file__))
_loaded: "dict[str, bytes | None]" = {}
"""Digests by requested group; empty outside a check, where every module needs its docstring."""
_doors: "dict[str, str]" = {}
"""Groups that are not loaded yet, by the first module that their users import."""
_unchanged: "frozenset[str]" = frozenset()
"""Files of the package that are unchanged since the wheel was built."""


def start(arguments: "Sequence[str]") -> "None":
    """Loads the modules that the command will certainly import, and registers the groups that it may import later.

    A wrong guess costs a little time and has no other effect.
    """
    if arguments[:1] == ["check"]:
        scripted = ["check", "safe", "script"] if "--script" in arguments else ["check"]
        groups = ["compat"] if "--compat" in arguments else scripted
    elif arguments[:1] == ["hook"]:
        groups = ["check", "safe", "script", "hook"]
    else:
        return
    gc.disable()  # a short process: garbage collection would cost more than the rest
    for group in groups:
        _load(group)
    if _doors:
        sys.meta_path.insert(0, _Door)


def bytecode_path(group: "str") -> "str":
    """The path of ``group`` in a wheel for this version of Python."""
    return f"{_HERE}/_data/bytecode/{group}.{sys.implementation.cache_tag}"


def identity() -> "bytes | None":
    """The digest of the built code and rules if a group was loaded, since they are then unchanged; else ``None``."""
    return next((digest for digest in _loaded.values() if digest), None)


def is_as_built(path: "str") -> "bool":
    """True if :func:`identity` covers the file at ``path``, and so every file that came with it."""
    return path.startswith(_HERE) and path[len(_HERE) + 1 :] in _unchanged


class _Door:
    """The finder that loads a group when its first module is imported, and returns that module unchanged."""

    @staticmethod
    def find_spec(name: "str", path: "object" = None, target: "object" = None) -> "ModuleSpec | None":
        """The specification of ``name`` if it is the first of a group; the rest is then already imported."""
        group = _doors.pop(name, None)
        if group is None:
            return None
        _load(group)
        module = sys.modules.pop(name, None)  # an entry in sys.modules would be executed again
        if module is None:
            return None
        return ModuleSpec(name, _Door, loader_state=(module, module.__spec__))  # type: ignore[arg-type]  # a class

    @staticmethod
    def create_module(spec: "ModuleSpec") -> "ModuleType":
        """The complete module."""
        module: ModuleType = spec.loader_state[0]
        return module

    @staticmethod
    def exec_module(module: "ModuleType") -> "None":
        """Restores the module's original specification."""
        module.__spec__ = module.__spec__.loader_state[1]  # type: ignore[union-attr]  # ours


def _load(group: "str") -> "None":
    """Puts the modules of ``group`` into ``sys.modules``. Does nothing if the result would differ from an import."""
    global _unchanged
    if group in _loaded or sys.flags.optimize:  # -O: different bytecode, without assertions
        return
    checked = identity()
    _loaded[group] = None
    try:
        with open(bytecode_path(group), "rb") as file:
            data = file.read()
        if not data.startswith(MAGIC_NUMBER):
            return
        digest, built, doors, modules = marshal.loads(memoryview(data)[len(MAGIC_NUMBER) :])
        if digest != checked:
            record, sizes = marshal.loads(built)
            if not _are_as_built(record, sizes):
                return
            _unchanged = frozenset(sizes)
    except (OSError, EOFError, ValueError, TypeError):
        return
    _loaded[group] = digest
    _doors.update(doors)
    for found in modules:
        if found[0] not in sys.modules:
            _execute(*found)


def _are_as_built(record: "str", sizes: "dict[str, int]") -> "bool":
    """True if all files are those of the wheel; ``record`` is its list of contents, which installers write last."""
    here = os.open(_HERE, os.O_RDONLY | os.O_DIRECTORY)
    try:
        installed = os.stat(record, dir_fd=here).st_mtime
        for path, size in sizes.items():
            status = os.stat(path, dir_fd=here)
            if status.st_size != size or status.st_mtime > installed:
                return False
    finally:
        os.close(here)
    return True


def _execute(name: "str", path: "str", package: "bool", code: "CodeType") -> "None":
    """Creates the module ``name`` from ``code``, with all attributes that the import system sets."""
    place = f"{_HERE}/{path}"
    parent, _, child = name.rpartition(".")
    _fix_co_filename(code, place)
    loader = SourceFileLoader(name, place)
    spec = ModuleSpec(name, loader, origin=place, is_package=package)
    spec.has_location = True
    module = sys.modules[name] = type(sys)(name)
    names = module.__dict__
    names["__spec__"] = spec
    names["__loader__"] = loader
    names["__file__"] = place
    if package:
        names["__package__"] = name
        names["__path__"] = spec.submodule_search_locations = [place[: place.rindex("/")]]
    else:
        names["__package__"] = parent
    try:
        exec(code, names)
    except BaseException:
        del sys.modules[name]
        raise
    if parent:
        setattr(sys.modules[parent], child, module)
