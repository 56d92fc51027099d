"""A row whose steps change nothing is not worked on without a pause."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast
from uuid import uuid4

from butler_kit.queue import Defer, Lease
from butler_kit.telemetry import BUFFER, ROUTE, Metrics
from butler_specialist.metrics import RouteMetrics
from butler_specialist.work.handler import RouteWorker
from tests.unit.specialist.test_decide import NEW, NOW


class Unmoved:
    """A store in which a begun run is never seen: what a defect between two statements would look like."""

    def __init__(self) -> None:
        self.begun = 0

    async def find(self, _: object) -> Any:
        return replace(NEW)

    async def begin(self, _: Lease) -> None:
        self.begun += 1


async def test_steps_that_change_nothing_end_in_a_growing_pause() -> None:
    inbox = Unmoved()
    worker = RouteWorker(
        own_name="finance",
        inbox=cast(Any, inbox),
        sessions=cast(Any, None),
        presses=cast(Any, None),
        invitations=cast(Any, None),
        calls=cast(Any, None),
        runs=cast(Any, None),
        booked=cast(Any, None),
        switchboard=cast(Any, None),
        metrics=RouteMetrics(Metrics((*ROUTE, *BUFFER))),
        written=lambda _: None,
    )
    pauses = [await worker.process(_lease(attempt)) for attempt in (1, 2, 5)]
    assert pauses == [Defer(2.0), Defer(4.0), Defer(32.0)]
    assert inbox.begun == 36


def _lease(attempt: int) -> Lease:
    return Lease(uuid4(), uuid4(), "default", "telegram", None, attempt, NOW, NOW)
