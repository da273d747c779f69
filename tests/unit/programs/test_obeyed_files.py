"""Files that a script writes and a program then obeys: what they say counts for rules that restrict, and no more."""

import pytest

from execpolicy.programs.files.recipes import orders
from execpolicy.programs.record import Program
from execpolicy.programs.shelf import records
from tests.support.each import each
from tests.support.judging import decision

RECORDS = [record for _, record in records() if record.obeys]
RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n'


def allowing(*programs: str) -> str:
    return RULES + "".join([f'prefix_rule(pattern=["{program}"])\n' for program in programs])


@each("record", RECORDS, ids=[record.names[0] for record in RECORDS])
def test_every_record_that_obeys_files_is_reached(record: Program) -> None:
    name = record.names[0]
    patterns = record.obeys.split()
    for file in ["orders.txt" if pattern == "named" else pattern.replace("*", "a") for pattern in patterns]:
        for text in ("x: git push", "x: { run: 'git push' }") if file == "orders.txt" else ('(system("git push"))',):
            script = f"cat > ./sub/{file} <<'E'\n{text}\nE\n{name} sub/{file}"
            assert decision(script, allowing(name)) == "forbidden", script


@pytest.mark.parametrize(
    ("script", "program"),
    [
        ("printf 'x:\\n    git push\\n' > justfile; just x", "just"),
        ("printf 'x:\\n    git push\\n' > sub/justfile; just -d sub x", "just"),
        ("printf 'x:\\n    git push\\n' | tee justfile; just x", "just"),
        ("printf 'x:\\n    git push\\n' > a; cp a justfile; just x", "just"),
        ("printf 'rule r\\n command = cd a && git push\\n' > x.ninja; ninja -fx.ninja", "ninja"),
        ("just -f <(printf 'x:\\n git push\\n')", "just"),
        ("printf 'shell git push' > c; gdb --command=c", "gdb"),
        ("printf '\\\\! git push' > c.sql; psql -fc.sql", "psql"),
        ("printf '%s' '[\"git\", \"push\"]' > devbox.json; devbox run x", "devbox"),
        ("printf 'spec:\\n  - git\\n  - push\\n' > p.yaml; kubectl apply -f p.yaml", "kubectl"),
        ("printf '<executable>git push</executable>' > pom.xml; mvn test", "mvn"),
        ("printf '//go:generate git push\\n' > x.go; go generate", "go"),
        ("printf 'import os\\nos.system(\"git push\")' > conftest.py; pytest -q", "pytest"),
        ("printf 'git push' > .git/hooks/pre-commit; git commit -m x", "git"),
        ("bash -c 'just x' < /dev/null; printf 'x:\\n    git push\\n' > justfile; bash -c 'just x'", "just"),
        ("printf 'x: git push' | dd of=justfile; just x", "just"),
        ("printf 'x: git push' > t; dd if=t of=justfile; just x", "just"),
        ("printf 'x: git push' > t; install -m 644 t justfile; just x", "just"),
        ("printf 'x: git push' > t; ln -sf \"$PWD/t\" justfile; just x", "just"),
        ("bash -c 'printf \"x: git push\" > justfile'; just x", "just"),
        ("timeout 5 bash -c 'printf \"x: git push\" > justfile'; just x", "just"),
        ("eval 'printf \"x: git push\" > justfile'; just x", "just"),
        ("sh <<'F'\nprintf 'x: git push' > justfile\nF\njust x", "just"),
        ("sh -c 'printf \"x: git push\" > justfile; just x'", "just"),
        ("w() { printf 'x: git push' > \"$1\"; }; w justfile; just x", "just"),
        ("w() { cat > justfile; }; w <<'E'\nx: git push\nE\njust x", "just"),
        ("f=justfile; printf 'x: git push' > $f; just x", "just"),
        ("for f in a justfile; do printf 'x: git push' > \"$f\"; done; just x", "just"),
        ("printf NONE > justfile; sed -i 's|NONE|a: b\\ngit push|' justfile; just x", "just"),
        ("printf NONE > justfile; sed -i 's|NONE|\\| git push|' justfile; just x", "just"),
        ("awk 'BEGIN { print ARGV[1] }' 'x: git push' > justfile; just x", "just"),
        ("perl -e 'print @ARGV' 'x: git push' > justfile; just x", "just"),
        (
            "python3 -c 'import sys; open(\"x/justfile\", \"w\").write(sys.argv[1])' 'x: git push'; just -d x",
            "just",
        ),
        ("printf 'x: git push' > o; f=o; just -f \"$f\"", "just"),
        ("mkdir d; printf 'x: git push' > d/o; cd d && just -f o", "just"),
        ("(cd d && printf 'x: git push' > o); just -fd/o", "just"),
        ("cd debian && printf 'x:\\n\\tgit push' > rules; cd ..; debuild", "debuild"),
        ("(cd .git/hooks && printf 'git push' > pre-commit); git commit -m x", "git"),
    ],
)
def test_what_the_file_says_is_forbidden(script: str, program: str) -> None:
    assert decision(script, allowing(program, "bash", "sh", "tee", "cp", "dd", "ln")) == "forbidden"


