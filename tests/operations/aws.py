"""The operations of AWS that only read, from the models that botocore ships."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.operations.listing import SECRET, Operation

READING = re.compile(
    r"(Describe|List|Get|BatchGet|BatchDescribe|Head|Search|Lookup|Filter|Query|Scan|Simulate|Count|Preview"
    r"|AdminGet|AdminList|CheckIf|CheckDNS|CheckDomain|TestDNS)(?=[A-Z]|$)"
)
"""With what the name of an operation begins that changes nothing by the vendor's own custom."""
NOT_READING = frozenset((
    "GetFederationToken", "GetSessionToken", "GetAuthorizationToken", "GetOpenIdToken", "GetDataAccess",
    "GetLoginToken",
    "GetOpenIdTokenForDeveloperIdentity", "GetId", "GetObjectTorrent", "QueryObjects", "GetGeneratedPolicy",
    "GetSnapshotBlock",
    "ListApiKeys", "DescribeConfigurationSettings", "DescribeNotebookInstanceLifecycleConfig", "GetPipelineDefinition",
    "GetConnectorUploadUrl", "GetWorkUnitResults", "ListDeliverabilityTestReports", "SearchProductsAsAdmin",
    "DescribeIdentityProvider", "DescribeConnector",
))  # fmt: skip
"""These make something, open something, or fetch the contents of a disk; the last six tell keys by their numbers, or
settings and scripts in which people keep secrets, or what signs in to somebody else.
"""
TELLING = frozenset((
    "apigateway GetStage", "apigateway GetStages", "apigatewayv2 GetStage", "apigatewayv2 GetStages",
    "apigatewayv2 GetIntegration", "apigatewayv2 GetIntegrations", "emr DescribeStep", "emr ListSteps",
    "emr ListBootstrapActions", "emr-serverless GetApplication", "emr-serverless GetJobRun",
    "emr-serverless GetSession", "events DescribeApiDestination", "events ListApiDestinations",
    "events ListTargetsByRule", "scheduler GetSchedule", "sns GetSubscriptionAttributes", "sns ListSubscriptions",
    "sns ListSubscriptionsByTopic", "ssm DescribeAssociation",
    "ssm GetParametersByPath",
    "ssm ListCommandInvocations", "ssm ListCommands", "wafv2 GetRuleGroup", "wafv2 GetWebACL",
    "wafv2 GetWebACLForResource",
))  # fmt: skip
"""What they answer holds variables, arguments, headers or addresses under other names, in which people keep secrets;
or all settings of a store at once."""
VARIABLES = re.compile(r"env(ironment)?[_-]?(variables?|vars?|map)?$", re.IGNORECASE)
"""What the variables of a program are called, in which people keep secrets."""
OPENING = re.compile(
    r"pre-?signed|single-use|valid for \d+ minutes|expires? (in|after) \d+ (minutes|seconds)", re.IGNORECASE
)
"""In the description of an address: whoever has it gets in, for a while."""
ADDRESS = re.compile(r"(ur[il]|link|location|summary)$", re.IGNORECASE)
DOOR = re.compile(r"auth.?key|webhook.?url", re.IGNORECASE)
"""More names of what opens doors."""
ABOUT = re.compile(
    r"(Arns?|Ids?|Names?|Locations?|Times?|Timestamp|Date|At|Status|State|Types?|Enabled|Versions?"
    r"|Metadata|Polic(y|ies)|Provider|Age"
    r"|Settings?|Configuration|Count|Expiration|Period|Rotation|Reset|Required|Algorithm|LastUsed\w*"
    r"|Format|Specification|Exists|Set"
    r"|Length|Requirements?|Description|Mode|Source|Days|Owner|Options?|Scopes?|Method|Parameter|Path|Size"
    r"|Validity|Enforcement|Usage"
    r"|Managed|Present|Key(Id|Arn)|Association|Allowed|Rule|Url(Name|Type)|Cost|Summary|Quota)s?$", re.IGNORECASE,
)  # fmt: skip
"""How names end of what only tells of a secret."""
ONLY_ABOUT = frozenset((
    "ListAccessKeys", "ListSecrets", "DescribeSecret", "ListSecretVersionIds", "DescribeDBInstances",
    "DescribeDBClusters",
    "DescribeReplicationInstances", "ListSSHPublicKeys", "ListServiceSpecificCredentials", "ListSigningCertificates",
    "GetAccessKeyInfo", "GetParameter", "GetParameters", "GetParameterHistory",
))  # fmt: skip
"""Read one by one: what looks like a secret in their answers is masked, or only named, by the vendor's own manual."""
HARMFUL = ("endpoint-url", "ca-bundle", "debug", "no-verify-ssl", "v2-debug", "cli-input-json", "cli-input-yaml")
"""Options of ``aws`` that an option of an operation must not be an abbreviation of."""
UNLOCKING = ("with-decryption", "include-value", "include-values", "attribute")
"""Options with which an answer holds what it would leave out."""
SERVICES = {"cloudsearchdomain": None, "deploy": None, "s3": "s3api", "codedeploy": "deploy", "events": "events",
            "config": "configservice", "lex-models": "lex-models", "runtime.sagemaker": None}  # fmt: skip
