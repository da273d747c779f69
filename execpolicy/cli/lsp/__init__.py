"""The language server for rule files: what an editor shows and offers. Only ``server`` needs pygls."""
