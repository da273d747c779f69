"""What is forbidden is matched by what a command line means, whatever its options look like and where they stand."""

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.matches import NOT
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import RuleFileError
from execpolicy.judge.check import check
from execpolicy.judge.reasons import command_reason
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.stored import restored, store
from execpolicy.lang.compile import compile_source
from execpolicy.lang.render import render
from execpolicy.programs.meaning.command_line import CommandLine
from execpolicy.shell.words import Word
from execpolicy.source import Source, Span
from tests.support.each import each
from tests.support.judging import PLACE, decision, rulebook

MEANT = {
    "git push --force": [
        "git push -f",
        "git push --force origin",
        "git push origin --force",
        "git push origin main -f",
        "git push -uf origin x",
        "git push -fu origin x",
        "git push --forc",
        "git push --force=true origin",
        "git push origin +main",
        "git -C x push -f",
        "git -c a.b=c --no-pager push origin -f",
        "git push -o ci.skip -f",
        "git push --push-option ci.skip --force",
        "sudo git push -f",
        "/usr/bin/git push origin -f",
        "bash -c 'git push origin -f'",
        "git -c remote.origin.mirror=true push",
        "git -c remote.origin.push=+main push",
        "git --config-env=remote.origin.push=X push",
    ],
    "git reset --hard": ["git reset -q --hard", "git reset HEAD~1 --hard", "git reset --har"],
    "git stash drop": ["git stash drop -q", "git -C x stash drop"],
    "git push --delete": ["git push -d origin x", "git push origin :x", "git push origin --delete x"],
    "git clean -fd": ["git clean -df", "git clean -d -f", "git clean --force -d -q"],
    "git checkout -- .": ["git checkout -f -- .", "git checkout -q -- ."],
    "rm -rf": [
        "rm -fr x",
        "rm -r -f x",
        "rm --recursive --force d",
        "rm d -rf",
        "rm -R --force d",
        "rm -rfv d",
        "rm --recursiv --forc x",
        "rm -v -f -- d -r; rm -rf d",
    ],
    "npm publish": ["npm pub", "npm publ", "npm --prefix x publish", "npm publish --tag x", "npm -w a publish"],
    "npm install": ["npm i x", "npm add x", "npm -g in x", "npm isntall x"],
    "docker system prune -a": [
        "docker system prune --all",
        "docker --context x system prune -fa",
        "podman x; docker system prune -af",
    ],
    "docker rm": ["docker rm -f x", "docker --host y rm x"],
    "curl -X POST": [
        "curl -XPOST http://x",
        "curl http://x --request POST",
        "curl -sX POST http://x",
        "curl --request=POST x",
    ],
    "kubectl delete --all": ["kubectl -n x delete pods --all", "kubectl delete --all pods"],
    "tar --to-command": ["tar xf a.tar --to-command=sh", "tar --to-comman sh -xf a"],
    "terraform apply -auto-approve": ["terraform -chdir=x apply -input=false -auto-approve"],
    "chmod -R 777": ["chmod --recursive 777 d", "chmod -vR 777 d", "chmod 777 d -R"],
    "apt remove": ["apt -y remove x", "apt remove -y x"],
    "unknown sub --danger": ["unknown sub x --danger", "unknown sub --danger=yes", "unknown sub -v --danger y"],
    "unknown -x y": ["unknown z -x y"],
}
NOT_MEANT = {
    "git push --force": [
        "git push origin main",
        "git push --no-force origin",
        "git push -u origin main",
        "git push -- --force",
        "git push -o --force origin",
        "git pull --force",
        "git commit -m --force",
        "git fetch --force",
        "git stash push -m x",
        "git push origin force",
        "git log --grep=push --format=x",
    ],
    "rm -rf": ["rm -r x", "rm -f x", "rm -- -rf", "rm -i x"],
    "npm publish": ["npm install publish", "npm run publish", "npm pack", "npm prefix"],
    "curl -X POST": [
        "curl -X GET http://x",
        "curl -d x -G http://x",
        "curl -d x -X PUT http://x",
        "curl http://x/POST",
    ],
    "docker rm": ["docker run --rm x", "docker image rm x", "docker rmi x"],
    "unknown sub --danger": ["unknown x sub --danger", "unknown sub -- --danger", "unknown sub danger"],
    "unknown -x y": ["unknown y -x", "unknown -x z y"],
}


