"""The language server for rule files: hover texts, completions and diagnostics. Only ``server`` needs pygls."""
