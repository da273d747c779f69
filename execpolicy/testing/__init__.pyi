"""The public names of this package and the modules that they are in."""

from execpolicy.testing.assertions import assert_allows as assert_allows
from execpolicy.testing.assertions import assert_asks as assert_asks
from execpolicy.testing.assertions import assert_forbids as assert_forbids
from execpolicy.testing.assertions import policy as policy
