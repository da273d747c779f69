"""Reports about a policy: the reasons of a decision, the effect of a change, the rules that fire.

Reads rulebooks, layers and verdicts; decides nothing.
"""

from execpolicy import public_names

__getattr__, __dir__ = public_names(__name__)
