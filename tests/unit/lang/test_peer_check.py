"""Every recorded answer of ``codex execpolicy check`` 0.169.0, through the library and through the command line."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.check_command import run_check
from execpolicy.core.hosts import HostResolution
from execpolicy.errors import RuleFileError
from execpolicy.lang.compile import compile_sources
from execpolicy.lang.file_limits import FileLimits
from execpolicy.source import Source
from tests.support.streams import Streams

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "peer" / "codex_check.jsonl").read_text("utf-8").splitlines()
]
SECONDS = 60
"""For one evaluation: how busy this machine is says nothing about the answers."""
BINDING_LIMITS = {
    "lang-009-fstring_expression": "Not a valid identifier",
    "error-046-token_bytes": "Parse error: unexpected string literal",
}
"""What starlark-pyo3 cannot do, and the message that says so. See ``docs/other-agents.md``."""


def normal(body: dict[str, Any], *, unordered: bool) -> dict[str, Any]:
    if unordered:
        body["matchedRules"].sort(key=lambda match: json.dumps(match, sort_keys=True))
    return body


def assert_message(case: dict[str, Any], message: str) -> None:
    expected: str = case["expect_error"].split(", did you mean")[0]
    if expected.startswith("Parse error: unexpected"):  # the wording of the parser may differ, the kind may not
        expected = "Parse error: unexpected"
    assert expected in message


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["group"] != "cli" and c["rules"] is not None], ids=lambda c: c["id"]
)
def test_library_answers_as_recorded(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", case["env"]["HOME"])
    monkeypatch.chdir(case["cwd"])
    resolution = HostResolution.of_process() if case["resolve_host_executables"] else None
    sources = [Source(f"{at}.rules", text) for at, text in enumerate(case["rules"])]
    limits = FileLimits(seconds=SECONDS)
    if case["id"] in BINDING_LIMITS or case["exit_code"] != 0:
        with pytest.raises(RuleFileError) as caught:
            compile_sources(sources, limits=limits)
        found = caught.value.diagnostics[0]
        if case["id"] in BINDING_LIMITS:
            assert BINDING_LIMITS[case["id"]] in (found.codex or found.message)
            assert found.help is not None
            assert "Codex" in found.help
        else:
            assert_message(case, found.codex or found.message)
        return
    answer = compile_sources(sources, limits=limits).policy().check(case["argv"], resolution=resolution).to_json()
    unordered = bool(case.get("matched_rules_unordered"))
    assert normal(answer, unordered=unordered) == normal(case["expect"], unordered=unordered)


@pytest.mark.parametrize("case", [c for c in CASES if c["id"] not in BINDING_LIMITS], ids=lambda c: c["id"])
def test_command_line_answers_as_recorded(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", case["env"]["HOME"])
    monkeypatch.setenv("EXECPOLICY_LIMITS", f"seconds={SECONDS}")
    monkeypatch.chdir(case["cwd"])
    paths = []
    texts = case["rules"] if case["rules"] is not None else case["rules_b64"]
    for at, text in enumerate(texts):
        path = tmp_path / f"{at}.rules"
        if case["rules"] is not None:
            path.write_bytes(text.encode())
        else:
            import base64

            path.write_bytes(base64.b64decode(text))
        paths.append(str(path))
    if case["group"] == "cli":
        arguments = [word.replace("{0}", paths[0]) for word in case["cli"]]
    else:
        arguments = [word for path in paths for word in ("--rules", path)]
        if case["resolve_host_executables"]:
            arguments.append("--resolve-host-executables")
        arguments += ["--", *case["argv"]]
    streams = Streams()
    status = run_check(["--compat", "codex-0.169", *arguments], sys.stdin, streams.out, streams.err)
    assert status == case["exit_code"]
    if status == 0:
        if "expect_stdout" in case:
            assert streams.stdout() == case["expect_stdout"]
        unordered = bool(case.get("matched_rules_unordered"))
        answer = json.loads(streams.stdout())
        assert normal(answer, unordered=unordered) == normal(case["expect"], unordered=unordered)
    else:
        assert streams.stdout() == ""
        assert streams.stderr() != ""
        if case["group"] != "cli":
            assert_message(case, streams.stderr())
