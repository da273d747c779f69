"""Scripts that are made to cost: deep, long, repeated, made of themselves. Every one is at most ``size`` characters."""

from collections.abc import Iterator

RUNNING = (
    *(("( ", ")"), ("$( ", ")"), ("{ ", "; }"), ('"$( ', ')"'), ("if a; then ", "; fi"), ("while a; do ", "; done")),
    *(("case x in x) ", ";; esac"), ("f() { ", "; }"), ("! ", ""), ("eval ", ""), ("sudo ", ""), ("env -S ", "")),
    *(("xargs ", ""), ("timeout 1 ", ""), ("command ", ""), ("env x=1 ", ""), ("sudo -u x ", ""), ("a=$( ", ")")),
)
"""What a command stands between that is run there."""
OPENINGS = (
    *RUNNING,
    *(
        ("(", ")"),
        ("[[ ( ", " ) ]]"),
        ("((", "))"),
        ("`", "`"),
        ("${x:-", "}"),
        ("<(", ")"),
        ("$((", "))"),
        ("{a,", "}"),
    ),
    *(
        ("@(", "|b)"),
        ("a=(", "a)"),
        ("a[$(", "pwn)]=1"),
        ("${a[", "]}"),
        ("'\\''", ""),
        ("sh -c '", ""),
        ("bash -c ", ""),
    ),
    *(("find . -exec ", ";"), ("sudo -Z x ", ""), ("<<E ", ""), ("<<<", ""), ("> ", ""), ("2>&1 ", ""), ("{x}> ", "")),
    *(("echo $(( (", ") ))"), ("[[ -n $(", ") ]]"), ("${x/", "}"), ("${!", "}")),
)
ATOMS = (
    *(
        "$x",
        "${x}",
        "$(pwn)",
        "`pwn`",
        "'a'",
        '"a"',
        "\\a",
        "*",
        "?",
        "[a]",
        "[",
        "{a,b}",
        "{a,b",
        "a{",
        "{1..9}",
        "}",
        "~",
    ),
    *("$((1))", "$'a'", "@(a)", "!", "${x:-a}", "${x//a/b}", "${#x}", "${x[@]}", "$@", "$1", "\\\n", "a=", "../", "./"),
    *("-x ", "--x ", "[[:alpha:]]", "é", "中", "{}", "a;", "a|", "s/a/b/;", 'system("pwn");', "\n", "x=x x;", "'", '"'),
)
WORDS = (
    *(
        "x",
        "x ",
        "{}",
        "{1}",
        "%s",
        "a;",
        "a|b;",
        "(",
        "[",
        "{",
        "$(x)",
        "`x`",
        "\\",
        "''",
        '"',
        'a="',
        "a=b ",
        "-",
        "--a ",
    ),
    *(
        "-x ",
        "/a",
        "../",
        "a/../",
        ":",
        ",",
        "\n",
        "!x ",
        "|x",
        "&1",
        "s/a/b/;",
        "1d;",
        "$x ",
        "@a ",
        "#a",
        "a*",
        "[a-z]",
    ),
    *("{{x}}", "x\n\t", "a: b\n", "- a\n", "ls\n", "exec x\n", "system('x');", "\\x41", "&& ", "-exec x ; ", "-e x "),
    *("+x ", "<x ", ">x ", "if a;then ", "BEGIN{", "}", "/*", "%%", "=", "<a>", "../[a-z]", "{a,b} ", "x:\n", "0x41"),
)
"""What the words of a program may be made of that carries others, in programs of many languages."""
PLACES = (
    *(
        "echo {}",
        "{}",
        "x={}; $x; cat $x | sh",
        'bash -c "{}"',
        "cat < {} > {}",
        "cat {} | sh",
        "cat <<E | sh\n{}\nE\n",
    ),
    *("find . -name {} -exec {{}} +", "rg -g '{}' x", "case $x in {}) pwn;; esac", "[[ $x == {} ]]", "(( {} ))"),
    *(
        "a[{}]=1",
        "eval '{}'",
        "awk '{}'",
        "sed -e '{}'",
        "jq '{}'",
        "perl -e '{}'",
        "python3 -c '{}'",
        "git -c '{}' log",
    ),
    *(
        "tar --checkpoint-action='{}' f",
        "ssh h '{}'",
        "printf '{}' a",
        "ls | xargs -I{{}} sh -c '{}'",
        "find . -regex '{}'",
    ),
    *("tmux new '{}'", "sqlite3 x '{}'", "make '{}'", "declare '{}'", "trap '{}' EXIT", "git log --format='{}'"),
)
LINES = (
    'x=$(cat "$a"); cat "$x" >> "$a"',
    'echo "$(cat f{n})" > f{m}; cat f{n} | sh',
    'x="$x$x"; bash -c "$x"',
    "x+=$x; $x",
    'a+=("$x{n}" b{n}); run "${{a[@]}}" "${{a[{n}]}}"',
    'v{n}="echo $v{m}; eval \\"$v{m}\\""; eval "$v{n}"',
    'while read -r a b; do cmd "$a" "$b"; done < <(grep x f{n} | sort)',
    "cat >> f.sh <<EOF\nrun $x{n} `cat f.sh`\nEOF\nbash f.sh",
    'case "$x{n}" in a) y=1;; b) y=$x{n};; *) y=$(cat y{n});; esac; z{n}=$y$z{m}; t $z{n}',
    'find . -name "$n{n}" | xargs -I{{}} sh -c "echo {{}} $n{m}" | tee f{n} | xargs bash f{n}',
    'f{n}() {{ f{m} "$@" a; f{m} b "$@"; cat l{m} | f{m} >> l{n}; }}; f0 x',
    'f() {{ git "$1" "$2"; }}; f a{n} b',
    'a{n}=$(echo $a{m} $a{m} | tr a b); $a{n} x; bash -c "$a{n}"',
    'f{n}() {{ x=$(f{m}); echo "$x$(f{m})"; }}; $(f{n})',
    "x{n}=1; unset x{n}; git $x{n}",
    "cp a{m} a{n}; ln -s a{n} b{n}; bash a{n}; ./b{n} > a{m}",
    'alias a{n}="a{m} x; a{m}"; a{n}',
    "cat f{n} f{m} | tee f{m} f{n} g{n} | bash",
    "for v{n} in a b $v{m}; do git $v{n} $v{m} > $v{n}; done",
    "echo a > f{n}; tool{n} f{m} --x=f{n}.y; tool-{m} g",
    "echo a{n} > bin/f{n}; f{m} x; npx f{n}; git f{n}",
    'cp f{n} f{m}; ln -s $d{n}/f{n} "$PWD/f{m}"; ./f{n} push; $PWD/f{m} x; bin/f{m} y',
    'cat f{n} | tee f{m} > $x{n}; cd d{n}; ./f{m} x; sh -c "cp f{n} f{m}"',
    "python3 -c \"shutil.copy('f{n}', 'f{m}')\"; ./f{m} x",
    "rename f{n} f{m} f{n}; find . -name f{n} -exec cp {{}} f{m} \\;; echo f{n} f{m} | xargs cp; f{n} x",
    "sh -c 'cat f{n} > f{m}; head f{n} | sh'; eval 'echo a{n} >> f{m}'; sed p f{n} | sh; sort f{m}",
    "sh -c 'echo a > f{n}; echo b >> f'; echo c >> f; head f f{m} $PWD/f{m} | bash; cp f{n} g{n}; tac ./g{n} | sh",
    'git status; ls -la src/{n}; grep -rn "foo {n}" src | head -20',
)


