"""Programs that only check or format a project: what a rule would name is one word."""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("actionlint black cargo-nextest eslint flake8 gofmt gofumpt golangci-lint hadolint isort jest "
        "markdownlint mypy prettier pylint pyright pytest ruff shellcheck shfmt stylelint tox tsc vitest yamllint",
        task="2"),
)
