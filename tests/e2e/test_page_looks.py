"""Every page and every report, wide and narrow, light and dark: nothing runs out of the window or is hard to read."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.e2e.test_inbox_terminal import EXECPOLICY
from tests.e2e.test_page import chromium as chromium  # a fixture
from tests.e2e.test_page import faults, see, text
from tests.e2e.test_page import server as server  # a fixture
from tests.e2e.test_page_security import asked
from tests.support.each import share
from tests.support.ui_server import UiServer

pytestmark = pytest.mark.slow

HOSTILE = "git push '<img src=x onerror=alert(1)>' \x1b[31m \u202e " + "/long" * 200
DIFF = f"@@ -1 +1 @@\n-a\n+{'x' * 500}\n"
QUESTIONS: dict[str, dict[str, Any]] = {
    "command": {"commands": ["cd src && sudo make install > log"], "agent": "claude", "session": "s"},
    "hostile": {"commands": [HOSTILE], "agent": "\x1b[2J" + "a" * 190, "session": "\u202e", "cwd": "/" + "d" * 300},
    "long": {"commands": ["rm -rf '" + "<b>" * 333_000 + "'"]},
    "several": {"commands": [["make", "deploy now"], "for f in *; do\n  bash $f\ndone"], "once": True},
    "tool": {"tool": "mcp__db__query", "arguments": {"sql": "drop table users", "all": ["x" * 300]}, "reason": "why"},
    "connection": {"commands": ["curl https://a.example"], "network": ["a.example", "https", "443"], "source": "run"},
    "patch": {
        "tool": "apply_patch",
        "changes": {
            "/p/a.py": {"kind": "update", "unified_diff": DIFF, "content": None, "move_path": "/p/b.py"},
            "/p/new": {"kind": "add", "content": "new\n", "unified_diff": None, "move_path": None},
            "/p/old": {"kind": "delete", "content": "lost\n", "unified_diff": None, "move_path": None},
            "/p/empty": {"kind": "add", "content": "", "unified_diff": None, "move_path": None},
        },
    },
}


@contextmanager
def in_all_sizes(window: Chrome) -> Iterator[Callable[[str], None]]:
    """Checks what is shown now; CI in each width and each scheme, by turns with one another."""
    looks = [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]
    turns = count()

    def check(what: str) -> None:
        for width, scheme in looks[next(turns) % share(4) :: share(4)]:
            size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
            window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            root = "document.documentElement"
            wide = window.execute_script(f"return {root}.scrollWidth - {root}.clientWidth")
            assert (wide, faults(window)) == (0, []), (what, width, scheme)
        assert window.get_log("browser") == [], what

    window.get_log("browser")
    try:
        yield check
    finally:
        window.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_every_kind_of_question(chromium: Chrome, server: UiServer) -> None:
    with in_all_sizes(chromium) as check:
        check("nothing waits")
        for name, question in QUESTIONS.items():
            with closing(asked(server, "", {"source": "hook", "cwd": "/p", **question})):
                see(lambda: chromium.execute_script("return state.loaded !== null"))
                check(name)
                if name == "patch":
                    assert text(chromium, ".diff .removed").strip() == "-a"
                    shown = [each.text.strip() for each in chromium.find_elements(By.CSS_SELECTOR, ".diff")]
                    assert shown[1:] == ["+new", "-lost"]
                    assert "It is empty." in text(chromium, "#question")
                if name == "connection":
                    assert "prefix_rule" not in text(chromium, "#question")
                if name == "several":
                    assert "a person has to look at every single call" in text(chromium, "#question")
                if name == "long":
                    assert "Only both ends of 999,009 characters" in text(chromium, "#question")
            see(lambda: text(chromium, "#count") == "0")


def rules_and_history(home: Path) -> list[str]:
    """200 rules and some more, and a transcript; the transcript's folder."""
    folder = home / ".codex/rules"
    folder.mkdir(parents=True)
    words = ("allow", "prompt", "forbidden")
    lines = [
        f'prefix_rule(pattern=["t{n}", ["{"r" * 90}", "b"]], decision="{words[n % 3]}", justification="<b> {n}")'
        for n in range(200)
    ]
    lines += ['network_rule(host="a.example", protocol="https", decision="allow")', 'prefix_rule(pattern=["python"])']
    (folder / "default.rules").write_text("\n".join([*lines, 'prefix_rule(pattern=["make", ["x", "x"]])\n']))
    history = home / ".claude/projects/p"
    history.mkdir(parents=True)
    records = []
    for at, command in enumerate(["git status", "cargo test", "cargo test -p api", "t1 b", "t2 b", HOSTILE] * 10):
        use = {"type": "tool_use", "name": "Bash", "id": f"t{at}", "input": {"command": command}}
        when = f"2026-01-{1 + at % 28:02}T10:00:00Z"
        records.append(json.dumps({"type": "assistant", "timestamp": when, "message": {"content": [use]}}))
    (history / "s.jsonl").write_text("\n".join(records))
    return [str(history)]


