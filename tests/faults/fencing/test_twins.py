"""Two Switchboards and two copies of each specialist, as a cluster has them, and one of each dies in turn under load.

Nothing is said or recorded twice and nothing is forgotten (D12): payments, memories, a correction and a cancel.
"""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from butler_kit.mcp import ToolError
from butler_kit.telemetry import SWITCHBOARD, Metrics
from butler_switchboard.operations.audit import Audit
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.records import Declaration
from butler_switchboard.registry.store import ButlerStore
from tests.faults.ledger import LEDGER
from tests.flow.switchboard.test_processes import Process, Silent, declare, process
from tests.integration.specialist.household import CountingSwitchboard, Place, plan_for
from tests.support.butlers import FakeMessenger
from tests.support.database import Provision
from tests.support.keys import HouseholdKeys
from tests.support.line import Service
from tests.support.loopback import free_port
from tests.support.switchboard import SHARED_PLAN, SWITCHBOARD_PLAN, with_household
from tests.support.switchboard_service import Household, until

SPECIALISTS: dict[str, tuple[str, ...]] = {"finance": (), "general": ("memory",)}
ADA = "1001"
ENDED_S = 300.0
REMEMBERED = (("meal", "lasagne"), ("colour", "indigo"), ("band", "Ensemble Nord"))
CORRECTED, CANCELLED = Decimal("93.50"), Decimal("94.50")


@dataclass
class Twins:
    """The household, two of each; `said` are its messages by what they say."""

    home: Household
    doors: list[Process]
    places: dict[str, Place]
    copies: dict[str, list[Any]]
    said: dict[str, UUID] = field(default_factory=dict)

    async def say(self, text: str, *, chat: str = ADA) -> UUID:
        """Submit as a connector does: at either Switchboard, until one takes it."""
        number = len(self.said) + 1
        self.said[text] = UUID(int=0)
        doors = self.doors if number % 2 else self.doors[::-1]
        async with asyncio.timeout(90):
            while True:
                for door in doors:
                    with suppress(ConnectionError, ToolError):
                        self.said[text] = await door.ingest(number, text, chat)
                        return self.said[text]
                await asyncio.sleep(0.05)

    async def idle(self) -> None:
        await self.home.idle(deadline_s=ENDED_S)
        for place in self.places.values():
            await until(partial(nothing_left, place), what=f"{place.name} done", deadline_s=ENDED_S)
        await self.home.idle(deadline_s=ENDED_S)

    async def paid(self) -> Counter[tuple[Decimal, bool]]:
        """What finance has of payments, and whether it stands."""
        rows = await self.places["finance"].records()
        return Counter(
            (row["amount"], row["withdrawn_at"] is None) for row in rows if row["kind"] == "expense"
        )

    async def remembered(self) -> list[str]:
        rows = await self.places["general"].records()
        return [row["title"] for row in rows if row["kind"] in ("fact", "preference")]

    def answers(self) -> Counter[UUID]:
        """How many different answers of butlers each message has."""
        told = [one for one in self.home.messenger.replies() if one.origin_butler != "switchboard"]
        return Counter(one.request_context.request_id for one in told if one.request_context is not None)


async def nothing_left(place: Place) -> bool:
    return bool(await place.pool.fetchval("SELECT count(*) = 0 FROM route_work"))


@pytest.fixture
async def twins(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Twins]:
    plans = (SWITCHBOARD_PLAN, SHARED_PLAN, *(plan_for(name) for name in SPECIALISTS))
    database = await provisioned(*plans, lived=with_household)
    keys = HouseholdKeys(tmp_path / "keys")
    messenger = FakeMessenger(keys)
    home = Household(database, keys, await database.pool("switchboard"), messenger)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(messenger.aclose)
        await messenger.start()
        doors = [await stack.enter_async_context(process(home, tmp_path)) for _ in range(2)]
        await declare(home, *doors)
        front = await stack.enter_async_context(Service())
        front.copies = [door.port for door in doors]
        made = Twins(home, doors, {}, {})
        for name, capabilities in SPECIALISTS.items():
            await started(stack, made, name, capabilities, front, made_in(tmp_path, name))
        await asyncio.sleep(1.2)  # every replica reads the registry once a second
        yield made


