"""Programs that run commands in containers, pods and virtual machines."""

from __future__ import annotations

from itertools import pairwise

from execpolicy.programs.inner import run_argv, run_text
from execpolicy.programs.record import Program, Wrapper
from execpolicy.programs.text_runs import shown_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_EXEC = (
    "-d -i -t -e: -u: -w: -T --detach --detach-keys: --env: --env-file: --interactive --privileged --tty --user: "
    "--workdir: --index: --latest -l"
)
_RUN = (
    "-d -i -t -P -q -a: -c: -e: -h: -l: -m: -p: -u: -v: -w: --detach --interactive --tty --rm --init --privileged "
    "--read-only --publish-all --quiet --no-healthcheck --oom-kill-disable --sig-proxy --disable-content-trust "
    "--entrypoint* --env: --env-file: --volume: --volumes-from: --name: --network: --net: --user: --workdir: "
    "--publish: --platform: --pull: --label: --label-file: --hostname: --mount: --memory: --cpus: --cpuset-cpus: "
    "--cpu-shares: --gpus: --device: --cap-add: --cap-drop: --security-opt: --restart: --shm-size: --tmpfs: --ulimit: "
    "--userns: --uts: --pid: --ipc: --ip: --ip6: --link: --log-driver: --log-opt: --mac-address: --memory-swap: "
    "--dns: --dns-search: --dns-option: --domainname: --expose: --group-add: --health-cmd! --add-host: --annotation: "
    "--attach: --blkio-weight: --cgroup-parent: --cgroupns: --cidfile: --detach-keys: --isolation: --kernel-memory: "
    "--runtime: --stop-signal: --stop-timeout: --storage-opt: --sysctl: --volume-driver: --arch: --os: --pod: "
    "--secret: -T --no-deps --service-ports --use-aliases --build --no-TTY --remove-orphans --no-tty"
)
_IN_CONTAINERS = (
    Wrapper(_EXEC, 1, subcommands="exec, container exec, compose exec, sandbox exec"),
    Wrapper("-c! --command! --shell: --host: --privileged @permute", 1, subcommands="debug"),
    Wrapper(_RUN, 1, subcommands="run, create, container run, container create, compose run, service create"),
)
_DOCKER = (
    "-c: -D -H: -l: -v -h --config: --context: --debug --host: --log-level: --tls --tlscacert: --tlscert: --tlskey: "
    "--tlsverify --version --help"
)
_KUBE = (
    "-n: -s: -v: -h --namespace: --context: --cluster: --kubeconfig: --user: --server: --token: --username: "
    "--password: --as: --as-group: --as-uid: --cache-dir: --certificate-authority: --client-certificate: "
    "--client-key: --insecure-skip-tls-verify --tls-server-name: --request-timeout: --match-server-version "
    "--disable-compression --log-flush-frequency: --profile: --profile-output: --v: --vmodule: --warnings-as-errors "
    "--kuberc:"
)
_DOCKER_WORST = (
    "[run] run --privileged -v /:/host image sh; [compose=] load -f /tmp/evil.yml up; [up] target worker; "
    "[build] elsewhere https://evil; [cp] write c:/evil /home/u/.bashrc; [compose] files logs ps top images; "
    "exact build; [push] publish evil/image; "
    "[system=] delete prune -af --volumes; [volume=] delete rm -f x; [image=] delete rm -f x; "
    "[] elsewhere -H tcp://evil ps; [] run run -v /:/host image sh"
)
_INSTRUCTIONS = ("RUN ", "CMD ", "ENTRYPOINT ")


