"""PURE: lease ids that identify their owner, so that a restarted process knows what its former life held.

A lease id is 6 bytes of the replica's hashed name, 4 of this life of it, 6 random; without a name all are random.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Callable
from uuid import UUID

__all__ = ["LeaseIds"]

_REPLICA, _LIFE, _WHOLE = 6, 4, 16


class LeaseIds:
    """Makes lease ids for one life of `replica`; `draw(n)` returns n random bytes."""

    def __init__(self, replica: str | None, *, draw: Callable[[int], bytes] = os.urandom) -> None:
        self._draw = draw
        self._replica = hashlib.sha256(replica.encode()).digest()[:_REPLICA] if replica else None
        self._life = (self._replica or b"") + draw(_LIFE)

    def new(self) -> UUID:
        if self._replica is None:
            return uuid.uuid4()
        return UUID(bytes=self._life + self._draw(_WHOLE - len(self._life)))

    @property
    def all_lives(self) -> tuple[UUID, UUID] | None:
        """The first and the last id of any life of this replica; None for one without a name."""
        return None if self._replica is None else _range(self._replica)

    @property
    def this_life(self) -> tuple[UUID, UUID]:
        return _range(self._life)


def _range(prefix: bytes) -> tuple[UUID, UUID]:
    rest = _WHOLE - len(prefix)
    return UUID(bytes=prefix + b"\x00" * rest), UUID(bytes=prefix + b"\xff" * rest)