@pytest.mark.parametrize(
    ("file", "text", "run"),
    [
        ("a.test.js", 'require("child_process").spawnSync("git", ["push"])', "npm test"),
        ("src/index.ts", 'execSync("git push")', "yarn start"),
        ("src/Main.java", 'new ProcessBuilder("git", "push").start();', "./gradlew run"),
        ("src/Main.scala", 'Seq("git", "push").!', "sbt run"),
        ("Program.cs", 'Process.Start("git", "push");', "dotnet run"),
        ("app/Main.hs", 'main = callProcess "git" ["push"]', "cabal run"),
        ("bin/main.ml", 'Unix.execvp "git" [|"git"; "push"|]', "dune test"),
        ("src/x.gleam", 'shellout.command("git", ["push"])', "gleam run"),
        ("src/x.nim", 'startProcess("git", args=["push"])', "nimble test"),
        ("main.odin", 'process_exec({"git", "push"})', "odin run ."),
        ("src/main.zig", 'Child.run(.{ .argv = &.{"git", "push"} })', "zig build run"),
        ("b.rs", 'Command::new("git").arg("push")', "rustc b.rs"),
        ("b.c", 'execlp("git", "git", "push", 0);', "make b"),
        ("spec/x_spec.rb", 'system("git", "push")', "bundle exec rspec"),
        ("Gemfile", 'system("git", "push")', "bundle install"),
        ("docs/conf.py", 'subprocess.run(["git", "push"])', "make html"),
        ("conftest.py", 'subprocess.run(["git", "push"])', "tox"),
        ("tests/ATest.php", 'exec("git push");', "vendor/bin/phpunit"),
        ("t/x.t", 'system("git", "push");', "prove"),
        ("x.bats", '@test "x" { git push; }', "bats ."),
        ("src/x.cr", 'system("git", "push")', "shards run"),
        ("lib/stack.ts", 'execSync("git push")', "cdk deploy"),
    ],
)
def test_what_runs_the_project_runs_its_sources(file: str, text: str, run: str) -> None:
    rules = allowing(run.split()[0], "make", "./b")
    assert decision(f"cat > {file} <<'E'\n{text}\nE\n{run}", rules) == "forbidden"
    assert decision(f"cat > {file}.md <<'E'\n{text}\nE\n{run}", rules) != "forbidden"
    assert decision(f"cat > {file} <<'E'\n{text}\nE\ngit add {file}; git commit -m x", rules) != "forbidden"


@pytest.mark.parametrize(
    ("script", "program"),
    [
        ("printf 'x = \"git push\"\\n' > a.test.js; npm test", "npm"),
        ("printf 'stack.push(git)\\n' > a.test.js; npm test", "npm"),
        ("printf 'x:\\n    git status\\n' > justfile; just x", "just"),
        ("printf '# git push comes later\\nx:\\n    ls\\n' > justfile; just x", "just"),
        ("printf 'then git push\\n' > README.md; git add README.md", "git"),
        ("printf 'then git push\\n' > README.md; pytest -q", "pytest"),
        ("printf 'x = \"git push\"\\n' > x.py; pytest -q", "pytest"),
        ("just x > log.txt", "just"),
    ],
)
def test_what_says_nothing_of_it_is_not(script: str, program: str) -> None:
    assert decision(script, allowing(program)) == "allow"


@pytest.mark.parametrize(
    "script",
    [
        "f=README.md; printf 'then git push\\n' > \"$f\"; just x",
        "printf 'then git push\\n' > README.md; cd sub && just -f o",
        "bash -c 'printf \"git push\" > README.md'; just x",
    ],
)
def test_other_files_forbid_nothing(script: str) -> None:
    assert decision(script, allowing("just", "bash")) != "forbidden"


def test_what_may_be_a_command_in_a_line() -> None:
    found = orders("- run: git push\n  cmd: [\"git\", 'fetch']\n# git gc\n<a>ls x</a>\n")
    assert {"git push", "git fetch", "ls x"} <= set(found)
    assert not [order for order in found if "gc" in order]
