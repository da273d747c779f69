"""The page in a real browser: a real hook answered by keyboard, two windows, a restart, accessibility, pictures."""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.e2e.test_inbox_terminal import CALL, decision, listed, start_hook, until
from tests.e2e.test_page_security import asked
from tests.support.browser import browser
from tests.support.ui_server import UiServer

pytestmark = pytest.mark.slow

AXE = Path(__file__).parents[1] / "data" / "axe" / "axe.min.js"
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chrome]:
    with browser() as started:
        yield started


@pytest.fixture
def server(tmp_path: Path, chromium: Chrome) -> Iterator[UiServer]:
    yield from opened(UiServer(tmp_path), chromium)


def opened(started: UiServer, chromium: Chrome) -> Iterator[UiServer]:
    chromium.set_window_size(1280, 900)
    chromium.get(started.address)
    see(lambda: chromium.current_url == f"{started.origin}/inbox")
    yield started
    started.stop()


def see(found: Callable[[], Any]) -> Any:
    """What is found once it is there, however busy the machine is."""
    ends = time.monotonic() + 120
    while True:
        try:
            value = found()
            if value:
                return value
        except Exception as error:
            problem: object = error
        else:
            problem = value
        if time.monotonic() > ends:
            raise AssertionError(f"it was not seen: {problem}")
        time.sleep(0.02)


READY = "return state.loaded === state.chosen && performance.now() - state.moved > PAUSE"


def takes_keys(window: Chrome) -> None:
    """The question is shown, and for so long that a key is not taken for one that was meant for the question before."""
    see(lambda: window.execute_script(READY))


def text(window: Chrome, selector: str) -> str:
    return window.find_element(By.CSS_SELECTOR, selector).text


def press(window: Chrome, key: str) -> None:
    window.find_element(By.CSS_SELECTOR, "body").send_keys(key)


def faults(window: Chrome) -> list[str]:
    """What axe finds when the page has come to rest: serious and critical faults."""
    see(lambda: not window.find_elements(By.CSS_SELECTOR, "[aria-busy=true]"))
    window.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    window.execute_script(AXE.read_text("utf-8"))
    found = window.execute_async_script("axe.run().then(arguments[0])")
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]} ({each['nodes'][0]['failureSummary']})"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def picture(window: Chrome, name: str) -> None:
    """Keep a picture for the documentation, where that is asked for."""
    if os.environ.get("EXECPOLICY_PICTURES"):
        PICTURES.mkdir(exist_ok=True)
        window.save_screenshot(str(PICTURES / f"{name}.png"))


def call_of(command: str, session: str = "s1") -> dict[str, Any]:
    return {**CALL, "session_id": session, "tool_input": {"command": command}}


@pytest.mark.parametrize(("key", "expected"), [("y", "allow"), ("s", "allow"), ("n", "deny")])
def test_a_hook_is_answered_by_one_key(chromium: Chrome, server: UiServer, key: str, expected: str) -> None:
    hook = start_hook(server.environment)
    see(lambda: "git push origin main" in text(chromium, "#question .command"))
    assert text(chromium, "#count") == "1"
    takes_keys(chromium)
    press(chromium, key)
    assert decision(hook)[0] == expected
    see(lambda: text(chromium, "#count") == "0")


def test_a_key_that_comes_with_the_question_does_not_answer_it(chromium: Chrome, server: UiServer) -> None:
    hook = start_hook(server.environment)
    see(lambda: chromium.execute_script("return state.loaded !== null"))
    chromium.execute_script(
        "state.moved = performance.now();"
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'y', bubbles: true}))"
    )
    time.sleep(0.3)
    assert len(listed(server.environment)) == 1
    press(chromium, "n")
    assert decision(hook)[0] == "deny"


def test_who_looks_elsewhere_is_told_by_the_desktop(chromium: Chrome, server: UiServer) -> None:
    chromium.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["notifications"], "origin": server.origin})
    chromium.execute_script("document.getElementById('notify').click()")
    see(lambda: text(chromium, "#status") == "notifications: granted")
    chromium.execute_script(
        "window.shown = []; const real = Notification;"
        "window.Notification = class extends real { constructor(...given) { super(...given); shown.push(given); } };"
        "Object.defineProperty(document, 'hidden', {configurable: true, get: () => window.away});"
    )
    for away, expected in ((False, 0), (True, 1)):
        chromium.execute_script("window.away = arguments[0]", away)
        hook = start_hook(server.environment, call=call_of(f"git push {away}\u202e<b>"))
        see(lambda: "git push" in text(chromium, "#question .command"))
        takes_keys(chromium)
        see(lambda expected=expected: chromium.execute_script("return shown.length") == expected)
        shown = chromium.execute_script("return shown")
        press(chromium, "n")
        assert decision(hook)[0] == "deny"
        see(lambda: text(chromium, "#count") == "0")
    title, content = shown[0]
    assert title == "An agent asks"
    assert content["body"].startswith("claude: git push True")
    assert "\u202e" not in content["body"]


