"""For the tests of a host: a policy from text, and assertions about commands."""

from execpolicy import public_names

__getattr__, __dir__ = public_names(__name__)
