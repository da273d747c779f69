"""The gate: puts ``execpolicy hook`` in front of agents, takes it away again, and proves that it holds.

Entry points: :mod:`execpolicy.gate.installing` and :mod:`execpolicy.gate.doctor`. It knows the agents from their
records (:mod:`execpolicy.hooks.agents`) and settings files as text; it decides nothing about commands.
"""
