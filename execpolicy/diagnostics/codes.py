"""Every code that this project prints, in one table. A number is never reused.

EP0xx language · EP1xx wrong · EP2xx pointless · EP3xx style · EP4xx risky · EP9xx our own bug
"""

from __future__ import annotations

from typing import Final, Literal

from execpolicy.value import value

_Severity = Literal["error", "warning", "info"]


@value
class Code:
    """One row of the table.

    Attributes:
        code: ``EP`` and three digits; stable.
        name: a short name in kebab case.
        severity: the severity unless the configuration sets another.
        summary: one line.
    """

    code: str
    name: str
    severity: _Severity
    summary: str


_ROWS: Final = (
    Code("EP001", "syntax", "error", "the text is no rule file"),
    Code("EP002", "evaluation", "error", "a call in the file is wrong"),
    Code("EP003", "example-not-matched", "error", "a `match` example is not matched by its rule"),
    Code("EP004", "example-matched", "error", "a `not_match` example is matched by its rule"),
    Code("EP005", "unreadable", "error", "the file cannot be read"),
    Code("EP006", "limit", "error", "the file is too big, too deep or takes too long"),
    Code("EP007", "builtin-rebound", "warning", "a builtin is redefined, so later rules are dropped"),
    Code("EP008", "unsupported-syntax", "error", "Codex reads this syntax, the evaluator here does not"),
    Code("EP009", "unused-noqa", "warning", "a `# noqa` comment silences nothing"),
    Code("EP010", "configuration", "error", "a configuration file that decides about trust cannot be read"),
    Code("EP011", "requirements", "error", "the requirements overlay is broken"),
    Code("EP012", "ignored-file", "warning", "a file looks like a rule file and is not read"),
    Code("EP013", "files-dropped", "warning", "one broken file dropped all of them, as in Codex"),
    Code("EP014", "last-good-version", "info", "the last good version of a broken file stays in force"),
    Code("EP015", "forbidden-grant", "error", "an allow rule where only stricter rules may stand"),
    Code("EP016", "agent-settings", "error", "an agent's settings file cannot be used"),
    Code("EP101", "repeated-alternative", "warning", "an alternative is repeated in one position"),
    Code("EP102", "cannot-match", "error", "a pattern holds a token that no command can have there"),
    Code("EP103", "contradiction", "error", "two rules for the same commands with different decisions"),
    Code("EP104", "example-elsewhere", "warning", "an example gets another decision than its rule's"),
    Code("EP105", "absolute-program", "warning", "a program is given by its path"),
    Code("EP106", "unknown-to-codex", "warning", "a file or statement that Codex refuses or ignores"),
    Code("EP107", "network-cancelled", "warning", "a later network rule for the same host takes an earlier one back"),
    Code("EP108", "confusable", "error", "characters that are invisible or look like others"),
    Code("EP109", "fragment", "error", "a piece of a script was saved as a rule"),
    Code("EP110", "unlocatable", "info", "rules whose exact place cannot be shown"),
    Code("EP111", "dodged-flag", "warning", "a forbidden option whose other names are not known"),
    Code("EP112", "unknown-word", "warning", "a rule that stops something names a word that does not exist"),
    Code("EP113", "contrary-reason", "warning", "a justification says the opposite of what its rule does"),
    Code("EP114", "never-fires", "warning", "a rule that stops something has a word that no command has"),
    Code("EP201", "duplicate", "warning", "the same rule is written twice"),
    Code("EP202", "subsumed", "warning", "a broader rule with the same decision already covers it"),
    Code("EP203", "inert", "warning", "a stricter rule covers every command that it allows"),
    Code("EP204", "unreachable-alternative", "warning", "an alternative changes no decision"),
    Code("EP205", "unused-host-executable", "warning", "a `host_executable` that no rule needs"),
    Code("EP206", "host-executable-replaced", "warning", "a later `host_executable` replaces it"),
    Code("EP207", "no-rules", "warning", "a rule file without rules"),
    Code("EP301", "missing-justification", "info", "a prompt or forbidden rule does not say why"),
    Code("EP302", "missing-examples", "info", "a rule has no `match` example"),
    Code("EP303", "mixed-case", "info", "a rule with capitals that is compared byte for byte"),
    Code("EP304", "unordered", "info", "rules for one program do not stand together"),
    Code("EP305", "one-off", "warning", "a long rule that will match once"),
    Code("EP401", "broad-allow", "warning", "an allow rule that covers running anything"),
    Code("EP402", "shell-allow", "error", "an allow rule for a shell"),
    Code("EP403", "secret", "error", "a rule holds what looks like a secret"),
    Code("EP404", "wide-value", "warning", "a value of `safe_command` that accepts more than a folder or a host"),
    Code("EP901", "internal", "error", "a bug of execpolicy itself"),
)

CODES: Final = {row.code: row for row in _ROWS}
"""All codes by their spelling, in order."""

RETIRED: Final[dict[str, str | None]] = {}
"""Codes that older files may mention in ``# noqa``, with the codes that replace them."""
