"""The part of the demo that sends: messages in by waves, replies out, summary, statistics, a picture."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime

from examples.demo.household import DemoFailed, Household
from examples.demo.picture import picture_of
from examples.demo.providers import Providers
from examples.demo.report import differences, line, write_summary
from examples.demo.sending import Sender, waves
from examples.demo.statistics import roll_up
from examples.demo.thinking import judged
from examples.demo.watching import Finished, Watcher
from tests.support.messages import load_examples
from tests.support.model_api import ModelServer

__all__ = ["play", "sent_once"]

WAVE_DEADLINE_S = 120.0


async def play(household: Household, providers: Providers, model: ModelServer | None = None) -> int:
    """Send the sample messages and print how each ended; return 1 if one did not end as expected.

    A stand-in for a `model` may decide otherwise on who gets a message.
    """
    started, since = time.monotonic(), datetime.now(UTC)
    ends = await _sent(household, providers)
    print(await roll_up(household, since=since), flush=True)
    print(await picture_of(household), flush=True)
    requests = len({end.request_id for end in ends})
    print(f"{len(ends)} messages, {requests} requests, {time.monotonic() - started:.1f} s")
    return _judged(ends, model)


async def sent_once(household: Household, providers: Providers) -> None:
    """Send the sample messages to a household that stays up, and print how each ended."""
    try:
        ends = await _sent(household, providers)
    except DemoFailed as failure:
        print(f"not all sample messages were sent: {failure}", file=sys.stderr, flush=True)
    else:
        _judged(ends, None)


async def _sent(household: Household, providers: Providers) -> list[Finished]:
    sender = Sender(providers, household.endpoints["webhook"], run=f"{time.time_ns():x}")
    watcher = Watcher(household, providers)
    ends: list[Finished] = []
    for wave in waves(load_examples()):
        sent = [await sender.send(message) for message in wave]
        for end in await watcher.finished(sent, deadline_s=WAVE_DEADLINE_S):
            ends.append(end)
            print(line(end), flush=True)
    write_summary(ends, household.state / "summary.json", dashboard=household.endpoints.get("dashboard"))
    return ends


def _judged(ends: list[Finished], model: ModelServer | None) -> int:
    found = differences(ends)
    if model is not None:
        found, told = judged(ends, model)
        print(told)
    for one in found:
        print(f"not as expected: {one}", file=sys.stderr)
    return 1 if found else 0
