"""Programs that run a command in the environment of a project, a language or a set of secrets."""

from __future__ import annotations

from execpolicy.core.text import word_set
from execpolicy.flow.texts import word_texts
from execpolicy.programs.inner import literal_words, run_argv, run_command, run_text
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program, Wrapper
from execpolicy.shell.script import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def hatch(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``hatch run ENVIRONMENT:PROGRAM ARGUMENT…``."""
    for at, word in enumerate(command.words[2:6], 2):
        _, colon, program = (word.literal or "").partition(":")
        if colon and program:
            yield run_argv(name, command, [program], command.words[at + 1 :], evidence=True)


def nix(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``nix run FLAKE#PROGRAM -- ARGUMENT…``, and what an expression has run: ``nix build --expr TEXT``."""
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word.literal in ("--expr", "-E"):
            for text in word_texts(words[at + 1], facts):
                for inner in code_commands(name, command, text, "c"):
                    yield replace(inner, transparent=False, evidence=True)
    dashes = next((at for at, word in enumerate(words) if word.literal == "--"), len(words))
    for word in words[2:dashes]:
        if word.literal is not None and "#" in word.literal:
            yield run_argv(name, command, [word.literal.rpartition("#")[2]], words[dashes + 1 :])


def set_script(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``npm pkg set scripts.NAME=TEXT``, ``composer config scripts.NAME TEXT``, and ``npm run env PROGRAM``."""
    words = command.words
    for at, word in enumerate(words[1:], 1):
        key, equals, text = (word.literal or "").partition("=")
        if key.startswith("scripts.") and (equals or at + 1 < len(words)):
            yield run_text(name, command, text if equals else words[at + 1].literal or "", evidence=True)
        elif word.literal == "env" and words[at - 1].literal in ("run", "run-script"):
            yield run_command(name, command, words[at:], evidence=True)


def by_name(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``yarn SCRIPT`` and ``pnpm PROGRAM``: what is no command of their own is one of the project, or a program."""
    yield from set_script(command, facts, name, record)
    words = command.words
    if len(words) > 2 and words[1].literal == "node":
        yield run_command(name, command, words[1:], evidence=True)
    if len(words) > 1 and words[1].literal is not None and words[1].literal not in _OWN_COMMANDS:
        yield run_command(name, command, words[1:], evidence=True)


def shell_mode(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pnpm exec -c TEXT``: with that option what follows is shell text; a setting may say so, too."""
    yield from by_name(command, facts, name, record)
    said = [word.literal for word in command.words]
    at = said.index("exec") + 1 if "exec" in said else 1 if None in said else len(said)
    if any(word is None or _is_shell_mode(word) for word in said[1:]):
        from execpolicy.programs.text_runs import run_word

        for word in command.words[at:]:
            yield from run_word(name, command, facts, word)
    else:
        for text in said[at:]:
            if text is not None and len(text.split()) > 1:
                yield run_text(name, command, text, evidence=True)


def _is_shell_mode(word: str) -> bool:
    """Whether ``word`` is ``-c``, in a cluster too, or ``--shell-mode``, cut short or not."""
    name = word.partition("=")[0]
    if name[:2] == "--":
        return "--shell-mode".startswith(name) and len(name) > 3
    return name[:1] == "-" and "c" in name


def pip(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pip --python PROGRAM …`` starts itself again with that program."""
    for at, word in enumerate(command.words[1:], 1):
        option, _, value = (word.literal or "").partition("=")
        if option == "--python":
            program = literal_words([value], command.span) if value else command.words[at + 1 :]
            yield run_command(name, command, program, evidence=True)


_OWN_COMMANDS = word_set(
    "add audit autoclean bin cache check config constraints create dedupe deploy dlx doctor env exec explain fetch "
    "generate-lock-entry global help i import info init install install-test it licenses link list login logout ls "
    "node node-gyp npm outdated owner pack patch patch-commit plugin policies prune publish rb rebuild recursive "
    "remove restart rm root run search self-update server set setup start stop store tag team test t unlink "
    "unplug un uninstall up update upgrade upgrade-interactive version versions why workspace workspaces"
)
_NPM = (
    "-g -s -d -q -w: -C: -f -y -D -E -O -P -B -S --prefix: --userconfig: --globalconfig: --registry: --cache: "
    "--loglevel: --workspace: --workspaces --include-workspace-root --silent --quiet --verbose --global --location: "
    "--tag: --otp: --json --long --offline --prefer-offline --prefer-online --no-audit --no-fund --no-color --color? "
    "--script-shell: --dry-run --force --yes --scope: --omit: --include: --ignore-scripts --legacy-peer-deps --dir: "
    "--filter: --recursive -r -F: --stream --parallel --cwd: --no-progress --if-present @anywhere"
)
_NPM_LETTERS = "-a -d -f -g -h -l -n -p -q -s -v -y -B -D -E -H -O -P -S -? -w: -C: -L: -m: @nopt"
"""What one letter says to npm, whichever sub-command it stands behind."""
_NPM_ITSELF = f"{_NPM} {_NPM_LETTERS} -c: --call: --package: --otp:"
_CONDA = "-h -V -v -q --no-plugins --debug --json --verbose --quiet -n: -p: --name: --prefix: @anywhere"
_NPM_WORST = (
    "run --script-shell=./evil; load --userconfig=/tmp/evil; elsewhere --prefix /tmp; elsewhere --cwd /tmp; "
    "[run] target deploy; [publish] publish; target -- --config=/tmp/evil; plain --silent -s"
)
# fmt: off
RECORDS = (
    Program("npm", Wrapper(f"{_NPM_LETTERS} -c! --call! --yes --package: --prefix: --workspace: --workspaces --silent "
        "--userconfig: --cache:", subcommands="exec, x"), Wrapper("", 1, subcommands="explore"), Wrapper(
        "-g -L: --global --location:", subcommands="config set script-shell, set script-shell"), leading=_NPM_ITSELF,
        settings=f"--script-shell! --editor! -c! --call! {_NPM_LETTERS}", carries=set_script,
        broad="run, run-script, explore, init, create, innit, exec, x", task="2 exec=3 pkg=3 run=3 run-script=3",
        fetches=True, worst=_NPM_WORST, example="npm exec -- rm x"),
    Program("pnpm", Wrapper("-r -c -w -C: -F: --recursive --parallel --filter: --dir: --package: --shell-mode "
        "--silent --workspace-root --allow-build: --reporter:", subcommands="exec, dlx", through_shell="-c "
        "--shell-mode"), leading=_NPM + " @nopt", carries=shell_mode, broad="run, create, dlx, exec",
        task="2 exec=3 dlx=3 run=3", fetches=True, worst=_NPM_WORST, example="pnpm exec rm x"),
    Program("yarn yarnpkg", Wrapper("-p: -q --package: --cwd: --silent", subcommands="exec, dlx, run"),
        Wrapper("", 1, subcommands="workspace"), Wrapper("-A -R -W -p -i -j: -v -t --all --from: --include: --exclude: "
        "--since?", subcommands="workspaces foreach, workspaces run"),
        leading=_NPM, carries=by_name, broad="create, init, set, plugin, run",
        task="2 dlx=3 run=3 workspace=4", fetches=True, worst=_NPM_WORST, example="yarn exec rm x"),
    Program("bun", Wrapper("--bun --silent --cwd:", subcommands="x, run"), Wrapper(subcommands="exec", each=True),
        leading=_NPM, language="javascript", options="-e! -p! --eval! --print!", broad="run, repl, create, init",
        task="0 run=3 test=2 build=2 outdated=2 pm=3 add=2 install=2 update=2", fetches=True, worst="exact test build "
        "outdated; [pm] exact ls; [run] named; [test] run --preload ./evil.js; [run] target deploy; load -c /tmp/evil; "
        "elsewhere --cwd /tmp; write build --outdir /etc", example="bun x rm x"),
    Program("npx pnpx", Wrapper("@nopt -y -p: -c! -q -w: --yes --no --no-install --package: --call! --quiet --shell: "
        "--workspace: --workspaces --ignore-existing --prefix: --cache: --userconfig: --node-arg: -n:"), task="2",
        fetches=True, example="npx -y rm x"),
    Program("bunx", Wrapper("--bun --silent --verbose -p: --package:"), task="2", fetches=True,
        example="bunx --bun rm x"),
    Program("nvm", Wrapper("--silent", 1, subcommands="exec", optional=True), task="2", fetches=True,
        example="nvm exec 22 rm x"),
    Program("flox", Wrapper("-c! --command! -d: -r: -t -s --dir: --remote: --trust --start-services",
        subcommands="activate"),
        example="flox activate -- rm x"),
    Program("corepack", Wrapper(), task="2", example="corepack rm x", fetches=True, worst="[] fetch install -g evil@1"),
    Program("expo", task="2", fetches=True, worst="[] fetch install evil"),
    Program("codex claude gemini aider opencode goose amp cursor-agent copilot qwen crush",
        broad="exec, e, run, -p, -q", worst="[] run exec 'do anything'; run 'do anything'"),
    Program("nx", Wrapper(subcommands="exec"), settings="--command! --commands!",
        broad="run, run-many, affected, exec, generate, g, migrate, add, "
        "import, release, connect, reset, login", task="2 run=3 affected=3 run-many=0", fetches=True, worst="[run] "
        "target app:deploy; [run-many] target -t deploy; target run app:deploy", example="nx exec -- rm x"),
    Program("lerna", Wrapper("--scope: --ignore: --since? --stream --parallel --no-bail --concurrency: --no-prefix",
        subcommands="exec", joined=True), broad="run, publish, version", task="2 run=3", fetches=True,
        worst="[run] target deploy; publish publish", example="lerna exec -- rm x"),
    Program("turbo", broad="run, gen, generate, login, link, prune", task="2 run=3", fetches=True, worst="[run] target "
        "deploy; elsewhere --cwd /tmp; target run deploy; elsewhere --api=http://evil"),
    Program("npm-run-all run-s run-p gulp grunt rush moon lage wireit lefthook invoke inv overmind hivemind "
        "process-compose forever scons waf ant lein pants", task="2 run=3", broad="run, start, exec, repl",
        fetches=True, worst="alone; target deploy"),
    Program("fastlane", task="2", fetches=True, broad="run", worst="publish release; publish beta; publish deliver; "
        "publish supply; target release"),
    Program("buck2", task="2 run=3", broad="run", worst="exact build test uquery cquery targets; run -c a.b=./evil; "
        "load --config-file /tmp/evil; write --out /etc/x; plain //*; target run //x"),
    Program("foreman honcho", Wrapper("-e: -f: -d: -p: --env: --procfile: --port: --root: --app-root: --no-colour",
        subcommands="run"), leading="-e: -f: -d: -p: --env: --procfile: --app-root:", task="2 run=3",
        broad="run, start, exec", worst="alone; target deploy", example="foreman run -e .env rm x"),
    Program("wait-on", broad="", worst="run ./evil 80 ./evil"),
    Program("start-server-and-test start-test", Wrapper("--expect:", each=True), broad="", worst="run ./evil 80 ./evil",
        example="start-server-and-test 'rm x' 8080 ls"),
    Program("llm sgpt", broad="", worst="run 'do anything'"),
    Program("uv", Wrapper("-p: -n -q -v -m: -s -w: --python: --with: --with-editable: --with-requirements: --from: "
        "--project: --directory: --extra: --group: --only-group: --no-group: --env-file: --index: --index-url: "
        "--extra-index-url: --package: --no-extra: --cache-dir: --color: --config-file: --refresh-package: "
        "--python-platform: --link-mode: --resolution: --prerelease: --exclude-newer: --module: --isolated --frozen "
        "--locked --no-sync --offline --no-project --active --all-extras --all-groups --no-dev --dev --only-dev "
        "--script --quiet --verbose", subcommands="run, tool run"), leading="-q -v -n -h -V --quiet --verbose "
        "--color: --native-tls --offline --no-progress --directory: --project: --config-file: --no-config "
        "--cache-dir: --no-cache --python-preference: --allow-insecure-host: --no-python-downloads @anywhere",
        broad="pip install", task="2 pip=3 run=3 tool=3", fetches=True, worst="[] run run ./evil; "
        "elsewhere --directory /tmp; fetch --with evil", example="uv run --with a rm x"),
    Program("uvx", Wrapper("-p: -n -q -v --from: --with: --python: --with-editable: --with-requirements: --isolated "
        "--index-url:"), fetches=True, example="uvx --from a rm x"),
    Program("pip pip2 pip3 python-pip", carries=pip, leading="-h -V -v -q --debug --isolated --require-virtualenv "
        "--python: --verbose --version --quiet --log: --no-input --keyring-provider: --proxy: --retries: --timeout: "
        "--exists-action: --trusted-host: --cert: --client-cert: --cache-dir: --no-cache-dir "
        "--disable-pip-version-check --no-color --no-python-version-warning --use-feature: --use-deprecated: "
        "--resume-retries: @anywhere", broad="install, download, wheel", task="2 config=3", fetches=True,
        example="pip --python rm list", worst="fetch install evil; run --python ./evil; elsewhere --target /usr"),
    Program("pipx", Wrapper("--spec: --python: --pip-args: --no-cache --path --verbose --quiet", subcommands="run"),
        task="2 run=3", fetches=True, example="pipx run --spec a rm x"),
    Program("poetry", Wrapper("-C: -P: -q -v -n --directory: --project: --ansi --no-ansi --no-interaction",
        subcommands="run"), leading="-q -v -n -h -V -C: -P: --ansi --no-ansi --no-interaction --no-plugins --no-cache "
        "--directory: --project: --quiet @anywhere", task="2 run=3", fetches=True,
        worst="[] run run ./evil; elsewhere -C /tmp; publish publish", example="poetry run rm x"),
    Program("pipenv", Wrapper("--python: -q -v --site-packages --verbose", subcommands="run"), leading="-h -q -v "
        "--python: --clear --verbose --quiet --site-packages --bare --pypi-mirror:", example="pipenv run rm x"),
    Program("pdm", Wrapper("-p: -v -q -s -c: --project: --site-packages --config: --env-file:", subcommands="run"),
        leading="-h -V -c: -v -q -I -n --config: --verbose --quiet --no-cache --ignore-python --non-interactive -p: "
        "--project: @anywhere", example="pdm run rm x"),
    Program("hatch", Wrapper("-e: -p: -q -v --env: --project: --color --no-color --data-dir: --cache-dir:",
        subcommands="run, env run"), leading="-e: -p: -v -q -h --env: --project: --data-dir: --cache-dir: --config: "
        "--color --no-color --interactive", carries=hatch, example="hatch run rm x"),
    Program("rye", Wrapper("-l -v -q --pyproject: --list", subcommands="run"), example="rye run rm x"),
    Program("pixi", Wrapper("-e: -q -v --environment: --manifest-path: --frozen --locked", subcommands="run, exec, x"),
        task="2", fetches=True, example="pixi run rm x"),
    Program("conda mamba", Wrapper("-n: -p: -v --name: --prefix: --cwd: --no-capture-output --live-stream",
        subcommands="run"), leading=_CONDA, task="2 run=3 env=3", fetches=True, worst="[run] run -n x ./evil; "
        "elsewhere -p /tmp; fetch install evil; fetch --file /tmp/evil", example="conda run -n a rm x"),
    Program("micromamba", Wrapper("-n: -p: -r: -a: -e: -d --name: --prefix: --cwd: --attach: --env:",
        subcommands="run"), leading=_CONDA, example="micromamba run -n a rm x"),
    Program("rbenv nodenv", Wrapper(subcommands="exec"), task="2", fetches=True, example="rbenv exec rm x"),
    Program("pyenv", Wrapper(subcommands="exec"), task="2", fetches=True, example="pyenv exec rm x"),
    Program("asdf", Wrapper(subcommands="exec"), task="2", fetches=True, example="asdf exec rm x"),
    Program("mise rtx", Wrapper("-C: -c! -j: -q -v -y --cd: --command! --jobs: --raw", subcommands="exec, x"),
        settings="--shell!", broad="run, r, use", task="2 run=3 r=3", fetches=True, worst="[run] target deploy; "
        "elsewhere -C /tmp", example="mise exec node@22 -- rm x"),
    Program("volta", Wrapper("--node: --npm: --pnpm: --yarn: --bundled-npm --no-yarn", subcommands="run"),
        example="volta run --node 22 rm x"),
    Program("fnm", Wrapper("--using: --fnm-dir:", subcommands="exec"), example="fnm exec --using 22 rm x"),
    Program("bundle bundler", Wrapper("--keep-file-descriptors --gemfile: --verbose", subcommands="exec, e"),
        leading="--no-color --retry: --verbose -r: -V --gemfile:", task="2 exec=3", fetches=True,
        example="bundle exec rm x"),
    Program("gem", Wrapper("-g: -v: --gem: --version: --conservative --pre", subcommands="exec"), leading="-h -V -q "
        "--verbose --quiet --silent --config-file: --backtrace --debug --norc --no-verbose", broad="install, exec, "
        "open", task="2", fetches=True, worst="exact list outdated environment; fetch install evil; publish push",
        example="gem exec rm x"),
    Program("composer", Wrapper("-l --list", subcommands="exec"), leading="-h -q -V -n -v -vv -vvv -d: --working-dir: "
        "--quiet --no-interaction --no-plugins --no-scripts --no-cache --ansi --no-ansi --profile --verbose "
        "@anywhere", broad="exec, run-script, run", task="2 run=3 run-script=3", fetches=True, worst="[] run exec "
        "./evil; elsewhere -d /tmp; [run] target deploy; [run-script] target deploy", example="composer exec rm x",
        carries=set_script),
    Program("pm2", Wrapper("-n: --name: -i: --instances: --cwd: --watch -f --force", subcommands="start"), task="2",
        example="pm2 start rm x"),
    Program("rustup", Wrapper("--install", 1, subcommands="run"), leading="-v -q -h -V --verbose --quiet",
        task="2 component=3 target=3 toolchain=3", fetches=True, example="rustup run stable rm x"),
    Program("opam", Wrapper("--switch: --root: --set-switch --set-root --color:", subcommands="exec"), task="2 "
        "switch=3", fetches=True, worst="exact list show; [switch] exact list show; fetch install evil; elsewhere "
        "--root=/tmp", example="opam exec -- rm x"),
    Program("nix", Wrapper("-c -f: -I: -L -v --command --file: --impure --offline --extra-experimental-features: "
        "--refresh", subcommands="shell, develop, run", after="-c --command"), carries=nix,
        settings="--post-build-hook! --diff-hook!",
        broad="eval, build", task="2", fetches=True, example="nix shell a -c rm x"),
    Program("nix-shell", language="c", options="-E! --expr! -p -A: -I:", settings="--run! --command!",
        broad="-p", example="nix-shell --run 'rm x'"),
    Program("guix", Wrapper("-C -D -N -m: -p: --container --pure --manifest: --profile:",
        subcommands="shell, environment"), example="guix shell a -- rm x"),
    Program("devbox", Wrapper("-c: -q --config: --quiet --env: --env-file:", subcommands="run, shell", joined=True),
        task="2", example="devbox run rm x"),
    Program("env-cmd", Wrapper("-f: -e: -r: -x --file: --environments: --rc-file: --no-override --expand-envs --silent "
        "--use-shell --fallback --verbose"), example="env-cmd -f .env rm x"),
    Program("cross-env cross-env-shell", Wrapper(assignments=True), example="cross-env A=1 rm x"),
    Program("sops", Wrapper("--background --filename: --no-fifo --pristine --same-process --user:", 1,
        subcommands="exec-env, exec-file", joined=True), example="sops exec-env a.yaml 'rm x'"),
    Program("devcontainer", Wrapper("--workspace-folder: --container-id: --id-label: --config: --override-config: "
        "--remote-env: --docker-path: --docker-compose-path: --log-level: --log-format: --default-user-env-probe:",
        subcommands="exec"), broad="exec, up, run-user-commands", task="2", far=True,
        example="devcontainer exec --workspace-folder . rm x",
        worst="[up] load --config /tmp/evil.json; [run-user-commands] load --config /tmp/evil.json"),
    Program("devenv", Wrapper("--", subcommands="shell"), broad="shell, up, tasks", task="2", example="devenv "
        "shell rm x",
        worst="[up] target worker; [tasks] target run deploy"),
    Program("direnv", Wrapper("", 1, subcommands="exec"), task="2", far=True, example="direnv exec . rm x"),
    Program("dotenv", Wrapper("-f: -e: -v: -c: -q: -p: -o --file: --quote: --export: --override --no-override",
        subcommands="run"), Wrapper("-e: -v: -p: -c? -o --override --quiet"), example="dotenv run rm x"),
    Program("dotenvx", Wrapper("-f: -e: -fk: --env-file: --env: --overload --quiet", subcommands="run"),
        example="dotenvx run -- rm x"),
    Program("aws-vault", Wrapper("-d: -n -j -t: -s --duration: --no-session --region: --ecs-server --server", 1,
        subcommands="exec"), example="aws-vault exec profile -- rm x"),
    Program("doppler", Wrapper("-p: -c: -t: --project: --config: --token: --command! --mount: --fallback:",
        subcommands="run"), example="doppler run -- rm x"),
    Program("op", Wrapper("--env-file: --account: --no-masking", subcommands="run"), example="op run -- rm x"),
    Program("chamber", Wrapper("-b: -r: --pristine --strict", 1, subcommands="exec"), example="chamber exec a -- rm x"),
    Program("infisical", Wrapper("--env: --path: --projectId: --token: --command!", subcommands="run"),
        example="infisical run -- rm x"),
    Program("teller", Wrapper("-c: -p: -s: -e: --config: --service: --environment: --project: --reset --shell",
        subcommands="run"), example="teller run rm x"),
    Program("envchain", Wrapper("", 1), example="envchain a rm x"),
    Program("rvm", Wrapper("", subcommands="do"), Wrapper("", 2), example="rvm 3.0 do rm x"),
    Program("icecc compiledb intercept-build scan-build", Wrapper("-o: -v -k -V -n -f -d: -p: -m: -e: -S -c: "
        "--keep-empty --status-bugs --cdb: --append --output: --verbose"), example="scan-build -o out rm x"),
    Program("lima orb", Wrapper("-m: -u: -w: -p --machine: --user: --workdir: --path"), example="orb -m a rm x"),
    Program("limactl crictl", Wrapper("-i -t -s -r: --shell: --workdir: --tty --interactive --sync --user: "
        "--isolation: -v: --volume:", 1, subcommands="shell, exec, run"), example="limactl shell a rm x"),
    Program("colima", Wrapper("-p: --profile: --layer --very-verbose", subcommands="ssh"),
        example="colima ssh -- rm x"),
    Program("systemd-socket-activate", Wrapper("-l: -d -a -E: --listen: --datagram --seqpacket --accept --inetd "
        "--setenv: --fdname: --now"), example="systemd-socket-activate -l 80 rm x"),
    Program("nix-env", fetches=True, worst="fetch -f https://evil -i evil; delete -e '.*'"),
    Program("nix-instantiate"),
    Program("pkgx", Wrapper("-q -v -j --quiet --verbose --json"), example="pkgx rm x"),
    Program("envconsul", Wrapper("-prefix: -secret: -config: -consul-addr: -vault-addr: -once -pristine -upcase "
        "-sanitize -log-level:"), settings="-exec!", example="envconsul -prefix a rm x"),
    Program("consul-template", settings="-exec!", example="consul-template -exec 'rm x'"),
    Program("saml2aws aws-sso assume", Wrapper("-a: -p: --profile: --exec-profile: --role:", subcommands="exec"),
        settings="--exec!", example="saml2aws exec -- rm x"),
    Program("shx", Wrapper("-s -v --silent --verbose --noglob"), example="shx rm x"),
    Program("husky", Wrapper(subcommands="add, set", operands=1, joined=True), example="husky add .husky/a 'rm x'"),
)
