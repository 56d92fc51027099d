"""Who spoke last: read of one chat, the latest message first, and only what was answered."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from butler_switchboard.dispatch.conversations import Conversations
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.rules.conversation import FOLLOWED
from tests.integration.switchboard.dispatch.conftest import Dispatching


async def answered(dispatching: Dispatching, text: str, *, chat: str = "1") -> UUID:
    request_id = await dispatching.admit(text, chat=chat)
    await dispatching.work()
    await dispatching.finish(request_id)
    await dispatching.work()
    return request_id


async def around(dispatching: Dispatching, text: str, state: RequestState) -> RoutingMessage:
    return await Conversations(dispatching.pool).around(RoutingMessage(text), state)


async def before(dispatching: Dispatching, text: str, *, chat: str = "1") -> list[tuple[str, str, int]]:
    """The butlers before a message that comes now: name, what they answered, minutes ago."""
    state = await DispatchStore(dispatching.pool).load(await dispatching.admit(text, chat=chat))
    assert state is not None
    spoke = (await around(dispatching, text, state)).spoke
    return [(one.butler, one.to, round(one.ago / timedelta(minutes=1))) for one in spoke]


async def test_the_butlers_of_a_chat_are_read_the_latest_message_first(dispatching: Dispatching):
    await answered(dispatching, "health BP 138/88")
    await answered(dispatching, "travel flight BA117", chat="2")
    await dispatching.clock.move(dispatching.clock.at + timedelta(minutes=5))
    await answered(dispatching, "finance paid 180 EUR")
    await dispatching.clock.move(dispatching.clock.at + timedelta(minutes=1))
    assert await before(dispatching, "undo") == [
        ("finance", "finance paid 180 EUR", 1),
        ("health", "health BP 138/88", 6),
    ]
    assert await before(dispatching, "undo", chat="2") == [("travel", "travel flight BA117", 6)]
    assert await before(dispatching, "undo", chat="3") == []


async def test_what_was_said_long_ago_or_is_not_answered_yet_is_not_the_last_word(dispatching: Dispatching):
    await answered(dispatching, "health BP 138/88")
    await dispatching.clock.move(dispatching.clock.at + FOLLOWED + timedelta(minutes=1))
    await dispatching.admit("finance paid 180 EUR")
    await dispatching.work()
    assert await before(dispatching, "undo") == []


async def test_what_was_told_is_read_of_one_chat_for_longer_than_the_last_word(dispatching: Dispatching):
    await answered(dispatching, "health dentist on Thursday")
    await answered(dispatching, "travel dentist in Lisbon", chat="2")
    await dispatching.clock.move(dispatching.clock.at + timedelta(hours=2))
    moved = "move the dentist to Friday"
    state = await DispatchStore(dispatching.pool).load(await dispatching.admit(moved))
    assert state is not None
    told = (await around(dispatching, moved, state)).told
    assert [(one.butler, one.to) for one in told] == [("health", "health dentist on Thursday")]
    assert (await around(dispatching, "undo", state)).spoke == ()
