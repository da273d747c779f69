"""Real agents against a scripted model on localhost, with the gate that ``execpolicy install`` puts in front of them.

``python -m tests.agents claude`` runs every case against Claude Code; ``docs/install.md`` says which agents were run,
in which versions, and what came of it. Not part of the test run: it needs the agents, which it does not install.
"""
