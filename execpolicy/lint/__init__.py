"""Finds rules that are wrong, without effect, unclear or risky. Each file under ``checks`` is one check."""

from execpolicy import public_names

__getattr__, __dir__ = public_names(__name__)
