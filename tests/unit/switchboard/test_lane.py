"""The admission lane after an outage: what it takes of the pool next."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from butler_switchboard.ingress.lane import Lane


class Link:
    """A connection that works, or says how it broke."""

    def __init__(self, broken: BaseException | None = None) -> None:
        self.broken = broken

    async def execute(self, _: str) -> None:
        if self.broken:
            raise self.broken

    async def fetch(self, *_: Any) -> list[Any]:
        if self.broken:
            raise self.broken
        return []

    async def close(self, timeout: float) -> None:
        if self.broken:
            raise self.broken

    def terminate(self) -> None:
        """As a real one: whatever state it is in."""


class Links:
    """A pool whose kept connections were all made before the server ended them."""

    def __init__(self, *kept: Link) -> None:
        self.kept = list(kept)
        self.expired = False

    async def acquire(self) -> Link:
        return self.kept.pop(0) if self.kept and not self.expired else Link()

    async def release(self, _: Link) -> None:
        """A closed one is no connection any more."""

    async def expire_connections(self) -> None:
        self.expired = True


ENDED = asyncpg.AdminShutdownError("terminating connection due to administrator command")
BROKEN_OFF = asyncpg.InternalClientError("cannot switch to state 15; another operation (2) is in progress")


@pytest.mark.parametrize("lost", [ENDED, BROKEN_OFF, asyncpg.InterfaceError("connection is closed")])
async def test_after_a_lost_connection_the_batch_is_written_on_a_new_one_whatever_the_pool_still_keeps(
    lost: Exception,
) -> None:
    pool = Links(Link(lost), Link(BROKEN_OFF), Link(BROKEN_OFF))
    lane = Lane(pool)  # type: ignore[arg-type]
    with pytest.raises(type(lost)):
        await lane.write([])
    assert await lane.write([]) == []


async def test_a_connection_that_breaks_only_when_it_is_used_is_not_kept_either() -> None:
    used = Link()
    pool = Links(used, Link(BROKEN_OFF))
    lane = Lane(pool)  # type: ignore[arg-type]
    assert await lane.write([]) == []
    used.broken = ENDED
    with pytest.raises(asyncpg.AdminShutdownError):
        await lane.write([])
    assert await lane.write([]) == []


async def test_a_full_disk_leaves_the_other_connections_as_they_are() -> None:
    full = asyncpg.DiskFullError("no space left on device")
    pool = Links(Link(full), Link())
    lane = Lane(pool)  # type: ignore[arg-type]
    with pytest.raises(asyncpg.DiskFullError):
        await lane.write([])
    assert await lane.write([]) == []
    assert not pool.expired
