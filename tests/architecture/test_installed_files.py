"""What a wheel installs beside the package: manual pages that ``man`` can show, completion, and pages of ``help``."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from execpolicy.cli.commands.help import TOPICS
from execpolicy.cli.group import SUBCOMMANDS
from execpolicy.cli.main import main
from tests.support.running import run_captured

ROOT = Path(__file__).parents[2]


def build_tool(name: str) -> ModuleType:
    """A module of ``.ci``."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = build_tool("man_pages").man_pages(ROOT / "docs", "1.2.3")


def test_every_command_has_a_manual_page() -> None:
    assert sorted(PAGES) == sorted(["execpolicy.1", *[f"execpolicy-{name}.1" for name in SUBCOMMANDS]])


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_manual_pages_are_shown_without_a_warning(name: str) -> None:
    shown = run_captured(
        ["groff", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=80n", "-Kutf8"], input=PAGES[name], check=True
    )
    warnings = [
        line for line in shown.stderr.splitlines() if "cannot break line" not in line and "can't break" not in line
    ]
    assert warnings == []
    assert "NAME" in shown.stdout
    assert "1.2.3" in shown.stdout
    if name != "execpolicy.1":
        assert f"Usage: {name.removesuffix('.1').replace('-', ' ', 1)}" in shown.stdout


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_has_a_page(topic: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", topic]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / f"{topic}.md").read_text("utf-8")


def test_help_without_a_topic_lists_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    listed = capsys.readouterr().out
    assert all(f"\n  {name} " in listed for name in (*SUBCOMMANDS, *TOPICS))


def test_help_of_a_command_is_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["check"], ["explain"], ["config", "show"]):
        assert main(["help", *words]) == 0
        helped = capsys.readouterr().out
        assert main([*words, "--help"]) == 0
        assert capsys.readouterr().out == helped


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chek"], "did you mean `check`?"),
        (["help", "langage"], "did you mean `language`?"),
        (["lint", "--baselin", "x"], "--baseline"),
        (["check", "--scirpt", "x"], "did you mean `--script`?"),
        (["hook", "--on-promt", "ask", "claude"], "did you mean `--on-prompt`?"),
        (["hook", "clade"], "did you mean `claude`?"),
        (["explain", "--shel", "sh", "ls"], "--shell"),
        (["config", "shwo"], "Did you mean 'show'?"),
    ],
)
def test_misspelt_words_get_a_suggestion(arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert hint in told.err + told.out
