"""The environment that commands get: what is inherited, kept back and set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from execpolicy.validators import flag, instance, one_of, optional, settle, texts, variables

_CORE = frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "USER", "USERNAME", "TMPDIR", "TEMP", "TMP"})
_SECRETS = ("*KEY*", "*SECRET*", "*TOKEN*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellEnvironmentPolicy:
    """Which variables a command gets. The steps are applied in the order of the fields.

    Attributes:
        inherit: ``all`` of the host's variables, the ``core`` ones (home, path, user, temporary folder), or ``none``.
        ignore_default_excludes: also pass variables whose name holds KEY, SECRET or TOKEN.
        exclude: patterns (``*``, ``?``) of names to drop; case does not matter, here and in ``include_only``.
        set: variables to add or replace.
        include_only: patterns of names to keep; empty keeps all.
    """

    inherit: Literal["all", "core", "none"] = "all"
    ignore_default_excludes: bool = False
    exclude: tuple[str, ...] = ()
    set: Mapping[str, str] = field(default_factory=dict)
    include_only: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        settle(self, inherit=one_of("all", "core", "none"), ignore_default_excludes=flag, exclude=texts)
        settle(self, set=variables, include_only=texts)


def create_env(
    policy: ShellEnvironmentPolicy, environ: Mapping[str, str], *, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment under ``policy`` for a host that has ``environ``; ``extra`` is merged last.

    Raises:
        UsageError: something is of another kind.
    """
    instance(ShellEnvironmentPolicy)(policy, "the environment policy")
    variables(environ, "the environment")
    optional(variables)(extra, "what is merged last")
    if policy.inherit == "none":
        env: dict[str, str] = {}
    elif policy.inherit == "core":
        env = {name: value for name, value in environ.items() if name in _CORE}
    else:
        env = dict(environ)
    dropped = policy.exclude if policy.ignore_default_excludes else _SECRETS + policy.exclude
    env = {name: value for name, value in env.items() if not _matches(name, dropped)}
    env.update(policy.set)
    if policy.include_only:
        env = {name: value for name, value in env.items() if _matches(name, policy.include_only)}
    env.update(extra or {})
    return env


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.upper(), pattern.upper()) for pattern in patterns)
