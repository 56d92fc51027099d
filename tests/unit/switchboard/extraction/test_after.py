"""What follows the end of a message is done again later where it could not be done: nobody is forgotten by halves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_switchboard.dispatch.model import RequestState, Subroute, SubrouteState
from butler_switchboard.extraction.after import AfterTheEnd
from butler_switchboard.ingress.message import InboxMessage
from tests.unit.switchboard.dispatch.build import message, plan

MESSAGE = replace(message(), envelope=message().envelope | {"control": {}})
OK = Subroute(uuid4(), "s1", "general", 1, 1, SubrouteState.OK)
STATE = RequestState(MESSAGE, plan("general"), (OK,))
NOW_PRIVATE = replace(
    STATE, message=replace(MESSAGE, text="Anna is pregnant, keep that between us", supersedes="4")
)
FORMER = replace(MESSAGE, request_id=UUID(int=4))
FORGET = replace(STATE, message=replace(MESSAGE, text="forget everything you know about me"))
ADA = UUID(int=1)


class Store:
    """Keeps what it is asked for; nothing while it is away."""

    def __init__(self) -> None:
        self.away = False
        self.asked: list[tuple[str, UUID]] = []

    async def add(self, request_id: UUID, person: UUID) -> bool:
        self._note("add", person)
        return True

    async def drop(self, requests: Sequence[UUID]) -> None:
        for request in requests:
            self._note("drop", request)

    async def forget(self, person: UUID) -> int:
        self._note("forget", person)
        return 1

    def _note(self, what: str, person: UUID) -> None:
        if self.away:
            raise TargetUnavailable("the database is away")
        self.asked.append((what, person))


class Former:
    async def of(self, message: InboxMessage) -> tuple[RequestState, ...]:
        return (RequestState(FORMER, None, ()),) if message.supersedes is not None else ()


class Readers:
    def __init__(self) -> None:
        self.offered: list[UUID] = []

    def offer(self, item_id: UUID, lane: str, source: str) -> bool:
        self.offered.append(item_id)
        return True


async def test_a_message_is_queued_and_offered_at_once() -> None:
    store, readers = Store(), Readers()
    assert await _after(store, readers)(STATE)
    assert (store.asked, readers.offered) == ([("add", ADA)], [STATE.request_id])


@pytest.mark.parametrize("state", [STATE, FORGET], ids=["to be read", "to be forgotten"])
async def test_an_outage_puts_it_off(state: RequestState) -> None:
    store, readers = Store(), Readers()
    after = _after(store, readers)
    store.away = True
    assert not await after(state)
    store.away = False
    assert await after(state)
    assert len(store.asked) == 1


async def test_while_the_household_cannot_be_read_nobody_is_taken_for_nobody() -> None:
    async def unknown(context: Any) -> UUID | None:
        raise TargetUnavailable("the contacts cannot be read")

    store: Any = Store()
    assert not await AfterTheEnd(store, Former(), unknown, None)(FORGET)


async def test_where_nothing_is_to_be_found_only_forgetting_is_done() -> None:
    store = Store()
    assert await _after(store, None)(STATE)
    assert await _after(store, None)(FORGET)
    assert store.asked == [("forget", ADA)]


@pytest.mark.parametrize("readers", [Readers(), None], ids=["on", "off"])
async def test_an_edit_that_makes_its_message_private_deletes_what_was_found_in_it(
    readers: Readers | None,
) -> None:
    store = Store()
    assert await _after(store, readers)(NOW_PRIVATE)
    assert store.asked == [("drop", FORMER.request_id)]


def _after(store: Any, readers: Readers | None) -> AfterTheEnd:
    async def ada(context: Any) -> UUID | None:
        return ADA

    return AfterTheEnd(store, Former(), ada, readers)