"""Commands that are not called like the folder of their model; ``None`` for none."""


def operations(data: Path) -> Iterator[Operation]:
    """Those of the newest model of every service below ``data`` (``botocore/data``, with botocore installed)."""
    from botocore import xform_name

    def spelled(name: str) -> str:  # `DescribeDBInstances` is `describe-db-instances` on the command line
        return str(xform_name(name, "-"))

    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        versions = sorted(folder.glob("*/service-2.json.gz"))
        command = SERVICES.get(folder.name, folder.name)
        if versions and command is not None:
            model = json.loads(gzip.decompress(versions[-1].read_bytes()))
            yield from of_model(command, model, spelled)


def of_model(command: str, model: dict[str, Any], spelled: Callable[[str], str]) -> Iterator[Operation]:
    """Those of one model that only read, as operations of ``command``."""
    shapes = model["shapes"]
    for name, operation in model["operations"].items():
        method = operation.get("http", {}).get("method", "POST")
        if not READING.match(name) or name in NOT_READING or method in ("PUT", "DELETE", "PATCH"):
            continue
        if f"{command} {name}" in TELLING:
            continue
        if operation.get("deprecated") or (name not in ONLY_ABOUT and _is_secret(name)):
            continue
        answer = operation.get("output", {}).get("shape")
        if answer is not None and name not in ONLY_ABOUT and _tells_secrets(answer, shapes):
            continue
        yield Operation((command,), spelled(name), tuple(_options(operation, shapes, spelled)))


def _tells_secrets(shape: str, shapes: dict[str, Any]) -> bool:
    """Whether an answer holds a secret, variables, an address that lets in, a stream of bytes, or what the vendor marks
    as sensitive and names like a secret.
    """
    waiting, seen = [(shape, "", False)], set()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        at, named, opens = here
        described = shapes[at]
        kind = described["type"]
        if described.get("streaming") or (kind == "blob" and named == ""):
            return True
        if kind in ("string", "blob") and (_is_secret(named) or (opens and ADDRESS.search(named))):
            return True
        if _holds_values(described, shapes) and VARIABLES.search(named):
            return True
        if any(_is_secret(key) for key in _keys(described, shapes)):
            return True
        if (
            described.get("sensitive")
            and re.search("value|data|key|token|environment|content|code", f"{named} {at}", re.IGNORECASE)
            and not re.search("(Id|Arn)s?$", named, re.IGNORECASE)
        ):
            return True
        for name, member in described.get("members", {}).items():
            waiting.append((member["shape"], name, OPENING.search(member.get("documentation", "")) is not None))
        waiting += [
            (described[part]["shape"], named, False) for part in ("member", "key", "value") if part in described
        ]
    return any(member.get("streaming") for member in shapes[shape].get("members", {}).values())


def _holds_values(described: dict[str, Any], shapes: dict[str, Any]) -> bool:
    """Whether a shape is names with values: a map, or a list of pairs."""
    if described["type"] == "list":
        return any(name.lower() == "value" for name in shapes[described["member"]["shape"]].get("members", {}))
    return bool(described["type"] == "map")


def _keys(described: dict[str, Any], shapes: dict[str, Any]) -> list[str]:
    """The keys that a map may have, where the vendor lists them."""
    return shapes[described["key"]["shape"]].get("enum", []) if described["type"] == "map" else []


def _is_secret(name: str) -> bool:
    """Whether what is called ``name`` opens doors; where a secret lies or what it is called does not."""
    return (SECRET.search(name) or DOOR.search(name)) is not None and not ABOUT.search(name)


def _options(operation: dict[str, Any], shapes: dict[str, Any], spelled: Callable[[str], str]) -> list[str]:
    members = shapes[operation["input"]["shape"]].get("members", {}) if "input" in operation else {}
    found: set[str] = set()
    for name, member in members.items():
        option = spelled(name)
        if option in UNLOCKING or any(harmful.startswith(option) for harmful in HARMFUL):
            continue
        if shapes[member["shape"]]["type"] == "boolean":
            found |= {option, f"no-{option}"}
        else:
            found.add(f"{option}:")
    return sorted(found)
