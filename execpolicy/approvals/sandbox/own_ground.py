"""What decides about commands, so that one that runs must not write it: this program, its cache, settings of agents."""

from __future__ import annotations

import os
import sys

from execpolicy.layers.cache_key import key_path, make_key
from execpolicy.layers.compiled import cache_folder
from execpolicy.resources import grammar_folder, package_folder, rules_folder
from execpolicy.safety.protected import protected_in, protected_on_machine


def own_ground() -> tuple[str, ...]:
    """Where this program, the environment that it runs in, its compiled rules and the settings of the machine lie, as
    absolute paths."""
    found = [package_folder(), rules_folder(), grammar_folder(), *protected_on_machine()]
    if sys.prefix != sys.base_prefix:
        found.append(os.path.abspath(sys.prefix))
    cache = cache_folder()
    if cache is not None:
        found.append(os.path.abspath(cache))
    return tuple(found)


def secrets() -> tuple[str, ...]:
    """Files that what runs must not even read: the secret that signs the compiled rules."""
    path = key_path() if make_key() is not None else None  # made now: later, what runs would see it appear
    return () if path is None else (os.path.realpath(path),)


def agents_ground(root: str) -> tuple[str, ...]:
    """What agents, editors and hooks obey in ``root``, whether it is there or not; but ``git init`` is work."""
    found = [path.rstrip("/") for path in protected_in(root)]
    return tuple([path for path in found if os.path.lexists(path) or os.path.basename(path) != ".git"])
