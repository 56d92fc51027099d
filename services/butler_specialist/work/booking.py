"""What an answer says about the calendar (SWB-24.2).

It is looked up once the outcome is durable, and stored before it is sent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol
from uuid import UUID

from butler_contracts.notify import NotifyRequestV1
from butler_kit.wording.language import language_of
from butler_specialist.booking.wording import booking_text
from butler_specialist.people.ways import Ways
from butler_specialist.store.bookings import Standing
from butler_specialist.store.model import RoutedWork
from butler_specialist.work.tellings import with_words

__all__ = ["BookedAnswers", "Books", "with_booking"]


class Books(Protocol):
    """See `butler_specialist.booking.keeper.Bookings`."""

    async def of_work(
        self, request_id: UUID, segment_id: str, *, titles: Callable[[UUID | None], bool]
    ) -> list[Standing]: ...


class BookedAnswers:
    """Looks up what answers say about the calendar; `books` is None where appointments are not booked."""

    def __init__(self, books: Books | None, ways_of: Callable[[UUID | None], Ways]) -> None:
        self._books = books
        self._ways_of = ways_of

    async def said_of(self, work: RoutedWork) -> str:
        """Return what is said about the appointments of `work`; empty where there are none."""
        if self._books is None:
            return ""
        segment = work.envelope.subrequest.segment_id
        standing = await self._books.of_work(work.request_id, segment, titles=partial(_reads_titles, work))
        if not standing:
            return ""
        ways = self._ways_of(work.contact_id)
        # An invitation's text is written by a program, so its language says nothing about the reader.
        own = work.envelope.input.prompt if work.envelope.invitation is None else ""
        language = language_of(own, ways.language)
        zone = ways.clock.zone
        today = work.now.astimezone(zone).date()
        return booking_text(standing, zone, today, language, titles=_reads_titles(work, work.contact_id))


def _reads_titles(work: RoutedWork, contact_id: UUID | None) -> bool:
    """Return whether somebody may read what else is in the calendar: not a guest, nor one whose role is unknown."""
    if contact_id == work.contact_id:
        return work.role != "guest"
    members = work.people.members if work.people is not None else ()
    return any(one.contact_id == contact_id and one.role != "guest" for one in members)


def with_booking(request: NotifyRequestV1, said: str | None) -> NotifyRequestV1:
    """Return the answer with the note on the calendar."""
    if not said:
        return request
    if request.delivery.format == "markdown":
        return with_words(request, said)
    message = f"{request.delivery.message} {said}"
    return request.model_copy(update={"delivery": request.delivery.model_copy(update={"message": message})})
