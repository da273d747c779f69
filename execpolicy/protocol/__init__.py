"""The JSONL policy protocol: an arbiter between an agent process and its tools, also for embedding in a host."""

from execpolicy.deferred import defer

defer(__name__)
