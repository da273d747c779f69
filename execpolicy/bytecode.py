"""Bytecode in one piece: the modules that a check needs, in the order in which they need each other.

Importing a module costs 60 to 150 µs, most of it finding it, and a check needs seventy. A wheel carries the compiled
modules of each usual form in one file (``.ci/bytecode_groups.py`` writes it), which takes a third of that. Without
such a file, or if it does not fit, every module is imported in the usual way: a checkout has none, another version of
Python has another name, and a module that was edited after the installation must be the one that runs.
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
"""Digests by the groups asked for so far; none outside of a check, where nothing may lack its docstring."""
_doors: "dict[str, str]" = {}
"""Groups that are not loaded yet, by the module whose import is the first of theirs."""
_unchanged: "frozenset[str]" = frozenset()
"""Files of the package that are those that came with the wheel."""


def start(arguments: "Sequence[str]") -> "None":
    """Load what the installed command will surely import, and watch for the beginning of what it may import later.

    A wrong guess costs a little time and nothing else.
    """
    if arguments[:1] == ["check"]:
        scripted = ["check", "safe", "script"] if "--script" in arguments else ["check"]
        groups = ["compat"] if "--compat" in arguments else scripted
    elif arguments[:1] == ["hook"]:
        groups = ["check", "safe", "script", "hook"]
    else:
        return
    gc.disable()  # one answer and out: collecting garbage would cost more than all of it
    for group in groups:
        _load(group)
    if _doors:
        sys.meta_path.insert(0, _Door)


def bytecode_path(group: "str") -> "str":
    """Where a wheel keeps ``group`` for this version of Python."""
    return f"{_HERE}/_data/bytecode/{group}.{sys.implementation.cache_tag}"


def identity() -> "bytes | None":
    """The digest of what compiles and judges, rules included, if a group was loaded: then it is what was built."""
    return next((digest for digest in _loaded.values() if digest), None)


def is_as_built(path: "str") -> "bool":
    """Whether :func:`identity` speaks for the file at ``path``, and so for every file that came with it."""
    return path.startswith(_HERE) and path[len(_HERE) + 1 :] in _unchanged


class _Door:
    """The finder that loads a group when its first module is imported, and hands that one over as it is."""

    @staticmethod
    def find_spec(name: "str", path: "object" = None, target: "object" = None) -> "ModuleSpec | None":
        """How to import ``name`` if it is the first of a group; the rest of the group needs no finding any more."""
        group = _doors.pop(name, None)
        if group is None:
            return None
        _load(group)
        module = sys.modules.pop(name, None)  # what stood there would be executed once more
        if module is None:
            return None
        return ModuleSpec(name, _Door, loader_state=(module, module.__spec__))  # type: ignore[arg-type]  # a class

    @staticmethod
    def create_module(spec: "ModuleSpec") -> "ModuleType":
        """The module, complete."""
        module: ModuleType = spec.loader_state[0]
        return module

    @staticmethod
    def exec_module(module: "ModuleType") -> "None":
        """Give it back the specification that tells where it comes from."""
        module.__spec__ = module.__spec__.loader_state[1]  # type: ignore[union-attr]  # ours


def _load(group: "str") -> "None":
    """Put the modules of ``group`` into ``sys.modules``. Does nothing where that would not be what an import does."""
    global _unchanged
    if group in _loaded or sys.flags.optimize:  # -O: another bytecode, without assertions
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
    """Whether all files are those that came with the wheel; ``record``, its contents, is what installers write last."""
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
    """Make the module ``name`` of ``code``, with everything that the import system knows about it."""
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
