"""A request whose answer has come, behind a backlog of new ones."""

from typing import Any
from uuid import uuid4

import pytest

from butler_kit.config import BufferConfig
from butler_kit.queue import SilentObserver
from butler_switchboard.ingress.buffer import InboxQueue
from tests.support.workqueue import fill, give_up, item, make_work_table


@pytest.mark.parametrize("backlog", [5, 100], ids=["a backlog", "a full lane"])
async def test_an_answered_request_takes_turns_with_a_backlog_of_its_own_source(
    provisioned: Any, backlog: int
):
    pool = await (await provisioned("switchboard")).pool("switchboard")
    await make_work_table(pool)
    unused: Any = None
    config = BufferConfig(queue_capacity=100)
    inbox = InboxQueue(pool, config, unused, SilentObserver(), on_exhausted=give_up, table="test_work")
    await fill(inbox.queue, 1, lane="interactive", source="webhook")
    for _ in range(backlog):
        assert inbox.offer(uuid4(), "interactive", "webhook")

    await inbox.wake(item(1))

    first_two = [inbox.buffer.take(), inbox.buffer.take()]
    assert item(1) in [taken.ref for taken in first_two if taken is not None]
