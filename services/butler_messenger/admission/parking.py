"""Parks a delivery whose contact is unknown on its channel, and tells the owner once (MSG-6.2, D49)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final
from uuid import UUID

from butler_contracts.language import Language
from butler_kit.db import Connection, NamedQueries
from butler_messenger.admission.limits import AdmissionLimits
from butler_messenger.admission.notices import own_notice
from butler_messenger.admission.resolve import MissingIdentifier
from butler_messenger.admission.store import AdmissionStore, NewDelivery
from butler_messenger.contacts.book import SharedContacts
from butler_messenger.contacts.languages import language_of
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.states import Status
from butler_messenger.locale import noop, say

__all__ = ["Parking", "missing_text"]

_QUERIES = NamedQueries("butler_messenger.sql", "contacts.sql")
_OPEN_ACTION: Final = _QUERIES["open_action"]
_OPEN_NOTICE: Final = _QUERIES["open_notice"]

_NOUNS: Final = {"telegram": noop("Telegram chat id"), "email": noop("e-mail address")}


def missing_text(language: Language, *, origin: str, channel: str, name: str | None) -> str:
    """Return the text for the owner: who wanted to write to whom, what is missing, what to do."""
    noun = _NOUNS.get(channel)
    return say(
        language,
        "{butler} has a message for {person}, but no {identifier} of theirs is known. Add it to the contacts file; "
        "the message is kept until it expires.",
        butler=origin,
        person=name or say(language, "an unknown contact"),
        identifier=say(language, noun) if noun is not None else channel,
    )


class Parking:
    """Stores the parked delivery, its pending action and the notice, all in the caller's transaction."""

    def __init__(
        self,
        store: AdmissionStore,
        contacts: SharedContacts,
        *,
        own_name: str,
        language: Language,
        channels: tuple[str, ...],
        new_id: Callable[[], UUID],
    ) -> None:
        self._store = store
        self._contacts = contacts
        self._own_name = own_name
        self._language = language
        self._channels = channels
        self._new_id = new_id

    async def way_to_owner(self) -> tuple[str, str] | None:
        """Return any identifier of the owner on a channel that works here."""
        return await self._contacts.owner_channel(self._channels)

    async def park(
        self,
        connection: Connection,
        new: NewDelivery,
        missing: MissingIdentifier,
        limits: AdmissionLimits,
        *,
        way_to_owner: tuple[str, str] | None,
    ) -> tuple[Delivery, NewDelivery | None] | None:
        """Return the parked delivery and the queued notice; None if its key is known. Refuses as `admit`."""
        lacking = partial(missing_text, origin=new.origin_butler, channel=new.channel, name=missing.name)
        parking = replace(new, status=Status.PENDING_MISSING_IDENTIFIER)
        parked = await self._store.admit_exactly(connection, parking, limits)
        if parked is None:
            return None
        notice_id: UUID | None = await connection.fetchval(_OPEN_NOTICE, new.channel, missing.contact_id)
        notice: NewDelivery | None = None
        if notice_id is None and way_to_owner is not None:
            language = await language_of(connection, *way_to_owner, self._language)
            notice = self._notice(new, lacking(language), way_to_owner, language)
            await self._store.insert(connection, notice)
            notice_id = notice.delivery_id
        await connection.execute(
            _OPEN_ACTION,
            self._new_id(),
            new.delivery_id,
            new.request_id,
            new.origin_butler,
            missing.contact_id,
            new.channel,
            lacking("en"),
            notice_id,
        )
        return parked, notice

    def _notice(self, new: NewDelivery, text: str, way: tuple[str, str], language: Language) -> NewDelivery:
        return own_notice(
            delivery_id=self._new_id(),
            key=f"missing-identifier:{new.delivery_id}",
            own_name=self._own_name,
            way=way,
            subject=say(language, "A contact is incomplete"),
            message=text,
            expires_after_s=new.expires_after_s,
            request_id=new.request_id,
        )
