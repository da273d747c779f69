"""The input that agents send to their hooks and the answers that they understand. Pure: envelope in, answer out."""

from execpolicy.deferred import defer

defer(__name__)
