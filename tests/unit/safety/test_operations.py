"""The files of ``grammar/operations``: what is in them only reads, and no option leads elsewhere."""

from pathlib import Path
from typing import Any

import pytest

from execpolicy.errors import InvalidRuleError
from execpolicy.resources import grammar_folder
from execpolicy.safety.entries import build_safe
from execpolicy.safety.grammar import Grammar, Operations
from tests.operations import aws, az, gcloud
from tests.operations.listing import Operation, listing
from tests.support.each import slow_ones
from tests.support.judging import verdict

FOLDER = Path(grammar_folder()) / "operations"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.txt"))
NEVER = {
    "aws": (
        "endpoint-url",
        "ca-bundle",
        "debug",
        "no-verify-ssl",
        "cli-input-json",
        "cli-input-yaml",
        "with-decryption",
    ),
    "az": ("debug",),
    "gcloud": (
        "flags-file",
        "access-token-file",
        "log-http",
        "impersonate-service-account",
        "configuration",
        "trace-token",
    ),
}
CHANGING = (
    "create", "delete", "update", "put", "set", "add", "remove", "start", "stop", "terminate", "modify", "attach",
    "detach",
    "invoke", "send", "publish", "run", "execute", "enable", "disable", "reboot", "restore", "import", "purge", "reset",
)  # fmt: skip


def every(program: str) -> list[tuple[tuple[str, ...], str, list[str]]]:
    """Group, name and options of every operation of ``program``, read the way that a command is."""
    found = []

    def below(path: str) -> None:
        level = Operations(path, {}, program)
        for name in level:
            grammar = Grammar(level[name], program)
            if grammar.subcommands is not None:
                below(f"{path} {name}")
            else:
                found.append((tuple(path.split()[1:]), name, list(grammar.options.kinds)))

    below(program)
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_operation_can_be_read_and_none_changes_anything_by_its_name(program: str) -> None:
    operations = every(program)
    assert len(operations) > 1000
    for group, name, options in operations:
        assert name.split("-")[0] not in CHANGING, (group, name)
        spelled = [option.lstrip("-") for option in options]
        for harmful in NEVER[program]:
            abbreviations = [option for option in spelled if len(option) > 1 and harmful.startswith(option)]
            assert not abbreviations, (group, name, abbreviations)


@pytest.mark.parametrize("program", slow_ones(PROGRAMS, ["aws"]))
def test_a_file_is_as_its_maker_writes_it(program: str) -> None:
    text = (FOLDER / f"{program}.txt").read_text("utf-8")
    head = [line[2:] for line in text.splitlines() if line.startswith("# ")]
    again = listing(
        head,
        [
            Operation(group, name, tuple(_written(option, kind) for option, kind in _kinds(program, group, name)))
            for group, name, _ in every(program)
        ],
    )
    assert sorted(again.splitlines()) == sorted(text.splitlines())


def _kinds(program: str, group: tuple[str, ...], name: str) -> list[tuple[str, str]]:
    grammar = Grammar(Operations(" ".join((program, *group)), {}, program)[name], program)
    return sorted((option.lstrip("-"), kind) for option, kind in grammar.options.kinds.items())


def _written(option: str, kind: str) -> str:
    return f"{option}:" if kind else option


@pytest.mark.parametrize(
    ("model", "is_listed"),
    [
        ({"type": "string"}, True),
        ({"type": "string", "sensitive": True}, True),
        ({"type": "blob", "streaming": True}, False),
    ],
)
def test_an_answer_that_is_a_stream_of_bytes_is_left_out(model: dict[str, object], is_listed: bool) -> None:
    found = list(aws.of_model("made", _model("GetThing", "Text", model), str.lower))
    assert bool(found) is is_listed


@pytest.mark.parametrize(
    "member", ["SecretString", "Password", "PresignedUrl", "AuthToken", "KeyMaterial", "UserData", "accessKey"]
)
def test_an_answer_that_holds_a_secret_is_left_out(member: str) -> None:
    assert not list(aws.of_model("made", _model("GetThing", member, {"type": "string"}), str.lower))


@pytest.mark.parametrize("member", ["Environment", "environmentVariables", "EnvVars", "env"])
def test_an_answer_that_holds_the_variables_of_a_program_is_left_out(member: str) -> None:
    values = {"type": "map", "key": {"shape": "Text"}, "value": {"shape": "Text"}}
    pairs = {"type": "list", "member": {"shape": "Pair"}}
    for shape in (values, pairs):
        model = _model("GetThing", member, shape)
        model["shapes"] |= {
            "Text": {"type": "string"},
            "Pair": {"type": "structure", "members": {"name": {"shape": "Text"}, "value": {"shape": "Text"}}},
        }
        assert not list(aws.of_model("made", model, str.lower))
    names = _model("GetThing", member, {"type": "list", "member": {"shape": "Text"}})
    names["shapes"]["Text"] = {"type": "string"}
    assert list(aws.of_model("made", names, str.lower))


