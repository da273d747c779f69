"""Programs that build, and compilers.

Source for make: the GNU make 4.3 manual ("Options Summary", "Overriding Variables", "The shell Function", "Choosing the
Shell").
"""

from __future__ import annotations

from execpolicy.core.text import word_set
from execpolicy.flow.texts import closing
from execpolicy.programs.inner import literal_words, run_argv, run_command, run_text, run_unknown
from execpolicy.programs.interpreted import interpreter
from execpolicy.programs.options import every_option, option_table
from execpolicy.programs.record import Program, Wrapper
from execpolicy.programs.run_by_options import run_by_options
from execpolicy.programs.shelf import record_of
from execpolicy.programs.text_runs import STDIN_PATHS, run_joined, shown_texts, value_texts
from execpolicy.shell.script import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_FILES = ("-f", "--file", "--makefile")
_HARMLESS = (
    *("-C", "-I", "-j", "-l", "-o", "-W", "-O", "--directory=", "--include-dir=", "--jobs=", "--load-average="),
    *("--old-file=", "--what-if="),
)
"""What a word may begin with whose rest is only known at run time: options with a value that runs nothing."""
_COMMANDS = word_set(
    "AR AS CC CPP CTANGLE CWEAVE CXX FC LD LEX LINT MAKE MAKEINFO M2C PC RM TANGLE TEX WEAVE YACC INSTALL"
)
"""Variables that recipes use as programs."""
_CMAKE_PROGRAMS = ("_COMPILER", "_LAUNCHER", "_LINKER", "_MAKE_PROGRAM", "_EMULATOR", "_COMMAND", "_EXECUTABLE")
"""Ends of the names of variables that hold programs, see the CMake manual, `cmake-variables(7)`."""
_SHELL_FUNCTIONS = ("$(shell ", "${shell ", "$(call shell,", "${call shell,")
_EVAL = ("$(eval ", "${eval ")
_MEANING = frozenset(";&|`$(\n")
"""Characters of which one stands in a value that a shell takes for more than words."""


