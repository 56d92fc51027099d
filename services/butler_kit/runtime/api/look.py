"""Looks from time to time whether the model's server is there, so that a household knows before a message needs it.

Invariant: a look tells only of the address, and of the key where the server refuses it to a look too. Any other fault
that a question found is mended by a question, or passes by itself (a server that asked for a pause).
"""

from __future__ import annotations

import asyncio
from typing import Final

from butler_kit.runtime.api.endpoint import Endpoint
from butler_kit.runtime.api.faults import FaultKind, ModelFault, is_over
from butler_kit.runtime.api.models import Models
from butler_kit.runtime.standing import RuntimeStanding, Unavailable
from butler_kit.time import wait_until_set

__all__ = ["Look"]

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
            await (await self._models.opened()).look()
        except ModelFault as fault:
            self._standing.failed(fault, alone_s=2 * _AMISS_S)
            self._seen = self._standing.fault
        else:
            known = self._standing.fault
            if known is not None and self._is_mended(known):
                self._standing.had()

    def _is_mended(self, known: Unavailable) -> bool:
        """Tell whether a look that found nothing amiss says that this is over."""
        seen = known.kind in _SEEN_BY_A_LOOK or known is self._seen
        return seen or is_over(known.kind, quiet_s=self._standing.quiet_s)
