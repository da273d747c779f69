"""The page about embedding: its agent is typed, and its recipes work with the real packages."""

import asyncio
import importlib.util
import json
import re
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from execpolicy import testing

DOCS = Path(__file__).parents[2] / "docs"
RULES = testing.policy('prefix_rule(pattern=["deploy"], decision="forbidden", justification="not from here")')
REFUSED = "forbidden: `deploy x` is forbidden: not from here (test.rules:1)"

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    rules = tmp_path / ".codex" / "rules"
    rules.mkdir(parents=True)
    (rules / "my.rules").write_text('prefix_rule(pattern=["deploy"], decision="forbidden", justification="no")\n')
    return tmp_path


def recipe(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other packages warn each other of
        spec.loader.exec_module(module)
    return module


def test_the_agent_and_the_recipes_are_short_and_typed(tmp_path: Path) -> None:
    found = re.search(r"```python run\n(.*?)```", (DOCS / "embed.md").read_text("utf-8"), re.DOTALL)
    assert found is not None
    texts = {path.name: path.read_text("utf-8") for path in (DOCS / "examples").glob("*.py")}
    assert {name: text.count("\n") for name, text in texts.items() if text.count("\n") > 40} == {}
    assert found[1].count("\n") <= 60
    for name, text in {**texts, "agent.py": found[1], "pyrightconfig.json": '{"typeCheckingMode": "strict"}'}.items():
        (tmp_path / name).write_text(text)
    for checker in (
        ["mypy", "--strict", "--config-file=", *texts, "agent.py"],
        ["pyright", "--pythonpath", sys.executable],
    ):
        done = subprocess.run([sys.executable, "-m", *checker], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_a_web_service(home: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from fastapi.testclient import TestClient

        client = TestClient(recipe("fastapi_guard").app)
    assert client.post("/run", json={"command": "ls -l"}).json() == {"would run": "ls -l"}
    refused = client.post("/run", json={"command": "true; deploy x"})
    assert (refused.status_code, refused.json()["decision"]) == (403, "forbidden")
    assert [client.post("/run", content=body).status_code for body in ("", "[]", '{"command": 7}')] == [400] * 3


@pytest.mark.parametrize("agrees", [True, False])
def test_an_mcp_server(home: Path, agrees: bool) -> None:
    from mcp import Client
    from mcp.types import ElicitResult

    async def person(context: Any, params: Any) -> ElicitResult:
        assert "['build', 'all']" in params.message
        return ElicitResult(action="accept", content={"allow": agrees})

    async def talk() -> list[Any]:
        async with Client(recipe("mcp_server").server, elicitation_callback=person) as client:
            asked = [("check", {"command": "deploy x"}), ("explain", {"command": "build all"})]
            asked += [("allow", {"prefix": ["build", "all"]}), ("check", {"command": "build all now"})]
            return [(await client.call_tool(name, arguments)).content[0] for name, arguments in asked]

    checked, explained, allowed, after = [content.text for content in asyncio.run(talk())]
    assert json.loads(checked)["decision"] == "forbidden"
    assert json.loads(explained)["advice"]["remedies"][0]["proven"]
    assert json.loads(after)["decision"] == ("allow" if agrees else "prompt")
    assert ("prefix_rule" in allowed) is agrees


def test_a_tool_of_langchain() -> None:
    from langchain_core.tools import tool

    @tool
    def shell(command: str) -> str:
        """Run a command."""
        return f"ran {command}"

    guarded = recipe("langchain_guard").guarded(shell, RULES)
    assert guarded.invoke({"command": "ls"}) == "ran ls"
    assert guarded.invoke({"command": "deploy x"}) == REFUSED
    assert guarded.args == shell.args


def test_a_tool_of_the_openai_agents_sdk() -> None:
    from agents import Agent, ToolInputGuardrailData
    from agents.tool_context import ToolContext

    guard = recipe("openai_agents_guard").guard(RULES)

    def decided(command: str) -> dict[str, Any]:
        arguments = json.dumps({"command": command})
        context = ToolContext(context=None, tool_name="shell", tool_call_id="1", tool_arguments=arguments)
        data = ToolInputGuardrailData(context=context, agent=Agent(name="a"))
        behavior: dict[str, Any] = asyncio.run(guard.run(data)).behavior
        return behavior

    assert decided("ls") == {"type": "allow"}
    assert decided("deploy x") == {"type": "reject_content", "message": REFUSED}
