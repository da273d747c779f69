"""Loads the rules: reads the folder of every layer, checks its trust and compiles its files. Entry point: ``load``."""

from execpolicy.deferred import defer

defer(__name__)
