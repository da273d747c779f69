"""The JSONL policy protocol: an arbiter between an agent process and its tools, also for embedding in a host."""

from execpolicy import public_names

__getattr__, __dir__ = public_names(__name__)
