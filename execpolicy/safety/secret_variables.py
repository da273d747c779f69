"""Variables of the environment whose value is a secret by their names, or the path of one."""

from __future__ import annotations

import re

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.safety.secrets import secret_in
from execpolicy.shell.variables import plain_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

_WITHIN = word_set(
    "SECRET TOKEN PASSWORD PASSWD PASSPHRASE API_KEY APIKEY ACCESS_KEY PRIVATE_KEY CREDENTIAL GITHUB_PAT "
    "CONNECTION_STRING CONNECTIONSTRING CONN_STR CONNSTR SEED_PHRASE MNEMONIC DATABASE_URL _PASS"
)
"""Parts of names, wherever they stand."""
_WORDS = word_set(
    "PASS PW PSW OTP MFA PEM COOKIE COOKIES BEARER AUTH AUTHORIZATION PAT SK CRED CREDS JWT DSN WEBHOOK PRIVATE PIN BOT"
)
"""Words of names, between underscores."""
_ENDS = ("PASS", "PWD", "KEY", "KEYS", "_PAT", "_HEADER", "_HEADERS")
_NO_SECRETS = word_set("PWD OLDPWD SSH_AUTH_SOCK INIT_PWD")
_PUBLIC = word_set("PUBLIC PUB PUBLISHABLE")
_ADDRESSES = ("_URL", "_URI", "_URLS")
_SERVICES = word_set(
    "DATABASE DB REDIS POSTGRES POSTGRESQL PG MYSQL MARIADB MONGO MONGODB AMQP RABBITMQ BROKER CLOUDINARY SENTRY "
    "SQLALCHEMY ELASTICSEARCH INDEX WEBHOOK HOOK SLACK PROXY JDBC CACHE CLICKHOUSE KAFKA NATS LDAP SMTP "
    "MAIL MAILER EMAIL CONN CONNECTION"
)
"""Names of services whose address usually holds a password; also with the name of a host in one word
(``CLOUDAMQP_URL``).
"""
_OF_HOSTS = tuple(sorted([name for name in _SERVICES if name in ("DB", "PG") or len(name) > 3]))
_EXACTLY = word_set(
    "BW_SESSION FASTLANE_SESSION KUBE_CONFIG_DATA KUBECONFIG_DATA HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY "
    "http_proxy https_proxy all_proxy ftp_proxy history historywords"
)
"""Further names; the last two are the history of zsh."""
_STARTS = ("OP_SESSION_", "TF_VAR_", "GIT_CONFIG_VALUE_")
_SMALL = "npm_config_"
"""The beginning of settings that npm passes to its programs, in small letters."""
_KEPT_AT = {
    **dict.fromkeys(word_set("HISTFILE LESSHISTFILE MYSQL_HISTFILE PSQL_HISTORY SQLITE_HISTORY"), "~/.bash_history"),
    **dict.fromkeys(word_set("PYTHON_HISTORY NODE_REPL_HISTORY REDISCLI_HISTFILE"), "~/.python_history"),
    **dict.fromkeys(word_set("NPM_CONFIG_USERCONFIG npm_config_userconfig"), "~/.npmrc"),
    **dict.fromkeys(word_set("XAUTHORITY ICEAUTHORITY KRB5CCNAME"), "~/.Xauthority"),
    "KUBECONFIG": "~/.kube/config",
    "NETRC": "~/.netrc",
    "PGPASSFILE": "~/.pgpass",
    "PGSERVICEFILE": "~/.pg_service.conf",
    "PGSSLKEY": "~/.postgresql/postgresql.key",
    "AWS_CONFIG_FILE": "~/.aws/config",
    "BOTO_CONFIG": "~/.boto",
    "SOPS_AGE_KEY_FILE": "~/.config/sops/age/keys.txt",
    "REGISTRY_AUTH_FILE": "~/.docker/config.json",
    "RCLONE_CONFIG": "~/.config/rclone/rclone.conf",
    "PYPIRC": "~/.pypirc",
    "GEMRC": "~/.gem/credentials",
    "KRB5_KTNAME": "/etc/krb5.keytab",
    "SSLKEYLOGFILE": "~/.ssh/keys",
    "MAIL": "/var/mail/user",
    "ENV_FILE": ".env",
    "GITHUB_ENV": ".env",
    "TF_CLI_CONFIG_FILE": "~/.terraformrc",
    "PIP_CONFIG_FILE": "~/.config/pip/pip.conf",
    "WGETRC": "~/.wgetrc",
    "HELM_REGISTRY_CONFIG": "~/.docker/config.json",
    "TALOSCONFIG": "~/.kube/config",
    "OCI_CLI_CONFIG_FILE": "~/.oci/config",
    "DOCKER_CONFIG": "~/.docker",
    "GH_CONFIG_DIR": "~/.config/gh",
    "CARGO_HOME": "~/.cargo",
    "GEM_HOME": "~/.gem",
    "HF_HOME": "~/.cache/huggingface",
    "AZURE_CONFIG_DIR": "~/.azure",
    "GRADLE_USER_HOME": "~/.gradle",
    "GNUPGHOME": "~/.gnupg",
    "XDG_CONFIG_HOME": "~/.config",
    "PASSWORD_STORE_DIR": "~/.password-store",
    "CLOUDSDK_CONFIG": "~/.config/gcloud",
}
"""Variables that programs document, each with where what it names usually lies, or with another such file."""
_VARIABLE = re.compile(r"\$(?:\{(\w+)[^}]*\}?|(\w+))[\"']?((?:/[\w.@+-]+)*)")


