"""Every process killed once, in an order and at moments left to chance, under load: nothing is lost or doubled."""

import asyncio

import pytest

from tests.faults.household import FORK_SERVER, POSTGRES, SUPERVISOR, Field, outside_check
from tests.faults.ledger import chance
from tests.flow.household.load import Shape

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("random kills"),
    pytest.mark.faults_full,
]

SHAPE = Shape(per_chat=3, per_mail_thread=1, per_post_thread=1)
LONGEST_PAUSE_S = 4.0


def victims(field: Field) -> list[str]:
    """Every process of the household: what `butlers status` names, the database, the fork server and the supervisor."""
    status = field.status()
    assert status is not None
    return [*sorted(process.name for process in status.processes), POSTGRES, FORK_SERVER, SUPERVISOR]


async def test_whatever_is_killed_and_whenever_every_request_ends_once(field: Field) -> None:
    moments = chance("random kills")
    everybody = victims(field)
    order = moments.sample(everybody, len(everybody))
    plan = [(victim, moments.uniform(0.2, LONGEST_PAUSE_S)) for victim in order]
    print("killed, after seconds of load:", [(victim, round(pause, 1)) for victim, pause in plan])
    for victim, pause_s in plan:
        load = field.load(SHAPE)
        await load.send()
        await asyncio.sleep(pause_s)
        await field.kill(victim)
    await field.whole()
    await asyncio.gather(*(outside_check(load) for load in field.loads))


async def test_two_killed_at_once_are_no_worse_than_one(field: Field) -> None:
    moments = chance("pairs of kills")
    children = [name for name in victims(field) if name != SUPERVISOR]
    loads = []
    for _ in range(3):
        load = field.load(SHAPE)
        loads.append(load)
        await load.send()
        await asyncio.sleep(moments.uniform(0.2, LONGEST_PAUSE_S))
        for victim in moments.sample(children, 2):
            await field.kill(victim)
    await field.whole()
    await asyncio.gather(*(outside_check(load) for load in loads))
