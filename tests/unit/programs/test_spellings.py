"""Other spellings that a stricter rule must see, and what dynamic words could become."""

from __future__ import annotations

import pytest

from execpolicy.core.pattern import PrefixPattern
from execpolicy.judge.check import check
from execpolicy.programs import names
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.spellings import could_match, restrict_views
from execpolicy.shell.read import read_script
from tests.support.each import each
from tests.support.judging import rulebook
from tests.support.reach import reaches


@each(
    ("script", "prefix"),
    [
        ("/usr/bin/rm x", "rm x"),
        ("/bin/../bin/rm x", "rm x"),
        ("./rm x", "rm x"),
        ("rm.exe x", "rm x"),
        ("\\rm x", "rm x"),
        ("r''m x", "rm x"),
        ("git -C d push", "git push"),
        ("git -Cd push", "git -Cd push"),
        ("git --git-dir=d --work-tree d push origin", "git push origin"),
        ("git --git-dir d push", "git push"),
        ("git -c a=b -c c=d push", "git push"),
        ("git -ca=b push", "git push"),
        ("git --no-pager -p push", "git push"),
        ("git --frobnicate push", "git push"),
        ("git --frobnicate v push", "git push"),
        ("git --exec-path=x push", "git push"),
        ("git -C $d push", "git push"),
        ('git -C "$d" push', "git push"),
        ("git $o push", "git push"),
        ("/usr/bin/git -C d push", "git push"),
        ("kubectl -n ns delete pod", "kubectl delete pod"),
        ("kubectl delete -n ns pod x", "kubectl delete pod"),
        ("kubectl delete --namespace=ns pod", "kubectl delete pod"),
        ("kubectl --context prod --v=9 delete namespace x", "kubectl delete namespace"),
        ("docker --context prod system prune -a", "docker system prune"),
        ("docker -H tcp://x rm -f c", "docker rm"),
        ("docker container rm c", "docker rm c"),
        ("docker -D container rm c", "docker rm c"),
        ("docker image rm i", "docker rmi i"),
        ("podman --url u container rm c", "podman rm c"),
        ("npm --prefix . publish", "npm publish"),
        ("npm -C . run --silent deploy", "npm run deploy"),
        ("pnpm --filter a publish", "pnpm publish"),
        ("yarn --cwd d publish", "yarn publish"),
        ("cargo +nightly publish", "cargo publish"),
        ("cargo +nightly -Z x publish", "cargo publish"),
        ("cargo --color=always publish", "cargo publish"),
        ("aws --profile p s3 rm x", "aws s3 rm"),
        ("aws s3 --region r rm x", "aws s3 rm"),
        ("gcloud --project p compute instances delete i", "gcloud compute instances delete"),
        ("gcloud compute --project p instances delete i", "gcloud compute instances delete"),
        ("gh -R o/r pr merge 1", "gh pr merge"),
        ("gh pr -R o/r merge 1", "gh pr merge"),
        ("az --subscription s group delete", "az group delete"),
        ("helm -n ns uninstall x", "helm uninstall"),
        ("terraform -chdir=d apply", "terraform apply"),
        ("systemctl --user -q stop x", "systemctl stop"),
        ("systemctl -H h stop x", "systemctl stop"),
        ("go -C d run x", "go run"),
        ("pip --proxy p install x", "pip install"),
        ("pip3 -q install x", "pip3 install"),
        ("pip3.11 -q install x", "pip3.11 install"),
        ("uv --directory d pip install x", "uv pip install"),
        ("poetry -C d publish", "poetry publish"),
        ("apt -y install x", "apt install"),
        ("apt-get -o A=b -qq -y remove x", "apt-get remove"),
        ("brew -v uninstall x", "brew uninstall"),
        ("make -C d -j4 deploy", "make deploy"),
        ("make -j 4 deploy", "make deploy"),
        ("mvn -q -f p deploy", "mvn deploy"),
        ("./gradlew -q publish", "gradlew publish"),
        ("flutter -d x run", "flutter run"),
        ("adb -s d shell rm", "adb shell rm"),
        ("ip -n ns link delete x", "ip link delete"),
        ("svn --username u delete x", "svn delete"),
        ("hg -R r push", "hg push"),
        ("x=rm; $x y", "rm y"),
        ("x='rm y'; $x", "rm y"),
        ("x=push; git -C d $x", "git push"),
        ("$BIN/rm x", "rm x"),
        ("{rm,-rf,x}", "rm -rf x"),
    ],
)
def test_a_stricter_rule_sees(script: str, prefix: str) -> None:
    assert reaches(script, prefix.split())


