"""Finds what a message replies to, and what was offered in its chat just now (SWB-03.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import asyncpg

from butler_contracts.context import RequestContext
from butler_contracts.ingest import SourceChannel
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_switchboard.dispatch.model import PersonOf, RequestState, SubrouteState
from butler_switchboard.dispatch.state import load_request
from butler_switchboard.dispatch.withdrawing import own_parts
from butler_switchboard.routing.message import MeantWord
from butler_switchboard.routing.rules.conversation import FOLLOWED

__all__ = ["Replies"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/dispatch.sql")


class Replies:
    """Looks up what is replied to: a message of the household, or what a butler told."""

    def __init__(self, pool: Pool, person_of: PersonOf) -> None:
        self._pool = pool
        self._person_of = person_of

    async def meant(self, state: RequestState) -> MeantWord | None:
        """Return what the message replies to; None if that is not known (any more). Raises `Unreadable`."""
        replied, context = state.message.in_reply_to, state.message.context
        if replied is None:
            return None
        async with acquire(self._pool, doing="reading what is replied to") as connection:
            told = await connection.fetchrow(
                _SQL["replied_telling"], replied, context.source_channel.value, _chat(state)
            )
            if told is not None:
                return await _of_telling(connection, state, told)
            rows = await connection.fetch(
                _SQL["replied_message"],
                context.source_endpoint_identity,
                context.source_thread_identity,
                replied,
                state.request_id,
            )
            return await _of_messages(connection, rows)

    async def offered_last(self, state: RequestState) -> MeantWord | None:
        """Return what was told with answers to choose from, if nothing was said in the chat since."""
        context, chat = state.message.context, _chat(state)
        if chat is None:
            return None
        names = await self._names_of(context, chat)
        async with acquire(self._pool, doing="looking what was told last") as connection:
            told = await connection.fetchrow(
                _SQL["offered_last"],
                chat,
                context.source_channel.value,
                context.received_at - FOLLOWED,
                context.received_at,
                context.source_thread_identity,
                state.request_id,
                names,
            )
        return MeantWord((told["origin_butler"],), actions=tuple(told["actions"])) if told else None

    async def _names_of(self, context: RequestContext, chat: str) -> list[str]:
        """Return how a butler may have named this chat as a recipient: by itself or, if it is private, its person."""
        private = chat == context.source_sender_identity
        person = await self._person_of(context) if private else None
        return [chat] if person is None else [chat, str(person)]


async def _of_telling(connection: Connection, state: RequestState, told: asyncpg.Record) -> MeantWord | None:
    """Return what was told. Two bots number messages alike, so an answer must come by its question's bot."""
    butlers, actions = (told["origin_butler"],), tuple(told["actions"] or ())
    if told["request_id"] is None:
        return MeantWord(butlers, actions=actions)
    asked = await load_request(connection, told["request_id"])
    endpoint = state.message.context.source_endpoint_identity
    if asked is None or asked.message.context.source_endpoint_identity != endpoint:
        return None
    return MeantWord(butlers, told["request_id"], actions)


async def _of_messages(connection: Connection, rows: Sequence[asyncpg.Record]) -> MeantWord | None:
    """Return the newest version that a butler worked on."""
    for row in rows:
        said = await load_request(connection, row["request_id"])
        done = [one.target for one in own_parts(said) if one.state is SubrouteState.OK] if said else []
        if done:
            return MeantWord(tuple(dict.fromkeys(done)), row["request_id"])
    return None


def _chat(state: RequestState) -> str | None:
    """Return the chat without its topic, as Messenger names it; None for a mail."""
    context = state.message.context
    if context.source_channel is not SourceChannel.TELEGRAM or context.source_thread_identity is None:
        return None
    return context.source_thread_identity.partition(":")[0]