def rules_for(pattern: str) -> str:
    words = pattern.split()
    return f"prefix_rule(pattern={words!r}, decision='forbidden')\nprefix_rule(pattern=[{words[0]!r}])\n"


@each(("pattern", "script"), [(p, s) for p, scripts in MEANT.items() for s in scripts])
def test_what_is_meant_is_forbidden(pattern: str, script: str) -> None:
    assert decision(script, rules_for(pattern)) == "forbidden"


@each(("pattern", "script"), [(p, s) for p, scripts in NOT_MEANT.items() for s in scripts])
def test_what_is_not_meant_is_not_forbidden(pattern: str, script: str) -> None:
    assert decision(script, rules_for(pattern)) == "allow"


def test_an_alias_from_a_variable_is_not_known() -> None:
    assert decision("git --config-env=alias.p=X p", rules_for("git push --force")) == "prompt"


def test_meaning_never_grants() -> None:
    rules = 'prefix_rule(pattern=["git", "push", "--dry-run"])\n'
    assert decision("git push --dry-run", rules) == "allow"
    for script in ("git push -n", "git push origin --dry-run", "git -C x push --dry-run"):
        assert decision(script, rules) == "prompt"


def test_a_word_that_is_only_known_at_run_time_may_be_the_option() -> None:
    rules = rules_for("git push --force")
    assert decision('git push origin "$x"', rules) == "prompt"
    assert decision('git push origin "x$x"', rules) == "allow"
    assert decision('git commit -m "$x"', rules) == "allow"
    assert decision("git push $x --force", rules) == "forbidden"


def test_alternatives_and_values() -> None:
    rules = (
        'prefix_rule(pattern=["git", ["push", "fetch"], ["--force", "--prune"]], decision="forbidden")\n'
        'prefix_rule(pattern=["git", "commit", "--author=x"], decision="forbidden")\n'
        'prefix_rule(pattern=["git"])\n'
    )
    assert decision("git fetch origin -f", rules) == "forbidden"
    assert decision("git push origin --prune", rules) == "forbidden"
    assert decision("git commit -m y --author x", rules) == "forbidden"
    assert decision("git commit -m y --author z", rules) == "allow"


def test_a_match_says_by_which_words() -> None:
    verdict = check("git push origin -f", rulebook(rules_for("git push --force")), situation=PLACE)
    (found,) = [
        match.to_json()["prefixRuleMatch"]
        for match in verdict.commands[0].matches
        if match.decision.word == "forbidden"
    ]
    assert found["matchedPrefix"] == ["git", "push", "-f"]
    assert found["meaning"] == ["git", "push", "--force"]


@pytest.mark.parametrize("size", [1, 2_000])
def test_many_words_end(size: int) -> None:
    words = [Word(text, Span(0, 1)) for text in ["push", *["-x", "y"] * size, *["--unknown"] * size]]
    assert CommandLine("git", words).means(PrefixPattern.of(["git", "push", "--force"])).certainty == NOT


def test_a_rule_may_be_about_its_own_spelling_alone() -> None:
    rules = 'prefix_rule(["git"])\nprefix_rule(["git", "push", "--force"], "forbidden", spelling="exact")\n'
    assert decision("git push --force origin", rules) == "forbidden"
    for script in ("git push -f", "git push origin --force", 'git push origin "$x"'):
        assert decision(script, rules) == "allow"
    assert decision("git push -f", rules.replace("exact", "meaning")) == "forbidden"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('["a"], spelling="exact"', "an allow rule always matches its words as they are spelled"),
        ('["a"], "prompt", spelling="x"', "invalid spelling: x"),
        ('["a"], "prompt", spelling=1', "invalid spelling: 1"),
        ('["a"], "prompt", [], [], "why", True, "exact"', "1 extra positional argument"),
    ],
)
def test_a_wrong_spelling_is_refused(arguments: str, message: str) -> None:
    with pytest.raises(RuleFileError, match=message):
        compile_source(Source("x.rules", f"prefix_rule({arguments})\n"))