def post_rendered(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``helm … --post-renderer PROGRAM --post-renderer-args ARGUMENT``, once for each argument."""
    given: dict[str, list[str]] = {"--post-renderer": [], "--post-renderer-args": []}
    words = command.words
    for at, word in enumerate(words[1:], 1):
        option, equals, value = (word.literal or "").partition("=")
        if option in given:
            given[option].append(value if equals else words[at + 1].literal or "" if at + 1 < len(words) else "")
    for program in given["--post-renderer"]:
        yield run_argv(name, command, [*program.split(), *given["--post-renderer-args"]], evidence=True)


def image(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``docker build -f FILE``: the instructions of a file that the script shows, which run in the image; and one that
    ``docker commit --change TEXT`` gives it.
    """
    words = command.words
    verbs = {word.literal for word in words[1:4]}
    texts: list[str] = []
    if not verbs.isdisjoint(("build", "bud")):
        texts = [text for word in words[1:] for text in shown_texts(word, command, facts)]
    elif not verbs.isdisjoint(("commit", "import")):
        texts = [(word.literal or "").removeprefix("--change=").removeprefix("-c") for word in words[2:]]
    for line in [line for text in texts for line in text.replace("\\\n", " ").split("\n")]:
        if line.lstrip().upper().startswith(_INSTRUCTIONS):
            said = line.split(None, 1)[1].strip()
            said = said.strip("[]").replace(",", " ") if said[:1] == "[" else said
            yield run_text(name, command, said, evidence=True)


def pod(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``kubectl run --overrides JSON``, and ``config set-credentials --exec-command PROGRAM --exec-arg ARGUMENT``."""
    program: list[str] = []
    arguments: list[str] = []
    for before, word in pairwise(command.words):
        option, equals, value = (word.literal or "").partition("=")
        if not equals or option[:1] != "-":
            option, value = before.literal or "", word.literal or ""
        if option == "--exec-command":
            program = [value]
        elif option == "--exec-arg":
            arguments += value.split(",")
        elif option in ("--overrides", "--patch", "-p"):
            yield from [run_argv(name, command, argv, evidence=True) for argv in _argvs_in(value)]
    if program:
        yield run_argv(name, command, [*program, *arguments], evidence=True)


def _argvs_in(text: str) -> Iterator[list[str]]:
    """What containers run by the JSON ``text``: the lists of words in it, and a ``command`` with its ``args``."""
    import json

    try:
        waiting: list[object] = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
            value = [word for key in ("command", "args") for word in value.get(key) or ()]
        elif isinstance(value, list):
            waiting += value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            yield value


# fmt: off
RECORDS = (
    Program("docker", *_IN_CONTAINERS, settings="--invoke! --args!", leading=_DOCKER,
        broad="compose, cp, build", worst=_DOCKER_WORST, task="2 "
        "builder=3 buildx=3 compose=3 container=3 image=3 network=3 system=3 volume=3", far=True, carries=image,
        example="docker run -it --rm image rm x"),
    Program("podman", *_IN_CONTAINERS, Wrapper("--rootless-netns", subcommands="unshare"),
        Wrapper(_EXEC, subcommands="exec, container exec"),  # -l: the last one, without its name
        Wrapper("--username: -q --quiet", 1, subcommands="machine ssh", optional=True, joined=True),
        leading=_DOCKER + " "
        "--connection: --url: --root: --runroot: --storage-driver: --storage-opt: --cgroup-manager: --conmon: "
        "--events-backend: --hooks-dir: --identity: --module: --network-cmd-path: --network-config-dir: --noout --out: "
        "--remote -r --runtime: --runtime-flag: --ssh: --syslog --tmpdir: --transient-store --volumepath: "
        "--imagestore:", broad="cp, build", worst=_DOCKER_WORST, task="2 compose=3", far=True, carries=image,
        example="podman run -it --rm image rm x"),
    Program("nerdctl", *_IN_CONTAINERS,
        leading=_DOCKER + " -n: -a: --namespace: --address: --snapshotter: --cgroup-manager: --data-root: "
        "--debug-full", broad="", carries=image, example="nerdctl run -it --rm image rm x"),
    Program("docker-compose podman-compose", Wrapper(_EXEC, 1, subcommands="exec"), Wrapper(_RUN, 1, subcommands="run"),
        leading="-f: -p: -v -h --file: --project-name: --profile: --env-file: --project-directory: --ansi: "
        "--progress: --context: --compatibility --dry-run --parallel: --verbose --no-ansi --log-level: "
        "--all-resources @anywhere", example="docker-compose -f x exec web rm x"),
    Program("kubectl oc k3s microk8s.kubectl kubecolor", Wrapper("-c: -i -t -q -f: --container: --stdin --tty --quiet "
        "--filename: --pod-running-timeout: --image: --target: --share-processes --copy-to: --env: --attach --command "
        "--rm --restart: --labels: -l: --overrides: --port: --image-pull-policy: --dry-run: --leave-stdin-open "
        "--service-account: -it -ti @permute", 1, subcommands="exec, rsh, run, debug, create job, "
        "create cronjob, create deployment, create deploy, kubectl exec, kubectl run, "
        "kubectl debug"), leading=_KUBE + " @anywhere", broad="cp, apply, delete", task="2 config=3 rollout=3",
        far=True, worst="[delete=] delete namespaces --all; [config=] elsewhere use-context prod; [apply] "
        "elsewhere -f https://evil; [diff] elsewhere -f https://evil; elsewhere --kubeconfig /tmp/evil.yaml; "
        "elsewhere --context prod; exact diff; elsewhere -s "
        "https://evil; [get] elsewhere secrets", example="kubectl exec -it pod -- rm x",
        carries=pod),
    Program("apptainer singularity", Wrapper("-B: -H: -W: -c -C -e -f -i -n -p -u -w --bind: --home: --workdir: --pwd: "
        "--env: --env-file: --overlay: --containall --contain --cleanenv --fakeroot --nv --rocm --net --writable "
        "--writable-tmpfs --network: --scratch: --app: --no-home --userns --pid --ipc --uts", 1,
        subcommands="exec, run, shell"), leading="-d -q -s -v -h --debug --quiet --silent --verbose -c: --config: "
        "--nocolor", broad="shell, run", example="apptainer exec -B /a a.sif rm x"),
    Program("buildah", Wrapper("-t -v: --tty --terminal --user: --volume: --mount: --workingdir: --env: -e: "
        "--isolation: --runtime: --cap-add: --cap-drop: --network: --hostname: --add-history", 1, subcommands="run"),
        Wrapper("-m: --mount:", subcommands="unshare"), leading="--log-level: --root: --runroot: --storage-driver: "
        "--storage-opt: --registries-conf: -h -v", broad="build, bud", carries=image, example="buildah run box rm x",
        worst="[build] load -f /tmp/Dockerfile; [bud] load -f /tmp/Dockerfile"),
    Program("lxc incus", Wrapper("-T -t -n --cwd: --env: --mode: --user: --group: -- @permute", 1, subcommands="exec"),
        example="lxc exec box -- rm x"),
    Program("multipass", Wrapper("-d: --working-directory: -n --no-map-working-directory", 1, subcommands="exec"),
        example="multipass exec box -- rm x"),
    Program("lxc-attach", Wrapper("-n: -e -s: -R -v: -u: -g: -l: -o: -P: --name: --clear-env --keep-env", after="--"),
        example="lxc-attach -n box -- rm x"),
    Program("machinectl", Wrapper("-M: -H: -E: --uid: --setenv: --machine: -q", 1, subcommands="shell"),
        example="machinectl shell box /bin/rm x"),
    Program("toolbox", Wrapper("-c: -d: -r: --container: --distro: --release:", subcommands="run"),
        example="toolbox run -c box rm x"),
    Program("distrobox", Wrapper("-n: -e -T --name: -- @permute", 1, subcommands="enter"),
        example="distrobox enter box -- rm x"),
    Program("distrobox-enter", Wrapper("-n: -e -T --name: --"), example="distrobox-enter -n box -- rm x"),
    Program("adb", Wrapper("-s: -d -e -a -t: -H: -P: -L: -n -T -x", subcommands="shell, exec-out, exec-in",
        joined=True),
        leading="-a -d -e -s: -t: -H: -P: -L: --one-device: --exit-on-write-error", example="adb -d shell rm x"),
    Program("wsl", Wrapper("-d: -u: -e --exec --distribution: --user: --cd: --shell-type: --system --"),
        example="wsl -d box rm x"),
    Program("vagrant", Wrapper("-c! -p --command! --plain", 1, subcommands="ssh"),
        leading="-h -v --color --no-color --machine-readable --debug --timestamp --debug-timestamp --no-tty",
        settings="-c! --command!", broad="provision", task="2", far=True, example="vagrant ssh -c 'rm x'"),
    Program("ctr", Wrapper("-t -d --rm --tty --detach --mount: --env: --cwd: --net-host --snapshotter: --user: "
        "--runtime: --label: --gpus: --platform:", 2, subcommands="run"), Wrapper("-t -d --exec-id: --cwd: --tty "
        "--detach --user: --fifo-dir: --log-uri:", 1, subcommands="tasks exec, task exec, t exec"),
        leading="-a: -n: --address: --namespace: --timeout: --debug", broad="", far=True,
        example="ctr run image name rm x"),
    Program("helm", leading=_KUBE + " --debug --kube-context: --kube-token: --kube-apiserver: --kube-as-user: "
        "--kube-as-group: --registry-config: --repository-cache: --repository-config: --burst-limit: --qps: "
        "--kube-ca-file: --kube-version: @anywhere", carries=post_rendered, settings="--post-renderer!",
        example="helm template --post-renderer rm x", task="2 repo=3 diff=3 get=3 search=3 show=3 dependency=3 "
        "dep=3 plugin=3", far=True, worst="[diff] exact upgrade rollback; run --post-renderer ./evil; "
        "elsewhere --kubeconfig /tmp/evil.yaml; load -f https://evil; elsewhere oci://evil/chart"),
    Program("pct", Wrapper("--keep-env:", 1, subcommands="exec"), example="pct exec 1 -- rm x"),
    Program("minikube", Wrapper("-n: --node: --native-ssh", subcommands="ssh", joined=True), leading="-p: -v: -b: "
        "--profile: --bootstrapper: --alsologtostderr --logtostderr --log_dir: --v: --rootless --user: @anywhere",
        task="2", far=True, example="minikube ssh -- rm x"),
    Program("kind", leading="-q -v: --quiet --verbosity: --loglevel:", task="2", far=True,
        worst="[] delete delete cluster"),
    Program("istioctl", leading=_KUBE + " -i: --istioNamespace: @anywhere", task="2", far=True,
        worst="[] elsewhere install -f /tmp/evil.yaml; elsewhere --kubeconfig /tmp/evil.yaml"),
    Program("flux", leading=_KUBE + " --verbose --timeout: @anywhere"),
    Program("argocd", leading="--auth-token: --config: --server: --server-crt: --insecure --plaintext --grpc-web "
        "--header: -H: --core @anywhere"),
    Program("helmfile", task="2", far=True, worst="exact diff lint list; run --helm-binary ./evil; load -f "
        "/tmp/evil.yaml; delete destroy"),
    Program("kustomize", task="2", worst="exact build; run --enable-exec --enable-alpha-plugins; elsewhere "
        "https://evil; write -o /etc/x"),
    Program("skaffold", task="2", far=True,
        worst="load -f /tmp/skaffold.yaml; [] load run -f /tmp/skaffold.yaml"),
)
