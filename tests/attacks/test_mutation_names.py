"""What the mutations weaken is still there; cheap enough for every run."""

import pytest

from tests.attacks.mutations import MUTATIONS, OF_CLASSES


@pytest.mark.parametrize("name", [*MUTATIONS, *OF_CLASSES])
def test_what_a_mutation_weakens_is_there(name: str) -> None:
    mutation = (MUTATIONS | OF_CLASSES)[name]
    assert mutation.name in mutation.owner.__dict__
