"""Problems as values: made anywhere, printed at the edge. Knows only ``source``."""
