"""Options that programs accept before (or between) their sub-commands.

A rule for ``git push`` must also see ``git -C x push``. Grammars are those of :mod:`execpolicy.programs.options`; an
option that is missing here is still skipped, read both with and without a value. Sources: the manual pages and
``--help`` texts of the programs, in the versions that were current in 2026.
"""

from __future__ import annotations

from execpolicy.core.name_set import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_KUBE = (
    "-n: -s: -v: -h --namespace: --context: --cluster: --kubeconfig: --user: --server: --token: --username: "
    "--password: --as: --as-group: --as-uid: --cache-dir: --certificate-authority: --client-certificate: "
    "--client-key: --insecure-skip-tls-verify --tls-server-name: --request-timeout: --match-server-version "
    "--disable-compression --log-flush-frequency: --profile: --profile-output: --v: --vmodule: "
    "--warnings-as-errors --kuberc:"
)
_DOCKER = (
    "-c: -D -H: -l: -v -h --config: --context: --debug --host: --log-level: --tls --tlscacert: --tlscert: --tlskey: "
    "--tlsverify --version --help"
)
_NPM = (
    "-g -s -d -q -w: -C: -f -y -D -E -O -P -B -S --prefix: --userconfig: --globalconfig: --registry: --cache: "
    "--loglevel: --workspace: --workspaces --include-workspace-root --silent --quiet --verbose --global "
    "--location: --tag: --otp: --json --long --offline --prefer-offline --prefer-online --no-audit --no-fund "
    "--no-color --color? --script-shell: --dry-run --force --yes --scope: --omit: --include: --ignore-scripts "
    "--legacy-peer-deps --dir: --filter: --recursive -r -F: --stream --parallel --cwd: --no-progress "
    "--if-present"
)
_CARGO = (
    "-v -q -V -h -Z: -C: --list --explain: --verbose --quiet --color: --frozen --locked --offline --config: "
    "--manifest-path: --target-dir: --version --help"
)
_AWS = (
    "--debug --endpoint-url: --no-verify-ssl --no-paginate --output: --query: --profile: --region: --version --color: "
    "--no-sign-request --ca-bundle: --cli-read-timeout: --cli-connect-timeout: --cli-binary-format: --no-cli-pager "
    "--cli-auto-prompt --no-cli-auto-prompt --v2-debug"
)
_GCLOUD = (
    "-q -h --account: --billing-project: --configuration: --flags-file: --flatten: --format: --help --project: --quiet "
    "--verbosity: --version --access-token-file: --impersonate-service-account: --log-http --trace-token: "
    "--user-output-enabled? --no-user-output-enabled --filter: --sort-by: --limit: --zone: --region:"
)
_AZ = "-h -o: -g: -n: --debug --help --only-show-errors --output: --query: --verbose --subscription: --resource-group:"
_SYSTEMCTL = (
    "-a -f -H: -h -i -l -M: -n: -o: -P: -p: -q -r -s: -t: -T -C: --all --failed --user --system --global "
    "--no-pager --no-block --no-legend --no-wall --no-reload --no-ask-password --now --force --quiet "
    "--runtime --full --host: --machine: --type: --state: --property: --value --signal: --kill-who: "
    "--kill-whom: --job-mode: --root: --image: --lines: --output: --plain --show-types --recursive --reverse "
    "--before --after --wait --dry-run --check-inhibitors: --preset-mode: --message: --timestamp: --what: "
    "--legend: --mkdir --read-only --marked --firmware-setup --boot-loader-menu: --boot-loader-entry: "
    "--show-transaction --fail --ignore-dependencies"
)
_MAVEN = (
    "-A -B -b: -C -c -D: -e -emp: -ep: -F -f: -fae -ff -fn -fos -gs: -gt: -h -itr -l: -llr -N -nsu -ntp -o "
    "-P: -pl: -q -rf: -s: -t: -T: -U -up -V -v -X -am -amd --batch-mode --file: --settings: "
    "--global-settings: --activate-profiles: --define: --projects: --threads: --log-file: --toolchains: "
    "--offline --quiet --errors --debug --update-snapshots --no-transfer-progress --also-make --resume-from:"
)
_GRADLE = (
    "-a -b: -c: -D: -d -F: -g: -h -I: -i -m -M: -P: -p: -q -S -s -t -U -u -V -v -w -x: --build-file: --settings-file: "
    "--project-dir: --project-cache-dir: --gradle-user-home: --init-script: --include-build: --console: --max-workers: "
    "--exclude-task: --system-prop: --project-prop: --warning-mode: --priority: --no-daemon --daemon --offline --info "
    "--debug --quiet --stacktrace --full-stacktrace --continue --dry-run --parallel --no-parallel --build-cache "
    "--no-build-cache --configuration-cache --refresh-dependencies --rerun-tasks --scan --no-scan --write-locks"
)
_PIP = (
    "-h -V -v -q --debug --isolated --require-virtualenv --python: --verbose --version --quiet --log: --no-input "
    "--keyring-provider: --proxy: --retries: --timeout: --exists-action: --trusted-host: --cert: --client-cert: "
    "--cache-dir: --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning --use-feature: "
    "--use-deprecated: --resume-retries:"
)
_APT = (
    "-q? -y -s -d -f -m -u -U -b -V -c: -o: -t: -a: -P: --quiet? --yes --assume-yes --assume-no --simulate "
    "--dry-run --just-print --no-act --recon --download-only --fix-broken --ignore-missing --fix-missing "
    "--config-file: --option: --target-release: --default-release: --allow-downgrades "
    "--allow-remove-essential --allow-change-held-packages --allow-unauthenticated --no-install-recommends "
    "--install-recommends --install-suggests --no-install-suggests --reinstall --only-upgrade --purge "
    "--auto-remove --autoremove --show-upgraded --no-upgrade --print-uris --host-architecture: "
    "--build-profiles: --force-yes --trivial-only --no-remove --with-source:"
)

