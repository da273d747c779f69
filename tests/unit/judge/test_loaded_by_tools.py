"""What clients of databases, build tools, Emacs and Terraform load from files of the script, or call after git."""

from tests.support.each import each
from tests.support.judging import decision

PROGRAMS = ("terraform", "tofu", "deno", "emacs", "mvn", "Rscript", "R", "psql", "mysql", "sqlite3", "duckdb", "printf")
RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n' + "".join(
    [f'prefix_rule(pattern=["{program}"])\n' for program in PROGRAMS]
)
DESTROYING = ['["terraform", "destroy"]', '["terraform", "apply", "-destroy"]']
POM = "<executable>git</executable>\\n<arguments>\\n<argument>push</argument></arguments>"
SQL = "printf '\\\\\\\\! git push\\n' > a.sql; "
SYSTEM = "printf 'system git push\\n' > a.sql; "
SHELL = "printf '.shell git push\\n' > a; "


@each(
    "script",
    [
        f"{SQL}psql <<< '\\include a.sql'",
        f"{SQL}psql <<< '\\i a.sql'",
        f"{SQL}psql -c '\\ir a.sql'",
        f"{SYSTEM}mysql <<< 'source a.sql'",
        f"{SYSTEM}mysql -e 'source a.sql'",
        f"{SYSTEM}mysql <<< '\\. a.sql'",
        f"{SHELL}sqlite3 x '.read a'",
        f"{SHELL}sqlite3 x <<< '.read a'",
        f"{SHELL}duckdb x -c '.read a'",
        f"printf '.read b\\n' > c; {SHELL}mv a b; sqlite3 x <<< '.read b'",
        'printf \'{"tasks":{"p":"git push"}}\' > deno.json; deno task p',
        'printf \'{"tasks":{"p":{"command":"git push"}}}\' > deno.jsonc; deno task p',
        "emacs -Q --batch --eval '(magit-run-git \"push\")'",
        'emacs --batch --eval \'(magit-call-git "push" "origin")\'',
        "emacs --batch --eval '(magit-push-current-to-upstream nil)'",
        "emacs --batch -f vc-push",
        "printf '(magit-git-string \"push\")' > a.el; emacs --batch -l a.el",
        f"printf '{POM}' > pom.xml; mvn exec:exec",
        f"printf '{POM}' > p.xml; mvn -f p.xml exec:exec",
        "printf 'system(\"git push\")' > .Rprofile; Rscript -e 1",
        'printf \'system2("git","push")\' > .Rprofile; R -q -e 1',
    ],
)
def test_it_is_forbidden(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        f"{SQL}psql -c 'select 1'",
        "printf 'select 1;\\n' > a.sql; psql <<< '\\i a.sql'",
        "printf 'git push\\n' > a.sql; mysql -e 'source b.sql'",
        f"{SHELL}sqlite3 x 'select 1'",
        "emacs --batch --eval '(magit-run-git \"status\")'",
        "emacs --batch --eval '(vc-pull)'",
        "printf '<executable>git</executable><argument>log</argument>' > pom.xml; mvn exec:exec",
        "printf 'options(digits=3)' > .Rprofile; Rscript -e 1",
    ],
)
def test_another_one_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"


@each("pattern", DESTROYING)
@each(
    "script",
    [
        "terraform plan -destroy -out=p && terraform apply p",
        "terraform plan -destroy -out p; terraform apply -auto-approve ./p",
        "terraform -chdir=x plan -out=p -destroy && terraform -chdir=x apply p",
        'terraform plan -destroy -out="$f" && terraform apply "$f"',
    ],
)
def test_a_plan_to_destroy_destroys(script: str, pattern: str) -> None:
    rules = f'{RULES}prefix_rule(pattern={pattern}, decision="forbidden")\n'
    assert decision(script, rules) == "forbidden"


@each(
    "script",
    [
        "terraform plan -out=p && terraform apply p",
        "terraform plan -destroy",
        "terraform plan -destroy -out=d; terraform plan -out=p; terraform apply p",
        "terraform plan -destroy -out=d; terraform show d",
    ],
)
def test_another_plan_does_not(script: str) -> None:
    rules = f'{RULES}prefix_rule(pattern={DESTROYING[0]}, decision="forbidden")\n'
    assert decision(script, rules) != "forbidden"
