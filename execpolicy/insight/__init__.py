"""What people ask about a policy: why a command got its decision, what a change would change, which rules ever fire.

Reads rulebooks, layers and verdicts; decides nothing.
"""

from execpolicy.deferred import defer

defer(__name__)
