"""Knowledge of programs: grammars of safe invocations, forms of dangerous ones, the opinion on a command."""

from execpolicy.deferred import defer

defer(__name__)
