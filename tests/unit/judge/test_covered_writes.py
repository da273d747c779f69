"""An allow write rule covers what programs write and delete by their words; nothing protected, outside or unknown."""

from pathlib import Path

import pytest

from execpolicy.core import path_rules
from execpolicy.core.path_rules import WriteRule
from execpolicy.errors import InvalidRuleError
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.each import each
from tests.support.judging import rulebook

FILES = 'write_rule(paths=["./**"])'
TREES = 'write_rule(paths=["./**"], delete="tree")'
NONE = 'write_rule(paths=["./**"], delete="none")'
PART = 'write_rule(paths=["./build/**"])'
COVERED = [
    "mkdir -p a/b",
    "mkdir -m 755 a",
    "touch a b",
    "touch ./a && cp a b",
    "echo x | tee -a log.txt",
    "ls > a; cp a b",
    "cp a.txt b.txt",
    "cp a.txt folder",
    "cp -r folder copy",
    "cp -r folder .",
    "mv a.txt b.txt",
    "mv folder other",
    "ln -s a.txt link",
    "ln -sfn folder current",
    "install -m 644 a.txt b.txt",
    "install -d a/b",
    "rm a.txt",
    "rmdir folder",
    "chmod +x a.txt",
    "sed -i 's/a/b/g' a.txt",
    "sort -u -o a.txt a.txt",
    "tar -czf a.tgz folder",
    "tar -xzf a.tgz -C folder",
    "tar -xzf a.tgz -C folder && ls folder",
    "mkdir x && ln -s a.txt x/l && echo done",
    "rsync -av folder/ copy/",
    "cd folder && touch x",
    "for f in a b; do touch $f; done",
    "x=a; touch $x",
    "touch /dev/null",
    "bash -c 'mkdir a'",
    "time mkdir a",
]
ASKED = [
    "mkdir ../a",
    "touch /etc/x",
    "touch ~/x",
    "cp a.txt ..",
    "cp a.txt /tmp/x",
    "cp a.txt out",
    "cp a.txt out/x",
    "cp -r out copy",
    "mv out/x a",
    "mv a.txt .git/hooks/post-commit",
    "cp settings.json .claude/",
    "cp folder/.mcp.json .",
    "cp folder/* .",
    "cp -r folder/. .",
    "tee .git/config < a.txt",
    "sed -i s/a/b/ .git/config",
    "rm .git/config",
    "chmod +x .git/hooks/pre-commit",
    "ln -s .git/config x",
    "ln -s ../other x",
    "ln -s ../.git/config folder/x",
    "ln out/x y",
    "tar -xzf a.tgz",
    "tar -xzf a.tgz -C .",
    "tar -czf ../a.tgz folder",
    "rsync -a folder/ .",
    "rsync -a folder/ host:x",
    "touch $1",
    "touch $(cat names)",
    'cp a.txt "$x"',
    "cd .. && touch a",
    'cd "$d" && touch a',
    "rm -r folder",
    "rm *",
    "mv a.txt $b",
    "cp .env copy",
    "sed -i 's/a/b/w .git/config' a.txt",
    "chmod 4755 a.txt",
    "alias cp=evil; cp a b",
    # a new name for a link, or for a folder that holds one
    "mv linked q",
    "cp -a linked q",
    "cp -r linked q",
    "rsync -a linked/ q/",
    "mv linked q; echo x > q/away/f",
    "ln -s folder l; touch l/x",
    "ln -s linked l; echo x > l/away/f",
    "ln -s folder l; cat l/.env",
    "for f in a; do ln -s folder l; touch l/x; done",
    # a link in the folder that gets files of unknown names
    "cp folder/* linked",
    "cp -r folder/. linked",
    "find folder -exec cp {} linked \\;",
    "echo away | xargs -I{} cp {} linked",
    "tar -xf a.tar -C linked",
    "tar -xf a.tar -C folder -C nested",
    "tar -xf a.tar -C folder; echo x > folder/y",
    # a repository or settings inside a tree
    "tar -xf a.tar -C nested",
    "cp -r nested q",
    "mv nested q",
    "cp -r folder/. nested",
    "tar -cf host:x folder",
    "tar -cf x -C .. folder",
    "sed -is p a.rule",
    "cd -P linked/away/..; touch q",
    "cp() { evil; }; cp a b",
]


