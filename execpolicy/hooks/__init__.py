"""What agents send to their hooks and what they understand as an answer. Pure: envelope in, answer out."""

from execpolicy.deferred import defer

defer(__name__)
