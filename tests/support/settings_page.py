"""``docs/settings.md`` lists the settings of the schema: `python -m tests.support.settings_page` writes the table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "settings.md"
SCHEMA = ROOT / "execpolicy" / "schemas" / "execpolicy.toml.schema.json"
TABLE = re.compile(r"\| setting \| default \| \|\n(?:\|.*\n)*")


def rows(schema: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """A line of the table for each setting."""
    for name, setting in schema["properties"].items():
        inner = setting.get("additionalProperties")
        if "properties" in setting:
            yield from rows(setting, f"{prefix}{name}.")
        elif isinstance(inner, dict) and "properties" in inner:
            (last,) = inner["properties"]
            yield row(f'{prefix}{name}."FOLDER".{last}', {**inner["properties"][last], **setting})
        else:
            yield row(prefix + name, setting)


def row(name: str, setting: dict[str, Any]) -> str:
    """One line: the name, the default, and the description with the possible values."""
    words = [f"`{json.dumps(word)}`" for word in setting.get("enum", ())]
    values = f" One of {', '.join(words)}." if words else ""
    default = f"`{json.dumps(setting['default'])}`" if "default" in setting else ""
    return f"| `{name}` | {default} | {setting['description']}{values} |\n"


def settings_page(page: str) -> str:
    """The text of the page with a current table."""
    table = "| setting | default | |\n|---|---|---|\n" + "".join(rows(json.loads(SCHEMA.read_text("utf-8"))))
    return TABLE.sub(lambda _: table, page)


if __name__ == "__main__":
    PAGE.write_text(settings_page(PAGE.read_text("utf-8")), "utf-8")
