"""What is a secret is one by whatever name a script calls it: from the folder that it moved to, or by climbing."""

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
    "find ../../home/u | xargs cat",
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