@pytest.mark.parametrize(
    ("script", "prefix"),
    [
        ("git log push", "git push"),
        ("git -C push log", "git push"),
        ("git -c push=1 log", "git push"),
        ("git commit -m push", "git push"),
        ("npm run test publish", "npm publish"),
        ("kubectl get -n delete pods", "kubectl delete"),
        ("docker run rm", "docker rm"),
        ("cargo build publish", "cargo publish"),
        ("make -C deploy test", "make deploy"),
        ("echo rm x", "rm x"),
        ("ls rm", "rm"),
    ],
)
def test_other_commands_are_left_alone(script: str, prefix: str) -> None:
    assert not reaches(script, prefix.split())


def test_the_original_comes_first_and_words_are_kept() -> None:
    facts = facts_of(read_script("/usr/bin/git push $x"))
    words = facts.script.commands[0].words
    views = restrict_views(words, facts)
    assert views[0] == words
    assert any(view[0].literal == "git" and view[1:] == words[1:] for view in views)


def test_views_are_bounded() -> None:
    facts = facts_of(read_script("for a in 1 2 3 4 5 6 7 8; do $a$a $a $a $a $a $a; done"))
    words = facts.script.commands[-1].words
    assert len(restrict_views(words, facts)) <= 256


@each(
    ("prefix", "script", "expected"),
    [
        ("git push", "git $x", True),
        ("git push", 'git "$x"', True),
        ("git push", "git -C d", False),
        ("git push", "git -C d log $x", False),
        ("git push", "/usr/bin/git $x", True),
        ("git push", "git p$x", True),
        ("git push", 'git "p$x"', True),
        ("git push", 'git "l$x"', False),
        ("git push", "git push $x", True),
        ("git push origin", "git push $x", True),
        ("git push origin", "git push", False),
        ("git push origin", 'git push "$x"', True),
        ("git push --force", "git push $x --force", True),
        ("git push --force", 'git push "$x" --force', True),
        ("git push --force", 'git push "a$x" --force', False),
        ("git push --force", "git push a $x", False),
        ("git push --force", 'git push "./$x"', False),
        ("rm -rf", "rm -- $x", False),
        ("rm -rf", "rm $((1+2))", False),
        ("rm -rf", 'rm "$HOME/x"', False),
        ("rm -rf", "rm -r*", True),
        ("rm -rf", "rm a*", False),
        ("rm", "$x", True),
        ("rm", "/bin/r?", True),
        ("rm", "/bin/l?", False),
        ("rm", "$d/rm", True),
        ("rm", '"$d/ls"', False),
        ("ls", "rm $x", False),
    ],
)
def test_could_match(prefix: str, script: str, expected: bool) -> None:
    facts = facts_of(read_script(script))
    views = restrict_views(facts.script.commands[-1].words, facts)
    assert any(could_match(PrefixPattern.of(prefix.split()), view) for view in views) is expected


def test_could_match_alternatives() -> None:
    pattern = PrefixPattern("git", (("push", "pull"), ("--force",)))
    for script, expected in (("git pu$x --force", True), ("git log $x", False)):
        facts = facts_of(read_script(script))
        assert could_match(pattern, facts.script.commands[0].words) is expected


def test_a_pattern_for_a_program_is_read_once_for_all_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in loops over patterns once read theirs two million times, uncounted: four seconds for 500 characters."""
    read: list[str] = []
    once = names.fnmatch_pattern

    def noted(pattern: str) -> str:
        read.append(pattern)
        return once(pattern)

    monkeypatch.setattr(names, "fnmatch_pattern", noted)
    listed = " ".join([f"{digit}*" for digit in range(9)])
    script = f'for v in {listed}; do\nuntil w=({listed}); do\nx="$x$v"\ndone\ndone\ncat <<E | cat | bash\n'
    check(script + "${x:-$(A)}\n" * 30 + "E", rulebook('prefix_rule(pattern=["rm"], decision="forbidden")'))
    assert 0 < len(read) < 20_000
