"""One instance of a source at a time: whoever asks, in whatever order, and whatever it still writes."""

from __future__ import annotations

import asyncio
import random
from uuid import UUID

import pytest

from butler_contracts.errors import ValidationFailed
from butler_contracts.sources import DocumentAsked, DocumentGiven, LeaseAsked, LeaseGiven
from butler_kit.db import Pool
from butler_switchboard.sources import store as module
from butler_switchboard.sources.store import SourceStore
from tests.support.database import Provision
from tests.support.switchboard import new_switchboard_database

SOURCE = {"connector_type": "imap", "endpoint_identity": "imap:home@example.org"}


@pytest.fixture
async def pool(provisioned: Provision) -> Pool:
    return await (await new_switchboard_database(provisioned)).pool("switchboard")


@pytest.fixture
def store(pool: Pool) -> SourceStore:
    return SourceStore(pool)


def wish(instance: int, *, seconds: float = 20, release: bool = False, **source: str) -> LeaseAsked:
    asked = {**SOURCE, **source}
    return LeaseAsked(instance_id=UUID(int=instance), seconds=seconds, release=release, **asked)


async def write(
    store: SourceStore, token: int, text: str, *, version: int = 0, name: str = "cursor"
) -> DocumentGiven:
    asked = DocumentAsked(
        **SOURCE, action="write", name=name, lease=token, version=version, content={"text": text}
    )
    return await store.document(asked)


async def read(store: SourceStore, name: str = "cursor") -> DocumentGiven:
    return await store.document(DocumentAsked(**SOURCE, action="read", name=name))


async def lapse(pool: Pool) -> None:
    await pool.execute("UPDATE source_leases SET expires_at = clock_now() - interval '1 millisecond'")


@pytest.mark.spec("CNX-17.1")
async def test_of_many_that_ask_at_once_one_reads(store: SourceStore, pool: Pool) -> None:
    for round_ in range(5):
        given = await asyncio.gather(*(store.lease(wish(10 * round_ + number)) for number in range(8)))
        (holder,) = [one for one in given if one.held]
        assert {one.holder for one in given} == {holder.holder}
        assert holder.token == round_ + 1
        await lapse(pool)


@pytest.mark.spec("CNX-17.1")
async def test_sources_are_apart(store: SourceStore) -> None:
    one = await store.lease(wish(1))
    other = await store.lease(wish(2, endpoint_identity="imap:work@example.org"))
    assert (one.held, other.held) == (True, True)


@pytest.mark.spec("CNX-17.1", "CNX-17.3")
async def test_what_a_former_holder_writes_is_refused_from_the_moment_another_holds(
    store: SourceStore, pool: Pool
) -> None:
    former = await store.lease(wish(1))
    first = await write(store, former.token, "1")
    await lapse(pool)
    # Nobody else reads: what it has settled is kept.
    assert (await write(store, former.token, "2", version=first.version)).status == "ok"
    heir = await store.lease(wish(2))
    assert (heir.held, heir.token) == (True, former.token + 1)
    assert (await write(store, former.token, "3", version=2)).status == "fenced"
    assert (await read(store)).content == {"text": "2"}
    assert not (await store.lease(wish(1))).held
    await store.lease(wish(1, release=True))
    assert (await store.lease(wish(2))).held, "what is another's cannot be given back"


@pytest.mark.spec("CNX-17.3")
async def test_a_write_and_a_change_of_hands_at_once_are_one_after_the_other(
    store: SourceStore, pool: Pool
) -> None:
    """Whatever the heir finds when it has the lease stays until it writes itself."""
    token, version = (await store.lease(wish(0))).token, 0

    async def taken_over(instance: int) -> tuple[LeaseGiven, DocumentGiven]:
        return await store.lease(wish(instance)), await read(store)

    for number in range(1, 30):
        await lapse(pool)
        late, (heir, found) = await asyncio.gather(
            write(store, token, str(number), version=version), taken_over(number)
        )
        assert heir.held
        assert (await read(store)).content == found.content
        assert late.status in ("ok", "fenced")
        token, version = heir.token, found.version


@pytest.mark.spec("CNX-17.3")
async def test_a_document_is_written_over_the_version_that_is_known(store: SourceStore) -> None:
    token = (await store.lease(wish(1))).token
    assert (await write(store, token, "a")).version == 1
    assert (await write(store, token, "a")).version == 1, "an answer that was lost is asked for again"
    conflict = await write(store, token, "b")
    assert (conflict.status, conflict.version, conflict.content) == ("conflict", 1, {"text": "a"})
    assert (await write(store, token, "b", version=1)).version == 2
    assert (await write(store, token, "c", version=1)).status == "conflict"


@pytest.mark.spec("CNX-17.3")
async def test_a_source_keeps_no_more_than_its_bound(
    store: SourceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_DOCUMENTS", 3)
    token = (await store.lease(wish(1))).token
    kept = [(await write(store, token, "x", name=f"parked/{number:012d}")).status for number in range(5)]
    assert kept == ["ok", "ok", "ok", "full", "full"]
    monkeypatch.setattr(module, "MOST_DOCUMENTS", 10)
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    assert (await write(store, token, "y" * 100, name="albums")).status == "full"
    listed = await store.document(DocumentAsked(**SOURCE, action="list", name="parked"))
    assert listed.names == tuple(f"parked/{number:012d}" for number in range(3))


async def test_a_write_without_a_lease_or_a_version_is_a_mistake_in_words(store: SourceStore) -> None:
    with pytest.raises(ValidationFailed, match="lease: is missing"):
        await store.document(DocumentAsked(**SOURCE, action="write", name="cursor", version=0, content={}))
    token = (await store.lease(wish(1))).token
    with pytest.raises(ValidationFailed, match="content, version: are missing"):
        await store.document(DocumentAsked(**SOURCE, action="write", name="cursor", lease=token))


async def test_who_stands_by_is_counted_for_a_minute(store: SourceStore, pool: Pool) -> None:
    await store.lease(wish(1))
    for number in (2, 3, 3):
        given = await store.lease(wish(number))
    assert given.standbys == 2
    await pool.execute("UPDATE source_standbys SET seen_at = seen_at - interval '61 seconds'")
    assert (await store.lease(wish(1))).standbys == 0
    assert await pool.fetchval("SELECT count(*) FROM source_standbys") == 0


@pytest.mark.spec("CNX-17.1")
@pytest.mark.parametrize("seed", range(4))
async def test_in_any_order_a_lease_changes_hands_only_when_it_is_over(
    store: SourceStore, pool: Pool, seed: int
) -> None:
    draw = random.Random(seed)
    holder, token, free = 0, 0, True
    for _ in range(60):
        act, who = draw.choice(["ask", "ask", "release", "lapse"]), draw.randint(1, 3)
        if act == "lapse":
            await lapse(pool)
            free = True
            continue
        given = await store.lease(wish(who, release=act == "release"))
        if act == "release":
            free = free or holder == who
            continue
        assert given.held is (free or holder == who)
        if given.held:
            token += holder != who
            holder, free = who, False
        assert (given.token, given.holder) == (token, UUID(int=holder))
