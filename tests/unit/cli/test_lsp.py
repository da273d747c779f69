"""The language server, driven by a real client over standard input and output."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.client import LanguageClient

from execpolicy.cli.lsp.hover import complete
from execpolicy.cli.lsp.outline import COLOURS

START = [sys.executable, "-m", "execpolicy", "lsp"]
DEADLINE = 60


class Editor:
    """A client with one open file."""

    def __init__(self, client: LanguageClient, path: Path) -> None:
        self.client = client
        self.uri = path.as_uri()
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.version = 0

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

    async def open(self, text: str) -> list[types.Diagnostic]:
        item = types.TextDocumentItem(uri=self.uri, language_id="starlark", version=0, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        return await self.diagnostics()

    async def change(self, text: str) -> list[types.Diagnostic]:
        self.send(text)
        return await self.diagnostics()

    def send(self, text: str) -> None:
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        whole = types.TextDocumentContentChangeWholeDocument(text=text)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=[whole])
        )

    async def diagnostics(self) -> list[types.Diagnostic]:
        params = await asyncio.wait_for(self.published.get(), DEADLINE)
        assert params.uri == self.uri
        return list(params.diagnostics)

    def at(self, line: int, character: int) -> dict[str, object]:
        return {
            "text_document": types.TextDocumentIdentifier(uri=self.uri),
            "position": types.Position(line=line, character=character),
        }


def edit_with(path: Path, steps: Callable[[Editor], Awaitable[None]], *options: str) -> None:
    async def session() -> None:
        client = LanguageClient("test", "1")
        editor = Editor(client, path)
        await client.start_io(*START, *options)
        await client.initialize_async(
            types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=path.parent.as_uri())
        )
        client.initialized(types.InitializedParams())
        await asyncio.wait_for(steps(editor), DEADLINE)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    asyncio.run(session())


def span(where: types.Range) -> tuple[int, int, int, int]:
    return where.start.line, where.start.character, where.end.line, where.end.character


def test_diagnostics_follow_the_text(tmp_path: Path) -> None:
    (tmp_path / "other.rules").write_text('prefix_rule(pattern=["git"], decision="prompt")\n')

    async def steps(editor: Editor) -> None:
        (found,) = await editor.open('# 𝒳\nprefix_rule(pattern=["git", "status"])\n')
        assert (found.code, found.severity, span(found.range)) == (
            "EP203",
            types.DiagnosticSeverity.Warning,
            (1, 0, 1, 38),
        )
        (related,) = found.related_information or ()
        assert (related.location.uri, span(related.location.range)) == (
            (tmp_path / "other.rules").as_uri(),
            (0, 0, 0, 47),
        )
        assert found.code_description is not None
        assert found.code_description.href.endswith("/EP203.md")
        assert list(found.tags or ()) == [types.DiagnosticTag.Unnecessary]
        (found,) = await editor.change('x = "𝒳" "b"\n')
        assert (found.code, found.severity, span(found.range)) == (
            "EP001",
            types.DiagnosticSeverity.Error,
            (0, 9, 0, 12),
        )
        assert await editor.change('prefix_rule(pattern=["ls"])\n') == []

    edit_with(tmp_path / "own.rules", steps)


def test_formatting(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.open("prefix_rule( pattern = ['𝒳'] )\n")
        options = types.FormattingOptions(tab_size=4, insert_spaces=True)
        document = types.TextDocumentIdentifier(uri=editor.uri)
        request = types.DocumentFormattingParams(text_document=document, options=options)
        (edit,) = await editor.client.text_document_formatting_async(request) or []
        assert (edit.new_text, span(edit.range)) == ('prefix_rule(pattern=["𝒳"])\n', (0, 0, 1, 0))
        await editor.change("x = (\n")
        assert not await editor.client.text_document_formatting_async(request)

    edit_with(tmp_path / "own.rules", steps)


def test_quick_fixes(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.open('prefix_rule(pattern=["ls"])\nprefix_rule(pattern=["ls"])\nprefix_rule(pattern=["sh"])\n')
        document = types.TextDocumentIdentifier(uri=editor.uri)
        everywhere = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=3, character=0))
        request = types.CodeActionParams(
            text_document=document, range=everywhere, context=types.CodeActionContext(diagnostics=[])
        )
        actions = await editor.client.text_document_code_action_async(request) or []
        assert [(action.title, action.is_preferred) for action in actions if isinstance(action, types.CodeAction)] == [
            ("EP201: delete the rule", True),
            ("EP402: delete the rule (may change a decision)", False),
        ]
        first = actions[0]
        assert isinstance(first, types.CodeAction)
        assert first.edit is not None
        assert first.edit.changes is not None
        (edit,) = first.edit.changes[editor.uri]
        assert (edit.new_text, span(edit.range)) == ("", (1, 0, 2, 0))

    edit_with(tmp_path / "own.rules", steps)


def test_hover_and_definition(tmp_path: Path) -> None:
    other = tmp_path / "other.rules"
    other.write_text('# head\nprefix_rule(pattern=["git"], decision="prompt")\n')
    history = tmp_path / "history"
    history.write_text('git status\n{"argv": ["git", "log"]}\nls -l\ngit status -s\n{broken\n')

    async def steps(editor: Editor) -> None:
        await editor.open('prefix_rule(pattern=["git", ["status", "log"]], justification="reads")\n\n')
        found = await editor.client.text_document_hover_async(types.HoverParams(**editor.at(0, 30)))  # type: ignore[arg-type]  # its fields
        assert found is not None
        assert isinstance(found.contents, types.MarkupContent)
        assert found.contents.value.replace("  \n", "\n").split("\n") == [
            "**allow** `git [status|log]`",
            "reads",
            "Matches `git status`, `git log` and whatever follows.",
            "An allow by it rests on `rule-covers`: An allow rule of a trusted layer matches the words as they are "
            "written, or the host of a URL among them, and no stricter rule matches them under any spelling.",
            f"It decides nothing: `git` (prompt) at {other}:2 cover it.",
            "Matches 3 of 4 commands in the history.",
        ]
        assert await editor.client.text_document_hover_async(types.HoverParams(**editor.at(1, 0))) is None  # type: ignore[arg-type]  # the same
        places = await editor.client.text_document_definition_async(types.DefinitionParams(**editor.at(0, 3)))  # type: ignore[arg-type]  # the same
        assert isinstance(places, list)
        (place,) = places
        assert isinstance(place, types.Location)
        assert (place.uri, span(place.range)) == (other.as_uri(), (1, 0, 1, 47))

    edit_with(tmp_path / "own.rules", steps, "--history", str(history))


RULES = """\
# one
# two
TOOLS = ["ls", "𝒳"]
[prefix_rule(pattern=[tool]) for tool in TOOLS]
prefix_rule(
    pattern=["git", "push"],
    decision="prompt",
)
prefix_rule(pattern=["git", "-c"])
"""


def test_outline_folds_and_hints(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.open(RULES)
        document = types.TextDocumentIdentifier(editor.uri)
        ask = editor.client
        symbols = await ask.text_document_document_symbol_async(types.DocumentSymbolParams(document)) or []
        assert [(each.name, each.detail) for each in symbols if isinstance(each, types.DocumentSymbol)] == [
            ("ls and 1 more", "allow"),
            ("git push", "prompt"),
            ("git -c", "allow"),
        ]
        found = await ask.workspace_symbol_async(types.WorkspaceSymbolParams("PUSH")) or []
        assert [(each.name, each.container_name) for each in found] == [("git push", "prompt")]
        folds = await ask.text_document_folding_range_async(types.FoldingRangeParams(document)) or []
        assert [(fold.start_line, fold.end_line, fold.kind) for fold in folds] == [(4, 7, "region"), (0, 1, "comment")]
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        (hint,) = await ask.text_document_inlay_hint_async(types.InlayHintParams(document, whole)) or []
        assert (hint.position.line, hint.position.character) == (8, 34)
        assert str(hint.label).startswith("allow; also allows `git -c ")

    edit_with(tmp_path / "own.rules", steps)


def test_uses_and_rename(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.open(RULES)
        context = types.ReferenceContext(include_declaration=True)

        async def uses(line: int, character: int) -> list[tuple[int, int, int, int]]:
            params = types.ReferenceParams(context=context, **editor.at(line, character))  # type: ignore[arg-type]  # its fields
            return [span(each.range) for each in await editor.client.text_document_references_async(params) or []]

        assert await uses(3, 43) == [(2, 0, 2, 5), (3, 41, 3, 46)]
        assert await uses(8, 3) == [(4, 0, 7, 1), (8, 0, 8, 34)], "rules for the same program"

        async def rename(name: str) -> types.WorkspaceEdit | None:
            params = types.RenameParams(new_name=name, **editor.at(3, 23))  # type: ignore[arg-type]  # its fields
            return await editor.client.text_document_rename_async(params)

        edit = await rename("each")
        assert edit is not None
        assert edit.changes is not None
        assert [(span(each.range), each.new_text) for each in edit.changes[editor.uri]] == [
            ((3, 22, 3, 26), "each"),
            ((3, 33, 3, 37), "each"),
        ]
        for taken in ("TOOLS", "for", "a b", "prefix_rule"):
            with pytest.raises(JsonRpcInvalidParams, match=f"`{taken}` cannot replace `tool`"):
                await rename(taken)

    edit_with(tmp_path / "own.rules", steps)


def test_colours(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.open('x = "𝒳" # c\nprefix_rule(pattern=[x])\n')
        params = types.SemanticTokensParams(types.TextDocumentIdentifier(editor.uri))
        found = await editor.client.text_document_semantic_tokens_full_async(params)
        assert found is not None
        rows = [tuple(found.data[at : at + 4]) for at in range(0, len(found.data), 5)]
        assert [(*row[:3], COLOURS[row[3]]) for row in rows] == [
            (0, 0, 1, "variable"),
            (0, 4, 4, "string"),
            (0, 5, 3, "comment"),
            (1, 0, 11, "function"),
            (0, 12, 7, "parameter"),
            (0, 9, 1, "variable"),
        ]

    edit_with(tmp_path / "own.rules", steps)


def test_lines_are_formatted(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.open("x=1\nprefix_rule( pattern=['a'] )\ny=2\n")
        options = types.FormattingOptions(tab_size=4, insert_spaces=True)
        second = types.Range(types.Position(1, 3), types.Position(2, 0))
        document = types.TextDocumentIdentifier(editor.uri)
        params = types.DocumentRangeFormattingParams(document, second, options)
        (edit,) = await editor.client.text_document_range_formatting_async(params) or []
        assert (edit.new_text, span(edit.range)) == ('prefix_rule(pattern=["a"])', (1, 0, 1, 28))

    edit_with(tmp_path / "own.rules", steps)


def test_completion(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.open('prefix_rule(pattern=["git"], decision="')
        params = types.CompletionParams(**editor.at(0, 39))  # type: ignore[arg-type]  # its fields
        found = await editor.client.text_document_completion_async(params)
        assert isinstance(found, list)
        assert [item.label for item in found] == ["allow", "prompt", "forbidden"]

    edit_with(tmp_path / "own.rules", steps)


def test_a_key_is_answered_before_the_file_is_looked_at_again(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.open("")
        for text in ('prefix_rule(pattern=["bash"])\n', 'prefix_rule(pattern=["zsh"])\n'):
            editor.send(text)
        params = types.CompletionParams(**editor.at(1, 0))  # type: ignore[arg-type]  # its fields
        assert await editor.client.text_document_completion_async(params)
        assert editor.published.empty()
        (found,) = await editor.diagnostics()
        assert "zsh" in found.message
        assert editor.published.empty()  # once for both keys

    edit_with(tmp_path / "own.rules", steps)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("", ["prefix_rule", "network_rule", "host_executable"]),
        ("pre", ["prefix_rule", "network_rule", "host_executable"]),
        ("prefix_rule(", ["pattern", "decision", "match", "not_match", "justification", "canonical_matching"]),
        ('prefix_rule(pattern=["a"], ', ["decision", "match", "not_match", "justification", "canonical_matching"]),
        ('prefix_rule(pattern=["a"], dec', ["decision", "match", "not_match", "justification", "canonical_matching"]),
        ('prefix_rule(pattern=["a"], decision=', ["allow", "prompt", "forbidden"]),
        ('prefix_rule(\n    pattern=["a"],\n    canonical_matching=', ["True", "False"]),
        ('network_rule(host="h", protocol="', ["http", "https", "socks5_tcp", "socks5_udp"]),
        ('network_rule(host="h", decision="', ["allow", "prompt", "deny"]),
        ('prefix_rule(pattern=["a", "', []),
        ('prefix_rule(justification="', []),
        ("# prefix_rule(", []),
        ("x\t", []),
        ('x = "', []),
    ],
)
def test_offers(text: str, labels: list[str]) -> None:
    assert [offer.label for offer in complete(text, len(text))] == labels
    assert [offer.label for offer in complete(text + " )]", len(text))] == labels


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ('prefix_rule(pattern=["git", "', {"push", "-C", "--git-dir"}),
        ('prefix_rule(pattern=[["git", "hub"], ["stash", "x"], "', {"drop", "--quiet"}),
        ('prefix_rule(pattern=["git", "push", ["', {"--force", "-f"}),
        ('prefix_rule(pattern=["git", "-C", "push", "', {"--force"}),
    ],
)
def test_words_of_records_are_offered(text: str, offered: set[str]) -> None:
    assert offered <= {offer.label for offer in complete(text, len(text))}


@pytest.mark.parametrize("text", ['prefix_rule(pattern=["', 'prefix_rule(pattern=[["a", "', 'host_executable(name="'])
def test_programs_are_offered(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, mode in (("tool", 0o755), ("data", 0o644)):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(mode)
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}:/nowhere")
    if 'pattern=[["a", "' in text:
        text = 'prefix_rule(pattern=[["'
    assert [offer.label for offer in complete(text, len(text))] == ["tool"]


HELLO = {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
GOODBYE = ({"id": 2, "method": "shutdown"}, {"method": "exit"})
DOCUMENT = {"uri": "file:///x.rules", "version": 0}
OPENED = {
    "method": "textDocument/didOpen",
    "params": {"textDocument": {**DOCUMENT, "languageId": "starlark", "text": ""}},
}
CHANGED = {"method": "textDocument/didChange", "params": {"textDocument": DOCUMENT, "contentChanges": [{"text": "x"}]}}
HOVERED = {
    "id": 3,
    "method": "textDocument/hover",
    "params": {"textDocument": DOCUMENT, "position": {"line": 0, "character": 0}},
}


def said(*bodies: Mapping[str, object]) -> bytes:
    """Messages as an editor sends them."""
    texts = [json.dumps({"jsonrpc": "2.0", **body}).encode() for body in bodies]
    return b"".join([b"Content-Length: %d\r\n\r\n%s" % (len(text), text) for text in texts])


def test_the_server_ends_in_peace() -> None:
    """An editor that says goodbye sees neither a failure nor a traceback."""
    done = subprocess.run(START, input=said(HELLO, *GOODBYE), capture_output=True, check=False, timeout=DEADLINE)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_question_about_what_there_is_not_is_no_failure() -> None:
    unknown = {**HOVERED, "method": "textDocument/declaration"}
    done = subprocess.run(
        START, input=said(HELLO, unknown, *GOODBYE), capture_output=True, check=False, timeout=DEADLINE
    )
    assert done.returncode == 0
    assert b"Method Not Found" in done.stdout


@pytest.mark.parametrize(
    ("messages", "method", "well"),
    [([OPENED], "publish", 0), ([OPENED, CHANGED], "publish", 1), ([HOVERED], "analysis", 0)],
)
def test_what_there_was_no_memory_for_is_no_success(
    messages: list[Mapping[str, object]], method: str, well: int
) -> None:
    """Whether the editor was told of it in an answer or by itself: found with 60 MB of address space."""
    script = (
        "from execpolicy.cli.lsp.server import RulesServer\n"
        "calls = []\n"
        "def fail(*_):\n"
        "    calls.append(_)\n"
        f"    if len(calls) > {well}: raise MemoryError\n"
        f"RulesServer.{method} = fail\n"
        "from execpolicy.cli.main import main\n"
        "raise SystemExit(main(['lsp']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(said(HELLO, *messages))
        server.stdin.flush()
        told = b""
        while b"MemoryError" not in told:
            told += (more := server.stdout.read1())
            assert more, told
        _, complaint = server.communicate(said(*GOODBYE), timeout=DEADLINE)
    assert server.returncode == 1
    assert complaint.splitlines()[-1].startswith(b"error: not everything that the editor asked was done: ")
