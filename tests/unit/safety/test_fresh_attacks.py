"""Scripts that were written by hand to get past the tool, from what a stranger sees of it.

``tests/data/corpora/fresh.jsonl``: ``cls``, ``script``, ``must``; with ``forbidden`` the rules forbid ``pwn``, and
allow the programs in ``allowed``; where ``rules`` stand, those are the rules. What still gets through
stands in :data:`OPEN`, which may only shrink.
"""

import json
from pathlib import Path

import pytest

from tests.support.judging import decision

FRESH = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "corpora" / "fresh.jsonl").read_text("utf-8").splitlines()
]
OPEN = {
    # allowed on purpose, as work of every day: they may show what somebody wrote into a setting or a container
    "git config -l",
    "git config --list --show-origin",
    "git remote show origin",
    # allowed: what they read depends on how a file is called, on a variable from outside, or stands in an archive
    "unzip -p x .env",
    "wc -l *",
    "grep x *",
    "grep x $x",
    "grep $x y",
    'grep "$x" y',
    # allowed: they only read and print, if without an end, or show what the user's own jobs, mounts and archives are
    "tail -f x",
    "tail --follow=name x",
    "tail -F x --pid=1",
    "yes",
    "tee",
    "mount",
    "crontab -l",
    "at -l",
    "7z l x",
    "git --work-tree=x status",
    "find . -execdir ls {} +",
    # only asked about: the command is evident to a person who knows how values and files move through these programs
    "set -- a pwn; ${!#}",
    "echo pwn > x; xargs -a x env",
    "$(echo echo) pwn | sh",
    "git --config-env=core.pager=X log; X=pwn git --config-env=core.pager=X log",
    "X=pwn git --config-env core.editor=X commit",
    "find . -printf 'pwn\\n' | sh",
    'emacs --batch --eval=\'(start-process "x" nil "pwn")\'',
    "dd if=<(echo pwn) | sh",
    'jq -r .x <<< \'{"x":"pwn"}\' | sh',
    "awk 'BEGIN{system(ENVIRON[\"X\"])}' ; X=pwn awk 'BEGIN{system(ENVIRON[\"X\"])}'",
    'awk \'BEGIN{print "pwn" > "x"}\'; sh x',
    "sed 's|x|pwn|;T;e' y",
    "sed 'w x' <<< pwn; sh x",
    "sed '1i pwn' x | sh",
    "sed -n '1c\\pwn' x | sh",
    'perl -e \'open(my $f, "|-", "pwn", "x")\'',
    "PYTHONBREAKPOINT=os.system python3 -c 'breakpoint(\"pwn\")'",
    "pwsh -c 'Start-Process pwn'",
    "pwsh -c 'iex pwn'",
    "tmux copy-pipe pwn; tmux send -X copy-pipe pwn",
    "screen -S x -X stuff 'pwn^M'",
    "wezterm start -- pwn",
    # allowed, because the whole program is, and what it runs is not seen: a script's name, a file, a setting of its own
    "nvim -l <(echo 'os.execute(\"pwn\")')",
    "mawk -W exec <(echo 'BEGIN{system(\"pwn\")}')",
    "cmake -P <(echo 'execute_process(COMMAND pwn)')",
    "cmake --build . -- CC=pwn",
    "docker build --build-arg X=pwn -f - . <<< 'RUN pwn'",
    "bun run pwn",
    "pnpm pwn",
    "yarn pwn",
    "tox exec -- pwn",
    "go tool pwn",
    "cargo watch -- pwn",
    "mvn exec:exec -Dexec.executable=pwn",
    "mix run -e 'System.cmd(\"pwn\", [])'",
    "rails runner 'system(\"pwn\")'",
    "snap run pwn",
    "Rscript -e 'shell(\"pwn\")'",
    "pip --python pwn list",
    "brew sh -c pwn; brew ruby -e 'system \"pwn\"'",
    "gh config set pager pwn; gh pr list",
    "aws configure set credential_process pwn",
    "aws ssm send-command --parameters commands=pwn",
    "salt '*' cmd.run pwn",
    "open -a pwn",
}


def holds(attack: dict[str, str]) -> bool:
    if attack["must"] != "forbidden":
        return decision(attack["script"], attack.get("rules", "")) != "allow"
    allowed = "".join([f'prefix_rule(pattern=["{program}"])\n' for program in attack.get("allowed", ())])
    rules = attack.get("rules", allowed + 'prefix_rule(pattern=["pwn"],decision="forbidden")\n')
    return decision(attack["script"], rules) == "forbidden"


@pytest.mark.parametrize("kind", sorted({attack["cls"] for attack in FRESH}))
def test_a_class_of_fresh_attacks(kind: str) -> None:
    through = {attack["script"] for attack in FRESH if attack["cls"] == kind and not holds(attack)}
    assert through <= OPEN, sorted(through - OPEN)


def test_only_what_is_open_is_called_open() -> None:
    assert {attack["script"] for attack in FRESH if not holds(attack)} == OPEN
