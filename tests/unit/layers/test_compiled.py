"""The compiled cache never gives a stale answer, never trusts what others may write, and never has to be there."""

import marshal
import os
import stat
import sys
import tracemalloc
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import pytest

from execpolicy.cli.loading import load_rulebook
from execpolicy.core.decision import Decision
from execpolicy.layers import compiled
from execpolicy.layers.compiled import fingerprint, key_path, read_compiled
from execpolicy.layers.layer import FileInParts
from execpolicy.layers.layer_options import LayerOptions, cache_folder
from tests.support.streams import Streams

ALLOW = 'prefix_rule(pattern=["git"], decision="allow")    \n'
FORBID = 'prefix_rule(pattern=["git"], decision="forbidden")\n'
assert len(ALLOW) == len(FORBID)


class Place:
    """A folder with one rule file and a cache of its own."""

    def __init__(self, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = base / "a.rules"
        self.cache = base / "cache"
        self.base = base
        monkeypatch.setenv("EXECPOLICY_CACHE", str(self.cache))
        monkeypatch.setenv("EXECPOLICY_HOME", str(base / "own"))
        self.write(ALLOW)

    def write(self, text: str) -> None:
        self.file.write_text(text)

    def options(self) -> LayerOptions:
        return LayerOptions(cwd=str(self.base), files=[str(self.file)], mode="strict", project=False)

    def decision(self) -> str | None:
        rulebook = load_rulebook(self.options(), Streams().err)
        found = rulebook.policy.check(["git"]).decision
        return None if found is None else found.word

    def files(self) -> list[Path]:
        return sorted(self.cache.iterdir()) if self.cache.is_dir() else []

    def hit(self) -> bool:
        found = fingerprint(self.options())
        assert found is not None
        return read_compiled(str(self.cache), found.key) is not None


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def test_the_second_load_is_a_hit(place: Place) -> None:
    assert place.decision() == "allow"
    assert place.hit()
    assert place.decision() == "allow"
    assert len(place.files()) == 1


def test_same_size_and_same_times_do_not_fool_it(place: Place) -> None:
    os.utime(place.file, ns=(10**18, 10**18))
    assert place.decision() == "allow"
    place.write(FORBID)
    os.utime(place.file, ns=(10**18, 10**18))
    assert place.decision() == "forbidden"


def test_a_clock_that_goes_back_does_not_fool_it(place: Place) -> None:
    assert place.decision() == "allow"
    place.write(FORBID)
    os.utime(place.file, ns=(0, 0))
    assert place.decision() == "forbidden"


def test_a_swapped_link_does_not_fool_it(place: Place) -> None:
    one, two = place.base / "one", place.base / "two"
    one.write_text(ALLOW)
    two.write_text(FORBID)
    place.file.unlink()
    place.file.symlink_to(one)
    assert place.decision() == "allow"
    place.file.unlink()
    place.file.symlink_to(two)
    assert place.decision() == "forbidden"


def test_another_order_of_files_is_another_rulebook(place: Place) -> None:
    other = place.base / "b.rules"
    other.write_text('host_executable(name="git", paths=["/b/git"])\n')
    place.write('host_executable(name="git", paths=["/a/git"])\n')
    both = [str(place.file), str(other)]
    keys = set()
    for files in (both, both[::-1], both[:1]):
        found = fingerprint(LayerOptions(cwd="/", files=files, mode="strict", project=False))
        assert found is not None
        keys.add(found.key)
    assert len(keys) == 3


def test_where_an_example_depends_on_the_folder_the_folder_counts(place: Place) -> None:
    place.write('prefix_rule(pattern=["git"], match=["./git status"])\n')
    keys = set()
    for cwd in ("/", "/srv"):
        found = fingerprint(place.options().replaced(cwd=cwd))
        assert found is not None
        keys.add(found.key)
    assert len(keys) == 2


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "garbage"])
def test_a_damaged_file_is_ignored_and_made_again(place: Place, damage: str) -> None:
    assert place.decision() == "allow"
    (kept,) = place.files()
    data = kept.read_bytes()
    changed = {"cut": data[:-7], "flip": data[:-1] + bytes([data[-1] ^ 1]), "empty": b"", "garbage": b"x" * len(data)}
    kept.write_bytes(changed[damage])
    assert not place.hit()
    assert place.decision() == "allow"
    assert place.hit()


