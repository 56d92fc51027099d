"""The inbox's queue is bounded and fair as the configuration says."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from butler_kit.config import BufferConfig
from butler_kit.queue import SilentObserver
from butler_switchboard.ingress.buffer import InboxQueue


def inbox_queue(**buffer: Any) -> InboxQueue:
    """A queue that nothing works on; the pool is used by workers only."""
    unused: Any = None
    return InboxQueue(unused, BufferConfig(**buffer), unused, SilentObserver(), on_exhausted=unused)


def lanes_taken(inbox: InboxQueue, count: int) -> list[str]:
    taken = [inbox.buffer.take() for _ in range(count)]
    return [one.lane for one in taken if one is not None]


@pytest.mark.spec("SWB-07.2")
@pytest.mark.parametrize(("configured", "streak"), [({}, 10), ({"max_consecutive_same_tier": 2}, 2)])
def test_the_starvation_guard_acts_after_ten_or_as_configured(configured: dict[str, int], streak: int):
    inbox = inbox_queue(**configured)
    for _ in range(streak + 2):
        inbox.offer(uuid4(), "high_priority", "telegram")
    inbox.offer(uuid4(), "default", "telegram")
    assert lanes_taken(inbox, streak + 2) == ["high_priority"] * streak + ["default", "high_priority"]
