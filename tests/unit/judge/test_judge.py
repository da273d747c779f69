"""Rules and heuristics applied to whole scripts: restrict on sight, grant on proof."""

import pytest

from execpolicy.core.decision import Decision
from tests.support.each import each
from tests.support.judging import decision, verdict

PYTEST = 'prefix_rule(pattern = ["pytest"])\n'


@pytest.mark.parametrize(
    "script",
    [
        "pytest -q",
        "pytest -q 2>&1",
        "pytest -q 2>/dev/null | tail -5",
        "cd sub && pytest -q",
        "timeout 60 pytest -q",
        "NO_COLOR=1 pytest -q",
        "if pytest -q; then echo ok; fi",
        "pytest -q < input.txt",
        "pytest -q; echo $?",
        "/usr/bin/pytest -q",
        "pytest tests/*.py",
        'for t in a b; do pytest "$t"; done',
        "bash -c 'pytest -q'",
        "nice -n 5 pytest",
        "! pytest -q",
        "pytest -q &",
        "pytest -q # a comment",
    ],
)
def test_an_allowed_program_stays_allowed_in_everyday_scripts(script: str) -> None:
    assert decision(script, PYTEST) == "allow"


@pytest.mark.parametrize(
    "script",
    [
        "pytest > ../x",
        "pytest >> log",
        "PYTHONPATH=evil pytest",
        "pytest $(curl x)",
        "pytest; rm x",
        "pytest && unknown-program",
        "export PATH=.:$PATH; pytest",
        "pytest() { rm x; }; pytest",
        "alias pytest=rm; pytest",
        "./pytest",
        "/tmp/pytest",
        "sudo pytest",
        "env PYTHONPATH=x pytest",
        "pytest ${x:=y}",
        "pytest < /dev/tcp/h/1",
        "$x pytest",
        "pytest 'unterminated",
        "xargs pytest < <(curl x)",
        "bash --rcfile evil -c pytest",
        "BASH_ENV=evil bash -c pytest",
        "echo x | bash",
    ],
)
def test_a_grant_needs_proof(script: str) -> None:
    assert decision(script, PYTEST) == "prompt"


FORBID_RM = 'prefix_rule(pattern = ["rm"], decision = "forbidden")\n'


@each(
    "script",
    [
        "rm x",
        "ls && rm x",
        "ls | rm x",
        "(rm x)",
        "{ rm x; }",
        "for f in a; do rm $f; done",
        "echo $(rm x)",
        "echo `rm x`",
        "cat <(rm x)",
        "if true; then :; else rm x; fi",
        "f() { rm x; }",
        "sudo rm x",
        "sudo -u root -n rm x",
        "env -i A=1 rm x",
        "timeout -k 1 5 rm x",
        "echo a | xargs -n1 rm",
        "find . -exec rm {} +",
        "bash -c 'rm x'",
        "bash -lc \"sudo bash -c 'rm x'\"",
        "/bin/rm x",
        "./rm x",
        "r''m x",
        "\\rm x",
        "r\\\nm x",
        "$'rm' x",
        "cat <<EOF\n$(rm x)\nEOF\n",
        "cat <<'EOF' | sh\nrm x\nEOF\n",
        "bash <<< 'rm x'",
        "a=rm; $a x",
        'set -- rm x; "$@"',
        "{rm,x}",
        "rm$IFS-rf x",
        "/bin/r[m] x",
        "`echo rm` x",
        "eval 'rm x'",
        "trap 'rm x' EXIT",
        "coproc rm x",
        "time rm x",
        "! rm x",
        "rm x &",
        "ls 'unterminated; rm x\nrm y",
        "nohup nice setsid rm x",
        "awk 'BEGIN{system(\"rm x\")}'",
    ],
)
def test_what_is_forbidden_is_found_wherever_it_hides(script: str) -> None:
    assert decision(script, FORBID_RM, heuristics=False) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "echo 'rm x'",
        "git commit -m 'rm x'",
        "cat <<'EOF'\nrm x\nEOF\n",
        "grep -n 'a|rm' f",
        "echo rm x",
        "ls rm",
        "git log --grep='; rm x'",
        "# rm x\nls",
    ],
)
def test_text_that_mentions_a_command_is_data(script: str) -> None:
    assert decision(script, FORBID_RM, heuristics=False) != "forbidden"


def test_global_options_are_looked_through_to_restrict_only() -> None:
    forbid = 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n'
    allow = 'prefix_rule(pattern = ["git", "push"])\n'
    assert decision("git -C x push", forbid) == "forbidden"
    assert decision("git -c a=b push", allow) == "prompt"
    assert decision("git push", allow) == "allow"


def test_a_dynamic_word_must_not_hide_a_stricter_rule() -> None:
    rules = (
        'prefix_rule(pattern = ["git", "push"])\nprefix_rule(pattern = ["git", "push", "-f"], decision = "prompt")\n'
    )
    assert decision("git push origin", rules) == "allow"
    assert decision("git push $x", rules) == "prompt"
    assert decision('prog "$x"', 'prefix_rule(pattern = ["prog"])\n') == "allow"


