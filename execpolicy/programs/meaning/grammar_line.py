"""One line of a grammar of command lines, see :mod:`execpolicy.programs.meaning.command_grammar`."""

from __future__ import annotations

from execpolicy.programs.options import Options, option_table


class GrammarLine:
    """One line of a grammar: the options behind some sub-commands, and the sub-commands that may follow."""

    __slots__ = (
        "also",
        "bare",
        "children",
        "correct",
        "each",
        "files",
        "first_names",
        "front",
        "implied",
        "keyed",
        "kinds",
        "last",
        "operands",
        "options",
        "same",
        "stands_for",
        "through",
    )

    def __init__(self, text: str) -> None:
        said = {item.partition("=")[0]: item.partition("=")[2] for item in text.split() if item[0] == "@"}
        self.each = "@each" in said
        self.kinds = "@kinds" in said
        self.front = int(said["@front"]) if "@front" in said else None
        self.also = said.get("@also")
        self.correct = said.get("@correct")
        self.bare = said.get("@bare")
        self.same = said["@is"].split(",") if "@is" in said else []
        self.through = int(said["@through"]) if "@through" in said else None
        self.children: dict[str, str] = {}
        self.first_names: dict[str, str] = {}
        self.implied: list[tuple[str, str]] = []
        self.stands_for: dict[str, list[str]] = {}
        table: list[str] = []
        for item in text.split():
            if item[0] == "@":
                continue
            given, arrow, others = item.partition("=>" if "=>" in item else "==")
            if arrow == "=>" and given[:1] != "-":
                self.implied.append((given, others))
                continue
            if arrow:
                name = given.partition("=")[0]
                self.stands_for.setdefault(given, [name] if arrow == "=>" else []).extend(others.split(","))
                continue
            names = item.split(",")
            bare = [name.rstrip(":?~&") for name in names]
            suffix = names[-1][len(bare[-1]) :]
            first = next((name for name in bare if name.startswith("--")), bare[0])
            for name in bare:
                self.first_names[name] = first
                table.append(name + suffix)
        self.options: Options = option_table(" ".join(table))
        first_names = self.first_names
        self.keyed = frozenset([first_names[name] for name in said.get("@keyed", "").split(",") if name])
        self.operands = [first_names[name] for name in said.get("@operands", "").split(",") if name]
        self.last = frozenset([first_names[name] for name in said.get("@last", "").split(",") if name])
        self.files = frozenset([first_names[name] for name in said.get("@file", "").split(",") if name])