def test_an_answer_with_a_password_among_its_keys_is_left_out() -> None:
    for key, listed in (("PASSWORD", False), ("HOST", True)):
        model = _model("GetThing", "Properties", {"type": "map", "key": {"shape": "Key"}, "value": {"shape": "Text"}})
        model["shapes"] |= {"Key": {"type": "string", "enum": [key]}, "Text": {"type": "string"}}
        assert bool(list(aws.of_model("made", model, str.lower))) is listed


@pytest.mark.parametrize(
    ("description", "is_listed"),
    [
        ("The pre-signed URL of the report.", False),
        ("A link to the archive that is valid for 10 minutes.", False),
        ("A single-use address.", False),
        ("Where the report lies.", True),
    ],
)
def test_an_answer_with_an_address_that_lets_in_is_left_out(description: str, is_listed: bool) -> None:
    for member, listed in (("Location", is_listed), ("NextToken", True)):
        model = _model("GetThing", member, {"type": "string"})
        model["shapes"]["Answer"]["members"][member]["documentation"] = description
        assert bool(list(aws.of_model("made", model, str.lower))) is listed


@pytest.mark.parametrize("member", ["SecretArn", "PasswordLastUsed", "AccessKeyId", "NextToken", "TokenStatus"])
def test_what_only_tells_of_a_secret_is_listed(member: str) -> None:
    assert list(aws.of_model("made", _model("GetThing", member, {"type": "string"}), str.lower))


@pytest.mark.parametrize("name", ["DeleteThing", "GetSessionToken", "PutThing", "GetThingPassword", "StartThing"])
def test_an_operation_that_changes_or_opens_something_is_left_out(name: str) -> None:
    assert not list(aws.of_model("made", _model(name, "Text", {"type": "string"}), str.lower))


def _model(name: str, member: str, shape: dict[str, object]) -> dict[str, Any]:
    shapes: dict[str, object] = {"Answer": {"type": "structure", "members": {member: {"shape": "Held"}}}, "Held": shape}
    return {"shapes": shapes, "operations": {name: {"output": {"shape": "Answer"}}}}


def test_options_that_name_files_are_left_out() -> None:
    assert list(gcloud.options({"--zone": "dynamic", "--flags-file": "value", "--uri": "bool"})) == ["uri", "zone:"]
    arguments = {
        "group": {"options": ["--resource-group", "-g"], "action": "", "nargs": ""},
        "where": {"options": ["--output-file"], "action": "", "nargs": ""},
        "all": {"options": ["--all"], "action": "store_true", "nargs": ""},
    }
    assert sorted(az.options(arguments)) == ["all", "g:", "resource-group:"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"operations": "nothing"}, "no operations of `nothing`"),
        ({"operations": ""}, "name of a file"),
        ({"operations": "aws", "operands": "any"}, "stand for all operands"),
        ({"values": "any"}, "does not have"),
        ({"operations": "aws", "values": "nonsense"}, "no form"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(arguments: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidRuleError, match=problem):
        build_safe({"name": "made", "program": "made", "reason": "reads", **arguments})


@pytest.mark.parametrize(
    ("script", "decision"),
    [
        ("aws ec2 describe-instances --instance-ids i-1 i-2 --query 'a[].b' | cat", "allow"),
        ("aws ec2 describe-instances --instance-ids fileb:///etc/shadow", "prompt"),
        ("aws --endpoint-url=http://x ec2 describe-instances", "prompt"),
        ("aws ec2 describe-instances --end http://x", "prompt"),
        ("AWS_ENDPOINT_URL=http://x aws ec2 describe-instances", "prompt"),
        ('aws ec2 describe-instances "$x"', "prompt"),
        ("aws ec2 describe-instances --region x.evil.example/", "prompt"),
        ("az vm list -g a --query=@x", "prompt"),
        ("az vm list -g a", "allow"),
        ("gcloud --project p compute instances list", "allow"),
        ("gcloud compute instances list $x", "prompt"),
        ("gcloud compute instances list --flags-file=x", "prompt"),
        ("aws glue get-connections", "prompt"),
        ("aws lambda get-layer-version --layer-name x --version-number 1", "prompt"),
        ("aws appsync list-api-keys --api-id x", "prompt"),
        ("aws batch describe-jobs --jobs x", "prompt"),
        ("gcloud run services describe x", "prompt"),
        ("gcloud iap oauth-clients list x", "prompt"),
        ("az containerapp show -n x -g y", "prompt"),
        ("docker service inspect web", "prompt"),
        ("docker service ps web", "allow"),
        ("docker config inspect c", "prompt"),
        ("doctl databases list", "allow"),
        ("doctl databases list -o json", "prompt"),
        ("helm install a ./chart --dry-run=server", "prompt"),
        ("brew -v install wget", "prompt"),
        ("brew --prefix ./x.rb", "prompt"),
    ],
)
def test_commands(script: str, decision: str) -> None:
    assert verdict(script, "", shell="bash").decision.word == decision
