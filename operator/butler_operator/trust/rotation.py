"""How long each step of a key's rotation has to last (D2). Pure.

A new key signs only after every receiver can have read it; an old one is removed only after the last token that can
have been signed with it has expired.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from butler_kit.auth.caller import Role
from butler_kit.auth.claims import MAX_LIFETIME_S
from butler_kit.auth.verifier import LEEWAY_S

__all__ = ["ROTATE", "Rotation", "moment_of"]

ROTATE: Final = "butlers.dev/rotate-signing"
"""Annotation on the Secret: a new value makes the operator rotate at once."""
TOKEN_LIFE: Final = timedelta(seconds=MAX_LIFETIME_S[Role.SWITCHBOARD] + LEEWAY_S)


@dataclass(frozen=True)
class Rotation:
    """`interval` between two keys; `propagation` is the time until every pod reads a changed Secret or ConfigMap.

    A kubelet refreshes a pod's volumes every 60 to 90 s, from data up to a minute old; a process checks its file
    every 2 s. Raises `ValueError` for an interval too short for the steps.
    """

    interval: timedelta = timedelta(days=7)
    propagation: timedelta = timedelta(minutes=5)

    def __post_init__(self) -> None:
        least = 2 * self.propagation + TOKEN_LIFE
        if self.propagation <= timedelta(0) or self.interval < least:
            raise ValueError(f"a signing key cannot change every {self.interval}; the least is {least}")

    def switches_at(self, known_since: datetime) -> datetime:
        """Return when a key may sign that has been in the trust document since `known_since`."""
        return known_since + self.propagation

    def retires_at(self, switched_at: datetime) -> datetime:
        """Return when nothing signed with the previous key is valid any more."""
        return switched_at + self.propagation + TOKEN_LIFE


def moment_of(text: object, now: datetime) -> datetime | None:
    """Parse a time from an annotation; None if there is none, `now` if it lies in the future."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if moment is None or moment.tzinfo is None:
        return None
    return min(moment, now)
