"""Command lines of clouds and of services elsewhere."""

from __future__ import annotations

from execpolicy.programs.inner import run_argv, run_text
from execpolicy.programs.record import Program, Wrapper
from execpolicy.programs.text_runs import run_joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def gh(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``gh alias set NAME TEXT``, where ``TEXT`` is for a shell, or a command line of gh without its name; and what git
    gets of ``gh repo clone NAME -- OPTION…``.
    """
    texts = [word.literal or "" for word in command.words[1:]]
    if texts[:2] == ["config", "set"] and len(texts) > 3 and texts[2] in ("pager", "editor", "browser"):
        return [run_text(name, command, texts[3], evidence=True)]
    if texts[:1] == ["repo"] and "--" in texts and not {"clone", "fork"}.isdisjoint(texts[:3]):
        return [run_argv(name, command, ["git", "clone", *texts[texts.index("--") + 1 :]], evidence=True)]
    if "alias" not in texts or "set" not in texts:
        return []
    shell = "-s" in texts or "--shell" in texts
    return [
        run_text(name, command, text.removeprefix("!"))
        if shell or text.startswith("!")
        else run_text(name, command, f"gh {text}", evidence=True)
        for text in texts[2:]
        if shell or text[:1] != "-"
    ]


def aws(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``aws configure set credential_process TEXT``, and ``--parameters commands=TEXT`` of Systems Manager."""
    from itertools import pairwise

    texts = [word.literal or "" for word in command.words[1:]]
    found = [after for before, after in pairwise(texts) if before.rpartition(".")[2] == "credential_process"]
    for text in texts:
        if "commands" in text:
            found += [each for each in text.partition("commands")[2].strip("=:\"' ]}").split('"') if each.strip("[, '")]
    return [run_text(name, command, text.strip("[]'"), evidence=True) for text in found]


def salt(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``salt TARGET cmd.run TEXT``."""
    words = command.words
    for at, word in enumerate(words):
        if (word.literal or "").startswith("cmd."):
            yield from run_joined(name, command, facts, words[at + 1 :])


# fmt: off
RECORDS = (
    Program("aws", carries=aws, settings="--command!", example="aws configure set credential_process 'rm x'",
        leading="--debug --endpoint-url: --no-verify-ssl --no-paginate --output: --query: --profile: --region: "
        "--version --color: --no-sign-request --ca-bundle: --cli-read-timeout: --cli-connect-timeout: "
        "--cli-binary-format: --no-cli-pager --cli-auto-prompt --no-cli-auto-prompt --v2-debug @anywhere",
        broad="s3, s3 cp, s3 mv, s3 rm, s3 sync, ssm, ssm start-session, ssm send-command, configure, configure set, "
        "ec2, ecs, ecs execute-command, lambda, lambda invoke, iam, rds, cloudformation, dynamodb, eks, "
        "secretsmanager", task="3",
        far=True, worst="[ssm=] run send-command --document-name AWS-RunShellScript --parameters commands=./evil; "
        "[ecs=] run execute-command --interactive --command ./evil; [lambda=] run invoke --function-name x out; "
        "[configure=] run set credential_process ./evil; [s3=] delete rm s3://x --recursive; [ec2=] delete "
        "terminate-instances --instance-ids x; [rds=] delete delete-db-instance --db-instance-identifier x; "
        "[eks=] delete delete-cluster --name x; [secretsmanager=] "
        "elsewhere get-secret-value --secret-id x; [iam=] elsewhere attach-user-policy --policy-arn x; "
        "[cloudformation=] delete delete-stack --stack-name x; "
        "[dynamodb=] delete delete-table --table-name x; elsewhere --endpoint-url http://evil; elsewhere --profile "
        "prod; load --ca-bundle /tmp/evil"),
    Program("gcloud", Wrapper(subcommands="compute ssh, cloud-shell ssh, alpha compute ssh, beta compute ssh",
        after="--"), leading="-q -h --account: --billing-project: --configuration: --flags-file: --flatten: "
        "--format: --help --project: --quiet --verbosity: --version --access-token-file: "
        "--impersonate-service-account: --log-http --trace-token: --user-output-enabled? --no-user-output-enabled "
        "--filter: --sort-by: --limit: --zone: --region: @anywhere", settings="--command!",
        broad="compute, compute ssh, compute instances, container, projects, sql",
        task="3 compute=4 container=4", far=True, example="gcloud compute ssh box --command='rm x'",
        worst="[compute=] run ssh box --command=./evil; [] run compute ssh box --command=./evil; [projects=] delete "
        "delete x -q; [container=] delete clusters delete x -q; [sql=] delete instances delete x -q; elsewhere "
        "--account evil"),
    Program("gsutil", leading="-D -DD -m -q -h: -i: -o: -u: -s --testexceptiontraces @anywhere", task="2",
        far=True, worst="delete rm -r gs://x"),
    Program("az", leading="-h -o: -g: -n: --debug --help --only-show-errors --output: --query: --verbose "
        "--subscription: --resource-group: @anywhere", settings="--scripts! --command!",
        broad="vm, group, aks", task="3", far=True, example="az vm run-command invoke --scripts "
        "'rm x'", worst="[vm=] run run-command invoke --command-id "
        "RunShellScript --scripts ./evil; [] run vm run-command invoke --command-id RunShellScript --scripts ./evil; "
        "[group=] delete delete -n x -y; [aks=] delete delete -n x -g y -y; elsewhere --subscription other"),
    Program("gh", Wrapper("-c: -R: -r: -o: -p: -d --codespace: --repo: --profile: --server-port: --debug",
        subcommands="codespace ssh, cs ssh", joined=True),
        leading="-R: -h --repo: --help --version --hostname: @anywhere",
        carries=gh, example="gh alias set z '!rm x'", broad="api, alias, extension, codespace ssh", task="3", far=True,
        worst="[pr] elsewhere -R other/project; [issue] elsewhere -R other/project; [run] elsewhere -R other/project; "
        "[release] elsewhere -R other/project; [workflow] elsewhere -R other/project; [api] delete -X DELETE; [] run "
        "alias set x '!./evil'; "
        "[extension] fetch install evil/gh-evil"),
    Program("glab", leading="-R: -h --repo: --group: -g: @anywhere", broad="api, alias, alias set", task="3", far=True,
        worst="elsewhere -R other/project; [] run alias set x '!./evil'"),
    Program("terraform tofu", leading="-chdir: -help -version --chdir: -h -v", broad="apply, destroy, console, state",
        task="2 state=3 workspace=3", far=True, worst="files fmt; exact plan validate providers graph version; [state] "
        "exact list; [workspace] exact list show; [] elsewhere -chdir=/tmp; [apply=] delete -destroy -auto-approve; "
        "[fmt] elsewhere -recursive /; [plan] write -out=/etc/x; [state] delete rm x; [destroy] delete "
        "-auto-approve; "
        "[console] load -var-file=/tmp/evil.tfvars; [init] load -backend-config=/tmp/evil; "
        "[init] fetch -upgrade"),
    Program("terragrunt", leading="--terragrunt-config: --terragrunt-working-dir: --terragrunt-non-interactive "
        "--working-dir: --log-level:", broad="apply, destroy, run, run-all, exec, console", task="2", far=True,
        worst="exact plan validate hclfmt; run --terragrunt-tfpath ./evil; load --terragrunt-source https://evil; "
        "delete run-all destroy"),
    Program("pulumi", leading="-C: -s: -e -v: -Q --cwd: --stack: --color: --non-interactive --logtostderr --verbose: "
        "--profiling: --tracing: @anywhere", broad="up, update, destroy, watch", task="2", far=True,
        worst="exact preview; [up] delete -y; [] delete destroy -y; elsewhere -C /tmp; load --policy-pack /tmp"),
    Program("heroku", Wrapper("-a: -r: -s: -x -d --app: --remote: --size: --type: --exit-code",
        subcommands="run, run:detached, run:inside, local:run", joined=True),
        leading="-a: -r: --app: --remote: @anywhere", task="2", far=True,
        example="heroku run -a app rm x"),
    Program("fly flyctl", leading="-a: -c: -t: --app: --config: --access-token: --verbose --debug @anywhere",
        settings="-C! --command!", broad="ssh, ssh console, console, machine exec", task="2", far=True,
        example="fly ssh console -C 'rm x'"),
    Program("vercel", Wrapper("-e: --environment: --git-branch:", subcommands="env run"), leading="-A: -d -h -Q: -t: "
        "-S: -T: --cwd: --local-config: --global-config: --debug --token: --scope: --team: --no-color @anywhere",
        task="2", far=True, example="vercel env run -- rm x"),
    Program("netlify", Wrapper(subcommands="dev:exec"), settings="--command!", leading="--debug --httpProxy: "
        "--http-proxy: --filter: --auth: --cwd: @anywhere", task="2", far=True, example="netlify dev:exec rm x"),
    Program("wrangler", leading="-c: -e: --config: --env: --cwd: --env-file: @anywhere", task="2", far=True,
        worst="[] publish deploy"),
    Program("firebase", Wrapper("--only: --import: --export-on-exit? --ui", subcommands="emulators:exec", joined=True),
        leading="-P: --project: --account: --token: --json --debug --non-interactive --interactive --config: -c: "
        "@anywhere", task="2", far=True, example="firebase emulators:exec 'rm x'"),
    Program("doctl", leading="-t: -u: -o: -v --access-token: --api-url: --config: --context: --output: --trace "
        "--verbose --interactive @anywhere", task="3", far=True,
        worst="[] delete compute droplet delete x; elsewhere --context other"),
    Program("vault", Wrapper("-mode: -role: -mount-point: -private-key-path: -public-key-path: "
        "-valid-principals: -strict-host-key-checking: -user-known-hosts-file: -no-exec", 1, subcommands="ssh"),
        leading="-address: -namespace: -token: -format: -tls-skip-verify -ca-cert: -client-cert: "
        "-client-key: -ns: -mfa:", settings="-exec! --exec!", task="2", far=True, worst="delete delete secret/x",
        example="vault agent -exec 'rm x'"),
    Program("consul", leading="-http-addr: -token: -datacenter: -namespace: -ca-file: -token-file:",
        broad="exec", task="2", far=True, worst="run exec ./evil"),
    Program("nomad", leading="-address: -region: -namespace: -token: -no-color -force-color -tls-skip-verify "
        "-ca-cert:", broad="exec, alloc exec, job run, run", task="2", far=True, worst="run run /tmp/evil.nomad"),
    Program("ansible", settings="-a! --args! --ssh-common-args! --ssh-extra-args! --scp-extra-args! "
        "--sftp-extra-args!", form="ansible", example="ansible all -a 'rm x'"),
    Program("pssh parallel-ssh pdsh", Wrapper("-h: -H: -l: -p: -o: -e: -t: -O: -w: -x: -g: -f: -v -A -i -I -P"),
        example="pssh -H a rm x"),
    Program("dsh clush", Wrapper("-a -M -c -w: -x: -g: -m: -f: -l: -o: -b -B -q -v -S -t: -u:", joined=True),
        example="clush -w a rm x"),
    Program("knife", Wrapper("-a: -x: -p: -i: -C: -m -G: -P?", 1, subcommands="ssh, winrm", joined=True),
        example="knife ssh q rm x"),
    Program("fab", Wrapper("-H: -i: -c: -u: -r:", after="--"), example="fab -H a -- rm x"),
    Program("ansible-playbook ansible-console", broad="", worst="load /tmp/evil.yml; run -e "
        "'x={{lookup(\"pipe\",\"./evil\")}}'"),
    Program("ansible-galaxy", task="2", fetches=True, far=True, worst="fetch install evil.role"),
    Program("ansible-vault", leading="-h -v"),
    Program("packer", task="2", far=True, worst="files fmt validate; load /tmp/evil.pkr.hcl; load -var-file=/tmp/evil"),
    Program("cdk", task="2", far=True, broad="deploy, destroy", worst="exact synth synthesize diff ls list; run --app "
        "./evil; run -a ./evil; run --build ./evil; load --plugin /tmp/evil.js; write -o /etc"),
    Program("sam", task="2", far=True, broad="deploy, sync, delete", worst="exact validate build; load --hook-name "
        "evil; elsewhere -t /tmp/evil.yaml; write --build-dir /etc"),
    Program("prisma", task="2", far=True, worst="exact validate format; elsewhere --schema /tmp; delete migrate reset"),
    Program("encore rtk render nx-cloud", task="2", far=True),
    Program("telepresence", Wrapper("-n: -p: -w: --namespace: --port: --env-file: --mount:", 1,
        subcommands="intercept, replace, ingest, wiretap, curl"),
        Wrapper("-n: --namespace: --context: --docker", subcommands="connect, "
        "docker-run"), task="2", far=True, example="telepresence connect -- rm x"),
    Program("serverless sls", task="2", far=True, worst="[] publish deploy"),
    Program("garden devspace okteto kamal werf sst bosh copilot-cli", Wrapper("-c! -n: -p: -i -t -d: -h: -r: "
        "--command! --namespace: --context: --container: --reuse --primary --hosts: --roles: --version: --interactive "
        "--target: --stage:", 1, subcommands="exec, enter, app exec, server exec, kube-run, run, ssh, svc exec, "
        "job run, task run, shell, bind", optional=True, joined=True), settings="--command!", task="2", far=True,
        worst="[] publish deploy", example="okteto exec -- rm x"),
    Program("supabase", task="2", far=True, worst="[] delete db reset --linked; [] publish functions deploy"),
    Program("amplify", task="2", far=True, worst="[] delete delete --force; [] publish publish"),
    Program("tilt", task="2", far=True, worst="[] load up -f /tmp/Tiltfile"),
    Program("gitlab-runner", task="2", far=True, worst="run exec shell x; load --config /tmp/evil.toml"),
    Program("jenkinsfile-runner", far=True, worst="load -f /tmp/evil"),
    Program("dokku", task="2", far=True, worst="[] delete apps:destroy x --force"),
    Program("railway", Wrapper("-s: -e: -p: --service: --environment: --project:", subcommands="run, ssh"),
        task="2", far=True, example="railway run rm x"),
    Program("cf", settings="-c! --command!", broad="ssh, push", task="2", far=True, example="cf ssh app -c 'rm x'"),
    Program("dagger", Wrapper("--focus --progress: -s --silent -v -d --debug", subcommands="run"), broad="run, call",
        task="2", far=True, worst="target +deploy; load -f /tmp/evil", example="dagger run rm x"),
    Program("earthly act", broad="run, call", task="2", far=True, worst="target +deploy; load -f /tmp/evil"),
    Program("salt salt-ssh salt-call", carries=salt, example="salt '*' cmd.run 'rm x'", broad="", far=True,
        worst="run '*' cmd.run ./evil"),
    Program("rclone restic borg s3cmd mc", settings="--password-command! --rsh!", broad="",
        example="rclone --password-command 'rm x' ls", task="2", far=True, worst="delete purge remote:x"),
    Program("et tsh coder", Wrapper("-c! -N -f -u: -p: -x -t --command! --user: --login: --cluster: --proxy: --tty", 1,
        subcommands="ssh", joined=True), Wrapper("-c: -s -i -t --container: --stdin --tty", 1,
        subcommands="kubectl exec, kube exec"), settings="-c! --command!", example="et -c 'rm x' host"),
    Program("eb", settings="-c! --command!", example="eb ssh -c 'rm x'"),
    Program("etcdctl", Wrapper("--ttl: --prefix --rev: --endpoints: --user: --cert: --key: --cacert:", 1,
        subcommands="lock, exec-watch, watch", optional=True, after="--"), leading="--endpoints: --user: --cert: "
        "--key: --cacert: --write-out: -w: @anywhere", example="etcdctl lock a rm x", far=True,
        worst="[] delete del x --prefix; [del] delete x --prefix; elsewhere --endpoints evil:2379"),
    Program("bolt", Wrapper("-t: -n: --targets: --user:", subcommands="command run", joined=True),
        example="bolt command run 'rm x' -t a"),
    Program("vmrun", Wrapper("-activeWindow -interactive -noWait", 1, subcommands="runProgramInGuest, runScriptInGuest",
        optional=True), leading="-T: -gu: -gp: -vp:", example="vmrun runProgramInGuest vm rm x"),
    Program("VBoxManage vboxmanage", Wrapper("--exe* --image* --username: --password: --wait-stdout", 1,
        subcommands="guestcontrol", after="--"), example="VBoxManage guestcontrol vm run --exe rm -- rm x", far=True,
        worst="[] delete unregistervm x --delete"),
    Program("docker-machine orbctl", Wrapper("-m: -u: -p -w: --native-ssh", subcommands="ssh, run", optional=True),
        Wrapper("", 1, subcommands="ssh"), example="docker-machine ssh a rm x"),
)
