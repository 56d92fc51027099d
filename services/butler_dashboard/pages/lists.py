"""The list pages, from `/requests` to `/backfills`; each page is one read.

A page takes the same parameters as the API, by the same names; the filters of its form are declared here per list.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Final, Protocol

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from butler_dashboard.api.questions import (
    ApprovalQuestion,
    BackfillQuestion,
    ButlerQuestion,
    DeadLetterQuestion,
    DeliveryQuestion,
    RecordQuestion,
    RequestQuestion,
)
from butler_dashboard.auth.sessions import form_key_of
from butler_dashboard.pages.facts import kind_word
from butler_dashboard.pages.queries import Listing, since_of
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.reads.approvals import list_approvals, standing_rules
from butler_dashboard.reads.backfills import list_backfills, sources
from butler_dashboard.reads.butlers import ButlerFilter, list_butlers
from butler_dashboard.reads.dead_letters import list_dead_letters
from butler_dashboard.reads.deliveries import (
    DeliveryFilter,
    delivery_figures,
    list_deliveries,
    suppressions,
)
from butler_dashboard.reads.people import People, household_people
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.records import known_kinds, list_records
from butler_dashboard.reads.requests import list_requests, service_level
from butler_dashboard.reads.today import undecided

__all__ = ["LISTS", "list_page"]

ROWS: Final = 50
CARDS: Final = 24
_NAMING: Final = ("requests", "records", "deliveries", "approvals", "dead-letters")
_LEVELLED: Final = ("requests", "backfills")
"""What is held back while the service level of messages is missed."""
_MOST_BUTLERS: Final = 100
_MARK: Final = "react"
"""What a list of deliveries leaves out unless it is asked for: a reaction says nothing and is sent for each message."""
_CAUSES: Final = 20
Question = (
    RequestQuestion
    | RecordQuestion
    | DeliveryQuestion
    | ApprovalQuestion
    | DeadLetterQuestion
    | ButlerQuestion
    | BackfillQuestion
)


class _Found(Protocol):
    @property
    def next(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class _List:
    """One list: how it is read and queried, its page size, and the filters of its form."""

    read: Callable[..., Awaitable[_Found]]
    question: type[Question]
    size: int
    filters: tuple[str, ...] = ()


LISTS: Final[Mapping[str, _List]] = {
    "requests": _List(
        list_requests,
        RequestQuestion,
        ROWS,
        ("q", "state", "channel", "butler", "sender_identity", "endpoint_identity", "since"),
    ),
    "records": _List(list_records, RecordQuestion, ROWS, ("q", "butler", "kind", "person", "state")),
    "deliveries": _List(
        list_deliveries, DeliveryQuestion, ROWS, ("status", "channel", "origin_butler", "intent", "since")
    ),
    "approvals": _List(list_approvals, ApprovalQuestion, CARDS, ("state",)),
    "dead-letters": _List(list_dead_letters, DeadLetterQuestion, CARDS, ("kind", "state", "error_class")),
    "butlers": _List(list_butlers, ButlerQuestion, CARDS),
    "backfills": _List(list_backfills, BackfillQuestion, CARDS),
}
"""Keyed by the section of the menu, which is also the address and the template."""


def list_page(section: str) -> Callable[[Request, Pages, Reader], Awaitable[Response]]:
    """Return the page function of one list."""
    shown = LISTS[section]

    async def page(request: Request, pages: Pages, reader: Reader) -> Response:
        listing = Listing(request)
        filters = {name: request.query_params.get(name, "") for name in shown.filters}
        since = {"since": since_of(request, pages.now())} if "since" in filters else {}
        wanted = _asked(shown.question, {**filters, **since}).wanted()
        if isinstance(wanted, DeliveryFilter) and not filters["intent"]:
            wanted = replace(wanted, but_intent=_MARK)
        found = await shown.read(reader, wanted, limit=shown.size, cursor=listing.cursor)
        told: dict[str, Any] = {"found": found, "filters": filters, **listing.links(found.next)}
        told |= await _beside(section, request, reader, listing, filters)
        if section in _NAMING:
            told["people"] = await household_people(reader)
        if section == "records":
            told["kinds"] = [(kind, kind_word(kind)) for kind in await known_kinds(reader)]
            told["persons"] = _persons(told["people"])
        return pages.page(request, f"{section}.html", told, section=section)

    return page


async def _beside(
    section: str, request: Request, reader: Reader, listing: Listing, filters: Mapping[str, str]
) -> dict[str, Any]:
    """Return what a section shows beside its rows; much of it on the first page alone."""
    told: dict[str, Any] = {}
    first = listing.cursor is None
    if section == "backfills" and form_key_of(request) is not None:
        told["sources"] = await sources(reader)
    if section == "dead-letters":
        wanted = _wants_causes(listing, filters)
        told["causes"] = (await undecided(reader, limit=_CAUSES)).causes if wanted else ()
    if section == "deliveries" and first:
        told["figures"] = await delivery_figures(reader)
        told["suppressed"] = await suppressions(reader)
    if section in _LEVELLED and first:
        told["level"] = await service_level(reader)
    if section == "approvals":
        told["rules"] = await standing_rules(reader) if first else ()
    if section in ("requests", "records", "deliveries"):
        told["butlers"] = await _butler_names(reader)
    return told


def _wants_causes(listing: Listing, filters: Mapping[str, str]) -> bool:
    """Return whether to show causes: on the first page of open letters, unless filtered to one cause."""
    return listing.cursor is None and filters["state"] in ("", "open") and not filters["error_class"]


async def _butler_names(reader: Reader) -> list[tuple[str, str]]:
    """Return the options of the butler filter: the butlers that messages go to."""
    found = await list_butlers(reader, ButlerFilter(role="specialist"), limit=_MOST_BUTLERS)
    return [(butler.name, butler.name) for butler in found.butlers]


def _persons(people: People) -> list[tuple[str, str]]:
    """Return the options of the person filter: the contacts, by name."""
    return sorted(((str(contact_id), name) for contact_id, name in people.names.items()), key=itemgetter(1))


def _asked(question: type[Question], filters: Mapping[str, Any]) -> Question:
    """Return the question with its valid filters; a value that the form does not offer is ignored."""
    given = {name: value for name, value in filters.items() if value}
    try:
        return question.model_validate(given)
    except ValidationError as error:
        wrong = {problem["loc"][0] for problem in error.errors()}
        return question.model_validate({name: value for name, value in given.items() if name not in wrong})
