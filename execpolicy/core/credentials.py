"""Detects secrets in the words of a command by shape, by position and by randomness.

Doubtful words count as secrets: a rule file is plain text that is kept for years, and a false alarm costs only one
more question.

The module also lists the formats of the tokens and keys of well-known services: the prefix of a token and the
expression for the rest.

Sources: the services' own pages on token formats and secret scanning (GitHub, GitLab, Slack, Stripe, AWS, Google, npm,
PyPI, HashiCorp, Atlassian and the others that are named here). They were compared with tokens of test accounts and
examples in the documentation. Publishable keys and identifiers (``pk_live_``, ``cus_``,
``AC…``) are left out because they are not secrets.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache

_CLASSES = {"a": "[A-Za-z0-9]", "w": "[A-Za-z0-9_-]", "x": "[0-9a-fA-F]", "u": "[A-Z0-9]", "b": "[A-Za-z0-9+/_=-]"}
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

_TABLE = """
a GitHub token | ghp_ gho_ ghu_ ghs_ ghr_ | a30
a GitHub token | github_pat_ | a20 _ a50
a GitLab token | glpat- gldt- glrt- glft- glsoat- glcbt- glptt- glagent- glimt- gloas- GR1348941 | w20
an Anthropic key | sk-ant- | w24
an API key | sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-None- | w40
an API key | sk- | a32
an API key | gsk_ xai- pplx- | a40
a Replicate token | r8_ | a37
a Hugging Face token | hf_ api_org_ | a30
an ElevenLabs key | sk_ | x40
an AWS key | AKIA ASIA ABIA ACCA | u16
a Google key | AIza | w35
a Google token | ya29. | w20
a Google client secret | GOCSPX- | w20
an Azure client secret | 8Q~ | w30
a DigitalOcean token | dop_v1_ doo_v1_ dor_v1_ | x64
a Heroku key | HRKU- | w36
a Cloudflare key | v1.0- | x24 - x100
a Fly token | fo1_ fm1_ fm2_ | b40
a Netlify token | nfp_ | a30
a Supabase token | sbp_ | x40
a Supabase key | sb_secret_ | w20
a PlanetScale token | pscale_tkn_ pscale_pw_ pscale_oauth_ | w30
a Neon password | npg_ | a12
a Databricks token | dapi | x32
a Slack token | xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe.xoxp- xoxe.xoxb- xoxc- xoxd- | w20
a Slack token | xapp- | w30
a Slack webhook | hooks.slack.com/services/T | u6 /B u6 / a16
a Discord webhook | /api/webhooks/ | a10 / w40
a Teams webhook | /IncomingWebhook/ | x30
a Discord token | M N O | w23 [.] w6 [.] w27
a Telegram token | :AA | w30
a Twilio key | SK | x32
a SendGrid key | SG. | w16 [.] w16
a Mailgun key | key- | x32
a Mailchimp key | -us | [0-9]{1,2}
a Brevo key | xkeysib- xsmtpsib- | x64 - a16
a Resend key | re_ | a8 _ a20
a Stripe key | sk_live_ sk_test_ rk_live_ rk_test_ sk_org_ | a16
a webhook secret | whsec_ | b24
a Square token | sq0atp- sq0csp- | w20
a PayPal token | access_token$ | [a-z]+[$] a16 [$] a32
a Shopify token | shpat_ shpss_ shpca_ shppa_ | x32
a Flutterwave key | FLWSECK_TEST- FLWSECK- | x32
a Plaid token | access-production- access-sandbox- access-development- | UUID
an EasyPost key | EZAK EZTK | a54
a Shippo key | shippo_live_ shippo_test_ | x40
a Duffel token | duffel_live_ duffel_test_ | w40
a Lob key | live_ test_ | x35
an npm token | npm_ | a30
a PyPI token | pypi- | w40
a RubyGems key | rubygems_ | x40
a crates.io token | cio | a32
a NuGet key | oy2 | [a-z0-9]{43}
a Clojars token | CLOJARS_ | x60
a Docker token | dckr_pat_ dckr_oat_ | w24
an Artifactory key | AKCp cmVmdGtu | a50
a Vault token | hvs. hvb. hvr. | w20
a Terraform token | .atlasv1. | w60
a Pulumi token | pul- | x40
a Doppler token | dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. | w40
a 1Password token | ops_eyJ | b100
an age key | AGE-SECRET-KEY-1 | u58
a Tailscale key | tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook- | a10 - a20
an Atlassian token | ATATT3 ATCTT3 ATOA | w60
a Bitbucket password | ATBB | a28
a Linear key | lin_api_ lin_oauth_ | a32
a Notion token | ntn_ secret_ | a40
an Airtable token | pat | a14 [.] x64
a Figma token | figd_ figu_ figo_ | w38
a Postman key | PMAK- | x24 - x34
a Typeform token | tfp_ | w40
a Contentful token | CFPAT- | w40
a Mapbox token | sk.eyJ | a40 [.] w20
a New Relic key | NRAK- NRII- NRJS- NRRA- | w19
a Grafana token | glsa_ | a32 _ x8
a Grafana token | glc_eyJ | b40
a Sentry token | sntrys_eyJ | b60
a Sentry token | sntryu_ | x64
a Dynatrace token | dt0c01. dt0s16. dt0s02. | u24 [.] u64
a LaunchDarkly key | sdk- api- mob- | UUID
a Buildkite token | bkua_ | x40
a CircleCI token | CCIPAT_ CCIPRJ_ | a20 _ x40
a SonarQube token | squ_ sqp_ sqa_ | x40
a Prefect key | pnu_ pnb_ | a36
an Adobe secret | p8e- | a32
an Alibaba key | LTAI | a17
a Tencent key | AKID | a32
a Yandex key | AQVN | w35
a Facebook token | EAA | a80
a Twitter token | AAAAAAAAAAAAAAAAAAAAA | [A-Za-z0-9%]{40,}
a Dropbox token | sl. | w100
a HubSpot token | pat-na1- pat-eu1- pat-na2- pat-ap1- | UUID
an Infracost key | ico- | a32
a Scalingo token | tk-us- | w48
a JSON web token | eyJ | w12 [.]eyJ w8 [.] w8
"""


def _shapes() -> dict[str, tuple[tuple[str, str], ...]]:
    """The kind of token and the expression for its remainder, by the prefix of the token."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in _TABLE.strip().splitlines():
        name, starts, behind = [part.strip() for part in line.split("|")]
        for start in starts.split():
            found[start] = (*found.get(start, ()), (name, behind))
    return found


_TOKEN_SHAPES_SHAPES = _shapes()
_INSIDE = frozenset(["8Q~", ".atlasv1.", "-us", ":AA"])
"""Markers in the middle of a token, with a piece of the token in front of them."""
_IN_FRONT = {
    "8Q~": "[A-Za-z0-9_~.-]{3}",
    ".atlasv1.": "[A-Za-z0-9]{14}",
    "-us": "[0-9a-f]{32}",
    ":AA": "(?:bot)?[0-9]{8,10}",
}
_LONG = re.compile(r"[A-Za-z0-9+/_=.~$%:-]{16}")


@cache
def _expression(start: str, behind: str) -> re.Pattern[str]:
    pieces: list[str] = []
    for piece in behind.split():
        kind, count = piece[0], piece[1:]
        if piece == "UUID":
            pieces.append(_UUID)
        elif kind in _CLASSES and count.isdigit():
            pieces.append(_CLASSES[kind] + "{" + count + ",}")
        else:
            pieces.append(piece)
    front = _IN_FRONT.get(start, "")
    bound = "" if start[0] in "/-" and start not in _INSIDE else r"(?<![A-Za-z0-9])"
    return re.compile(rf"{bound}{front}{re.escape(start)}({''.join(pieces)})")


def shaped_like(text: str) -> tuple[str, str] | None:
    """The kind of token in ``text`` and its random part; ``None`` if ``text`` has no known token."""
    if _LONG.search(text) is None:
        return None
    for start, kinds in _TOKEN_SHAPES_SHAPES.items():
        if start in text:
            for name, behind in kinds:
                for found in _expression(start, behind).finditer(text):
                    if not is_example(found[1] if start not in _IN_FRONT else found[0]):
                        return name, found[1]
    return None


_EXAMPLE = re.compile(
    r"(?i)example|placeholder|your|dummy|fake|sample|changeme|redacted|xxxx|\*\*\*|1234567|abcdefg|qwerty|deadbeef"
)
_WORDS = re.compile(r"[a-z]{3,}|[A-Z]{3,}|[A-Z][a-z]{2,}")


def is_example(text: str) -> bool:
    """True if ``text``, found at the place of a token's random part, was typed by a person: words, or a repetition."""
    if _EXAMPLE.search(text) or len(set(text)) * 4 < min(len(text), 32):
        return True
    pieces = [piece for piece in re.split(r"[-_.]", text) if piece]
    words = [piece for piece in pieces if _WORDS.fullmatch(piece)]
    return len(words) > 1 and sum(map(len, words)) > 0.7 * sum(map(len, pieces))


_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"),
        ("a GitLab token", r"\bgl(?:pat|dt|rt|oas|ptt|cbt|soat)-[A-Za-z0-9_-]{16,}"),
        ("an API key", r"\b[srp]k-[A-Za-z0-9_-]{16,}|\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9]{16,}"),
        ("an AWS key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
        ("a Google key", r"\bAIza[0-9A-Za-z_-]{30,}|\bya29\.[0-9A-Za-z_-]{20,}|\bGOCSPX-[0-9A-Za-z_-]{20,}"),
        ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/T"),
        ("a JSON web token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*"),
        ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY"),
        ("a package registry token", r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{16,}|\brubygems_[a-f0-9]{30,}"),
        ("a Hugging Face token", r"\bhf_[A-Za-z0-9]{20,}"),
        ("a SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
        ("a cloud token", r"\b(?:dop|doo|dor)_v1_[a-f0-9]{32,}|\bshp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}|\bhvs\.[\w-]{20,}"),
        ("a bot token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}|\b[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,}"),
        ("a password in a URL", r"\b[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@"),
        ("an authorization header", r"(?i)\b(?:bearer|basic|token)\s+[A-Za-z0-9._~+/=-]{8,}"),
        ("an authorization header", r"(?i)\b(?:x-)?(?:api|auth|access|private)[-_]?(?:key|token)\s*:\s*\S{6,}"),
        ("a cookie", r"(?i)^(?:set-)?cookie:\s*\S+=\S+"),
    )
)

_SECRET_NAME = re.compile(
    r"(?i)(?:^|[-_.]|pg|add-)(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_]?key|auth(?:orization)?|credentials?|"
    r"private[-_]?key|access[-_]?key(?:[-_]?id)?|access[-_]?token|auth[-_]?(?:key|token)|account[-_]?key|admin[-_]?key|pat|secret[-_]?key|client[-_]?secret|session[-_]?key|signing[-_]?key|"
    r"encryption[-_]?key|connection[-_]?string|bearer|cookie)s?(?:$|[-_.])"
)
_NOT_THE_SECRET = re.compile(r"(?i)[-_.](?:file|path|name|type|env|stdin|ttl|length|limit|expiry|url|uri|dir)s?$")
_TAKES_A_LOGIN = frozenset(["curl", "curlie", "http", "https", "wget", "xh", "xhs"])
_ASSIGNED = re.compile(r"-{0,2}([A-Za-z][A-Za-z0-9_.-]*)=(.*)", re.DOTALL)
_PLACEHOLDER = re.compile(r"(?i)^(?:|x+|\*+|<.*>|\.\.\.|\$.*|true|false|yes|no|none|null|stdin|-|[0-9]{1,4})$")
_USER_PASSWORD = re.compile(r"[^:/\s]+:[^/\s].*")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_RUN = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_WORDY = re.compile(r"(?:[a-z]{2,}|[A-Z]{2,}|[A-Z][a-z]+|[0-9]{1,8})")

_LONGEST_GUESS = 4.2
_SHORTEST_RANDOM = 20


def credential_in(tokens: Sequence[str]) -> str | None:
    """The kind of secret that ``tokens`` (a program and its arguments) seem to contain; ``None`` if nothing was found.

    The result never contains the secret.
    """
    for at, token in enumerate(tokens):
        name = next((name for name, shape in _SHAPES if shape.search(token)), None) or (shaped_like(token) or [None])[0]
        if name is not None:
            return f"word {at + 1} looks like {name}"
        kind = _by_place(tokens, at)
        if kind is not None:
            return f"word {at + 1} looks like {kind}"
        if is_random(token):
            return f"word {at + 1} looks like a key: it is long and random"
    return None


def _by_place(tokens: Sequence[str], at: int) -> str | None:
    """The kind of secret in a value whose name, or the option in front of it, is that of a secret."""
    token = tokens[at]
    assigned = _ASSIGNED.fullmatch(token)
    if assigned is not None:
        name, value = assigned.groups()
        if is_secret_name(name) and not _PLACEHOLDER.match(value):
            return f"the value of `{name}`"
    if at == 0:
        return None
    before = tokens[at - 1]
    program = tokens[0].rsplit("/", 1)[-1]
    if before.startswith("-") and "=" not in before and not token.startswith("-"):
        if is_secret_name(before.lstrip("-")) and not _PLACEHOLDER.match(token):
            return f"the value of `{before}`"
        if (
            program in _TAKES_A_LOGIN
            and before in ("-u", "--user", "--proxy-user", "-a")
            and _USER_PASSWORD.fullmatch(token)
        ):
            return f"the password in `{before}`"
    if program in ("mysql", "mysqldump", "mariadb", "sshpass") and len(token) > 2 and token.startswith("-p"):
        return "the value of `-p`"
    return "the value of `-p`" if program == "sshpass" and before == "-p" else None


def is_secret_name(name: str) -> bool:
    """True if an option, a variable or a key with this name holds a secret."""
    return _SECRET_NAME.search(name) is not None and _NOT_THE_SECRET.search(name) is None


def is_random(token: str) -> bool:
    """True if a long run of letters and digits in ``token`` is too irregular to be words, a path or a commit id."""
    for run in _RUN.findall(token):
        for part in run.split("/"):
            piece = part.strip("=-_+")
            if len(piece) < _SHORTEST_RANDOM or _HEX.fullmatch(piece):
                continue
            digits = any(c.isdigit() for c in piece)
            kinds = sum((any(c.islower() for c in piece), any(c.isupper() for c in piece), digits))
            if kinds < 2 or (kinds == 2 and not digits and "-" in piece):
                continue
            # random base-62 text of this length nearly always has as many bits per character
            if _entropy(piece) >= min(_LONGEST_GUESS, math.log2(len(piece)) - 0.75) and _wordiness(piece) < 0.75:
                return True
    return False


def _entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    counts = [text.count(char) for char in set(text)]
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def _wordiness(text: str) -> float:
    """The share of ``text`` in lower-case, upper-case or capitalised runs of four letters or more."""
    return sum(len(word) for word in _WORDY.findall(text) if len(word) >= 4 and word.isalpha()) / len(text)
