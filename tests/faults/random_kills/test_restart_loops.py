"""A process that is killed again and again over a backlog: tries stay bounded, and the backlog is done once."""

import pytest

from butler_kit.faults import points
from tests.faults.household import Field, outside_check
from tests.flow.household.load import Shape

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("restart loops"),
    pytest.mark.faults_full,
]

TIMES = 4
MOST_ATTEMPTS = 3
"""MSR-07: a delivery is tried three times at most, whoever is killed over it."""
SHAPE = Shape(
    chats=("ada", "ben"),
    per_chat=8,
    mail_threads=("ada",),
    per_mail_thread=6,
    post_threads=(),
    per_post_thread=0,
)


@pytest.mark.parametrize(
    "point",
    [
        f"{points.PROVIDER_ANSWERED}@telegram.reply",
        f"{points.CONNECTOR_ACCEPTED}@telegram",
        f"{points.CONNECTOR_ACCEPTED}@email",
        points.ADMISSION_COMMITTED,
        points.OUTCOME_COMMITTED,
    ],
)
async def test_a_restart_loop_over_a_backlog_ends_with_every_message_done_once(
    field: Field, point: str
) -> None:
    load = field.load(SHAPE)
    field.armed.arm([point])
    await load.send()
    for _ in range(TIMES - 1):
        await field.armed.all_taken()
        field.armed.arm([point])
    await field.armed.all_taken()
    await field.whole()
    await outside_check(load)
    query = "SELECT max(attempts_used) AS most FROM messenger.delivery_requests"
    (row,) = await field.running.rows(query)
    assert row["most"] <= MOST_ATTEMPTS
