"""Fields that ``kubectl get -o`` prints by name, and settings of git that a regular expression finds."""

import shlex

from execpolicy.safety.languages.formats import settings_refusal
from tests.support.each import each
from tests.support.judging import decision

FIELDS = [
    "wide",
    "name",
    "jsonpath={.metadata.name}",
    "jsonpath={.items[*].metadata.name}",
    r"jsonpath={.metadata.labels.app\.kubernetes\.io/name}",
    "jsonpath={.status.phase}",
    "jsonpath={.spec.template.spec.containers[0].image}",
    "custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image",
]
MORE = [
    "json",
    "yaml",
    "jsonpath=",
    "jsonpath=.spec",
    "jsonpath={.}",
    "jsonpath={@}",
    "jsonpath={$}",
    "jsonpath={..}",
    "jsonpath={.*}",
    "jsonpath={.items}",
    "jsonpath={.items[*].*}",
    "jsonpath={.spec}",
    "jsonpath={ .spec }",
    "jsonpath={..value}",
    "jsonpath={.metadata}",
    "jsonpath={.metadata.annotations}",
    "jsonpath={.metadata.annotations.name}",
    "jsonpath={.spec.containers[0].env}",
    "jsonpath={.spec.containers[0].args}",
    "jsonpath={.spec.containers[0]['env']}",
    "jsonpath={['spec']}",
    "jsonpath={.spec.containers[*].env[*].value}",
    "jsonpath={range .spec.containers[*].env[*]}{.name}={.value}{end}",
    "jsonpath={range .spec.containers[*].env[*]}{@}{end}",
    "jsonpath={range .data}{.name}{end}",
    "jsonpath={.data.name}",
    'jsonpath={.items[?(@.metadata.name=="x")]}',
    'jsonpath={.items[?(@.spec.containers[0].env[0].value=="x")].metadata.name}',
    "jsonpath={.status.phase}{",
    "custom-columns=A:",
    "custom-columns=A:.",
    "custom-columns=A:.spec.containers",
    "custom-columns=A:.metadata.name,B:.spec",
    "custom-columns=A:{.spec}",
    "custom-columns-file=x",
    "jsonpath-file=x",
    "go-template={{.}}",
    "go-template={{.spec}}",
    "go-template={{range .items}}{{.}}{{end}}",
    "go-template={{range $k, $v := .spec}}{{$v}}{{end}}",
    "go-template={{with .spec}}{{.}}{{end}}",
    'go-template={{printf "%v" .spec}}',
    "go-template={{.metadata.name}} }}",
    "go-template=x",
]
PLAIN_SETTINGS = ["^alias[.]", "^user", "user.*", "remote.*", "remote[.].*[.]url", "^core[.]", "branch"]
HIDING_SETTINGS = [".*", ".", "", "^http", "http[.].*", "extra", "smtp", "TOKEN", "pass", "c", "(", "h.{3}\\."]


@each("text", FIELDS)
def test_what_is_named_holds_no_variables(text: str) -> None:
    assert decision(shlex.join(["kubectl", "get", "pods", "-o", text])) == "allow"


@each("text", MORE)
def test_what_may_hold_variables(text: str) -> None:
    assert decision(shlex.join(["kubectl", "get", "pods", "-o", text])) == "prompt"


@each("text", PLAIN_SETTINGS)
def test_settings_that_open_nothing(text: str) -> None:
    assert settings_refusal(text) is None


@each("text", HIDING_SETTINGS)
def test_settings_one_of_which_may_be_a_password(text: str) -> None:
    assert settings_refusal(text) is not None


def test_kinds_are_told_apart() -> None:
    assert decision("kubectl get svc,nodes -o yaml") == "allow"
    assert decision("kubectl get svc,pods -o yaml") == "prompt"
    assert decision("kubectl get svc/a -o json") == "allow"
    assert decision("kubectl get svc/a pod/b -o json") == "prompt"
    assert decision("kubectl get cm a -o wide") == "allow"
    assert decision("kubectl get cm a -o jsonpath='{.metadata.name}'") == "prompt"
    assert decision("kubectl get pods --template='{{.spec}}'") == "prompt"
    assert decision('kubectl get pods -o "$x"') == "prompt"
