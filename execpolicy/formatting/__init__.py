"""Formats rule files in canonical layout. Proves that the meaning is unchanged before anything is written."""

from execpolicy import public_names

__getattr__, __dir__ = public_names(__name__)
