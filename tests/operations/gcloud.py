"""The operations of gcloud that only read, from the table for completion that it ships."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.operations.listing import SECRET, Operation

READING = re.compile(
    r"(list|describe|get|search|lookup|read|query|list-.*|get-.*|search-.*|describe-.*|lookup-.*|query-.*"
    r"|find-.*|ls|stat|print-settings)$"
)
NOT_READING = frozenset((
    "get-credentials", "get-register-parameters", "get-key-string", "get-ssl-cert", "get-value",
    "get-ancestors-tokens", "get-keys",
    "get-signed-url", "get-mount-command", "get-artifact", "get-startup-script", "get-auth-string",
))  # fmt: skip
"""These write files, print secrets, or configure other programs."""
GROUPS_LEFT_OUT = (
    "auth",
    "config",
    "emulators",
    "components",
    "docker",
    "cloud-shell",
    "survey",
    "feedback",
    "bq",
    "anthos",
    "meta",
)
"""These hand on to other programs, print tokens, or install."""
TELLS_VALUES = re.compile(
    r"((alpha|beta) )?(run (services|jobs|revisions|worker-pools|jobs executions)|functions|app versions"
    r"|batch (jobs|tasks)|ai (models|endpoints|custom-jobs|hp-tuning-jobs)|ai-platform jobs|composer environments"
    r"|composer environments user-workloads-(secrets|config-maps)|workflows|iap oauth-clients|scheduler jobs"
    r"|builds( triggers)?|workstations( configs)?|notebooks (instances|runtimes|environments|schedules|executions)"
    r"|workbench (instances|executions|schedules)|container clusters|dataproc (clusters|jobs|batches|sessions"
    r"|session-templates|workflow-templates)|ml-engine (jobs|versions)|dataflow (jobs|yaml|flex-template)"
    r"|deployment-manager (deployments|manifests|resources)|infra-manager (deployments|previews|revisions)"
    r"|tasks( queues)?|workflows executions|edge-cache (origins|services)|monitoring (uptime|channels)"
    r"|compute instance-groups managed instance-configs"
    r"|pubsub subscriptions|netapp active-directories|compute interconnects attachments"
    r"( dedicated| partner)?)"
)
"""Groups whose answers hold the variables of programs, what they are started with, the headers that they send,
addresses with a key, or a client's secret."""
TELLS_METADATA = re.compile(
    r"((alpha|beta) )?compute (instances|instance-templates|machine-images|project-info|project-zonal-metadata"
    r"|tpus tpu-vm|tpus queued-resources|instance-groups managed|backend-services|url-maps)"
)
"""Groups that show (``list`` as well, where it is told to print all) what machines are started with:
scripts, and keys of clusters (``kube-env``), or the headers by which a server knows who may ask it."""
HARMFUL = re.compile(
    r"file|token|log-http|impersonate|configuration$|credential|key-|out|dest|path|local|browser|watch|follow|stream"
)
"""In the name of an option: it reads or writes a file, or goes on for ever."""
GLOBAL = (
    "--configuration", "--access-token-file", "--flags-file", "--impersonate-service-account", "--log-http",
    "--trace-token",
)  # fmt: skip
"""Options of every command that those of one command must not be an abbreviation of."""


def operations(table: Path) -> Iterator[Operation]:
    """Those that ``gcloud_completions.py`` lists."""
    spec = importlib.util.spec_from_file_location("gcloud_completions", table)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield from _below(module.STATIC_COMPLETION_CLI_TREE, ())


def _below(node: dict[str, Any], group: tuple[str, ...]) -> Iterator[Operation]:
    for name, child in node["commands"].items():
        if not group and name in GROUPS_LEFT_OUT:
            continue
        if child["commands"]:
            yield from _below(child, (*group, name))
        elif (
            READING.match(name)
            and name not in NOT_READING
            and not TELLS_VALUES.fullmatch(" ".join(group))
            and not (name in ("describe", "list") and TELLS_METADATA.fullmatch(" ".join(group)))
            and not SECRET.search(" ".join((*group, name)).replace("secrets", ""))
        ):
            yield Operation(group, name, tuple(options(child["flags"])))


def options(flags: dict[str, Any]) -> Iterator[str]:
    """The options of one command, without those that are harmful."""
    for name, kind in sorted(flags.items()):
        if not HARMFUL.search(name) and not any(harmful.startswith(name) for harmful in GLOBAL):
            yield name[2:] if kind == "bool" else f"{name[2:]}:"
