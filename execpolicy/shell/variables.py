"""Assignments that can neither run code nor write a file, for every program that sees them.

Too many variables change which code runs (``PATH``, ``LD_PRELOAD``, ``GIT_SSH_COMMAND``, ``PYTHONWARNINGS``, which
imports). These are therefore short lists of names that were examined one by one; every other name prevents a grant.

* Locale names: the shell reads the text after them in their encoding. In GBK, BIG5 and Shift-JIS a backslash or a quote
  may be half of a character, so only ``C``, ``POSIX`` and UTF-8 are harmless. gettext
  builds file names from ``LANGUAGE``: a value with ``/`` could name a hostile catalogue.
* ``TZ`` names a file below the zone directory; a path that leaves it is not harmless. ``TERM`` likewise names a
  terminfo entry; ncurses rejects a slash, and so does this module.
* ``DEBIAN_FRONTEND`` becomes part of a Perl module name, ``NODE_ENV`` and similar names part of configuration file
  names: fixed values only.
* ``PATH`` may become shorter: only directories of the system.
* Pagers and editors are harmless if the value is a program without effects of its own.

The module also finds the variables that builtins may set without an assignment that the reader sees.
"""

from __future__ import annotations

from os import environ

from execpolicy.core.text import word_set
from execpolicy.shell.limits import LIMITS
from execpolicy.shell.vocabulary import ASSIGNING, CHANGING_ANYTHING, REFERRING
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.shell.grammar.state import Draft
    from execpolicy.shell.script import Command


class ModifiedVariables:
    """The names that the builtins of one script may set; computed once, queried often.

    Attributes:
        everything: some command may set any variable.
    """

    def __init__(self, commands: Iterable[Command | Draft]) -> None:
        self.everything = False
        self.names: set[str] = set()
        self.options: set[str] = set()
        for command in commands:
            self._add(command)
        if len(self.options) > LIMITS.options:
            self.everything = True

    def may_modify(self, name: str) -> bool:
        """True if a builtin may give ``name`` a value that is not written as an assignment."""
        return self.everything or name in self.names or any(option.endswith(name) for option in self.options)

    def _add(self, command: Command | Draft) -> None:
        for redirect in command.redirects:
            if redirect.fd is not None and redirect.fd[0] == "{":
                self.names.add(redirect.fd[1:-1])
        if not command.words:
            return
        program = command.words[0].literal
        if program is None and command.words[0].is_path:  # no builtin
            return
        if program == "command" and command.words[1:2] and command.words[1].literal in ("-v", "-V"):
            return
        if program is None or program in CHANGING_ANYTHING:
            self.everything = True
            return
        if program not in ASSIGNING:
            return
        if program == "printf" and len(command.words) > 1:
            option = command.words[1].literal
            if option is not None and not option.startswith("-v"):
                return
        for word in command.words[1:]:
            text = word.prefix
            if word.literal is None and (not text or (word.many and "=" not in text)):
                self.everything = True
                return
            bare = text.partition("=")[0].partition("[")[0].rstrip("+")
            self.names.add(bare)
            if bare.startswith("-"):
                self.options.add(bare)
                # `declare -n a=b`: a value for `a` is a value for `b`.
                self.everything = self.everything or (program in REFERRING and "n" in bare)


NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
NAME_PART = NAME_START | frozenset("0123456789")
_NAME_CHARACTERS = "".join(sorted(NAME_PART))
ANY_VALUE = word_set(
    "NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM CI RUST_BACKTRACE RUST_LIB_BACKTRACE "
    "RUST_TEST_THREADS RUST_MIN_STACK CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN CARGO_INCREMENTAL "
    "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONFAULTHANDLER PYTHONNOUSERSITE "
    "PYTHONSAFEPATH PY_COLORS GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_FLUSH GCC_COLORS GREP_COLOR "
    "GREP_COLORS LS_COLORS JQ_COLORS SYSTEMD_COLORS DO_NOT_TRACK HOMEBREW_NO_AUTO_UPDATE HOMEBREW_NO_ENV_HINTS "
    "HOMEBREW_NO_ANALYTICS HOMEBREW_NO_COLOR SOURCE_DATE_EPOCH OMP_NUM_THREADS TQDM_DISABLE UV_NO_PROGRESS "
    "PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_COLOR PIP_NO_INPUT GO111MODULE CGO_ENABLED GOMAXPROCS "
    "TF_IN_AUTOMATION NEXT_TELEMETRY_DISABLED DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO SCARF_ANALYTICS "
    "ASTRO_TELEMETRY_DISABLED DEBUG VERBOSE LOG_LEVEL LOGLEVEL RUST_LOG RUST_LOG_STYLE PORT PYTHONDEVMODE "
    "PYTHONASYNCIODEBUG PYTHONTRACEMALLOC PYTHONPROFILEIMPORTTIME NODE_NO_WARNINGS TF_CPP_MIN_LOG_LEVEL "
    "MKL_NUM_THREADS OPENBLAS_NUM_THREADS NUMEXPR_NUM_THREADS RAYON_NUM_THREADS TOKENIZERS_PARALLELISM "
    "CUDA_VISIBLE_DEVICES CARGO_BUILD_JOBS CARGO_NET_OFFLINE GOTRACEBACK TURBO_TELEMETRY_DISABLED "
    "GATSBY_TELEMETRY_DISABLED OTEL_SDK_DISABLED GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE "
    "GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE"
)
"""Switches, numbers and colours: every value is harmless, so a dynamic one is too."""
LOCALE = frozenset(["LANG", "LANGUAGE"])
_LOCALE_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@:-")
_ZONE_CHARACTERS = _LOCALE_CHARACTERS | frozenset("/+<>,")
_DO_NOTHING = frozenset(["", "cat", "/bin/cat", "/usr/bin/cat", "true", "/bin/true", "/usr/bin/true", ":"])
_HARMLESS_VALUES = {
    "DEBIAN_FRONTEND": word_set("noninteractive readline teletype text dialog"),
    **dict.fromkeys(
        word_set("NODE_ENV RAILS_ENV RACK_ENV APP_ENV MIX_ENV FLASK_ENV"),
        word_set("test development production dev prod"),
    ),
    **dict.fromkeys(word_set("PAGER MANPAGER GIT_PAGER SYSTEMD_PAGER AWS_PAGER GH_PAGER BAT_PAGER"), _DO_NOTHING),
    **dict.fromkeys(word_set("EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR"), frozenset(["true", ":"])),
    "PYTHONIOENCODING": word_set("utf-8 utf8 UTF-8 ascii"),
    "MPLBACKEND": word_set("agg Agg"),
    "GOTOOLCHAIN": word_set("local"),
    "GOPROXY": word_set("off"),
}
_TEMPORARY = word_set("GOCACHE GOTMPDIR CARGO_TARGET_DIR RUFF_CACHE_DIR MYPY_CACHE_DIR TMPDIR")
"""Names of folders for what a program can make again: harmless below the folder for temporary files."""
_SYSTEM_PATH = frozenset(("/bin", "/usr/bin", "/sbin", "/usr/sbin"))
_PLAIN_UPPER = word_set(
    "A B C D F G H I J K L M N O P Q R S T U W X Y Z ACCOUNT_ID ANSWER BAR BASENAME BASE_DIR BAZ BODY BRANCH "
    "BRANCHES BUCKET BUCKETS CHANGED CHANGED_FILES CLASSES CLUSTERS CNT COMMIT COMMITS COMMIT_HASH COMMIT_MSG "
    "CONTAINERS CONTAINER_ID CONTENTS COUNT CSV CURRENT_BRANCH CURRENT_DIR CYAN DATA_FILE DATE DEMO DEST DIFFS "
    "DIR DIR1 DIR2 DIRNAME DIRS DISTRO DOCS_DIR DST ELEMENTS END HOOKS EXITCODE EXIT_CODE FAILURES FILE FILE1 "
    "FILES FILE_COUNT FILE_PATH FIRST FOO HASH ID IDX IMAGE IMAGES INDEX INDIR INSTANCES IP ISSUE_NUMBER ITEM "
    "JOB_ID KEY LAST LATEST LATEST_TAG LEN LINE LINES_COUNT LINE_COUNT LINE_NUM LNUM LOGFILE LOGS LOG_FILE "
    "MAGENTA MODULES MSG MYDIR MYVAR MY_VAR NAME NEW NEXT NODES NOW NUM NUM_FILES N_FILES OLD OS OUT OUTDIR "
    "OUTFILE OUTPUT OUTPUT_DIR OUTPUT_FILE OUT_DIR PACKAGES PARENT_DIR PASSED PATTERN PID PIDS PODS POD_NAME PREV "
    "PREVIOUS PROCESSES PROCS PROJECT_DIR PROJECT_NAME PROJECT_ROOT PR_NUMBER QUERY QUX RC REGEX REPLY REPO REPOS "
    "REPO_DIR REPO_NAME REPO_ROOT RESP REST RESULT RET REV ROOT ROOT_DIR RUN_ID SCRIPTPATH SCRIPT_DIR SCRIPT_PATH "
    "SHA SINCE SIZE SLUG SOME_VAR SOURCE_DIR SOURCE_FILE SRC SRC_DIR STACKS STAGED START STATUS SUM TAG TAGS "
    "TARGET TARGET_DIR TARGET_FILE TEMP_FILE TESTVAR TEST_DIR TEST_FILE TEST_VAR THIS_DIR THRESHOLD TMP_FILE "
    "TODAY TODOS TOMORROW TOTAL TOTAL_LINES TYPE UNTRACKED URL URLS VALS VALUE VAR1 VAR2 VARS VERSION VERSIONS "
    "WIDTH WORD WORDS WORKDIR WORK_DIR YELLOW YESTERDAY"
)
"""Upper-case shell variables without a meaning to a shell or a known program.

Sources: the manuals of the shells (bash 5.2, zsh 5.9, ksh93, mksh, dash), and the programs and libraries of a Debian 12
with compilers, databases and cloud clients. None contains the name as a separate text, except as a title or a keyword.
"""
_SPECIAL_LOWER = word_set(
    "http_proxy https_proxy ftp_proxy all_proxy no_proxy rsync_proxy gopher_proxy socks_proxy proxy noproxy "
    "auto_resume histchars _"
)
_SPECIAL_UPPER = word_set(
    "ALL_PROXY CURL_CA_BUNDLE FTP_PROXY HTTPS_PROXY HTTP_PROXY NO_PROXY REQUESTS_CA_BUNDLE "
    "ARGC BAUD BUFFER CDPATH COLUMNS COPROC CORRECT_IGNORE CORRECT_IGNORE_FILE CPUTYPE CURSOR DIRSTACK "
    "DIRSTACKSIZE EDITOR EGID EMACS ENV EPOCHREALTIME EPOCHSECONDS ERRNO EUID EXECIGNORE EXECSHELL FCEDIT FIGNORE "
    "FPATH FUNCNAME FUNCNEST GID GLOBIGNORE GLOBSORT GROUPS HISTCHARS HISTCMD HISTCONTROL HISTEDIT HISTFILE "
    "HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT HOME HOST HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC "
    "INSIDE_EMACS JOBMAX KEYBOARD_HACK KEYTIMEOUT LANG LANGUAGE LINENO LINES LISTMAX LOGCHECK LOGNAME MACHTYPE "
    "MAIL MAILCHECK MAILPATH MANPATH MAPFILE MATCH MBEGIN MEND MODULE_PATH NULLCMD OLDPWD OPTARG OPTERR OPTIND "
    "OSTYPE PAGER PARINIT PATH PATHSEP PGRP PIPESTATUS POSIXLY_CORRECT POSTEDIT PPID PROMPT PS0 PS1 PS2 PS3 PS4 "
    "PSVAR PWD RANDOM READNULLCMD REPORTMEMORY REPORTTIME RPROMPT RPROMPT2 RPS1 RPS2 SAVEHIST SECONDS SHELL "
    "SHELLOPTS SHLVL SH_OPTIONS SPROMPT SRANDOM STTY TERM TERMINFO TERMINFO_DIRS TIMEFMT TIMEFORMAT TMOUT TMPDIR "
    "TTY TTYIDLE TZ UID USER USERNAME USER_ID VENDOR VISUAL WATCH WATCHFMT WORDCHARS _"
)
_SPECIAL_STARTS = (
    *("BASH", "COMP", "DYLD_", "GIT_", "KSH", "LC_", "LD_", "LESS", "MALLOC_", "NODE_", "NPM_", "PERL", "PROMPT"),
    *("PYTHON", "READLINE_", "RUBY", "SSL_", "TRY_BLOCK_", "XDG_", "ZBEEP", "ZDOTDIR", "ZLE_", "ZSH", "ZCALLBACK"),
)
"""Upper-case names with a meaning to a shell, and beginnings of those with one to loaders, interpreters and git.

Sources: the manuals of bash 5.3, zsh 5.9, ksh93, mksh R59 and dash.
"""
_SPECIAL_ZSH = word_set(
    "path fpath cdpath manpath mailpath module_path argv status pipestatus prompt watch psvar signals "
    "zsh_eval_context aliases galiases saliases dis_aliases dis_galiases dis_saliases functions dis_functions "
    "functions_source dis_functions_source commands nameddirs userdirs usergroups builtins dis_builtins "
    "reswords dis_reswords patchars dis_patchars options parameters modules jobdirs jobtexts jobstates dirstack "
    "history historywords funcstack funcfiletrace funcsourcetrace functrace termcap terminfo keymaps widgets "
    "epochtime errnos sysparams langinfo zsh_scheduled_events fignore mapfile"
)
"""Names that zsh ties to a list of directories or to its own tables. Source: zsh 5.9 manual, zshparam and zshmodules.
"""


