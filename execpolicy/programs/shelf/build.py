"""Programs that build, and compilers."""

from __future__ import annotations

from execpolicy.programs.record import Program, Wrapper

# fmt: off
RECORDS = (
    Program("make gmake", leading="-b -B -d -e -i -k -L -m -n -p -q -r -R -s -S -t -v -w -C: -f: -I: -o: -O? -W: -E: "
        "--directory: --file: --makefile: --include-dir: --jobs? --load-average? --max-load? --old-file: --what-if: "
        "--new-file: --eval: --output-sync? --always-make --keep-going --dry-run --just-print --silent --quiet "
        "--question --touch --print-directory --no-print-directory --no-builtin-rules --warn-undefined-variables "
        "--debug? --trace --environment-overrides --ignore-errors @anywhere", options="-b -B -d -e -h -i -k -L -m -n "
        "-p -q -r -R -s -S -t -v -w -f: -C: -I: -j? -l? -o: -W: -E: -O? --eval: --file: --makefile: --directory: "
        "--include-dir: --jobs? --load-average? --max-load? --old-file: --assume-old: --what-if: --new-file: "
        "--assume-new: --output-sync? --always-make --debug? --environment-overrides --help --ignore-errors "
        "--keep-going --check-symlink-times --just-print --dry-run --recon --print-data-base --question "
        "--no-builtin-rules --no-builtin-variables --silent --quiet --no-silent --no-keep-going --stop --touch "
        "--trace --version --print-directory --no-print-directory --warn-undefined-variables", carries="make:make",
        broad="-f, -C, --eval", task="2 -C=4", example="make --eval='a:;rm x'"),
    Program("cargo", leading="-v -q -V -h -Z: -C: --list --explain: --verbose --quiet --color: --frozen --locked "
        "--offline --config: --manifest-path: --target-dir: --version --help @anywhere", carries="tools:cargo",
        broad="run, install, xtask", task="2", fetches=True, example="cargo watch -s 'rm x'"),
    Program("go", leading="-C:", settings="-exec! -toolexec! -vettool!", broad="run, generate, install, tool",
        task="2 mod=3 tool=3 work=3 run=0", fetches=True, example="go test -exec 'rm x'"),
    Program("rake", broad="", task="2"),
    Program("just", leading="-f: -d: -n -q -v -u --justfile: --working-directory: --set: --shell: --shell-arg: "
        "--dry-run --quiet --yes --color: --dotenv-path: --dotenv-filename: @anywhere", task="2"),
    Program("ninja", leading="-C: -f: -j: -k: -l: -n -v -d: -t: -w: --verbose --quiet"),
    Program("meson", settings="--wrapper!", task="2", example="meson test --wrapper='rm x'"),
    Program("mvn mvnw ./mvnw", leading="-A -B -b: -C -c -D: -e -emp: -ep: -F -f: -fae -ff -fn -fos -gs: -gt: -h -itr "
        "-l: -llr -N -nsu -ntp -o -P: -pl: -q -rf: -s: -t: -T: -U -up -V -v -X -am -amd --batch-mode --file: "
        "--settings: --global-settings: --activate-profiles: --define: --projects: --threads: --log-file: "
        "--toolchains: --offline --quiet --errors --debug --update-snapshots --no-transfer-progress --also-make "
        "--resume-from: @anywhere", task="2"),
    Program("gradle gradlew ./gradlew", leading="-a -b: -c: -D: -d -F: -g: -h -I: -i -m -M: -P: -p: -q -S -s -t -U "
        "-u -V -v -w -x: --build-file: --settings-file: --project-dir: --project-cache-dir: --gradle-user-home: "
        "--init-script: --include-build: --console: --max-workers: --exclude-task: --system-prop: --project-prop: "
        "--warning-mode: --priority: --no-daemon --daemon --offline --info --debug --quiet --stacktrace "
        "--full-stacktrace --continue --dry-run --parallel --no-parallel --build-cache --no-build-cache "
        "--configuration-cache --refresh-dependencies --rerun-tasks --scan --no-scan --write-locks @anywhere",
        task="2"),
    Program("bazel", leading="--output_base: --output_user_root: --bazelrc: --host_jvm_args: --server_javabase: "
        "--nohome_rc --noworkspace_rc --batch --max_idle_secs: --ignore_all_rc_files --nosystem_rc", task="2 run=3"),
    Program("stack", Wrapper("--resolver: --stack-yaml: --package: --cwd:", subcommands="exec"), task="2",
        fetches=True, example="stack exec -- rm x"),
    Program("cabal", Wrapper("-v: -w: --project-file: --builddir:", subcommands="exec"), example="cabal exec -- rm x"),
    Program("dune", Wrapper("--root: --profile: --build-dir: --no-build", subcommands="exec"),
        example="dune exec rm x"),
    Program("dotnet", leading="-d -h --diagnostics --roll-forward: --fx-version: --additionalprobingpath: "
        "--additional-deps: --info", broad="run, script, fsi", task="2 tool=3", fetches=True),
    Program("flutter", leading="-h -v -d: --verbose --device-id: --version --suppress-analytics --color --no-color "
        "--version-check --no-version-check --packages: --local-engine: --local-engine-src-path: --wrap --no-wrap "
        "--wrap-column: @anywhere", task="2", fetches=True),
    Program("gcc g++ cc clang", settings="-wrapper!", form="commas", example="gcc -wrapper rm,x a.c"),
    Program("ccache", Wrapper("-c -C -s -z -p -h -V -F: -M: -o: -k:"), example="ccache rm x"),
    Program("sccache distcc", Wrapper(), example="sccache rm x"),
    Program("bear", Wrapper("--output: --append --config: --force-preload --force-wrapper --verbose -a -o:"),
        example="bear -- rm x"),
    Program("mix buf", task="2", fetches=True),
    Program("mage rails rebar3 sbt task xcodebuild zig", task="2"),
)
