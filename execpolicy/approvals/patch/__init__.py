"""The ``apply_patch`` format: parses a patch, plans every new file, then writes all files or none."""
