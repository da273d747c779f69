"""The names of the pieces that ``split`` and ``csplit`` make, and that these hold what the file does."""

import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest

from execpolicy.core.quoting import split
from execpolicy.flow.pieces_of_files import pieces
from tests.support.each import each
from tests.support.judging import decision

CALLS = [
    "split m",
    "split m p",
    "split -d m",
    "split -n1 m",
    "split -a 3 m",
    "split -da1 m p",
    "split -l 1 m",
    "split --numeric-suffixes=5 m",
    "split --numeric-s=5 m",
    "split -x m",
    "split --additional-suffix=.sh m",
    "split -b 100 - q",
    "split",
    "csplit m 1",
    "csplit -f p m 1",
    "csplit -fp -n1 m 1",
    "csplit -n 3 m 1",
    "csplit -b %02d.sh m 1",
    "csplit --prefix=p --suffix-format=%d.sh m 1",
]
PROGRAMS = ["split", "csplit", "sh", "bash", "python3", "make", "env", "cat", "ls", "wc", "chmod", "mv"]
RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n' + "".join(
    [f'prefix_rule(pattern=["{program}"])\n' for program in (*PROGRAMS, "printf", "echo")]
)
FILE = "printf 'git push' > m; "


@pytest.mark.skipif(shutil.which("csplit") is None, reason="needs coreutils")
@each("call", CALLS)
def test_they_are_called_so(call: str, tmp_path: Path) -> None:
    folder = Path(mkdtemp(dir=tmp_path))
    (folder / "m").write_text("a\nb\n")
    argv = split(call)
    assert argv is not None
    subprocess.run(argv, cwd=folder, input=b"a\nb\n", check=True, capture_output=True)
    made = {path.name for path in folder.iterdir()} - {"m"}
    assert made <= set(pieces(argv)[1])


@each("form", ["%999999999d", "%s%s", "%", "%*d", "%-3d", "x" * 1000])
def test_a_name_costs_nothing_to_speak_of(form: str) -> None:
    assert max(map(len, pieces(["csplit", "-b", form, "m", "1"])[1])) <= len(form) + 10
    assert max(map(len, pieces(["csplit", "-n", "999999999", "m", "1"])[1])) < 200
    assert max(map(len, pieces(["split", "-a", "999999999", "m"])[1])) < 200


@each(
    "script",
    [
        "printf 'import os;os.system(\"git push\")' > m; split m; python3 xaa",
        f"{FILE}split m; env sh xaa",
        f"{FILE}split m p; sh paa",
        f"{FILE}split -d m; sh x00",
        f"{FILE}split --additional-suffix=.sh m; bash xaa.sh",
        f"{FILE}split < m; sh xaa",
        f"{FILE}cat m | split - q; sh qaa",
        f"{FILE}split m; sh xa?",
        f"{FILE}split m; cat x* | sh",
        f"{FILE}split m; . ./xaa",
        f"{FILE}split m; chmod +x xaa; ./xaa",
        f"{FILE}split m; mv xaa y; sh y",
        f"{FILE}csplit m 1; sh xx00",
        f"{FILE}csplit -fp -n1 m 1; sh p0",
        f"{FILE}csplit -b '%02d.sh' m 1; sh xx00.sh",
        "printf 'p:;git push' > m; csplit -z m 1; make -f xx00 p",
        "printf 'p:;git push' > m; split -a3 --additional-suffix=e m Make; make -f Makeaaae p",
        "echo git push | split; sh xaa",
    ],
)
def test_a_piece_that_is_run_is_found(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        "split big.log; ls",
        f"{FILE}split m; wc -l xaa",
        f"{FILE}split m; ls x*",
        f"{FILE}csplit m 1; cat xx00",
        "split -b 1M big part-; cat part-* > big2",
    ],
)
def test_one_that_is_only_read_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"
