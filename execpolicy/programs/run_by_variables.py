"""Variables whose value is run: by the shell (``PS4``, ``PROMPT_COMMAND``) or by programs (``GIT_PAGER``)."""

from __future__ import annotations

from execpolicy.core.quoting import quote
from execpolicy.core.text import word_set
from execpolicy.programs.inner import run_command, run_text
from execpolicy.programs.names import base_name
from execpolicy.programs.text_runs import run_file, run_word
from execpolicy.shell.script import replace
from execpolicy.shell.variables import harmless_assignment
from execpolicy.shell.vocabulary import run_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Assignment, Command
    from execpolicy.shell.words import Word

EXPANDED = word_set("PS0 PS1 PS2 PS3 PS4 PROMPT RPROMPT RPS1 ENV BASH_ENV")
"""Values that the shell expands, substitutions included, when it shows them."""
_START_FILES = ("BASH_ENV", "ENV")
"""Of these, those whose value is the name of a file that a shell reads first."""
RUN = word_set(
    "PROMPT_COMMAND GIT_SSH_COMMAND GIT_SSH GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF "
    "GIT_ASKPASS GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS PAGER MANPAGER SYSTEMD_PAGER "
    "AWS_PAGER GH_PAGER DELTA_PAGER BAT_PAGER EDITOR VISUAL FCEDIT BROWSER MANROFFOPT LESSOPEN LESSCLOSE "
    "LESSEDIT HGEDITOR SVN_EDITOR SVN_SSH CVS_RSH RSYNC_RSH RSYNC_CONNECT_PROG KUBE_EDITOR SYSTEMD_EDITOR "
    "SUDO_EDITOR PSQL_EDITOR PSQL_PAGER TEXEDIT RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER "
    "GH_BROWSER GOAUTH GOCACHEPROG PKG_CONFIG RUSTDOC CC CXX LD AR MAKE SHELL FZF_DEFAULT_COMMAND PERL5DB "
    "BASH_CMDS BASH_ALIASES"
)
"""Values that are a command line. Sources: the manuals of bash, git, less, man, systemd, cargo and the others named."""
_NAMING = ("BASH_CMDS", "BASH_ALIASES")
_ZSH_TABLES = word_set("aliases galiases saliases functions commands")
"""Tables of zsh whose elements are what a name runs."""
_OPTIONS_OF = {
    "TAR_OPTIONS": "tar",
    "FZF_DEFAULT_OPTS": "fzf",
    "MAKEFLAGS": "make",
    "NODE_OPTIONS": "node",
    "PERL5OPT": "perl",
    "RUBYOPT": "ruby",
    "RUSTFLAGS": "rustc",
    "GIT_CONFIG_PARAMETERS": "git -c",
    "TF_CLI_ARGS": "terraform",
    "GOFLAGS": "go",
    "GREP_OPTIONS": "grep",
    "LESS": "less",
    "XZ_OPT": "xz",
    "ZIPOPT": "zip",
    "UNZIP": "unzip",
    "PYTEST_ADDOPTS": "pytest",
    "GNUMAKEFLAGS": "make",
}
"""Values that are options of a program."""
_BLANKS = {"MAKEFLAGS": True, "GNUMAKEFLAGS": True, "PERL5OPT": False, "RUBYOPT": False}
"""Of those the ones that no quotes are read in, only blanks part words; and whether a backslash takes a blank in."""
_OPTION_OF = {
    **dict.fromkeys(word_set("LUA_INIT LUA_INIT_5_1 LUA_INIT_5_2 LUA_INIT_5_3 LUA_INIT_5_4"), "lua -e"),
    "DOCKER_HOST": "docker --host",
    "DOCKER_CONTEXT": "docker --context",
    "DOCKER_CONFIG": "docker --config",
    "CONTAINER_HOST": "podman --url",
    "KUBECONFIG": "kubectl --kubeconfig",
    "HELM_NAMESPACE": "helm --namespace",
    "HELM_KUBECONTEXT": "helm --kube-context",
    "AWS_PROFILE": "aws --profile",
    "AWS_ENDPOINT_URL": "aws --endpoint-url",
    "AWS_CA_BUNDLE": "aws --ca-bundle",
    "GH_REPO": "gh --repo",
    "GIT_DIR": "git --git-dir",
    "GIT_WORK_TREE": "git --work-tree",
    "GIT_EXEC_PATH": "git --exec-path",
    "GIT_NAMESPACE": "git --namespace",
    "RSYNC_RSH": "rsync --rsh",
    "CARGO_TARGET_DIR": "cargo --target-dir",
}
"""Values that are the value of an option."""
_OPTION_STARTS = {"PIP_": "pip", "NPM_CONFIG_": "npm", "UV_": "uv", "POETRY_": "poetry"}
"""Beginnings of names, behind which an option of the program is named."""


