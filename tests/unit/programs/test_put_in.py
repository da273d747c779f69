"""What editors of streams put into a text: every place counts where an order may stand."""

import subprocess
from pathlib import Path

from execpolicy.programs.files.put_in import MAX_EDITS, MAX_TRIED, inserted, replacements
from tests.support.each import each
from tests.support.judging import decision

RULES = (
    'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n'
    'prefix_rule(pattern=[["make", "mytool", "npm", "perl", "printf", "sed", "sh"]])\n'
)


@each(
    ("text", "found"),
    [
        ("s/x/git push/", "git push"),
        ("s/a/b/;s/c/git push/", "git push"),
        ("1s|.*|git push|", "git push"),
        ("/s/s,a\\,b,git push,", "git push"),
        ("s{x}{git push}", "git push"),
        ("s(x) <git push>e", "git push"),
        ("s/x/cd a \\&\\& git push/", "cd a && git push"),
        ("s/^x:.*/x:\\n\\tgit push/", "x:\n\tgit push"),
        ("s/.*/\\LGIT PUSH/", "git push"),
        ("s/.*/gi\\x74 \\o160ush/", "git push"),
        ("s/a/" + "b/;s/a/" * 20 + "git push/", "git push"),
    ],
)
def test_replacements(text: str, found: str) -> None:
    assert found in replacements(text)


@each(
    ("text", "found"),
    [
        ("1i git push", "git push"),
        ("1i x:\\n\\tgit push", "x:\n\tgit push"),
        ("/^x:/a\\\n\tgit push", "\tgit push"),
        ("/^x:/I,/y/ c git push", "git push"),
        ("\\%x%i\\git push", "git push"),
        ("2i \\\\tgit push", "\tgit push"),
        ("2d;$a git push", "git push"),
        ("/x/{a git push\n}", "git push"),
    ],
)
def test_lines_that_are_put_in_are_those_that_sed_prints(text: str, found: str, tmp_path: Path) -> None:
    assert found in inserted(text)
    given = tmp_path / "x"
    given.write_text("x:\nb\ny\n")
    printed = subprocess.run(["sed", text, given], capture_output=True, text=True, check=True).stdout
    assert found in printed


def test_padding_is_read_in_time() -> None:
    # one end for each beginning, far away: a scan to the end for each of them would cost the square
    letters = "".join(["s" + chr(0x4E00 + at) for at in range(5_000)])
    assert len(replacements(letters)) <= MAX_EDITS
    assert len(replacements("s/a/b/;" * MAX_TRIED)) <= MAX_EDITS + 1
    assert len(inserted("1i x;" * 5_000)) <= 4 * MAX_EDITS
    assert replacements("s/" + "\\/" * 500_000) == []
    assert replacements("s/" + "\\" * 1_000_000 + "/x/") == ["x"]


@each(
    "script",
    [
        "sed -i '1i x:\\n\\tgit push' Makefile; make x",
        "sed -i 's/^x:.*/x:\\n\\tgit push/' Makefile && make x",
        "sed -i -e '1i x:' -e '2i \\\\tgit push' Makefile; make x",
        "sed -i '/^x:/a\tgit push' Makefile; make x",
        "perl -pi -e 's{^x:.*}{x:\\n\\tgit push}' Makefile; make x",
        "printf '/^x:/a\\\\\\n\\tgit push\\n' > e.sed; sed -i -f e.sed Makefile; make x",
        "printf '/^x:/a\\\\\\n\\tgit push\\n' > e.sed; sed --file=e.sed f | sh",
        'sed -i \'1s|.*|require("child_process").execSync("git push")|\' x1.cjs; npm run x',
        'sed -i \'1s|.*|require("child_process").execSync("git push")|\' x1.cjs; mytool x1.cjs',
        "sed 's/a/b/;s/c/git push/' f | sh",
        "printf 'git push' > x.sh; npm run x",
        "printf 'x=git\\n$x push' > scripts/x.bash; make x",
    ],
)
def test_what_is_put_into_a_file_that_is_there_is_forbidden(script: str) -> None:
    assert decision(script, RULES) == "forbidden"
    assert decision(script.replace("git push", "git log").replace("$x push", "$x log"), RULES) != "forbidden"


def test_a_script_that_only_says_it_is_not() -> None:
    assert decision("printf 'echo \"then git push\"' > x.sh; npm run x", RULES) != "forbidden"
