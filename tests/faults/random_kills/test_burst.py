"""Two hundred updates put at once over twenty chats, and twenty mails: all terminal in time, in order, once."""

import time

import pytest

from tests.faults.household import Field, outside_check
from tests.flow.household.load import Shape
from tests.support.memory import LIMIT_MB

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("burst"),
    pytest.mark.faults_full,
]

TERMINAL_S = 120.0
WRITERS = ("ada", "ben")
BURST = Shape(
    chats=tuple(f"{WRITERS[number % 2]}.{number}" for number in range(20)),
    per_chat=10,
    mail_threads=tuple(f"{WRITERS[number % 2]}.{number}" for number in range(10)),
    per_mail_thread=2,
    post_threads=(),
    per_post_thread=0,
)


async def test_a_burst_is_done_in_time_in_order_once_and_leaves_every_service_small(field: Field) -> None:
    load = field.load(BURST)
    started = time.monotonic()
    await load.send()
    ends = await outside_check(load, deadline_s=TERMINAL_S)
    print(f"{len(ends)} messages ended in {time.monotonic() - started:.1f} s")
    assert len(ends) == 220
    assert not any(end.uncertain for end in ends)
    sizes = field.memory_mb()
    print("MB:", {name: round(size) for name, size in sizes.items()})
    assert all(size <= LIMIT_MB for size in sizes.values()), sizes
