"""Files of program text: what they are called in which language, and how their text is read.

What builds, tests or starts a project runs what any of its sources says: ``npm test`` an ``a.test.js`` that was just
written. Sources for the names: the manuals of the languages and of what builds them.
"""

from __future__ import annotations

from execpolicy.core.text import names

_FAMILIES = {
    "c": ("c", ".c .h .cc .cpp .cxx .hpp .m .mm .d .zig .nim .v .odin .hx .vala .pas .adb .f90 .gleam .rs .go"),
    "clojure": ("lisp", ".clj .cljs .cljc"),
    "dart": ("c", ".dart"),
    "dotnet": ("c", ".cs .fs .fsx .vb .csx"),
    "elixir": ("c", ".ex .exs .erl"),
    "haskell": ("c", ".hs .lhs"),
    "javascript": ("javascript", ".js .mjs .cjs .ts .mts .cts .jsx .tsx .coffee"),
    "jvm": ("c", ".java .kt .kts .scala .sc .sbt .groovy .gradle"),
    "lisp": ("lisp", ".scm .el .rkt .lisp"),
    "lua": ("lua", ".lua"),
    "ocaml": ("c", ".ml"),
    "perl": ("perl", ".pl .pm .t .PL .psgi"),
    "php": ("php", ".php"),
    "python": ("python", ".py SConstruct wscript Snakefile"),
    "ruby": (
        "ruby",
        ".rb .rake .gemspec .podspec .ru .cr Rakefile rakefile Vagrantfile Gemfile Podfile Fastfile Brewfile "
        "Dangerfile Guardfile Capfile",
    ),
    "shell": ("shell", ".sh .bash .zsh .ksh .bats"),
    "swift": ("c", ".swift"),
    "tcl": ("tcl", ".tcl .exp"),
}
"""By language, or by what builds several of them: how a text is read, and the endings and names of its files."""

_SETTINGS = names(
    ".toml .yml .yaml .json .json5 .jsonc .xml .ini .conf .cfg .config .plist .properties .hcl .kdl .cue .star .bzl "
    ".mk .cmake .jsonnet .dhall .ron .desktop .service .timer .rules .cron .job .do .tape .lst .env"
)
"""Endings of files of settings."""
_LANGUAGES = {name: language for language, called in _FAMILIES.values() for name in names(called)}
ALL = "all"
SETTINGS = ":settings"
"""The pattern of the files that :func:`is_settings` says are some."""
SHELL = "shell"
"""The family of scripts of shells, which count wherever those of another language do."""


def language_of(path: str) -> str | None:
    """How the text of the file ``path`` is read, by its ending or its name; ``None`` if it is no program text."""
    file = path.rpartition("/")[2]
    return _LANGUAGES.get(file[max(file.rfind("."), 0) :])


def source_patterns(families: str) -> tuple[str, ...]:
    """What files of ``families``, separated by blanks, or of :data:`ALL`, are called, as patterns."""
    found: list[str] = []
    for family in _FAMILIES if families == ALL else [*families.split(), SHELL] if families else ():
        found += [f"*{name}" if name.startswith(".") else name for name in _FAMILIES[family][1].split()]
    return (*found, SETTINGS) if families == ALL else tuple(found)


def is_settings(path: str) -> bool:
    """Whether ``path`` is called like a file of settings or recipes: ``moon.yml``, ``Procfile``, ``.woodpeckerrc``."""
    file = path.rpartition("/")[2]
    ending = file[max(file.rfind("."), 0) :]
    return "." not in file[1:] or ending in _SETTINGS
