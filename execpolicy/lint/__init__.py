"""Finds rules that are wrong, without effect, unclear or risky. Each file under ``checks`` is one check."""
