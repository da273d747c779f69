"""Terminals and what runs inside of them."""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("tmux byobu", carries="editors:multiplexer", broad="-*", example="tmux new-session -d 'rm x'"),
    Program("screen", carries="editors:multiplexer", broad="-*", example="screen -dm rm x"),
    Program("script", options="-a -e -f -q -h -V -t? -c! -E: -I: -O: -B: -T: -m: -o: --append --command! --echo: "
        "--return --flush --force --log-in: --log-out: --log-io: --log-timing: --logging-format: --output-limit: "
        "--quiet --timing? --help --version", carries="tools:script", broad="-*", example="script -c 'rm x' log"),
    Program("xterm gnome-terminal konsole xfce4-terminal kitty alacritty urxvt rxvt st foot wezterm",
        carries="tools:terminal", example="xterm -e rm x"),
    Program("xdg-open open", broad=""),
)
