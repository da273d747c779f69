"""Packs stay in the project, a tool of node is one that is installed, and forms name a folder or a host."""

from functools import cache
from pathlib import Path

import pytest

from execpolicy.errors import InvalidRuleError
from execpolicy.insight.starters import packs
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.safety.entries import build_safe
from tests.support.each import each
from tests.support.judging import rulebook

FORMS = """
safe_command(name="b", program="B", reason="r", operands=[["below:build", "below:./dist"], "*"])
safe_command(name="g", program="G", reason="r", operands=[["build/*"], "*"])
safe_command(name="u", program="U", reason="r", options={"--at": "url:localhost:8000"}, operands="url:localhost*")
safe_command(name="w", program="W", reason="r", operands=[["http://localhost:*"], "*"])
safe_command(name="l", program="L", reason="r", operands=[["%list", "%project-path"], "*"])
"""
INSIDE = [
    *("pytest tests/test_a.py::test", "pytest ../other", "pytest tests/test_*.py", "pytest {root}/other", "pytest -q"),
    *("cd .. && pytest", "cd tests && ruff check .", "pytest --cov=tests --ignore tests/a", "ruff format tests"),
    *("go test ./...", "go run ./cmd/x --flag /x", "go run a.go b.go", "go vet net/http", "make -C tests test"),
    *("prettier --write 'src/**/*.{ts,tsx}'", "npm test -- src/a.test.ts", "npm run build -- --outDir=dist", "mypy ."),
    *("npx eslint src", "bunx eslint .", "npm exec eslint src", "bun x eslint src", "cd ../other && npx eslint ."),
    *("B build/x", "B ./build/a/../b", "B {root}/sub/dist/x", "B build/*.o", "G build/x", "L tests,other"),
    *("U http://localhost:3000/x", "U localhost", "U --at localhost:8000/a", "W http://localhost:8000/a"),
]
OUTSIDE = [
    *("pytest tests/../../../x.py", "pytest ../../x", "pytest {out}", "pytest out/x.py", "pytest tests/l.py::test"),
    *("pytest tests/*.py", "pytest tests/.*/x", "pytest $x", 'pytest "tests/$x"', "pytest ~/x", "pytest @../../x"),
    *(
        "cd ../.. && pytest",
        "cd {out} && make test",
        "(cd ../..; npm test)",
        "pushd {out}; go test",
        'cd "$d"; mvn test',
    ),
    *("env -C {out} make test", "python -m pytest ./../../x", "uv run pytest tests/../../../x", "cd out && cargo test"),
    *("ruff format {out}", "black ../../x", "isort out", "pytest --cov=../../x", "pytest --ignore {out}"),
    *(
        "go run ./a/../../../x.go",
        "go run a.go ../../x.go",
        "go run ./cmd {out}/x.go",
        "go vet {out}/...",
        "go fmt out/...",
    ),
    *("npx prettier --write a/../../../x", "prettier --write '{../../x,a}/*'", "prettier '.{.,x}/.{.,y}/z'"),
    *(
        "prettier 'src/**/../../../../x'",
        "npm test -- --outFile={out}",
        "npm test -- ../../x",
        "tsc -p tsconfig/../../../x.json",
    ),
    *("make -C a/../../../x test", "rspec spec/../../../a_spec.rb:1", "rspec 'out/a.rb[1:2]'", "ruby -c {out}/a.rb"),
    *(
        "bun build --outdir=a/../../.git a.ts",
        "sqlite3 out/a.db 'SELECT * FROM a'",
        "cargo fmt --manifest-path out/Cargo.toml",
    ),
    *("npx cowsay", "bunx cowsay", "npm exec tsc", "bun x cowsay", "npx tsc", "pnpx eslint src", "pnpm dlx eslint src"),
    *("npx ../../../x", "npx eslint@1 src", "cd {out} && npx eslint src", "npx eslint ../../x"),
    *(
        "B build/../x",
        "B build",
        "B /build/x",
        "B build/l",
        "B linked/x",
        "B 'build/{../../x,a}'",
        "B builder/x",
        "B dist/$x",
    ),
    *("G build/../x", "G build/a/../../x", "G build/..", "G build/$x", "L tests,../../x", "L tests,{out}"),
    *("U http://localhost:80@evil.example/", "U http://localhost.evil.example", "U http://evil.example/localhost"),
    *("U --at localhost:80", "U 'http://localhost\\@evil.example/'", "U ftp://localhost", 'U "http://localhost/$x"'),
    *("U user@localhost", "W http://localhost:80@evil.example/", "W http://localhost:@evil.example"),
]


