"""Where rules come from: every layer's folder, read, judged for trust and compiled. Entry point: ``load``."""

from execpolicy.deferred import defer

defer(__name__)
