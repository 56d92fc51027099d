"""`GET /ops/v1/usage`: usage and cost by day, butler, model and person, and what budgets refused (D59)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.errors import ValidationFailed
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_QUERY, Reader, handed
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.operations.view import View
from butler_switchboard.spending.usage import Refused, UsageStore, Used

__all__ = ["reading_usage"]

_FORMER = "a former contact"


class UsageQuestion(StrictModel):
    """The last `limit` days up to `day` (YYYY-MM-DD, of UTC; without it today)."""

    day: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    limit: Annotated[int, Field(ge=1, le=31)] = 1


class PersonView(View):
    """A contact, by the name that the household gave them."""

    contact_id: UUID
    name: str


class UsageView(View):
    """What one model took for one person at one butler in a day.

    `person` is null for whoever is no contact. `priced`: false where the owner gave no price:
    then the cost is that of a public list, in US cents and for no budget, and 0 where the list does not know the model.
    `running` sessions count with what they have cost so far; `given_up` are those whose process died.
    """

    day: date
    butler: str
    model: str
    person: PersonView | None
    sessions: int
    questions: int
    input_tokens: int
    output_tokens: int
    microcents: int
    priced: bool
    running: int
    given_up: int

    @classmethod
    def of(cls, used: Used, names: Mapping[UUID, str]) -> Self:
        person = used.person
        shown = {name: getattr(used, name) for name in cls.model_fields if name != "person"}
        who = PersonView(contact_id=person, name=names.get(person, _FORMER)) if person is not None else None
        return cls(**shown, person=who)


class RefusedView(View):
    """How many sessions of a butler a day's budget did not let begin."""

    day: date
    butler: str
    refused: int

    @classmethod
    def of(cls, one: Refused) -> Self:
        return cls(day=one.day, butler=one.butler, refused=one.refused)


class UsageList(View):
    """Days of UTC, the latest first; at most 1,000 rows."""

    first: date
    last: date
    usage: list[UsageView]
    refused: list[RefusedView]


reading_usage = ops_router()


@reading_usage.get("/usage")
async def usage(
    store: Annotated[UsageStore, handed(UsageStore)],
    contacts: Annotated[Contacts, handed(Contacts)],
    _: Reader,
    asked: Annotated[UsageQuestion, *AS_QUERY],
) -> UsageList:
    """What was used and refused."""
    last = await store.today() if asked.day is None else _day(asked.day)
    first = last - timedelta(days=asked.limit - 1)
    names = await contacts.names()
    return UsageList(
        first=first,
        last=last,
        usage=[UsageView.of(one, names) for one in await store.used(first, last)],
        refused=[RefusedView.of(one) for one in await store.refused(first, last)],
    )


def _day(given: str) -> date:
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise ValidationFailed(f"day: {given} is no day; expected one such as 2026-01-31") from None
