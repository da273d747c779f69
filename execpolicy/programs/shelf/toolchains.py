"""Tools that come with a language: each builds, tests, formats and publishes what is written in it.

Source of what may follow: the documentation of each program, as it was in 2026.
"""

from __future__ import annotations

from execpolicy.programs.record import Program, Wrapper

# fmt: off
RECORDS = (
    Program("stack", Wrapper("--resolver: --stack-yaml: --package: --cwd:", subcommands="exec"), task="2",
        fetches=True, worst="exact build test bench haddock ls path; [build] run --exec ./evil; [test] run --exec "
        "./evil; run --with-gcc ./evil; load --stack-yaml /tmp/evil.yaml; elsewhere --stack-root /tmp", broad="run, "
        "exec, ghci, repl, runghc, runhaskell, script, eval, ghc", example="stack exec -- rm x"),
    Program("cabal", Wrapper("-v: -w: --project-file: --builddir:", subcommands="exec"), task="2", fetches=True,
        worst="exact build test bench haddock check; run --with-compiler=./evil; run --test-wrapper=./evil; load "
        "--project-file=/tmp/evil.project; write --builddir=/etc; publish upload --publish; [run] target x",
        broad="run, exec, repl", example="cabal exec -- rm x"),
    Program("dune", Wrapper("--root: --profile: --build-dir: --no-build", subcommands="exec"), task="2", worst="named "
        "build; exact test runtest fmt; [build] run --diff-command=./evil; [test] run --diff-command=./evil; load "
        "--workspace=/tmp/evil; elsewhere --root=/tmp; delete --auto-promote; target build @deploy; plain @*",
        broad="exec, utop, install", example="dune exec rm x"),
    Program("dotnet", language="c", options="--exec! --use: -d -h",
        example="dotnet script eval 'Process.Start(\"rm\", \"x\")'",
        leading="-d -h --diagnostics --roll-forward: --fx-version: --additionalprobingpath: "
        "--additional-deps: --info", broad="run, script, fsi, exec, watch, ef, tool run", task="2 tool=3 list=3 sln=3 "
        "ef=4", fetches=True, worst="files build test format; exact clean csharpier; [list] exact package; [sln] "
        "exact list; [migrations] exact list; [] run exec ./evil.dll; [build] run -p:PreBuildEvent=./evil; [test] run "
        "-p:PreBuildEvent=./evil; [run] run -p:PreBuildEvent=./evil; [ef] delete database drop -f; [tool] run run "
        "evil; elsewhere /tmp/evil.csproj; write -o /etc; [run] target x"),
    Program("flutter", leading="-h -v -d: --verbose --device-id: --version --suppress-analytics --color --no-color "
        "--version-check --no-version-check --packages: --local-engine: --local-engine-src-path: --wrap --no-wrap "
        "--wrap-column: @anywhere", broad="run, drive", task="2 pub=3", fetches=True, worst="files test analyze "
        "format; exact build clean gen-l10n doctor devices; load --dart-define-from-file=/tmp/evil; elsewhere /tmp"),
    Program("rustc", settings="-C! --codegen!", form="linker", example="rustc -C linker=rm a.rs",
        worst="run -C linker=./evil a.rs"),
    Program("sbt", leading="-D: -J? -v -d -V -h --no-colors -no-colors --batch -batch --supershell? -mem:", task="2",
        fetches=True, broad="run, runMain, console, consoleProject, eval, set, new", worst="run 'eval "
        "sys.process.Process(\"./evil\").!'; load -addPluginSbtFile=/tmp/evil.sbt; run -java-home /tmp/evil; fetch "
        "updateClassifiers; target publish"),
    Program("mill ./mill", leading="-i -k -j: --no-server --jobs: --keep-going", task="2", worst="fetch --import "
        "ivy:evil::evil:1; load -f /tmp/evil.sc; target __.publish"),
    Program("scala-cli", task="2", fetches=True, broad="run, repl, package, publish", worst="exact test compile fmt; "
        "run --java-opt -javaagent:/tmp/evil.jar; fetch --dep evil:evil:1; elsewhere /tmp"),
    Program("bloop", task="2", broad="run, console", worst="exact compile test clean projects; elsewhere "
        "--config-dir /tmp; target run x"),
    Program("xcodegen tuist", task="2", fetches=True, broad="run", worst="exact generate test build graph; load "
        "--spec /tmp/evil.yml; elsewhere --path /tmp; write --project /etc"),
    Program("zig", task="2", broad="run, build run, init, fetch", worst="named build; exact targets env version; exact "
        "test fmt ast-check build-exe build-obj build-lib cc c++; run --build-runner ./evil.zig; run --test-cmd "
        "./evil; write --prefix /usr; fetch --fetch; [build] run run; target install"),
    Program("gleam", task="2 deps=3 docs=3", fetches=True, broad="run, shell, dev, export", worst="exact test check "
        "format build; publish publish; fetch add evil; elsewhere format /tmp"),
    Program("nimble", task="2", fetches=True, broad="run, shell, install", worst="exact test check build; run "
        "--nim:./evil; publish publish; target x"),
    Program("nim", task="2", broad="-e, e, r, run, secret", worst="exact c cc cpp check compile doc; run -r x.nim; run "
        "--run x.nim; run --gcc.exe:./evil; write -o:/usr/bin/x"),
    Program("v", task="2", broad="-e, run, install, watch, repl", worst="exact fmt test vet check; run -cc ./evil; "
        "elsewhere fmt -w /tmp"),
    Program("odin", task="2", broad="run", worst="exact check test build; write -out:/usr/bin/x; elsewhere /tmp"),
    Program("raco", task="2", broad="pkg, exe", worst="files test fmt; fetch pkg install evil; run -l evil"),
)
