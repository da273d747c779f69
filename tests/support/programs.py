"""Generated rule files: syntactically valid for the most part, in every construct and in odd layouts."""

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b1", "_", "prefix_rule", "True", "None", "x"])
ATOMS = st.one_of(
    NAMES,
    st.sampled_from(
        ["1", "0x1F", "0o7", "0b1", "1.5", ".5e3", "...", '""', "'a'", '"""a\nb"""', "r'\\d'", 'f"{a}b"', "f'{{}}'"]
    ),
    st.text(alphabet="ab \\n{}é#", max_size=4).map(lambda text: '"' + text.replace("\\", "\\\\") + '"'),
)


def joined(parts: list[str]) -> str:
    return ", ".join(parts)


def expressions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, max_size=3).map(joined)
    operator = st.sampled_from([
        "or", "and", "==", "!=", "<", ">", "<=", ">=", "in", "not in",
        "|", "^", "&", "<<", ">>", "+", "-", "*", "%", "/", "//",
    ])  # fmt: skip
    comprehension = st.sampled_from(["for a in b", "for a, b in c if d", "for (x, y) in z for a in x"])
    return st.one_of(
        st.tuples(inner, operator, inner).map(" ".join),
        st.tuples(st.sampled_from(["not ", "-", "~", "+"]), inner).map("".join),
        inner.map(lambda e: f"({e})"),
        several.map(lambda e: f"[{e}]"),
        several.map(lambda e: f"({e},)" if e else "()"),
        st.tuples(inner, inner).map(lambda e: f"{{{e[0]}: {e[1]}}}"),
        st.tuples(inner, inner, inner).map(lambda e: f"{e[0]} if {e[1]} else {e[2]}"),
        st.tuples(NAMES, several).map(lambda e: f"{e[0]}({e[1]})"),
        st.tuples(NAMES, inner, inner).map(lambda e: f"{e[0]}({e[1]}, k={e[2]}, *a, **b)"),
        st.tuples(NAMES, inner).map(lambda e: f"{e[0]}[{e[1]}]"),
        st.tuples(NAMES, inner, inner).map(lambda e: f"{e[0]}[{e[1]}:{e[2]}:]"),
        st.tuples(NAMES, inner, inner).map(lambda e: f"{e[0]}[{e[1]}, {e[2]}]"),
        inner.map(lambda e: f"({e}).b"),
        inner.map(lambda e: f"lambda a, *b, c=1: {e}"),
        st.tuples(inner, comprehension).map(lambda e: f"[{e[0]} {e[1]}]"),
        st.tuples(inner, inner, comprehension).map(lambda e: f"{{{e[0]}: {e[1]} {e[2]}}}"),
        several.map(lambda e: f"prefix_rule(\n  pattern = [{e}], # c\n\n)"),
    )


EXPRESSIONS = st.recursive(ATOMS, expressions, max_leaves=6)
TARGETS = st.sampled_from(["a", "a, b", "(a, b)", "[a, b]", "a.b", "a[0]", "a[0].b", "()", "a: int", "(a): x.y | None"])
SIMPLE = st.one_of(
    EXPRESSIONS,
    st.tuples(TARGETS, EXPRESSIONS).map(" = ".join),
    st.tuples(st.sampled_from(["a += ", "a.b //= ", "a[0] <<= ", "a |= "]), EXPRESSIONS).map("".join),
    st.sampled_from([
        "pass", "break", "continue", "return", "return a, b", 'load("a", "b")', "# c", "a; b;", "a \\\n  + b", "",
        'prefix_rule(pattern=["a", "b"], decision="allow")',
    ]),
)  # fmt: skip
PARAMETERS = st.sampled_from(["", "a", "a, b=1", "*a", "a, *, b", "**k", "a: int = 1, *b: str, **c", "a=1, b", "*"])


def indented(lines: list[str]) -> str:
    return "".join(f"    {line}\n" for statement in lines or ["pass"] for line in statement.split("\n"))


def blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, min_size=1, max_size=3).map(indented)
    return st.one_of(
        st.tuples(PARAMETERS, body).map(lambda e: f"def f({e[0]}):\n{e[1]}"),
        st.tuples(EXPRESSIONS, body).map(lambda e: f"for x, y in {e[0]}:\n{e[1]}"),
        st.tuples(EXPRESSIONS, body, body).map(lambda e: f"if {e[0]}:\n{e[1]}elif x:\n{e[2]}else: pass"),
        st.tuples(EXPRESSIONS, SIMPLE).map(lambda e: f"if {e[0]}: {e[1]}"),
    )


PROGRAMS = st.lists(st.recursive(SIMPLE, blocks, max_leaves=4), max_size=4).map("\n".join)

TEXTS = st.sampled_from(["git", "push", "a b", "é", "it's", "-x", "", "longer-than-most-words-" * 3])
TOKENS = TEXTS.map(lambda text: f"'{text}'" if "'" not in text else f'"{text}"')
ELEMENTS = st.one_of(TOKENS, st.lists(TOKENS, min_size=1, max_size=3).map(lambda some: f"[{' , '.join(some)}]"))
PATTERNS = st.lists(ELEMENTS, min_size=1, max_size=4).map(lambda some: f"[ {','.join(some)},]")
GAPS = st.sampled_from(["", " ", "\n", "\n\n   ", "  # why\n", "\n# own line\n  "])


@st.composite
def rules(draw: st.DrawFn) -> str:
    """One rule in an odd layout, with comments inside."""
    arguments = [f"pattern{draw(st.sampled_from(['=', ' = ']))}{draw(PATTERNS)}"]
    if draw(st.booleans()):
        arguments.append(f"decision='{draw(st.sampled_from(['allow', 'prompt', 'forbidden']))}'")
    if draw(st.booleans()):
        arguments.append('justification = "because of a reason that takes some room"')
    inside = "".join(f"{draw(GAPS)}{argument}{draw(GAPS)}," for argument in arguments)
    if draw(st.booleans()):
        inside = inside[:-1]
    return f"prefix_rule({inside}{draw(GAPS)})"


RULE_FILES = st.lists(st.one_of(rules(), st.sampled_from(["# note", "", "#note", "x = 1"])), max_size=5).map("\n".join)
"""Files that load: rules, comments, assignments."""
