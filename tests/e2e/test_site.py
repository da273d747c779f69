"""The site of the documentation, built as CI does it and looked at in a browser."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.architecture.test_pages import LIMITS
from tests.support.browser import browser
from tests.support.public import PUBLIC
from tests.support.running import run_captured

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PATIENCE = 120


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages; those that CI has built, where it says so."""
    if built := os.environ.get("EXECPOLICY_SITE"):
        return Path(built)
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(target / "html")]
    done = run_captured([*command, "-d", str(target / "trees")], cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return target / "html"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="module")
def chrome() -> Iterator[Chrome]:
    with browser() as started:
        yield started


def texts(chrome: Chrome, selector: str) -> list[str]:
    return [found.text for found in chrome.find_elements(By.CSS_SELECTOR, selector)]


def test_search_finds_what_a_person_looks_for(chrome: Chrome, address: str) -> None:
    chrome.get(address)
    field = chrome.find_element(By.CSS_SELECTOR, "input[name=q]")
    field.send_keys("safe_command")
    field.submit()
    WebDriverWait(chrome, PATIENCE).until(lambda _: texts(chrome, "#search-results li a"))
    assert any("safe_command" in text or "rule language" in text for text in texts(chrome, "#search-results li a"))
    chrome.get(urljoin(address, "search.html?q=zxqvbnowhere"))
    WebDriverWait(chrome, PATIENCE).until(
        lambda _: "did not match" in chrome.find_element(By.ID, "search-results").text
    )


def test_the_dark_mode_is_chosen_and_kept(chrome: Chrome, address: str) -> None:
    chrome.get(address)
    chrome.execute_script("localStorage.clear()")
    chrome.refresh()
    colours = {}
    for _ in range(3):
        chrome.execute_script(
            "[...document.querySelectorAll('button.theme-toggle')].find(each => each.offsetParent).click()"
        )
        theme = chrome.find_element(By.TAG_NAME, "body").get_attribute("data-theme")
        colours[theme] = chrome.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert set(colours) == {"auto", "dark", "light"}
    assert colours["dark"] != colours["light"]
    while chrome.find_element(By.TAG_NAME, "body").get_attribute("data-theme") != "dark":
        chrome.execute_script(
            "[...document.querySelectorAll('button.theme-toggle')].find(each => each.offsetParent).click()"
        )
    chrome.get(urljoin(address, "language.html"))
    assert chrome.execute_script("return getComputedStyle(document.body).backgroundColor") == colours["dark"]


@pytest.mark.parametrize("page", ["index.html", "language.html", "api/deciding.html", "search.html?q=git"])
def test_nothing_is_fetched_from_elsewhere(chrome: Chrome, address: str, page: str) -> None:
    chrome.get(urljoin(address, page))
    fetched = chrome.execute_script("return performance.getEntriesByType('resource').map(each => each.name)")
    assert fetched
    assert [url for url in fetched if not url.startswith((address, "data:"))] == []


def test_it_works_without_a_server(chrome: Chrome, site: Path) -> None:
    chrome.get((site / "index.html").as_uri())
    assert "A coding agent wants to run a command" in chrome.find_element(By.TAG_NAME, "article").text
    chrome.find_element(By.LINK_TEXT, "Start").click()
    assert chrome.find_element(By.TAG_NAME, "h1").text.startswith("Start")


def test_every_link_and_every_part_of_a_page_is_there(chrome: Chrome, address: str, site: Path) -> None:
    pages = sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))
    assert {name[5:-3] + ".html" for name in LIMITS if name.startswith("docs/")} <= set(pages)
    assert [page for page in pages if page.startswith("evidence/")] == []
    script = """
        const done = arguments[arguments.length - 1];
        Promise.all(arguments[0].map(async page => {
          const text = await (await fetch(page)).text();
          const read = new DOMParser().parseFromString(text, 'text/html');
          return [page, [...read.querySelectorAll('[id]')].map(each => each.id),
                  [...read.querySelectorAll('a[href]')].map(each => each.getAttribute('href'))];
        })).then(done)
    """
    chrome.get(address)
    chrome.set_script_timeout(PATIENCE)
    parts: dict[str, set[str]] = {}
    links: dict[str, list[str]] = {}
    for at in range(0, len(pages), 20):
        for page, ids, targets in chrome.execute_async_script(script, pages[at : at + 20]):
            parts[page], links[page] = set(ids), targets
    broken = []
    for page, targets in links.items():
        for target in targets:
            path, part = urldefrag(urljoin(page, target))
            if "://" in path or path.startswith("mailto:"):
                continue
            path = path or page
            there = path in parts if path.endswith(".html") else (site / path).exists()
            if not there or (part and path in parts and part not in parts[path]):
                broken.append(f"{page}: {target}")
    assert broken == []


def test_every_public_name_is_described(site: Path) -> None:
    text = "".join(path.read_text("utf-8") for path in (site / "api").glob("*.html"))
    assert [name for name in PUBLIC if f'.{name}"' not in text] == []