def make(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """What the arguments of ``make`` make it run; what makefiles run is covered by the rule that allows ``make``."""
    words = command.words
    texts: list[str] = []
    unknown = False
    for seen in every_option(option_table(record.options), words, 1).seen:
        if seen.name in ("-E", "--eval"):
            texts += value_texts(seen, facts)
            unknown = unknown or seen.value() is None
        elif seen.name in _FILES:
            unknown = unknown or seen.value() in (None, *STDIN_PATHS)
    for word in words[1:]:
        if word.literal is None:
            harmless = word.prefix.startswith(_HARMLESS) or _is_job_count(word, facts)
            unknown = unknown or (word.may_start_with_dash() and not harmless)
    found = [run_text(name, command, line) for text in texts for line in recipes(text)]
    found += [run_text(name, command, text) for text in _variables(words[1:])]
    found += [run_text(name, command, text, evidence=True) for text in _values(words[1:])]
    if unknown:
        found.append(run_unknown(name, command, "it may get recipes, which are shell text, at run time"))
    return found


def _is_job_count(word: Word, facts: Facts) -> bool:
    """``-j$(nproc)``: a number, whatever is not quoted."""
    programs = [facts.script.commands[index].argv()[:1] for index in word.inner if index < len(facts.script.commands)]
    return word.beginning.startswith("-j") and bool(programs) and all(program == ("nproc",) for program in programs)


def _variables(words: Sequence[Word]) -> Iterator[str]:
    """Shell text in ``NAME=value`` arguments."""
    shell = flags = ""
    for word in words:
        text = word.literal
        if text is None or text.startswith("-") or "=" not in text:
            continue
        name, _, value = text.partition("=")
        if "!=" in text:  # also `A:=$(eval B!=cmd)`
            yield text.partition("!=")[2].rstrip(")}")
        elif name.rstrip(":?+") == "SHELL":
            shell = value
        elif name.rstrip(":?+") in _COMMANDS:
            yield value
        elif name.rstrip(":?+") == ".SHELLFLAGS":
            flags = value
        yield from _calls(text)
    if shell:
        yield shell
    if shell or flags:
        yield f"{shell or 'sh'} {flags}"


def _values(words: Sequence[Word]) -> Iterator[str]:
    """What recipes hand to the shell, or evaluate, where they use the values of ``NAME=value`` arguments."""
    for word in words:
        value = (word.literal or "").partition("=")[2]
        if not _MEANING.isdisjoint(value):
            yield from [value.replace("$$", "$"), *recipes(value)]


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
        found += _calls(line)
    return [*found, f"{shell or 'sh'} {flags}"] if shell or flags else found


def _calls(line: str) -> Iterator[str]:
    """What ``$(shell …)`` in its spellings runs, and the makefile that ``$(eval …)`` is."""
    for opening in (*_SHELL_FUNCTIONS, *_EVAL):
        at = line.find(opening)
        while at >= 0:
            if opening[1] == "(":
                end = closing(line, at + 1) - 1
            else:
                end = line.find("}", at)
                end = len(line) if end < 0 else end
            inside = line[at + len(opening) : end]
            yield from recipes(inside) if opening in _EVAL else (inside,)
            at = line.find(opening, end)


def cmake(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``cmake -E rm FILE`` and its like, the same as ``rm``; and variables that name a program."""
    words = command.words
    found: list[Inner] = []
    for word in words[1:]:
        key, _, value = (word.literal or "").removeprefix("-D").partition("=")
        if value and key.partition(":")[0].endswith(_CMAKE_PROGRAMS):
            found.append(run_text(name, command, value))
    for word in words[1:]:
        for text in shown_texts(word, command, facts):
            called = [part.partition(")")[0] for part in text.split("COMMAND")[1:]]
            found += [run_text(name, command, part, evidence=True) for part in called]
    dashes = next((at for at, word in enumerate(words) if word.literal == "--"), 0)
    if dashes and any(word.literal == "--build" for word in words):
        behind = (*literal_words(["make"], command.span), *words[dashes + 1 :])
        found.append(run_command(name, command, behind, stdin=False, evidence=True))
    if len(words) > 3 and words[1].literal == "-E" and words[2].literal in ("rm", "remove", "remove_directory"):
        found.append(run_argv(name, command, ["rm"], words[3:], stdin=False))
    return found


def cargo(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``cargo watch -x SUBCOMMAND -s TEXT``, and ``--config`` keys that name a program."""
    words = command.words
    texts = [word.literal for word in words[1:]]
    watch = record_of("cargo-watch") if "watch" in texts else None
    if watch is not None:
        yield from run_by_options(command, facts, name, watch)
        dashes = next((at for at, text in enumerate(texts) if text == "--"), len(texts))
        yield from run_joined(name, command, facts, words[dashes + 2 :])
    for text in texts:
        if text is None:
            continue
        setting = text.removeprefix("--config=")
        key, equals, value = setting.partition("=")
        if key == "linker" and equals:
            yield run_text(name, command, value)
        if equals and key.strip().rpartition(".")[2] in ("runner", "linker", "rustc", "rustc-wrapper", "rustdoc"):
            yield run_text(name, command, value.strip().strip("\"'[]"))


_MAKE = (
    "-b -B -d -e -i -k -L -m -n -p -q -r -R -s -S -t -v -w -C: -f: -I: -o: -O? -W: -E: --directory: --file: "
    "--makefile: --include-dir: --jobs? --load-average? --max-load? --old-file: --what-if: --new-file: --eval: "
    "--output-sync? --always-make --keep-going --dry-run --just-print --silent --quiet --question --touch "
    "--print-directory --no-print-directory --no-builtin-rules --warn-undefined-variables --debug? --trace "
    "--environment-overrides --ignore-errors"
)


def just(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``just --command PROGRAM ARGUMENT…`` and ``just --shell PROGRAM --shell-arg ARGUMENT RECIPE``."""
    shell: list[Word] = []
    for at, word in enumerate(command.words[:-1]):
        if word.literal in ("-c", "--command"):
            yield run_command(name, command, command.words[at + 1 :], evidence=True)
        if word.literal in ("--shell", "--shell-arg"):
            shell.append(command.words[at + 1])
    if len(shell) > 1:
        yield run_command(name, command, tuple(shell), evidence=True)


def maven(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``mvn exec:exec -Dexec.executable=PROGRAM -Dexec.args=TEXT``."""
    given = dict([(word.literal or "").removeprefix("-D").partition("=")[::2] for word in command.words[1:]])
    if "exec.executable" in given:
        yield run_text(name, command, f"{given['exec.executable']} {given.get('exec.args', '')}")
    from execpolicy.flow.streams import written_texts

    texts = [word.literal or "" for word in command.words]
    path = next((texts[at + 1] for at in range(len(texts) - 1) if texts[at] in ("-f", "--file")), "pom.xml")
    for text in written_texts(path, facts):
        for program in text.split("<executable>")[1:]:  # with the arguments up to the next one
            said = [each.partition("</argument>")[0].strip() for each in program.split("<argument>")[1:]]
            argv = [program.partition("<")[0].strip(), *said]
            yield run_argv(name, command, argv, evidence=True)
    for key in ("jvm", "surefire.jvm", "maven.compiler.executable", "jvm.executable"):
        if key in given:
            yield run_text(name, command, given[key])


def go(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``go build -ldflags '-extld=PROGRAM'``."""
    for word in command.words[1:]:
        _, found, value = (word.literal or "").replace("-extld ", "-extld=").partition("-extld=")
        if found:
            yield run_text(name, command, value.partition(" ")[0], evidence=True)


def behind_subcommand(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``mix run -e CODE`` and ``rails runner CODE``."""
    words = command.words
    if len(words) > 2 and words[1].literal in ("run", "eval", "runner", "r"):
        option = () if words[2].literal == "-e" else literal_words(["-e"], command.span)
        again = replace(command, words=(words[0], *option, *words[2:]))
        language = record_of("elixir" if name == "mix" else "ruby")
        if language is not None:
            yield from interpreter(again, facts, name, language)


# fmt: off
RECORDS = (
    Program("make gmake bmake remake", leading=_MAKE + " @anywhere",
        options=_MAKE + " -h -j? -l? --assume-old: --assume-new: "
        "--help --check-symlink-times --recon --print-data-base --no-builtin-variables --no-silent --no-keep-going "
        "--stop --version", carries=make, broad="-f, -C, --eval", task="2 -C=4", worst="alone; "
        "run SHELL='./evil'; run --eval='$(shell ./evil)'; load -f /tmp/evil.mk; elsewhere -C /tmp; target deploy",
        example="make --eval='a:;rm x'"),
    Program("cargo", leading="-v -q -V -h -Z: -C: --list --explain: --verbose --quiet --color: --frozen --locked "
        "--offline --config: --manifest-path: --target-dir: --version --help @anywhere", carries=cargo,
        writes="test bench: --logfile=, build check clippy doc run test bench: --target-dir/, build: --artifact-dir/, "
        "build: --out-dir/, new init: 1st, install: --root/, build check clippy doc run test bench new init install: "
        "named", broad="run, "
        "install, xtask, make, watch, script, generate, hack", task="2 nextest=3 xtask=3 make=3", fetches=True,
        worst="files test build check clippy fmt doc bench; [xtask] named; [make] named; [nextest] files run; run "
        "--config 'build.rustc-wrapper=\"./evil\"'; elsewhere --manifest-path /tmp/Cargo.toml; [run] target x; "
        "[publish] publish; plain -p: --package: --all --release --workspace --all-targets --check", example="cargo "
        "watch -s 'rm x'"),
    Program("go", Wrapper("-n -modfile: -C:", subcommands="tool"), leading="-C:",
        settings="-exec! -toolexec! -vettool!", writes="build test: -o, test: -coverprofile, test: -outputdir/, build "
        "test: named", broad="run, generate, install, tool",
        task="2 mod=3 tool=3 work=3 run=0", fetches=True, worst="files test build vet fmt doc; [get] fetch "
        "evil.example/x; [test] run -exec ./evil ./...; [vet] run -vettool ./evil ./...; run -toolexec ./evil ./...; "
        "write -o "
        "/home/u/.bashrc ./...; elsewhere -C /tmp; [run] target ./evil; plain -v -race",
        example="go test -exec 'rm x'", carries=go),
    Program("cmake", Wrapper("--unset: --modify:", subcommands="env", assignments=True), Wrapper(subcommands="time"),
        Wrapper("", 1, subcommands="chdir"), leading="-E", carries=cmake, broad="-P, --build, --install",
        task="0 --build=2", worst="exact --build; run -P /tmp/evil.cmake; outside "
        "--install build; plain -DCMAKE_BUILD_TYPE=* -DCMAKE_EXPORT_COMPILE_COMMANDS=* -DBUILD_*=*; target --build . "
        "--target deploy",
        example="cmake -E env A=1 rm x"),
    Program("rake", language="ruby", options="-e! -E! -p! -f: -I: -r: -R: -C: -j: --execute! --execute-continue! "
        "--execute-print! --rakefile: --require: --libdir: --directory: --jobs: --trace? --backtrace?", broad="",
        task="2", worst="alone; run -e 'system(:evil)'; load -f /tmp/evil.rb; target deploy",
        example="rake -e 'system(\"rm x\")'"),
    Program("just", settings="--shell* --chooser! -c! --command!", carries=just, example="just -c 'rm x'",
        leading="-f: -d: -n -q -v -u --justfile: --working-directory: --set: --shell: --shell-arg: --dry-run --quiet "
        "--yes --color: --dotenv-path: --dotenv-filename: @anywhere", task="2", worst="alone; run --shell ./evil; "
        "load -f /tmp/evil.just; elsewhere -d /tmp; target deploy"),
    Program("ninja samu", leading="-C: -f: -j: -k: -l: -n -v -d: -t: -w: --verbose --quiet", task="1",
        worst="alone; load -f /tmp/evil.ninja; elsewhere -C /tmp; target install"),
    Program("meson", Wrapper("-C: -w: --workdir: --dump? --dump-format:", subcommands="devenv"), settings="--wrapper!",
        task="2", worst="[test] run --wrapper ./evil; [compile] load --ninja-args=-f/tmp/x.ninja; [] run test "
        "--wrapper ./evil; load --native-file /tmp/evil; elsewhere -C /tmp; target ../b /tmp",
        example="meson test --wrapper='rm x'"),
    Program("mvn mvnw ./mvnw", carries=maven, example="mvn exec:exec -Dexec.executable=rm -Dexec.args=x",
        leading="-A -B -b: -C -c -D: -e -emp: -ep: -F -f: -fae -ff -fn -fos -gs: -gt: -h -itr "
        "-l: -llr -N -nsu -ntp -o -P: -pl: -q -rf: -s: -t: -T: -U -up -V -v -X -am -amd --batch-mode --file: "
        "--settings: --global-settings: --activate-profiles: --define: --projects: --threads: --log-file: "
        "--toolchains: --offline --quiet --errors --debug --update-snapshots --no-transfer-progress --also-make "
        "--resume-from: @anywhere", task="2", worst="publish deploy; run exec:exec -Dexec.executable=./evil; "
        "load -f /tmp/evil.xml; fetch dependency:get; target release:perform", broad="exec:java, exec:exec, "
        "spring-boot:run, archetype:generate"),
    Program("gradle gradlew ./gradlew", leading="-a -b: -c: -D: -d -F: -g: -h -I: -i -m -M: -P: -p: -q -S -s -t -U "
        "-u -V -v -w -x: --build-file: --settings-file: --project-dir: --project-cache-dir: --gradle-user-home: "
        "--init-script: --include-build: --console: --max-workers: --exclude-task: --system-prop: --project-prop: "
        "--warning-mode: --priority: --no-daemon --daemon --offline --info --debug --quiet --stacktrace "
        "--full-stacktrace --continue --dry-run --parallel --no-parallel --build-cache --no-build-cache "
        "--configuration-cache --refresh-dependencies --rerun-tasks --scan --no-scan --write-locks @anywhere",
        task="2", broad="run, bootRun, runIde, wrapper", worst="publish publish; load --init-script "
        "/tmp/evil.gradle; elsewhere -p /tmp; target deploy; plain --tests:"),
    Program("bazel bazelisk", settings="--run_under! --workspace_status_command!",
        example="bazel run --run_under='rm x' y",
        leading="--output_base: --output_user_root: --bazelrc: --host_jvm_args: --server_javabase: --nohome_rc "
        "--noworkspace_rc --batch --max_idle_secs: --ignore_all_rc_files --nosystem_rc", task="2 run=3", broad="run",
        worst="exact build test coverage query cquery aquery info; exact clean; [run] run --run_under=./evil //x; run "
        "--workspace_status_command=./evil //x; run --shell_executable=/tmp/evil //x; load --bazelrc=/tmp/evil; "
        "elsewhere --override_repository=x=/tmp; [clean] delete --expunge; plain --config //*; target run //x"),
    Program("mix", carries=behind_subcommand, example="mix run -e 'System.cmd(\"rm\", [\"x\"])'", task="2",
        fetches=True, broad="run, eval, cmd, do", worst="[] run cmd ./evil; run --require /tmp/evil.exs; publish "
        "hex.publish; delete ecto.drop; fetch local.hex; fetch local.rebar; fetch archive.install; fetch "
        "escript.install; target ecto.drop"),
    Program("buf", task="2", fetches=True, worst="load --config '{\"plugins\":[{\"plugin\":\"./evil\"}]}'; "
        "elsewhere https://evil; write -o /etc/x"),
    Program("rails", carries=behind_subcommand, example="rails runner 'system(\"rm x\")'", task="2", broad="runner, "
        "console, c, r, dbconsole, db, generate, g, destroy, d, server, s", worst="exact test routes about stats "
        "middleware zeitwerk:check db:version db:migrate:status assets:precompile db:abort_if_pending_migrations; [] "
        "run runner 'system(:evil)'; [runner] run 'system(:evil)'; [test] elsewhere /tmp/evil_test.rb; [] delete "
        "db:drop; "
        "[console] elsewhere -e production; [c] elsewhere -e production; [r] run 'system(:evil)'; "
        "[dbconsole] elsewhere -e production; [db] elsewhere -e production; [generate] write model user --force; "
        "[g] write model user --force; [destroy] delete model user; [d] delete model user; "
        "[server] load -c /tmp/evil.ru; [s] load -c /tmp/evil.ru"),
    Program("thor", worst="target deploy"),
    Program("doit", worst="load -f /tmp/dodo.py; target deploy"),
    Program("poe poethepoet", worst="elsewhere -C /tmp; target deploy"),
    Program("xmake", worst="load -F /tmp/xmake.lua; target install"),
    Program("melos", worst="[exec] run -- ./evil; [run] target deploy; [] run exec -- ./evil"),
    Program("phing", worst="load -f /tmp/build.xml; target deploy"),
    Program("robo", worst="load -f /tmp; target deploy"),
    Program("mage rebar3", task="2", worst="target deploy; elsewhere -d /tmp"),
    Program("task", task="2", worst="alone; load -t /tmp/evil.yml; elsewhere -d /tmp; target deploy"),
    Program("xcodebuild", task="2", worst="run CC=./evil; run OTHER_SWIFT_FLAGS=x; run "
        "OTHER_CFLAGS=x; elsewhere -project /tmp/x; publish archive; publish -exportArchive; target archive"),
    Program("plz", task="2", broad="run, exec", worst="exact build test query; run -o build.path=/tmp/evil; "
        "target run //x; plain //*"),
    Program("autoconf autoreconf"),
    Program("makepkg"),
    Program("dpkg-buildpackage debuild"),
    Program("nix-build"),
    Program("jake"),
    Program("supervisord supervisorctl"),
)
