"""What a screen reader is told: the tree that the browser gives it, and what is announced, in order.

Tried by ear with Orca as well; these tests hold what was heard.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.e2e.test_inbox_terminal import decision, start_hook
from tests.e2e.test_page import call_of, press, see, text
from tests.e2e.test_page import chromium as chromium  # a fixture
from tests.e2e.test_page import server as server  # a fixture
from tests.e2e.test_page_in_hand import ready
from tests.e2e.test_page_looks import rules_and_history
from tests.e2e.test_page_security import asked, take
from tests.support.ui_server import UiServer

pytestmark = pytest.mark.slow

LISTEN = """
window.heard = [];
new MutationObserver((changes) => {
  const places = changes.map(({ target }) => (target.closest ? target : target.parentElement)?.closest("[aria-live]"));
  for (const place of new Set(places)) if (place?.textContent) heard.push(place.textContent);
}).observe(document.body, { childList: true, characterData: true, subtree: true });
"""


def tree(window: Chrome) -> Iterator[dict[str, Any]]:
    """What the browser tells of the page, in the order in which it is read."""
    window.execute_cdp_cmd("Accessibility.enable", {})
    nodes = {node["nodeId"]: node for node in window.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]}

    def walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if not node["ignored"]:
            yield node
        for child in node.get("childIds", ()):
            yield from walk(nodes[child])

    yield from walk(next(iter(nodes.values())))


def told(window: Chrome, *roles: str) -> list[tuple[str, str]]:
    """Role and name of what has one of ``roles``."""
    found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree(window)]
    return [each for each in found if each[0] in roles]


def states(window: Chrome, role: str, name: str) -> dict[str, Any]:
    """What is said of the one node of that role and name."""
    named = [(n, n.get("name", {}).get("value", "").strip()) for n in tree(window) if n["role"]["value"] == role]
    (node,) = [n for n, called in named if called == name]
    return {each["name"]: each["value"].get("value") for each in node["properties"]}


def listen(window: Chrome) -> None:
    """From now on, that is behind what the page says when it has been loaded."""
    said = "return [...document.querySelectorAll('[aria-live]')].some((each) => each.textContent)"
    see(lambda: window.execute_script(said))
    window.execute_script(LISTEN)


def heard(window: Chrome) -> list[str]:
    found: list[str] = window.execute_script("return heard")
    return found


def test_a_question_is_told_with_its_parts_before_its_answers(chromium: Chrome, server: UiServer) -> None:
    hook = start_hook(server.environment, call=call_of("git status && sudo rm -rf build > log\nallow: make x"))
    ready(chromium, 1)
    whole = told(chromium, "StaticText", "button", "heading", "textbox")
    parts = [name for _, name in whole if name.startswith(("allow: ", "prompt: ", "forbidden: "))]
    assert parts[0].startswith("allow: git status: ")
    assert parts[1].startswith("prompt: sudo rm -rf build: ") or parts[1].startswith("prompt: sudo rm")
    assert parts[2].startswith("prompt: allow: make x: ")  # a command that poses as a decision is one more part
    answers = ["Once", "This session", "No"]
    buttons = [name for role, name in whole if role == "button" and name in (*answers, "Always …")]
    assert [name for name in buttons if name != "Always …"] == answers
    assert whole.index(("StaticText", parts[-1])) < whole.index(("button", "Once"))
    assert ("heading", "May this run?") in whole
    assert states(chromium, "textbox", "Words for the agent, with No")["keyshortcuts"] == "m"
    assert [states(chromium, "button", name)["keyshortcuts"] for name in answers] == ["y", "s", "n"]
    press(chromium, "n")
    assert decision(hook)[0] == "deny"


def test_a_row_is_called_the_same_while_its_time_runs(chromium: Chrome, server: UiServer) -> None:
    with closing(asked(server, "make a")):
        ready(chromium, 1)
        rows = [name for _, name in told(chromium, "button") if name.startswith("make a")]
        assert len(rows) == 1
        clock = text(chromium, "#questions [data-ends]")
        see(lambda: text(chromium, "#questions [data-ends]") != clock)
        assert [name for _, name in told(chromium, "button") if name.startswith("make a")] == rows
        assert states(chromium, "checkbox", "Choose make a")["checked"] == "false"
        chromium.find_element(By.CSS_SELECTOR, "#questions input").click()
        see(lambda: states(chromium, "checkbox", "Choose make a")["checked"] == "true")


def test_who_asks_what_is_shown_and_what_became_of_it_are_announced(chromium: Chrome, server: UiServer) -> None:
    listen(chromium)
    with ExitStack() as open_ones:
        connections = {}
        for name in "abc":
            connections[name] = open_ones.enter_context(closing(asked(server, f"make {name}")))
            see(lambda name=name: f"claude asks: make {name}" in heard(chromium))
        ready(chromium, 3)
        assert heard(chromium) == [f"claude asks: make {name}" for name in "abc"]
        press(chromium, "j")
        see(lambda: heard(chromium)[3:] == ["2 of 3: claude asks: make b"])
        ready(chromium, 3)
        press(chromium, "n")
        take(connections["b"])
        see(lambda: heard(chromium)[4:] == ["make b: deny", "2 of 2: claude asks: make c"])
        ready(chromium, 2)
        press(chromium, "x")
        see(lambda: len(heard(chromium)) == 8)
        assert sorted(heard(chromium)[6:]) == ["1 chosen", "The answer is for the 1 chosen (Escape: choose none)."]
        press(chromium, "j")

    see(lambda: heard(chromium)[-1] == "Nothing waits.")


def test_what_became_of_a_question_is_announced_before_the_next_one(chromium: Chrome, server: UiServer) -> None:
    """The event that the question is gone can come before the answer to what the page asked for."""
    chromium.execute_script(
        "const real = fetch; window.fetch = async (path, ...more) => { const answer = await real(path, ...more);"
        "if (path === '/inbox/answer') await new Promise((go) => setTimeout(go, 1500)); return answer; }"
    )
    with closing(asked(server, "make a")) as first, closing(asked(server, "make b")):
        ready(chromium, 2)
        listen(chromium)
        press(chromium, "n")
        take(first)
        see(lambda: len(heard(chromium)) == 2)
        assert heard(chromium) == ["make a: deny", "1 of 1: claude asks: make b"]


def test_a_rule_that_would_be_saved_is_read_out_as_one(chromium: Chrome, server: UiServer) -> None:
    hook = start_hook(server.environment)
    ready(chromium, 1)
    listen(chromium)
    press(chromium, "a")
    see(lambda: "It still asks" in text(chromium, "#preview"))
    assert [name for _, name in told(chromium, "combobox")] == ["Allow (of git push origin main)"]
    assert heard(chromium)[-1].startswith(
        'prefix_rule(pattern=["git", "push", "origin", "main"], decision="allow", unless=["*"])'
    )
    assert chromium.find_element(By.ID, "preview").get_attribute("aria-atomic") == "true"
    chromium.execute_script("document.activeElement.blur()")
    press(chromium, "n")
    assert decision(hook)[0] == "deny"


def test_of_long_answers_the_first_words_are_announced(chromium: Chrome, server: UiServer) -> None:
    """A live region that holds all of a report reads all of it out, at each key that is typed."""
    rules_and_history(Path(server.environment["HOME"]))
    chromium.get(f"{server.origin}/try")
    see(lambda: text(chromium, "#decision .verdict"))
    chromium.execute_script(LISTEN)
    script = chromium.find_element(By.ID, "script")
    script.clear()
    script.send_keys("git status")
    see(lambda: heard(chromium)[-1:] and heard(chromium)[-1].startswith("allow"))
    before = heard(chromium)
    script.send_keys(" -s")
    time.sleep(0.5)
    assert heard(chromium) == before  # the same decision is not said again
    chromium.find_element(By.ID, "rules").send_keys("x(")
    see(lambda: "is never closed" in heard(chromium)[-1])
    assert max(map(len, heard(chromium))) < 400
    chromium.get(f"{server.origin}/history")
    chromium.execute_script(LISTEN)
    chromium.find_element(By.CSS_SELECTOR, "[data-action=replay]").click()
    see(lambda: heard(chromium)[-1:] and heard(chromium)[-1].startswith("60 commands"))
    chromium.get(f"{server.origin}/policy")
    chromium.execute_script(LISTEN)
    chromium.find_element(By.CSS_SELECTOR, "[data-action=compare]").click()
    see(lambda: heard(chromium) == ["They decide every command alike."])
