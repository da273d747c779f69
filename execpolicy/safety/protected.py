"""Files that decide what agents may do, or that tools run unasked: writing one is asked about in spite of any rule.

Sources: the documentation of each agent's settings, hooks, skills and MCP servers, as of November 2026; githooks(5),
direnv(1), and the task files of editors.
"""

from __future__ import annotations

from execpolicy.core.text import names

FOLDERS = names(
    ".claude .codex .cursor .gemini .qwen .factory .cline .clinerules .opencode .kilocode .kilo .pi .amp .crush .goose "
    ".windsurf .codeium .continue .copilot .roo .agents .vscode .idea .zed .husky .direnv"
)
"""Folders of agents, editors' tasks and hooks, wherever they lie."""
CONFIGURED = names(
    "execpolicy opencode kilo amp ampcode crush goose claude-code codex gemini-cli qwen-code cursor windsurf zed git "
    "direnv"
)
"""Folders of the same kind that lie among those of everything else."""
_AMONG = names(".config .cache state share etc")
"""Where these lie."""
FILES = names(
    ".envrc .mcp.json mcp.json .claude.json opencode.json opencode.jsonc crush.json .crush.json .goosehints "
    "execpolicy.toml requirements.toml .pre-commit-config.yaml lefthook.yml .gitconfig .gitmodules "
    "copilot-instructions.md "
    ".bashrc .bash_profile .bash_login .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .kshrc .mkshrc"
)
"""The last of them are read by the shells that agents start, and can give every command another meaning."""
_GIT = names("hooks config info modules worktrees")
"""What git runs or obeys in its own folder."""
_GITHUB = names("hooks copilot")
"""What GitHub's agent runs or obeys."""


def protected(path: str) -> str | None:
    """Why the normalised absolute ``path`` is not written unasked, one line; ``None`` if nothing speaks against it."""
    parts = [part.lower() for part in path.split("/")]  # macOS and Windows do not tell case
    name = parts[-1]
    if name in FILES or name.endswith(".rules"):
        return f"`{path}` decides what agents may do or what a tool runs"
    for at, part in enumerate(parts[:-1]):
        if part == ".git" and parts[at + 1] in _GIT:
            return f"`{path}` is a file that git obeys or runs"
        if part == ".github" and parts[at + 1] in _GITHUB:
            return f"`{path}` is a file that an agent obeys or runs"
        if part in FOLDERS or (part in CONFIGURED and parts[at - 1] in _AMONG):
            return f"`{path}` belongs to an agent, an editor or a hook that runs unasked"
    return None
