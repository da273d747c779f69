"""Judges commands: the one path of ``check``, its stream and ``hook``."""

from __future__ import annotations

import os
from _collections_abc import Sequence
from time import monotonic

from execpolicy import safe_open
from execpolicy.cli import permission_file
from execpolicy.cli.loading import load_rulebook
from execpolicy.cli.rule_options import RuleOptions
from execpolicy.codex import decide
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import home_of
from execpolicy.errors import UsageError
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.layers import untrusted as layers_untrusted
from execpolicy.layers import watch
from execpolicy.layers.discover import discover
from execpolicy.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO, TypeVar

    from execpolicy.approvals.approval_session import CommandRules
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.permissions.ruleset import Ruleset

    Key = TypeVar("Key")
    Value = TypeVar("Value")

_BETWEEN_WORDS = frozenset(" \t\n|&;()<>")
"""Characters that end an unquoted word (bash manual, "metacharacter")."""
_REMEMBERED = 64
"""Maximum number of cached rulebooks, for commands with rules or folders of their own."""
_LOOK_AGAIN_S = 0.1
"""Seconds between two checks of the rule files of a cached rulebook."""


class Judging:
    """Judges commands with the options of one command line.

    Problems in layers go to ``stderr``; a problem in ``files``, which were named, is an error.

    Args:
        permissions: a file with permission rules, read once.
        rereads: for a long-running process: rules are reloaded when their files change.
        thorough: report all errors of a broken file to a person, which takes longer than the judgement.
        untrusted: include the rules of untrusted projects.

    Raises:
        UsageError: ``permissions`` cannot be read, or has other content.
    """

    def __init__(
        self,
        options: RuleOptions,
        stderr: TextIO,
        *,
        permissions: str | None = None,
        rereads: bool = False,
        thorough: bool = False,
        untrusted: bool = True,
    ) -> None:
        self._options = options
        self._is_codex = options.profile != "default"
        self._stderr = stderr
        self._untrusted = untrusted
        self._thorough = thorough
        self._permissions: Ruleset = ()
        if permissions is not None:
            self._permissions = permission_file.read_permissions(permissions, home_of(os.environ))
        self._rereads = rereads
        self._rulebooks: dict[tuple[tuple[str, ...] | None, str], Rulebook] = {}
        self._login: dict[str, bool] = {}
        self._seen: dict[str, tuple[float, object]] = {}

    def rulebook(self, situation: Situation, texts: tuple[str, ...] | None = None) -> Rulebook:
        """The rules for ``situation``: all layers of its folder, the named files or ``texts``. They are cached.

        Raises:
            RuleFileError: a named file or a text has a problem, or the mode is strict.
        """
        key = (texts, "" if self._options.rules or texts is not None else situation.cwd)
        if self._rereads and texts is None and self._changed(key[1]):
            self._rulebooks.pop(key, None)
        rulebook = self._rulebooks.get(key)
        if rulebook is None:
            sources = None if texts is None else [Source(f"rules[{at}]", text) for at, text in enumerate(texts)]
            options = self._options.layers(situation.cwd, sources)
            if not self._untrusted:
                options = options.replaced(untrusted=False)
            rulebook = load_rulebook(options, self._stderr, thorough=self._thorough)
            _remember(self._rulebooks, key, rulebook)
        return rulebook

    def holds_untrusted(self, situation: Situation) -> bool:
        """True if an untrusted project may have rules of its own for ``situation``."""
        return layers_untrusted.may_withhold(discover(self._options.layers(situation.cwd))[0])

    def _changed(self, cwd: str) -> bool:
        """True if the rules for ``cwd`` (the named files if empty) may have changed since the last call."""
        now = monotonic()
        looked, before = self._seen.get(cwd, (0.0, None))
        if before is not None and now - looked < _LOOK_AGAIN_S:
            return False
        options = self._options.layers(cwd or None)
        state = (options.grants, watch.fingerprint(options))
        _remember(self._seen, cwd, (now, state))
        return state != before

    def verdict(
        self,
        command: str | Sequence[str],
        situation: Situation,
        *,
        shell: str = "bash",
        texts: tuple[str, ...] | None = None,
    ) -> Verdict:
        """The verdict on ``command`` under the default profile.

        Raises:
            RuleFileError: as for :meth:`rulebook`.
        """
        return check(command, self.rulebook(situation, texts), shell=shell, situation=situation)

    def answer(
        self,
        command: str | Sequence[str],
        situation: Situation,
        *,
        shell: str = "bash",
        texts: tuple[str, ...] | None = None,
        grounds: bool = False,
        login: bool | None = None,
    ) -> tuple[dict[str, Any], Decision]:
        """The output of ``check`` about ``command`` under the profile of this call, and the decision.

        Args:
            grounds: include the grounds of the allow of each command.
            login: true if a script runs in a login shell, for Codex; ``None`` for the value in its settings.

        Raises:
            RuleFileError: as for :meth:`rulebook`.
        """
        if self._is_codex:
            if login is None and isinstance(command, str):
                login = self.allows_login_shell(situation)
            rulebook = self.rulebook(situation, texts)
            body, decision = decide.decide_as_codex(command, rulebook, situation, shell=shell, login=login)
        else:
            verdict = self.verdict(command, situation, shell=shell, texts=texts)
            body, decision = verdict.to_json_with_grounds() if grounds else verdict.to_json(), verdict.decision
        restricted = self.restriction(command, situation, shell=shell)
        if restricted is None:
            return body, decision
        body["permission"] = {"decision": restricted[0].word, "reason": restricted[1]}
        if restricted[0] > decision:
            body["decision"], decision = restricted[0].word, restricted[0]
            if "reason" in body:
                body["reason"] = restricted[1]
            if grounds:
                body["grounds"] = []
        if "reason" in body:  # Codex has neither reason nor kind
            body.pop("kind", None)
            if decision.word == "prompt":
                body["kind"] = "objected"
        return body, decision

    def allows_login_shell(self, situation: Situation) -> bool:
        """True if Codex's settings allow login shells; cached per folder at the first call."""
        if not self._is_codex:
            return True
        allowed = self._login.get(situation.cwd)
        if allowed is None:
            allowed = decide.allows_login_shell(self._options.layers(situation.cwd))
            _remember(self._login, situation.cwd, allowed)
        return allowed

    def restriction(
        self, command: str | Sequence[str], situation: Situation, *, shell: str
    ) -> tuple[Decision, str] | None:
        """The most that the permission rules let ``command`` do, and the rule; ``None`` if they do not restrict it."""
        if not self._permissions:
            return None
        return permission_file.restriction(self._permissions, command, situation, shell=shell)

    def command_rules(self, situation: Situation) -> CommandRules | None:
        """The permission rules in the form for decisions under an approval policy."""
        if not self._permissions:
            return None
        return permission_file.command_rules(self._permissions, situation.cwd)


