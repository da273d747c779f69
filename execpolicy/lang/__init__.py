"""Rule text to statements: scan, evaluate in Starlark, build, check examples. Entry point: ``compile.compile_sources``.

Knows the core and the heuristics' entries; knows nothing of layers, files on disk or people.
"""

from execpolicy.deferred import defer

defer(__name__)
