"""A file that is a link to a secret is one, whatever a word calls it."""

from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook


@pytest.fixture
def place(tmp_path: Path) -> Situation:
    """A clone in a home, with links to a key, to its folder, to the home and to what is harmless."""
    home, project = tmp_path / "home", tmp_path / "home" / "code" / "project"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_rsa").write_text("key\n")
    (project / "sub").mkdir(parents=True)
    (project / "README.md").write_text("text\n")
    (project / "sub" / "a.txt").write_text("text\n")
    (project / "notes").symlink_to("../../.ssh/id_rsa")
    (project / "keys").symlink_to(home / ".ssh")
    (project / "up").symlink_to(home)
    (project / "same.md").symlink_to("README.md")
    (project / "below").symlink_to("sub")
    (project / "sub" / "deep").mkdir()
    (project / "sub" / "deep" / "key").symlink_to(home / ".ssh" / "id_rsa")
    (project / "plain").mkdir()
    (project / "sub" / "README.md").symlink_to(home / ".ssh" / "id_rsa")
    (project / "~nobody-here").mkdir()
    for name in ("-", "-n", "5", "~", "~root", "star*", "~nobody-here/f"):
        (project / name).symlink_to(home / ".ssh" / "id_rsa")
    (project / "nothing").symlink_to("nowhere")
    return Situation(str(project), home=str(home))


READING = (
    "cat notes",
    "cat keys/x",
    "cat ./sub/../notes",
    "head -n3 README.md notes",
    "sed -n 1p notes",
    "diff README.md notes",
    "grep -r x keys",
    "grep -r x up",
    "grep -fnotes README.md",
    "grep -nfnotes README.md",
    "grep --file=notes README.md",
    "strings notes",
    "cat < notes",
    "wc -l < notes",
    "x=$(<notes); echo $x",
    'while read l; do echo "$l"; done < notes',
    # patterns and words of which only the run knows which file they are
    "cat k*/id*",
    "cat [m-o]*",
    "f=notes; cat $f",
    'n=no; cat "${n}tes"',
    # what walks folders and follows the links in them
    "diff -r sub up",
    # the folder of a process
    # links anywhere below, for words that only the run knows
    "cat sub/deep/k*",
    # patterns in brackets
    # names that are written like something else
    "cat < -",
    "x=-; cat < $x",
    "hexdump -C -",
    "cat -- -n",
    "cat < '~'",
    "cat 'star*'",
    "cat 5",
    "cat star\\*",
    # of which the folder says the name, or which print a list
    # folders
    "cd ./sub/../keys; cat config",
    "cd sub && cat ../notes",
    "cd up; cat code/../.ssh/x",
    "bash -c 'cat notes'",
    "cd sub && bash -c 'cat ../notes'",
    "cd below && cat ../keys/config",
    "find sub -exec cat notes {} +",
)
HARMLESS = (
    "cat README.md same.md",
    "cat nothing",
    "cat below/a.txt",
    "cd below && cat a.txt",
    "cat sa*",
    "cat below/*.txt",
    'for f in sub/*; do wc -l "$f"; done',
    'git log --oneline | head -3; echo "$x"; grep "$x" README.md',
    # what a link is called, and where it leads
    "ls -l notes",
    "ls keys",
    "readlink notes",
    "echo notes keys",
    "wc -c notes",
    "md5sum notes",
    "git status && git log -3",
    "cat n*.md",
    "grep -R x plain",
    "rg -L x plain",
    "diff -r plain plain",
    "grep -rn x .",
    "cat /proc/self/status /proc/1/stat",
    "grep -c x *.md",
)


@pytest.mark.parametrize("script", READING)
def test_what_reads_a_secret_by_a_link_is_asked_about(script: str, place: Situation) -> None:
    assert check(script, rulebook(), situation=place).decision.word == "prompt"


@pytest.mark.parametrize("script", HARMLESS)
def test_what_does_not_is_allowed(script: str, place: Situation) -> None:
    assert check(script, rulebook(), situation=place).decision.word == "allow"


def test_an_absolute_name_is_followed_as_well(place: Situation) -> None:
    for script in (f"cat {place.cwd}/notes", f"cat < {place.cwd}/notes", "cat ~/code/project/notes"):
        assert check(script, rulebook(), situation=place).decision.word == "prompt", script
    assert check(f"cat {place.cwd}/README.md", rulebook(), situation=place).decision.word == "allow"


def test_an_argument_list_is_words_too(place: Situation) -> None:
    assert check(["cat", "notes"], rulebook(), situation=place).decision.word == "prompt"
    assert check(["cat", "README.md"], rulebook(), situation=place).decision.word == "allow"


@pytest.mark.parametrize("script", ["cat README.md", "cd sub; cat a.txt", "cat < README.md"])
def test_an_answer_is_remembered_no_longer_than_the_names_are_what_they_were(script: str, place: Situation) -> None:
    book, project = rulebook(), Path(place.cwd)
    for _ in range(2):
        assert check(script, book, situation=place).decision.word == "allow"
    for name in ("README.md", "sub/a.txt"):
        (project / name).unlink()
        (project / name).symlink_to(project / "notes")
    assert check(script, book, situation=place).decision.word == "prompt"


def test_a_folder_that_becomes_a_link_is_seen(place: Situation) -> None:
    book, project = rulebook(), Path(place.cwd)
    assert check("cat new/x", book, situation=place).decision.word == "allow"
    (project / "new").symlink_to(project / "keys")
    assert check("cat new/x", book, situation=place).decision.word == "prompt"


def test_a_working_folder_behind_a_link_is_one_like_others(place: Situation, tmp_path: Path) -> None:
    (tmp_path / "other").symlink_to(place.cwd)
    there = Situation(str(tmp_path / "other"), home=place.home)
    assert check("cat README.md; cat plain/*", rulebook(), situation=there).decision.word == "allow"
    assert check("cat notes", rulebook(), situation=there).decision.word == "prompt"