def assigned_command(assignment: Assignment, command: Command, facts: Facts) -> Iterator[Inner]:
    """Yields what one assignment would run."""
    name = assignment.name
    values = assignment.items if assignment.value is None else (assignment.value,)
    for value in values:
        yield from _as_options(name, value.literal or "", command, facts)
    known = (
        name in RUN
        or name in EXPANDED
        or name == "GIT_CONFIG_PARAMETERS"
        or (name in _ZSH_TABLES and facts.script.shell == "zsh")
        or name.startswith(("BASH_FUNC_", "GIT_CONFIG_VALUE", "GIT_CONFIG_KEY"))
    )
    known = known or name.endswith(("_RUNNER", "_PAGER", "_EDITOR", "_RUSTC_WRAPPER", "_ASKPASS", "_CMD", "_COMMAND"))
    known = known or (
        name.startswith("CARGO_") and name.endswith(("_RUSTC", "_RUSTDOC", "_WRAPPER", "_LINKER", "_PROVIDERS"))
    )
    if not known:
        return

    if harmless_assignment(name, assignment.value, exported=True, shell=facts.script.shell):
        return
    for value in values:
        text = value.literal
        if value.kind == "process":
            yield from run_file(name, command, facts, value, "bash")
        elif text is None:
            yield from run_word(name, command, facts, value, shell=facts.script.shell)
        elif name.startswith("GIT_CONFIG_KEY"):
            yield _git_setting(name, text, command, facts)
        elif name == "GIT_CONFIG_PARAMETERS":
            yield run_text(name, command, f"git -c {text}", evidence=True)
        elif name in EXPANDED:
            if "$" in text or "`" in text:
                yield run_text(name, command, expanded_text(text), shell=facts.script.shell)
            if name in _START_FILES:
                inners = run_file(name, command, facts, value, "bash")
                yield from [replace(inner, evidence=True) for inner in inners if not inner.opaque]
        elif name.startswith("BASH_FUNC_"):
            yield run_text(name, command, "f" + text if text.startswith("()") else text, shell="bash")
        elif text.strip():
            yield run_text(name, command, text.lstrip("|!- "), shell="sh")
            if name in _NAMING:  # the subscript, which is not kept, gives the name: any may be it
                yield from called_so(name, value, None, facts)


def called_so(name: str, program: Word, called: Container[str | None] | None, facts: Facts) -> Iterator[Inner]:
    """``program`` with what the script gives to the names in ``called`` (or to any), which the shell was told of."""
    for other in facts.script.commands:
        at = run_here(other.words) if other.words else 0
        if other.words and (called is None or other.words[at].literal in called):
            yield run_command(name, other, (program, *other.words[at + 1 :]), evidence=True)


def _as_options(name: str, value: str, command: Command, facts: Facts) -> Iterator[Inner]:
    """Yields what programs that take options from a variable do with its value, as evidence."""
    if name in _BLANKS and value.strip():
        # `a\ b` is one word: the blank behind a backslash is put away while the others part words
        kept = value.replace("\\ ", "\0") if _BLANKS[name] else value
        words = [word.replace("\\", "").replace("\0", " ") if _BLANKS[name] else word for word in kept.split()]
        if (literal := " ".join(map(quote, words))) != value:
            yield from _given_to(f"{_OPTIONS_OF[name]} {literal}", command, facts)
    beginning = next((each for each in _OPTION_STARTS if name.upper().startswith(each)), None)
    if name.startswith("TF_CLI_ARGS_"):
        said = f"terraform {name[12:]} {value}"
    elif name in _OPTIONS_OF:
        dash = "-" if name.endswith("MAKEFLAGS") and value[:1] not in ("-", " ", "") else ""
        said = f"{_OPTIONS_OF[name]} {dash}{value}"
    elif name in _OPTION_OF:
        said = f"{_OPTION_OF[name]}={quote(value)}"
    elif beginning is not None:
        option = name[len(beginning) :].lower().replace("_", "-")
        said = f"{_OPTION_STARTS[beginning]} --{option}={quote(value)}"
    else:
        return
    yield from _given_to(said, command, facts)


def _given_to(said: str, command: Command, facts: Facts) -> Iterator[Inner]:
    """``said``, a program with options, alone and in front of what the script gives it."""
    program, _, options = said.partition(" ")
    yield run_text(program, command, said, evidence=True)
    for other in facts.script.commands:
        names = [base_name(word.literal) for word in other.words if word.literal is not None]
        if program in names:
            behind = other.words[names.index(program) + 1 :]
            texts = [quote(word.literal) if word.literal is not None else '"$unknown"' for word in behind]
            in_order = [options, *texts] if "--" in texts else [*texts, options]
            yield run_text(program, command, " ".join([program, *in_order]), evidence=True)


def _git_setting(name: str, key: str, command: Command, facts: Facts) -> Inner:
    """Returns what git makes of a setting whose value is in another variable, as evidence."""
    others = {one.name: one.value.literal for one in command.assignments if one.value is not None}
    variable = "GIT_CONFIG_VALUE" + name.removeprefix("GIT_CONFIG_KEY")
    others.update({key: values[-1] for key, values in facts.assigned.items() if key == variable and values})
    value = others.get(variable)
    text = f"--config-env={quote(key)}=X" if value is None else f"-c {quote(f'{key}={value}')}"
    return run_text(name, command, "git " + text, evidence=True)


def expanded_text(value: str) -> str:
    """A script that expands ``value`` as the shell expands a prompt, and runs nothing else."""
    return ": <<EXPANDED_TEXT\n" + value + "\nEXPANDED_TEXT\n"