def test_a_rule_for_a_wrapper_does_not_grant_what_it_wraps() -> None:
    assert decision("sudo rm x", 'prefix_rule(pattern = ["sudo"])\n') == "prompt"
    assert decision("sudo rm x", 'prefix_rule(pattern = ["sudo", "rm"])\n') == "allow"
    assert decision("npx tsc --noEmit", 'prefix_rule(pattern = ["npx", "tsc"])\n') == "allow"
    assert decision("cat x | bash", 'prefix_rule(pattern = ["bash"])\nprefix_rule(pattern = ["cat"])\n') == "prompt"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("export LC_ALL=C; sort a.txt", "allow"),
        ("declare -A seen; ls", "allow"),
        ("x=src; ls $x", "allow"),
        ("export PATH=.; ls", "prompt"),
        ("export FOO=1; ls", "allow"),
        ("FOO=1 ls", "allow"),
        ("env FOO=1 ls", "allow"),
        ("PATH=/usr/bin:/bin ls", "allow"),
        ("PATH=/usr/bin: ls", "prompt"),
        ("PATH= ls", "prompt"),
        ("export FOO=1; make", "prompt"),
        ("declare -n r=PATH; ls", "prompt"),
        ("PATH[0]=/usr/bin; ls", "prompt"),
        ("PATH+=/usr/bin; ls", "prompt"),
        ("LC_ALL[1]=C; ls", "prompt"),
        ("PATH=.; ls", "prompt"),
        ("x=$(rm y); ls", "prompt"),
        ("export LC_ALL=C > out", "prompt"),
    ],
)
def test_setting_variables(script: str, expected: str) -> None:
    assert decision(script) == expected


def test_evidence_restricts_and_never_stands_in_the_way_of_a_grant() -> None:
    assert decision("echo a b | xargs grep foo") == "allow"
    assert decision("git rm x", 'prefix_rule(pattern = ["git"])\n') == "allow"
    assert decision("git rm x", 'prefix_rule(pattern = ["git"])\n' + FORBID_RM) == "forbidden"


def test_write_rules_say_what_redirections_may_write() -> None:
    rules = (
        PYTEST
        + 'write_rule(paths = ["./build/**", "/tmp/*"])\nwrite_rule(paths = ["~/.ssh/**"], decision = "forbidden")\n'
    )
    assert decision("pytest > build/log", rules) == "allow"
    assert decision("pytest >> /tmp/log 2>&1", rules) == "allow"
    assert decision("pytest > build/../x", rules) == "prompt"
    assert decision("pytest > $x", rules) == "prompt"
    assert decision("cd sub && pytest > build/log", rules) == "prompt"
    assert decision("pytest > /home/u/.ssh/config", rules) == "forbidden"
    assert decision("> /home/u/.ssh/config", rules) == "forbidden"


def test_a_link_out_of_an_allowed_folder_is_not_allowed() -> None:
    from execpolicy.judge.check import check
    from execpolicy.judge.situation import Situation
    from tests.support.judging import rulebook

    rules = rulebook(PYTEST + 'write_rule(paths = ["./build/**"])\n')
    linked = Situation("/srv/project", real_path=lambda path: path.replace("/srv/project/build", "/etc"))
    assert check("pytest > build/passwd", rules, situation=linked).decision is Decision.PROMPT


@pytest.mark.parametrize("argv", [["bash", "-lc", "rm x"], ["/bin/sh", "-c", "rm x"], ["zsh", "-ec", "rm x"]])
def test_an_argv_with_a_shell_is_read_as_its_script(argv: list[str]) -> None:
    assert decision(argv, FORBID_RM) == "forbidden"


def test_a_shell_from_an_odd_place_grants_nothing() -> None:
    assert decision(["/tmp/bash", "-c", "pytest"], PYTEST) == "prompt"
    assert decision(["/tmp/bash", "-c", "rm x"], FORBID_RM) == "forbidden"


def test_an_argv_is_not_split_by_a_shell() -> None:
    assert decision(["echo", "x; rm y", "$(rm z)"], FORBID_RM) == "allow"


def test_an_empty_input_is_not_allowed() -> None:
    assert decision("") == decision("  \n") == "prompt"


@pytest.mark.parametrize(
    ("script", "expected"),
    [("[[ -f x ]]", "allow"), ("(( 1 + 1 ))", "allow"), ("# nothing", "prompt"), ("[[ $x -eq 1 ]]", "prompt")],
)
def test_a_script_that_runs_no_command(script: str, expected: str) -> None:
    assert decision(script) == expected


def test_every_command_is_reported_with_its_span() -> None:
    found = verdict("ls -la && rm x", FORBID_RM)
    assert [(c.argv, c.decision.word) for c in found.commands] == [(("ls", "-la"), "allow"), (("rm", "x"), "forbidden")]
    body = found.to_json()
    assert list(body) == ["decision", "reason", "matchedRules", "commands"]
    assert body["commands"][1]["span"] == [10, 14]


