"""What is a secret is one by whatever name a script calls it: from the folder that it moved to, or by climbing."""

from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.judging import decision, rulebook

SECRET = (
    "grep -r x ../../../../etc",
    "grep -r x ../..",
    "cat ../../etc/shadow",
    "cat ../../../../etc/ssl/private/x",
    "cat ../../etc/*",
    "head -c 10 ../../dev/sda",
    "cat ../../proc/self/environ",
    "cat ../../home/u/.netrc",
    "rg -uuu x ../../home/u",
    "rg --ignore-file=../../etc/shadow x",
    "find ../../home/u -exec cat {} +",
    'cat /home/u/"$x"',
    "cat /root/$x",
    "ls -A ~ | xargs -I{} cat ~/{}",
    "ls -A | xargs -I% head -1 ~/%",
    'xargs -I{} cat "$HOME/{}"',
    "xargs -I{} grep x /etc/{}",
    "cd ~ && grep -r x .",
    "cd ~; rg x",
    "cd $HOME && grep -r x .",
    'cd "${HOME}/.config" && cat gh/hosts.yml',
    "cd; grep -r x",
    "cd .. && grep -r x ../home/u",
    "cd ../.. && grep -r x .",
    "cd / && rg -uu x",
    "cd / && cat etc/shadow",
    "cd /proc/self && cat environ",
    "cd /etc && grep -r x .",
    "cd /etc; cat *",
    "cd ~ && find . -exec cat {} +",
    "cd ~ && find . | xargs cat",
    'bash -c "cd ~; grep -r x ."',
    "cd ~; bash -c 'grep -r x .'",
    "(cd ~/.config; cat gh/hosts.yml)",
    "cd ~; grep -rne token .",
    # folders that nobody knows
    "d=~; cd $d; grep -r x .",
    'cd "$d" && cat config',
    "cd $d; cat *",
    'cd "$d"; cat "$f"',
    'cd "$d"; cat ../config',
    'cd "$d"; grep -fconfig /etc/hosts',
    'cd "$d"; cat < config',
    'cd "$d"; read x < config; echo $x',
    'cd "$d" && find . -type f | xargs cat',
    'cd "$(cat where)" && grep -r x .',
    'cd "${HOME:-/}"; rg x',
    'cd "$OLDPWD"; cat config',
    "cd -; cat *",
    "cd ~+/..; cat ../etc/*",
    "cd ~-; cat config",
    "for d in ~ /etc; do cd $d; cat *; done",
    'while read d; do cd "$d"; cat config; done',
    "while :; do grep -r x .; cd ~; done",
    "while :; do cat a; cd $d; done",
    "select d in a b; do grep -r x .; cd ~; done",
    'for d in */; do cd "$d"; cat config; cd ..; done',
    "for d in */; do (cd $d; cat ../../../etc/*); done",
    "for d in .*/; do (cd $d; cat config); done",
    "f() { cd ~; }; f; grep -r x .",
    'f() { cd "$1"; grep -r x .; }; f ~',
    "f() { grep -r x .; }; cd ~; f",
    "f() { cat config; }; f; cd ~/.kube; f",
    "eval 'cd ~'; grep -r x .",
    "pushd ~; pushd; grep -r x .",
    'env --chdir="$d" cat config',
    "env -C ~ grep -r x .",
    "find .. -execdir grep x {} +",
    "bash -c 'cd \"$1\"; cat config' _ x",
    # other names of folders that are known
    "cd ~root; grep -r x .",
    "cd ~//.; grep -r x .",
    "cd ~/x/..; cat *",
    "(cd ~; cat *)",
    "cat <(cd ~; grep -r x .)",
    'cd "$PWD/../../etc" && cat *',
    'cd "$(pwd)/../.." && grep -r x .',
    'cat "$(pwd)/../../etc/"*',
    "cat ../../etc/$f",
    'cat "$HOME/$f"',
    "cat ~/*",
    "cd ~; cat $f",
    "cd ~/.kube; cd /tmp; cat $OLDPWD/config",
    "cd ~/.kube; cd /tmp; cat ~-/config",
    "cd ~/.kube; cat < config",
    "cd /proc/self/root; grep -r x .",
    "cd /proc/$$/root/etc; cat *",
    "cd /proc/self/cwd/../..; cat etc/*",
    "cd /proc/self/task/$$/root/run/secrets; cat x",
    "grep -r x /proc/self/root",
    "cd /etc/letsencrypt/live; cat */*",
    "cat /etc/letsencrypt/live/*/*",
    "git -C ~ grep --no-index x",
    "git --work-tree ~ grep x",
    "git --work-tree=$HOME grep x",
    "git -C .. -C ../home/u grep x",
    "find ~ -name '*' -exec cat {} +",
    "find ~ -not -name x -exec cat {} +",
    "find ~ -name x -o -type f -exec cat {} +",
)
HARMLESS = (
    "cat ../README.md",
    "grep -rn x ../other/src",
    "cd src && grep -rn foo .",
    "cd .. && ls",
    "cd ~ && ls -la",
    "cd ~/code/project && git status && grep -rn foo src",
    "cd /usr/share/doc && cat copyright | head",
    "cd /srv/project && rg foo && find . -name '*.py' -exec wc -l {} +",
    "find .. -name '*.md' | xargs head -3",
    "git diff HEAD..main -- ../docs",
    "cd docs/.. && cat *.md",
    "cd /srv/project && echo $(( $(id -u) + 1 ))",
    "echo $(( $(wc -l < a.txt) ))",
    # a folder that nobody knows, and nothing that is read there
    'cd "$d" && ls -la | head -5',
    'cd "$d" && ls | grep foo | wc -l',
    'cd "$d" && wc -l *.py && find . -name "*.py"',
    'cd "$d" && cat /etc/hosts && python3 --version',
    'cd "$(dirname "$0")" && pwd',
    # known for all that it is called
    'cd "$(git rev-parse --show-toplevel)" && git status && grep -rn foo src',
    'root=$(git rev-parse --show-toplevel); cd "$root" && cat README.md',
    'cd "$PWD" && cat README.md',
    "for d in src docs; do (cd $d && cat index.md); done",
    "for d in */; do (cd $d && grep -rn foo .); done",
    'for d in */; do ls "$d"; done',
    # another process moved
    "(cd ~; ls); cat README.md",
    "cd ~ & grep -r x .",
    'here=$(cd "$(dirname "$0")" && pwd); cat README.md; echo "$here"',
    "pushd src; cat a; popd; cat b",
    "find ~ -name '*.md' -o -name '*.txt' | xargs cat",
    "ls ~/*; du -sh ~/*; cd ~/$d && ls",
)


