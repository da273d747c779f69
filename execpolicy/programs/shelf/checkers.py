"""Programs that only check, format, test or document a project: what a rule would name is one word, or two.

Source of what may follow: the documentation of each program, as it was in 2026.
"""

from __future__ import annotations

from execpolicy.programs.record import Program, Wrapper

_PYTEST = (
    "run -p evil; load -c /tmp/evil.ini; load -o python_files=*; elsewhere --rootdir /tmp; elsewhere /tmp/evil.py; "
)
_JEST = (
    "files; run --globalSetup=/tmp/evil.js; load --config /tmp/evil.js; elsewhere --rootDir /tmp; plain --ci --coverage"
)

# fmt: off
RECORDS = (
    Program("pytest py.test", writes="--junitxml, --junit-xml, --basetemp/, --log-file, named", task="1",
        worst=_PYTEST + "files; plain -q -v -x --lf -k: -m:"),
    Program("venv virtualenv", task="1", worst="exact; elsewhere /tmp; delete --clear ."),
    Program("unittest", task="1", worst="files; elsewhere -s /tmp; plain -v -q"),
    Program("mypy", task="1", worst="files; run --python-executable ./evil; load --config-file /tmp/evil.ini; "
        "write --junit-xml /etc/x; elsewhere /tmp; plain --strict"),
    Program("pylint", task="1", worst="files; run --init-hook='import evil'; load --rcfile=/tmp/evil; "
        "load --load-plugins=evil; elsewhere /tmp"),
    Program("pyright basedpyright", task="1", worst="files; run --pythonpath ./evil; load -p /tmp/evil.json; "
        "elsewhere /tmp"),
    Program("tox", Wrapper("-e: -c: -x: --workdir: --root: -p? -q -v -r --skip-pkg-install",
        subcommands="exec, e"), settings="-x! --override!", form="tox",
        task="0 -e=3 run=2 r=2 p=2", broad="", worst="alone; "
        "run -x testenv.commands='./evil'; load -c /tmp/evil.ini; elsewhere --workdir /tmp; target -e deploy",
        example="tox exec -- rm x"),
    Program("nox", task="1", worst="alone; load -f /tmp/evil.py; target -s deploy"),
    Program("pre-commit", task="2", fetches=True, worst="load -c /tmp/evil.yaml; target run --hook-stage manual"),
    Program("coverage", task="2", worst="[run] target evil.py; load --rcfile=/tmp/evil; write -o /etc/x; "
        "write -d /etc; files report html xml json lcov annotate; named run"),
    Program("bandit", task="1", worst="files; plain -r -q -ll; load -c /tmp/evil.yaml; write -o /etc/x; "
        "elsewhere /tmp"),
    Program("vulture pydocstyle pycodestyle pyflakes codespell interrogate", task="1",
        worst="files; load --config /tmp/evil; write -w /etc/x; elsewhere /tmp"),
    Program("sphinx-build", task="1", worst="load -c /tmp/evil; load -D extensions=evil; write . /etc"),
    Program("mkdocs", task="2", worst="load -f /tmp/evil.yml; delete -d /home/u; publish gh-deploy"),
    Program("alembic", task="2", worst="load -c /tmp/evil.ini; target downgrade base"),
    Program("flask", task="2", broad="shell, db", worst="load --app /tmp/evil.py; run shell; target db downgrade"),
    Program("django-admin", task="2", broad="shell, dbshell, runscript", worst="load --settings=evil; run shell "
        "-c 'import evil'; delete flush"),
    Program("eslint xo standard tslint", task="1", worst="files; load -c /tmp/evil.js; run "
        "--resolve-plugins-relative-to /tmp; write -o /home/u/.bashrc; elsewhere /tmp"),
    Program("prettier", task="1", worst="files; load --config /tmp/evil.js; run --plugin=/tmp/evil.js; elsewhere "
        "--write /; plain --check --write --list-different"),
    Program("biome", task="2", worst="files check format lint ci; load --config-path /tmp/evil; elsewhere --write "
        "/tmp; plain --write"),
    Program("dprint", task="2", worst="files check fmt; load --config https://evil; elsewhere /tmp"),
    Program("oxlint", task="1", worst="files; load --config /tmp/evil; run --import-plugin; elsewhere --fix /tmp"),
    Program("stylelint", task="1", worst="files; load --config /tmp/evil.js; run --custom-formatter /tmp/evil.js; "
        "write -o /etc/x; elsewhere --fix /tmp"),
    Program("markdownlint", task="1", worst="files; run --rules /tmp/evil.js; load --config /tmp/evil.js; write -o "
        "/etc/x; elsewhere --fix /tmp"),
    Program("markdownlint-cli2", task="1", worst="files; load --config /tmp/evil.cjs; elsewhere --fix /tmp"),
    Program("tsc vue-tsc", options="--outDir: --outFile: --declarationDir: --tsBuildInfoFile:",
        writes="--outDir/, --outFile, --declarationDir/, --tsBuildInfoFile, named", task="1",
        worst="files; load -p /tmp/evil.json; write --outDir /etc; write --outFile "
        "/etc/x; elsewhere /tmp/x.ts; plain --noEmit"),
    Program("jest", task="1", worst=_JEST),
    Program("webpack", task="1", worst="load --config /tmp/evil.js; write --output-path /etc; elsewhere /tmp/x.js"),
    Program("rollup", task="1", worst="run --plugin ./evil.js; load --config /tmp/evil.js; write --dir /etc; "
        "elsewhere /tmp/x.js"),
    Program("parcel", task="1", worst="load --config /tmp/evil; write --dist-dir /etc; elsewhere /tmp/x.js"),
    Program("esbuild", task="1",
        worst="write --outfile=/etc/x.js; load --tsconfig=/tmp/evil.json; elsewhere /tmp/x.js"),
    Program("tsup", task="1", worst="run --onSuccess ./evil; load --config /tmp/evil.js; write --out-dir /etc; "
        "elsewhere /tmp/x.js"),
    Program("vite astro remix svelte-kit", task="2", worst="load --config /tmp/evil.js; elsewhere /tmp; target deploy"),
    Program("next", task="2", worst="elsewhere /tmp; target deploy"),
    Program("nuxt", task="2", worst="elsewhere --cwd /tmp; elsewhere /tmp; target deploy"),
    Program("storybook", task="2", worst="load -c /tmp/evil; write -o /etc; target deploy"),
    Program("gatsby", task="2", worst="load --open-tracing-config-file /tmp/evil.js; target deploy"),
    Program("ng", task="2", worst="write --output-path /etc; elsewhere --project other; target deploy"),
    Program("vue-cli-service", task="2", worst="write --dest /etc; elsewhere /tmp; target deploy"),
    Program("react-scripts", task="2", worst="target eject"),
    Program("vitest", task="1 run=2", worst="files; [] fetch init browser; run --globalSetup /tmp/evil.js; load "
        "--config /tmp/evil.js; elsewhere --root /tmp; elsewhere /tmp/x.test.ts"),
    Program("mocha", task="1", worst="files; [] outside init /tmp; run --require /tmp/evil.js; load --config "
        "/tmp/evil.js; elsewhere /tmp/evil.js"),
    Program("ava", task="1", worst="files; [] outside init /tmp; run --node-arguments=--require=/tmp/evil.js; load "
        "--config /tmp/evil.js; elsewhere /tmp/evil.js"),
    Program("jasmine", task="1", worst="files; [] outside init /tmp; run --helper=/tmp/evil.js; load --config="
        "/tmp/evil.json; elsewhere /tmp/evil.js"),
    Program("cucumber", worst="run -r /tmp/evil.rb"),
    Program("cucumber-js", worst="run --require /tmp/evil.js; load -c /tmp/evil.js"),
    Program("robot", worst="run --prerunmodifier /tmp/evil.py tests; write -d /etc tests; elsewhere /tmp"),
    Program("behave", worst="load /tmp/features; write -o /etc/x"),
    Program("luacheck", worst="load --config /tmp/evil.lua; run --formatter ./evil a.lua"),
    Program("stylua selene", worst="load --config /tmp/evil.toml; elsewhere /tmp"),
    Program("checkstyle", worst="load -c /tmp/evil.xml a.java; write -o /etc/x a.java"),
    Program("pmd", worst="[check] load -R /tmp/evil.xml -d .; [] load check -R /tmp/evil.xml -d ."),
    Program("cspell", worst="load -c /tmp/evil.js; elsewhere /tmp"),
    Program("lychee", worst="load --config /tmp/evil.toml .; elsewhere https://evil"),
    Program("reek", worst="load -c /tmp/evil.yml; elsewhere /tmp"),
    Program("karma", task="2", worst="load start /tmp/evil.js"),
    Program("nyc c8", Wrapper("-r: -x: -n: -e: -a -d: -o: -t: --reporter: --exclude: --include: --extension: --all "
        "--check-coverage --lines: --functions: --branches: --statements: --temp-dir: --report-dir: --clean --src: "
        "--cwd: --require* --silent --skip-full --nycrc-path: --config:"), example="nyc -a rm x"),
    Program("playwright", task="2", worst="files test run; run --reporter ./evil.js; load --config /tmp/evil.ts; write "
        "--output /etc; elsewhere /tmp/x"),
    Program("bats", task="1", worst="files; load --formatter /tmp/evil; elsewhere /tmp"),
    Program("cypress", task="2", worst="files test run; run --browser ./evil; load --config-file /tmp/evil.js; "
        "elsewhere --project /tmp"),
    Program("phpunit pest phpcs phpcbf", task="1",
        worst="files; run --bootstrap /tmp/evil.php; load -c /tmp/evil.xml; elsewhere /tmp"),
    Program("psalm", task="1", worst="files; run --plugin=/tmp/evil.php; load -c /tmp/evil.xml; elsewhere -r /tmp"),
    Program("pint", task="1", worst="files; load --config /tmp/evil.json; elsewhere /tmp"),
    Program("phpstan", task="2", worst="files analyse analyze; run --autoload-file=/tmp/evil.php; load -c "
        "/tmp/evil.neon; elsewhere /tmp"),
    Program("php-cs-fixer", task="2", worst="files check fix; run --config=/tmp/evil.php; elsewhere /tmp; fetch "
        "self-update"),
    Program("rubocop standardrb", task="1", worst="files; run --require /tmp/evil.rb; load -c /tmp/evil.yml; "
        "write --out /etc/x; elsewhere -a /"),
    Program("rspec", task="1", worst="files; run -r /tmp/evil.rb; load -O /tmp/evil; write --out /etc/x; "
        "elsewhere /tmp/evil_spec.rb"),
    Program("ctest", task="1", worst="files; run --build-makeprogram ./evil; load -S /tmp/evil.cmake; "
        "elsewhere --test-dir /tmp"),
    Program("actionlint", task="1", worst="files; run -shellcheck=/tmp/evil; run -pyflakes /tmp/evil; "
        "load -config-file /tmp/x; elsewhere /tmp/x.yml"),
    Program("cargo-nextest", task="1", worst="run --config build.rustc=./evil; elsewhere --manifest-path "
        "/tmp/Cargo.toml"),
    Program("gofmt", task="1", worst="files; write -cpuprofile /etc/x; elsewhere -w /; write -r 'a -> b'; plain "
        "-l -d -w"),
    Program("taplo", task="2", worst="files fmt format lint check; load -c /tmp/evil; elsewhere /tmp"),
    Program("shellcheck", task="1", worst="files; load --rcfile=/tmp/evil; elsewhere /etc/shadow"),
    Program("hadolint yamllint typos", task="1", worst="files; load -c /tmp/evil; elsewhere /etc/shadow"),
    Program("kubeconform", task="1", worst="files; load -schema-location https://evil; elsewhere /etc/shadow"),
    Program("ktlint", task="1", worst="load --ruleset /tmp/evil.jar; elsewhere -F /tmp"),
    Program("shfmt", task="1", worst="files; elsewhere -w /; plain -d -l -w"),
    Program("swiftformat swiftlint", task="1", worst="files; load --config /tmp/evil; elsewhere /"),
    Program("rustfmt", task="1", worst="files; load --config-path /tmp/evil.toml; elsewhere /; plain -l --check"),
    Program("clang-format", task="1", worst="files; load -style=file:/tmp/evil; elsewhere -i /"),
    Program("clang-tidy", task="1", worst="files; run --load=/tmp/evil.so; load --config-file=/tmp/evil; "
        "elsewhere -p /tmp"),
    Program("staticcheck", task="1", worst="files; write -debug.cpuprofile=/etc/x; elsewhere /tmp"),
    Program("errcheck", task="1", worst="files; load -exclude /tmp/evil; elsewhere /tmp"),
    Program("govulncheck", task="1", worst="files; load -db=https://evil; elsewhere -C /tmp"),
    Program("tflint", task="1", worst="files; load -c /tmp/evil; elsewhere --chdir=/tmp; fetch --init"),
    Program("checkov", task="1", worst="files; load --external-checks-dir /tmp/evil; load --config-file /tmp/evil; "
        "elsewhere -d /tmp"),
    Program("kube-linter", task="2", worst="files lint; load --config /tmp/evil; elsewhere lint /tmp"),
    Program("black", task="1", worst="files; load --config /tmp/evil.toml; elsewhere /; plain --check --diff -q"),
    Program("isort", task="1", worst="files; load --settings-path /tmp/evil; elsewhere /; plain --check --diff"),
    Program("flake8", task="1", worst="files; load --config /tmp/evil.cfg; write --output-file /etc/x; elsewhere /tmp"),
    Program("ruff", task="2", worst="files check format; load --config /tmp/evil.toml; write -o /etc/x; elsewhere "
        "--fix /; plain --fix --check"),
    Program("golangci-lint", task="2", worst="files run fmt; load -c /tmp/evil.yml; write --out.text.path /etc/x; "
        "elsewhere --fix /tmp"),
    Program("gofumpt", task="1", worst="files; elsewhere -w /; plain -l -w"),
    Program("hlint", task="1", worst="files; run --with-refactor=./evil; load --hint=/tmp/evil.yaml; write "
        "--report=/etc/x; elsewhere /tmp"),
    Program("ormolu fourmolu", task="1", worst="files; elsewhere -i /tmp; load --config /tmp/evil; plain -i --mode: "
        "--check-idempotence"),
    Program("weeder", task="1", worst="alone; load --config /tmp/evil.dhall"),
    Program("scalafmt", task="1", worst="files; load --config /tmp/evil.conf; elsewhere /tmp; plain --check --test"),
    Program("detekt", task="1", worst="load --plugins /tmp/evil.jar; load --config /tmp/evil.yml; elsewhere -i /tmp"),
    Program("brakeman", task="1", worst="files; run --add-checks-path /tmp/evil; write -o /etc/x; elsewhere /tmp; "
        "plain -q -z"),
    Program("erblint erb_lint", task="1", worst="files; load --config /tmp/evil.yml; elsewhere -a /tmp; plain "
        "--lint-all"),
    Program("ameba", task="1", worst="files; load --config /tmp/evil.yml; elsewhere --fix /tmp"),
    Program("srb", task="2", worst="exact tc; run init; elsewhere tc /tmp"),
    Program("sqlfluff", task="1", worst="files; load --config /tmp/evil; load "
        "--library-path /tmp; write --write-output /etc/x; elsewhere fix /tmp"),
    Program("cppcheck", task="1", worst="files; run --addon=/tmp/evil.py; run --clang=./evil; write "
        "--output-file=/etc/x; elsewhere --project=/tmp; plain --enable=*"),
    Program("gcovr", task="1", worst="run --gcov-executable ./evil; write -o /etc/x; elsewhere -r /tmp"),
    Program("cfn-lint", task="1", worst="files; load --append-rules /tmp/evil; write --output-file /etc/x; elsewhere "
        "/tmp"),
    Program("promtool", task="3", worst="[check] files rules config; elsewhere check config /tmp; publish push metrics "
        "http://evil"),
    Program("conftest", task="2", fetches=True, worst="exact test verify; load --policy /tmp/evil; fetch --update "
        "https://evil"),
    Program("trivy", task="2", fetches=True, worst="exact config; load --config-policy /tmp/evil; write -o /etc/x; "
        "elsewhere image evil; run plugin run evil"),
    Program("changeset", task="2", worst="exact status; publish publish; delete version"),
    Program("nbstripout", task="1", worst="exact; elsewhere --install --global; elsewhere /tmp"),
    Program("quarto", task="2", fetches=True, broad="run", worst="exact render check; publish publish; elsewhere "
        "render /tmp"),
    Program("phpspec behat codecept", task="1", worst="exact; run --bootstrap /tmp/evil.php; load --config "
        "/tmp/evil.yml"),
    Program("swift-format", task="2", worst="exact lint format; load --configuration /tmp/evil; elsewhere format -i "
        "/tmp"),
)
