"""Standard streams in memory, with a byte buffer underneath as real ones have."""

import io


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


class Streams:
    """An output and an error stream, and what was written to them.

    Args:
        terminal: both say that they are terminals.
    """

    def __init__(self, *, terminal: bool = False) -> None:
        self._out = io.BytesIO()
        self._err = io.BytesIO()
        kind = _Terminal if terminal else io.TextIOWrapper
        self.out = kind(self._out, encoding="utf-8", write_through=True)
        self.err = kind(self._err, encoding="utf-8", write_through=True)

    def stdout(self) -> str:
        """Everything written to the output stream."""
        return self._out.getvalue().decode()

    def stderr(self) -> str:
        """Everything written to the error stream."""
        return self._err.getvalue().decode()
