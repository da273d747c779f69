"""Which entries of a folder are rule files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from execpolicy.layers.folders import collect_rule_files


def names(folder: Path) -> list[str]:
    files, _ = collect_rule_files(str(folder))
    return [os.path.basename(path) for path in files]


def test_a_missing_folder_has_no_files(tmp_path: Path) -> None:
    assert collect_rule_files(str(tmp_path / "none")) == ((), ())


def test_only_regular_files_with_exactly_that_extension_count(tmp_path: Path) -> None:
    for name in ("a.rules", "b.RULES", "c.rules.txt", ".rules", "rules", "d.rule", ".hidden.rules", "e..rules"):
        (tmp_path / name).touch()
    (tmp_path / "folder.rules").mkdir()
    (tmp_path / "folder.rules" / "inner.rules").touch()
    (tmp_path / "link.rules").symlink_to(tmp_path / "a.rules")
    os.mkfifo(tmp_path / "pipe.rules")
    assert names(tmp_path) == [".hidden.rules", "a.rules", "e..rules"]


def test_the_order_is_that_of_the_bytes(tmp_path: Path) -> None:
    for name in ("b.rules", "B.rules", "a.rules", "é.rules", "z.rules", "10.rules", "9.rules"):
        (tmp_path / name).touch()
    assert names(tmp_path) == ["10.rules", "9.rules", "B.rules", "a.rules", "b.rules", "z.rules", "é.rules"]


def test_a_name_that_is_not_utf8_is_sorted_by_its_bytes(tmp_path: Path) -> None:
    for name in (b"\xff.rules", b"a.rules"):
        Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).touch()
    assert names(tmp_path) == ["a.rules", os.fsdecode(b"\xff.rules")]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.mkdir(), "it is a folder; only regular files are read, and folders inside are not searched"),
        (lambda path: path.symlink_to("/etc/hosts"), "it is a symbolic link; only regular files are read"),
        (lambda path: os.mkfifo(path), "it is not a regular file"),
    ],
)
def test_what_looks_like_a_rule_file_is_ignored_with_a_reason(tmp_path: Path, make: object, reason: str) -> None:
    make(tmp_path / "x.rules")  # type: ignore[operator]  # a parametrised callable
    _, ignored = collect_rule_files(str(tmp_path))
    assert [(found.reason, found.looks_meant) for found in ignored] == [(reason, True)]


def test_a_wrong_spelling_of_the_extension_is_mentioned_and_other_files_are_not(tmp_path: Path) -> None:
    for name in ("x.Rules", "notes.txt", "default.rules", "default.rules~", ".rules"):
        (tmp_path / name).touch()
    _, ignored = collect_rule_files(str(tmp_path))
    assert [found.reason for found in ignored] == [
        "a file name needs something in front of `.rules`",
        "the extension is `.Rules`; only `.rules` in lower case is read",
    ]


def test_a_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "rules").touch()
    with pytest.raises(NotADirectoryError):
        collect_rule_files(str(tmp_path / "rules"))
