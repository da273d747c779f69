"""The version of the package; it is part of the name of everything that is cached."""

__version__ = "0.1.0"
