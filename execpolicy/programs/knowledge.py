"""Knowledge for following values through a script: what programs print, copy and pass on."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.core.text import word_set
from execpolicy.flow import filters
from execpolicy.flow.of_programs import Filter

_FILTERS = {
    **{name: name for name in ("echo", "printf", "cat", "tee", "base64", "xxd", "head", "tail")},
    **dict.fromkeys((":", "true", "false"), "nothing"),
    "print": "print_",
}
"""Program name to its static version in ``execpolicy.flow.filters``."""
_SAYING = word_set("date stat seq find expr basename dirname shuf realpath readlink hostname locale")
"""Programs that print an argument, or make a text by a format that is one."""
_LOOKING_UP = {"which": "", "whence": "", "command": "-v", "type": "-pP"}
"""Programs that print where the last argument is found, which ends in its name; with one of which options."""
_MANY_TIMES = 4
"""Lines that ``yes`` is taken to print."""


class ProgramKnowledge:
    """Knowledge of the programs that scripts build text with; see ``execpolicy.flow.of_programs``."""

    blind = word_set("echo printf print : true false")
    # One compressor packs, and another one unpacks.
    interpreting = word_set(
        "python python3 perl ruby node php lua luajit sqlite3 sqlite duckdb emacs deno bun julia Rscript guile racket "
        "tclsh expect pypy3 pypy groovy scala kotlin swift elixir escript runghc ocaml jshell dart pwsh crystal raku "
        "tsx ts-node"
    )
    passing = interpreting | word_set(
        "grep egrep fgrep rg sed gsed awk gawk mawk cut uniq tr head tail sort nl paste fold iconv dos2unix sponge pv "
        "jq yq gojq jaq column xargs sudo envsubst fmt pr expand unexpand strings dd comm join tac numfmt ts gzip "
        "gunzip zcat xz unxz bzip2 bunzip2 zstd unzstd lz4 openssl"
    )
    shells = word_set("bash sh dash zsh ksh mksh ash printenv")
    running_next = word_set("command builtin exec env nice time nohup")
    printing_files = word_set("cat")
    beside = word_set("paste")
    writing_files = word_set("tee dd ed sponge")
    editing_files = word_set("ex vim vi nvim")
    patching = word_set("patch apply am ed split csplit")
    copying = word_set("cp gcp ln gln mv gmv install rsync scp link ditto")
    finding = word_set("find fd fdfind xargs parallel")
    handing_over = finding | running_next | word_set("sudo doas busybox toybox git")
    handing_on = word_set(
        "cat tee pv head tail gzip gunzip zcat xz xzcat zstd zstdcat base64 base32 xxd buffer mbuffer"
    )

    def filter(self, name: str) -> Filter | None:
        place = _FILTERS.get(name)
        if place is None:
            return None

        found: Filter = getattr(filters, place)
        return found

    def says(self, name: str, arguments: Sequence[str]) -> list[str]:
        if name in _SAYING:
            if name in ("basename", "dirname", "expr"):
                return _cut_out(name, arguments)
            return [
                text.lstrip("+").replace("\\n", "\n").replace("%%", "%") + "\n"
                for text in arguments
                if not text.startswith("-")
            ]
        if name == "printf":  # ksh and bash: a time in a format of its own
            return [text.replace("%(", "").replace(")T", "") for text in arguments[:1] if "%(" in text]
        if name == "git":
            formats = [text.partition("=")[2] for text in arguments if text.startswith(("--format=", "--pretty="))]
            bare = [text.removeprefix("t").removeprefix("format:") for text in formats]
            return [text.replace("%%", "\0").replace("%n", "\n").replace("\0", "%") + "\n" for text in bare]
        if name == "yes":
            return [((" ".join(arguments) or "y") + "\n") * _MANY_TIMES]
        if name in _LOOKING_UP and arguments:
            option = _LOOKING_UP[name]
            if not option or (arguments[0][:1] == "-" and arguments[0][1:] in tuple(option[1:])):
                return [arguments[-1] + "\n"]
        return []


def _cut_out(name: str, arguments: Sequence[str]) -> list[str]:
    """Returns what is cut out of a text: ``basename rm.sh .sh``, ``dirname rm/x``, ``expr substr arma 2 2``."""
    words = [text for text in arguments if text[:1] != "-" or len(text) == 1]
    if name == "dirname":
        return [text.rpartition("/")[0] + "\n" for text in words]
    if name == "basename":
        base = words[0].rpartition("/")[2] if words else ""
        return [*[base.removesuffix(end) + "\n" for end in words[1:]], base + "\n"]
    if words[:1] == ["substr"] and len(words) == 4 and words[2].isdigit() and words[3].isdigit():
        start = max(int(words[2]) - 1, 0)
        return [words[1][start : start + int(words[3])] + "\n"]
    return [text + "\n" for text in words]


KNOWLEDGE = ProgramKnowledge()
