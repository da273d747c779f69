"""Writes the bytecode that a wheel carries in one piece: see ``execpolicy/bytecode.py``, which reads it.

    python -X no_debug_ranges .ci/bytecode_groups.py PACKAGE RECORD

writes it into PACKAGE, which is the package as it will be installed; RECORD is the path, from there, of the table of
contents that installers write last. Without the columns of every instruction, reading takes a tenth less.

A group is what one usual form of a check imports, as recorded by running it. Its door is the module that it imports
first: whatever runs, the import of the door loads the group. Docstrings, annotations and imports for type
checkers are left out: nothing on these paths looks at them, and reading them costs a quarter more. Values are written
out.
"""

import __future__

import ast
import marshal
import os
import subprocess
import sys
import time
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from written_out import MODULE, write_out


class Form(NamedTuple):
    """A run whose imports are recorded.

    Attributes:
        words: the arguments of the command.
        after: groups that have been loaded by then; the first of them names the doors of the others.
        cached: whether the compiled rules are kept from an earlier run.
        stdin: what the run reads.
    """

    words: tuple[str, ...]
    after: tuple[str, ...] = ()
    cached: bool = True
    stdin: str = ""


_RULES = ("-r", "one.rules")
_ARGV = ("--", "prog", "sub")
_HOOK = '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status"},"cwd":"/"}'
FORMS = {
    "compat": Form(("check", "--compat", "codex-0.169", *_RULES, *_ARGV)),
    "compat-compile": Form(("check", "--compat", "codex-0.169", *_RULES, *_ARGV), ("compat",), cached=False),
    "check": Form(("check", *_RULES, *_ARGV)),
    "safe": Form(("check", *_RULES, "--", "ls", "-la"), ("check",)),
    "git": Form(("check", *_RULES, "--", "git", "status"), ("check", "safe")),
    "compile": Form(("check", *_RULES, *_ARGV), ("check",), cached=False),
    "script": Form(("check", *_RULES, "--script", "cd src && git status && ls -la | head -5"), ("check", "safe")),
    "reader": Form(("check", *_RULES, "--script", 'for f in a "$b"; do cat <"$f"; done'), ("check", "safe", "script")),
    "meaning": Form(("check", "-r", "push.rules", "--", "git", "push"), ("check", "safe", "script")),
    "hook": Form(("hook", *_RULES, "claude"), ("check", "safe", "script"), stdin=_HOOK),
}
_COMPILES = {"core", "flow", "judge", "lang", "layers", "programs", "safety", "shell"}
"""The packages that compile and judge."""
_LAUNCHED = {"execpolicy": "__init__.py", "execpolicy.bytecode": "bytecode.py"}
"""What is imported in the usual way, before there are groups."""


def write_groups(package: Path, record: str) -> None:
    """Write a file for each group into ``package``."""
    recorded: dict[str, list[str]] = {}
    doors: dict[str, dict[str, str]] = {group: {} for group in FORMS}
    for group, imports in _recorded(package.parent).items():
        form = FORMS[group]
        earlier = {*_LAUNCHED, MODULE, *[name for other in form.after for name in recorded[other]]}
        imported = [each for each in imports if each[0] not in earlier]
        recorded[group] = [name for name, _ in imported]
        if form.after:
            # What the door needs is listed before it, but lies deeper. A new package around it comes even earlier.
            first = next(name for name, depth in imported if depth == 0)
            door = next((name for name, _ in imported if first.startswith(name + ".")), first)
            doors[form.after[0]][door] = group
    sources = {str(path.relative_to(package)): path.read_bytes() for path in package.rglob("*.py")}
    groups = {group: [_compiled(sources, name) for name in names] for group, names in recorded.items()}
    known = {path for path in sources if path.partition("/")[0] in _COMPILES} | {*_LAUNCHED.values()}
    known.update(path for modules in groups.values() for _, path, _, _ in modules)
    known.update(str(path.relative_to(package)) for path in package.glob("_data/*.*"))
    files = {path: (package / path).read_bytes() for path in sorted(known)}
    digest = blake2b(repr(files).encode(), digest_size=32).digest()
    sizes = {path: len(content) for path, content in files.items()}
    built = marshal.dumps((record, sizes))  # read for the first group only
    target = package / "_data" / "bytecode"
    target.mkdir(parents=True, exist_ok=True)
    for group, modules in groups.items():
        path = target / f"{group}.{sys.implementation.cache_tag}"
        path.write_bytes(MAGIC_NUMBER + marshal.dumps((digest, built, doors[group], modules)))


def _recorded(root: Path) -> dict[str, list[tuple[str, int]]]:
    """What each form imports."""
    with TemporaryDirectory() as folder:
        Path(folder, "one.rules").write_text('prefix_rule(pattern=["prog", "sub"], decision="allow")\n')
        Path(folder, "push.rules").write_text('prefix_rule(pattern=["git", "push"], decision="prompt")\n')
        time.sleep(0.3)  # a file that was just written is looked at more closely, by modules that no usual run needs
        return {group: _imports(root, form, folder, f"{folder}/cache-{group}") for group, form in FORMS.items()}


def _imports(root: Path, form: Form, folder: str, cache: str) -> list[tuple[str, int]]:
    """The modules of the package that ``form`` imports, each after those that it needs, and how deep in imports."""
    environment = {
        "HOME": folder,
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join([str(root), *filter(None, sys.path)]),  # a build may have paths of its own
        "EXECPOLICY_CACHE": cache if form.cached else "",
    }
    for _ in range(1 + form.cached):
        done = subprocess.run(
            [sys.executable, "-P", "-X", "importtime", "-m", "execpolicy", *form.words],
            cwd=folder,
            env=environment,
            input=form.stdin,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"`execpolicy {' '.join(form.words)}` failed:\n{done.stderr[-2000:]}")
    lines = [line.rpartition("|")[2][1:] for line in done.stderr.splitlines() if line.startswith("import time:")]
    names = [(line.lstrip(), (len(line) - len(line.lstrip())) // 2) for line in lines]
    return [(name, depth) for name, depth in names if name.partition(".")[0] == "execpolicy"]


def _compiled(sources: dict[str, bytes], name: str) -> tuple[str, str, bool, object]:
    """Name, path inside the package, whether it is a package, and its code."""
    relative = "/".join(name.split(".")[1:])
    is_package = str(Path(relative, "__init__.py")) in sources
    path = str(Path(relative, "__init__.py")) if is_package else relative + ".py"
    source = sources[path]
    tree = _Lean().visit(write_out(ast.parse(source)))
    code = compile(
        ast.fix_missing_locations(tree),
        path,
        "exec",
        flags=__future__.annotations.compiler_flag,
        dont_inherit=True,
        optimize=0,
    )
    return name, path, is_package, code


class _Lean(ast.NodeTransformer):
    """Drops what only readers and type checkers look at."""

    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._without_docstring(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        given = node.args
        for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
            if argument is not None:
                argument.annotation = None
        return self._without_docstring(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.Pass()
        return ast.Assign(targets=[node.target], value=self.visit(node.value))

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node.orelse
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        only_annotations = node.module == "__future__" and [alias.name for alias in node.names] == ["annotations"]
        return None if only_annotations else node  # the compiler is told

    def _without_docstring(self, node: ast.Module | ast.ClassDef | ast.FunctionDef) -> ast.AST:
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        self.generic_visit(node)
        if not node.body and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]
        return node


if __name__ == "__main__":
    write_groups(Path(sys.argv[1]), sys.argv[2])
