"""The names of secrets as data: how they are written, and that each of them is found wherever it is read."""

import pytest

from execpolicy.safety import secret_names
from execpolicy.safety.secrets import exposing_root, secret_in, secret_matching
from tests.support.judging import decision

LISTED = {
    "FOLDERS": secret_names.FOLDERS,
    "COMMON_FILES": secret_names.COMMON_FILES,
    "FILES": secret_names.FILES,
    "STARTS": frozenset(secret_names.STARTS),
    "ENDS": frozenset(secret_names.ENDS),
    "PARTS": frozenset(secret_names.PARTS),
    "KEYS": frozenset(secret_names.KEYS),
    "ENDINGS": frozenset(secret_names.ENDINGS),
    "PLACES": frozenset(secret_names.PLACES),
    "WHERE": frozenset(secret_names.WHERE),
}


@pytest.mark.parametrize("kind", LISTED)
def test_names_are_small_letters_and_stand_once(kind: str) -> None:
    listed = LISTED[kind]
    assert listed
    assert all(name == name.lower().strip() for name in listed)
    assert len(listed) == len(getattr(secret_names, kind))


def test_names_are_names_and_endings_are_paths() -> None:
    for name in secret_names.FOLDERS | secret_names.COMMON_FILES | secret_names.FILES:
        assert not set(name) & set("/*?[ "), name
        assert len(name) > 3, name
    assert not secret_names.COMMON_FILES & secret_names.FILES
    for part in secret_names.STARTS + secret_names.ENDS + secret_names.PARTS:
        assert len(part) > 3, part
        assert not set(part) & set("/*?[ "), part
    assert all(ending.startswith("/") and ending.count("/") >= 2 for ending in secret_names.ENDINGS)
    assert all(place.startswith("/") and place.endswith("/") for place in secret_names.PLACES)


def test_no_name_is_listed_that_another_line_covers() -> None:
    for name in secret_names.COMMON_FILES | secret_names.FILES:
        assert not name.endswith(secret_names.KEYS), name
    for ending in secret_names.ENDINGS:
        assert ending.rpartition("/")[2] not in secret_names.COMMON_FILES | secret_names.FILES, ending


def test_each_name_is_found() -> None:
    for folder in secret_names.FOLDERS:
        assert secret_in(f"/srv/{folder}/x"), folder
    for name in secret_names.COMMON_FILES | secret_names.FILES:
        for path in (name, f"sub/{name}", f"./{name}", name.upper(), f"HEAD:{name}"):
            assert secret_in(path), path
    for start in secret_names.STARTS:
        assert secret_in(f"sub/{start}x"), start
    for end in secret_names.ENDS:
        assert secret_in(f"sub/prod{end}"), end
    for part in secret_names.PARTS:
        assert secret_in(f"sub/my{part}x.json"), part
    for ending in secret_names.KEYS:
        assert secret_in("server" + ending)
    for ending in secret_names.ENDINGS:
        assert secret_in("/home/u" + ending), ending
    for place in secret_names.PLACES:
        assert secret_in(place + "x"), place


@pytest.mark.parametrize(
    "name",
    [
        *(
            ".env~",
            "secrets.yml",
            "prod.tfvars",
            "x.tfvars.json",
            "service-account-prod.json",
            "/etc/kubernetes/admin.conf",
        ),
        *("/etc/rancher/k3s/k3s.yaml", "~/.cache/huggingface/token", "~/.kaggle/kaggle.json", "~/.oci/config"),
        *("~/.config/sops/age/keys.txt", "~/.config/github-copilot/hosts.json", "~/.local/share/opencode/auth.json"),
        *("~/.config/cursor/auth.json", "~/.snowflake/connections.toml", "~/.config/pypoetry/auth.toml", "prod.env"),
        *(
            ".vscode/mcp.json",
            ".kiro/settings/mcp.json",
            "~/.config/Claude/claude_desktop_config.json",
            "vault_password",
        ),
        *(
            "~/.codeium/windsurf/mcp_config.json",
            "~/.copilot/mcp-config.json",
            "~/.codex/config.toml",
            "kubeconfig.yaml",
        ),
        *(".env.production", ".env-prod", "id_ed25519_work", "AuthKey_X.p8", "state/terraform.tfstate.backup"),
    ],
)
def test_what_tools_really_store(name: str) -> None:
    assert decision(f"cat {name}") == "prompt"


@pytest.mark.parametrize(
    "name",
    [
        *(".env.example", ".env.sample", "id_ed25519_work.pub", "env", "environment.yml", "secrets.md"),
        *("design-tokens.json", "tokenizer.json", "docs/tokens.md"),
        *("src/token.py", "config/admin.py", "keys.txt", "shadow.css", "terraform.tf", "settings.xml", "service.json"),
    ],
)
def test_what_only_sounds_like_one(name: str) -> None:
    assert decision(f"cat {name}") == "allow"


@pytest.mark.parametrize(
    "name",
    [
        *("auth.json", ".auth.yml", "config/secrets.production.yml", "passwords.txt", "my-credentials.json"),
        *("google_application_credentials.json", "stripe-api-key.txt", "sub/private_key.txt", "deploy_rsa"),
        *("~/.openai/key", "$HOME/.openai/key", "~/.any/token", "~/.config/any/auth.yml", "/root/.any/tokens.json"),
        *("token.txt", "tokens.json", "config/token.yaml", "vault-password.txt", "staging-kubeconfig.yml"),
        *("~/.any/session", "/home/bob/.any/accounts.db", "secrets/db_password.txt", "prod.secret.exs"),
    ],
)
def test_words_that_say_so(name: str) -> None:
    assert decision(f"cat {name}") == "prompt"


