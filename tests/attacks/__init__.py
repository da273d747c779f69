"""Attacks on the grounds of an allow: scripts made to break one claim each, judged here and then run for real."""
