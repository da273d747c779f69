"""The language server: connects pygls to the analysis."""

from __future__ import annotations

import asyncio
import os
from importlib.metadata import version
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import (
    FeatureNotificationError,
    JsonRpcInvalidParams,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
)
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from execpolicy.cli.lsp.analysis import Analysis
from execpolicy.cli.lsp.hover import RunCounts, complete, hover
from execpolicy.diagnostics.model import Diagnostic, Related
from execpolicy.errors import ExecPolicyError, RuleFileError
from execpolicy.formatting.format import format_source
from execpolicy.lint.project import page_of
from execpolicy.lint.survey import Kept
from execpolicy.source import Source, Span

if TYPE_CHECKING:
    from pygls.server import ServerErrors

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_KINDS = {
    "function": types.CompletionItemKind.Function,
    "parameter": types.CompletionItemKind.Field,
    "word": types.CompletionItemKind.EnumMember,
    "program": types.CompletionItemKind.Value,
}

_NOT_OURS = (JsonRpcInvalidParams, JsonRpcMethodNotFound, JsonRpcRequestCancelled)
"""Errors of the client."""
_MOMENT = 0.15
"""Seconds without a keystroke after which findings are updated."""


class RulesServer(LanguageServer):
    """A language server for rule files. Analyses are cached until a text changes."""

    def __init__(self, history: RunCounts | None = None) -> None:
        super().__init__("execpolicy", version("execpolicy"), types.TextDocumentSyncKind.Full)
        self.history = history
        self.failure: Exception | None = None
        """The first internal error. The server then exits with an error."""
        self._kept: dict[str, Kept] = {}  # by folder, because its files are checked together
        self._analyses: dict[str, Analysis] = {}
        self._waiting: asyncio.TimerHandle | None = None

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Record the error before reporting it to the editor: without memory, the report may fail too."""
        told = error if str(error) else ExecPolicyError(repr(error))
        if self.failure is None and not isinstance(error, _NOT_OURS):
            self.failure = told
        super().report_server_error(told, source)

    def forget(self) -> None:
        """Discard all analyses: a changed text affects every file of its folder."""
        self._analyses.clear()

    def analysis(self, uri: str) -> Analysis:
        """The analysis of the open document ``uri``."""
        if uri not in self._analyses:
            texts = {_path(each): document.source for each, document in self.workspace.text_documents.items()}
            path = _path(uri)
            kept = self._kept.setdefault(os.path.dirname(path), Kept())
            self._analyses[uri] = Analysis(path, texts, kept)
        return self._analyses[uri]

    def offset(self, text: str, position: types.Position) -> int:
        """The offset of a client's position, clipped to its line."""
        start = 0
        for _ in range(position.line):
            newline = text.find("\n", start)
            if newline < 0:
                return len(text)
            start = newline + 1
        end = text.find("\n", start)
        line = text[start : len(text) if end < 0 else end]
        units = 0
        for index, char in enumerate(line):
            if units >= position.character:
                return start + index
            units += self.workspace.position_codec.client_num_units(char)
        return start + len(line)

    def range(self, source: Source, span: Span) -> types.Range:
        """A span in the client's units."""
        return types.Range(start=self._position(source, span.start), end=self._position(source, span.end))

    def _position(self, source: Source, offset: int) -> types.Position:
        line, column = source.position(offset)
        before = source.text[offset - column + 1 : offset]
        return types.Position(line=line - 1, character=self.workspace.position_codec.client_num_units(before))

    def diagnostic(self, found: Diagnostic) -> types.Diagnostic:
        """A finding as an LSP diagnostic."""
        source = found.source or Source(found.path, "")
        if found.span is not None:
            where = self.range(source, found.span)
        else:
            line = max(0, found.line - 1)
            where = types.Range(
                start=types.Position(line=line, character=0), end=types.Position(line=line + 1, character=0)
            )
        return types.Diagnostic(
            range=where,
            message=found.message if found.help is None else f"{found.message}\nhelp: {found.help}",
            severity=_SEVERITIES[found.severity],
            code=found.code,
            code_description=_page_of(found.code),
            related_information=[self._related(other) for other in found.related] or None,
            source="execpolicy",
            tags=[types.DiagnosticTag.Unnecessary] if found.code.startswith("EP2") else None,
        )

    def _related(self, other: Related) -> types.DiagnosticRelatedInformation:
        where = types.Location(from_fs_path(other.source.name) or "", self.range(other.source, other.span))
        return types.DiagnosticRelatedInformation(where, other.message)

    def publish_soon(self) -> None:
        """Publish after a short pause in typing: checking a large file between two keystrokes would delay both."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(_MOMENT, self._publish_or_report)

    def _publish_or_report(self) -> None:
        """Publish and report errors, which would otherwise be lost outside the handling of a message."""
        try:
            self.publish()
        except Exception as error:
            self.report_server_error(error, FeatureNotificationError)

    def publish(self) -> None:
        """Send the findings of every open document: files of a folder are checked together."""
        for uri, document in list(self.workspace.text_documents.items()):
            found = [self.diagnostic(each) for each in self.analysis(uri).findings]
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=document.version)
            )


def _page_of(code: str) -> types.CodeDescription | None:
    """The link to the page of a lint check; other codes have none."""
    path = page_of(code)
    return types.CodeDescription(from_fs_path(path) or "") if os.path.exists(path) else None


def _path(uri: str) -> str:
    """The file of ``uri``; an unsaved document is in the working directory."""
    return os.path.abspath(to_fs_path(uri) or os.path.basename(uri) or "untitled.rules")


def editing_server(history: RunCounts | None = None) -> RulesServer:
    """A server, not started, that finds, formats, fixes, shows and completes."""
    # A list of small handlers, all of them closures over one server.
    server = RulesServer(history)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def opened(ls: RulesServer, params: types.DidOpenTextDocumentParams | types.DidSaveTextDocumentParams) -> None:
        ls.forget()
        ls.publish()

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: RulesServer, params: types.DidChangeTextDocumentParams) -> None:
        ls.forget()
        ls.publish_soon()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: RulesServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.forget()
        ls.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=params.text_document.uri, diagnostics=[])
        )

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(ls: RulesServer, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        analysis = ls.analysis(params.text_document.uri)
        source = Source(analysis.path, analysis.text)
        try:
            text = format_source(source)
        except RuleFileError:
            return []  # its diagnostics are published already
        if text == source.text:
            return []
        return [types.TextEdit(range=ls.range(source, Span(0, len(source.text))), new_text=text)]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def on_hover(ls: RulesServer, params: types.HoverParams) -> types.Hover | None:
        analysis = ls.analysis(params.text_document.uri)
        found = hover(analysis, ls.offset(analysis.text, params.position), ls.history)
        if found is None:
            return None
        text, span = found
        contents = types.MarkupContent(kind=types.MarkupKind.Markdown, value=text)
        return types.Hover(contents=contents, range=ls.range(analysis.file.source, span))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: RulesServer, params: types.DefinitionParams) -> list[types.Location]:
        analysis = ls.analysis(params.text_document.uri)
        entries = analysis.entries_of(analysis.groups_at(ls.offset(analysis.text, params.position)))
        return [
            types.Location(
                uri=from_fs_path(other.file.source.name) or params.text_document.uri,
                range=ls.range(other.file.source, other.file.span_of_rule(other)),
            )
            for entry in entries
            for other in analysis.deciding(entry)
        ]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    def code_actions(ls: RulesServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        analysis = ls.analysis(params.text_document.uri)
        start = ls.offset(analysis.text, params.range.start)
        end = ls.offset(analysis.text, params.range.end)
        near = [
            found
            for found in analysis.findings
            if found.span is not None and found.span.start <= end and start <= found.span.end
        ]
        return [action for found in near if (action := _action(ls, params.text_document.uri, found)) is not None]

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=['"', "(", "=", ","]))
    def completion(ls: RulesServer, params: types.CompletionParams) -> list[types.CompletionItem]:
        text = ls.workspace.get_text_document(params.text_document.uri).source
        return [
            types.CompletionItem(
                label=offer.label, kind=_KINDS[offer.kind], detail=offer.detail or None, insert_text=offer.text
            )
            for offer in complete(text, ls.offset(text, params.position))
        ]

    return server


def _action(ls: RulesServer, uri: str, found: Diagnostic) -> types.CodeAction | None:
    fix = found.fix
    if fix is None or fix.applicability == "display" or found.source is None:
        return None
    source = found.source
    edits = [types.TextEdit(range=ls.range(source, edit.span), new_text=edit.text) for edit in fix.edits]
    safe = fix.applicability == "safe"
    return types.CodeAction(
        title=f"{found.code}: {fix.title}" + ("" if safe else " (may change a decision)"),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[ls.diagnostic(found)],
        edit=types.WorkspaceEdit(changes={uri: edits}),
        is_preferred=safe,
    )
