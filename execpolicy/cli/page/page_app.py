"""The pages, and the requests of their scripts, as an application. The only module that imports Starlette."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from execpolicy.cli.page.explain_html import findings_markup, trial_markup, trial_page
from execpolicy.cli.page.html import STATIC, element, filled, shown
from execpolicy.cli.page.inbox_view import inbox_page, preview_markup, question_markup, question_rows, saved_rows
from execpolicy.cli.page.page_guard import MAX_BODY, VISITOR, PageGuard, PageKeys
from execpolicy.cli.page.policy_view import (
    difference_markup,
    findings_section,
    fix,
    given_rules,
    policy_page,
    setup_section,
)
from execpolicy.cli.page.replay_html import history_page, replay_histories, replay_markup
from execpolicy.cli.project_setup import ProjectSetup
from execpolicy.core.hosts import home_of
from execpolicy.errors import ExecPolicyError
from execpolicy.inbox.inbox_server import InboxServer, Person
from execpolicy.inbox.peer import account_of
from execpolicy.inbox.waiting import WaitingQuestion
from execpolicy.judge.situation import Situation
from execpolicy.manager.policy_manager import PolicyManager

if TYPE_CHECKING:
    from starlette.requests import Request

_HEARTBEAT_S = 15.0
_MOST_AT_ONCE = 1_000
_LONGEST_BROWSER = 160
_MOST_THREADS = 8
_ENDING = "the server ends"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_T = TypeVar("_T")


class PageApp:
    """The page over the inbox of a user and the rules of one folder.

    Attributes:
        inbox: the server of the inbox, which is not started here.
        guarded: the application that a server runs.
    """

    def __init__(self, keys: PageKeys, manager: PolicyManager, cwd: str, inbox_folder: str) -> None:
        self._keys = keys
        self._manager = manager
        self._cwd = cwd
        self.inbox = InboxServer(inbox_folder, changed=self._changed, address=keys.address)
        self._listeners: set[asyncio.Event] = set()
        self._closing = asyncio.Event()
        self._threads = ThreadPoolExecutor(_MOST_THREADS, "execpolicy-page")
        self._fired: Counter[Any] | None = None
        routes = [
            Route("/", lambda request: RedirectResponse("/inbox", 303)),
            Route("/open", self._open),
            Route("/events", self._events),
            Route("/static/{name}", self._static),
            Route("/inbox", lambda request: HTMLResponse(inbox_page())),
            Route("/inbox/questions", self._questions),
            Route("/inbox/question/{id}", self._question),
            Route("/inbox/text/{id}", self._text),
            Route("/try", lambda request: HTMLResponse(trial_page(cwd))),
            Route("/policy", self._policy),
            Route("/history", lambda request: HTMLResponse(history_page())),
        ]
        for path, work in (
            ("/inbox/answer", self._answer),
            ("/inbox/preview", self._preview),
            ("/inbox/undo", self._undo),
            ("/try/decide", self._decide),
            ("/try/lint", self._lint),
            ("/policy/fix", self._fix),
            ("/policy/switch", self._switch),
            ("/policy/compare", self._compare),
            ("/history/replay", self._replay),
        ):
            routes.append(Route(path, _posted(work), methods=["POST"]))
        app = Starlette(routes=routes)
        app.router.redirect_slashes = False
        self.guarded = PageGuard(app, keys)

    def _changed(self, one: WaitingQuestion) -> None:
        """Notify every window of a change in the inbox."""
        for listener in self._listeners:
            listener.set()

    def close(self) -> None:
        """End the streams and waits of all windows: the server waits for them. Work in threads is not stopped."""
        self._closing.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        for listener in self._listeners:
            listener.set()

    async def _open(self, request: Request) -> Response:
        entered = self._keys.enter(request.query_params.get("key", ""))
        if entered is None:
            raise HTTPException(403, "this address was used already, or is too old: run `execpolicy ui` again")
        cookie, key = entered
        response = HTMLResponse(filled("opening", key=key))
        response.set_cookie(self._keys.cookie, cookie, httponly=True, samesite="strict", path="/")
        return response

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in os.listdir(STATIC):  # exactly these names, so that no path can lead anywhere else
            raise HTTPException(404)
        with open(os.path.join(STATIC, name), encoding="utf-8") as file:
            return Response(file.read(), media_type=_TYPES[os.path.splitext(name)[1]])

    async def _events(self, request: Request) -> Response:
        async def stream() -> AsyncIterator[str]:
            changed = asyncio.Event()
            changed.set()
            self._listeners.add(changed)
            try:
                while not self._closing.is_set():
                    try:
                        async with asyncio.timeout(_HEARTBEAT_S):
                            await changed.wait()
                    except TimeoutError:
                        yield ": still here\n\n"
                        continue
                    changed.clear()
                    yield f"data: {len(self.inbox.waiting.open())}\n\n"
                    await asyncio.sleep(0.05)  # a burst of changes is sent once
            finally:
                self._listeners.discard(changed)

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def _questions(self, request: Request) -> Response:
        questions = question_rows(self.inbox.waiting.open())
        return JSONResponse({"questions": questions, "saved": saved_rows(self.inbox.answering.saved)})

    async def _question(self, request: Request) -> Response:
        id = request.path_params["id"]
        try:
            study = await self._unless_closing(self.inbox.answering.study(id))
            one = self.inbox.waiting.find(id)
        except ExecPolicyError as error:
            raise HTTPException(404, str(error)) from None
        return HTMLResponse(question_markup(one, study))

    async def _text(self, request: Request) -> Response:
        try:
            one = self.inbox.waiting.find(request.path_params["id"])
        except ExecPolicyError as error:
            raise HTTPException(404, str(error)) from None
        return PlainTextResponse(shown(one.question.text))

    async def _answer(self, body: dict[str, Any], person: Person) -> Any:
        ids = [str(each) for each in body.get("ids", [])][:_MOST_AT_ONCE]
        answering = self.inbox.answering
        prefixes = _prefixes(body)
        message = str(body.get("message", ""))

        async def one(id: str) -> tuple[bool, str]:
            try:
                done = await answering.answer(id, body.get("answer"), person, message=message, prefixes=prefixes)
            except ExecPolicyError as error:
                return False, str(error)
            return not done.startswith("too late"), done

        results = await asyncio.gather(*[one(id) for id in ids])
        return {
            "done": [shown(text) for good, text in results if good],
            "failed": [shown(text) for good, text in results if not good],
        }

    async def _preview(self, body: dict[str, Any], person: Person) -> Any:
        id = str(body.get("id"))
        prefixes = _prefixes(body)
        answering = self.inbox.answering
        found = await self._unless_closing(answering.preview(id, prefixes))
        return {"html": preview_markup(found)}

    async def _undo(self, body: dict[str, Any], person: Person) -> Any:
        removed = await self.inbox.answering.undo(str(body.get("id")), person)
        return {"done": [f"removed {shown(line)}" for line in removed], "failed": []}

    async def _decide(self, body: dict[str, Any], person: Person) -> Any:
        script, shell, cwd, rules = (str(body.get(name, "")) for name in ("script", "shell", "cwd", "rules"))
        return {"html": await self._in_thread(lambda: trial_markup(script, shell, cwd, rules))}

    async def _lint(self, body: dict[str, Any], person: Person) -> Any:
        rules = str(body.get("rules", ""))
        return {"html": await self._in_thread(lambda: findings_markup(rules))}

    async def _policy(self, request: Request) -> Response:
        return HTMLResponse(await self._in_thread(lambda: policy_page(self._manager.reload().layers, self._fired)))

    async def _fix(self, body: dict[str, Any], person: Person) -> Any:
        path, code = str(body.get("path", "")), str(body.get("code", ""))

        def work() -> dict[str, Any]:
            done = fix(self._manager.reload().layers, path, code)
            return {"done": [done], "failed": [], "html": findings_section(self._manager.reload().layers)}

        return await self._in_thread(work)

    async def _switch(self, body: dict[str, Any], person: Person) -> Any:
        name, on = str(body.get("name", "")), bool(body.get("on"))

        def work() -> dict[str, Any]:
            return {"done": [shown(ProjectSetup().switch(name, on=on))], "failed": [], "html": setup_section()}

        return await self._in_thread(work)

    async def _compare(self, body: dict[str, Any], person: Person) -> Any:
        before, after = str(body.get("before", "")), str(body.get("after", ""))

        def work() -> dict[str, Any]:
            options = self._manager.options.replaced(builtin_folder=None)  # the same on both sides
            return {"html": difference_markup(given_rules(before, options), given_rules(after, options))}

        return await self._in_thread(work)

    async def _replay(self, body: dict[str, Any], person: Person) -> Any:
        targets = [line.strip() for line in str(body.get("histories", "")).splitlines() if line.strip()]
        other = str(body.get("rules", ""))

        def work() -> Any:
            rulebook = self._manager.reload().rulebook
            rules = given_rules(other, self._manager.options) if other.strip() else None
            return replay_histories(rulebook, Situation(self._cwd, home=home_of(os.environ)), targets, rules)

        report, dated = await self._in_thread(work)
        self._fired = report.tally.rules
        return {"html": replay_markup(report, dated)}

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        if self._closing.is_set():
            raise HTTPException(503, _ENDING)
        return await self._unless_closing(asyncio.get_running_loop().run_in_executor(self._threads, work))

    async def _unless_closing(self, work: Awaitable[_T]) -> _T:
        """The result of ``work``, unless the server ends first.

        A replay may take minutes, and the shutdown does not wait for it.
        """
        closing = asyncio.ensure_future(self._closing.wait())
        working = asyncio.ensure_future(work)
        try:
            await asyncio.wait((working, closing), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise HTTPException(503, _ENDING)
            return working.result()
        finally:
            closing.cancel()
            working.cancel()


def _prefixes(body: dict[str, Any]) -> list[list[str] | None]:
    """The choice for each command: its first words, or ``None`` for exactly the command."""
    return [None if each is None else [str(word) for word in each] for each in body.get("prefixes", [])]


def _person(request: Request) -> Person:
    """The sender of the request: the user of this server, identified by the admitted browser."""
    browser = shown(request.headers.get("user-agent", ""))[:_LONGEST_BROWSER]
    return Person("page", f"{account_of(os.getuid())}, window {request.scope[VISITOR]}, {browser}")


def _posted(work: Callable[[dict[str, Any], Person], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """A handler that reads a JSON object, and reports errors as ``{"failed": […]}``."""

    async def handle(request: Request) -> Response:
        raw = b""
        async for block in request.stream():
            raw += block
            if len(raw) > MAX_BODY:
                raise HTTPException(413)
        try:
            body = json.loads(raw)
            if not isinstance(body, dict):
                raise TypeError
            return JSONResponse(await work(body, _person(request)))
        except ExecPolicyError as error:
            said = shown(str(error))
            return JSONResponse({"done": [], "failed": [said], "html": element("p", said, class_="problem")})
        except (TypeError, ValueError, RecursionError):
            raise HTTPException(400, "this is not what the page sends") from None

    return handle
