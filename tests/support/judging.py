"""Judging scripts in tests: rule text in, decision out."""

from functools import cache

from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.lang.compile import compile_source
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.resources import records_folder
from execpolicy.source import Source

PLACE = Situation("/srv/project", home="/home/u", real_path=lambda path: path)


@cache
def builtin() -> Rulebook:
    """The rulebook of the built-in layer alone."""
    options = LayerOptions(cwd="/", builtin_folder=records_folder(), project=False)
    return Rulebook(load_layers(options).statements)


def rulebook(text: str = "", *, heuristics: bool = True) -> Rulebook:
    """The built-in layer (or nothing) with the rules of ``text`` on top."""
    base = builtin() if heuristics else Rulebook()
    return base.with_statements(*compile_source(Source("test.rules", text)).statements)


def verdict(script: str | list[str], text: str = "", *, shell: str = "bash", heuristics: bool = True) -> Verdict:
    """The verdict on ``script`` under the rules of ``text``."""
    return check(script, rulebook(text, heuristics=heuristics), shell=shell, situation=PLACE)


def decision(script: str | list[str], text: str = "", *, shell: str = "bash", heuristics: bool = True) -> str:
    """The decision's word."""
    return verdict(script, text, shell=shell, heuristics=heuristics).decision.word
