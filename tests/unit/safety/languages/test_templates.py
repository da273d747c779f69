"""Templates of docker and podman, and formats of tmux."""

from execpolicy.safety.languages.container_templates import template_refusal
from execpolicy.safety.languages.tmux_formats import format_refusal
from tests.support.each import each

FIELDS = [
    "{{.State.Status}}",
    "{{ .Name }}",
    "{{- .Name -}}",
    "{{json .NetworkSettings.Ports}}",
    "{{.Name}}: {{.State.Health.Status}}\n",
    "{{range .Mounts}}{{.Source}} -> {{.Destination}}{{println}}{{end}}",
    "{{range $port, $hosts := .NetworkSettings.Ports}}{{$port}} {{(index $hosts 0).HostPort}}{{end}}",
    '{{(index (index .NetworkSettings.Ports "80/tcp") 0).HostPort}}',
    "{{if .State.Running}}up{{else}}down{{end}}",
    '{{.Name | printf "%s"}}',
    "table {{.Name}}",
    "{{.HostConfig.NetworkMode}} {{.HostConfig.LogConfig.Type}}",
    "{{.ID}}: {{.Size}}",
]
WHOLE = [
    "json",
    " json ",
    "{{json}}",
    "{{ json }}",
    "{{.}}",
    "{{json .}}",
    "{{ .|json}}",
    "{{json\r.\r}}",
    "{{json (and 1 .)}}",
    "{{(.)}}",
    "{{$}}",
    "{{$.Config}}",
    "{{$x := .}}{{json $x}}",
    "{{with .}}{{json .}}{{end}}",
    "{{.Config.Env}}",
    "{{json .Config}}",
    "{{with .Config}}{{.Image}}{{end}}",
    "{{json .Spec}}",
    "{{.Spec.TaskTemplate}}",
    "{{json .PreviousSpec}}",
    "{{json .Settings}}",
    "{{.CreatedBy}}",
    "{{.Options}}",
    "{{.History}}",
    "{{json .ClusterVolume}}",
    "{{json .HostConfig}}",
    "{{.HostConfig.LogConfig}}",
    "{{.HostConfig.LogConfig.Config}}",
    "{{.HostConfig.Mounts}}",
    "{{range .HostConfig.Mounts}}{{.VolumeOptions}}{{end}}",
    "{{.X.Settings}}",
    '{{index . "Config"}}',
    "{{`.`}}",
    '{{"\\x2e"}}',
    "{{/* x */}}{{.Name}}",
    '{{template "a" .State}}',
    '{{block "a" .State}}{{end}}',
    '{{define "a"}}{{end}}{{.Name}}',
    "{{call .Name}}",
    "{{.Name",
    "{{.Name}} }}",
    '{{"}}" | json .}}',
    "{{.Conﬁg}}",
    "x",
    "",
]
SHOWN = [
    "",
    "#S",
    "#{pane_id}",
    "#{session_name}: #{window_index} #I #W",
    "#{?pane_active,YES,NO}",
    "#{=20:pane_title}",
    "#{t:window_activity}",
    "#{==:#{pane_current_command},vim}",
    "#{m:*vim*,#{pane_current_command}}",
    "#{s/a/b/:window_name}",
    "#{W:#{window_name} }",
    "#{@mine} #{status-left}",
    "NAME: #{session_name}",
]
HIDDEN = [
    "#{GITHUB_TOKEN}",
    "x#{token}",
    "#{npm_config__auth}",
    "#{http_proxy}",
    "#{b:SSH_AUTH_SOCK}",
    "#{s/a/b/:NPM_TOKEN}",
    "#{=5:TOKEN}",
    "#{?pane_active,#{TOKEN},}",
    "#{?TOKEN,a,b}",
    "#{W:#{TOKEN}}",
    "#(date)",
    "#{E:status-left}",
    "#{E;=5:status-left}",
    "#{=5;T:pane_title}",
    "#{E:#{a:35}(date)}",
    "#{buffer_sample}",
    "#{buffer_full}",
    "#{=9:buffer_sample}",
]


@each("text", FIELDS)
def test_a_template_of_fields(text: str) -> None:
    assert template_refusal(text) is None


@each("text", WHOLE)
def test_a_template_that_may_hold_variables(text: str) -> None:
    assert template_refusal(text) is not None


@each("text", SHOWN)
def test_a_format_of_what_tmux_knows(text: str) -> None:
    assert format_refusal(text) is None


@each("text", HIDDEN)
def test_a_format_that_shows_the_environment_or_runs_something(text: str) -> None:
    assert format_refusal(text) is not None
