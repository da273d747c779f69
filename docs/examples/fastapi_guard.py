"""A middleware that answers 403 with the reason, unless the command in the body is allowed."""

from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from execpolicy import LayerOptions, PolicyManager, Situation, UsageError, check

manager = PolicyManager(LayerOptions.of_process())
app = FastAPI()


@app.middleware("http")
async def only_allowed(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    try:
        command = (await request.json())["command"]
        verdict = check(command, manager.current().rulebook, situation=Situation(manager.options.cwd))
    except (ValueError, TypeError, KeyError, UsageError):
        return JSONResponse({"error": "send a JSON object with `command`"}, 400)
    if verdict.decision != "allow":
        return JSONResponse({"decision": verdict.decision.word, "reason": verdict.reason}, 403)
    return await call_next(request)


@app.post("/run")
async def run(body: dict[str, str]) -> dict[str, str]:
    """What the middleware lets through."""
    return {"would run": body["command"]}
