"""The features of the language server that lead through a rule file: outline, uses, rename, hints, folds, colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import from_fs_path

from execpolicy.cli.lsp.hover import RunCounts
from execpolicy.cli.lsp.outline import (
    COLOURS,
    OutlineEntry,
    colours,
    folds,
    hints,
    name_at,
    outline,
    piece_around,
    renamed,
    uses_of,
)
from execpolicy.cli.lsp.server import RulesServer, editing_server
from execpolicy.errors import RuleFileError
from execpolicy.formatting.format import format_source
from execpolicy.lint.project import RuleFile
from execpolicy.source import Source, Span

_KINDS = {"": types.SymbolKind.Function, "host_executable": types.SymbolKind.File}


def symbols(ls: RulesServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """The outline of the file."""
    file = ls.analysis(params.text_document.uri).file
    return [
        types.DocumentSymbol(entry.label, _kind(entry), where, where, entry.detail or None)
        for entry in outline(file)
        for where in [ls.range(file.source, entry.span)]
    ]


def search(ls: RulesServer, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """The calls in the folders of the open files whose first words contain the query."""
    files = {file.path: file for uri in ls.workspace.text_documents for file in ls.analysis(uri).project.files}
    return [
        types.WorkspaceSymbol(_location(ls, file, entry.span), entry.label, _kind(entry), container_name=entry.detail)
        for file in files.values()
        for entry in outline(file)
        if params.query.lower() in entry.label.lower()
    ]


def references(ls: RulesServer, params: types.ReferenceParams) -> list[types.Location]:
    """The uses of a name, or the rules for the same program."""
    analysis = ls.analysis(params.text_document.uri)
    offset = ls.offset(analysis.text, params.position)
    tree = analysis.file.tree
    name = name_at(tree, offset) if tree is not None else None
    if tree is not None and name is not None:
        return [_location(ls, analysis.file, span) for span in uses_of(tree, name.text)]
    programs = {entry.rule.pattern.first for entry in analysis.entries_of(analysis.groups_at(offset))}
    return [
        _location(ls, entry.file, entry.file.span_of_rule(entry))
        for entry in analysis.project.entries
        if entry.rule.pattern.first in programs
    ]


def can_rename(ls: RulesServer, params: types.PrepareRenameParams) -> types.Range | None:
    """The name that a rename would change."""
    analysis = ls.analysis(params.text_document.uri)
    tree = analysis.file.tree
    name = name_at(tree, ls.offset(analysis.text, params.position)) if tree is not None else None
    return None if name is None else ls.range(analysis.file.source, Span(name.start, name.end))


def rename(ls: RulesServer, params: types.RenameParams) -> types.WorkspaceEdit:
    """The edits that rename a variable or function."""
    analysis = ls.analysis(params.text_document.uri)
    tree = analysis.file.tree
    name = name_at(tree, ls.offset(analysis.text, params.position)) if tree is not None else None
    if tree is None or name is None:
        raise JsonRpcInvalidParams("there is no variable or function here")
    spans = renamed(tree, name.text, params.new_name)
    if spans is None:
        raise JsonRpcInvalidParams(
            f"`{params.new_name}` cannot replace `{name.text}`: it is no free name, or the rules would change"
        )
    edits = [types.TextEdit(ls.range(tree.source, span), params.new_name) for span in spans]
    return types.WorkspaceEdit(changes={params.text_document.uri: edits})


def inlay_hints(ls: RulesServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    """The hints in a range."""
    analysis = ls.analysis(params.text_document.uri)
    first = ls.offset(analysis.text, params.range.start)
    last = ls.offset(analysis.text, params.range.end)
    return [
        types.InlayHint(ls.range(analysis.file.source, Span(at, at)).start, text, padding_left=True)
        for at, text in hints(analysis.file)
        if first <= at <= last
    ]


def folding(ls: RulesServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Long statements and blocks of comments."""
    tree = ls.analysis(params.text_document.uri).file.tree
    found = folds(tree) if tree is not None else ()
    return [types.FoldingRange(first - 1, last - 1, kind=types.FoldingRangeKind(kind)) for first, last, kind in found]


def coloured(ls: RulesServer, params: types.SemanticTokensParams) -> types.SemanticTokens:
    """All coloured tokens, encoded as the protocol says: each relative to the one before."""
    tree = ls.analysis(params.text_document.uri).file.tree
    data: list[int] = []
    line = character = 0
    for span, colour in colours(tree) if tree is not None else ():
        where = ls.range(tree.source, span) if tree is not None else None
        assert where is not None
        if where.start.line != line:
            character = 0
        length = where.end.character - where.start.character
        data += [where.start.line - line, where.start.character - character, length, COLOURS.index(colour), 0]
        line, character = where.start.line, where.start.character
    return types.SemanticTokens(data)


def format_lines(ls: RulesServer, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    """The edit that formats the statements that a range touches."""
    file = ls.analysis(params.text_document.uri).file
    lines = params.range.start.line + 1, params.range.end.line + (params.range.end.character > 0)
    piece = piece_around(file.tree, *lines) if file.tree is not None else None
    if piece is None:
        return []
    text = file.source.text[piece.start : piece.end]
    try:
        better = format_source(Source(file.source.name, text + "\n")).rstrip("\n")
    except RuleFileError:
        return []  # a piece that means something only with the rest
    return [] if better == text else [types.TextEdit(ls.range(file.source, piece), better)]


def _kind(entry: OutlineEntry) -> types.SymbolKind:
    return _KINDS.get(entry.detail, types.SymbolKind.Constant)


def _location(ls: RulesServer, file: RuleFile, span: Span) -> types.Location:
    return types.Location(from_fs_path(file.path or file.source.name) or "", ls.range(file.source, span))


_FEATURES: dict[str, tuple[Callable[[RulesServer, Any], Any], Any]] = {
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (symbols, None),
    types.WORKSPACE_SYMBOL: (search, None),
    types.TEXT_DOCUMENT_REFERENCES: (references, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (can_rename, None),
    types.TEXT_DOCUMENT_RENAME: (rename, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_INLAY_HINT: (inlay_hints, None),
    types.TEXT_DOCUMENT_FOLDING_RANGE: (folding, None),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (coloured, types.SemanticTokensLegend(list(COLOURS), [])),
    types.TEXT_DOCUMENT_RANGE_FORMATTING: (format_lines, None),
}


def create_server(history: RunCounts | None = None) -> RulesServer:
    """A server with all features, not started."""
    server = editing_server(history)
    for method, (handler, options) in _FEATURES.items():
        server.feature(method, options)(handler)
    return server
