"""Every example in the README and in docs/ is run, and prints what the page says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def examples() -> list[tuple[str, str]]:
    return [
        (f"{page.relative_to(ROOT)}#{at}", block.group(1))
        for page in PAGES
        for at, block in enumerate(BLOCK.finditer(page.read_text("utf-8")), 1)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "block"), examples(), ids=[name for name, _ in examples()])
def test_example_prints_what_the_page_says(name: str, block: str, tmp_path: Path) -> None:
    del name
    if re.search(r"(?:^\$|[|;]) jq ", block, re.MULTILINE) and shutil.which("jq") is None:
        pytest.skip("the example uses jq, which is not installed")
    home = tmp_path / "home"
    home.mkdir()
    project = home / "project"
    project.mkdir()
    shutil.copytree(ROOT / "rules", project / "rules")
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
        "HOME": str(home),
        "LANG": "C.UTF-8",
    }
    printed = []
    for line in block.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(
                ["bash", "-c", line[2:]],
                cwd=project,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=60,
                check=False,
            )
            printed.append(line + "\n" + done.stdout.decode())
    actual = "".join(part if part.endswith("\n") else part + "\n" for part in printed)
    assert actual.replace(str(home), "~").replace(str(ROOT), "…") == block


PROGRAM = re.compile(r"```python run\n(.*?)```\n+```text\n(.*?)```", re.DOTALL)


def programs() -> list[tuple[str, str, str]]:
    return [
        (f"{page.relative_to(ROOT)}#{at}", found[1], found[2])
        for page in PAGES
        for at, found in enumerate(PROGRAM.finditer(page.read_text("utf-8")), 1)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "program", "printed"), programs(), ids=[name for name, *_ in programs()])
def test_program_prints_what_the_page_says(name: str, program: str, printed: str, tmp_path: Path) -> None:
    del name
    done = subprocess.run(
        [sys.executable, "-"],
        input=program,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.stdout.replace(str(tmp_path), "~") == printed


def test_every_program_has_its_output() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        assert text.count("```python run") == len(PROGRAM.findall(text)), page


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []
