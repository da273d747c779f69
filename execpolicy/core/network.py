"""Decisions of network rules about connections and hosts."""

from __future__ import annotations

from _collections_abc import Iterable

from execpolicy.core.decision import Decision
from execpolicy.core.rules import NetworkRule
from execpolicy.core.text import normalize


def rule_for(rules: Iterable[NetworkRule], host: str, protocol: str) -> NetworkRule | None:
    """The strictest rule for ``host`` and ``protocol``, both normalised; the last of several; or ``None``."""
    found = None
    for rule in rules:
        if rule.host == host and rule.protocol == protocol and (found is None or rule.decision >= found.decision):
            found = rule
    return found


def domains_of(rules: Iterable[NetworkRule]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The allowed and the denied hosts: the last allow or forbidden rule of a host wins and moves it to the end."""
    allowed: dict[str, None] = {}
    denied: dict[str, None] = {}
    for rule in rules:
        if rule.decision is Decision.PROMPT:
            continue
        into, out_of = (allowed, denied) if rule.decision is Decision.ALLOW else (denied, allowed)
        out_of.pop(rule.host, None)
        into.pop(rule.host, None)
        into[rule.host] = None
    return tuple(allowed), tuple(denied)


_LOOPBACK = ("localhost", "127.0.0.1", "::1", "ip6-localhost")
_PORT_DIGITS = 20
_IN_A_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_")


def address_of(text: str) -> tuple[str, str] | None:
    """The protocol and the host of an ``http`` or ``https`` URL, which may lack its scheme; ``None`` for another text.

    All names and numbers of the own machine are the host ``localhost``.
    """
    found = _address(text)
    return None if found is None else found[:2]


def port_of(text: str) -> int:
    """The port of an ``http`` or ``https`` URL, 80 or 443 if it names none; 0 for another text."""
    found = _address(text)
    if found is None:
        return 0
    return int(found[2] or (443 if found[0] == "https" else 80))


def _address(text: str) -> tuple[str, str, str] | None:
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "http", text
    end = next((at for at, char in enumerate(rest) if char in "/?#"), len(rest))
    authority, scheme = rest[:end].lower(), scheme.lower()
    if scheme not in ("http", "https") or not text.isprintable() or " " in text or "\\" in text:
        return None
    if authority[:1] == "[":
        host, bracket, port = authority[1:].partition("]")
        if not (bracket and set(host) <= set("0123456789abcdef:.")):
            return None
        port = port.removeprefix(":") if port else ""
    else:
        host, _, port = authority.partition(":")
        if not _IN_A_HOST.issuperset(host):
            return None
    host = host.rstrip(".")
    if not host or not (port == "" or (port.isascii() and port.isdigit())):
        return None
    return scheme, _canonical(host), port[:_PORT_DIGITS]


def rules_for_command(rules: Iterable[NetworkRule], text: str) -> list[NetworkRule]:
    """The rules about the host of the URL ``text``; without a scheme, those for ``http`` and ``https``."""
    address = address_of(text)
    if address is None:
        return []
    protocols = (address[0],) if "://" in text else ("http", "https")
    return [rule for rule in rules if _canonical(rule.host) == address[1] and rule.protocol in protocols]


def may_name(text: str, host: str) -> bool:
    """True if ``text`` names ``host`` in another way than as a plain URL: behind a user, in an option's value, encoded.

    A rule that restricts the host asks at least: it may be no host there.
    """
    from urllib.parse import unquote

    wanted, address = _canonical(host), address_of(text)
    if address is not None and address[1] == wanted:
        return False
    plain = normalize("NFKC", unquote(text)).lower().replace("。", ".")
    parts = "".join([char if char in _IN_A_HOST else " " for char in plain]).split()
    return wanted in [_canonical(part.strip(".-")) for part in parts]


def _canonical(host: str) -> str:
    """One name for each machine: numbers in another base or with fewer parts are an IPv4 address, as curl has it."""
    if host in _LOOPBACK:
        return "localhost"
    if host[:1].isdigit() and not host.replace(".", "").isalpha():
        from socket import inet_aton, inet_ntoa

        try:
            host = inet_ntoa(inet_aton(host))
        except OSError:
            return host
    return "localhost" if host.startswith("127.") else host
