"""Finds rules that are wrong, pointless, unclear or risky. One file per check under ``checks``, one table of all."""
