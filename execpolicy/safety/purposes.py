"""The purpose of well-known programs for reasons, as a code and in words. It grants nothing."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.core.text import word_set

Purpose = tuple[str, str]
"""The code of an :class:`~execpolicy.safety.opinion.Opinion`, and why."""

_DOES = {
    ("sends", "it opens a connection, and sends what it is given"): word_set(
        "curl wget ssh scp sftp ftp telnet nc ncat socat ping ping6 dig host nslookup whois traceroute tracepath "
        "mtr nmap http https xh httpie aria2c lftp rclone finger mail mailx sendmail gpg-connect-agent redis-cli "
        "mongosh rsync"
    ),
    ("writes", "it writes, moves or removes files, or changes who owns them"): word_set(
        "mkdir touch cp mv rm rmdir ln install truncate shred split csplit tee dd chmod chown chgrp mktemp mkfifo "
        "mknod patch unlink rename zip 7z cpio setfacl chattr gpg convert magick ffmpeg pandoc dos2unix "
        "unix2dos trash pbcopy xclip xsel"
    ),
    ("runs", "it runs a program, or the content of a file or of its options"): word_set(
        "python python2 python3 node nodejs deno bun ruby perl php lua luajit Rscript julia bash sh zsh dash ksh "
        "fish pwsh osascript expect tclsh wish java scala groovy xargs parallel nohup watch entr script make "
        "cmake ninja meson gradle gradlew ant rake just task npx pnpx bunx uvx pipx gdb lldb strace ltrace perf "
        "open xdg-open start"
    ),
    ("runs", "it opens a pager or an editor, in which programs can be started"): word_set(
        "less more most man info vim vi nvim nano emacs ed ex pico joe micro code subl"
    ),
    ("secret", "it prints the environment, or keeps what was typed, in which secrets lie"): word_set(
        "history printenv env export declare typeset"
    ),
    ("installs", "it installs, changes or fetches packages"): word_set(
        "yum dnf zypper apk snap flatpak port choco winget scoop emerge"
    ),
    ("system", "it changes how the system is set up, or takes locks to look at it"): word_set(
        "crontab iptables ip6tables nft ufw firewall-cmd parted mkfs fsck mdadm pvs lvs vgs useradd usermod groupadd "
        "passwd visudo"
    ),
}
_BY_NAME = {name: does for does, listed in _DOES.items() for name in listed}
_OF_GIT = {
    ("sends", "it connects to the remote"): word_set(
        "push fetch pull clone ls-remote lfs send-email svn p4 archimport"
    ),
    ("writes", "it changes the repository or the working tree"): word_set(
        "add commit checkout switch restore reset revert merge rebase cherry-pick am apply stash tag branch mv rm "
        "clean gc init bisect notes worktree sparse-checkout update-index update-ref repack prune "
        "filter-branch replace format-patch read-tree write-tree symbolic-ref"
    ),
    ("settings", "it changes the settings of git, which name programs and remotes"): word_set(
        "config remote submodule maintenance"
    ),
    ("runs", "it opens a manual in a pager, in which programs can be started"): frozenset(("help",)),
    ("settings", "it starts a tool that the settings of git name"): word_set(
        "difftool mergetool verify-commit verify-tag instaweb"
    ),
}
_OF_GIT_BY_NAME = {name: does for does, listed in _OF_GIT.items() for name in listed}


def purpose(program: str, words: Sequence[str]) -> Purpose | None:
    """Returns what ``program`` does with ``words``, of which the last is refused; ``None`` if it is not recorded."""
    if program == "git":
        return next((found for word in words if (found := _OF_GIT_BY_NAME.get(word)) is not None), None)
    return _BY_NAME.get(program)