@pytest.mark.parametrize(
    "name",
    [
        *("locales/en/auth.json", "src/auth/index.ts", "src/auth.config.ts", "docs/auth.md", "tests/password.py"),
        *("secrets.example.json", "config/auth.php", "~/project/keys.txt", "public/session.json", "~/.any/config"),
        *("src/auth", "lib/token", "~/.any/keys.md", "author.json", "reset-password.txt"),
    ],
)
def test_words_that_say_something_else(name: str) -> None:
    assert decision(f"cat {name}") == "allow"


@pytest.mark.parametrize(
    "folder",
    [
        *("~", "~/", "/", "/home", "/home/u", "/home/u/", "/root", "/Users/u", "$HOME", "${HOME}/.config", "~u"),
        *("/etc", "/etc/", "/proc", "/proc/self", "/proc/17", "/run", "/var", "~/.config", "~/.local/share", "/usr/.."),
    ],
)
def test_folders_above_secrets(folder: str) -> None:
    assert exposing_root(folder)
    for script in (
        f"grep -r x {folder}",
        f"grep -Ra '' {folder}",
        f"rg -uuu '' {folder}",
        f"rg x {folder}",
        f"ag -u x {folder}",
        f"rgrep x {folder}",
        f"find {folder} -exec cat {{}} +",
        f"fd . {folder} -X cat",
    ):
        assert decision(script) == "prompt", script


@pytest.mark.parametrize("folder", ["~", "/etc", "/", "/proc/self"])
def test_what_prints_no_content_may_walk_anywhere(folder: str) -> None:
    for script in (
        f"ls -R {folder}",
        f"find {folder} -name x",
        f"find {folder} -name '*.py' -exec cat {{}} +",
        f"find {folder} -type f -exec ls -l {{}} +",
        f"find {folder} -type f -exec wc -c {{}} +",
        f"grep -rl x {folder}",
        f"grep -rc x {folder}",
        f"rg -l x {folder}",
        f"rg --files {folder}",
        f"du -sh {folder}",
    ):
        assert decision(script) == "allow", script


@pytest.mark.parametrize(
    "folder", ["src", ".", "/usr/share", "/var/log", "~/project", "/srv", "/etc/apt", "/home/u/src"]
)
def test_folders_beside_secrets(folder: str) -> None:
    assert exposing_root(folder) is None
    assert decision(f"grep -rn x {folder}") == "allow"


@pytest.mark.parametrize(
    "pattern", ["/etc/*", "/etc/s*", "/home/*/.*rc", "/proc/self/e*", "/proc/*/environ", "/etc/ssl/*/*"]
)
def test_patterns_that_find_the_places(pattern: str) -> None:
    assert secret_matching(pattern)
    assert decision(f"cat {pattern}") == "prompt"


@pytest.mark.parametrize("pattern", ["/etc/*.conf", "src/*", "*/*", "/usr/share/doc/*", "/var/log/*.log", "~/notes/*"])
def test_patterns_that_find_other_files(pattern: str) -> None:
    assert decision(f"cat {pattern}") == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "diff -r ~ /x",
        "docker inspect web",
        "docker inspect -f '{{json .}}' web",
        "docker inspect -f '{{ . }}' web",
        "docker inspect -f '{{range $k, $v := .}}{{$v}}{{end}}' web",
        "docker inspect -f '{{with .Config}}{{.}}{{end}}' web",
        "podman inspect -l",
        "git show stash@{0}:.env",
        "tar c ~ | strings",
        "xargs -a .env echo",
        'while read l; do echo "$l"; done < .env',
        "ps eww",
    ],
)
def test_wide_readers_are_asked(command: str) -> None:
    assert decision(command) == "prompt"


@pytest.mark.parametrize(
    "command",
    [
        "diff -r docs src",
        "docker inspect -f '{{.State.Status}} {{.HostConfig.NetworkMode}}' web",
        "docker image inspect -f '{{.Id}}' x",
        "git show HEAD:.env.example",
        "find ~ -name '*.py'",
        "xargs -a names.txt wc -l",
        "ps aux",
    ],
)
def test_what_holds_no_secret_is_not(command: str) -> None:
    assert decision(command) == "allow"


@pytest.mark.parametrize("path", ["~/.\u017fsh/x", "x.\u212aey", ".en\u200cv", "\ufeff.netrc", "~/.aw\u017f/x"])
def test_a_name_is_compared_as_file_systems_do(path: str) -> None:
    assert secret_in(path)


@pytest.mark.parametrize(
    "path",
    ["id_rsa.bak", "id_rsa~", ".npmrc.orig", "#.env#", ".id_rsa.swp", ".netrc.old", "a/.pgpass.save", ".env.swp"],
)
def test_a_copy_of_a_secret_is_one(path: str) -> None:
    assert secret_in(path)


@pytest.mark.parametrize(
    "path", ["a.bak", "main.py~", "#a#", ".x.swp", "~", "#", ".bak", "README.md.orig", "\u00e9.txt"]
)
def test_a_copy_of_another_file_is_none(path: str) -> None:
    assert not secret_in(path)


@pytest.mark.parametrize("pattern", [".^g*", ".*~g", ".e#nv*", ".^x*"])
def test_operators_of_zsh_may_find_a_secret(pattern: str) -> None:
    assert secret_matching(pattern) is not None


@pytest.mark.parametrize("pattern", ["a~*", "*~", "#a*", "src^*"])
def test_what_only_looks_like_one_finds_none(pattern: str) -> None:
    assert secret_matching(pattern) is None
