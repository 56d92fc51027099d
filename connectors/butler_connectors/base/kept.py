"""A source's documents kept by Switchboard, so that any instance continues where another stopped (CNX-17.3, D33).

Invariant: a document is written over the version that this instance knows, under the lease that it holds; once
another instance has the lease, nothing is written any more.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final, Literal

from butler_connectors.base.checkpoint import Checkpoint, cursor_document
from butler_connectors.base.documents import CURSOR, REFUSED, DocumentFault
from butler_connectors.base.heartbeat import Instance
from butler_connectors.base.submit import FAILURES, Switchboard
from butler_contracts.sources import DocumentAsked, DocumentGiven

__all__ = ["KeptDocuments"]

_MOST_REFUSALS: Final = 200
_MOST_UNSURE: Final = 8
"""In an outage a write is retried many times, each time with its own timestamp."""
_Action = Literal["read", "write", "remove", "list"]


class KeptDocuments:
    """`begin` with each lease; `lost` is called when Switchboard says that another instance has the lease."""

    def __init__(self, switchboard: Switchboard, instance: Instance) -> None:
        self._switchboard = switchboard
        self._instance = instance
        self._lease: int | None = None
        self._lost: Callable[[], None] = lambda: None
        self._versions: dict[str, int] = {}
        self._unsure: dict[str, list[dict[str, Any]]] = {}
        """The last writes without an answer: any of them may be stored."""
        self._noting = asyncio.Lock()

    def begin(self, lease: int, lost: Callable[[], None]) -> None:
        """Forget everything known from before this lease."""
        self._lease, self._lost = lease, lost
        self._versions.clear()
        self._unsure.clear()

    def where(self, name: str) -> str:
        return f"{name} of {self._instance.endpoint_identity} at Switchboard"

    async def read(self, name: str) -> bytes | None:
        given = await self._asked("read", name)
        self._versions[name] = given.version
        if given.content is not None:
            return _bytes(given.content)
        if name == CURSOR and given.known is not None:
            # Stands for the file of an earlier release; what Switchboard has of it by now is a duplicate there.
            known = Checkpoint(given.known.cursor, given.known.updated_at)
            return cursor_document(known, self._instance.endpoint_identity)
        return None

    async def write(self, name: str, content: bytes) -> None:
        document = json.loads(content)
        unsure = self._unsure[name] = [*self._unsure.get(name, ()), document][-_MOST_UNSURE:]
        given = await self._asked("write", name, document)
        if given.status == "conflict" and given.content in unsure:
            self._versions[name] = given.version
            given = await self._asked("write", name, document)
        self._checked(name, given)
        self._versions[name] = given.version
        self._unsure.pop(name, None)

    async def names(self, folder: str) -> list[str]:
        given = await self._asked("list", folder)
        return sorted(given.names)

    async def remove(self, name: str) -> None:
        self._checked(name, await self._asked("remove", name))
        self._versions.pop(name, None)

    async def set_aside(self, name: str) -> str:
        given = await self._asked("read", name)
        aside = f"{name}.unreadable"
        if given.content is not None:
            self._versions[aside] = (await self._asked("read", aside)).version
            await self.write(aside, _bytes(given.content))
            await self.remove(name)
        return self.where(aside)

    async def note(self, line: bytes) -> None:
        async with self._noting:
            content = await self.read(REFUSED)
            lines = json.loads(content)["lines"] if content is not None else []
            kept = [*lines, json.loads(line)][-_MOST_REFUSALS:]
            await self.write(REFUSED, json.dumps({"lines": kept}).encode())

    async def _asked(
        self, action: _Action, name: str, content: dict[str, Any] | None = None
    ) -> DocumentGiven:
        writes = action in ("write", "remove")
        asked = DocumentAsked(
            connector_type=self._instance.connector_type,
            endpoint_identity=self._instance.endpoint_identity,
            action=action,
            name=name,
            lease=self._lease if writes else None,
            version=self._versions.get(name, 0) if action == "write" else None,
            content=content,
        )
        try:
            return await self._switchboard.document(asked)
        except FAILURES as error:
            raise DocumentFault(f"{self.where(name)} cannot be had: {error}", error, passing=True) from None

    def _checked(self, name: str, given: DocumentGiven) -> None:
        """Raise if it was not done; another instance's lease ends the work on this source."""
        if given.status in ("fenced", "conflict"):
            self._lost()
            problem = f"{self.where(name)} is written by another instance now"
            raise DocumentFault(problem, ConnectionError(problem), passing=True)
        if given.status == "full":
            problem = f"{self.where(name)} is not kept: Switchboard keeps no more of this source"
            raise DocumentFault(problem, OSError(problem))


def _bytes(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
