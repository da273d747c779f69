"""Typesetting, pictures, sound, models: programs that make documents, and can be told to run others."""

from __future__ import annotations

from execpolicy.programs.inner import run_text
from execpolicy.programs.input_text import fed_lines
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import shown_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def _lines(command: Command, facts: Facts) -> list[str]:
    """What is set, as far as it can be seen: in words, on standard input and in files that the script wrote."""
    texts = [word.literal for word in command.words[1:] if word.literal is not None]
    texts += [text for word in command.words[1:] for text in shown_texts(word, command, facts)]
    return [line for text in texts for line in text.split("\n")] + fed_lines(command, facts)


def tex(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    r"""``\write18{cmd}`` and ``\input{|"cmd"}``."""
    for line in _lines(command, facts):
        for lead in ("\\write18", "\\input", "\\ShellEscape", "\\directlua"):
            rest = line.partition(lead)[2].lstrip(" {|\"'")
            if rest and ("|" in line or "18" in lead or lead[1] in "Sd"):
                yield run_text(name, command, rest.partition("}")[0].strip("\"' "))


def troff(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``.sy cmd`` and ``.pso cmd``."""
    for line in _lines(command, facts):
        verb, _, rest = line.lstrip(".' ").partition(" ")
        if line[:1] in (".", "'") and verb in ("sy", "pso", "pi"):
            yield run_text(name, command, rest)


def postscript(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``(%pipe%cmd) (w) file``."""
    for line in _lines(command, facts):
        for part in line.split("%pipe%")[1:]:
            yield run_text(name, command, part.partition(")")[0])


# fmt: off
RECORDS = (
    Program("latex pdflatex xelatex lualatex tex etex pdftex luatex xetex", carries=tex,
        example="latex -shell-escape '\\write18{rm x}'",
        worst="run -shell-escape evil.tex; write -output-directory=/etc a.tex"),
    Program("latexmk", carries=tex, settings="-latex! -pdflatex!", example="latexmk -pdflatex='rm x' a",
        worst="run -e 'system(q(./evil))' a.tex; load -r /tmp/evil"),
    Program("groff troff gtroff nroff", carries=troff, example="groff -U <<< '.sy rm x'",
        worst="run -U evil.ms"),
    Program("gs ghostscript", carries=postscript, example="gs -c '(%pipe%rm x) (w) file'",
        worst="run -dNOSAFER evil.ps; write -sOutputFile=/home/u/.bashrc a.ps"),
    Program("tectonic", worst="run -Z shell-escape evil.tex; write -o /etc a.tex"),
    Program("typst", worst="[] write compile a.typ /home/u/.bashrc; [compile] write a.typ /home/u/.bashrc"),
    Program("asciidoctor asciidoctor-pdf", worst="run -r ./evil.rb a.adoc; write -o /home/u/.bashrc a.adoc"),
    Program("jekyll", worst="[build] load --plugins /tmp; [serve] load --plugins /tmp; [] load build --plugins /tmp"),
    Program("hugo zola", worst="elsewhere --config /tmp/evil.toml"),
    Program("ffmpeg", worst="write -y -i a.mp4 /home/u/a.mp4"),
    Program("magick mogrify", worst="write a.png /home/u/a.png"),
    Program("blender", worst="run --python-expr 'import evil'; load --python /tmp/evil.py"),
    Program("gimp", worst="run -i -b '(evil)'"),
    Program("soffice libreoffice", worst="run macro:///evil; write --headless --outdir /etc --convert-to pdf a.odt"),
    Program("protoc", worst="run --plugin=protoc-gen-x=./evil --x_out=. a.proto; write --descriptor_set_out=/etc/x "
        "a.proto"),
    Program("thrift", worst="write -out /etc --gen py a.thrift"),
    Program("flatc", worst="write -o /etc -p a.fbs"),
    Program("runme mdx cram xc"),
)
