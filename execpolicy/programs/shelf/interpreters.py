"""Programs that run program text: from an option, a file or standard input."""

from __future__ import annotations

from execpolicy.flow.streams import fed_texts
from execpolicy.programs.inner import run_text
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program, Wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_QUOTED = ('"', "'")


def each_text(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Every word that holds a constant: as code and, since such languages have no common way to call, as a command."""
    texts = [word.literal or "" for word in command.words[1:]]
    for text in [*texts, *fed_texts(command, facts)[0]]:
        yield from code_commands(name, command, text, record.language)
        for quote in _QUOTED:
            yield from [run_text(name, command, part.strip(), evidence=True) for part in text.split(quote)[1::2]]


# fmt: off
RECORDS = (
    Program("python python2 python3 pypy pypy3", language="python", options="-b -B -d -E -h -i -I -O -q -s -S -u -v -V "
        "-x -P -W: -X: -m: -c! --check-hash-based-pycs:", prints="input", broad="-m, -i, -, manage.py",
        task="2 -m=3 manage.py=3", worst="[] run ./evil; [manage.py] exact test check showmigrations makemigrations; "
        "[manage.py] run --settings=evil", example="python3 -c 'import os; os.system(\"rm x\")'"),
    Program("ipython ipython3", language="python", options="-c! -i -m:",
        example="ipython -c 'import os; os.system(\"rm x\")'"),
    Program("perl perl5", language="perl", options="-a -c -l -n -p -s -S -t -T -u -U -v -V -w -W -X -F: -i? -M: -m: "
        "-I: -C? -d -D? -x? -e! -E! -0 -1 -2 -3 -4 -5 -6 -7 -8 -9", prints="input", writes="rest if -i, named",
        broad="-n, -p, -pi, -M", task="2", example="perl -e 'system(\"rm x\")'"),
    Program("raku perl6", language="raku", options="-e! -n -p -c -v -I: -M:", broad="-e",
        example="raku -e 'shell \"rm x\"'"),
    Program("crystal", language="ruby", broad="eval, run, play, i", task="2 tool=3", worst="exact spec build docs; "
        "[tool] exact format; run ./evil; write -o /usr/bin/x; run --link-flags=-fplugin=./evil",
        example="crystal eval 'system(\"rm x\")'"),
    Program("ruby", language="ruby", options="-a -c -l -n -p -s -S -v -w -W? -d -h -y -F: -i? -r: -I: -C: -E: -K: -T? "
        "-x? -e! -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --disable: --enable:", prints="input", writes="rest if -i, named",
        broad="-n, -p, -r", task="2", example="ruby -e 'system(\"rm x\")'"),
    Program("irb", language="ruby", options="-r: -I:", example="irb <<< 'system(\"rm x\")'"),
    Program("node nodejs tsx ts-node", language="javascript", options="-e! -p! -pe! -c -i -v -h -r: --eval! --print! "
        "--require: --import: --input-type: --loader: --experimental-loader: --conditions: -C: --env-file: --check "
        "--interactive --no-warnings --harmony", prints="input", broad="-r, --require, -i", task="2",
        example="node -e 'require(\"child_process\").execSync(\"rm x\")'"),
    Program("deno", language="javascript", options="-p --print --ext:", broad="eval, run, repl, task, x, install",
        task="2 run=0 task=3", fetches=True, worst="[task] named; [task] target deploy; [test] run -A; [test] run "
        "--allow-run; [test] run --allow-all; [test] load -c /tmp/evil; [fmt] elsewhere /; [lint] elsewhere /; files "
        "fmt lint; exact test check doc info coverage; [] run eval 'import(\"http://evil\")'", example="deno eval "
        "'require(\"child_process\").execSync(\"rm x\")'", settings="--eval!"),
    Program("php", language="php", options="-a -i -l -m -n -q -s -v -w -B! -R! -E! -r! -d: -c: -f: -F: -S: -t: -z: "
        "--run!", prints="input", broad="-a, artisan, bin/console, artisan tinker, artisan db", task="2 artisan=3 "
        "bin/console=3", worst="[] run ./evil; [artisan] exact test about route:list migrate:status view:cache "
        "route:cache event:list schedule:list list; [artisan] run tinker --execute 'evil()'; [artisan] elsewhere test "
        "--env=production", example="php -r 'system(\"rm x\");'",
        settings="-d!", form="ini"),
    Program("lua luajit", language="c", options="-e! -l: -i -v -W", broad="-i, -l",
        example="lua -e 'os.execute(\"rm x\")'"),
    Program("Rscript", language="r", options="-e! --vanilla --verbose", example="Rscript -e 'system(\"rm x\")'"),
    Program("R", language="r", options="-e! -f: --vanilla --slave --no-save -q -s", example="R -e 'system(\"rm x\")'"),
    Program("julia", language="julia", options="-e! -E! -p: -t: -L: --eval! --print! --project? -q", broad="-i",
        example="julia -e 'run(`rm x`)'"),
    Program("osascript", language="c", options="-e! -l: -s: -i", example="osascript -e 'do shell script(\"rm x\")'"),
    Program("elixir iex", language="elixir", options="-e! --eval! --rpc-eval! -r: -S:",
        example="elixir -e 'System.cmd(\"rm x\")'"),
    Program("erl", language="c", options="-eval! -run: -s: -noshell -noinput", example="erl -eval 'os:cmd(\"rm x\")'"),
    Program("ghc", language="c", options="-e!", example="ghc -e 'system(\"rm x\")'"),
    Program("guile", language="lisp", options="-c! -e! -l: -s:", example="guile -c '(system \"rm x\")'"),
    Program("racket", language="lisp", options="-e! -l: -t: -r: --eval!", example="racket -e '(system \"rm x\")'"),
    Program("sbcl", language="lisp", options="--eval! --load: --script --noinform --non-interactive",
        example="sbcl --eval '(run-program \"rm x\")'"),
    Program("groovy groovysh", language="c", options="-e!", example="groovy -e 'execute(\"rm x\")'"),
    Program("scala", language="c", options="-e!", example="scala -e 'system(\"rm x\")'"),
    Program("tclsh wish", language="tcl", example="tclsh <<< 'exec rm x'"),
    Program("expect", language="tcl", options="-c! -d -D: -f: -i -n -N -b -v", broad="-*",
        example="expect -c 'spawn rm x'"),
    Program("clojure clj bb nbb joker janet fennel", language="lisp", options="-e! --eval! -M? -X? -A: -Sdeps:",
        broad="-e, run", worst="run ./evil", example="clojure -e '(sh \"rm\" \"x\")'"),
    Program("ghci runghc runhaskell", language="c", options="-e!", settings="-e!", form="colon", broad="-e, run",
        worst="run ./evil", example="ghci <<< 'callCommand \"rm x\"'"),
    Program("ocaml utop", language="c", options="-e! -I: -init: -open:", broad="-e, run", worst="run ./evil",
        example="ocaml -e 'Sys.command \"rm x\"'"),
    Program("jshell", language="c", options="-R: -C: -J: -s -q -v --class-path: --startup: --feedback: --execution:",
        broad="-*", worst="run ./evil", example="jshell <<< 'Runtime.getRuntime().exec(\"rm x\")'"),
    Program("kotlin kotlinc", language="c", options="-e! -expression! -cp: -classpath: -d: -script:", broad="-e, run",
        worst="run ./evil", example="kotlin -e 'Runtime.getRuntime().exec(\"rm x\")'"),
    Program("jjs jrunscript babel-node vite-node wasmtime wasmer artisan manage.py", broad="-e, run",
        worst="run ./evil"),
    Program("java javaw", broad="-jar", worst="run -jar ./evil.jar"),
    Program("octave octave-cli", language="c", options="--eval! -q -W -f", example="octave --eval 'system(\"rm x\")'"),
    Program("maxima", language="c", options="--batch-string! -r! --run-string! -b: --very-quiet",
        example="maxima --batch-string='system(\"rm x\")'"),
    Program("exiftool", language="perl", options="-if!", example="exiftool -if 'system(\"rm x\")' a"),
    Program("bpftrace", Wrapper("-e: -p: -d -l -v -o: -B: -f: --unsafe --usdt-file-activation"), language="c",
        options="-e! -c: -p: -d -v -o: -B: -f:", settings="-c!", example="bpftrace -c 'rm x' -e 1"),
    Program("swift", language="c", options="-e! -I: -L: -F: -D:", example="swift -e 'system(\"rm x\")'",
        broad="run, repl", task="2 package=3", fetches=True, worst="exact build test format; [package] "
        "exact describe dump-package show-dependencies; run -Xswiftc -load-plugin-executable=./evil; elsewhere "
        "--package-path /tmp; [run] target x; fetch --repl"),
    Program("dart", leading="-v --verbose --enable-analytics --disable-analytics --suppress-analytics", broad="run, "
        "compile, pub", task="2 pub=3 run=4", fetches=True, worst="files test analyze format; exact fix; "
        "[build_runner] exact build; [] run run ./evil.dart; load --packages=/tmp/evil; elsewhere /tmp"),
    Program("jupyter", broad="nbconvert, execute, run, lab, notebook, console", task="2 "
        "kernelspec=3", worst="[kernelspec] exact list; run nbconvert --execute evil.ipynb"),
    Program("papermill streamlit uvicorn gunicorn celery locust k6 airflow prefect dagster", task="0", broad="",
        worst="run ./evil"),
    Program("dotnet-script csharprepl csi", language="c", options="-e! --eval! -r: -c: --no-cache -q",
        example="dotnet-script eval 'Process.Start(\"rm\", \"x\")'"),
    Program("scheme mit-scheme chicken-csi gsi gosh chibi-scheme clisp ecl abcl ccl", language="lisp",
        options="-e! -eval! --eval! -x! -q -quiet --quiet --load: -load: -l: -i:",
        example="scheme --eval '(run-shell-command \"rm x\")'"),
    Program("jruby truffleruby mruby", language="ruby", options="-e! -r: -I: -C: -n -p -w -S",
        example="jruby -e 'system(\"rm x\")'"),
    Program("jython micropython graalpy", language="python", options="-c! -m: -i -v -X:",
        example="jython -c 'import os; os.system(\"rm x\")'"),
    Program("sage", language="python", options="-c! -python", example="sage -c 'import os; os.system(\"rm x\")'"),
    Program("psysh", language="php", options="-r! --config: --cwd:", example="psysh <<< 'system(\"rm x\");'"),
    Program("matlab", language="c", options="-r! -batch! -sd: -nodisplay -nosplash -nodesktop",
        example="matlab -batch 'system(\"rm x\")'"),
    Program("gp", language="c", options="-q -f -s: -p:", example="gp <<< 'system(\"rm x\")'"),
    Program("root cling cint", language="c", options="-e! -l -b -q -n", example="root -e 'system(\"rm x\")'",
        carries=each_text),
    Program("rdmd dmd-script", language="c", options="--eval! --loop! -I:",
        example="rdmd --eval='executeShell(\"rm x\");'"),
    Program("tcc", language="c", options="-run -D: -I: -l: -o: -c",
        example="tcc -run - <<< 'int main(){system(\"rm x\");}'"),
    Program("escript", language="c", options="-c -d -i -n", example="escript <<< 'main(_)->os:cmd(\"rm x\").'"),
    Program("pike newlisp gforth forth io regina rexx", language="c", options="-e!",
        example="pike -e 'Process.system(\"rm x\")'", carries=each_text),
    Program("dtrace", language="c", options="-n! -c: -s: -o: -p: -x: -w -q -Z", settings="-c!",
        example="dtrace -w -n 'BEGIN{system(\"rm x\")}'"),
    Program("puppet", language="c", options="-e! --execute! --noop --test --modulepath:",
        example="puppet apply -e 'exec(\"rm x\")'", carries=each_text),
    Program("awesome-client", language="c", example="awesome-client 'os.execute(\"rm x\")'", carries=each_text),
)
