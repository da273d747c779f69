"""What Codex 0.169.0 does, kept as it is measured: nothing below this package knows how another program reads."""
