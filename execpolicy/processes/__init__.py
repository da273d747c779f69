"""Starts processes and ends them together with every process that they start."""
