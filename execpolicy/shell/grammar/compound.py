"""Compound commands: groups, loops, conditions, functions."""

from __future__ import annotations

from execpolicy.shell.grammar.arithmetic import NotArithmetic, scan_arithmetic
from execpolicy.shell.grammar.elements import read_word
from execpolicy.shell.grammar.expansions import read_dollar
from execpolicy.shell.grammar.heredocs import skip_lines
from execpolicy.shell.grammar.quotes import read_backquote, read_double, read_single
from execpolicy.shell.grammar.reader import META, Reader
from execpolicy.shell.grammar.redirections import read_redirect, redirect_ahead
from execpolicy.shell.grammar.state import Draft, Pending
from execpolicy.shell.grammar.word_building import build_word, build_words
from execpolicy.shell.pieces import Piece, bare_text
from execpolicy.shell.script import ASSIGNMENT, REDEFINITION, Redirect
from execpolicy.shell.variables import NAME_PART, NAME_START, harmless_assignment, is_name
from execpolicy.shell.vocabulary import RESERVED


def read_body_in(reader: Reader, name: str, stop: tuple[str, ...], *, empty: bool = False) -> None:
    """Reads a list in the context ``name`` up to one of ``stop``."""
    outer = reader.context
    reader.context = outer + (name,)
    reader.hooks.read_list(reader, stop, empty=empty)
    reader.context = outer


def read_compound(reader: Reader, word: str) -> None:
    """Reads the compound command whose reserved word was just consumed, and its redirects."""
    reader.state.rich = True
    reader.state.compounds += 1
    first = len(reader.state.commands)
    reader.enter()
    if word == "if":
        found = "elif"
        while found == "elif":
            read_body_in(reader, "condition", ("then",))
            expect(reader, "then")
            read_body_in(reader, "condition", ("elif", "else", "fi"))
            found = expect(reader, "elif", "else", "fi")
        if found == "else":
            read_body_in(reader, "condition", ("fi",))
            expect(reader, "fi")
    elif word in ("while", "until"):
        read_body_in(reader, "loop", ("do",))
        _do_group(reader)
    elif word in ("for", "select"):
        _read_for(reader, word)
    elif word == "case":
        _read_case(reader)
    elif word == "{":
        read_body_in(reader, "group", ("}",))
        expect(reader, "}")
    elif word == "[[":
        read_conditional(reader)
    reader.leave()
    read_trailing_redirects(reader, first)


def body_blocks(reader: Reader) -> tuple[int, ...]:
    """The block numbers of the next list."""
    return reader.blocks + (reader.state.blocks + 1,)


def read_subshell(reader: Reader) -> None:
    """Reads ``( … )`` or ``(( … ))`` with the position on the first parenthesis."""
    state = reader.state
    state.rich = True
    state.compounds += 1
    opening = reader.pos
    first = len(state.commands)
    depth, uses, noted = state.depth, len(state.uses), len(state.effects)
    given = len(state.given)
    second = reader.after(opening + 1)
    if reader.char(second) == "(":
        try:
            reader.pos = second + 1
            reader.enter()
            scan_arithmetic(reader, "))", opening)
            reader.leave()
            reader.bash_only("((")
            if reader.pending and "\n" in reader.text[opening : reader.pos]:
                reader.fail("arithmetic over several lines between a here-document and its body")
            state.conditions.append(reader.span(opening, reader.pos))
            read_trailing_redirects(reader, first)
            return
        except NotArithmetic:
            state.depth = depth
            del state.commands[first:], state.uses[uses:], state.effects[noted:]
            del state.given[given:]
    heredocs = state.heredocs
    reader.pos = opening + 1
    reader.enter()
    read_body_in(reader, "subshell", (")",))
    reader.leave()
    if reader.char(second) == "(" and state.heredocs > heredocs:
        # bash first reads the text as arithmetic, and then reads the lines of the body as commands.
        state.mark_ambiguous("a here-document behind `((`")
    if reader.char(reader.pos) != ")":
        reader.fail("`)` is missing")
    reader.pos += 1
    read_trailing_redirects(reader, first)


