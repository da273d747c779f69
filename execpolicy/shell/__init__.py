""""""

from execpolicy.deferred import defer

defer(__name__)
