"""What is forbidden, put together by a program text of words that it names or is given."""

import pytest

from tests.support.judging import decision

OUTER = [
    "perl",
    "python3",
    "ruby",
    "node",
    "awk",
    "tclsh",
    "ninja",
    "cmake",
    "make",
    "npm",
    "gdb",
    "tmux",
    "just",
    "gcc",
    *("sage", "emacs", "ed", "sqlite3", "mail", "vim", "lua"),
]
RULES = (
    f"prefix_rule(pattern=[{OUTER!r}])\n"
    'prefix_rule(pattern=["git", "push"], decision="forbidden")\nprefix_rule(pattern=["rm"], decision="forbidden")\n'
    'write_rule(paths=["./**"])\n'
)


@pytest.mark.parametrize(
    "script",
    [
        "perl -e 'system(\"git\", @ARGV)' push",
        "perl -ne 'chomp; system \"git\", $_' <<< push",
        "perl -e 'exec rm=>x=>'",
        "perl -ne 1 'rm x|'",
        "python3 -c 'import subprocess,sys; subprocess.run([\"git\",*sys.argv[1:]])' push",
        "python3 - push <<'X'\nimport subprocess,sys\nsubprocess.check_call(['git', sys.argv[1]])\nX",
        "cat > t.py <<'X'\nimport subprocess,sys\nsubprocess.run(['git', *sys.argv[1:]])\nX\npython3 t.py push",
        "bash -c 'echo \"exec(*%w(push git).reverse)\" > t.rb; ruby t.rb'",
        "ruby -e 'module Git; def self.push = system(name.downcase, __method__.to_s); end; Git.push'",
        'node -e \'require("child_process").execSync(Object.keys({git:1,push:2}).join(" "))\'',
        "awk '{system($2\" \"$1)}' <<< 'push git'",
        "tclsh <<< 'eval exec [string reverse \"hsup tig\"]'",
        "tclsh <<< 'exec [join {g i t} {}] push'",
        "tclsh <<< 'exec [format %c%c%c 103 105 116] push'",
        "printf 'rule r\\n command = ${c}t push\\nbuild x: r\\n c = gi\\n' > build.ninja; ninja",
        "printf 'set(g git)\\nexecute_process(COMMAND ${g} push)' > a.cmake && cmake -P a.cmake",
        "printf 'a:\\n\\t$(C) push\\nC = git\\n' > Makefile; make",
        "npm pkg set scripts.x=git; npm run x push",
        "gdb -batch -ex 'set exec-wrapper git push' -ex run ls",
        "tmux new -d \\; set -g @c 'git push' \\; run '#{@c}'",
        "sage -sh -c 'cd x && git push'",
        'python3 -c \'import os; rm = getattr(os, "remove"); rm("x")\'',
        "sage 'console.execute(\"git push\")'",
        "just -f <(printf 'g:=\"git\"\\na:\\n  {{g}} push\\n') a",
        "echo '-wrapper git,push' > args; gcc @args x.c",
        "tclsh <<< 'exec [string map {X {}} gXiXt] push'",
        "tclsh <<< 'exec [string range armx 1 2] x'",
        "tclsh <<'X'\narray set o {prog rm file x}\nexec $o(prog) $o(file)\nX",
        "tmux new -d \\; run '#{a:103}it push'",
        "tmux new -d \\; set -g default-command git \\; neww push",
        "printf 'string(REPLACE X \"\" c gXit)\\nexecute_process(COMMAND ${c} push)\\n' > a.cmake; cmake -P a.cmake",
        "python3 -c 'import pickle; pickle.loads(b\"cposix\\nsystem\\n(Vrm x\\ntR.\")'",
        "perl -e '$_=\"tvg chfu\"; tr/a-z/n-za-m/; system $_'",
        "emacs -Q --batch --eval '(vc-git-command nil 0 nil \"push\")'",
        "printf 'a\\nXit push\\n.\\ns/X/g/\\nw !sh\\n' | ed -s",
        'touch push; python3 -c \'import os,subprocess; subprocess.run(["git"]+os.listdir("."))\'',
        "make -f - git-push <<< $'git-%:\\n\\tgit $*'",
        "cp /bin/rm ./cc1; gcc -B. -c x.c",
        'perl -e \'$s="gpiuts h"; system join "",(split//,$s)[0,2,4,6,1,3,5,7]\'',
        "make -f - <<< 'include /dev/fd/3' 3<<< $'a:\\n\\tgit push'",
        "printf '#!/bin/sh\\ngit push\\n' > as; gcc -B. -c x.c",
        "mail -S sendmail='git push' a@b.c",
        "LUA_INIT='os.execute(\"git push\")' lua -v",
    ],
)
def test_it_is_found(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "python3 -c 'print(\"remember to git push\")'",
        "python3 -c 'rm = 3; print(rm)'",
        "node -e 'console.log(\"git push is next\")'",
        "find . -name '*.md' | xargs grep -n 'git push'",
        "git ls-files | xargs sed -n '/git push/p'",
        "npm run push -- git",
        "printf '# git push comes later\\nx:\\n\\tls\\n' > Makefile; make x",
        "printf 'then git push\\n' > README.md; just x",
    ],
)
def test_what_is_only_said_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"
