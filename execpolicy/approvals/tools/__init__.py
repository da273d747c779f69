"""The tools of an agent: their arguments, their execution and their output."""
