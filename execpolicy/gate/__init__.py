"""The gate: installs ``execpolicy hook`` for agents, uninstalls it, and tests that it works.

Entry points: :mod:`execpolicy.gate.installing` and :mod:`execpolicy.gate.doctor`. The gate knows the agents from their
records (:mod:`execpolicy.hooks.agents`) and edits settings files as text. It does not decide about commands.
"""
