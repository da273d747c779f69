"""Files whose text a program types or pastes where a shell reads it."""

from tests.support.each import each
from tests.support.judging import decision

PROGRAMS = [
    "tmux",
    "screen",
    "kitty",
    "kitten",
    "wezterm",
    "zellij",
    "xdotool",
    "ydotool",
    "wtype",
    "echo",
    "cat",
    "git",
]
RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n' + "".join(
    [f'prefix_rule(pattern=["{program}"])\n' for program in PROGRAMS]
)
FILE = "echo 'git push' > b; "


@each("script", [f'{FILE}zellij action write-chars "$(cat b)"'])
def test_it_is_forbidden(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        "tmux load-buffer notes.txt",
        "git log > l; tmux load-buffer l",
        "echo 'never git push' > l; tmux load-buffer l; tmux paste-buffer",
        "echo 'set -g mouse on' > t.conf; tmux source t.conf",
        f"{FILE}xdotool key Return",
        f"{FILE}tmux new -d 'cat b'",
    ],
)
def test_another_text_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"