def test_words_reach_the_agent(chromium: Chrome, server: UiServer) -> None:
    hook = start_hook(server.environment)
    see(lambda: chromium.find_elements(By.ID, "words"))
    press(chromium, "m")
    see(lambda: chromium.switch_to.active_element.get_attribute("id") == "words")
    chromium.switch_to.active_element.send_keys("use the branch, yes", Keys.ENTER)
    assert decision(hook) == ("deny", "execpolicy: denied by the user: use the branch, yes")


def test_always_shows_the_rule_saves_it_and_takes_it_back(chromium: Chrome, server: UiServer) -> None:
    rules = Path(server.environment["HOME"], ".codex/rules/default.rules")
    hook = start_hook(server.environment)
    see(lambda: chromium.find_elements(By.CSS_SELECTOR, ".answer.always"))
    takes_keys(chromium)
    press(chromium, "a")
    see(lambda: "It still asks" in text(chromium, "#preview"))
    assert 'decision="allow", unless=["*"])' in text(chromium, "#preview")
    chromium.find_element(By.CSS_SELECTOR, "#prefix-0 option[value='2']").click()
    see(lambda: 'prefix_rule(pattern=["git", "push"], decision="allow")' in text(chromium, "#preview"))
    assert "git push --force" in text(chromium, "#preview")
    assert faults(chromium) == []
    picture(chromium, "always")
    chromium.find_element(By.CSS_SELECTOR, "[data-action=save]").click()
    assert decision(hook)[0] == "allow"
    assert rules.read_text() == 'prefix_rule(pattern=["git", "push"], decision="allow")\n'
    see(lambda: "git" in text(chromium, "#saved"))
    chromium.find_element(By.CSS_SELECTOR, "#saved button").click()
    see(lambda: rules.read_text() == "")


def test_always_for_a_host_saves_a_network_rule_and_takes_it_back(chromium: Chrome, server: UiServer) -> None:
    rules = Path(server.environment["HOME"], ".codex/rules/default.rules")
    network = ["api.example.com", "https", "443"]
    connection = asked(server, "curl https://api.example.com", {"source": "run", "network": network})
    see(lambda: text(chromium, "#asked") == "May this connect?")
    assert "api.example.com, port 443 (https)" in text(chromium, "#question .facts")
    takes_keys(chromium)
    press(chromium, "a")
    line = 'network_rule(host="api.example.com", protocol="https", decision="allow")'
    see(lambda: line in text(chromium, "#preview"))
    assert "by every command in the sandbox" in text(chromium, "#preview")
    assert faults(chromium) == []
    chromium.find_element(By.CSS_SELECTOR, "[data-action=save]").click()
    see(lambda: rules.read_text() == f"{line}\n")
    see(lambda: "api.example.com" in text(chromium, "#saved"))
    chromium.find_element(By.CSS_SELECTOR, "#saved button").click()
    see(lambda: rules.read_text() == "")
    connection.close()


def test_several_are_answered_at_once(chromium: Chrome, server: UiServer) -> None:
    same = [start_hook(server.environment, call=call_of("make deploy", f"s{at}")) for at in range(3)]
    other = start_hook(server.environment, call=call_of("git push"))
    see(lambda: text(chromium, "#count") == "4")
    first = see(lambda: [b for b in chromium.find_elements(By.CSS_SELECTOR, "#questions button") if "make" in b.text])
    first[0].click()
    see(lambda: "make deploy" in text(chromium, "#question .command"))
    press(chromium, "l")
    assert faults(chromium) == []
    press(chromium, "y")
    assert [decision(hook)[0] for hook in same] == ["allow"] * 3
    see(lambda: text(chromium, "#count") == "1")
    see(lambda: "git push" in text(chromium, "#question .command"))
    takes_keys(chromium)
    press(chromium, "n")
    assert decision(other)[0] == "deny"


