"""The tools of an agent: what it may call with which arguments, what then runs, and what it is told."""
