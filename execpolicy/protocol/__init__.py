"""The JSONL policy protocol: an arbiter between an agent process and its tools, for hosts too."""

from execpolicy.deferred import defer

defer(__name__)