def _remember(cache: dict[Key, Value], key: Key, value: Value) -> None:
    while len(cache) >= _REMEMBERED:
        cache.pop(next(iter(cache)))
    cache[key] = value


def script_of(words: Sequence[str], script: str | None, cwd: str | None, stderr: TextIO) -> str | None:
    """The script of a call: ``script``, or the single word that is a script; ``None`` if ``words`` is an argv.

    A word is a script if it contains a character that ends an unquoted word (``git push && ls``) and names no program
    and no file.

    Raises:
        UsageError: the first word is empty.
    """
    if script is None and len(words) == 1 and not _BETWEEN_WORDS.isdisjoint(words[0]):
        import shutil

        text = words[0]
        if shutil.which(text) is None and not os.path.lexists(os.path.join(cwd or "", text)):
            stderr.write("note: the single argument is read as a script: no program has that name\n")
            return text
    if script is None and words and not words[0]:
        raise UsageError("the first word of the command is empty: it must name a program")
    return script


def no_folder(cwd: str) -> Exception:
    """The :class:`UsageError` for a ``--cwd`` that is not a possible working directory."""
    reason = safe_open.out_of_reach(cwd)
    if reason is not None:
        return UsageError(f"cannot look at `{cwd}`: {reason}: give a folder to --cwd that may be searched")
    return UsageError(f"`{cwd}` is not a folder: give one that exists to --cwd")


def situation_at(cwd: str | None, root: str | None = None, *, terminal: bool = True) -> Situation:
    """The situation with the working directory ``cwd``, or the current one.

    Args:
        root: the folder that ``./`` in write rules means; ``cwd`` if not given.
        terminal: what commands print may go to a terminal.

    Raises:
        UsageError: ``cwd`` is no folder.
    """
    if cwd is None:
        return Situation.of_process(terminal=terminal)
    if not os.path.isdir(cwd):
        raise no_folder(cwd)
    folder = os.path.abspath(cwd)
    root = folder if root is None else os.path.abspath(root)
    return Situation(folder, home=home_of(os.environ), root=root, terminal=terminal)
