"""What holds for every test here."""

from tests.support.without_shims import without_shims as without_shims  # a fixture
