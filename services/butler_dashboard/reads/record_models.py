"""PURE: the household's records, as its specialists keep them."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal
from uuid import UUID

from butler_dashboard.reads.model import Model

__all__ = ["Agenda", "LastChange", "OpenList", "RecordDetail", "RecordList", "RecordSummary"]


class RecordSummary(Model):
    """One fact of one butler. `occurred_on` is the day it is about, in the household's time zone; `person` told it.

    `version` counts its states: a later one than the first was changed. A withdrawn one is known no more. Of a private
    one no page learns the words and values: its `text` is empty (ADR 0122).
    """

    butler: str
    record_id: UUID
    request_id: UUID
    kind: str
    title: str | None
    occurred_on: date
    occurred_at: time | None
    amount: Decimal | None
    currency: str | None
    quantity: Decimal | None
    quantity_second: Decimal | None
    unit: str | None
    party: str | None
    place: str | None
    code: str | None
    text: str
    channel: str
    sender_identity: str
    sender_class: str
    recorded_at: datetime
    contact_id: UUID | None
    version: int
    withdrawn_at: datetime | None
    done_on: date | None
    person: str | None

    @property
    def is_withheld(self) -> bool:
        """Whether its words are its teller's alone."""
        return self.text == ""


class LastChange(Model):
    """What made a record what it is: when, in one word why, by whom and through which channel; what it was before."""

    at: datetime
    cause: str
    through: str
    by: str
    former: RecordSummary


class RecordDetail(RecordSummary):
    """One record; `last_change` is null where it was never changed, or its butler does not show it.

    `audience` is null where nobody said whose it is: then it is as its kind is (ADR 0100).
    """

    last_change: LastChange | None
    audience: Literal["household", "private"] | None = None
    shared_with: tuple[str, ...] = ()
    """Who else may be told of it, by name."""


class RecordList(Model):
    """One page, what was learned last first; `next` is null on the last.

    `unread` are the butlers that are registered and whose records cannot be read here.
    """

    records: tuple[RecordSummary, ...]
    unread: tuple[str, ...]
    next: str | None


class OpenList(Model):
    """What is on one list of the household, in the order in which it was put there."""

    name: str
    items: tuple[RecordSummary, ...]


class Agenda(Model):
    """What the next days bring, by day, and what is on the lists."""

    coming: tuple[RecordSummary, ...]
    lists: tuple[OpenList, ...]
