"""Where a command runs: which sandbox, what it may do there, and what the machine must be able to for it."""