@pytest.fixture
def project(tmp_path: Path) -> Situation:
    """A project with a folder and a link that leads out of it."""
    for name in ("project/folder", "project/.git/hooks", "outside"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "project" / "a.txt").touch()
    (tmp_path / "project" / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "project" / "linked").mkdir()
    (tmp_path / "project" / "linked" / "away").symlink_to(tmp_path / "outside")
    (tmp_path / "project" / "nested" / ".git").mkdir(parents=True)
    return Situation(str(tmp_path / "project"), home=str(tmp_path / "home"))


def decision(script: str, rules: str, project: Situation) -> str:
    return check(script, rulebook(rules), situation=project).decision.word


@each("script", COVERED)
def test_a_write_rule_covers_programs(script: str, project: Situation) -> None:
    assert decision(script, FILES, project) == "allow"
    assert decision(script, "", project) == ("allow" if script == "touch /dev/null" else "prompt")


@each("script", ASKED)
def test_what_it_does_not_cover_is_not_allowed(script: str, project: Situation) -> None:
    assert decision(script, FILES, project) != "allow"


@pytest.mark.parametrize(
    ("script", "rules", "expected"),
    [
        ("rm a.txt", NONE, "prompt"),
        ("mv a.txt b", NONE, "prompt"),
        ("touch a", NONE, "allow"),
        ("rm -rf folder", TREES, "allow"),
        ("rm -rf folder", FILES, "prompt"),
        ("rm -rf .", TREES, "prompt"),
        ("rm -rf .git", TREES, "prompt"),
        ("rm -rf nested", TREES, "prompt"),
        ("rm -rf linked", TREES, "allow"),
        ("rm -rf out/x", TREES, "prompt"),
        ("rm -rf folder", 'write_rule(paths=["./folder"], delete="tree")', "prompt"),
        ("rm -rf folder; git push --force", TREES, "prompt"),
        ("mkdir build", PART, "allow"),
        ("cp a.txt build/x", PART, "allow"),
        ("cp build/x a.txt", PART, "prompt"),
        ("mv build/x a.txt", PART, "prompt"),
        ("mv a.txt build/x", PART, "prompt"),
        ("touch a", FILES + '\nwrite_rule(paths=["./a"], decision="prompt")', "prompt"),
        ("cp x a", FILES + '\nwrite_rule(paths=["./a"], decision="forbidden")', "forbidden"),
        ("rm -rf folder", TREES + '\nwrite_rule(paths=["./folder/x"], decision="forbidden")', "forbidden"),
        ("rm a", FILES + '\nprefix_rule(pattern=["rm"], decision="forbidden")', "forbidden"),
    ],
)
def test_kinds_of_writes(script: str, rules: str, expected: str, project: Situation) -> None:
    assert decision(script, rules, project) == expected


def test_the_reason_names_the_file(project: Situation) -> None:
    verdict = check("cp a.txt folder", rulebook(PART), situation=project)
    expected = "`cp a.txt folder` needs approval: it writes `folder/a.txt`, which no write rule allows"
    assert verdict.reason == expected
    verdict = check("rm a.txt", rulebook(PART), situation=project)
    assert verdict.reason == "`rm a.txt` needs approval: it deletes `a.txt`, which no write rule allows"


def test_delete_is_one_of_five_words() -> None:
    with pytest.raises(InvalidRuleError, match="delete must be one of none, restorable, ignored, file, tree"):
        WriteRule("./a", delete="all")


@each("decision, ignored, other", [("allow", True, False), ("forbidden", False, False), ("forbidden", True, True)])
def test_only_a_rule_that_restricts_ignores_case_and_only_where_files_do(
    decision: str, ignored: bool, other: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_rules, "IGNORES_CASE", ignored)
    rule = WriteRule(("./Prod/**", "!./Prod/Notes/*"), decision)
    assert rule.matches("/p/Prod/x", root="/p", home=None)
    assert rule.matches("/p/pROD/x", root="/p", home=None) is other
    assert rule.reaches_below("/p/prod", root="/p", home=None) is other
    assert not rule.matches("/p/Prod/Notes/x", root="/p", home=None)
    assert rule.matches("/p/Prod/notes/x", root="/p", home=None) is (decision == "forbidden")
