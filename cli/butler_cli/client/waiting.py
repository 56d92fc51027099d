"""Wait for the end of a request and for the messages about it, up to a time limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_cli.client.household import HouseholdNotUp, RunningHousehold
from butler_cli.client.life import Life, life_of
from butler_cli.client.ops import OpsClient
from butler_cli.client.reading import RequestDocument, read_life

__all__ = ["Waited", "wait_for_end"]

FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 1.0
UNDER_WAY: Final = frozenset({"pending", "in_progress", "queued"})


@dataclass(frozen=True)
class Waited:
    """The last state that was read; `ended` is False if time ran out first."""

    found: RequestDocument
    life: Life
    ended: bool


def wait_for_end(
    household: RunningHousehold,
    ops: OpsClient,
    request_id: UUID,
    *,
    timeout_s: float,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Waited:
    """Read the request until it is finished and everything told about it has arrived or failed."""
    deadline = monotonic() + timeout_s
    pause_s = FIRST_PAUSE_S
    while True:
        left = deadline - monotonic()
        waited = _read(household, ops, request_id, patient=left > 0)
        if waited is not None and (waited.ended or left <= 0):
            return waited
        pause(min(pause_s, max(left, 0.0)))
        pause_s = min(pause_s * 1.5, LONGEST_PAUSE_S)


def _read(household: RunningHousehold, ops: OpsClient, request_id: UUID, *, patient: bool) -> Waited | None:
    """Read once; None while a service of a running household is silent: its supervisor restarts it."""
    try:
        found = read_life(household, ops, request_id)
    except HouseholdNotUp:
        if patient and household.state.supervisor_pid() is not None:
            return None
        raise
    life = life_of({**found.document, "deliveries": found.document["deliveries"] or []})
    return Waited(found, life, ended=_at_rest(life))


def _at_rest(life: Life) -> bool:
    if life.final_state_at is None:
        return False
    if any(item.delivery_state is None and item.status == "pending" for item in life.notifications):
        return False
    known = {delivery.delivery_id: delivery.status for delivery in life.deliveries}
    states = [known.get(item.delivery_id or "", item.delivery_state) for item in life.notifications]
    announcing = life.lifecycle_state == "errored" and life.work is not None
    return not announcing and not any(state in UNDER_WAY for state in states)