def test_a_file_under_another_name_is_not_taken(place: Place) -> None:
    assert place.decision() == "allow"
    (kept,) = place.files()
    place.write(FORBID)
    found = fingerprint(place.options())
    assert found is not None
    kept.rename(kept.with_name(found.key))
    assert place.decision() == "forbidden"


def signed_by_a_stranger(key: str, body: bytes, size: int | None = None) -> bytes:
    start = compiled._MAGIC + (len(body) if size is None else size).to_bytes(8, "big") + blake2b(body).digest()[:32]
    return start + blake2b(key.encode() + start, key=b"guessed" * 4, digest_size=32).digest() + body


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(marshal.dumps((["a"], ({}, [], {}, [], []), [], ([], [], [], []), [])), id="allows all"),
        pytest.param(b"(\xff\xff\xff\x7f", id="huge count"),
        pytest.param(b")\x01" * 5_000_000, id="deep nesting"),
        pytest.param(b"s\xff\xff\xff\x7f", id="huge string"),
    ],
)
def test_a_file_of_somebody_without_the_secret_is_not_looked_into(
    place: Place, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(FORBID)
    assert place.decision() == "forbidden"
    (kept,) = place.files()
    genuine = kept.read_bytes()
    for forged in (
        signed_by_a_stranger(kept.name, body),
        signed_by_a_stranger(kept.name, body, 1 << 62),
        genuine[: compiled._HEAD] + body,
        compiled._MAGIC + body,
    ):
        kept.write_bytes(forged)
        with monkeypatch.context() as patch:
            patch.setattr(marshal, "loads", None)  # calling it would fail
            assert not place.hit()
        assert place.decision() == "forbidden"


def test_a_huge_file_in_the_cache_costs_nothing(place: Place) -> None:
    assert place.decision() == "allow"
    (kept,) = place.files()
    os.truncate(kept, 1 << 36)
    before = tracemalloc_peak(place.hit)
    assert before < 1 << 20
    assert place.decision() == "allow"


def tracemalloc_peak(call: Callable[[], bool]) -> int:
    tracemalloc.start()
    try:
        assert not call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("spoiled", ["read by others", "short", "missing", "link", "folder"])
def test_a_secret_that_is_none_makes_all_that_was_kept_void(place: Place, spoiled: str) -> None:
    assert place.decision() == "allow"
    path = Path(str(key_path()))
    if spoiled == "read by others":
        path.chmod(0o640)
    elif spoiled == "short":
        path.write_bytes(b"x" * 31)
    else:
        moved = path.rename(path.with_name("moved"))
        if spoiled == "link":
            path.symlink_to(moved)
        elif spoiled == "folder":
            path.mkdir()
    assert not place.hit()
    assert place.decision() == "allow"
    assert place.hit() == (spoiled != "folder")  # nothing can be put in its place; it only takes longer
    if spoiled != "folder":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_a_home_nothing_is_kept(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("EXECPOLICY_HOME", raising=False)
    assert place.decision() == "allow"
    assert place.files() == []


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_trusted(place: Place, mode: int) -> None:
    assert place.decision() == "allow"
    place.files()[0].chmod(mode)
    assert not place.hit()


def test_a_folder_that_others_may_write_is_not_trusted(place: Place) -> None:
    assert place.decision() == "allow"
    place.cache.chmod(0o777)
    assert not place.hit()
    assert place.decision() == "allow"


def test_a_link_in_place_of_file_or_folder_is_not_followed(place: Place) -> None:
    assert place.decision() == "allow"
    (kept,) = place.files()
    moved = kept.rename(place.base / "elsewhere")
    kept.symlink_to(moved)
    assert not place.hit()
    kept.unlink()
    moved.rename(kept)
    assert place.hit()
    real = place.cache.rename(place.base / "real")
    place.cache.symlink_to(real)
    assert not place.hit()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else")
def test_a_file_of_another_user_is_not_trusted(place: Place) -> None:
    assert place.decision() == "allow"
    os.chown(place.files()[0], 12345, 12345)
    assert not place.hit()


def test_without_a_usable_folder_everything_works(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = place.base / "file"
    blocked.write_text("")
    for folder in (str(blocked), str(blocked / "below"), "", "/proc/nowhere"):
        monkeypatch.setenv("EXECPOLICY_CACHE", folder)
        assert place.decision() == "allow"


def test_a_load_with_problems_is_never_kept(place: Place) -> None:
    place.write('def prefix_rule(**kw):\n    pass\nprefix_rule(pattern = ["git"])\n')
    options = LayerOptions(cwd=str(place.base), files=[str(place.file)], mode="isolated", project=False)
    streams = Streams()
    load_rulebook(options, streams.err)
    assert "EP007" in streams.stderr()
    assert place.files() == []
    again = Streams()
    load_rulebook(options, again.err)
    assert "EP007" in again.stderr()


def test_a_pipe_is_left_for_the_loader_to_read(place: Place) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, FORBID.encode())
    os.close(write_end)
    options = place.options().replaced(files=(f"/dev/fd/{read_end}",))
    assert load_rulebook(options, Streams().err).policy.check(["git"]).decision is Decision.FORBIDDEN
    os.close(read_end)
    assert place.files() == []


def test_a_huge_file_is_not_even_read(place: Place) -> None:
    os.truncate(place.file, 1 << 37)
    assert fingerprint(place.options()) is None


def test_the_cache_does_not_grow_without_bound(place: Place) -> None:
    for number in range(70):
        place.write(f'prefix_rule(pattern=["p{number}"], decision="allow")\n')
        place.decision()
    assert len(place.files()) <= 64
    assert place.hit()


def test_files_are_private(place: Place) -> None:
    place.decision()
    assert stat.S_IMODE(place.cache.stat().st_mode) == 0o700
    assert stat.S_IMODE(place.files()[0].stat().st_mode) == 0o600


def test_many_processes_at_once(place: Place) -> None:
    import subprocess

    environment = {**os.environ, "EXECPOLICY_CACHE": str(place.cache)}
    command = [sys.executable, "-m", "execpolicy", "check", "-r", str(place.file), "--", "git"]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)
    ]
    for process in running:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        assert b'"decision":"allow"' in out


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"EXECPOLICY_CACHE": "/x"}, "/x"),
        ({"EXECPOLICY_CACHE": "", "HOME": "/h"}, None),
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/execpolicy"),
        ({"HOME": "/h"}, "/h/.cache/execpolicy"),
        ({"XDG_CACHE_HOME": "relative"}, None),
        ({}, None),
    ],
)
def test_where_it_is(environment: dict[str, str], folder: str | None) -> None:
    assert cache_folder(environment) == folder


def test_what_others_keep_in_the_folder_stays(place: Place) -> None:
    place.cache.mkdir(mode=0o700)
    names = ("a" * 63, "A" * 64, "notes.txt", ".hidden", "." + "a" * 16 + ".x", "." + "a" * 16 + ".1")
    digests = [f"{number:064x}" for number in range(100)]  # a store of files by their digests
    foreign = [place.cache / name for name in (*names, *digests)]
    for path in foreign:
        path.write_text("mine")
        os.utime(path, ns=(0, 0))
    for number in range(70):
        place.write(ALLOW + f"# {number}\n")
        assert place.decision() == "allow"
    assert all(path.read_text() == "mine" for path in foreign)
    assert len(place.files()) == 64 + len(foreign)


def test_a_file_that_is_read_in_parts_stays_the_one_that_was_opened(tmp_path: Path) -> None:
    path, upgraded = tmp_path / "entries", tmp_path / "new"
    path.write_bytes(b"0123456789")
    upgraded.write_bytes(b"abcdefghijkl")
    file = FileInParts(os.open(path, os.O_RDONLY))
    upgraded.rename(path)
    assert (file(2, 5), file.whole()) == (b"234", b"0123456789")
