"""The public names of this package and the modules that they are in."""

from execpolicy.insight.advising import Advice as Advice
from execpolicy.insight.advising import AdviceSection as AdviceSection
from execpolicy.insight.advising import Remedy as Remedy
from execpolicy.insight.advising import advice_for as advice_for
from execpolicy.insight.diff import Change as Change
from execpolicy.insight.diff import policy_diff as policy_diff
from execpolicy.insight.explain import Part as Part
from execpolicy.insight.explain import RuleNote as RuleNote
from execpolicy.insight.testing import RuleCoverage as RuleCoverage
from execpolicy.insight.testing import RuleTests as RuleTests
from execpolicy.insight.testing import Trial as Trial
from execpolicy.insight.testing import trials_of as trials_of
from execpolicy.lint.effects import effects_of as effects_of
