"""A model that says what it is told to: turns of tool calls, over the four protocols that agents speak."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Json = dict[str, Any]


class ToolCall(NamedTuple):
    """A call that the model makes; ``namespace`` is where one protocol puts the server of a tool."""

    tool: str
    arguments: Json
    namespace: str = ""


class Heard(NamedTuple):
    """What a request tells the model: how many of its turns were played, what it got for them, what it may call."""

    turns: int
    results: list[str]
    tools: list[str]


class ScriptedModel:
    """Plays ``turns`` one after another, then says that it is done.

    Args:
        delegates: the first turn starts another agent: that begins with the second.
    """

    def __init__(self, turns: list[list[ToolCall]], *, delegates: bool = False) -> None:
        self.turns = turns
        self._delegates = delegates
        self.results: list[str] = []
        self.played = 0
        self.last_taken = 0
        self.offered: list[str] = []
        model = self

        class Handler(_Handler):
            script = model

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next_calls(self, heard: Heard) -> list[ToolCall]:
        """The calls of the next turn; none for requests that are about something else, or after the last."""
        if len(heard.results) > len(self.results):
            self.results = heard.results
        if not heard.tools or heard.turns >= len(self.turns):
            return []
        turn = heard.turns
        if self._delegates and turn == 0 and self.played:
            turn = 1
        self.offered = heard.tools
        self.played = max(self.played, turn + 1)
        self.last_taken += turn + 1 == len(self.turns)
        return self.turns[turn]


def text_of(content: Any) -> str:
    """The text in a tool's result, whichever way it is wrapped."""
    if isinstance(content, list):
        return "".join(map(text_of, content))
    if isinstance(content, dict):
        found = next((content[key] for key in ("text", "output", "content", "error") if key in content), None)
        return json.dumps(content) if found is None else text_of(found)
    return "" if content is None else str(content)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: ScriptedModel

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        model = {"id": "mock-model", "object": "model", "created": 0, "owned_by": "mock", "name": "mock-model"}
        self._json({"object": "list", "data": [model], "models": []} if "models" in self.path else {})

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        try:
            body = json.loads(self._body())
        except ValueError:
            body = {}
        path = self.path.split("?")[0]
        for ending, read, write in (
            ("/messages", _read_anthropic, self._anthropic),
            ("/chat/completions", _read_chat, self._chat),
            ("/responses", _read_responses, self._responses),
            ("enerateContent", _read_gemini, self._gemini),
        ):
            if path.endswith(ending):
                heard = read(body)
                write(body, heard.turns, self.script.next_calls(heard))
                return
        self._json({"input_tokens": 10, "totalTokens": 10})

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _reply(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _json(self, value: Json) -> None:
        self._reply("application/json", json.dumps(value).encode())

    def _events(self, events: list[tuple[str, Json]], end: str = "") -> None:
        out = [(f"event: {name}\n" if name else "") + f"data: {json.dumps(value)}\n\n" for name, value in events]
        self._reply("text/event-stream", ("".join(out) + end).encode())

    def _anthropic(self, body: Json, turn: int, calls: list[ToolCall]) -> None:
        blocks: list[Json] = [
            {"type": "tool_use", "id": f"toolu_{turn}_{at}", "name": call.tool, "input": call.arguments}
            for at, call in enumerate(calls)
        ] or [{"type": "text", "text": "all done"}]
        stop = "tool_use" if calls else "end_turn"
        message = {"id": f"msg_{turn}", "type": "message", "role": "assistant", "model": body.get("model", "mock")}
        message |= {"content": [], "stop_reason": None, "stop_sequence": None}
        message |= {"usage": {"input_tokens": 10, "output_tokens": 1}}
        if not body.get("stream"):
            self._json({**message, "content": blocks, "stop_reason": stop})
            return
        events: list[tuple[str, Json]] = [("message_start", {"message": message})]
        for at, block in enumerate(blocks):
            if block["type"] == "text":
                delta = {"type": "text_delta", "text": block["text"]}
                block = {"type": "text", "text": ""}
            else:
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
                block = {**block, "input": {}}
            events.append(("content_block_start", {"index": at, "content_block": block}))
            events.append(("content_block_delta", {"index": at, "delta": delta}))
            events.append(("content_block_stop", {"index": at}))
        ending = {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}}
        events += [("message_delta", ending), ("message_stop", {})]
        self._events([(name, {"type": name, **value}) for name, value in events])

    def _chat(self, body: Json, turn: int, calls: list[ToolCall]) -> None:
        base = {"id": f"chatcmpl-{turn}", "created": int(time.time()), "model": body.get("model", "mock")}
        delta: Json = {"role": "assistant", "content": "all done"}
        if calls:
            delta = {"role": "assistant", "content": None}
            delta["tool_calls"] = [
                {
                    "index": at,
                    "id": f"call_{turn}_{at}",
                    "type": "function",
                    "function": {"name": call.tool, "arguments": json.dumps(call.arguments)},
                }
                for at, call in enumerate(calls)
            ]
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        finish = "tool_calls" if calls else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": delta, "finish_reason": finish}
            self._json({**base, "object": "chat.completion", "usage": usage, "choices": [choice]})
            return
        chunk = {**base, "object": "chat.completion.chunk"}
        events = [
            {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
            {**chunk, "choices": [], "usage": usage},
        ]
        self._events([("", event) for event in events], "data: [DONE]\n\n")

    def _responses(self, body: Json, turn: int, calls: list[ToolCall]) -> None:
        items: list[Json] = []
        for at, call in enumerate(calls):
            item = {"id": f"fc_{turn}_{at}", "call_id": f"call_{turn}_{at}", "name": call.tool}
            if call.namespace:
                item["namespace"] = call.namespace
            if isinstance(call.arguments.get("free text"), str):
                items.append({"type": "custom_tool_call", **item, "input": call.arguments["free text"]})
            else:
                items.append({"type": "function_call", **item, "arguments": json.dumps(call.arguments)})
        if not items:
            text = {"type": "output_text", "text": "all done", "annotations": []}
            items = [{"type": "message", "id": f"msg_{turn}", "role": "assistant", "status": "completed"}]
            items[0]["content"] = [text]
        usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 5}
        usage |= {"output_tokens_details": None, "total_tokens": 15}
        response = {"id": f"resp_{turn}_{time.time_ns()}", "object": "response", "status": "completed"}
        response |= {"output": items, "usage": usage, "model": body.get("model", "mock")}
        events: list[tuple[str, Json]] = [("response.created", {"response": {"id": response["id"]}})]
        events += [("response.output_item.done", {"output_index": at, "item": item}) for at, item in enumerate(items)]
        events.append(("response.completed", {"response": response}))
        self._events([(name, {"type": name, **value}) for name, value in events])

    def _gemini(self, body: Json, turn: int, calls: list[ToolCall]) -> None:
        parts: list[Json] = [{"functionCall": {"name": call.tool, "args": call.arguments}} for call in calls]
        if not parts:
            wants_json = (body.get("generationConfig") or {}).get("responseMimeType") == "application/json"
            checks = {"reasoning": "x", "next_speaker": "user", "model_choice": "pro"}
            checks |= {"complexity_reasoning": "x", "complexity_score": 50}
            parts = [{"text": json.dumps(checks) if wants_json else "all done"}]
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        value = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "mock"}
        if "streamGenerateContent" in self.path:
            self._events([("", value)])
        else:
            self._json(value)