def test_an_exact_rule_is_kept_as_one() -> None:
    text = 'prefix_rule(pattern=["a", "-b"], decision="prompt", spelling="exact")'
    (rule,) = compile_source(Source("x.rules", text)).statements
    assert isinstance(rule, PrefixRule)
    assert rule.exact
    assert render(rule) == text
    assert rule != PrefixRule(rule.pattern, Decision.PROMPT)
    (kept,) = restored(store(Rulebook([rule]))).policy.rules
    assert kept == rule


@pytest.mark.parametrize(
    ("script", "pattern", "said"),
    [
        ("git push origin -uf x", "git push --force", "`-uf` is `--force` of `git push`"),
        ("git push origin --force", "git push --force", "it means `git push --force`"),
        ("git branch -d --force x", "git branch -D", "`-d --force` is `-D` of `git branch`"),
        ("npm pub", "npm publish", "`pub` is `publish` of `npm`"),
        ("git push origin HEAD:main", "git push origin main", "`HEAD:main` is `main` of `git push origin`"),
        ("docker-compose down -v", "docker compose down -v", "it means `docker compose down -v`"),
        ('git push origin "$b"', "git push origin main", "`$b` is only known at run time and may be `main`"),
        ('git push origin "$b" "$c"', "git push origin main", "`$b` is only known at run time and may be `main`"),
        ('curl -X "$m" u', "curl -X POST", "`$m` is only known at run time and may be `POST`"),
        ('make -n "$t"', "make deploy", "`$t` is only known at run time and may be `deploy`"),
        ("git checkout -", "git checkout main", "only the run shows whether `-` is `main`"),
        ("git push", "git push origin main", "only the run shows whether `origin main` applies"),
        ("ls | xargs kill -9", "kill 1", "only the run shows whether `1` applies"),
        ("unknown db main drop", "unknown db drop", "other words stand between these"),
    ],
)
def test_the_reason_says_what_means_what(script: str, pattern: str, said: str) -> None:
    verdict = check(script, rulebook(rules_for(pattern)), situation=PLACE)
    assert said in command_reason(verdict.commands[-1])


@pytest.mark.parametrize(
    ("pattern", "script"),
    [
        ("pip download --find-links", "pip download -f x y"),
        ("git rebase --exec", "git rebase -x make"),
        ("docker run --cpu-shares", "docker run -c 5 x"),
        ("kubectl delete -i", "kubectl delete pod x --interactive"),
    ],
)
def test_names_that_help_lists(pattern: str, script: str) -> None:
    assert decision(script, rules_for(pattern)) == "forbidden"


KINDS = """
prefix_rule(pattern = ["kubectl"])
prefix_rule(pattern = ["kubectl", "delete", "pods"], decision = "forbidden")
prefix_rule(pattern = ["kubectl", "get", "secret"], decision = "forbidden")
prefix_rule(pattern = ["kubectl", "delete", "deploy"], decision = "forbidden")
"""


@each(
    "script",
    [
        "kubectl delete po x",
        "kubectl delete pod x",
        "kubectl delete Pod x",
        "kubectl delete pod/x",
        "kubectl delete -n a po x",
        "kubectl -n a delete po x",
        "kubectl delete pods.v1. x",
        "kubectl delete svc,po x",
        "kubectl delete all --all",
        "kubectl delete svc/a po/b",
        "kubectl delete svc/a -n n po/b",
        "kubectl get secrets",
        "kubectl get secret/x",
        "kubectl get pods,secrets -o yaml",
        "kubectl delete deployments.apps x",
        "kubectl delete deployment x",
        "sudo kubectl delete po x",
        "x=po; kubectl delete $x y",
    ],
)
def test_a_kind_of_objects_is_forbidden_under_all_its_names(script: str) -> None:
    assert decision(script, KINDS) == "forbidden"


@each(
    "script",
    [
        "kubectl delete svc x",
        "kubectl get po",
        "kubectl get po x -o yaml",
        "kubectl describe pod secret",
        "kubectl delete svc po",
    ],
)
def test_another_kind_is_not(script: str) -> None:
    assert decision(script, KINDS) == "allow"
