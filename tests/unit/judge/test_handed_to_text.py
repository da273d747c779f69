"""Program texts that run what they are given, and texts that print a name which a shell then runs."""

from tests.support.judging import decision

RULES = (
    'prefix_rule(pattern=[["awk", "sed", "sh", "foo", "install"]])\nprefix_rule(pattern=["rm"], decision="forbidden")\n'
)


def test_an_argument_that_nobody_knows_is_not_run_because_the_program_is_allowed() -> None:
    script = "awk 'BEGIN { system(ARGV[1]) }' \"$(foo)\""
    assert decision(script, RULES) == "prompt"
    assert decision(script.replace("system(ARGV[1])", "print ARGV[1]"), RULES) == "allow"