GLOBAL_OPTIONS: Mapping[str, str] = {
    "git": (
        "-C: -c: -p -P -h -v --exec-path? --html-path --man-path --info-path --paginate --no-pager "
        "--no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare --git-dir: --work-tree: "
        "--namespace: --super-prefix: --config-env: --attr-source: --literal-pathspecs --glob-pathspecs "
        "--noglob-pathspecs --icase-pathspecs --list-cmds: --help --version"
    ),
    "kubectl": _KUBE,
    "oc": _KUBE,
    "helm": _KUBE + " --debug --kube-context: --kube-token: --kube-apiserver: --kube-as-user: --kube-as-group: "
    "--registry-config: --repository-cache: --repository-config: --burst-limit: --qps: --kube-ca-file: --kube-version:",
    "docker": _DOCKER,
    "podman": _DOCKER
    + " --connection: --url: --root: --runroot: --storage-driver: --storage-opt: --cgroup-manager: --conmon: "
    "--events-backend: --hooks-dir: --identity: --module: --network-cmd-path: --network-config-dir: --noout "
    "--out: --remote -r --runtime: --runtime-flag: --ssh: --syslog --tmpdir: --transient-store --volumepath: "
    "--imagestore:",
    "nerdctl": _DOCKER + " -n: -a: --namespace: --address: --snapshotter: --cgroup-manager: --data-root: --debug-full",
    "docker-compose": (
        "-f: -p: -v -h --file: --project-name: --profile: --env-file: --project-directory: --ansi: --progress: "
        "--context: --compatibility --dry-run --parallel: --verbose --no-ansi --log-level: --all-resources"
    ),
    "npm": _NPM,
    "pnpm": _NPM,
    "yarn": _NPM,
    "bun": _NPM,
    "cargo": _CARGO,
    "rustup": "-v -q -h -V --verbose --quiet",
    "aws": _AWS,
    "gcloud": _GCLOUD,
    "gsutil": "-D -DD -m -q -h: -i: -o: -u: -s --testexceptiontraces",
    "az": _AZ,
    "gh": "-R: -h --repo: --help --version --hostname:",
    "glab": "-R: -h --repo: --group: -g:",
    "terraform": "-chdir: -help -version --chdir: -h -v",
    "tofu": "-chdir: -help -version --chdir: -h -v",
    "terragrunt": (
        "--terragrunt-config: --terragrunt-working-dir: --terragrunt-non-interactive --working-dir: --log-level:"
    ),
    "pulumi": "-C: -s: -e -v: -Q --cwd: --stack: --color: --non-interactive --logtostderr --verbose: --profiling: "
    "--tracing:",
    "systemctl": _SYSTEMCTL,
    "journalctl": (
        "-a -f -r -q -m -x -e -l -k -o: -n? -u: -t: -p: -b? -D: -M: -S: -U: -g: -c: --no-pager --system --user"
    ),
    "loginctl": "-H: -M: -p: -s: -n: -o: -a -l --no-pager --no-legend --no-ask-password --host: --machine: --property:",
    "networkctl": "-a -l -n: --no-pager --no-legend",
    "resolvectl": "-4 -6 -i: -p: -t: -c: --interface: --no-pager",
    "timedatectl": "-H: -M: -p: --no-pager --no-ask-password --adjust-system-clock --host: --machine: --property:",
    "hostnamectl": "-H: -M: --no-ask-password --static --pretty --transient --host: --machine:",
    "go": "-C:",
    "pip": _PIP,
    "uv": (
        "-q -v -n -h -V --quiet --verbose --color: --native-tls --offline --no-progress --directory: --project: "
        "--config-file: --no-config --cache-dir: --no-cache --python-preference: --allow-insecure-host: "
        "--no-python-downloads"
    ),
    "poetry": (
        "-q -v -n -h -V -C: -P: --ansi --no-ansi --no-interaction --no-plugins --no-cache "
        "--directory: --project: "
        "--quiet"
    ),
    "pdm": "-h -V -c: -v -q -I -n --config: --verbose --quiet --no-cache --ignore-python --non-interactive -p: "
    "--project:",
    "pipenv": "-h -q -v --python: --clear --verbose --quiet --site-packages --bare --pypi-mirror:",
    "hatch": "-e: -p: -v -q -h --env: --project: --data-dir: --cache-dir: --config: --color --no-color --interactive",
    "apt": _APT,
    "apt-get": _APT,
    "aptitude": _APT,
    "dnf": "-4 -6 -b -c: -C -d: -e: -q -R: -v -x: -y --config: --enablerepo: --disablerepo: --repo: --repoid: "
    "--exclude: --setopt: --installroot: --releasever: --nogpgcheck --best --assumeyes --assumeno --quiet "
    "--refresh --forcearch:",
    "yum": "-c: -C -d: -e: -q -R: -v -x: -y --enablerepo: --disablerepo: --exclude: --setopt: --installroot: "
    "--nogpgcheck",
    "apk": "-f -i -p: -q -U -v -X: --root: --repository: --no-cache --no-network --allow-untrusted --quiet --arch: "
    "--keys-dir:",
    "zypper": (
        "-h -V -q -v -A -D: -R: -C: -t: -s: -x -n --non-interactive --no-gpg-checks --root: --reposd-dir: --quiet"
    ),
    "brew": "-d -q -v -h --debug --quiet --verbose",
    "port": "-v -d -q -n -R -u -y -s -b -c -k -p -f -o -D:",
    "snap": "-h",
    "flatpak": "-v -h --verbose --user --system --installation:",
    "conda": "-h -V -v -q --no-plugins --debug --json --verbose --quiet -n: -p: --name: --prefix:",
    "mamba": "-h -V -v -q --no-plugins --debug --json --verbose --quiet -n: -p: --name: --prefix:",
    "make": (
        "-b -B -d -e -i -k -L -m -n -p -q -r -R -s -S -t -v -w -C: -f: -I: -o: -O? -W: -E: --directory: "
        "--file: --makefile: --include-dir: --jobs? --load-average? --max-load? --old-file: --what-if: "
        "--new-file: --eval: --output-sync? --always-make --keep-going --dry-run --just-print --silent --quiet "
        "--question --touch --print-directory --no-print-directory --no-builtin-rules --warn-undefined-variables "
        "--debug? --trace --environment-overrides --ignore-errors"
    ),
    "ninja": "-C: -f: -j: -k: -l: -n -v -d: -t: -w: --verbose --quiet",
    "just": "-f: -d: -n -q -v -u --justfile: --working-directory: --set: --shell: --shell-arg: --dry-run --quiet --yes "
    "--color: --dotenv-path: --dotenv-filename:",
    "mvn": _MAVEN,
    "gradle": _GRADLE,
    "bazel": "--output_base: --output_user_root: --bazelrc: --host_jvm_args: --server_javabase: --nohome_rc "
    "--noworkspace_rc --batch --max_idle_secs: --ignore_all_rc_files --nosystem_rc",
    "dotnet": "-d -h --diagnostics --roll-forward: --fx-version: --additionalprobingpath: --additional-deps: --info",
    "flutter": "-h -v -d: --verbose --device-id: --version --suppress-analytics --color --no-color --version-check "
    "--no-version-check --packages: --local-engine: --local-engine-src-path: --wrap --no-wrap --wrap-column:",
    "dart": "-v --verbose --enable-analytics --disable-analytics --suppress-analytics",
    "adb": "-a -d -e -s: -t: -H: -P: -L: --one-device: --exit-on-write-error",
    "ip": (
        "-4 -6 -B -0 -M -V -s -d -h -o -r -p -j -N -a -t -c? -br -n: -f: -l: -b: -rc: -netns: -family: -loops: "
        "-batch: -rcvbuf: -details -statistics -stats -human -oneline -resolve -pretty -json -all -timestamp "
        "-brief -color? -force"
    ),
    "nmcli": "-a -c: -e: -f: -g: -h -m: -o -p -s -t -v -w: --ask --colors: --escape: --fields: --get-values: --mode: "
    "--pretty --show-secrets --terse --wait: --overview",
    "svn": (
        "-q -v -r: -c: -m: -F: --username: --password: --password-from-stdin --no-auth-cache --non-interactive "
        "--force-interactive --trust-server-cert --trust-server-cert-failures: --config-dir: --config-option: --quiet "
        "--verbose --revision:"
    ),
    "hg": (
        "-R: -y -q -v -h --repository: --cwd: --noninteractive --quiet --verbose --color: --config: --debug --debugger "
        "--encoding: --encodingmode: --traceback --time --profile --version --help --hidden --pager:"
    ),
    "bundle": "--no-color --retry: --verbose -r: -V --gemfile:",
    "gem": "-h -V -q --verbose --quiet --silent --config-file: --backtrace --debug --norc --no-verbose",
    "composer": (
        "-h -q -V -n -v -vv -vvv -d: --working-dir: --quiet --no-interaction --no-plugins "
        "--no-scripts --no-cache "
        "--ansi --no-ansi --profile --verbose"
    ),
    "vagrant": "-h -v --color --no-color --machine-readable --debug --timestamp --debug-timestamp --no-tty",
    "ansible-vault": "-h -v",
    "redis-cli": (
        "-h: -p: -s: -a: -u: -n: -r: -i: -x -X: -c -2 -3 --user: --pass: --askpass --tls "
        "--sni: --cacert: --cert: "
        "--key: --raw --no-raw --csv --json --no-auth-warning"
    ),
    "heroku": "-a: -r: --app: --remote:",
    "fly": "-a: -c: -t: --app: --config: --access-token: --verbose --debug",
    "flyctl": "-a: -c: -t: --app: --config: --access-token: --verbose --debug",
    "vercel": "-A: -d -h -Q: -t: -S: -T: --cwd: --local-config: --global-config: --debug --token: --scope: --team: "
    "--no-color",
    "netlify": "--debug --httpProxy: --http-proxy: --filter: --auth: --cwd:",
    "wrangler": "-c: -e: --config: --env: --cwd: --env-file:",
    "firebase": "-P: --project: --account: --token: --json --debug --non-interactive --interactive --config: -c:",
    "doctl": "-t: -u: -o: -v --access-token: --api-url: --config: --context: --output: --trace --verbose --interactive",
    "argocd": "--auth-token: --config: --server: --server-crt: --insecure --plaintext --grpc-web --header: -H: --core",
    "flux": _KUBE + " --verbose --timeout:",
    "istioctl": _KUBE + " -i: --istioNamespace:",
    "minikube": (
        "-p: -v: -b: --profile: --bootstrapper: --alsologtostderr --logtostderr --log_dir: --v: --rootless --user:"
    ),
    "kind": "-q -v: --quiet --verbosity: --loglevel:",
    "vault": "-address: -namespace: -token: -format: -tls-skip-verify -ca-cert: -client-cert: -client-key: -ns: -mfa:",
    "consul": "-http-addr: -token: -datacenter: -namespace: -ca-file: -token-file:",
    "nomad": "-address: -region: -namespace: -token: -no-color -force-color -tls-skip-verify -ca-cert:",
    "jj": "-R: -h --repository: --at-operation: --at-op: --ignore-working-copy --ignore-immutable --color: --quiet "
    "--no-pager --config: --config-file: --debug",
    "zfs": "",
    "openssl": "",
}
"""Base name to the options that may stand in front of its sub-command."""

ANYWHERE = names(
    "kubectl oc helm docker-compose npm pnpm yarn bun cargo aws gcloud gsutil az gh glab systemctl loginctl "
    "networkctl pip uv poetry pdm apt apt-get aptitude dnf yum apk zypper brew conda mamba mvn gradle flutter "
    "svn hg composer heroku fly flyctl vercel netlify wrangler firebase doctl argocd flux istioctl minikube "
    "nmcli pulumi jj make just redis-cli"
)
"""Programs that take these options between and behind their sub-commands too."""

SAME_PROGRAM: Mapping[str, str] = {
    "pip3": "pip",
    "pip2": "pip",
    "pipx": "pipx",
    "gmake": "make",
    "mvnw": "mvn",
    "gradlew": "gradle",
    "tofu": "tofu",
    "yarnpkg": "yarn",
    "python-pip": "pip",
    "micromamba": "mamba",
    "dnf5": "dnf",
    "kubecolor": "kubectl",
    "hub": "git",
}
"""Programs with the options of another one; rules for the two are kept apart."""
