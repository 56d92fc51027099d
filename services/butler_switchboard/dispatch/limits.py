"""Looks up which household members are limited, in the current contacts (ADR 0100)."""

from __future__ import annotations

from typing import Protocol
from zoneinfo import ZoneInfo

from butler_contracts.context import RequestContext
from butler_contracts.language import Language
from butler_switchboard.dispatch.limited import Limited, limits_of
from butler_switchboard.ingress.senders import ContactBook

__all__ = ["Limits"]


class Household(Protocol):
    async def book(self) -> ContactBook: ...


class Limits:
    """`timezone` and `language` are the household's, for people without their own."""

    def __init__(self, contacts: Household, timezone: str, language: Language) -> None:
        self._contacts = contacts
        self._timezone = timezone
        self._language: Language = language

    async def of(self, context: RequestContext) -> Limited | None:
        """Return the sender's limits. Raises a retryable error while the household is unknown."""
        book = await self._contacts.book()
        contact = book.person_of(context)
        own = book.settings.get(contact) if contact is not None else None
        limits = limits_of(own) if own is not None else None
        if own is None or limits is None:
            return None
        zone = ZoneInfo(own.timezone or self._timezone)
        return Limited(limits, zone, own.language or self._language, book.owner)
