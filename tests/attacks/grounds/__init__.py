"""One attack for each kind of ground, in a file of its name."""