def test_two_windows_agree(chromium: Chrome, server: UiServer) -> None:
    first = chromium.current_window_handle
    chromium.switch_to.new_window("tab")
    chromium.get(f"{server.origin}/inbox")
    hook = start_hook(server.environment)
    see(lambda: text(chromium, "#count") == "1")
    chromium.switch_to.window(first)
    see(lambda: "git push" in text(chromium, "#question .command"))
    takes_keys(chromium)
    press(chromium, "y")
    assert decision(hook)[0] == "allow"
    chromium.switch_to.window(chromium.window_handles[-1])
    see(lambda: text(chromium, "#count") == "0")
    assert text(chromium, "#empty").startswith("Nothing waits.")
    chromium.close()
    chromium.switch_to.window(first)


def test_a_server_that_starts_again_is_found_by_the_hook_but_lets_nobody_in_unasked(
    chromium: Chrome, server: UiServer, tmp_path: Path
) -> None:
    hook = start_hook(server.environment)
    see(lambda: text(chromium, "#count") == "1")
    server.stop(kill=True)
    again = UiServer(tmp_path, server.port)
    try:
        until(lambda: listed(again.environment))
        see(
            lambda: "open the page with the address" in text(chromium, "#status") or "gone" in text(chromium, "#status")
        )
        chromium.get(again.address)
        see(lambda: "git push" in text(chromium, "#question .command"))
        takes_keys(chromium)
        press(chromium, "y")
        assert decision(hook)[0] == "allow"
    finally:
        again.stop()
        server.process.poll()


def test_a_thousand_questions(chromium: Chrome, server: UiServer) -> None:
    asking = [asked(server, f"make t{at}") for at in range(1_000)]
    see(lambda: text(chromium, "#count") == "1000")
    assert len(chromium.find_elements(By.CSS_SELECTOR, "#questions li")) == 201
    assert "800 more" in text(chromium, "#questions li:last-child")
    for connection in asking:
        connection.close()
    see(lambda: text(chromium, "#count") == "0")


def test_hostile_text_stays_text(chromium: Chrome, server: UiServer) -> None:
    hostile = "git push '<img src=x onerror=\"document.title=1\">' \x1b[31m \u202e"
    connection = asked(server, hostile)
    see(lambda: "onerror" in text(chromium, "#question .command"))
    assert r"\u{202e}" in text(chromium, "#question .command")
    assert chromium.find_elements(By.CSS_SELECTOR, "main img") == []
    assert "Inbox" in chromium.title
    connection.close()


def test_it_works_on_a_narrow_screen(chromium: Chrome, server: UiServer) -> None:
    hook = start_hook(server.environment, call=call_of("cd src && sudo make install PREFIX=/usr/" + "long/" * 40))
    chromium.set_window_size(500, 900)
    see(lambda: chromium.find_elements(By.CSS_SELECTOR, ".answer.once"))
    wide = chromium.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    assert faults(chromium) == []
    picture(chromium, "narrow")
    takes_keys(chromium)
    chromium.find_element(By.CSS_SELECTOR, ".answer.deny").click()
    assert decision(hook)[0] == "deny"


def test_the_inbox_is_accessible_and_pictured(chromium: Chrome, server: UiServer) -> None:
    project = Path(server.environment["HOME"], "project")
    project.mkdir()
    hooks = [
        start_hook(server.environment, call=call_of(command, session))
        for command, session in (
            ("cd src && git status && git push origin main > push.log", "feature-1"),
            ("npm install && npm test", "feature-1"),
            ("kubectl apply -f deploy.yaml", "release"),
        )
    ]
    try:
        see(lambda: text(chromium, "#count") == "3")
        row = see(lambda: [b for b in chromium.find_elements(By.CSS_SELECTOR, "#questions button") if "push" in b.text])
        row[0].click()
        see(lambda: chromium.find_elements(By.CSS_SELECTOR, ".part.prompt"))
        assert faults(chromium) == []
        picture(chromium, "inbox")
        assert not [entry for entry in chromium.get_log("browser") if "Content Security" in entry["message"]]
    finally:
        for hook in hooks:
            hook.kill()
            hook.communicate()


def test_a_patch_is_shown_as_a_difference(chromium: Chrome, server: UiServer) -> None:
    change = {"kind": "update", "unified_diff": "@@ -1 +1 @@\n-old <b>\n+new\n", "content": None, "move_path": None}
    question = {"source": "api", "tool": "apply_patch", "changes": {"/p/a.py": change}, "cwd": "/p"}
    connection = asked(server, "", question)
    see(lambda: "update /p/a.py" in text(chromium, "#question h3"))
    assert text(chromium, ".diff .removed").strip() == "-old <b>"
    assert faults(chromium) == []
    connection.close()


