"""What the folder that a command runs in makes of it: secrets, settings, repositories, files that rules name."""

from execpolicy.deferred import defer

defer(__name__)
