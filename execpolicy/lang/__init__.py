"""Converts rule text to statements: scan, evaluate in Starlark, build, check examples.

The entry point is ``compile.compile_sources``. The package imports the core and the heuristics' entries; it does not
depend on layers, files on disk or user interaction.
"""

from execpolicy.deferred import defer

defer(__name__)
