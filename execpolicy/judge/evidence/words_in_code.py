"""The words that a program text says or makes of its constants: parts, other letters, numbers, variables.

``[string range armx 1 2]`` is ``rm``, ``"gXit".replace("X", "")`` is ``git``. What functions of texts do to
constants is worked out in every way that some language has; who looks for a word finds it, and others that nobody
means. It is evidence for restricting.
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from itertools import pairwise, zip_longest

from execpolicy.flow.substitutions import Changes
from execpolicy.programs.decoding import decoded, mixed, of_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9+-]*(?:\.[A-Za-z0-9+-]+)*")
_LETTERS = re.compile(r"(?<!\w)\w(?:[\s,'\"]+\w(?!\w))+")
"""Letters one by one: ``join {g i t} {}``."""
_NUMBERS = re.compile(r"(?<!\w)\d{2,3}(?:[\s,]+\d{2,3}(?!\w))+")
_SET = re.compile(r"(?:\bset\s{0,9}\(?\s{0,9}|\b)(\w+)[ \t:=]+[\"'{]?([\w./-]+)")
"""What gives a variable of such a language a value: ``set(c git)``, ``c = git``, ``set c git``."""
_ARRAY = re.compile(r"\barray\s+set\s+(\w+)\s+\{([^}]{0,400})\}")
_MOST = 64
"""Variables, constants and words that are worked with."""
_LONGEST = 20_000
"""Characters of a text in which functions of texts are followed."""
_CONSTANT = re.compile(r"\"((?:[^\"\\\n]|\\.){0,200})\"|'((?:[^'\\\n]|\\.){0,200})'")
_CUTTING = r"(?:range|replace|sub\w{0,9}|slice|mid|left|right)"
_PART_OF = (
    re.compile(rf"(?i){_CUTTING}\W{{1,3}}([\w.-]{{2,40}})\W{{1,4}}(-?\d{{1,3}})(?:\W{{1,3}}(-?\d{{1,3}}))?"),
    re.compile(rf"(?i){_CUTTING}\W{{1,3}}([\w. -]{{2,40}})[\"']\W{{1,3}}(-?\d{{1,3}})(?:\W{{1,3}}(-?\d{{1,3}}))?"),
    re.compile(rf"(?i)[\"']([\w. -]{{2,40}})[\"']\W{{1,2}}{_CUTTING}\W{{1,2}}(-?\d{{1,3}})(?:\W{{1,3}}(-?\d{{1,3}}))?"),
    re.compile(r"[\"']([\w. -]{2,40})[\"']\s?\[\s?(-?\d{0,3})\s?(?:[:,]|\.\.)\s?(-?\d{0,3})(?::\d{0,3})?\]"),
)
"""``substr("digital", 2, 3)``, ``string range armx 1 2``, ``"armx".slice(1)``, ``"armx"[1:3]``."""
_REMOVING = re.compile(
    r"(?i)replace|\bmap\b|\b(?:g|reg)?sub\b|\bFS\b|\bRS\b|substitute|translate|\bdelete|\btr\b|remove|split|strip|trim|subst\b|\bs[/|#,]|\$\{.{0,40}?[/#%]"
)
_JOINING = re.compile(r"(?i)concat|join|append|strcat|string cat|<<|\+=")
_GIVING = re.compile(r"(?:\[\s?(?:set\s+\w+|format\s+%s|subst|concat|return|list)|\$\((?:printf|echo))\s+(\w+)\s?[\])]")
"""Ways of Tcl and of shells to say a word: ``g[set x i]t``, ``$(printf gi)t``."""
_HEX = re.compile(r"\b(?:[0-9a-fA-F]{2}){2,100}\b")
_SUBSTITUTED = re.compile(r"\bs([/|#,])(\w{1,8})\1(\w{0,8})\1")
_ALONE = re.compile(r"(?<!\w)(\w{1,3})(?!\w)|[\"'{/](\W)[\"'}/]")
"""What may be what is removed: a short word, or a mark."""
_SHORTEST = 6
"""Letters of an encoded text that says something."""
_LONGEST_CONSTANT = 400
"""Characters of constants that are put together."""
_TURNED = 40
"""Characters of a constant of which each is turned into another."""
_MOST_REMOVED = 12
_REPLACED = 6
"""Of these so many are tried as what stands there then."""
_BETWEEN = re.compile(r"[\s.+&|~<>*x0-9]*")
"""What stands between constants that are put together: ``"pu" x 1 . "sh"``."""
_OVERWRITING = re.compile(
    r"(?i)sub\w*\s?\(|string replace|index|strtonum|\bvec\b|\bunpack|\[\s?0\s?\]\s*=|getc|\bcat\b|format|repeat"
    r"|strpart|nr2char|insert|\bchr\b|sprintf"
)
"""What takes letters away at the front of texts, or puts others there."""
_MOST_LINES = 24
_PLAIN = re.compile(r"(?<!\S)\w{3,20}(?!\S)")
"""Words without quotes, as Tcl has them."""
_TURNING = re.compile(r"(?i)\btr\b|\by/|rot|\bord\b|\bchr\b|charcode|translate|ascii|codepoint")
_NAMED = re.compile(r"\\N\{LATIN (SMALL|CAPITAL) LETTER ([A-Z])\}")
_SPELT = re.compile(r"\\(?:N\{)?[xuU]\+?\{?0{0,4}([4-7][0-9a-fA-F])\}?|(?:#\{a:|\$\{\(#\):-)(\d{2,3})\}|\\([01]\d{2})")
"""Letters by their numbers: ``\\x{69}``, ``\\N{U+67}``, tmux's ``#{a:103}``, zsh's ``${(#):-103}``, ``\\147``."""
_VERSIONS = re.compile(r"\bv(\d{2,3}(?:\.\d{2,3}){1,40})")
"""Perl's ``v103.105.116``."""
_STEPS = re.compile(r"[\"']([\w. -]{2,80})[\"']\[\d?:?:(\d)\]")
_INDICES = re.compile(r"(?<!\w)\d{1,2}(?:[\s,]+\d{1,2}(?!\w))+")
_LETTERED = re.compile(r"[a-zA-Z][a-zA-Z ]{2,60}")
"""Constants of which indices may pick letters: ``(split//,"gpiuts h")[0,2,4]``."""
_BARE = re.compile(r"(?<![\w+/=\"'])[\w+/-]{8,}={0,2}(?![\w+/=\"'])")
"""Words without quotes that may be encoded, as Tcl and the input have them."""
_KEYS = re.compile(r"(?i)(?:\^|\bxor\b)[\s(,]*(0x[0-9a-f]{1,2}|[1-9]\d{0,2})\b")
"""What letters are XORed with."""
_LARGE = re.compile(r"(?i)(?<![\w.])(?:0x[0-9a-f]{8,400}|[1-9]\d{9,900})(?![\w.])n?")
"""Numbers that may be the bytes of a text."""
_WITHOUT_MEANING = re.compile(r"\\[LUQE](?=[A-Za-z]|\W)")
"""How Perl has the letters of a text made small or large."""
_PRINTABLE = re.compile(r"=([0-7][0-9A-F])")
"""Letters as mails have them: ``=20``."""
_LITERAL = re.compile(r"#\{l:([^}]*)\}|[$#]\{[\"'](\w*)[\"']\}")


def words_in_code(text: str) -> set[str]:
    """The words of ``text`` in small letters, with those that letters and numbers make, and backwards."""
    made = [re.sub(r"[\s,'\"]+", "", found) for found in _LETTERS.findall(text)]
    made += ["".join([chr(int(each)) for each in re.findall(r"\d+", found)]) for found in _NUMBERS.findall(text)]
    plain = " ".join([text.replace("_", " "), *made]).lower()
    said = {part.strip("-") for word in _WORD.findall(plain) for part in (word, *word.split("."))}
    return said | {word[::-1] for word in said}


def with_made_words(text: str) -> str:
    """``text``, and behind it, between quotes, what its functions of texts may make of its constants."""
    text = text.replace("(V", "( ").replace("(S'", "('")  # pickles
    text = _WITHOUT_MEANING.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if len(text) > _LONGEST:
        return text
    text = _spelt(text)
    made = dict.fromkeys(
        (
            *(*_parts(text), *_joined(text), *_removed(text), *_turned(text), *_other(text), *_put(text)),
            *(*_found(text), *_overwritten(text)),
        )
    )
    return "\n".join([text, *[f'"{each}"' for each in made if len(each) > 1]])


def _spelt(text: str) -> str:
    """``text`` with the letters that it says by number or name, behind it as it is."""
    if not any(mark in text for mark in "\\#$"):
        return text
    plain = _LITERAL.sub(lambda found: found[1] or found[2] or "", text)
    plain = _NAMED.sub(lambda found: found[2].lower() if found[1] == "SMALL" else found[2], plain)
    first = _SPELT.sub(lambda found: _letter(found, octal=True), plain)
    return "\n".join(dict.fromkeys((text, first, _SPELT.sub(lambda found: _letter(found, octal=False), plain))))


def _letter(found: re.Match[str], *, octal: bool) -> str:
    by_sixteen, decimal, other = found.groups()
    if by_sixteen:
        return chr(int(by_sixteen, 16))
    return chr(int(other, 8) if other and octal and max(other) < "8" else int(decimal or other))


def _parts(text: str) -> Iterator[str]:
    """The parts that ``text`` takes of constants, counted from 0 and from 1, up to an end and for a length."""
    for whole, first, last in [found for part in _PART_OF for found in part.findall(text)[:_MOST]]:
        start, end = (int(each) if each and each != "-" else None for each in (first, last))
        for at in (start or 0, (start or 1) - 1):
            yield whole[at:]
            if end is not None:
                yield from (whole[at:end], whole[at : end + 1], whole[at : at + end], whole[:at] + whole[end + 1 :])
    for whole, step in _STEPS.findall(text)[:_MOST]:
        yield whole[:: int(step) or 1]
    for listed in _INDICES.findall(text)[:_REPLACED]:
        indices = [int(each) for each in re.findall(r"\d+", listed)[:_TURNED]]
        for whole in [each for each in _LETTERED.findall(text)[:_MOST] if len(each) > max(indices)]:
            yield "".join([whole[at] for at in indices])


def _joined(text: str) -> Iterator[str]:
    """Constants that are put together, and formats with what follows them in their places."""
    found = list(_CONSTANT.finditer(text))[:_MOST]
    together, end = "", -1
    for at, match in enumerate(found):
        constant = match[1] or match[2] or ""
        if end >= 0 and _BETWEEN.fullmatch(text, end, match.start()):
            together = (together + constant)[-_LONGEST_CONSTANT:]
            yield together
        else:
            together = constant
        end = match.end()
        if at and "zip" in text:
            before = found[at - 1][1] or found[at - 1][2] or ""
            yield "".join([one + other for one, other in zip_longest(before, constant, fillvalue="")])
        if "%" in constant:
            behind = re.findall(r"\w+", text[match.end() : match.end() + _MOST])[:4]
            numbers = [chr(int(each)) if each.isdecimal() and 31 < int(each) < 127 else each for each in behind]
            yield from (_filled(constant, behind), _filled(constant, numbers))


def _filled(form: str, given: list[str]) -> str:
    left = iter(given)
    return re.sub(r"%-?\d{0,3}[a-z]", lambda found: next(left, found[0]), form)


def _removed(text: str) -> Iterator[str]:
    """Words without what ``text`` names alone, or parted by it, where something removes or replaces some."""
    if _REMOVING.search(text) is None:
        return
    for _, old, new in _SUBSTITUTED.findall(text):
        yield from [word.replace(old, new) for word in text.split() if old in word][:_MOST]
    numbers = re.findall(r"\b\d{2,3}(?=\s?:)|(?<=:)\s?\d{2,3}\b", text) if "translate" in text else []
    alone = [*[chr(int(each)) for each in numbers], *[one or other for one, other in _ALONE.findall(text)]]
    removed = sorted(dict.fromkeys(alone), key=len)[:_MOST_REMOVED]
    for word in list(dict.fromkeys(re.findall(r"[^\s\"'(){},;]{2,24}", text)))[:_MOST]:
        yield word.translate(dict.fromkeys([ord(each) for each in removed if len(each) == 1], " "))
        for each in removed:
            if each in word and each != word:
                yield from [word.replace(each, other) for other in ("", " ", *removed[:_REPLACED]) if other != each]


def _turned(text: str) -> Iterator[str]:
    """Constants with each letter moved on in the alphabet, where something turns letters into others."""
    if _TURNING.search(text) is None:
        return
    for constant in [(one or other)[:_TURNED] for one, other in _CONSTANT.findall(text)[:_MOST]]:
        for by in range(1, 26):
            yield "".join([_moved(each, by) for each in constant])
        if constant.isascii():
            yield from ["".join([chr(max(32, ord(each) + by)) for each in constant]) for by in (-2, -1, 1, 2)]


def _found(text: str) -> Iterator[str]:
    """What patterns and edits in ``text`` make of its constants and lines."""
    lines = [line for line in text.split("\n") if line.strip()][:_MOST_LINES]
    constants = dict.fromkeys([one or other for one, other in _CONSTANT.findall(text)[:_MOST_LINES]] + lines)
    constants |= dict.fromkeys(_PLAIN.findall(text)[:_MOST_LINES])
    changes = Changes(lines)
    for one in constants if changes.edits or changes.patterns or changes.widths else ():
        if len(one) <= _LONGEST_CONSTANT:
            yield from [part for part in changes.matched(one) if part.strip()]
            yield from changes.edited(one)


def _overwritten(text: str) -> Iterator[str]:
    """Constants without their first letter, and with another one in its place, where something cuts or overwrites."""
    if _OVERWRITING.search(text) is None:
        return
    numbers = [chr(int(each)) for each in re.findall(r"\b\d{2,3}\b", text)[:_REPLACED] if 31 < int(each) < 127]
    numbers += [chr(int(each, 16)) for each in re.findall(r"\b0x([2-7][0-9a-fA-F])\b", text)[:_REPLACED]]
    letters = dict.fromkeys([*re.findall(r"(?<!\w)[a-zA-Z](?!\w)", text)[:_MOST_REMOVED], *numbers])
    words = re.findall(r"(?<!\w)\w{2,12}(?!\w)", text)[:_MOST]
    for constant in dict.fromkeys([*[one or other for one, other in _CONSTANT.findall(text)[:_MOST]], *words]):
        if 1 < len(constant) <= _TURNED:
            yield constant[1:]
            yield from [constant[constant.index(letter) :] for letter in letters if letter in constant]
            yield from [letter + part for letter in letters for part in (constant[1:], constant)]


def _moved(letter: str, by: int) -> str:
    if not (letter.isascii() and letter.isalpha()):
        return letter
    first = ord("a" if letter.islower() else "A")
    return chr(first + (ord(letter) - first + by) % 26)


def _put(text: str) -> Iterator[str]:
    """The lines of ``text`` with the values of its variables in their places."""
    if "$" not in text:
        return
    pairs = _SET.findall(text)[:_MOST]
    for name, listed in _ARRAY.findall(text):
        said = listed.split()
        pairs += [(f"{name}({key})", value) for key, value in zip(said[::2], said[1::2], strict=False)]
    for values in (dict(pairs), dict(pairs[::-1])) if pairs else ():
        put = re.compile(r"\$[{(]?(" + "|".join(map(re.escape, sorted(values, key=len, reverse=True))) + r")[)}]?")
        yield from [put.sub(partial(_value, values), line) for line in text.split("\n") if "$" in line]


def _numbered(number: str) -> str:
    return chr(int(number))


def _value(values: Mapping[str, str], found: re.Match[str]) -> str:
    return values[found[1]]


def _other(text: str) -> Iterator[str]:
    """What else says words: Emacs's ``vc-git-command``, ``##`` of C, encoded constants, ``%n`` in formats."""
    yield from re.findall(r"\bvc-(\w+)-command\b", text)
    if "##" in text:
        yield from [one + other for one, other in re.findall(r"\b(\w+)\s?,\s?(\w+)", text)]
    if _JOINING.search(text):
        for said in (re.findall(r"\w+", text), [one or other for one, other in _CONSTANT.findall(text)]):
            yield from [one + other for one, other in pairwise(said[: 4 * _MOST]) if len(one + other) <= _TURNED]
    if _GIVING.search(text):
        yield _GIVING.sub(r"\1", text)
    yield from [bytes.fromhex(digits).decode("latin-1") for digits in _HEX.findall(text)[:_MOST]]
    if "qp" in text or "quopri" in text or "QuotedPrint" in text:
        yield _PRINTABLE.sub(lambda found: chr(int(found[1], 16)), text)
    yield from ["".join(map(_numbered, found.split("."))) for found in _VERSIONS.findall(text)[:_MOST]]
    if "%n" in text:
        yield from [word.replace("%n", " ") for word in text.split() if "%n" in word]
    keys = dict.fromkeys(_KEYS.findall(text)[:_REPLACED])
    for constant in [one or other for one, other in _CONSTANT.findall(text)[:_MOST]]:
        if len(constant) >= _SHORTEST:
            yield from decoded(constant)
        yield from [mixed(constant, int(key, 0)) for key in keys]
    yield from [each for word in _BARE.findall(text)[:_MOST] for each in decoded(word) if " " in each]
    yield from [each for digits in _LARGE.findall(text)[:_MOST] for each in of_number(digits)]