def own_variables(facts: Facts) -> frozenset[str]:
    """The variables that the script fills and that the environment does not usually contain.

    Another one may still have the value of the environment where it is used: ``echo $TOKEN; TOKEN=x``.
    """
    return frozenset([name for name in facts.assigned if plain_variable(name, facts.script.shell)])


def secret_place(text: str, assigned: Container[str]) -> str | None:
    """The first path in ``text``, shell text, by way of a variable whose usual value makes it a secret's.

    Args:
        assigned: variables to which the script itself gives another value, see :func:`own_variables`.
    """
    for found in _VARIABLE.finditer(text) if "$" in text else ():
        name = found[1] or found[2]
        place = _KEPT_AT.get(name)
        if place is not None and name not in assigned and secret_in(place + found[3]) is not None:
            return found[0].strip("\"'")
    return None


def secret_variable(raw: str) -> str | None:
    """The first variable in the source of a word whose value is a secret by its name; ``None`` if there is none."""
    return next(iter(secret_variables(raw)), None)


def secret_variables(raw: str) -> list[str]:
    """The variables in ``raw``, shell text, whose values are secrets by their names, as often as they stand there.

    The length (``${#X}``) and whether it is set (``${X:+…}``) are no secrets. A name may go on in the next line.
    """
    if "\\\n" in raw:
        joined = secret_variables(raw.replace("\\\n", ""))
        return joined + [name for name in _secret_variables(raw) if name not in joined]
    return _secret_variables(raw)


def _secret_variables(raw: str) -> list[str]:
    found: list[str] = []
    at = raw.find("$")
    while at >= 0:
        start = at + 2 if raw[at + 1 : at + 2] == "{" else at + 1
        if raw[start : start + 1] == "!":
            start += 1
        end = start
        while end < len(raw) and (raw[end].isalnum() or raw[end] == "_"):
            end += 1
        name = raw[start:end]
        if name and _is_secret(name) and raw[end : end + 2] != ":+":
            found.append(name)
        at = raw.find("$", max(end, at + 1))
    return found


def _is_secret(name: str) -> bool:
    """True if a variable of that name usually holds a secret."""
    if name in _EXACTLY or name.startswith(_STARTS):
        return True
    if name.startswith(_SMALL):
        name = name.upper()
    if not name.isupper() or name in _NO_SECRETS:
        return False
    words = set(name.split("_"))
    if any(part in name for part in _WITHIN):
        return True
    if not _PUBLIC.isdisjoint(words):
        return False
    address = name.endswith(_ADDRESSES) and any(
        one in _SERVICES or one.startswith(_OF_HOSTS) or one.endswith(_OF_HOSTS) for one in words
    )
    return address or name.endswith(_ENDS) or not _WORDS.isdisjoint(words)
