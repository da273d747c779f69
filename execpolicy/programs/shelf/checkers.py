"""Programs that only check, format, test or document a project: what a rule would name is one word, or two.

Source of what may follow: the documentation of each program, as it was in 2026.
"""

from __future__ import annotations

from execpolicy.programs.record import Program

_PYTEST = (
    "run -p evil; load -c /tmp/evil.ini; load -o python_files=*; elsewhere --rootdir /tmp; elsewhere /tmp/evil.py; "
)
_JEST = "run --globalSetup=/tmp/evil.js; load --config /tmp/evil.js; elsewhere --rootDir /tmp; plain --ci --coverage"

# fmt: off
RECORDS = (
    Program("pytest py.test", task="1", worst=_PYTEST + "plain -q -v -x --lf -k -m"),
    Program("mypy dmypy", task="1", worst="run --python-executable ./evil; load --config-file /tmp/evil.ini; "
        "write --junit-xml /etc/x; elsewhere /tmp; plain --strict"),
    Program("pylint", task="1", worst="run --init-hook='import evil'; load --rcfile=/tmp/evil; "
        "load --load-plugins=evil; elsewhere /tmp"),
    Program("pyright basedpyright", task="1", worst="run --pythonpath ./evil; load -p /tmp/evil.json; elsewhere /tmp"),
    Program("tox", task="1", worst="run -x testenv.commands='./evil'; load -c /tmp/evil.ini; "
        "elsewhere --workdir /tmp; target -e deploy"),
    Program("nox", task="1", worst="load -f /tmp/evil.py; target -s deploy"),
    Program("pre-commit", task="2", fetches=True, worst="load -c /tmp/evil.yaml; target --hook-stage manual"),
    Program("coverage", task="2", worst="[run] target evil.py; load --rcfile=/tmp/evil; write -o /etc/x; "
        "write -d /etc"),
    Program("bandit", task="1", worst="load -c /tmp/evil.yaml; write -o /etc/x; elsewhere /tmp"),
    Program("vulture pydocstyle pycodestyle pyflakes codespell interrogate", task="1",
        worst="load --config /tmp/evil; write -w /etc/x; elsewhere /tmp"),
    Program("sphinx-build", task="1", worst="load -c /tmp/evil; load -D extensions=evil; target . /etc"),
    Program("mkdocs", task="2", worst="load -f /tmp/evil.yml; delete -d /home/u; publish gh-deploy"),
    Program("alembic flask django-admin", task="2", worst="load -c /tmp/evil.ini; load --settings=evil; "
        "target downgrade base"),
    Program("eslint xo standard tslint", task="1", worst="load -c /tmp/evil.js; run --resolve-plugins-relative-to "
        "/tmp; "
        "write -o /home/u/.bashrc; elsewhere /tmp"),
    Program("prettier", task="1", worst="load --config /tmp/evil.js; run --plugin=/tmp/evil.js; elsewhere --write /; "
        "plain --check --write --list-different"),
    Program("biome oxlint dprint", task="2", worst="load --config-path /tmp/evil; elsewhere --write /tmp; "
        "plain --write"),
    Program("stylelint markdownlint markdownlint-cli2", task="1",
        worst="load --config /tmp/evil.js; run --custom-formatter /tmp/evil.js; write -o /etc/x; elsewhere --fix /tmp"),
    Program("tsc vue-tsc", task="1", worst="load -p /tmp/evil.json; write --outDir /etc; write --outFile /etc/x; "
        "elsewhere /tmp/x.ts; plain --noEmit"),
    Program("jest", task="1", worst=_JEST),
    Program("vitest", task="1 run=2", worst="run --globalSetup /tmp/evil.js; load --config /tmp/evil.js; "
        "elsewhere --root /tmp; elsewhere /tmp/x.test.ts"),
    Program("mocha ava nyc c8 jasmine karma", task="1", worst="run --require /tmp/evil.js; load --config /tmp/evil.js; "
        "target ./evil.js"),
    Program("playwright cypress", task="2", worst="load --config /tmp/evil.ts; elsewhere --project /tmp; "
        "run --global-setup /tmp/evil.js; elsewhere /tmp/x"),
    Program("phpunit pest phpstan psalm phpcs phpcbf php-cs-fixer pint", task="1",
        worst="run --bootstrap /tmp/evil.php; load -c /tmp/evil.xml; elsewhere /tmp"),
    Program("rubocop standardrb", task="1", worst="run --require /tmp/evil.rb; load -c /tmp/evil.yml; "
        "write --out /etc/x; elsewhere -a /"),
    Program("rspec", task="1", worst="run -r /tmp/evil.rb; load -O /tmp/evil; write --out /etc/x; "
        "elsewhere /tmp/evil_spec.rb"),
    Program("ctest", task="1", worst="run --build-makeprogram ./evil; load -S /tmp/evil.cmake; "
        "elsewhere --test-dir /tmp"),
    Program("actionlint", task="1", worst="run -shellcheck=/tmp/evil; run -pyflakes /tmp/evil; "
        "load -config-file /tmp/x; elsewhere /tmp/x.yml"),
    Program("cargo-nextest", task="1", worst="run --config build.rustc=./evil; elsewhere --manifest-path "
        "/tmp/Cargo.toml"),
    Program("gofmt", task="1", worst="elsewhere -w /; write -cpuprofile /etc/x; run -r x; plain -l -d -w"),
    Program("shellcheck hadolint yamllint kubeconform typos taplo", task="1",
        worst="load --rcfile=/tmp/evil; load -c /tmp/evil; load --config /tmp/evil; elsewhere /etc/shadow"),
    Program("shfmt swiftformat swiftlint ktlint rustfmt clang-format", task="1",
        worst="elsewhere -w /; load --config /tmp/evil; load --ruleset /tmp/evil.jar; plain -d -l -w --check"),
    Program("clang-tidy", task="1", worst="run --load=/tmp/evil.so; load --config-file=/tmp/evil; elsewhere -p /tmp"),
    Program("staticcheck errcheck govulncheck", task="1", worst="load -tags x; elsewhere /tmp"),
    Program("tflint checkov kube-linter", task="1", worst="load -c /tmp/evil; elsewhere --chdir=/tmp"),
    Program("black", task="1", worst="load --config /tmp/evil.toml; elsewhere /; plain --check --diff -q"),
    Program("isort", task="1", worst="load --settings-path /tmp/evil; elsewhere /; plain --check --diff"),
    Program("flake8", task="1", worst="load --config /tmp/evil.cfg; write --output-file /etc/x; elsewhere /tmp"),
    Program("ruff", task="2", worst="load --config /tmp/evil.toml; write -o /etc/x; elsewhere --fix /; plain --fix "
        "--check"),
    Program("golangci-lint", task="2", worst="load -c /tmp/evil.yml; write --out.text.path /etc/x; elsewhere --fix "
        "/tmp"),
    Program("gofumpt", task="1", worst="elsewhere -w /; plain -l -w"),
)
