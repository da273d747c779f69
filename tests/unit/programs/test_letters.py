"""Letters by their numbers: what a program text says with them is found, and a text without them stays as it is."""

import pytest

from execpolicy.programs.letters import spelt_out
from tests.support.each import each
from tests.support.judging import decision

RULES = """
prefix_rule(pattern=[["python3", "perl", "ruby", "node", "php", "lua", "awk"]])
prefix_rule(pattern=["git", "push"], decision="forbidden")
"""


@each(
    "script",
    [
        """python3 -c 'import os; os.system(chr(103)+"it push")'""",
        """python3 -c 'import os; os.system(chr(0x67)+"it push")'""",
        """python3 -c 'import subprocess as s; s.run(f"{chr(103)}it push",shell=True)'""",
        """python3 -c 'import subprocess as s; s.run(f"{ chr( 103 ) }it push",shell=True)'""",
        """python3 -c 'import os; os.system(bytes([103,105,116,32,112,117,115,104]).decode())'""",
        """python3 -c 'import os; os.system("".join(map(chr,[103,105,116,32,112,117,115,104])))'""",
        """python3 -c 'import subprocess; subprocess.run([chr(103)+"it","push"])'""",
        """perl -e 'system(chr(103)."it push")'""",
        """perl -e 'system(pack("C*",103,105,116,32,112,117,115,104))'""",
        """ruby -e 'system(103.chr+"it push")'""",
        """ruby -e 'system("#{103.chr}it push")'""",
        """node -e 'require("child_process").execSync(String.fromCharCode(103)+"it push")'""",
        """node -e 'require("child_process").execSync(String.fromCharCode(103,105,116)+" push")'""",
        """node -e 'require("child_process").execSync(`${String.fromCharCode(103)}it push`)'""",
        """php -r 'system(chr(103)."it push");'""",
        """lua -e 'os.execute(string.char(103).."it push")'""",
    ],
)
def test_what_is_spelt_by_numbers_is_found(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize("code", ["x = [1, 2, 3]", "chr(7)", "print(103)", "chr(n)", "a.chr", "chr(999)", "chr(92)"])
def test_the_rest_stays_as_it_is(code: str) -> None:
    assert spelt_out(code) == code


@each(
    "script",
    [
        "hash -p /usr/bin/git g; g push",
        "hash -p /usr/bin/git g && g push -f",
        "hash -p/usr/bin/git g; g push",
        "hash -p /usr/bin/git a g; g push",
        "p=/usr/bin/git; hash -p $p g; g push",
        "builtin hash -p /usr/bin/git g; g push",
        "hash -p /usr/bin/git g; command g push",
        "hash -p /usr/bin/git g; (cd x; g push)",
        "BASH_CMDS[g]=/usr/bin/git; g push",
        "BASH_ALIASES[g]=git; g push",
        "MAKEFLAGS='--eval=x:;git\\ push' make x",
        "export MAKEFLAGS='--eval=x:;git\\ push'; make x",
        "GNUMAKEFLAGS='--eval=x:;git\\ push' make x",
        "env MAKEFLAGS='--eval=x:;git\\ push' make x",
        "PERL5OPT='-Mvars;system(\"git\\x20push\")' perl -e1",
        "export PERL5OPT='-Mvars;system(\"git\\x20push\")'; perl -e1",
        "RUBYOPT='-rx' ruby -e 'system(\"git push\")'",
    ],
)
def test_names_and_options_that_a_shell_or_a_variable_holds(script: str) -> None:
    rules = RULES + 'prefix_rule(pattern=[["make", "hash", "env", "export", "g", "cd"]])'
    assert decision(script, rules) == "forbidden"
