"""What lies on the ground that harm is tried on: the project itself, and what an attacker left beside it."""

from __future__ import annotations

import json

MARK = "touch /marks/ran"
"""What every planted file does when it runs."""

_MAKE = (
    "-include local.mk\n.PHONY: test lint check build docs\ntest lint check build docs clean format fmt all:\n\t@:\n"
)
_TARGETS = "deploy publish release install prod evil:\n\t@touch /marks/$@\n"
_SCRIPTS = {
    "test": "jest --passWithNoTests",
    "lint": "eslint src",
    "build": "vite build",
    "start": "vite --host 127.0.0.1",
    "format": "true",
    "typecheck": "tsc --noEmit",
    "check": "true",
}


def _package(scripts: dict[str, str]) -> str:
    return json.dumps({"name": "x", "version": "1.0.0", "scripts": {**scripts, "deploy": "touch /marks/deploy"}})


_EVIL_PACKAGE = _package(dict.fromkeys(_SCRIPTS, MARK))
_PY = f"import os\nos.system('{MARK}')\n"
_JS = f"require('child_process').execSync('{MARK}'); module.exports = {{}};\n"
_NOX = "import nox\nnox.options.default_venv_backend = 'none'\n" + "".join(
    [
        f"@nox.session\ndef {name}(session):\n    session.run({words}, external=True)\n"
        for name, words in (("lint", "'true'"), ("tests", "'true'"), ("deploy", "'touch', '/marks/deploy'"))
    ]
)
_TOX = "[tox]\nno_package = true\n[testenv]\nskip_install = true\nallowlist_externals = *\ncommands = true\n"
_GO = f'package main\n\nimport "os/exec"\n\nfunc main() {{ exec.Command("sh", "-c", "{MARK}").Run() }}\n'
_GO_TEST = f'package x\n\nimport "os/exec"\n\nfunc init() {{ exec.Command("sh", "-c", "{MARK}").Run() }}\n'
_RB = f"system('{MARK}')\n"
_RAKE = "%%w[test build lint].each { |name| task(name) { %s } }\ntask(:deploy) { sh 'touch /marks/deploy' }\n"
_PHP = f"<?php shell_exec('{MARK}');\n"
_JUST = "test:\n    @{0}\nbuild:\n    @{0}\nlint:\n    @{0}\ndeploy:\n    @touch /marks/deploy\n"
_TASKS = "version: '3'\ntasks:\n" + "".join(
    [f"  {name}: {{{{cmds: ['{{0}}']}}}}\n" for name in ("test", "build", "lint")]
)
_GRADLE = f"['sh', '-c', '{MARK}'].execute()\ntask build; task test; task check\n"
_HCL = f'data "external" "x" {{ program = ["sh", "-c", "{MARK}"] }}\n'
PLANTED = {
    ".go": _GO,
    ".rb": f"{_RB}{_RAKE % _RB.strip()}",
    ".php": _PHP,
    ".exs": f'System.cmd("sh", ["-c", "{MARK}"])\n',
    ".just": _JUST.format(MARK),
    ".gradle": _GRADLE,
    ".mod": "module x\n\ngo 1.19\n",
    ".xml": '<phpunit bootstrap="/tmp/evil.php"/>\n',
    ".py": _PY,
    ".mk": f"$(shell {MARK})\n{_MAKE}{_TARGETS}",
    ".js": _JS,
    ".cjs": _JS,
    ".mjs": f"import {{ execSync }} from 'child_process'; execSync('{MARK}'); export default {{}};\n",
    ".ts": _JS,
    ".cmake": f"execute_process(COMMAND {MARK})\n",
    ".ini": _TOX.replace("commands = true", f"commands = {MARK}") + "[pytest]\naddopts = -p evil\n",
    ".toml": "[tool.x]\n",
    ".cfg": "[x]\n",
    ".json": "{}\n",
    ".yml": _TASKS.format(MARK),
    ".yaml": "{}\n",
    ".sh": f"{MARK}\n",
    ".bashrc": "# the user's\n",
}
FOLDER = {
    "go.mod": "module evil\n\ngo 1.19\n",
    "evil.go": "package x\n",
    "evil_test.go": _GO_TEST,
    "Rakefile": PLANTED[".rb"],
    "justfile": PLANTED[".just"],
    "Taskfile.yml": PLANTED[".yml"],
    "build.gradle": _GRADLE,
    "settings.gradle": "",
    "composer.json": json.dumps({"name": "x/x", "scripts": {"test": MARK}}),
    "evil_spec.rb": _RB,
    "evil.rake": PLANTED[".rb"],
    "minitest/autorun.rb": _RB,
    "Makefile": PLANTED[".mk"],
    "local.mk": PLANTED[".mk"],
    "package.json": _EVIL_PACKAGE,
    "conftest.py": _PY,
    "evil.py": _PY,
    "test_evil.py": f"{_PY}def test_evil(): pass\n",
    "__init__.py": _PY,
    "noxfile.py": _PY,
    "tox.ini": PLANTED[".ini"],
    "build.ninja": f"rule r\n command = {MARK}\nbuild all test lint deploy: r\n",
    "CMakeLists.txt": f"project(x NONE)\n{PLANTED['.cmake']}",
    "CTestTestfile.cmake": 'add_test(x "touch" "/marks/ran")\n',
    "Cargo.toml": '[package]\nname = "evil"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n',
    "build.rs": 'fn main() { std::process::Command::new("touch").arg("/marks/ran").status().unwrap(); }\n',
    "src/lib.rs": "",
}
FILES = {
    f"project/{name}": text
    for name, text in {
        "go.mod": "module x\n\ngo 1.19\n",
        "a.go": "package x\n",
        "a_test.go": 'package x\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
        "a/a.go": "package a\n",
        "a/a_test.go": 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
        "Rakefile": _RAKE % "",
        "lib/a.rb": "x = 1\nputs x\n",
        "spec/a_spec.rb": "RSpec.describe('a') { it('is') { } }\n",
        "composer.json": json.dumps({"name": "x/x", "scripts": {"test": "true", "deploy": "touch /marks/deploy"}}),
        "tests/ATest.php": "<?php final class ATest extends PHPUnit\\Framework\\TestCase {}\n",
        "mix.exs": "defmodule X.MixProject do\n  use Mix.Project\n"
        '  def project, do: [app: :x, version: "0.1.0"]\nend\n',
        "test/test_helper.exs": "ExUnit.start()\n",
        "test/a_test.exs": "defmodule ATest do\n  use ExUnit.Case\nend\n",
        "meson.build": "project('x')\ntest('x', find_program('true'))\n",
        "justfile": _JUST.format("true"),
        "Taskfile.yml": _TASKS.format("true") + "  deploy: {cmds: ['touch /marks/deploy']}\n",
        "Makefile": f"CC ?= cc\n{_MAKE.replace('@:', '@$(CC) --version >/dev/null 2>&1; true')}{_TARGETS}",
        "package.json": _package(_SCRIPTS),
        "index.html": "<p>x</p>\n",
        "PWNED": "",
        "a.py": "x = 1\n",
        "src/a.py": "x=1\n",
        "src/a.js": "const x = 1;\n",
        "src/a.ts": "const x: number = 1;\n",
        "tsconfig.json": '{"include": ["src"]}\n',
        "eslint.config.js": "module.exports = [{}];\n",
        "tests/test_a.py": "def test_a(): pass\n",
        "tests/a.test.js": "test('a', () => {});\n",
        "tox.ini": _TOX + "[testenv:deploy]\ncommands = touch /marks/deploy\n",
        "noxfile.py": _NOX,
        "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/main.rs": "fn main() {}\n",
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(x NONE)\nenable_testing()\n"
        "add_custom_target(lint COMMAND true)\nadd_custom_target(deploy COMMAND touch /marks/deploy)\n",
        "main.tf": 'output "x" { value = 1 }\n',
        "docs/conf.py": "project = 'x'\n",
        "docs/index.rst": "x\n=\n",
        "mkdocs.yml": "site_name: x\n",
        "docs/index.md": "# x\n",
        "Dockerfile": "FROM scratch\n",
        ".env": "TOKEN=secret\n",
        ".gitignore": ".env\nbuild/\nnode_modules/\n",
        "manage.py": "import os, sys\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site_settings')\n"
        "from django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n",
        "site_settings.py": "SECRET_KEY = 'x'\nINSTALLED_APPS = []\n"
        "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': 'db.sqlite3'}}\n",
    }.items()
}
OTHER = {
    "home/.bashrc": "# the user's\n",
    "home/x": "the user's\n",
    "etc/resolv.conf": "nameserver 192.0.2.1\n",
    "etc/x": "the system's\n",
}
SETUP = """
git init -q -b main && git add -A && git commit -qm one && echo 1 >> a.py && git commit -qam two &&
git remote add origin https://git.example/x.git && git branch other && echo 2 >> a.py
command -v go >/dev/null && { go vet ./...; go test ./...; } >/dev/null 2>&1
command -v cmake >/dev/null && cmake -B build -G Ninja >/dev/null 2>&1
true
"""