def test_every_page(chromium: Chrome, server: UiServer) -> None:
    rules_and_history(Path(server.environment["HOME"]))
    with in_all_sizes(chromium) as check:
        chromium.get(f"{server.origin}/try")
        see(lambda: text(chromium, "#decision .verdict"))
        chromium.find_element(By.ID, "rules").send_keys('prefix_rule(pattern=["python"], decision="allow")\nx(')
        see(lambda: "is never closed" in text(chromium, "#findings"))
        see(lambda: "Problem in the rules" in text(chromium, "#decision"))
        check("try")
        chromium.find_element(By.ID, "cwd").send_keys("/nowhere")
        see(lambda: "There is no folder" in text(chromium, "#decision"))
        chromium.get(f"{server.origin}/policy")
        assert "203 rules" in text(chromium, "main")
        check("policy")
        compare_with_those_in_force(chromium, server)
        check("difference")
        chromium.get(f"{server.origin}/history")
        check("history, not asked for")
        chromium.find_element(By.CSS_SELECTOR, "[data-action=replay]").click()
        see(lambda: "60 commands" in text(chromium, "#report"))
        for said in ("By day", "Prompts by program", "By agent", "Prompts that each rule would have saved"):
            assert said in text(chromium, "#report")
        check("history")
        chromium.find_element(By.CSS_SELECTOR, "main details summary").click()
        chromium.find_element(By.ID, "other-rules").send_keys(
            'prefix_rule(pattern=["cargo", "test"], decision="allow")'
        )
        chromium.find_element(By.CSS_SELECTOR, "[data-action=replay]").click()
        see(lambda: "Changed decisions" in text(chromium, "#report"))
        changed = chromium.find_element(By.CSS_SELECTOR, "[aria-label='Changed decisions']").text
        assert "cargo test" in changed
        assert "git status" not in changed  # the package's own rules count on both sides
        chromium.get(f"{server.origin}/policy")
        chromium.find_element(By.ID, "search").send_keys("never t3")
        see(lambda: text(chromium, "#found") == "11 rules")
        assert "of which 2 fired" in text(chromium, "main")


def compare_with_those_in_force(chromium: Chrome, server: UiServer) -> None:
    before, after = chromium.find_element(By.ID, "before"), chromium.find_element(By.ID, "after")
    compare = chromium.find_element(By.CSS_SELECTOR, "[data-action=compare]")
    after.send_keys("~/.codex/rules")
    compare.click()
    see(lambda: text(chromium, "#difference") == "They decide every command alike.")
    after.clear()
    after.send_keys('network_rule(host="b.example", protocol="https", decision="allow")')
    before.send_keys("~/.codex/rules/default.rules")
    compare.click()
    see(lambda: "allowed hosts: + b.example" in text(chromium, "#difference"))
    assert "allowed hosts: - a.example" in text(chromium, "#difference")
    before.clear()
    before.send_keys("/nowhere")
    compare.click()
    see(lambda: "/nowhere" in text(chromium, "#difference"))


def test_every_report_is_a_file_of_its_own(chromium: Chrome, server: UiServer, tmp_path: Path) -> None:
    home = Path(server.environment["HOME"])
    history = rules_and_history(home)
    other = home / "other.rules"
    other.write_text('prefix_rule(pattern=["cargo"], decision="forbidden")\nprefix_rule(pattern=["<b>"])\n')

    def made(*arguments: str) -> str:
        done = subprocess.run(
            [*EXECPOLICY, *arguments], env=server.environment, cwd=home, capture_output=True, check=True
        )
        return done.stdout.decode()

    reports = home / "reports"
    reports.mkdir()
    (reports / "replay.html").write_text(made("replay", *history, "--format", "html", "--against", str(other)))
    (reports / "explain.html").write_text(made("explain", "--format", "html", "--script", f"cd src && {HOSTILE} > log"))
    made("test", "--coverage-html", str(reports / "coverage.html"), str(other))
    with in_all_sizes(chromium) as check:
        for path in sorted(reports.iterdir()):
            chromium.get(f"file://{path}")
            requested = "return performance.getEntriesByType('resource').length"
            assert chromium.execute_script(requested) == 0
            assert chromium.find_elements(By.CSS_SELECTOR, "script, img, link, iframe") == []
            check(path.name)
    assert len(os.listdir(reports)) == 3
