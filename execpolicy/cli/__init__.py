"""The command line: read arguments, call one function, print, return a status. No decisions are made here."""

from execpolicy.deferred import defer

defer(__name__)
