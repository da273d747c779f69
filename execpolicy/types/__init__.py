"""The types of what public calls give and take, for annotations: no program makes values of them."""

from execpolicy import public_names

__getattr__, __dir__ = public_names(__name__)
