"""Executes an answer: checks it, saves its rules, records it, and delivers it to the asker."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from execpolicy.amend.preview import why_not_savable
from execpolicy.core.answer import Answer
from execpolicy.core.quoting import join
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.inbox.inbox_question import InboxQuestion, answer_in_words, answer_word, word_of
from execpolicy.inbox.peer import Kin
from execpolicy.inbox.study import Choices, RulePreview, Studies, Study
from execpolicy.inbox.waiting import WaitingQuestion, WaitingQuestions
from execpolicy.permissions.audit import AuditSink

_T = TypeVar("_T")
_MOST_STUDIES = 128
_MOST_RECENT = 200
_MOST_REMEMBERED = 10_000
_LONGEST_MESSAGE = 2_000
"""The maximum number of characters of a person's words for an agent."""
_NOTED = ("source", "agent", "session", "cwd", "commands", "tool", "network", "reason")
"""The fields of a question in the audit trail."""


@dataclass(frozen=True, slots=True)
class Person:
    """The person who answers.

    Attributes:
        via: ``page`` or ``terminal``; ``session`` for an answer that was given before, for the session.
        detail: the user, and the window and browser, or the terminal and process.
    """

    via: str
    detail: str

    def __str__(self) -> str:
        return f"{self.via} {self.detail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRules:
    """Rules that were saved with an answer, kept for undo.

    Attributes:
        files: the lines that were saved, by file.
    """

    id: str
    files: dict[str, tuple[str, ...]]
    cwd: str

    @property
    def lines(self) -> tuple[str, ...]:
        """Every line that was saved."""
        return tuple([line for lines in self.files.values() for line in lines])