@cache
def rules() -> Rulebook:
    return rulebook("\n".join([*[pack.text for pack in packs()], FORMS]))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a folder `sub`, and a folder outside of it that links lead to."""
    top = tmp_path_factory.mktemp("located")
    root, out = top / "project", top / "out"
    for folder in (".git", "sub/tests", "sub/build", "sub/dist", "other", "node_modules/.bin"):
        (root / folder).mkdir(parents=True)
    out.mkdir()
    (root / "node_modules/.bin/eslint").touch()
    (root / "node_modules/.bin/prettier").touch()
    for file in (root / "sub/tests/test_a.py", root / "sub/build/a.o", out / "x.py"):
        file.touch()
    (root / "sub/out").symlink_to(out)
    (root / "sub/tests/l.py").symlink_to(out / "x.py")
    (root / "sub/build/l").symlink_to(out)
    (root / "sub/linked").symlink_to(root / "other")
    return root


def decided(script: str, root: Path) -> str:
    place = Situation(str(root / "sub"), home=str(root.parent))
    text = script.replace("{root}", str(root)).replace("{out}", str(root.parent / "out"))
    return check(text, rules(), situation=place).decision.word


@each("script", INSIDE)
def test_what_lies_in_the_project_is_allowed(script: str, root: Path) -> None:
    assert decided(script, root) == "allow"


@each("script", OUTSIDE)
def test_what_may_lie_elsewhere_is_not(script: str, root: Path) -> None:
    assert decided(script, root) == "prompt"


def test_the_home_folder_and_the_root_are_no_project(root: Path) -> None:
    for home, cwd in ((str(root), str(root)), (str(root), "/")):
        assert check("pytest", rules(), situation=Situation(cwd, home=home)).decision.word == "prompt"
    assert check("pytest", rules(), situation=Situation(str(root / "sub"), home=str(root))).decision.word == "allow"
    above = check("pytest ../other", rules(), situation=Situation(str(root / "sub"), home=str(root)))
    assert above.decision.word == "prompt"


def test_a_settings_folder_of_codex_begins_a_project(tmp_path: Path) -> None:
    (tmp_path / "p/.codex").mkdir(parents=True)
    (tmp_path / "p/a").mkdir()
    place = Situation(str(tmp_path / "p/a"), home="/home/u")
    assert check("pytest ../tests", rules(), situation=place).decision.word == "allow"
    assert check("pytest ../../tests", rules(), situation=place).decision.word == "prompt"


def test_the_reason_says_where_it_must_lie(root: Path) -> None:
    place = Situation(str(root / "sub"), home="/home/u")
    found = {}
    for script in ("pytest ../../x", "npx cowsay", "B x"):
        opinion = check(script, rules(), situation=place).commands[0].opinion
        assert opinion is not None
        found[script] = opinion.why
    assert found == {
        "pytest ../../x": "`../../x` must be in the project",
        "npx cowsay": "`cowsay` must be installed in `node_modules/.bin`",
        "B x": "`x` must be in `build` or `dist`",
    }


def test_another_entry_may_speak_where_one_does_not(root: Path) -> None:
    text = """
safe_command(name="one", program="O", reason="r", operands="below:build")
safe_command(name="two", program="O", reason="r", operands="below:dist")
"""
    place = Situation(str(root / "sub"), home="/home/u")
    for script, expected in (("O build/x", "allow"), ("O dist/x", "allow"), ("O tests/x", "prompt")):
        assert check(script, rulebook(text), situation=place).decision.word == expected


@each("form", ["below:", "below:..", "below:a/../b", "below:~", "url:", "url:http://a", "url:a/b", "url:*"])
def test_a_form_needs_a_folder_or_a_host(form: str) -> None:
    with pytest.raises(InvalidRuleError):
        build_safe({"name": "n", "program": "n", "reason": "r", "operands": form})
