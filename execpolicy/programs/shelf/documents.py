"""Typesetting, pictures, sound, models: programs that make documents, and can be told to run others."""

from __future__ import annotations

from execpolicy.programs.record import Program

_LATEX = "named *.tex .latexmkrc latexmkrc"
# fmt: off
RECORDS = (
    Program("latex pdflatex xelatex lualatex", worst="run -shell-escape evil.tex; write -output-directory=/etc a.tex",
        obeys=_LATEX),
    Program("latexmk", worst="run -e 'system(q(./evil))' a.tex; load -r /tmp/evil", obeys=_LATEX),
    Program("tectonic", worst="run -Z shell-escape evil.tex; write -o /etc a.tex"),
    Program("typst", worst="[] write compile a.typ /home/u/.bashrc; [compile] write a.typ /home/u/.bashrc"),
    Program("asciidoctor asciidoctor-pdf", worst="run -r ./evil.rb a.adoc; write -o /home/u/.bashrc a.adoc"),
    Program("jekyll", worst="[build] load --plugins /tmp; [serve] load --plugins /tmp; [] load build --plugins /tmp"),
    Program("hugo zola", worst="elsewhere --config /tmp/evil.toml"),
    Program("ffmpeg", worst="write -y -i a.mp4 /home/u/a.mp4"),
    Program("magick mogrify", worst="write a.png /home/u/a.png"),
    Program("blender", worst="run --python-expr 'import evil'; load --python /tmp/evil.py"),
    Program("gimp", worst="run -i -b '(evil)'"),
    Program("gs", worst="run -dNOSAFER evil.ps; write -sOutputFile=/home/u/.bashrc a.ps"),
    Program("soffice libreoffice", worst="run macro:///evil; write --headless --outdir /etc --convert-to pdf a.odt"),
    Program("protoc", worst="run --plugin=protoc-gen-x=./evil --x_out=. a.proto; write --descriptor_set_out=/etc/x "
        "a.proto"),
    Program("thrift", worst="write -out /etc --gen py a.thrift"),
    Program("flatc", worst="write -o /etc -p a.fbs"),
)