def harmless_assignment(name: str, value: Word | None, *, exported: bool, shell: str) -> bool:
    """True if giving ``name`` this value can neither run code nor write a file.

    Args:
        value: the word assigned; ``None`` for an array or an unknown value.
        exported: programs see it (``NAME=value cmd``, ``export``); otherwise it is a plain variable of the shell, which
            reaches a program only if the name was exported before.
    """
    literal = value.literal if value is not None else None
    if name in ANY_VALUE:
        return True
    if name in ("COLUMNS", "LINES"):  # integers of zsh and mksh, which evaluate the assigned text; mksh may be `sh`
        return shell == "bash" or (literal is not None and literal.isdecimal())
    if name in LOCALE or (name.startswith("LC_") and name.isidentifier()):
        if literal is None or not _LOCALE_CHARACTERS.issuperset(literal) or ".." in literal:
            return False
        codeset = literal.partition("@")[0].partition(".")[2].lower().replace("-", "")
        return name == "LANGUAGE" or literal in ("", "C", "POSIX") or codeset == "utf8"
    if name == "TERM":
        return literal is not None and _LOCALE_CHARACTERS.issuperset(literal)
    if name == "TZ":
        return (
            literal is not None
            and _ZONE_CHARACTERS.issuperset(literal)
            and ".." not in literal
            and not literal.lstrip(":").startswith("/")
        )
    if name == "PATH":
        return literal is not None and _SYSTEM_PATH.issuperset(literal.split(":"))
    fixed = _HARMLESS_VALUES.get(name)
    if fixed is not None:
        return literal is not None and literal in fixed
    if name in _TEMPORARY:
        return literal is not None and literal.startswith("/tmp/") and ".." not in literal.split("/")
    return not exported and stays_in_shell(name, shell)


