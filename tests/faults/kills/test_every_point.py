"""A process killed at any await point: every message ends once, is answered once or uncertain, in order."""

import pytest

from butler_kit.faults import points
from tests.faults.conftest import Fields
from tests.faults.household import outside_check
from tests.faults.kills.rounds import OWN_TEST, ROUNDS, Round
from tests.flow.household.load import Shape

SHAPE = Shape(
    chats=("ada", "ben"),
    per_chat=2,
    mail_threads=("ada",),
    per_mail_thread=2,
    post_threads=("rent", "school"),
    per_post_thread=2,
)
BOUNDED_ROUNDS = 2


def marks_of(one: Round) -> list[pytest.MarkDecorator]:
    group = pytest.mark.xdist_group("household" if one.set == 0 else f"kills-{one.set}")
    return [group] if one.number < BOUNDED_ROUNDS else [group, pytest.mark.faults_full]


def test_every_point_of_the_table_is_killed_at() -> None:
    killed_at = {name.partition("@")[0] for one in ROUNDS for name in one.points}
    assert killed_at == {point.name for point in points.POINTS} - set(OWN_TEST)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("kills", [pytest.param(one, id=str(one), marks=marks_of(one)) for one in ROUNDS])
async def test_a_kill_loses_nothing_and_doubles_nothing(fields: Fields, kills: Round) -> None:
    field = await fields.of(f"set {kills.set}")
    field.armed.arm(kills.slow, "stall 3")
    field.armed.arm(kills.points)
    load = field.load(SHAPE)
    field.stranger_writes(kills.number)
    await load.send()
    await field.mail_is_sent(kills.number)
    await field.armed.all_taken()
    await field.whole()
    await outside_check(load)
    await field.owner_is_told(kills.number)