RINGS = (1, 7, 100_000)
"""After how many lines the first one comes again that the others are made of."""


def nest(opening: str, closing: str, times: int, core: str = "pwn") -> str:
    """``core`` in so many constructs of one kind."""
    return opening * times + core + closing * times


def fill(place: str, atom: str, size: int) -> str:
    """``place`` with ``atom`` over and over, in at most about ``size`` characters."""
    here = place.count("{}")
    made = (atom.replace("'", "") if "'{}'" in place else atom) or "a"
    return place.format(*[made * ((size - len(place)) // (len(made) * here))] * here)


def chain(line: str, ring: int, size: int) -> str:
    """``line`` over and over, each made of the next one, until there are ``size`` characters."""
    made, written, at = [], 0, 0
    while written < size:
        made.append(line.format(n=at % ring, m=(at + 1) % ring))
        written += len(made[-1]) + 1
        at += 1
    return "\n".join(made)


def nested(size: int) -> Iterator[str]:
    """Constructs inside one another, closed and not."""
    for opening, closing in OPENINGS:
        count = size // (len(opening) + len(closing))
        for times in (40, count):
            yield nest(opening, closing, times)
            yield "echo " + opening * times


def repeated(size: int) -> Iterator[str]:
    """One piece of syntax over and over, in every place where a text can stand."""
    for at, place in enumerate(PLACES):
        for atom in ATOMS[at % 2 :: 2]:
            yield fill(place, atom, size)


def flowing(size: int) -> Iterator[str]:
    """Values, files and functions made of one another: in a chain, in rings, all of one."""
    for line in LINES:
        for ring in RINGS:
            yield chain(line, ring, size)[:size]
