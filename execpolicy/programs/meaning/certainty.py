"""How surely a command means what a rule says."""

NOT, POSSIBLY, SURELY = range(3)
"""It does not; it may, so that a person is asked; it does."""
