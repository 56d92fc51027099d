"""The next step of a call that waits, from its stored state alone (ADR 0101)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from butler_contracts.call_approvals import ask_again_in_s
from butler_contracts.context import RequestContext
from butler_specialist.held.decide import Ask, Call, Ended, Keep, Tell, next_step
from butler_specialist.held.model import HeldCall, Outcome, Verdict, Wish
from butler_specialist.held.telling import telling_of
from tests.integration.specialist.household import request_context

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WISH = Wish(uuid4(), uuid4(), "door", "unlock", False, '{"door":"front"}', "door: front")
CALL = HeldCall(
    wish=WISH,
    request_id=uuid4(),
    context=RequestContext.model_validate(request_context("telegram")),
    reach=None,
    language="en",
    held_at=NOW - timedelta(minutes=1),
    now=NOW,
)
APPROVED = replace(CALL, verdict=Verdict.APPROVED, decided_by="Ada", decided_at=NOW)


def step(call: HeldCall, *, allowed: bool = True) -> Any:
    return next_step(call, allowed=allowed)


def test_nothing_is_called_before_a_verdict_and_after_any_but_an_approval() -> None:
    assert step(CALL) == Ask()
    assert step(APPROVED) == Call()
    for verdict in (Verdict.DENIED, Verdict.EXPIRED, Verdict.REFUSED):
        assert step(replace(CALL, verdict=verdict, decided_at=NOW)) == Tell(last=False)


def test_what_was_begun_is_never_begun_again() -> None:
    begun = replace(APPROVED, begun_at=NOW)
    assert step(begun) == Keep(Outcome.UNKNOWN)
    assert step(begun, allowed=False) == Keep(Outcome.UNKNOWN)
    for outcome in Outcome:
        assert step(replace(begun, outcome=outcome, outcome_at=NOW)) == Tell(last=False)


@pytest.mark.parametrize(("minutes", "expected"), [(14.9, Call()), (15.1, Keep(Outcome.LATE))])
def test_an_approval_is_good_for_a_quarter_of_an_hour(minutes: float, expected: object) -> None:
    assert step(replace(APPROVED, decided_at=NOW - timedelta(minutes=minutes))) == expected


def test_what_the_manifest_forbids_since_is_not_called() -> None:
    assert step(APPROVED, allowed=False) == Keep(Outcome.FORBIDDEN)


def test_an_end_is_offered_for_a_day_and_then_for_the_last_time() -> None:
    told = replace(APPROVED, begun_at=NOW, outcome=Outcome.RETURNED, outcome_at=NOW - timedelta(hours=24))
    assert step(told) == Tell(last=True)
    assert step(replace(told, ended_at=NOW)) == Ended()


def test_it_is_asked_about_soon_at_first_and_calmly_later() -> None:
    paces = [ask_again_in_s(NOW - timedelta(minutes=age), NOW) for age in (1, 30, 600)]
    assert paces == [2.0, 5.0, 15.0]


def test_the_same_end_is_told_in_the_same_words_under_the_same_key() -> None:
    done = replace(APPROVED, outcome=Outcome.RETURNED, said="opened")
    first, again = telling_of(done, own_name="home"), telling_of(done, own_name="home")
    assert first == again
    assert first is not None
    assert first.delivery.idempotency_key == f"held:{WISH.call_id}"
    assert first.delivery.message == (
        "Ada approved of it, and it was done: door.unlock (door: front). door says: “opened”"
    )


def test_who_can_be_written_to_nowhere_is_told_nothing() -> None:
    by_api = replace(CALL, context=RequestContext.model_validate(request_context("api")))
    assert telling_of(replace(by_api, verdict=Verdict.DENIED, decided_by="Ada"), own_name="home") is None