def test_try_decides_as_one_types(chromium: Chrome, server: UiServer) -> None:
    chromium.get(f"{server.origin}/try")
    see(lambda: text(chromium, "#decision .verdict .badge") in ("forbidden", "prompt"))
    script = chromium.find_element(By.ID, "script")
    script.clear()
    script.send_keys("git status")
    see(lambda: text(chromium, "#decision .verdict .badge") == "allow")
    script.clear()
    script.send_keys("cd src && sudo make install | tail -3")
    see(lambda: "make install" in text(chromium, "#decision .tree"))
    rules = chromium.find_element(By.ID, "rules")
    rules.send_keys('prefix_rule(pattern=["make", "install"], decision="forbidden")')
    see(lambda: text(chromium, "#decision .verdict .badge") == "forbidden")
    see(lambda: "EP" in text(chromium, "#findings"))
    assert faults(chromium) == []
    picture(chromium, "try")


def test_policy_shows_searches_fixes_and_compares(chromium: Chrome, server: UiServer) -> None:
    rules = Path(server.environment["HOME"], ".codex/rules/default.rules")
    rules.parent.mkdir(parents=True)
    double = 'prefix_rule(pattern=["make", ["test", "test"]], decision="allow")\n'
    rules.write_text(double + 'prefix_rule(pattern=["git", "push"], decision="prompt")\n')
    chromium.get(f"{server.origin}/policy")
    assert "default.rules:2" in text(chromium, "main")
    chromium.find_element(By.ID, "search").send_keys("git push default.rules")
    see(lambda: text(chromium, "#found") == "1 rule")
    picture(chromium, "policy")
    assert faults(chromium) == []
    see(lambda: chromium.find_elements(By.CSS_SELECTOR, "[data-action=fix]"))[0].click()
    see(lambda: '["test", "test"]' not in rules.read_text())
    for name, value in (("before", '["a"], decision="allow"'), ("after", '["a", "b"], decision="forbidden"')):
        chromium.find_element(By.ID, name).send_keys(f"prefix_rule(pattern={value})")
    chromium.find_element(By.CSS_SELECTOR, "[data-action=compare]").click()
    see(lambda: "allow → forbidden" in text(chromium, "#difference"))


def test_policy_sets_the_project_up(chromium: Chrome, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "Makefile").touch()
    for server in opened(UiServer(tmp_path, cwd=project), chromium):
        chromium.get(f"{server.origin}/policy")
        for name in ("workspace", "make", "trust"):
            switch = f"#setup button[data-name={name}]"
            assert text(chromium, switch) == "Turn on"
            chromium.find_element(By.CSS_SELECTOR, switch).click()
            see(lambda switch=switch: text(chromium, switch) == "Turn off")
        assert faults(chromium) == []
        assert f'[workspaces."{project}"]' in (tmp_path / ".config/execpolicy/execpolicy.toml").read_text()
        assert f'[projects."{project}"]' in (tmp_path / ".codex/config.toml").read_text()
        pack = tmp_path / ".config/execpolicy/rules/pack-make.rules"
        assert pack.exists()
        chromium.find_element(By.CSS_SELECTOR, "#setup button[data-name=make]").click()
        see(lambda pack=pack: not pack.exists())


def test_history_replays_transcripts(chromium: Chrome, server: UiServer) -> None:
    folder = Path(server.environment["HOME"], ".claude/projects/p")
    folder.mkdir(parents=True)
    commands = ["git status", "cargo test", "cargo test -p api", "git push", "rm -rf /", "cargo test"] * 3
    lines = []
    for at, command in enumerate(commands):
        use = {"type": "tool_use", "name": "Bash", "id": f"t{at}", "input": {"command": command}}
        record = {"type": "assistant", "timestamp": f"2026-01-0{1 + at % 5}T10:00:00Z", "message": {"content": [use]}}
        lines.append(json.dumps(record))
    (folder / "s.jsonl").write_text("\n".join(lines))
    chromium.get(f"{server.origin}/history")
    chromium.find_element(By.CSS_SELECTOR, "[data-action=replay]").click()
    see(lambda: "18 commands, 5 distinct" in text(chromium, "#report"))
    assert 'prefix_rule(pattern=["cargo", "test"], decision="allow", unless=' in text(chromium, "#report")
    assert "By day" in text(chromium, "#report")
    assert faults(chromium) == []
    chromium.set_window_size(1280, 1400)
    picture(chromium, "history")
    chromium.get(f"{server.origin}/policy")
    assert "Fired" in text(chromium, "main")
