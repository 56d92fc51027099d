"""An order on an undelivered message names its dead letter or its delivery, and never both."""

from __future__ import annotations

from uuid import UUID

import pytest

from butler_contracts.errors import ValidationFailed
from butler_contracts.undelivered import Undelivered

ONE = UUID(int=1)


def test_either_of_the_two_is_enough() -> None:
    assert Undelivered(dead_letter_id=ONE).named() == ("dead_letter", ONE)
    assert Undelivered(delivery_id=ONE).named() == ("delivery", ONE)


@pytest.mark.parametrize("given", [{}, {"dead_letter_id": ONE, "delivery_id": ONE}])
def test_none_and_both_are_refused(given: dict[str, UUID]) -> None:
    with pytest.raises(ValidationFailed, match="either dead_letter_id or delivery_id"):
        Undelivered(**given).named()
