"""Version control."""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("git hub", leading="-C: -c: -p -P -h -v --exec-path? --html-path --man-path --info-path --paginate "
        "--no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare --git-dir: "
        "--work-tree: --namespace: --super-prefix: --config-env: --attr-source: --literal-pathspecs --glob-pathspecs "
        "--noglob-pathspecs --icase-pathspecs --list-cmds: --help --version", carries="git:git",
        broad="-c, -C, config, submodule, submodule foreach, rebase, bisect, bisect run, filter-branch, difftool, "
        "mergetool, hook, send-email, svn, p4", task="2 bisect=3 config=3 lfs=3 notes=3 remote=3 stash=3 submodule=3 "
        "worktree=3", example="git -c alias.z='!rm x' z"),
    Program("git-lfs", task="2"),
    Program("svn", leading="-q -v -r: -c: -m: -F: --username: --password: --password-from-stdin --no-auth-cache "
        "--non-interactive --force-interactive --trust-server-cert --trust-server-cert-failures: --config-dir: "
        "--config-option: --quiet --verbose --revision: @anywhere", settings="--diff-cmd! --diff3-cmd! --editor-cmd!",
        task="2", fetches=True, example="svn diff --diff-cmd 'rm x'"),
    Program("hg", leading="-R: -y -q -v -h --repository: --cwd: --noninteractive --quiet --verbose --color: "
        "--config: --debug --debugger --encoding: --encodingmode: --traceback --time --profile --version --help "
        "--hidden --pager: @anywhere", task="2"),
    Program("jj", leading="-R: -h --repository: --at-operation: --at-op: --ignore-working-copy --ignore-immutable "
        "--color: --quiet --no-pager --config: --config-file: --debug @anywhere", task="2"),
    Program("pre-commit", task="2", fetches=True),
)
