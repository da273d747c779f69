"""Programs that only check or format a project: what a rule would name is one word."""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("actionlint cargo-nextest eslint gofmt hadolint jest markdownlint mypy prettier pylint pyright pytest "
        "shellcheck shfmt stylelint tox tsc vitest yamllint", task="1"),
    Program("black flake8 gofumpt golangci-lint isort ruff", task="2"),
)