class Answering:
    """Answers the questions of ``waiting``, each once. Use it from one event loop.

    Args:
        audit: called with every question and answer. A question that it cannot record is not answered.
    """

    def __init__(self, waiting: WaitingQuestions, audit: AuditSink) -> None:
        self.waiting = waiting
        self.saved: deque[SavedRules] = deque(maxlen=50)
        self._audit = audit
        self._studies = Studies()
        self._thread = ThreadPoolExecutor(1, "execpolicy-inbox")
        self._known: OrderedDict[str, Study] = OrderedDict()
        self._recent: deque[InboxQuestion] = deque(maxlen=_MOST_RECENT)
        self._for_session: OrderedDict[bytes, str] = OrderedDict()
        self._tasks: set[asyncio.Future[Any]] = set()

    async def put(self, question: InboxQuestion, side: frozenset[Kin], size: int) -> WaitingQuestion:
        """Adds ``question`` to those that wait, or repeats the earlier answer of its session.

        Raises:
            ExecPolicyError: it cannot wait: there are too many, or it cannot be recorded.
        """
        one = self.waiting.put(question, side, size)
        try:
            self._note("asked", one, {name: getattr(question, name) for name in _NOTED})
        except ExecPolicyError:
            self.waiting.leave(one)
            raise
        self._recent.append(question)
        before = self._for_session.get(_digest(question))
        if before is not None and not question.once:
            self.waiting.claim(one.id)
            task = asyncio.ensure_future(self._answer_as_before(one, before))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return one

    async def study(self, id: str) -> Study:
        """The study of the question ``id``.

        Raises:
            UsageError: there is none.
        """
        one = self.waiting.find(id)
        known = self._known.get(id)
        if known is None:
            known = self._known[id] = await self.in_thread(lambda: self._studies.study(one.question))
            while len(self._known) > _MOST_STUDIES:
                self._known.popitem(last=False)
        return known

    async def preview(self, id: str, prefixes: Choices) -> list[RulePreview]:
        """The effect of saving ``prefixes`` on the question and on recent ones."""
        question = self.waiting.find(id).question
        recent = [each for each in self._recent if each is not question]
        return await self.in_thread(lambda: self._studies.preview(question, prefixes, recent))

    async def answer(self, id: str, word: object, person: Person, *, message: str = "", prefixes: Choices = ()) -> str:
        """Answers the question ``id`` and returns the result in one line.

        Raises:
            UsageError: there is no such question, it does not accept this answer, or it is over.
            ExecPolicyError: the rule could not be saved, or the answer could not be recorded: the question still waits.
        """
        chosen = answer_word(word)
        one = self.waiting.claim(id)
        try:
            prefix: tuple[str, ...] = ()
            saved: tuple[str, ...] = ()
            if chosen in ("session", "always"):
                study = await self.study(id)
                if chosen not in study.choices:
                    raise UsageError(f"`{chosen}` is no answer to this question: {', '.join(study.choices)} are")
                if chosen == "always":
                    prefix, saved = await self._save(one.question, study, prefixes)
            answer = answer_in_words(chosen, message.strip()[:_LONGEST_MESSAGE], prefix)
            taken = await self._give(one, answer, person, saved)
        except BaseException:
            self.waiting.give_back(one)
            raise
        if not taken:
            return f"too late: who asked {id} did not wait any longer" + ("; the rule is saved" if saved else "")
        if chosen == "session":
            self._remember(one.question, str(person))
        return f"{id}: {chosen}" + (f"; saved {' and '.join(saved)}" if saved else "")

    async def undo(self, id: str, person: Person) -> tuple[str, ...]:
        """Removes the rules that were saved with the answer to ``id`` and returns the removed lines.

        Raises:
            ExecPolicyError: there are none, or they are no longer there.
        """
        found = next((each for each in self.saved if each.id == id), None)
        if found is None:
            raise UsageError(f"no rule was saved with the answer to `{id}`")
        manager = self._studies.manager_at(found.cwd)

        def take_back() -> tuple[str, ...]:
            return tuple([line for path, lines in found.files.items() for line in manager.undo_lines(path, lines)])

        removed = await self.in_thread(take_back)
        self.saved.remove(found)
        self._known.clear()
        self._audit.write({"event": "inbox.undone", "id": id, "by": str(person), "rules": list(removed)})
        return removed

    async def in_thread(self, work: Callable[[], _T]) -> _T:
        """Runs ``work`` in the thread that reads rules and judges."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def left(self, one: WaitingQuestion) -> None:
        """Ends a question whose asker has disconnected."""
        was = one.stage
        self.waiting.leave(one)
        self._known.pop(one.id, None)
        if was == "waiting":
            self._note(one.stage, one, {})
        elif was == "late" and one.taken.result():  # the asker was only slow, and acts on the answer all the same
            self._note("taken", one, {})

    def close(self) -> None:
        """Ends the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _save(
        self, question: InboxQuestion, study: Study, prefixes: Choices
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The prefix that the asker saves himself, or the lines that are saved here."""
        if question.own_saving:
            prefix = tuple(prefixes[0] or ()) if prefixes else question.own_saving
            whole = question.own_saving
            if not prefix or (prefix != whole if study.whole else whole[: len(prefix)] != prefix):
                raise UsageError(f"only `{join(whole)}`" + ("" if study.whole else " or a beginning of it"))
            refused = why_not_savable(prefix)
            if refused is not None:
                raise UsageError(refused)
            return prefix, ()
        files = await self.in_thread(lambda: self._studies.save(question, prefixes))
        id = next((one.id for one in self.waiting.open() if one.question is question), "")
        saved = SavedRules(id=id, files=files, cwd=question.cwd)
        self.saved.append(saved)
        self._known.clear()
        return (), saved.lines

    async def _give(self, one: WaitingQuestion, answer: Answer, person: Person, saved: tuple[str, ...]) -> bool:
        entry = {
            "answer": word_of(answer),
            "message": answer.feedback,
            "by": str(person),
            "saved": list(saved) or list(answer.amendment),
            "shown": _shown(one.question, self._known.get(one.id)),
        }
        self._note("answered", one, entry)
        taken = await self.waiting.settle(one, answer, str(person))
        self._note("taken" if taken else "late", one, {})
        return taken

    async def _answer_as_before(self, one: WaitingQuestion, before: str) -> None:
        try:
            await self._give(one, answer_in_words("session"), Person("session", before), ())
        except ExecPolicyError:  # it cannot be recorded: a person has to answer it
            self.waiting.give_back(one)

    def _remember(self, question: InboxQuestion, by: str) -> None:
        if question.session:
            self._for_session[_digest(question)] = by
            while len(self._for_session) > _MOST_REMEMBERED:
                self._for_session.popitem(last=False)

    def _note(self, event: str, one: WaitingQuestion, entry: dict[str, Any]) -> None:
        self._audit.write({"event": f"inbox.{event}", "id": one.id, **entry})


def _shown(question: InboxQuestion, study: Study | None) -> dict[str, Any]:
    """The content shown to the person: the digest of the text and, if it was studied, each part with the reason."""
    parts = [] if study is None else [part for each in study.explanations for part in each.parts]
    return {
        "text_sha256": hashlib.sha256(question.text.encode("utf-8", "surrogatepass")).hexdigest(),
        "characters": len(question.text),
        "reason": question.reason,
        "parts": [{"command": each.shown, "decision": each.decision, "why": each.reason} for each in parts[:50]],
        "files": sorted(question.changes or question.writes),
    }


def _digest(question: InboxQuestion) -> bytes:
    return hashlib.sha256(question.sameness.encode("utf-8", "surrogatepass")).digest()