@pytest.mark.parametrize("script", SECRET)
def test_a_secret_by_another_name_is_asked_about(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize("script", HARMLESS)
def test_what_is_no_secret_there_is_not(script: str) -> None:
    assert decision(script) == "allow"


@pytest.mark.parametrize("cwd", ["/", "/home/u", "/etc", "/root"])
def test_in_a_folder_above_secrets_everything_below_is_asked_about(cwd: str) -> None:
    place = Situation(cwd, home="/home/u", real_path=lambda path: path)
    for script in ("grep -r x .", "grep -r x", "find . -exec cat {} +"):
        assert check(script, rulebook(), situation=place).decision.word == "prompt"
    for script in ("ls -la", "cat README.md", "grep x a.txt", "find . -name '*.py'", "git status"):
        assert check(script, rulebook(), situation=place).decision.word == "allow"


def test_two_folders_are_a_change_of_the_path_to_other_shells() -> None:
    for shell, word in (("bash", "allow"), ("zsh", "prompt"), ("ksh", "prompt"), ("sh", "prompt")):
        assert decision("cd */; cat a", shell=shell) == word
        assert decision("cd src; cat a", shell=shell) == "allow"
    assert decision("d=src; cd $d; cat a", shell="sh") == "allow"  # one folder, as is proven


def test_a_link_leads_to_what_it_leads_to(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "home" / "code" / "project"
    (home / ".kube").mkdir(parents=True)
    (project / "docs").mkdir(parents=True)
    (project / "link").symlink_to(home / ".kube")
    (project / "up").symlink_to(home)
    place = Situation(str(project), home=str(home))
    book = rulebook()
    for script in ("cd ./docs/../link && cat config", f"cd {project}/up; grep -r x .", "cat docs/../link/config"):
        assert check(script, book, situation=place).decision.word == "prompt", script
    for script in (f"cd {project}/docs && cat config", "cd link/../docs; grep -r x .", "cd docs; cat < config"):
        assert check(script, book, situation=place).decision.word == "allow", script
    (project / "docs").rmdir()
    (project / "docs").symlink_to(home / ".kube")  # nothing is remembered of what lies on the disk
    assert check(f"cd {project}/docs && cat config", book, situation=place).decision.word == "prompt"


def test_the_working_tree_that_git_names_is_looked_for(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "home" / "code" / "project"
    project.mkdir(parents=True)
    place = Situation(str(project), home=str(home))
    script = 'cd "$(git rev-parse --show-toplevel)" && grep -r x .'
    assert check(script, rulebook(), situation=place).decision.word == "allow"
    (home / ".git").mkdir()
    assert check(script, rulebook(), situation=place).decision.word == "prompt"
    (project / ".git").mkdir()
    assert check(script, rulebook(), situation=place).decision.word == "allow"
    moved = 'cd sub && cd "$(git rev-parse --show-toplevel)" && cat config'
    assert check(moved, rulebook(), situation=place).decision.word == "prompt"


def test_what_is_said_of_a_folder_that_nobody_knows() -> None:
    found = check('cd "$d" && cat config', rulebook(), situation=Situation("/srv/project", home="/home/u"))
    assert [command.opinion.why for command in found.commands if command.opinion is not None][1:] == [
        "its working directory is only known at run time, and a file that it reads there may be a secret"
    ]
