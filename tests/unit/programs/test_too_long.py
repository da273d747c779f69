"""No number of files, lines or items hides what stands behind them."""

import pytest

from tests.support.judging import decision

RULES = (
    'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n'
    'prefix_rule(pattern=[["cat", "echo", "parallel", "printf", "sh"]])\n'
)
MANY = (20, 70)


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("ending", ["yml", "py"])
@pytest.mark.parametrize("script", ["echo 'git push' > d/x.sh; cd d; sh x.sh"])
def test_other_files_hide_none(script: str, ending: str, many: int) -> None:
    others = "".join([f"echo {at} > f{at}.{ending}; " for at in range(many)])
    assert decision(others + script, RULES) == "forbidden"
    assert decision(others + script.replace("git push", "git log"), RULES) != "forbidden"


@pytest.mark.parametrize("many", [40, 200])
@pytest.mark.parametrize(("file", "last"), [("x.sh", "'git push' >> x.sh; sh x.sh")])
def test_other_writers_hide_none(file: str, last: str, many: int) -> None:
    others = "".join([f"echo {at} >> {file}; " for at in range(many)])
    assert decision(f"{others}echo {last}", RULES) == "forbidden"


@pytest.mark.parametrize("many", [30, 31, 32, 60])
def test_other_writers_hide_none_in_pieces(many: int) -> None:
    others = "".join([f"echo {at} >> f; " for at in range(many)])
    assert decision(f"{others}printf 'git ' >> f; echo push >> f; sh f", RULES) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "parallel git ::: " + "a " * 300 + "push",
        "parallel {1} {2} ::: " + "a " * 40 + "git ::: " + "a " * 40 + "push",
        "parallel ::: " + "ls " * 300 + "'git push'",
    ],
)
def test_other_items_hide_none(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize("move", ["pushd d;", "pushd d &&", "cd d;", "cd d &&"])
def test_another_folder_hides_none(move: str) -> None:
    assert decision(f"echo 'git push' > d/f; {move} sh f", RULES) == "forbidden"