def read_trailing_redirects(reader: Reader, first: int) -> None:
    """Reads the redirects of the compound command whose commands begin at index ``first``."""
    redirects: list[Redirect | Pending] = []
    start = -1
    inside = range(first, len(reader.state.commands))
    index = -1
    while True:
        char = reader.skip_blanks()
        if not char or not redirect_ahead(reader):
            break
        if start < 0:
            start = reader.pos
            index = reader.state.reserve(start)
        redirects.append(read_redirect(reader))
        last = reader.pos
    if redirects:
        draft = reader.state.commands[index] = Draft(reader.span(start, last), reader.context, [], [], redirects)
        if any(each.operator[:1] in (">", "&") and each.fd in (None, "1") for each in redirects):
            draft.read_from(tuple(inside))
        for redirect in redirects:
            if redirect.operator.startswith("<<") and redirect.fd in (None, "0"):
                reader.state.fed.append((inside, redirect))


def _do_group(reader: Reader, name: str = "loop") -> None:
    expect(reader, "do")
    read_body_in(reader, name, ("done",))
    expect(reader, "done")


def _name(reader: Reader) -> str:
    reader.skip_blanks()
    start = reader.pos
    while reader.pos < reader.end and reader.text[reader.pos] in NAME_PART:
        reader.pos += 1
    name = reader.text[start : reader.pos]
    if not name or name[0] not in NAME_START or (reader.pos < reader.end and reader.text[reader.pos] not in META):
        reader.fail("unusual name of a loop variable", start)
    return name


def _loop_variable(reader: Reader, name: str, position: int) -> None:
    """Records that a loop assigns to its variable: `for PATH in ./bin; do ls; done`."""
    if not harmless_assignment(name, None, exported=False, shell=reader.state.shell):
        reader.state.effect(ASSIGNMENT, reader.span(position, reader.pos), f"a loop gives `{name}` its values")


def _read_for(reader: Reader, word: str) -> None:
    if word == "select":
        reader.bash_only("select")
    if reader.skip_blanks() == "(" and word == "for":
        _read_arithmetic_for(reader)
        return
    position = reader.pos
    name = _name(reader)
    _loop_variable(reader, name, position)
    skip_lines(reader)
    reserved, end = peek_reserved(reader)
    values: list[tuple[Piece, ...]] = []
    if reserved == "in":
        reader.pos = end
        while True:
            char = reader.skip_blanks()
            if not char or (char in META and not (char in "<>" and reader.char(reader.pos + 1) == "(")):
                break
            start = reader.pos
            pieces = read_word(reader)
            if not pieces:
                reader.fail("an empty word", start)
            build_words(reader, pieces, start)
            values.append(tuple(pieces))
        if char == ";":
            reader.pos += 1
        elif char != "\n":
            reader.fail("unusual end of a list of words")
    else:
        reader.pos += reader.char(reader.pos) == ";"
        values.append((Piece("variable", None, True, name="@", many=True),))
    if word == "select":
        values.append((Piece("literal", "", True),))  # for input that is not a choice
    where = reader.where(position)
    reader.state.give(name, tuple(values), where, body_blocks(reader), array=True, loop=True)
    _do_group(reader, "loop" if word == "for" else "select")


def _read_arithmetic_for(reader: Reader) -> None:
    reader.bash_only("for ((")
    opening = reader.pos
    if reader.char(opening + 1) != "(":
        reader.fail("unusual `for`")
    close = reader.text.find("))", opening)
    written = reader.text[opening + 2 : close] if close > 0 else ""
    inside = _with_lengths(written)
    if inside != written:
        reader.state.may_fail()  # the length of an unset variable under `set -u`
    if close < 0 or inside.count(";") != 2 or any(char in inside for char in "$`'\"\\(){}[]#\n"):
        reader.fail("unusual `for ((`")
    for used in "".join([char if char in NAME_PART else " " for char in inside]).split():
        if used[0] in NAME_START:
            _loop_variable(reader, used, opening)
    first, _, _ = inside.partition(";")
    name, equals, value = first.partition("=")
    name, value = name.strip(" "), value.strip(" ")
    if equals and value.isascii() and value.isdigit() and name.isidentifier() and name.isascii():
        first_value = ((Piece("literal", value, False),),)
        reader.state.give(name, first_value, reader.where(opening), body_blocks(reader), number=True)
    outer = reader.context
    reader.context = outer + ("loop",)
    blocks, reader.blocks = reader.blocks, body_blocks(reader)
    text, offset = reader.text, opening + 2
    for part in inside.split(";"):
        reader.pos = offset
        end = reader.end
        reader.text = text[:offset] + part + "}"
        reader.end = offset + len(part) + 1
        if part is not first or not (equals and value.isdigit()):
            scan_arithmetic(reader, "}", offset)
        reader.text, reader.end = text, end
        offset += len(part) + 1
    reader.context, reader.blocks = outer, blocks
    reader.pos = close + 2
    if reader.skip_blanks() == ";":
        reader.pos += 1
    _do_group(reader)