def test_while_a_file_is_broken_nothing_is_allowed_by_heuristics() -> None:
    from execpolicy.judge.check import check
    from execpolicy.judge.rulebook import Rulebook
    from tests.support.judging import PLACE, builtin, rulebook

    closed = Rulebook(rulebook(PYTEST).statements, fail_closed=True)
    assert check("ls", builtin(), situation=PLACE).decision is Decision.ALLOW
    assert check("ls", closed, situation=PLACE).decision is Decision.PROMPT
    assert check("pytest", closed, situation=PLACE).decision is Decision.ALLOW


@pytest.mark.parametrize("depth", [10, 60])
def test_deep_wrappers_are_opened(depth: int) -> None:
    assert decision("nice " * depth + "rm x", FORBID_RM) == "forbidden"
    assert decision("nice " * depth + "ls") == "allow"


def test_what_is_nested_too_deep_to_be_opened_is_never_granted() -> None:
    assert decision("nice " * 100 + "ls") == "prompt"
    assert decision("sudo --odd " * 40 + "ls") == "prompt"


def test_a_remembered_verdict_is_that_of_its_rulebook_place_and_shell() -> None:
    from execpolicy.judge.check import check
    from execpolicy.judge.situation import Situation
    from tests.support.judging import PLACE, rulebook

    allowing = rulebook(PYTEST)
    assert check("pytest", allowing, situation=PLACE) is check("pytest", allowing, situation=PLACE)
    assert check("pytest", rulebook(FORBID_RM), situation=PLACE).decision is Decision.PROMPT
    ours = rulebook('prefix_rule(pattern = ["prog"])\nhost_executable(name = "prog", paths = ["/a/prog"])\n')
    assert check("./prog", ours, situation=Situation("/a")).decision is Decision.ALLOW
    assert check("./prog", ours, situation=Situation("/b")).decision is Decision.PROMPT
    assert check("ls *(e:x:)", allowing, shell="zsh", situation=PLACE).decision is Decision.PROMPT


def test_what_is_written_is_looked_at_every_time() -> None:
    from execpolicy.judge.check import check
    from execpolicy.judge.situation import Situation
    from tests.support.judging import rulebook

    rules = rulebook(PYTEST + 'write_rule(paths = ["./build/**"])\n')
    links: dict[str, str] = {}
    place = Situation("/srv/project", real_path=lambda path: links.get(path, path))
    assert check("pytest > build/log", rules, situation=place).decision is Decision.ALLOW
    links["/srv/project/build/log"] = "/etc/passwd"
    assert check("pytest > build/log", rules, situation=place).decision is Decision.PROMPT


def test_a_chain_too_long_to_follow_is_never_granted() -> None:
    script = "echo rm" + " | rev" * 2000 + " | sh"
    assert decision(script) == "prompt"
    assert decision(script + "; rm y", FORBID_RM) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "rm() { :; }; unset rm; rm x",
        "rm() { :; }; builtin unset rm; rm x",
        "f() { unset rm; }; rm() { :; }; f; rm x",
        "rm() { :; }; unset -f rm; rm x",
        "(rm() { :; }); rm x",
        "rm x; rm() { :; }",
        "false && rm() { :; }; rm x",
        "{ rm() { :; }; } < /nonexistent; rm x",
        "rm() { :; }; env rm x",
        "rm() { :; }; command rm x",
        "git() { echo --output=x; }; /usr/bin/git log $(git rev-parse HEAD)",
    ],
)
def test_a_function_that_may_not_be_what_runs_grants_nothing(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize(
    "script",
    [
        "export FOO=1; make",
        "FOO=1 make",
        "env FOO=1 make",
        "env -i make",
        "env -u FOO make",
        "env -C d ./run.sh",
        "env -C d bash -c ./run.sh",
        "find . -execdir ./run.sh {} ;",
        "find . -execdir python3 tools/x.py {} ;",
        "export FOO=1; bash -c make",
        "export FOO=1; find . -exec make ';'",
        "f() { make; }; export FOO=1; f",
        "export FOO=1; echo $(make)",
        "nohup make",
    ],
)
def test_what_a_rule_allows_is_not_allowed_in_other_surroundings(script: str) -> None:
    rules = 'prefix_rule(pattern=[["make", "./run.sh"]])\nprefix_rule(pattern=["python3", "tools/x.py"])\n'
    assert decision(script, rules) == "prompt"


@pytest.mark.parametrize(
    "script",
    [
        "env -i bash -c make",
        "exec -c bash -c make",
        "exec -lca name make",
        "bwrap --clearenv make",
        "setpriv --reset-env make",
    ],
)
def test_a_program_is_not_looked_for_elsewhere_because_its_wrapper_is_allowed(script: str) -> None:
    rules = 'prefix_rule(pattern=[["make", "env", "exec", "bwrap", "setpriv"]])\n'
    assert decision("exec make", rules) == "allow"
    assert decision(script, rules) == "prompt"  # without PATH, bash looks in the working folder, too
