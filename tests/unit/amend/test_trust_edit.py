"""Trust in the text of ``config.toml``: one entry changes, every other byte stays."""

import tomllib

import pytest

from execpolicy.cli.commands.trust import with_trust
from execpolicy.errors import RuleStoreError

HERE = "/home/me/shop"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[projects."/home/me/shop"]\ntrust_level = "trusted"\n'),
        ('model = "x"', 'model = "x"\n\n[projects."/home/me/shop"]\ntrust_level = "trusted"\n'),
        (
            '# mine\n[projects."/other"]\ntrust_level = "trusted" # yes\n',
            '# mine\n[projects."/other"]\ntrust_level = "trusted" # yes\n'
            '\n[projects."/home/me/shop"]\ntrust_level = "trusted"\n',
        ),
        (
            "[projects.'/home/me/shop']  # here\nx = 1\ntrust_level   =  'untrusted'  # no\n[a]\ntrust_level = \"b\"\n",
            '[projects.\'/home/me/shop\']  # here\nx = 1\ntrust_level   =  "trusted"  # no\n[a]\ntrust_level = "b"\n',
        ),
        (
            '[projects."/home/me/shop"]\r\nx = 1\r\n[[a]]\r\n',
            '[projects."/home/me/shop"]\r\ntrust_level = "trusted"\r\nx = 1\r\n[[a]]\r\n',
        ),
        ('[ projects . "/home/me/shop" ]', '[ projects . "/home/me/shop" ]\ntrust_level = "trusted"'),
        (
            'note = """\n[projects."/home/me/shop"]\n"""\n[projects."/home/me/shop"]\ntrust_level = "x"\n',
            None,  # what looks like the table is text: not sure, not changed
        ),
        ('projects = { "/other" = { trust_level = "trusted" } }\n', None),
        ('projects."/home/me/shop".trust_level = "untrusted"\n', None),
        ("projects = 1\n", None),
        ("[projects\n", None),
    ],
)
def test_one_entry_changes(before: str, after: str | None) -> None:
    if after is None:
        with pytest.raises(RuleStoreError, match=r"config\.toml"):
            with_trust(before, HERE, "trusted", path="config.toml")
        return
    assert with_trust(before, HERE, "trusted", path="config.toml") == after
    assert with_trust(after, HERE, "trusted", path="config.toml") == after
    back = with_trust(after, HERE, "untrusted", path="config.toml")
    assert tomllib.loads(back)["projects"][HERE]["trust_level"] == "untrusted"
    assert back.replace('"untrusted"', '"trusted"') == after


@pytest.mark.parametrize("name", ['/a "b"', "/a\\b", "/a\nb", "/ü", "/a\x1bb", "/a]b", "/a#b", "/a.b"])
def test_any_name(name: str) -> None:
    text = with_trust("[a]\nb = 1\n", name, "trusted", path="config.toml")
    assert tomllib.loads(text) == {"a": {"b": 1}, "projects": {name: {"trust_level": "trusted"}}}
    assert tomllib.loads(with_trust(text, name, "untrusted", path="x"))["projects"] == {
        name: {"trust_level": "untrusted"}
    }
