"""Lists and pipelines: the top of the grammar."""

from __future__ import annotations

from execpolicy.shell.grammar.compound import CLOSING, COMPOUND, CompoundReader
from execpolicy.shell.grammar.cursor import META
from execpolicy.shell.script import COPROC
from execpolicy.shell.variables import NAME_PART, NAME_START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.grammar.state import State


class ScriptReader(CompoundReader):
    """Reads a whole script."""

    def derived(self, text: str, offsets: list[int], context: tuple[str, ...]) -> ScriptReader:
        return ScriptReader(text, self.state, context=context, blocks=self.blocks, offsets=offsets)

    def read_all(self) -> None:
        """The whole text, or ``Unreadable``."""
        self.read_list((), empty=True)
        if self.pos < self.end:
            self.fail(f"unexpected `{self.text[self.pos]}`")
        self.read_bodies_at_end()

    def _stops(self, char: str, stop: tuple[str, ...]) -> bool:
        """Whether the list ends at the position."""
        if not char:
            return True
        if char == ")":
            return True
        if char == ";":
            follower = self.char(self.after(self.pos + 1))
            if follower in (";", "&"):
                if ";;" not in stop:
                    self.fail("unexpected `;;`")
                return True
            return False
        word, _ = self.peek_reserved()
        if word in CLOSING:
            if word not in stop:
                self.fail(f"unexpected `{word}`")
            return True
        return False

    def read_list(self, stop: tuple[str, ...], *, empty: bool = False) -> None:
        """Commands up to ``)``, the end, or one of ``stop``; the position is then on what stopped it."""
        outer = self.blocks
        self.blocks = outer + (self.state.new_block(),)
        self._read_commands(stop, empty)
        self.blocks = outer

    def _read_commands(self, stop: tuple[str, ...], empty: bool) -> None:
        state = self.state
        some = False
        while True:
            while (char := self.skip_blanks()) == "\n":
                self.read_newline()
                state.next_line(len(self.blocks) > 1)
            if self._stops(char, stop):
                if not some and not empty:
                    self.fail("a command is missing")
                return
            some = True
            first = len(state.commands)
            known = len(state.given)
            self._read_and_or()
            char = self.skip_blanks()
            if char == "&":
                state.rich = True
                self._mark(first, "background")
                self.doubt_given(known, self.blocks)
                self.pos += 1
                if state.shell == "zsh" and self.char(self.pos) in ("!", "|"):
                    self.fail("zsh reads &! and &| in its own way")
            elif char == ";":
                follower = self.char(self.after(self.pos + 1))
                if follower == ";" or follower == "&":
                    continue
                self.pos += 1
            elif char == "\n":
                self.read_newline()
                state.next_line(len(self.blocks) > 1)
            elif char and char != ")":
                word, _ = self.peek_reserved()
                if word not in CLOSING:
                    self.fail(f"unexpected `{char}`")
                self.fail(f"unexpected `{word}`")

    def _read_and_or(self) -> None:
        known = len(self.state.given)
        while True:
            self._read_pipeline()
            char = self.skip_blanks()
            second = self.after(self.pos + 1)
            if char and char in "&|" and self.char(second) == char:
                self.pos = second + 1
                while self.skip_blanks() == "\n":
                    self.read_newline()
                if known < 0:
                    continue
                known = -1
                start = len(self.state.given)
                continue
            if known < 0:
                self.doubt_given(start, self.blocks)
            return

    def _read_pipeline(self) -> None:
        state = self.state
        state.pipelines += 1
        first = len(state.commands)
        negated = timed = False
        while True:
            self.skip_blanks()
            word, end = self.peek_reserved()
            if word == "!":
                self.pos = end
                negated = state.rich = True
                continue
            if word == "time" and state.shell not in ("sh", "dash"):
                self.pos = end
                timed = state.rich = True
                self._time_options()
                if self.skip_blanks() in ("", "\n", ";", "&", ")", "|"):
                    if self.char(self.pos) == "|":
                        self.fail("unusual `time`")
                    return
                continue
            break
        if timed and word in COMPOUND and self.reparsed():
            state.doubt("`time` before a compound command inside a substitution")
        starts = [first]
        ends: list[int] = []
        known = len(state.given)
        while True:
            self._read_command(len(starts) == 1)
            ends.append(len(state.commands))
            if self.skip_blanks() != "|":
                break
            follower = self.char(self.after(self.pos + 1))
            if follower == "|":
                break
            self.pos += 1
            if follower == "&":
                state.rich = True
                self.bash_only("|&")
                self._mark(starts[-1], "errors-piped")
                self.pos = self.after(self.pos) + 1
            while self.skip_blanks() == "\n":
                self.read_newline()
            starts.append(len(state.commands))
        if len(starts) > 1:
            self._connect(starts, ends)
            self.doubt_given(known, self.blocks)
        if timed:
            self._mark(first, "timed")
        if negated:
            self._mark(first, "negated")

    def _mark(self, first: int, name: str) -> None:
        """Put ``name`` into the context of the commands from index ``first``."""
        depth = len(self.context)
        for draft in self.state.commands[first:]:
            if draft is not None:
                draft.mark(depth, name)

    def _connect(self, starts: list[int], ends: list[int]) -> None:
        """Say who reads whose output in a pipeline."""
        self._mark(starts[0], "pipeline")
        commands = self.state.commands
        depth = len(self.context) + 1
        sources: tuple[int, ...] = ()
        for start, end in zip(starts, ends, strict=True):
            for index in range(start, end):
                draft = commands[index]
                if draft is not None and sources and not draft.piped_from:
                    draft.read_from(sources)
            sources = tuple(
                [
                    index
                    for index in range(start, end)
                    if (found := commands[index]) is not None
                    and "substitution" not in found.context[depth:]
                    and "process" not in found.context[depth:]
                ]
            )

    def _time_options(self) -> None:
        for option in ("-p", "--"):
            self.skip_blanks()
            if self.text.startswith(option, self.pos):
                behind = self.char(self.pos + len(option))
                if behind == "\\":
                    self.fail("continuation behind an option of `time`")
                if not behind or behind in META:
                    self.pos += len(option)

    def _read_command(self, first: bool) -> None:
        """One command of a pipeline."""
        char = self.skip_blanks()
        start = self.pos
        if not char:
            self.fail("a command is missing")
        if char == "(":
            self.read_subshell()
            return
        word, end = self.peek_reserved()
        if word:
            if word in CLOSING:
                self.fail(f"unexpected `{word}`")
            if word == "!":
                self.fail("unexpected `!`")
            if word == "function":
                self.pos = end
                self.read_function_keyword(start)
                return
            if word == "coproc":
                self.pos = end
                self._read_coproc(start)
                return
            if word in COMPOUND:
                self.pos = end
                self.read_compound(word)
                return
        if self._function_ahead():
            return
        self.read_simple()

    def _function_ahead(self) -> bool:
        """``name ( )`` and a body, which is then read."""
        text, start = self.text, self.pos
        pos = start
        while pos < self.end and text[pos] not in META and text[pos] not in "'\"\\$`":
            pos += 1
        name_end = pos
        while self.char(pos) in (" ", "\t"):
            pos += 1
        if name_end == start or self.char(pos) != "(":
            return False
        name = text[start:name_end]
        if name.endswith("="):
            return False
        self.pos = pos + 1
        if self.skip_blanks() != ")":
            self.fail("unexpected `(`", pos)
        self.pos += 1
        if any(char in name for char in "{}[]*?~=") or name in COMPOUND | CLOSING:
            self.fail("unusual function name", start)
        self.read_function(name, start)
        return True

    def _read_coproc(self, start: int) -> None:
        state = self.state
        state.rich = True
        self.bash_only("coproc")
        if self.reparsed():
            state.doubt("`coproc` inside a substitution, which bash reads twice and differently")
        first = len(state.commands)
        char = self.skip_blanks()
        begin = self.pos
        word, end = self.peek_reserved()
        if char not in ("(", "") and not word and char in NAME_START:
            # `coproc NAME compound` or `coproc simple`: only what follows the word tells.
            at = self.pos
            while self.char(at) in NAME_PART and at < self.end:
                at += 1
            if self.char(at) in (" ", "\t"):
                self.pos = at
                char = self.skip_blanks()
                word, end = self.peek_reserved()
                if char != "(" and word not in COMPOUND:
                    self.pos = begin
                    word = ""
        if self.char(self.pos) == "(":
            self.read_subshell()
        elif word in COMPOUND and word not in ("function", "coproc"):
            self.pos = end
            self.read_compound(word)
        elif word:
            self.fail("unusual `coproc`", start)
        else:
            self.read_simple()
        state.effect(COPROC, self.span(start, self.pos), "a coprocess")
        self._mark(first, "coproc")


def read_into(state: State, text: str) -> None:
    """Read ``text`` into ``state``."""
    ScriptReader(text, state).read_all()