def made_in(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


async def started(
    stack: AsyncExitStack, made: Twins, name: str, capabilities: Sequence[str], front: Service, folder: Path
) -> None:
    """Start two copies of one specialist behind one address, declared and registered."""
    home, address = made.home, await stack.enter_async_context(Service())
    switchboard = CountingSwitchboard(url=f"http://127.0.0.1:{front.port}/mcp")
    place = Place(folder, name, home.database, await home.database.pool(name), home.keys, switchboard)
    declared = Declaration(
        role="specialist",
        endpoint_url=f"http://127.0.0.1:{address.port}/mcp",
        capabilities=tuple(capabilities),
    )
    butlers = Butlers(
        pool=home.pool,
        store=ButlerStore(home.pool),
        audit=Audit(home.pool, Metrics(SWITCHBOARD)),
        events=Silent(),
    )
    await butlers.declare(name, declared, actor="test")
    made.places[name], made.copies[name] = place, []
    spec: dict[str, Any] = {"modules": {"memory": {}}} if "memory" in capabilities else {}
    for _ in range(2):
        port = free_port()
        child, _ = await stack.enter_async_context(place.process(port, spec=spec))
        made.copies[name].append(child)
        address.copies.append(port)

    async def registered() -> bool:
        query = "SELECT tools FROM butler_registry WHERE name = $1"
        return bool(await home.pool.fetchval(query, name))

    await until(registered, what=f"{name} being registered")


async def pay(twins: Twins, numbers: Sequence[int]) -> None:
    """Messages of four chats, those of each in turn."""

    async def one_chat(chat: int) -> None:
        for number in (one for one in numbers if one % 4 == chat):
            await twins.say(f"Paid {number}.50 EUR for tea", chat=f"200{chat}")

    await asyncio.gather(*(one_chat(chat) for chat in range(4)))


async def cancel(door: Process, home: Household, request_id: UUID) -> httpx.Response:
    headers = {"Authorization": f"Bearer {home.keys.operator()}"}
    async with httpx.AsyncClient(base_url=f"{door.url}/ops/v1", headers=headers, timeout=60) as client:
        return await client.post(f"/requests/{request_id}/cancel", json={"reason": "written twice"})


async def cancelled_while_both_stand_still(twins: Twins) -> UUID:
    """A payment that neither copy of finance can take; an operator ends it, then both go on."""
    for child in twins.copies["finance"]:
        child.send_signal(signal.SIGSTOP)
    LEDGER.outages += 1
    request_id = await twins.say(f"Paid {CANCELLED} EUR for tea")

    async def planned() -> bool:
        return bool(await twins.home.subroutes(request_id))

    await until(planned, what="a part on its way")
    answer = await cancel(twins.doors[1], twins.home, request_id)
    for child in twins.copies["finance"]:
        child.send_signal(signal.SIGCONT)
    assert answer.status_code == 200, answer.text
    return request_id


async def corrected(twins: Twins) -> UUID:
    """A payment that a member says was for the other butler."""
    request_id = await twins.say(f"Paid {CORRECTED} EUR for tea")
    await twins.idle()
    await twins.say("no, that was for general")
    await twins.idle()
    return request_id


async def one_dies(twins: Twins, child: Any, numbers: range) -> None:
    """Payments and a memory at once; the process dies when some were accepted, and more comes."""
    before, half = len(twins.said), numbers[len(numbers) // 2]
    thing, value = REMEMBERED[numbers.start // 10 - 1]

    async def murder() -> None:
        async def some() -> bool:
            return len(twins.said) >= before + 4

        await until(some, what="some messages under way")
        child.send_signal(signal.SIGKILL)
        LEDGER.kills += 1

    await asyncio.gather(
        murder(),
        pay(twins, range(numbers.start, half)),
        twins.say(f"Remember that my favourite {thing} is {value}"),
    )
    await pay(twins, range(half, numbers.stop))


@pytest.mark.faults_full
@pytest.mark.spec("SWB-11.2", "SWB-39.1")
async def test_one_of_each_dies_in_turn_and_nothing_is_said_twice_or_forgotten(twins: Twins) -> None:
    """First a copy of each specialist, then a Switchboard, while the other one of each carries on."""
    moved = await corrected(twins)
    ended = await cancelled_while_both_stand_still(twins)
    victims = (twins.copies["finance"][0], twins.copies["general"][0], twins.doors[0].child)
    waves = [range(10 * (wave + 1), 10 * (wave + 1) + 8) for wave in range(len(victims))]
    for victim, numbers in zip(victims, waves, strict=True):
        await one_dies(twins, victim, numbers)
    await twins.idle()

    rows = await twins.home.pool.fetch("SELECT request_id, lifecycle_state FROM message_inbox")
    states = {row["request_id"]: row["lifecycle_state"] for row in rows}
    assert len(rows) == len(twins.said)
    assert states == {one: "cancelled" if one == ended else "parsed" for one in twins.said.values()}
    payments = {Decimal(number) + Decimal("0.5") for numbers in waves for number in numbers}
    assert await twins.paid() == {**{(one, True): 1 for one in payments}, (CORRECTED, False): 1}
    told = [f"my favourite {thing} is {value}" for thing, value in REMEMBERED]
    assert sorted(one.lower() for one in await twins.remembered()) == sorted(one.lower() for one in told)

    answers = twins.answers()
    assert {
        answers[one] for text, one in twins.said.items() if one not in (moved, ended) and "no," not in text
    } == {1}
    assert answers[ended] == 0
    branches = Counter((row["segment_id"], row["target"]) for row in await twins.home.subroutes(moved))
    assert branches == {("s1", "finance"): 1, ("s1", "general"): 1, ("s1-withdrawn", "finance"): 1}
    said = [
        str(one.delivery.message)
        for one in twins.home.messenger.replies()
        if one.origin_butler == "switchboard"
    ]
    assert sum("goes to general; finance takes back" in one for one in said) == 1
    LEDGER.messages += len(twins.said)
