"""A program that the script copies, links to or moves, and runs under another name; bash runs each of them here."""

import pytest

from tests.support.each import each
from tests.support.judging import decision
from tests.support.stub_git import logged_calls

RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\n'
SCRIPTS = [
    "cp bin/git f; ./f push",
    "cp bin/git f; ./f push; cp a f",
    "cp a f; cp bin/git f; chmod +x f; ./f push",
    "cp bin/git f; mv f g; mv g h; ./h push",
    "cp bin/git f; PATH=. f push",
    "cp bin/git f; PATH=.:$PATH; f push",
    'cp "$(command -v git)" f; export PATH=$PWD:$PATH; f push',
    "mkdir b; ln -s ../bin/git b/f; PATH=b f push",
    'ln -s "$PWD/bin/git" ~/bin/f; f push',
    "install -m755 bin/git ~/bin/f && f push",
    "cat bin/git > ~/bin/f; chmod +x ~/bin/f; f push",
    "cat < bin/git > f; chmod +x f; ./f push",
    "tee f < bin/git; chmod +x f; ./f push",
    "cat bin/git | tee f; chmod +x f; ./f push",
    "{ cat bin/git; } > f; chmod +x f; ./f push",
    "base64 bin/git | base64 -d > f; chmod +x f; ./f push",
    "dd if=bin/git of=f; chmod +x f; ./f push",
    'dd if="$(command -v git)" of=f; chmod +x f; ./f push',
    "exec 3<bin/git; cat <&3 > f; chmod +x f; ./f push",
    "gzip -c bin/git > f.gz; gunzip f.gz; chmod +x f; ./f push",
    "mkdir -p node_modules/.bin; cp bin/git bin/git-p; PATH=bin:$PATH; git-p push",
    'ln -s "$PWD/bin/git" ~/bin/f; bash -c "f push"',
    "ln -s git bin/f; f push",
    "ln -s git bin/f; ln -s f bin/g; g push",
    "ln -s git bin/f; for a in f; do $a push; done",
    "ln -s git bin/f; xargs f <<< push",
    "cp bin/{git,f}; f push",
    "cd bin; ln -s git f; cd ..; f push",
    "cd ~/bin && ln -s ../bin/git f && f push",
    "bash -c 'cp bin/git f'; ./f push",
    "eval 'cp bin/git f'; ./f push",
    "d=bin; cp bin/git $d/f; f push",
    "d=bin; cp bin/git $d/f; $d/f push",
    'q=f; cp bin/git "$q"; ./f push; cp a f',
    "q=f; cp bin/git $q; q=./f; $q push",
    'cp bin/git f; "$PWD/f" push',
    'cp bin/git "$PWD/f"; ./f push',
    "cp bin/git ~/f; ~/f push",
    "cp bin/git ~/f; $HOME/f push",
    "mkdir b; cp bin/git b/f; cd b; ./f push",
    "mkdir b; sh -c 'cat bin/git > b/f'; chmod +x b/f; cd b && ./f push",
    'g() { cp "$1" "$2"; }; g bin/git f; ./f push',
    "for x in bin/git; do cp $x f; done; ./f push",
    "find bin -name git -exec cp {} f \\; ; ./f push",
    "echo bin/git f | xargs cp; ./f push",
    "command -v git | xargs -I{} cp {} f; ./f push",
    "link bin/git f; ./f push",
    "/bin/cp bin/git f; ./f push",
    "c''p bin/git f; ./f push",
    "c\\p bin/git f; ./f push",
    "l'n' -s bin/git f; ./f push",
    "$'\\x63p' bin/git f; ./f push",
    "bash -c 'c\"\"p bin/git f'; ./f push",
    'python3 -c \'import shutil; shutil.move("bin/git", "f")\'; ./f push',
    'cp bin/git e; python3 -c \'import os; os.replace("e", "f")\'; ./f push',
    "env /bin/ln -s bin/git f; ./f push",
    "env cp bin/git f; timeout 5 ./f push",
    'python3 -c \'import shutil; shutil.copy("bin/git", "f")\'; ./f push',
    'python3 -c \'import os; os.symlink("bin/git", "f")\'; ./f push',
    'perl -e \'symlink "bin/git", "f"\'; ./f push',
    'perl -MFile::Copy -e \'copy("bin/git", "b-f")\'; chmod +x b-f; ./b-f push',
    "cp /bin/bash b; ./b -c 'git push'",
    "c=cp; $c bin/git f; ./f push",
    'c=ln; "$c" -s bin/git f; ./f push',
    "cp /usr/bin/env e; PATH=.:$PATH; e git push",
]
ELSEWHERE = [
    "ditto /usr/bin/git f; ./f push",
    "cmake -E copy /usr/bin/git f; ./f push",
    "cmake -E create_symlink /usr/bin/git f; ./f push",
    "update-alternatives --install /usr/bin/f f /usr/bin/git 1; f push",
    "update-alternatives --set f /usr/bin/git; f push",
    "mount --bind /usr/bin/git f; ./f push",
    "rename git f git; ./f push",
    "rename s/git/f/ git; ./f push",
    "cp /usr/bin/git node_modules/.bin/f; npx f push",
    "cp /usr/bin/git /usr/bin/git-p; git p push",
    "sudo ln -s /usr/bin/git /usr/local/bin/f; f push",
    "sudo -n busybox ln -s /usr/bin/git /usr/local/bin/f; f push",
    "node -e \"require('fs').symlinkSync('/usr/bin/git', 'f')\"; ./f push",
    "rsync /usr/bin/git /usr/local/bin/f; f push",
]
"""Ways of programs that are not everywhere, or that change the system."""


@pytest.mark.slow
@each("script", SCRIPTS)
def test_bash_runs_it(script: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("place")
    (place / "a").write_text("#!/bin/sh\n")
    assert logged_calls(script, place) == "push\n"


@each("script", [*SCRIPTS, *ELSEWHERE])
def test_it_is_forbidden(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        "cp git.md f; ./f push",
        "cp /usr/bin/git f; ls ./f push",
        "cp /usr/bin/git f; ./g push",
        "ln -s /usr/bin/git bin/f; f status",
        "ln -s /usr/bin/foo bin/git; foo push",
        "mv f git; ./f push",
        'python3 -c \'print("bin/git", "f")\'; ./f push',
    ],
)
def test_what_is_another_program_is_none(script: str) -> None:
    assert decision(script, RULES) != "forbidden"
