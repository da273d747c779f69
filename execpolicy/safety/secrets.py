"""File names whose content is a secret, and devices that are no files: reading those is for a person to allow."""

from __future__ import annotations

_FOLDERS = frozenset(
    (
        ".ssh",
        ".gnupg",
        ".password-store",
        ".aws",
        ".azure",
        ".gcloud",
        "gcloud",
        "keyrings",
        "Keychains",
        "private-keys-v1.d",
    )
)
# fmt: off
_FILES = frozenset((
    ".netrc", "_netrc", ".pgpass", ".my.cnf", ".mylogin.cnf", ".git-credentials", ".npmrc", ".pypirc", ".env",
    ".htpasswd", ".vault-token", ".boto", ".s3cfg", ".bash_history", ".zsh_history", ".python_history",
    ".mysql_history", ".psql_history", ".rediscli_history", ".node_repl_history", "id_rsa", "id_dsa",
    "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "credentials.json", ".dockercfg", "kubeconfig",
    "gshadow", "master.passwd", "environ", "kcore",
))
# fmt: on
_ENDINGS = (
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/sudoers",
    "/.docker/config.json",
    "/.kube/config",
    "/.config/gh/hosts.yml",
    "/.cargo/credentials",
    "/.cargo/credentials.toml",
)
_ENV_SAMPLES = frozenset((".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".env.test"))
_DEVICES = frozenset(("null", "zero", "stdin", "stdout", "stderr", "full", "shm", "fd"))


def secret_in(path: str) -> str | None:
    """What is secret (or not a file) about ``path``, as a phrase; ``None`` if nothing is known against reading it.

    The text is taken as a path as it stands: no link is followed.
    """
    parts = path.split("/")
    name = parts[-1]
    if name in _FILES or (name.startswith(".env.") and name not in _ENV_SAMPLES):
        return f"`{name}` usually holds secrets"
    for part in parts:
        if part in _FOLDERS:
            return f"files in `{part}` are usually secrets"
    if name.endswith((".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore", ".jks")):
        return f"`{name}` looks like a private key"
    if "/" in path and ("/" + path).endswith(_ENDINGS):
        return f"`{path}` usually holds secrets"
    if path.startswith("/inet"):
        return f"`{path}` is a network connection for gawk"
    if path.startswith(("/dev/", "//")) or "/../dev/" in path:
        real = [part for part in parts if part not in ("", ".")]
        if len(real) > 1 and real[0] == "dev" and (real[1] not in _DEVICES or ".." in real):
            return f"`{path}` is a device"
    return None
