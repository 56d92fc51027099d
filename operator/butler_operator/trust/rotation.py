"""How long each step of a key's rotation has to last (D2). Pure.

A new key signs only after every receiver can have read it; an old one goes only after the last token that anybody can
have signed with it has ended.
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
"""Annotation on the Secret: another value makes the operator rotate at once."""
TOKEN_LIFE: Final = timedelta(seconds=MAX_LIFETIME_S[Role.SWITCHBOARD] + LEEWAY_S)


@dataclass(frozen=True)
class Rotation:
    """`interval` between two keys; `propagation` is the time until every pod reads a changed Secret or ConfigMap.

    A kubelet looks at a pod's volumes every 60 to 90 s, at what may be a minute old; a process looks at its file every
    2 s. Raises `ValueError` for an interval that the steps do not fit into.
    """

    interval: timedelta = timedelta(days=7)
    propagation: timedelta = timedelta(minutes=5)

    def __post_init__(self) -> None:
        least = 2 * self.propagation + TOKEN_LIFE
        if self.propagation <= timedelta(0) or self.interval < least:
            raise ValueError(f"a signing key cannot change every {self.interval}; the least is {least}")

    def switches_at(self, known_since: datetime) -> datetime:
        """When a key that is in the trust document since then may sign."""
        return known_since + self.propagation

    def retires_at(self, switched_at: datetime) -> datetime:
        """When nothing signed with the key before is valid any more."""
        return switched_at + self.propagation + TOKEN_LIFE


def moment_of(text: object, now: datetime) -> datetime | None:
    """A moment as an annotation has it; None for none, `now` for one that lies ahead."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if moment is None or moment.tzinfo is None:
        return None
    return min(moment, now)