def _with_lengths(text: str) -> str:
    """``text`` with a number of the same length for each length of a variable or array: ``${#a[@]}``."""
    at = text.find("${#")
    while at >= 0:
        close = text.find("}", at)
        name = text[at + 3 : close].removesuffix("[@]").removesuffix("[*]")
        if close > 0 and is_name(name):
            text = text[:at] + "1".ljust(close + 1 - at) + text[close + 1 :]
        at = text.find("${#", at + 1)
    return text


def _read_case(reader: Reader) -> None:
    reader.skip_blanks()
    start = reader.pos
    if reader.char(start) in META or start >= reader.end:
        reader.fail("unusual `case`")
    build_word(reader, read_word(reader), start, split=False, glob=False)
    expect(reader, "in")
    while True:
        skip_lines(reader)
        word, end = peek_reserved(reader)
        if word == "esac":
            reader.pos = end
            return
        if reader.char(reader.pos) == "(":
            reader.pos += 1
        while True:
            char = reader.skip_blanks()
            if not char or char in META:
                reader.fail("unusual pattern in `case`")
            _read_pattern(reader)
            char = reader.skip_blanks()
            if char == "|":
                reader.pos += 1
                continue
            if char != ")":
                reader.fail("unusual pattern in `case`")
            reader.pos += 1
            break
        read_body_in(reader, "case", (";;", "esac"), empty=True)
        reader.skip_blanks()
        if reader.char(reader.pos) == ";":
            reader.pos = reader.after(reader.pos + 1)
            follower = reader.char(reader.pos)
            if follower == "&":
                reader.bash_only(";&")
                reader.pos += 1
            elif follower == ";":
                reader.pos += 1
                if reader.char(reader.after(reader.pos)) == "&":
                    reader.bash_only(";;&")
                    reader.pos = reader.after(reader.pos) + 1
            else:
                reader.fail("unusual end of a `case` branch")


def _read_pattern(reader: Reader) -> None:
    """Reads one pattern of ``case``. If extended patterns are disabled, ``@(a|b)`` is an error, and nothing runs."""
    while True:
        start = reader.pos
        build_word(reader, read_word(reader), start, split=False)
        text, opening = reader.text, reader.pos
        if reader.char(opening) != "(" or opening == start or text[opening - 1] not in "@+*?!":
            return
        depth, at = 0, opening
        while at < reader.end:
            if text[at] in "$`'\"\\\n;&<>{}":
                reader.fail("unusual pattern in `case`")
            depth += (text[at] == "(") - (text[at] == ")")
            at += 1
            if not depth:
                break
        reader.bash_only("extended patterns")
        reader.pos = at
        if depth or reader.char(at) in ("", " ", "\t", "\n", "|", ")"):
            return


def read_function(reader: Reader, name: str, start: int) -> None:
    """Reads the body of a function; the position is after its name and parentheses."""
    skip_lines(reader)
    state = reader.state
    state.rich = True
    state.functions.add(name)
    state.effect(REDEFINITION, reader.span(start, reader.pos), name)
    state.give(name + "()", (), reader.where(start), reader.blocks)
    outer = reader.context
    reader.context = outer + (f"function:{name}",)
    word, end = peek_reserved(reader)
    if reader.char(reader.pos) == "(":
        read_subshell(reader)
    elif word in COMPOUND and word != "function":
        reader.pos = end
        read_compound(reader, word)
    else:
        reader.fail("unusual function body")
    reader.context = outer


def read_function_keyword(reader: Reader, start: int) -> None:
    """Reads a function; the position is after ``function``."""
    reader.bash_only("function")
    reader.skip_blanks()
    begin = reader.pos
    if reader.char(begin) in META:
        reader.fail("unusual function")
    name = bare_text(read_word(reader))
    if name is None or any(char in name for char in "{}[]*?~="):
        reader.fail("unusual function name", begin)
    if reader.skip_blanks() == "(":
        reader.pos += 1
        if reader.skip_blanks() != ")":
            reader.pos -= 1
            reader.fail("unusual function")
        reader.pos += 1
    read_function(reader, name, start)


_NUMERIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_BINARY = frozenset(("=", "==", "!=", "=~", "-nt", "-ot", "-ef")) | _NUMERIC
_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")


def read_conditional(reader: Reader) -> None:
    """Reads a condition from after ``[[`` up to and including ``]]``."""
    reader.bash_only("[[")
    opening = max(0, reader.pos - 2)
    reader.state.rich = True
    reader.enter()
    if reader.pending:
        reader.fail("[[ between a here-document and its body")
    _read_or(reader)
    reader.leave()
    start = reader.pos
    if bare_text(_operand(reader, plain=True)) != "]]":
        reader.fail("[[ without ]]", start)
    reader.state.conditions.append(reader.span(opening, reader.pos))


def _read_or(reader: Reader) -> None:
    while True:
        _read_term(reader)
        skip_lines(reader)
        if not (reader.text.startswith("&&", reader.pos) or reader.text.startswith("||", reader.pos)):
            return
        reader.pos += 2


def _read_term(reader: Reader) -> None:
    char = skip_lines(reader)
    if char == "(":
        reader.enter()
        reader.pos += 1
        _read_or(reader)
        if skip_lines(reader) != ")":
            reader.fail("unbalanced parenthesis in [[ ]]")
        reader.pos += 1
        reader.leave()
        return
    start = reader.pos
    first = _operand(reader, plain=True)
    word = bare_text(first)
    if word == "!":
        reader.enter()
        _read_term(reader)
        reader.leave()
        return
    if word == "]]" or not first:
        reader.fail("unusual [[ ]]", start)
    char = skip_lines(reader)
    ahead = _peek_word(reader)
    if word in _UNARY and ahead not in _BINARY and ahead != "]]" and char not in "&|)<>":
        operand = _operand(reader, plain=True)
        if word == "-v" or word == "-R":
            _variable_test(reader, operand, start)
        elif word == "-t" and reader.state.shell in ("zsh", "ksh"):  # zsh 5.9 evaluates `psvar[$(cmd)]`
            _number(reader, operand, start)
        return
    if char and char in "<>":
        reader.pos += 1
        skip_lines(reader)
        _operand(reader, plain=True)
        return
    if ahead not in _BINARY:
        return
    reader.pos += len(ahead)
    if reader.skip_blanks() in ("\n", ""):
        reader.fail("unusual [[ ]]", start)
    if ahead == "=~":
        _regex(reader)
        return
    second = _operand(reader, plain=ahead in _NUMERIC)
    if ahead in _NUMERIC:
        _number(reader, first, start)
        _number(reader, second, start)


def _peek_word(reader: Reader) -> str:
    """The raw characters up to the next blank or metacharacter (``<`` and ``>`` are operators of their own)."""
    at = reader.pos
    while at < reader.end and reader.text[at] not in META:
        at += 1
    return reader.text[reader.pos : at]


def _operand(reader: Reader, *, plain: bool) -> list[Piece]:
    """Reads a word; unless ``plain``, a pattern with ``@(…)`` parts is valid too."""
    char = skip_lines(reader)
    if not char or (char in META and not (char in "<>" and reader.char(reader.pos + 1) == "(")):
        reader.fail("a word is missing in [[ ]]")
    pieces = read_word(reader)
    while reader.char(reader.pos) == "(":
        if plain or reader.text[reader.pos - 1] not in "?*+@!":
            reader.fail("unexpected `(` in [[ ]]")
        _parenthesised(reader)
        if reader.char(reader.pos) not in META:
            pieces += read_word(reader)
        pieces.append(Piece("mixed", None, True))
    return pieces