def is_name(text: str) -> bool:
    """True if ``text`` can be the name of a variable."""
    return bool(text) and text[0] in NAME_START and all(char in NAME_PART for char in text)


def assignment_name(text: str) -> str:
    """The name if ``text`` begins like an assignment (``name=``, ``name+=``, ``name[…]=``), else ``""``."""
    if not text or text[0] not in NAME_START:
        return ""
    at = len(text) - len(text.lstrip(_NAME_CHARACTERS))
    rest = text[at : at + 2]
    if rest[:1] == "=" or rest == "+=" or (rest[:1] == "[" and "]" in text[at:]):
        return text[:at]
    return ""


def stays_in_shell(name: str, shell: str) -> bool:
    """True if a value for ``name`` that the script does not export reaches no program and means nothing to the shell.

    A variable that the environment contains is exported already.
    """
    return plain_variable(name, shell) or (name not in environ and ordinary_variable(name, shell))


def ordinary_variable(name: str, shell: str) -> bool:
    """True if ``name`` has no meaning to any shell, so that a value means something only to programs that get it."""
    if not is_name(name) or name in _SPECIAL_UPPER or name.startswith(_SPECIAL_STARTS):
        return False
    return not name[0].islower() or plain_variable(name, shell)


def plain_variable(name: str, shell: str) -> bool:
    """True if ``name`` is an ordinary shell variable without a meaning to the shell or a known program."""
    if name in _PLAIN_UPPER:
        return True
    if not name.isidentifier() or not name.isascii() or not name[0].islower():
        return False
    if name in _SPECIAL_LOWER or name.startswith(("npm_", "yarn_", "git_config", "bash_", "zsh_", "dis_")):
        return False
    return shell != "zsh" or name not in _SPECIAL_ZSH
