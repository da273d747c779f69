"""Standard streams in memory, with a byte buffer underneath as real ones have."""

import io


class Streams:
    """An output and an error stream, and what was written to them."""

    def __init__(self) -> None:
        self._out = io.BytesIO()
        self._err = io.BytesIO()
        self.out = io.TextIOWrapper(self._out, encoding="utf-8", write_through=True)
        self.err = io.TextIOWrapper(self._err, encoding="utf-8", write_through=True)

    def stdout(self) -> str:
        """Everything written to the output stream."""
        return self._out.getvalue().decode()

    def stderr(self) -> str:
        """Everything written to the error stream."""
        return self._err.getvalue().decode()
