"""Looks from time to time whether the model's server is there, so that a household knows before a message needs it.

Invariant: a look tells only of the address, and of the key where the server refuses it to a look too. Any other fault
that a question found is mended by a question, or passes by itself (a server that asked for a pause). A model that the
server does not list is a note and no fault: some servers answer to names that they do not list.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from typing import Final

from butler_kit.runtime.api.endpoint import Endpoint
from butler_kit.runtime.api.faults import FaultKind, ModelFault, is_over
from butler_kit.runtime.api.models import Models
from butler_kit.runtime.standing import RuntimeStanding, Unavailable
from butler_kit.time import wait_until_set

__all__ = ["Look", "unlisted"]

logger = logging.getLogger(__name__)

_WELL_S: Final = 60.0
_AMISS_S: Final = 10.0
_SEEN_BY_A_LOOK: Final = frozenset({FaultKind.NO_KEY.value, FaultKind.UNREACHABLE.value})


class Look:
    """`run` owns the looks of one process; it also has the library loaded before the first message."""

    def __init__(self, endpoint: Endpoint, models: Models, standing: RuntimeStanding) -> None:
        self._endpoint = endpoint
        self._models = models
        self._standing = standing
        self._seen: Unavailable | None = None
        """What a look found last: some servers list their models to whoever asks, key or no key."""

    async def run(self, stopping: asyncio.Event) -> None:
        """Look until stopped, more often while something is amiss."""
        while not stopping.is_set():
            await self.look()
            await wait_until_set(stopping, _WELL_S if self._standing.fault is None else _AMISS_S)

    async def look(self) -> None:
        """Look once, and tell the standing."""
        try:
            self._endpoint.check()
            listed = await (await self._models.opened()).look()
        except ModelFault as fault:
            self._standing.failed(fault, alone_s=2 * _AMISS_S)
            self._seen = self._standing.fault
        else:
            known = self._standing.fault
            if known is not None and self._is_mended(known):
                self._standing.had()
            self._compare(listed)

    def _compare(self, listed: Collection[str] | None) -> None:
        """Note the models that the server does not list; a list that cannot be read says nothing."""
        endpoint = self._endpoint
        missing = () if listed is None else unlisted(endpoint.known - self._standing.answered, listed)
        note = (
            f"{endpoint.host} does not list {', '.join(missing)} among its models; check {endpoint.named_in}.model "
            "and the other models of the manifest"
            if missing
            else None
        )
        if note is not None and note != self._standing.note:
            logger.warning("%s", note)
        self._standing.noted(note)

    def _is_mended(self, known: Unavailable) -> bool:
        """Tell whether a look that found nothing amiss says that this is over."""
        seen = known.kind in _SEEN_BY_A_LOOK or known is self._seen
        return seen or is_over(known.kind, quiet_s=self._standing.quiet_s)


def unlisted(wanted: Collection[str], listed: Collection[str]) -> tuple[str, ...]:
    """Return, in order, the models that are not listed, nor with a tag or a date after their name (pure)."""
    known = [one.lower() for one in listed]

    def is_listed(name: str) -> bool:
        plain = name.lower()
        return any(one == plain or one.startswith((f"{plain}:", f"{plain}-")) for one in known)

    return tuple(name for name in sorted(wanted) if not is_listed(name))
