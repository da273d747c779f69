"""The facts that a person needs for a question. Finding them takes time, so it belongs in a thread of its own."""

from __future__ import annotations

import ipaddress
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from execpolicy.amend.preview import preview, why_not_savable
from execpolicy.amend.save_plan import Grant, Proposal, outcome, plan
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import PROTOCOLS, normalise_host
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.network import rule_for
from execpolicy.core.path_rules import WriteRule
from execpolicy.core.rules import NetworkRule, PrefixRule
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.inbox.inbox_question import ANSWERS, InboxQuestion, saved_by, scripts_of, situation_of
from execpolicy.insight.explain import Explanation, explain_verdict
from execpolicy.judge.rulebook import Rulebook
from execpolicy.lang.render import render, render_network_rule
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import Amendment, PolicyManager

Choices: TypeAlias = Sequence[Sequence[str] | None]
"""First words of commands, to allow all commands that start with them; `None` for exactly the command at its place."""

_MOST_MANAGERS = 32
_LONGEST = 100_000
"""The maximum number of characters of a question that is explained."""
_WRITES = ("what every allowed command writes there",)
_KEEPS_OWN_SESSION = ("run", "serve", "arbiter")
"""Sources that remember answers for the session themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The facts about a question.

    Attributes:
        explanations: one for each of its commands.
        choices: the answers that make sense.
        proposals: rules that would let it pass next time, one for each command that needs one.
        writes: rules for the files that it writes, to be saved with them.
        whole: only the whole proposal can be saved, not a beginning of it.
        target: the file that a rule for exactly the command would be saved in.
        obstacles: the reasons why no rule can let it pass.
        network_rule: the line that ``always`` saves for a connection.
    """

    explanations: tuple[Explanation, ...]
    choices: tuple[str, ...]
    proposals: tuple[Proposal, ...] = ()
    writes: tuple[WriteRule, ...] = ()
    whole: bool = False
    target: str | None = None
    obstacles: tuple[str, ...] = ()
    network_rule: str | None = None

    def to_json(self) -> dict[str, Any]:
        """``{choices, explanations, proposals, writes, target, obstacles, network_rule}``."""
        return {
            "choices": list(self.choices),
            "explanations": [each.to_json() for each in self.explanations],
            "proposals": [
                {
                    "command": each.shown,
                    "exact": None if each.exact is None else each.known,
                    "words": each.known,
                    "rule": None if each.exact is None else each.exact.line(),
                    "reusable": each.reusable,
                }
                for each in self.proposals
            ],
            "writes": [render(rule) for rule in self.writes],
            "target": self.target,
            "obstacles": list(self.obstacles),
            "network_rule": self.network_rule,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePreview:
    """The effect of saving one prefix.

    Attributes:
        line: the rule as it is saved.
        path: the file that it is saved in.
        refused: the reason why it cannot be saved.
        careful: a warning: further commands that it allows, or its consequences.
        covered, not_covered, dangerous: as in :class:`execpolicy.amend.preview.Preview`.
        helps: the question would be allowed with it and the other chosen prefixes.
        saved: recent questions that it would have saved, of ``counted``.
    """

    line: str
    refused: str | None
    path: str | None = None
    careful: str | None = None
    covered: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()
    dangerous: tuple[str, ...] = ()
    helps: bool = False
    saved: int = 0
    counted: int = 0


class Studies:
    """Studies each question by the rules of the folder that it names."""

    def __init__(self) -> None:
        self._managers: dict[tuple[str, tuple[str, ...]], PolicyManager] = {}
        self._lock = threading.Lock()

    def study(self, question: InboxQuestion) -> Study:
        """The facts about ``question`` now. With any content, it can be answered *once* or denied."""
        if len(question.text) > _LONGEST:
            return Study(explanations=(), choices=("once", "deny"), obstacles=("it is too long to be explained",))
        try:
            return self._study(question)
        except Exception as error:  # the content may cause an error here; a person can still look at it
            why = str(error) if isinstance(error, ExecPolicyError) else f"it cannot be explained: {error!r}"
            return Study(explanations=(), choices=("once", "deny"), obstacles=(why,))

    def _study(self, question: InboxQuestion) -> Study:
        manager = self.manager_for(question)
        snapshot = manager.current()
        situation = situation_of(question)
        explanations: list[Explanation] = []
        proposals: dict[str, Proposal] = {}
        writes: dict[WriteRule, None] = {}
        obstacles: list[str] = []
        once = question.once
        for script in scripts_of(question):
            found = plan(script, snapshot.rulebook, situation)
            once = once or any(isinstance(each, PrefixMatch) and each.rule.human_only for each in found.verdict.matches)
            explanations.append(explain_verdict(found.verdict, snapshot.layers))
            proposals |= {each.shown: each for each in found.proposals}
            writes |= dict.fromkeys(found.writes)
            obstacles += found.obstacles
        obstacles += ["a person has to look at every single call of it"] if once else []
        if question.network:
            return self._connection(question, snapshot.rulebook, tuple(explanations), once=once)
        refused = {shown: _why_refused(each) for shown, each in proposals.items()}
        obstacles += [why for why in refused.values() if why is not None]
        offered = tuple([each for shown, each in proposals.items() if refused[shown] is None])
        plain = not (question.writes or question.changes or question.rules)
        rules_help = question.rules_help and plain and bool(offered or writes) and not obstacles
        always = not once and (bool(question.own_saving) or rules_help)
        session = not once and (question.source in _KEEPS_OWN_SESSION or bool(question.session))
        return Study(
            explanations=tuple(explanations),
            choices=_choices(session=session, always=always),
            proposals=offered if always else (),
            writes=tuple(writes) if rules_help else (),
            whole=question.source in ("serve", "arbiter"),
            target=_target(question, manager.options, exact=not question.own_saving),
            obstacles=tuple(dict.fromkeys(obstacles)),
        )

    def _connection(
        self, question: InboxQuestion, rulebook: Rulebook, explanations: tuple[Explanation, ...], *, once: bool
    ) -> Study:
        """The facts about a connection: a rule for its host can let it pass."""
        obstacle = "a person has to look at every single call of it" if once else None
        if decision_with(rulebook, question.network) is not Decision.ALLOW:
            obstacle = f"another rule about {question.network[0]} asks or forbids"
        always = question.rules_help and not once and not question.rules and obstacle is None
        return Study(
            explanations=explanations,
            choices=_choices(session=not once, always=always),
            target=self.manager_for(question).options.default_rules,
            obstacles=() if obstacle is None else (obstacle,),
            network_rule=_network_line(question.network) if always else None,
        )

    def preview(self, question: InboxQuestion, prefixes: Choices, recent: Sequence[InboxQuestion]) -> list[RulePreview]:
        """A :class:`RulePreview` for each of ``prefixes``, given the others."""
        manager = self.manager_for(question)
        rulebook = manager.current().rulebook
        if question.network:
            return [_preview_of_connection(question, rulebook, recent, manager.options.default_rules)]
        situation = situation_of(question)
        study = self.study(question)
        rulebook = rulebook.with_statements(*study.writes)
        every = grants_of(prefixes, study.proposals)
        chosen = [grant for grant in every if why_not_savable(grant.pattern) is None]
        helps = _allows(chosen, question, rulebook)
        path = _target(question, manager.options, exact=True)
        found = [
            RulePreview(line=render(rule), refused=None, path=path, covered=_WRITES, helps=helps)
            for rule in study.writes
        ]
        for grant in every:
            if grant.why_not is not None:
                found.append(RulePreview(line="", refused=grant.why_not))
                continue
            shown = preview(grant.pattern, rulebook, situation, unless=grant.unless)
            saved, counted = saved_by(grant, recent, rulebook, situation)
            found.append(
                RulePreview(
                    line=grant.line(),
                    path=_target(question, manager.options, exact=grant.is_exact),
                    refused=None,
                    careful=shown.careful(grant.pattern),
                    covered=shown.covered,
                    not_covered=shown.not_covered,
                    dangerous=shown.dangerous,
                    helps=helps,
                    saved=saved,
                    counted=counted,
                )
            )
        return found

    def save(self, question: InboxQuestion, prefixes: Choices) -> dict[str, tuple[str, ...]]:
        """Saves allow rules for ``prefixes``, or for exactly each command, and returns the effective lines by file.

        Raises:
            UsageError: one of them was not offered, or together they would not let the question pass.
            ExecPolicyError: they could not be saved.
        """
        study = self.study(question)
        if "always" not in study.choices:
            raise UsageError("no rule can let this pass: " + ("; ".join(study.obstacles) or "answer it once"))
        manager = self.manager_for(question)
        if question.network:
            host, protocol, _ = question.network
            return _saved([manager.amend_network(host, protocol, Decision.ALLOW)])
        chosen = grants_of(prefixes or [None] * len(study.proposals), study.proposals)
        for grant in chosen:
            if not any(each.known[: len(grant.pattern)] == grant.pattern for each in study.proposals):
                raise UsageError("only the beginning of a command that asks can be saved")
            if grant.why_not is not None:
                raise UsageError(grant.why_not)
        if not _allows(chosen, question, manager.current().rulebook.with_statements(*study.writes)):
            raise UsageError("with these rules it would be asked about again: choose one for each command")
        exact: list[PrefixRule | WriteRule] = [*study.writes]
        exact += [grant.rule() for grant in chosen if grant.is_exact]
        opened = [grant.pattern for grant in chosen if not grant.is_exact]
        done = [manager.save_rules(*exact)] if exact else []
        done += [manager.amend(*opened)] if opened else []
        return _saved(done)

    def manager_for(self, question: InboxQuestion) -> PolicyManager:
        """The rules for ``question``, read again if they changed."""
        for path in question.rules:
            if not os.path.isfile(path):  # opening a pipe would block until another process opens it
                raise UsageError(f"`{path}` is no rule file")
        return self.manager_at(question.cwd, question.rules)

    def manager_at(self, cwd: str, rules: tuple[str, ...] = ()) -> PolicyManager:
        """The rules of the layers of ``cwd``, or of exactly these files."""
        with self._lock:
            known = self._managers.pop((cwd, rules), None)
            if known is None:
                known = PolicyManager(LayerOptions.of_process(cwd=cwd, files=rules or None))
                while len(self._managers) >= _MOST_MANAGERS:
                    self._managers.pop(next(iter(self._managers)))
            else:
                known.reload()
            self._managers[cwd, rules] = known
            return known


def _choices(*, session: bool, always: bool) -> tuple[str, ...]:
    offered = {"once": True, "session": session, "always": always, "deny": True}
    return tuple([word for word in ANSWERS if offered[word]])


def _allows(grants: Sequence[Grant], question: InboxQuestion, rulebook: Rulebook) -> bool:
    """True if ``rulebook`` with ``grants`` allows all commands of the question."""
    situation = situation_of(question)
    return all(
        outcome(script, grants, rulebook, situation).decision is Decision.ALLOW for script in scripts_of(question)
    )


def grants_of(prefixes: Choices, proposals: Sequence[Proposal]) -> list[Grant]:
    """The rules that ``prefixes`` choose.

    Raises:
        UsageError: a rule for exactly a command is chosen, and there is none.
    """
    found: list[Grant] = []
    for at, prefix in enumerate(prefixes):
        if prefix is not None:
            found.append(Grant(tuple(prefix)))
            continue
        proposal = proposals[at] if at < len(proposals) else None
        if proposal is None or proposal.exact is None:
            raise UsageError((proposal and proposal.why_not_exact) or "there is no such command in the question")
        found.append(proposal.exact)
    return found


def _why_refused(proposal: Proposal) -> str | None:
    """The reason why no rule is offered for ``proposal``; ``None`` if one is."""
    return proposal.refused if proposal.narrowest is None else proposal.narrowest.why_not


def _target(question: InboxQuestion, options: LayerOptions, *, exact: bool) -> str | None:
    if question.rules:
        return question.rules[-1]
    return options.own_rules if exact else options.default_rules


def _saved(amendments: Sequence[Amendment]) -> dict[str, tuple[str, ...]]:
    """The lines that were saved, by file.

    Raises:
        ExecPolicyError: one of them is not effective.
    """
    for done in amendments:
        if done.not_in_force is not None:
            raise ExecPolicyError(f"saved in {done.appended.path}, but not in force: {done.not_in_force}")
    return {done.appended.path: tuple(done.appended.lines) for done in amendments}


def decision_with(rulebook: Rulebook, network: tuple[str, ...]) -> Decision | None:
    """The decision of the network rules for a connection once an allow rule for it is saved."""
    host, protocol = normalise_host(network[0]), network[1]
    saved = NetworkRule(host, protocol, Decision.ALLOW)
    found = rule_for([*rulebook.policy.network_rules, saved], host, protocol)
    return None if found is None else found.decision


def _network_line(network: tuple[str, ...]) -> str:
    return render_network_rule(network[0], network[1], Decision.ALLOW)


def _preview_of_connection(
    question: InboxQuestion, rulebook: Rulebook, recent: Sequence[InboxQuestion], path: str | None
) -> RulePreview:
    host, protocol, _ = question.network
    lately = [each for each in recent if each.network]
    others = [each for each in PROTOCOLS if each != protocol]
    return RulePreview(
        line=_network_line(question.network),
        path=path,
        refused=None,
        careful=_why_careful(host),
        covered=(f"{protocol} to {host}, every port, by every command in the sandbox",),
        not_covered=(f"another host, a part of {host} too", *[f"{each} to {host}" for each in others]),
        helps=decision_with(rulebook, question.network) is Decision.ALLOW,
        saved=sum(each.network[:2] == question.network[:2] for each in lately),
        counted=len(lately),
    )


def _why_careful(host: str) -> str | None:
    """The reason why a rule for ``host`` allows more than it seems to."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "it leads to this machine itself" if host == "localhost" or host.endswith(".localhost") else None
    return None if address.is_global else "it is an address of this machine or of a network around it"
