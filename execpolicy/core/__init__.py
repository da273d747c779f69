"""The meaning of a policy: decisions, patterns, rules, matches, evaluation. Pure, standard library only."""

from execpolicy.deferred import defer

defer(__name__)
