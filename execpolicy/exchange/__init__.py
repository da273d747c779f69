"""The permission formats of agents, converted to and from rules, with a report of the losses."""

from execpolicy import public_names

__getattr__, __dir__ = public_names(__name__)
