"""The table of what five documents ask for: where each row is, and the test that tries it.

``python -m tests.support.seeds`` writes ``docs/evidence/seeds.md`` from ``tests/data/seeds.jsonl``.
"""

import json
from pathlib import Path
from typing import TypedDict

from benchmarks.machine import made_by

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "seeds.jsonl"
PAGE = ROOT / "docs" / "evidence" / "seeds.md"

DOCUMENTS = {
    "000": ("Codex approvals", "approvals.md"),
    "001": ("OriCore approval modes", "permissions.md"),
    "002": ("Approval in Codex, pi and opencode", "permissions.md"),
    "003": ("The shell tool of Codex", "approvals.md"),
    "004": ("The policy protocol", "protocol/README.md"),
}

HEAD = """# What the documents ask for, where it is, and which test tries it

Five documents are the requirement for approvals, permissions, modes, gate and protocol. This is each of their
statements that can be tried: the section, what it says, the place in `execpolicy`, and a test. The rows are
those of `tests/data/seeds.jsonl`; `tests/architecture/test_seeds.py` checks that every place and every test exists and
that the page is up to date.

Where they contradict each other, or what Codex really does, these pages say how it was settled:
[the decisions](../decisions/README.md), [approvals](../approvals.md).
"""

SAME = (
    *("Abort", "ApplyPatchApprovalRequestEvent", "ApprovalCallback", "ApprovalStore", "Approved"),
    *("ApprovedExecpolicyAmendment", "ApprovedForSession", "AskForApproval", "CorrectedError"),
    *("DEFAULT_EXEC_COMMAND_TIMEOUT_MS", "DOOM_LOOP_THRESHOLD", "Denied", "DeniedError", "EDIT_TOOLS"),
    *("ExecApprovalRequestEvent", "ExecApprovalRequirement", "ExecPolicyAmendment", "FileChange", "Forbidden"),
    *("MessageBus", "NeedsApproval", "ParsedCommand", "Policy", "RejectedError", "Reply", "ReviewDecision", "Ruleset"),
    *("RunnerSession", "SandboxPermissions", "SandboxPolicy", "ShellRequest", "ShellRuntime", "ShellToolCallParams"),
    *("Skip", "ToolApprovalResult", "ToolOrchestrator", "ToolOutput", "ToolRequest", "ToolRuntime", "ToolUse"),
    *("check_multiple", "command_might_be_dangerous", "create_env", "create_exec_approval_requirement_for_command"),
    *("default_exec_approval_requirement", "disabled", "evaluate", "is_known_safe_command", "merge"),
    "with_cached_approval",
)
"""Names of the documents that are names of `execpolicy`."""

OTHERWISE = {
    "Approver": ("TerminalAsker", "any object with `ask` is one"),
    "CodecliRunner": ("RunnerSession", "it runs any agent"),
    "ExecParams": ("ExecRequest", "together with what the decision depends on"),
    "ExecPolicyManager": ("PolicyManager", ""),
    "PermissionNext": ("Permissions", ""),
    "PolicyEngine": ("PolicyDecider", "any object with `decide` is one"),
    "RejectConfig": ("GranularSettings", "its flags say what may be asked; `reject` in configuration turns them round"),
    "Request": ("PermissionRequest", "there are other requests"),
    "Rule": ("PermissionRule", "there are other rules"),
    "SandboxErr::Denied": ("SandboxDeniedError", ""),
    "ShellHandler": ("ShellTool", ""),
    "ToolError::Rejected": ("ToolRejectedError", ""),
    "ToolResult (event)": ("ToolResult", ""),
    "expand": ("expand_home", ""),
    "fromConfig": ("ruleset_from_config", ""),
    "isHighRiskCommand, isBannedCommand": ("RulebookJudge", "`assess` says `Risk.HIGH` or `Risk.BANNED`"),
    "permission-gate": ("PatternGate", ""),
}
"""Names of the documents that are called otherwise here, and why where it is not plain."""


class Row(TypedDict):
    """One statement."""

    doc: str
    section: str
    what: str
    place: str
    test: str


def rows() -> list[Row]:
    """All rows, in order."""
    return [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def page() -> str:
    """The text of the page."""
    parts = [HEAD, f"\n{made_by('python -m tests.support.seeds')}\n"]
    for number, (title, link) in DOCUMENTS.items():
        of_it = [row for row in rows() if row["doc"] == number]
        parts.append(f"\n## {title}\n\n{len(of_it)} rows; the page: [{link}](../{link}).\n\n")
        parts.append("| section | what | place | test |\n| --- | --- | --- | --- |\n")
        for row in of_it:
            what = row["what"].replace("|", "\\|")
            test = row["test"].replace("::test_", " › ").removeprefix("tests/")
            parts.append(f"| {row['section']} | {what} | `{row['place'].replace(':', '.')}` | {test} |\n")
    parts.append("\n## Names\n\nUnder the name that the document gives it: ")
    parts.append(", ".join(f"`{name}`" for name in SAME) + ". Called otherwise:\n\n")
    parts.append("| there | here | |\n| --- | --- | --- |\n")
    parts += [f"| {there} | `{here}` | {why} |\n" for there, (here, why) in OTHERWISE.items()]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
