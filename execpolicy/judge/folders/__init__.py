"""The influence of the folder that a command runs in: secrets, settings, repositories, files that rules name."""

from execpolicy.deferred import defer

defer(__name__)
