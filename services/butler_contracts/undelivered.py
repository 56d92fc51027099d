"""Which undelivered message an order is about: its dead letter, or the delivery where nobody has made one yet."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from butler_contracts.base import StrictModel
from butler_contracts.errors import ValidationFailed

__all__ = ["Undelivered"]


class Undelivered(StrictModel):
    """Exactly one of the two is given."""

    dead_letter_id: UUID | None = None
    delivery_id: UUID | None = None

    def named(self) -> tuple[Literal["dead_letter", "delivery"], UUID]:
        """Return which of the two is given, and its id. Raises `ValidationFailed` for none or both."""
        letter, delivery = self.dead_letter_id, self.delivery_id
        if letter is not None and delivery is None:
            return "dead_letter", letter
        if delivery is not None and letter is None:
            return "delivery", delivery
        raise ValidationFailed("Give either dead_letter_id or delivery_id.")
