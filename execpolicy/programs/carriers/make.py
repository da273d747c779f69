"""``make``: shell text in its options, in variables given to it, and in makefiles that the script itself shows.

Source: the GNU make 4.3 manual ("Options Summary", "Overriding Variables", "The shell Function", "Choosing the Shell").
"""

from __future__ import annotations

from execpolicy.flow.texts import closing, word_texts
from execpolicy.programs.inner import run_text, run_unknown
from execpolicy.programs.options import grammar, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.options import Seen
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_OPTIONS = (
    "-b -B -d -e -h -i -k -L -m -n -p -q -r -R -s -S -t -v -w -f: -C: -I: -j? -l? -o: -W: -E: -O? --eval: --file: "
    "--makefile: --directory: --include-dir: --jobs? --load-average? --max-load? --old-file: --assume-old: --what-if: "
    "--new-file: --assume-new: --output-sync? --always-make --debug? --environment-overrides --help --ignore-errors "
    "--keep-going --check-symlink-times --just-print --dry-run --recon --print-data-base --question --no-builtin-rules "
    "--no-builtin-variables --silent --quiet --no-silent --no-keep-going --stop --touch --trace --version "
    "--print-directory --no-print-directory --warn-undefined-variables"
)
_FILES = ("-f", "--file", "--makefile")
_USUAL_FILES = ("GNUmakefile", "makefile", "Makefile")
_HARMLESS = (
    *("-C", "-I", "-j", "-l", "-o", "-W", "-O", "--directory=", "--include-dir=", "--jobs=", "--load-average="),
    *("--old-file=", "--what-if="),
)
"""What a word may begin with whose rest is only known at run time: options with a value that runs nothing."""
_SHELL_FUNCTIONS = ("$(shell ", "${shell ", "$(call shell,", "${call shell,")


def make(command: Command, facts: Facts, name: str) -> list[Inner]:
    """What the arguments of ``make`` make it run; recipes of files that are not shown are the rule's affair."""
    words = command.words
    texts: list[str] = []
    unknown = False
    named = False
    for seen in walk(grammar(_OPTIONS), words, 1, operands=len(words), permute=True).seen:
        if seen.name in ("-E", "--eval"):
            texts += _texts_of_value(seen, facts)
            unknown = unknown or seen.value() is None
        elif seen.name in _FILES:
            named = True
            shown, exact = _makefile(seen, command, facts)
            texts += shown
            unknown = unknown or not exact
    if not named:
        from execpolicy.flow.streams import written_texts

        texts += [text for path in _USUAL_FILES for text in written_texts(path, facts)]
    for word in words[1:]:
        if word.literal is None:
            if word.inner and word.prefix.startswith(_FILES):
                from execpolicy.flow.streams import output_texts

                texts += output_texts(word.inner, facts)[0]
            harmless = word.prefix.startswith(_HARMLESS) or _is_job_count(word, facts)
            unknown = unknown or (word.may_start_with_dash() and not harmless)
    found = [run_text(name, command, line) for text in texts for line in recipes(text)]
    found += [run_text(name, command, text) for text in _variables(words[1:])]
    if unknown:
        found.append(run_unknown(name, command, "an argument that is only known at run time could be shell text"))
    return found


def _is_job_count(word: Word, facts: Facts) -> bool:
    """``-j$(nproc)``: a number, whatever is not quoted."""
    programs = [facts.script.commands[index].argv()[:1] for index in word.inner if index < len(facts.script.commands)]
    return word.beginning.startswith("-j") and bool(programs) and all(program == ("nproc",) for program in programs)


def _texts_of_value(seen: Seen, facts: Facts) -> list[str]:
    if seen.glued is not None:
        return [seen.glued]
    return word_texts(seen.word, facts) if seen.word is not None else []


def _makefile(seen: Seen, command: Command, facts: Facts) -> tuple[list[str], bool]:
    """The texts of a makefile, and whether nothing else can be in it but what a file that exists holds."""
    from execpolicy.flow.streams import fed_texts, output_texts, written_texts
    from execpolicy.programs.carriers.shells import STDIN_PATHS

    path = seen.value()
    if path is not None:
        return fed_texts(command, facts) if path in STDIN_PATHS else (written_texts(path, facts), True)
    if seen.word is not None and seen.word.kind == "process":
        return output_texts(seen.word.inner, facts)
    return [], False


def _variables(words: Sequence[Word]) -> list[str]:
    """Shell text in ``NAME=value`` arguments."""
    found: list[str] = []
    shell = flags = ""
    for word in words:
        text = word.literal
        if text is None or text.startswith("-") or "=" not in text:
            continue
        name, _, value = text.partition("=")
        if "!=" in text:  # also `A:=$(eval B!=cmd)`
            found.append(text.partition("!=")[2].rstrip(")}"))
        elif name.rstrip(":?+") == "SHELL":
            shell = value
        elif name.rstrip(":?+") == ".SHELLFLAGS":
            flags = value
        found += _shell_calls(text)
    if shell:
        found += [shell, f"{shell} {flags}"]
    return found


def recipes(text: str) -> list[str]:
    """The shell text in a makefile: recipe lines, ``target: ; recipe``, ``$(shell …)`` and ``!=``."""
    found: list[str] = []
    prefix = "\t"
    shell = flags = ""
    for line in text.replace("\\\n", " ").split("\n"):
        name, _, value = line.partition("=")
        name, value = name.strip(" :?+"), value.strip()
        if name == ".RECIPEPREFIX":
            prefix = value[:1] or "\t"
        elif name == "SHELL":
            shell = value
        elif name == ".SHELLFLAGS":
            flags = value
        recipe = ""
        if line.startswith(prefix):
            recipe = line[len(prefix) :]
        elif ":" in line and ";" in line:
            recipe = line.partition(";")[2]
        elif "!=" in line:
            recipe = line.partition("!=")[2]
        recipe = recipe.strip().lstrip("@+-").strip()
        if recipe:
            found.append(recipe.replace("$$", "$"))
        found += _shell_calls(line)
    return [*found, f"{shell} {flags}"] if shell else found


def _shell_calls(line: str) -> list[str]:
    """What ``$(shell …)`` in its spellings runs."""
    found: list[str] = []
    for opening in _SHELL_FUNCTIONS:
        at = line.find(opening)
        while at >= 0:
            if opening[1] == "(":
                end = closing(line, at + 1) - 1
            else:
                end = line.find("}", at)
                end = len(line) if end < 0 else end
            found.append(line[at + len(opening) : end])
            at = line.find(opening, end)
    return found
