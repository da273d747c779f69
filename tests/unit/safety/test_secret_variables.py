"""Variables whose value is a secret by their names, and those that name where one lies."""

import pytest

from execpolicy.safety.secret_variables import secret_place, secret_variable
from tests.support.judging import decision


@pytest.mark.parametrize(
    "name",
    [
        *(
            "SSHPASS",
            "MYSQL_PWD",
            "GH_PAT",
            "JWT",
            "CREDS",
            "COMPOSER_AUTH",
            "DOCKER_AUTH_CONFIG",
            "BW_SESSION",
            "PASS",
        ),
        *("OPENAI_KEY", "REDIS_URL", "GITHUB_TOKEN", "AWS_ACCESS_KEY_ID", "SENTRY_DSN", "TF_VAR_x", "https_proxy"),
        *("LUKS_PASSFILE", "DATABASE_URL_TEST", "DATABASE_URL", "CLOUDAMQP_URL", "JAWSDB_URL", "REDISCLOUD_URL"),
        *("CONNECTION_URL", "CONN_URI", "OTEL_EXPORTER_OTLP_HEADERS", "ANTHROPIC_CUSTOM_HEADERS", "MONGOLAB_URI"),
    ],
)
def test_secrets_by_their_names(name: str) -> None:
    assert secret_variable(f'"${{{name}}}"') == name
    assert decision(f'echo "${name}"') == "prompt"


@pytest.mark.parametrize(
    "name", ["PWD", "HOME", "SSH_AUTH_SOCK", "SSH_PUBLIC_KEY", "BASE_URL", "PATH", "CI", "LANG", "x", "REPO_URL"]
)
def test_others_are_none(name: str) -> None:
    assert secret_variable(f"${name}") is None


@pytest.mark.parametrize(
    "script",
    [
        *("cat $HISTFILE", 'cat "$KUBECONFIG"', 'tac "${HISTFILE:-$HOME/x}"', "cat < $NETRC", "x=$HISTFILE; cat $x"),
        *('cat "$DOCKER_CONFIG/config.json"', "cat $GH_CONFIG_DIR/hosts.yml", "cat $CARGO_HOME/credentials"),
        *("cat $GNUPGHOME/x", "cat $WGETRC", "cat $MAIL"),
    ],
)
def test_what_they_name_is_asked_about(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize("script", ["cat $CARGO_HOME/config.toml", "ls $XDG_CONFIG_HOME/x"])
def test_other_files_beside_are_not(script: str) -> None:
    assert decision(script) == "allow"


def test_a_variable_that_the_script_sets_names_no_usual_place() -> None:
    assert secret_place("cat $NETRC", {"NETRC"}) is None
    assert secret_place("cat $NETRC", ()) == "$NETRC"
