"""What may be said within a minute, decided in PostgreSQL: all budgets before any, none by a refusal (MSR-05, D42)."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from butler_contracts.errors import ButlerError, ErrorClass
from butler_kit.db import Pool
from butler_messenger.admission.limits import AdmissionLimits, RateLimited
from butler_messenger.admission.store import AdmissionStore
from tests.integration.messenger.admissions import limits_of, new_delivery
from tests.integration.messenger.household import PLANS
from tests.support.database import Database, Provision
from tests.support.nursery import fork

USUAL = limits_of()
ROOMY = limits_of(per_minute=1000, channels={"telegram": 1000, "email": 1000})
EVERYTHING = """
SELECT 'work' AS what, xmin::text, w::text FROM delivery_work AS w
UNION ALL SELECT 'request', xmin::text, d.delivery_id::text FROM delivery_requests AS d
UNION ALL SELECT 'used', xmin::text, r::text FROM rate_used AS r
ORDER BY 1, 3
"""
"""Every row with the transaction that wrote it last."""


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await provisioned(*PLANS)


@pytest.fixture
async def pool(database: Database) -> Pool:
    return await database.pool("messenger")


async def admit(pool: Pool, limits: AdmissionLimits = USUAL, **wish: Any) -> ButlerError | None:
    """The refusal, if it is one."""
    try:
        await AdmissionStore(pool).admit(new_delivery(**wish), limits)
    except ButlerError as refused:
        return refused
    return None


async def many(pool: Pool, count: int, limits: AdmissionLimits = USUAL, **wish: Any) -> int:
    """How many of `count` were admitted, one after another; `{n}` in a text is the number of the wish."""
    admitted = 0
    for n in range(count):
        said = {name: value.format(n=n) for name, value in wish.items()}
        refused = await admit(pool, limits, **said)
        assert refused is None or isinstance(refused, RateLimited)
        admitted += refused is None
    return admitted


async def used(pool: Pool) -> dict[str, float]:
    """What was taken of each budget."""
    rows = await pool.fetch("SELECT key, sum(sends + replies) AS taken FROM rate_used GROUP BY key")
    return {row["key"]: row["taken"] for row in rows}


@pytest.mark.spec("MSG-8", "MSR-05.3")
async def test_sixty_sends_to_one_person_leave_the_budgets_of_all_others_whole(pool: Pool) -> None:
    assert await many(pool, 60) == 10
    assert await used(pool) == {
        "global": 10,
        "channel:telegram.bot": 10,
        "recipient:telegram.bot:1001": 10,
        "origin:finance": 10,
        "origin:finance:telegram.bot": 10,
    }
    assert await many(pool, 20, origin="health", to="1002") == 10
    refused = await admit(pool)
    assert refused is not None
    assert (refused.error_class, refused.retryable) == (ErrorClass.OVERLOAD_REJECTED, True)
    assert refused.retry_after_s is not None
    assert 0 < refused.retry_after_s <= 65


async def test_a_refusal_changes_no_row(pool: Pool) -> None:
    await many(pool, 10)
    before = await pool.fetch(EVERYTHING)
    for _ in range(3):
        assert isinstance(await admit(pool), RateLimited)
    assert await pool.fetch(EVERYTHING) == before


@pytest.mark.spec("MSG-8", "MSR-05.1")
async def test_the_household_says_sixty_messages_a_minute_whoever_says_them(pool: Pool) -> None:
    roomy = limits_of(channels={"telegram": 1000, "email": 1000})
    assert await many(pool, 40, roomy, to="{n}") == 40
    assert await many(pool, 30, roomy, to="a{n}", origin="health", channel="email") == 20
    refused = await admit(pool, roomy, to="x", origin="travel")
    assert isinstance(refused, RateLimited)
    assert (refused.dimension, refused.error_class) == ("global", ErrorClass.OVERLOAD_REJECTED)
    assert refused.retry_after_s is not None


@pytest.mark.spec("MSR-05.1")
async def test_at_most_a_hundred_deliveries_are_under_way(pool: Pool) -> None:
    plenty = limits_of(places=100, per_minute=1000, channels={"telegram": 1000})
    for n in range(100):
        assert await admit(pool, plenty, to=str(n), origin=("finance", "health")[n % 2]) is None
    refused = await admit(pool, plenty, to="x", origin="travel")
    assert refused is not None
    assert refused.error_class is ErrorClass.OVERLOAD_REJECTED
    assert refused.retry_after_s is not None
    assert await pool.fetchval("SELECT count(*) FROM delivery_work") == 100


@pytest.mark.spec("MSG-8", "MSR-05.2")
@pytest.mark.parametrize(("channel", "most"), [("telegram", 30), ("email", 20)])
async def test_a_channel_has_its_own_budget_and_a_reply_takes_half(
    pool: Pool, channel: str, most: int
) -> None:
    assert await many(pool, most * 2, to="{n}", intent="reply", channel=channel) == most * 2
    refused = await admit(pool, to="x", intent="reply", channel=channel)
    assert isinstance(refused, RateLimited)
    assert refused.dimension == "channel"
    other = "email" if channel == "telegram" else "telegram"
    assert await admit(pool, to="x", channel=other) is None


async def test_sends_of_two_butlers_fill_a_channel(pool: Pool) -> None:
    assert await many(pool, 30, to="a{n}") == 24
    assert await many(pool, 30, to="b{n}", origin="health") == 6


@pytest.mark.spec("MSR-05.3")
async def test_twenty_answers_within_a_minute_go_to_one_person_and_one_conversation(pool: Pool) -> None:
    assert await many(pool, 30, intent="reply") == 20
    assert await many(pool, 30, intent="reply", to="g{n}", thread="telegram:-100:7") == 20


@pytest.mark.spec("MSG-8")
async def test_a_noisy_butler_leaves_room_for_what_another_says_and_for_every_answer(pool: Pool) -> None:
    await many(pool, 40, to="{n}")
    assert await admit(pool, to="x", origin="health") is None
    await many(pool, 40, to="h{n}", origin="health")
    refused = await admit(pool, to="y", origin="travel")
    assert isinstance(refused, RateLimited)
    # The budget is used up by sends alone, and an answer of anybody still goes out.
    assert await admit(pool, to="y", origin="travel", intent="reply") is None
    await many(pool, 30, ROOMY, to="same", origin="health")
    assert await admit(pool, ROOMY, to="same", origin="finance", intent="reply") is None


async def test_a_reaction_takes_of_no_budget(pool: Pool) -> None:
    assert await many(pool, 40, intent="react") == 40
    assert await used(pool) == {}


async def test_a_delivery_that_is_known_is_answered_whatever_is_used_up(pool: Pool) -> None:
    known = new_delivery("known")
    await AdmissionStore(pool).admit(known, limits_of())
    await many(pool, 9)
    assert isinstance(await admit(pool), RateLimited)
    assert await AdmissionStore(pool).admit(new_delivery("known"), limits_of()) is None


async def test_there_is_room_when_the_hint_says_and_not_before(database: Database, pool: Pool) -> None:
    await many(pool, 10)
    refused = await admit(pool)
    assert isinstance(refused, RateLimited)
    assert refused.retry_after_s is not None
    # A restart, or a replica: connections that know nothing of what was said before.
    await database.shift_clock(timedelta(seconds=min(refused.retry_after_s - 5, 50)))
    assert isinstance(await admit(await database.pool("messenger")), RateLimited)
    await database.shift_clock(timedelta(seconds=refused.retry_after_s + 0.1))
    assert await admit(await database.pool("messenger")) is None
    # Those that went out at the other side of five seconds make room five seconds later.
    await database.shift_clock(timedelta(seconds=refused.retry_after_s + 65))
    assert await many(await database.pool("messenger"), 12) >= 9


# -- four processes at one moment --------------------------------------------------------------------------

WISHES = st.lists(
    st.fixed_dictionaries(
        {
            "to": st.sampled_from(["1", "2", "3"]),
            "origin": st.sampled_from(["finance", "health"]),
            "intent": st.sampled_from(["send", "send", "reply"]),
            "channel": st.sampled_from(["telegram", "email"]),
        }
    ),
    min_size=40,
    max_size=80,
)
RATES = st.fixed_dictionaries(
    {
        "per_minute": st.sampled_from([7, 30, 90]),
        "channels": st.fixed_dictionaries(
            {"telegram": st.sampled_from([5, 20, 80]), "email": st.sampled_from([5, 20])}
        ),
        "recipient_per_minute": st.sampled_from([3, 10, 80]),
        "places": st.sampled_from([25, 10_000]),
    }
)


@pytest.mark.spec("MSR-05.1", "MSR-05.2", "MSR-05.3")
@given(wishes=WISHES, rates=RATES)
@settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)
async def test_four_processes_that_admit_at_one_moment_pass_no_budget(
    database: Database, pool: Pool, tmp_path: Path, wishes: list[dict[str, str]], rates: dict[str, Any]
) -> None:
    await pool.execute("TRUNCATE rate_used, delivery_work, delivery_requests CASCADE")
    came_to = await by_four_processes(database, tmp_path, wishes, rates)
    assert set(came_to) <= {"admitted", "overload_rejected"}
    rows = await pool.fetch("SELECT origin_butler, intent, channel, target_identity FROM delivery_requests")
    admitted = [dict(row) for row in rows]
    assert len(admitted) == came_to.count("admitted") > 0
    assert await pool.fetchval("SELECT count(*) FROM delivery_work") == len(admitted) <= rates["places"] * 1.2
    for key, (sends, replies) in totals(admitted).items():
        most = measure(key, rates)
        assert sends <= most, key
        assert replies + min(sends, most * 0.8) <= most, key


async def by_four_processes(
    database: Database, folder: Path, wishes: list[dict[str, str]], rates: dict[str, Any]
) -> list[str]:
    """What became of the wishes, a quarter of them asked for by each process."""
    env = {**os.environ, "BUTLERS_DATABASE_URL": database.dsn("messenger")}
    children = []
    with (folder / "output").open("wb") as output:
        for number in range(4):
            plan, log = folder / f"{number}.json", folder / f"{number}.log"
            plan.write_text(json.dumps({"limits": rates, "wishes": wishes[number::4]}))
            arguments = (str(plan), str(log))
            children.append(
                await fork("tests.integration.messenger.admissions", *arguments, env=env, log=output)
            )
    async with asyncio.timeout(90):
        codes = [await child.wait() for child in children]
    assert codes == [0, 0, 0, 0], (folder / "output").read_text()
    return [one for number in range(4) for one in json.loads((folder / f"{number}.log").read_text())]


def totals(admitted: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """What the admitted ones took of each budget: sends and replies."""
    found: dict[str, tuple[float, float]] = {}
    for one in admitted:
        sent = one["intent"] == "send"
        keys = ["global", f"channel:{one['channel']}", f"recipient:{one['channel']}:{one['target_identity']}"]
        if sent:
            keys += [f"origin:{one['origin_butler']}", f"origin:{one['origin_butler']}:{one['channel']}"]
        for key in keys:
            sends, replies = found.get(key, (0.0, 0.0))
            found[key] = (sends + 1, replies) if sent else (sends, replies + 0.5)
    return found


def measure(key: str, rates: Mapping[str, Any]) -> float:
    kind, _, whose = key.partition(":")
    if kind == "global":
        return float(rates["per_minute"])
    if kind == "channel":
        return float(rates["channels"][whose])
    if kind == "recipient":
        return float(rates["recipient_per_minute"])
    _, _, channel = whose.partition(":")
    return max(1.0, 0.8 * float(rates["channels"][channel] if channel else rates["per_minute"]))
