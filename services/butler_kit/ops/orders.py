"""Conversion of an operator's call into an order: by whom, under which key, about what (D4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from butler_kit.auth import Caller
from butler_kit.operations import ActBody, Order, key_of, order_by

__all__ = ["Orders"]


@dataclass(frozen=True)
class Orders:
    """Makes orders; `new_id` makes the key of one that came without."""

    new_id: Callable[[], UUID]

    def of(
        self, caller: Caller, key: str | None, body: ActBody, *, action: str, target: str, **params: Any
    ) -> Order:
        """Return the order of `caller`; `params` too must be the same in a repetition."""
        uid = key_of(key, otherwise=self.new_id())
        return order_by(caller, uid=uid, action=action, target=target, body=body, params=params)
