"""Chromium without a window, driven by Selenium; both come from the system's packages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service


@contextmanager
def browser(*more: str, width: int = 1280, height: int = 900) -> Iterator[Chrome]:
    """A browser with nothing in it."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:  # `.ci/run` installs them
        pytest.skip("there is no browser: install the packages chromium and chromium-driver")
    options = ChromeOptions()
    options.binary_location = program
    for argument in (
        "--headless=new",
        "--no-sandbox",  # as root there is none
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--force-prefers-reduced-motion",
        "--lang=en",
        f"--window-size={width},{height}",
        *more,
    ):
        options.add_argument(argument)
    started = Chrome(options=options, service=Service(driver))
    try:
        yield started
    finally:
        started.quit()
