"""The ``apply_patch`` format: read it, work out every new file, then write all of them or none."""
