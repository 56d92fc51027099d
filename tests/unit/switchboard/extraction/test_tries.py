"""A message is read a bounded number of times: what may pass is waited for, ever longer, and its end is on record."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import ButlerError, InternalFailure, TargetUnavailable
from butler_kit.queue import Defer, Finish, Finished, Lease
from butler_kit.runtime import SessionJob, SessionResult, ToolCall
from butler_kit.runtime.api import ModelMisled
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.extraction.extractor import MOST_TRIES, Extractor, Reads, Runs
from butler_switchboard.extraction.signals import SIGNAL_TOOL, Signal
from butler_switchboard.ingress.message import InboxMessage
from butler_switchboard.operations.audit import AuditEntry
from butler_switchboard.routing.rules.program import RulesSessions
from butler_switchboard.routing.rules.router import RulesRouter
from tests.unit.switchboard.dispatch.build import REQUEST, message, plan

NOW = datetime(2026, 11, 21, tzinfo=UTC)


BILL = {"type": "fact", "subject": "gas bill", "quote": "pay the gas bill", "confidence": 0.9}


class Place:
    """Everything around an extractor: a message, and a session that fails after it made `calls`."""

    def __init__(self, failure: ButlerError, calls: tuple[ToolCall, ...] = ()) -> None:
        self.failure = failure
        self.calls = calls
        self.entries: list[AuditEntry] = []
        self.written: list[Signal] = []

    async def load(self, request_id: UUID) -> RequestState:
        return RequestState(message(), plan("general"), ())

    async def person_of(self, context: Any) -> UUID:
        return UUID(int=1)

    async def trigger(self, job: SessionJob, source: str) -> SessionResult:
        error = self.failure.to_detail()
        return SessionResult(job.session_id, job.kind, "api", "failed", self.calls, NOW, NOW, 1.0, error)

    async def of(self, message: InboxMessage) -> tuple[RequestState, ...]:
        return ()

    async def write(self, lease: Lease, person: UUID, found: Sequence[Signal], *_: Any, **__: Any) -> None:
        self.written += found

    def record(self, entry: AuditEntry) -> None:
        self.entries.append(entry)

    def extractor(self) -> Extractor:
        fake: Any = self
        rules = RulesSessions(RulesRouter())
        runs = Runs(fake, rules, None, 30.0, uuid4, lambda: "b" * 32)
        return Extractor(Reads(fake, fake, self.person_of), runs, fake, fake)


def lease(attempt: int) -> Lease:
    return Lease(REQUEST, uuid4(), "default", "1", "1", attempt, NOW, NOW)


async def test_what_may_pass_is_waited_for_longer_each_time_and_not_for_ever() -> None:
    place = Place(TargetUnavailable("no model"))
    extractor = place.extractor()
    waits = [await extractor(lease(attempt)) for attempt in range(1, MOST_TRIES)]
    assert waits == [Defer(float(s)) for s in (60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600)]
    assert place.entries == []
    assert await extractor(lease(MOST_TRIES)) == Finish()
    [entry] = place.entries
    assert (entry.operation, entry.request_id, entry.error) == ("extraction.given_up", REQUEST, "no model")


async def test_a_defect_is_a_failed_attempt_and_its_last_one_ends_the_message() -> None:
    place = Place(InternalFailure("no call that can be taken"))
    extractor = place.extractor()
    with pytest.raises(InternalFailure):
        await extractor(lease(1))
    assert await extractor.give_up(lease(3), InternalFailure("no call that can be taken")) == Finish()
    assert [entry.result for entry in place.entries] == ["error"]


@pytest.mark.parametrize("bound", ["too_many_calls", "too_many_turns"])
async def test_what_a_session_recorded_before_it_went_beyond_its_bounds_is_written_and_not_read_again(
    bound: str,
) -> None:
    place = Place(ModelMisled(bound, "no end"), (ToolCall(SIGNAL_TOOL, BILL),))
    assert await place.extractor()(lease(1)) == Finished()
    assert [one.subject for one in place.written] == ["gas bill"]


@pytest.mark.parametrize(
    ("kind", "calls"), [("too_many_calls", ()), ("invalid_calls", (ToolCall(SIGNAL_TOOL, BILL),))]
)
async def test_a_session_that_recorded_nothing_or_ended_with_nonsense_is_tried_again(
    kind: str, calls: tuple[ToolCall, ...]
) -> None:
    place = Place(ModelMisled(kind, "no end"), calls)
    with pytest.raises(InternalFailure):
        await place.extractor()(lease(1))
    assert place.written == []
