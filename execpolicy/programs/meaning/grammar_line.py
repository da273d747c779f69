"""One line of a grammar of command lines, see :mod:`execpolicy.programs.meaning.command_grammar`."""

from __future__ import annotations

from execpolicy.programs.options import Options, option_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.programs.meaning.operand_kinds import Said


class GrammarLine:
    """One line of a grammar: the options behind some sub-commands, and the sub-commands that may follow.

    Attributes:
        fixed: the kinds of the first operands, each at its position (``ref?``: it may be left out).
        rest: the kind of all others; ``None`` if the line does not say.
        every: options that stand for all operands; ``some``: for operands that are only known at run time.
        input: options whose value may also come from standard input.
        named: options whose value is an operand.
        perhaps: it may also do what another sub-command does: its name, and the option that makes it do so.
        configured: settings give the operands that are left out, unless an option of ``settled`` is given.
    """

    __slots__ = (
        "also",
        "bare",
        "children",
        "configured",
        "correct",
        "every",
        "files",
        "first_names",
        "fixed",
        "front",
        "implied",
        "input",
        "keyed",
        "kinds",
        "last",
        "named",
        "operands",
        "options",
        "perhaps",
        "rest",
        "same",
        "settled",
        "some",
        "stands_for",
        "through",
    )

    def __init__(self, text: str) -> None:
        text, _, kinds = text.partition(";")
        said = {item.partition("=")[0]: item.partition("=")[2] for item in text.split() if item[0] == "@"}
        self.fixed = [kind for kind in kinds.split() if kind[-1] != "*"]
        self.rest = next((kind[:-1] for kind in kinds.split() if kind[-1] == "*"), None)
        self.kinds = "@kinds" in said
        self.front = int(said["@front"]) if "@front" in said else None
        self.also = said.get("@also")
        self.correct = said.get("@correct")
        self.bare = said.get("@bare")
        self.same = said["@is"].split(",") if "@is" in said else []
        self.perhaps = said["@perhaps"].split(",") if "@perhaps" in said else []
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
        self.configured = "@configured" in said
        self.last, self.files, self.every, self.some, self.named, self.settled, self.input = [
            frozenset([first_names[name] for name in said.get(mark, "").split(",") if name])
            for mark in ("@last", "@file", "@every", "@some", "@named", "@configured", "@input")
        ]

    def rank(self, name: Said, value: Said | None) -> int:
        """Of several values that options imply for the option ``name`` the one counts that the line lists last."""
        rows = [other.partition(":") for others in self.stands_for.values() for other in others]
        return max(
            [at for at, (option, _, each) in enumerate(rows) if self.first_names.get(option) == name and each == value],
            default=0,
        )