def _parenthesised(reader: Reader) -> None:
    """Reads a balanced ``(…)`` of a pattern or regular expression."""
    opening = reader.pos
    depth = 0
    while reader.pos < reader.end:
        char = reader.text[reader.pos]
        if char == "(":
            depth += 1
            reader.pos += 1
        elif char == ")":
            depth -= 1
            reader.pos += 1
            if depth == 0:
                return
        elif char == "\\":
            reader.pos += 2
        elif char == "'":
            read_single(reader)
        elif char == '"':
            read_double(reader)
        elif char == "$":
            read_dollar(reader, "bare")
        elif char == "`":
            read_backquote(reader, "bare")
        elif char in "<>;&\n#":
            reader.fail("unusual character in a pattern of [[ ]]")
        else:
            reader.pos += 1
    reader.fail("unbalanced parenthesis in [[ ]]", opening)


def _regex(reader: Reader) -> None:
    """Reads the right side of ``=~``: parentheses and ``|`` are part of the word."""
    if reader.char(reader.pos) == "#":
        reader.fail("unusual regular expression in [[ ]]")
    while (char := reader.char(reader.pos)) not in ("", " ", "\t", "\n"):
        if char == "(":
            _parenthesised(reader)
        elif char == "|":
            reader.pos += 1
        elif char in "<>;&)" or not read_word(reader):
            reader.fail("unusual regular expression in [[ ]]")


def _number(reader: Reader, pieces: list[Piece], start: int) -> None:
    """Records an operand of ``-eq`` and similar operators, which bash evaluates as arithmetic."""
    reader.state.may_fail()
    names: set[str] = set()
    inner: list[int] = []
    unknown = False
    for piece in pieces:
        if piece.kind == "literal":
            text = piece.text or ""
            unknown = unknown or not all(char in "0123456789+- " for char in text)
        elif piece.kind == "substitution":
            inner.extend(piece.inner)
        elif piece.kind == "variable" and not piece.number:
            simple = not piece.operator and piece.subscript is None and piece.name[0] in NAME_START
            unknown = unknown or not simple
            names.add(piece.name)
        elif piece.kind not in ("arithmetic", "variable"):
            unknown = True
    if len(pieces) == 1 and pieces[0].kind == "literal" and is_name(pieces[0].text or ""):
        names.add(pieces[0].text or "")
        unknown = False
    _note_text(reader, pieces, start)
    if names or inner or unknown:
        reader.use(start, names, inner, unknown=unknown)


def _variable_test(reader: Reader, pieces: list[Piece], start: int) -> None:
    """Records the operand of ``-v``: ``-v a[$(c)]`` evaluates the subscript."""
    if len(pieces) == 1 and pieces[0].kind == "literal" and is_name(pieces[0].text or ""):
        return
    _note_text(reader, pieces, start)
    reader.use(start)


def _note_text(reader: Reader, pieces: list[Piece], start: int) -> None:
    """Records text that is evaluated however it is quoted: ``a['$(c)']`` and ``a[\\$\\(c\\)]`` contain a command."""
    text = "".join([piece.source or piece.text or "" for piece in pieces])
    reader.state.texts.append((text, reader.span(start, reader.pos)))


COMPOUND = frozenset(("if", "while", "until", "for", "select", "case", "{", "[[", "function"))

CLOSING = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}", "]]", "in"))

_ENDED = dict.fromkeys(map(ord, META), " ")

_LONGEST = 1 + max(map(len, RESERVED))


def peek_reserved(reader: Reader) -> tuple[str, int]:
    """The reserved word at the position and its end; ``""`` for any other word."""
    text, end = reader.text, reader.end
    pos = reader.pos
    char = text[pos] if pos < end else ""
    if not ("a" <= char <= "z" or (char and char in "{}[]!\\")):
        return "", pos
    word = text[pos : min(pos + _LONGEST, end)].translate(_ENDED).partition(" ")[0]
    if "\\" not in word:
        return (word, pos + len(word)) if word in RESERVED else ("", pos)
    chars: list[str] = []
    while pos < end and len(chars) < _LONGEST:
        char = text[pos]
        if char in META:
            break
        if char == "\\":
            if text[pos + 1 : pos + 2] != "\n":
                return "", pos
            pos += 2
            reader.state.rich = True
            continue
        chars.append(char)
        pos += 1
    word = "".join(chars)
    return (word, pos) if word in RESERVED else ("", pos)


def expect(reader: Reader, *wanted: str) -> str:
    """Reads one of the reserved words ``wanted``; any other word makes the script opaque."""
    skip_lines(reader)
    word, end = peek_reserved(reader)
    if word not in wanted:
        reader.fail(f"`{wanted[0]}` is missing")
    reader.pos = end
    return word