def _read_anthropic(body: Json) -> Heard:
    turns, results = 0, []
    for message in body.get("messages", []):
        parts = message["content"] if isinstance(message["content"], list) else []
        turns += message["role"] == "assistant" and any(part.get("type") == "tool_use" for part in parts)
        results += [text_of(part.get("content")) for part in parts if part.get("type") == "tool_result"]
    return Heard(turns, results, [tool.get("name") for tool in body.get("tools") or []])


def _read_chat(body: Json) -> Heard:
    messages = body.get("messages", [])
    turns = sum(message["role"] == "assistant" and bool(message.get("tool_calls")) for message in messages)
    results = [text_of(message.get("content")) for message in messages if message["role"] == "tool"]
    return Heard(turns, results, [tool.get("function", tool).get("name") for tool in body.get("tools") or []])


def _read_responses(body: Json) -> Heard:
    turns, results, calling = 0, [], False
    items = body["input"] if isinstance(body.get("input"), list) else []
    offered = list(body.get("tools") or [])
    for item in items:
        kind = str(item.get("type"))
        calls = kind in ("function_call", "custom_tool_call", "local_shell_call")
        turns += calls and not calling
        calling = calls
        if kind.endswith("_call_output"):
            results.append(text_of(item.get("output")))
        if kind == "additional_tools":
            offered += [inner for tool in item.get("tools", []) for inner in tool.get("tools", [tool])]
    return Heard(turns, results, [tool.get("name", tool.get("type")) for tool in offered])


def _read_gemini(body: Json) -> Heard:
    turns, results = 0, []
    for content in body.get("contents", []):
        parts = content.get("parts", [])
        turns += content.get("role") == "model" and any("functionCall" in part for part in parts)
        results += [text_of(part["functionResponse"].get("response")) for part in parts if "functionResponse" in part]
    tools = [one.get("name") for tool in body.get("tools") or [] for one in tool.get("functionDeclarations", [])]
    return Heard(turns, results, tools)
