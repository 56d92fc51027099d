"""The way to the models of one endpoint: opened with the first question, closed with the process.

The library is imported here, not before: it is an optional extra, and a household that does not think with a model
pays nothing for it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from butler_kit.runtime.api.endpoint import Endpoint
from butler_kit.runtime.api.faults import FaultKind, ModelFault
from butler_kit.runtime.api.packages import HOW_THEY_COME
from butler_kit.runtime.api.talk import Talk
from butler_kit.runtime.family import SessionJob

if TYPE_CHECKING:
    from butler_kit.runtime.api.library import Library

__all__ = ["Models"]


class Models:
    """`open` is the `TalkOpener` of an `ApiFamily`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._library: Library | None = None

    async def open(self, job: SessionJob, model: str) -> Talk:
        """A conversation; `ModelFault` where the extra is not installed."""
        return (await self.opened()).talk(job, model)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._library is not None:
            await self._library.aclose()

    async def opened(self) -> Library:
        """The library, imported beside the event loop: it takes a second or more."""
        if self._library is None:
            library = await asyncio.to_thread(_made, self._endpoint)
            self._library = self._library or library
        return self._library


def _made(endpoint: Endpoint) -> Library:
    try:
        from butler_kit.runtime.api.library import Library

        return Library(endpoint)
    except ImportError as missing:
        raise ModelFault(
            FaultKind.NOT_INSTALLED,
            f"the packages of the extra llm are not installed here ({missing.name or 'pydantic_ai'} is missing); "
            f"{HOW_THEY_COME}",
        ) from missing
