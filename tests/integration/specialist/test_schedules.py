"""A prompt by the clock: run once, with the butler's tools, told to whom it is for, whatever goes amiss."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from starlette.requests import Request
from starlette.responses import Response

from butler_contracts.errors import TargetUnavailable
from butler_contracts.notify import NotifyRequestV1
from butler_specialist.store.schedules import ScheduleStore
from tests.integration.specialist.household import (
    DEADLINE_S,
    Place,
    envelope,
    household,
    id_of,
    request_context,
)
from tests.integration.specialist.thinking import KEY, VARIABLE, at_once, in_turn, spec
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.model_api import Call, ModelServer
from tests.support.model_api.behaviour import Behaviour
from tests.support.tool_server import LampServer, lamp_server

ADA, BEN = UUID(int=1), UUID(int=2)
PROMPT = "Say what is due this week."
DUE = Call.of("answer", text="The gas bill of 40 EUR is due on Friday.")
SEVEN = "0 7 * * *"


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer(at_once(DUE), key=KEY) as server:
        yield server


def inhabited(place: Place) -> Place:
    place.more_environment[VARIABLE] = KEY
    place.switchboard.members = [
        {"contact_id": str(ADA), "name": "Ada", "addresses": [{"channel": "telegram", "value": "1001"}]},
        {
            "contact_id": str(BEN),
            "name": "Ben",
            "addresses": [{"channel": "email", "value": "ben@example.org"}],
        },
    ]
    return place


@pytest.fixture
async def place(place: Place) -> Place:
    return inhabited(place)


class Clock:
    """The database's, moved to moments of days in winter."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def at(self, hour: float, *, day: int = 0) -> None:
        """It is so many hours, in UTC, after the midnight of the first day or of one after it."""
        moment = datetime(2027, 1, 11, tzinfo=UTC) + timedelta(days=day, hours=hour)
        await self._place.database.shift_clock(moment - datetime.now(UTC), disconnect=True)


@pytest.fixture
def clock(place: Place) -> Clock:
    return Clock(place)


def bills(
    model: ModelServer, *more: dict[str, Any], runtime: dict[str, Any] | None = None, **entry: Any
) -> dict[str, Any]:
    """The manifest of a butler with a schedule at seven in the morning of UTC."""
    wanted = {"name": "bills", "cron": SEVEN, "timezone": "UTC", "prompt": PROMPT, **entry}
    return {**spec(model, **(runtime or {})), "schedules": [wanted, *more]}


async def adopted(place: Place) -> None:
    """The butler has begun to look at its schedules."""
    async with asyncio.timeout(DEADLINE_S):
        while not await place.pool.fetchval("SELECT count(*) FROM schedules"):
            await asyncio.sleep(0.02)


async def ended(place: Place, count: int = 1) -> list[dict[str, Any]]:
    """All runs, once so many have come to their end."""
    query = "SELECT * FROM route_inbox WHERE scheduled IS NOT NULL ORDER BY accepted_at"
    async with asyncio.timeout(DEADLINE_S):
        while True:
            rows = [dict(row) for row in await place.pool.fetch(query)]
            if sum(row["finished_at"] is not None for row in rows) >= count:
                return rows
            await asyncio.sleep(0.02)


def told(place: Place) -> list[tuple[str | None, str, str]]:
    """Who was told what, by which channel; once for each key."""
    by_key: dict[str | None, NotifyRequestV1] = {
        one.delivery.idempotency_key: one for one in place.switchboard.notifies
    }
    return [
        (one.delivery.contact_id, one.delivery.channel, one.delivery.message or "") for one in by_key.values()
    ]


@pytest.mark.spec("SWB-25.3")
async def test_at_its_moment_a_session_does_the_task_with_the_butlers_tools_and_the_owner_is_told(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    model.behaviour = in_turn(Call.of("record_search", words=["gas"]), DUE)
    await clock.at(6)
    async with place.specialist(spec=bills(model)):
        await adopted(place)
    await clock.at(7)
    async with place.specialist(spec=bills(model)) as specialist:
        [row] = await ended(place)
        metrics = (await specialist.get("/metrics")).text
        token = place.keys.sign("ada", "operator", receiver=place.name)
        [shown] = (await specialist.get("/ops/v1/schedules?limit=10", token=token)).json()["schedules"]
    assert told(place) == [(str(ADA), "telegram", "The gas bill of 40 EUR is due on Friday.")]
    [notify] = place.switchboard.notifies
    assert (notify.request_context, notify.delivery.intent) == (None, "send")
    session = await place.pool.fetchrow("SELECT * FROM sessions")
    assert session is not None
    assert (session["kind"], session["trigger_source"], session["status"]) == (
        "schedule",
        "schedule:bills",
        "completed",
    )
    assert row["error"] is None
    assert PROMPT in model.asked[0].user
    assert "ask" not in {tool["name"] for tool in model.asked[0].tools}
    assert {"record_search", "answer", "say_nothing"} <= {tool["name"] for tool in model.asked[0].tools}
    assert place.switchboard.completions == []
    assert place.switchboard.started == []
    assert 'butlers_schedule_run_total{outcome="done",schedule="bills"} 1.0' in metrics
    assert (shown["name"], shown["cron"], shown["timezone"]) == ("bills", SEVEN, "UTC")
    assert (shown["to"], shown["next_due"]) == (None, "2027-01-12T07:00:00Z")
    [run] = shown["runs"]
    assert (run["due_at"], run["state"], run["sessions"]) == ("2027-01-11T07:00:00Z", "done", 1)
    assert run["told"] == "The gas bill of 40 EUR is due on Friday."


async def test_it_reads_and_tells_the_member_whom_it_is_for_and_nobody_else(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    add = Call.of("record_add", kind="bill", quote="gas", title="gas", amount=40, currency="EUR")
    model.behaviour = at_once(add, Call.of("answer", text="Noted."))
    await clock.at(6)
    async with place.specialist(spec=bills(model, to="Ben")) as specialist:
        data = envelope("My gas bill", context=request_context("api"))
        members = place.switchboard.members
        data["input"]["context"] = {"people": {"sender": str(ADA), "members": members}}
        await specialist.done(data)
        model.behaviour = in_turn(
            Call.of("record_search"), Call.of("answer", text="Nothing of yours is due.")
        )
        await adopted(place)
    await clock.at(7)
    model.asked.clear()
    async with place.specialist(spec=bills(model, to="Ben")):
        await ended(place)
    assert told(place)[-1] == (str(BEN), "email", "Nothing of yours is due.")
    assert '"found": 0' in model.asked[-1].told[-1]


async def test_where_there_is_nothing_to_tell_nothing_is_told_and_what_was_noted_is_kept(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    note = Call.of("record_add", kind="note", quote="due")
    model.behaviour = at_once(note, Call.of("say_nothing"))
    await clock.at(6)
    async with place.specialist(spec=bills(model)):
        await adopted(place)
    await clock.at(7)
    async with place.specialist(spec=bills(model)):
        [row] = await ended(place)
    assert (row["error"], row["result"]) == (None, {"records": 1})
    assert place.switchboard.notifies == []
    [record] = await place.records()
    assert (record["contact_id"], record["text"]) == (ADA, "due")


async def test_two_replicas_that_find_it_due_at_once_run_it_once(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    await clock.at(6)
    async with place.specialist(spec=bills(model)):
        await adopted(place)
    await clock.at(7.5)
    async with place.specialist(spec=bills(model)), place.specialist(spec=bills(model)):
        await ended(place)
        await asyncio.sleep(1)
    assert len(await ended(place)) == 1
    assert len(model.asked) == 1
    assert [one.delivery.idempotency_key for one in place.switchboard.notifies] == [
        f"schedule:{(await ended(place))[0]['request_id']}"
    ]


async def test_what_was_missed_while_it_was_down_is_run_once_late_or_reported_in_one_line(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    await clock.at(6)
    async with place.specialist(spec=bills(model)):
        await adopted(place)
    await clock.at(7.75, day=3)
    async with place.specialist(spec=bills(model)):
        rows = await ended(place, 2)
        assert len(rows) == 2
        await clock.at(12, day=4)
    async with place.specialist(spec=bills(model)):
        assert len(await ended(place, 3)) == 3
    lines = [line for _, _, line in told(place)]
    assert sorted(lines)[2] == "The gas bill of 40 EUR is due on Friday."
    missed = [line for line in lines if line.startswith("Missed")]
    assert len(missed) == 2
    assert any(line.startswith("Missed 3 times: the schedule “bills”, last due ") for line in missed)
    assert any(line.startswith("Missed: the schedule “bills”, due ") for line in missed)
    assert len(model.asked) == 1


async def test_a_clock_that_is_set_back_over_the_moment_runs_nothing_twice(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    await clock.at(6)
    async with place.specialist(spec=bills(model)):
        await adopted(place)
    for hour in (7.1, 6.5, 7.05, 7.2):
        await clock.at(hour)
        async with place.specialist(spec=bills(model)):
            await ended(place)
            await asyncio.sleep(0.3)
    assert len(model.asked) == 1
    assert len(told(place)) == 1


class HeldModel(ModelServer):
    """Answers no question until it may; `waiting` are those that were asked meanwhile."""

    def __init__(self, behaviour: Behaviour) -> None:
        super().__init__(behaviour, key=KEY)
        self.may = asyncio.Event()
        self.waiting = 0

    async def _answer(self, provider: str, request: Request) -> Response:
        self.waiting += 1
        await self.may.wait()
        return await super()._answer(provider, request)


@pytest.mark.spec("CON-2.8")
async def test_schedules_and_messages_share_the_places_of_their_butler(place: Place, clock: Clock) -> None:
    async with HeldModel(at_once(DUE)) as model:
        manifest = bills(model, {"name": "more", "cron": SEVEN, "timezone": "UTC", "prompt": PROMPT})
        await clock.at(6)
        async with place.specialist(spec=manifest):
            await adopted(place)
        await clock.at(7)
        async with place.specialist(spec=manifest) as specialist:
            async with asyncio.timeout(DEADLINE_S):
                while not model.waiting:
                    await asyncio.sleep(0.02)
            data = envelope("What is due?", context=request_context("api"))
            await specialist.execute(data)
            await asyncio.sleep(1)
            at_once_at_most = model.waiting
            model.may.set()
            await place.switchboard.completed(id_of(data))
            await ended(place, 2)
    assert at_once_at_most == 1
    assert model.waiting == 3
    assert len(told(place)) == 2


@pytest.mark.spec("CON-2.8", "CON-5")
async def test_two_butlers_do_what_is_due_side_by_side(provisioned: Provision, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    async with (
        HeldModel(at_once(DUE)) as model,
        household(provisioned, tmp_path / "one", "finance") as one,
        household(provisioned, tmp_path / "two", "finance") as two,
    ):
        for place in (one, two):
            inhabited(place)
            await Clock(place).at(6)
            async with place.specialist(spec=bills(model)):
                await adopted(place)
            await Clock(place).at(7)
        async with one.specialist(spec=bills(model)), two.specialist(spec=bills(model)):
            async with asyncio.timeout(DEADLINE_S):
                while model.waiting < 2:
                    await asyncio.sleep(0.02)
            model.may.set()
            for place in (one, two):
                await ended(place)


async def test_a_process_that_dies_before_the_commit_leaves_work_that_another_goes_on_with(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    model.script = ["hang"]
    await clock.at(6)
    async with place.specialist(spec=bills(model)):
        await adopted(place)
    await clock.at(7)
    await killed(place, model, bills(model), questions=1)
    assert await place.pool.fetchval("SELECT count(*) FROM route_inbox WHERE outcome_at IS NULL") == 1
    await clock.at(7.02)
    async with place.specialist(spec=bills(model)):
        [row] = await ended(place)
    assert (row["runs"], row["error"]) == (2, None)
    assert told(place) == [(str(ADA), "telegram", "The gas bill of 40 EUR is due on Friday.")]


async def test_a_run_that_was_cut_off_and_whose_grace_is_over_is_reported_and_not_run_again(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    model.script = ["hang"]
    await clock.at(6)
    async with place.specialist(spec=bills(model)):
        await adopted(place)
    await clock.at(7)
    await killed(place, model, bills(model), questions=1)
    await clock.at(9)
    async with place.specialist(spec=bills(model)):
        [row] = await ended(place)
    assert (row["runs"], "schedule_missed" in row["tags"]) == (1, True)
    assert [line for _, _, line in told(place)] == [
        "Missed: the schedule “bills”, due 08:00. I could not begin it then."
    ]
    assert len(model.asked) == 1


async def killed(place: Place, model: ModelServer, manifest: dict[str, Any], *, questions: int) -> None:
    """A process ran it, and died when its model was asked so often."""
    async with place.process(free_port(), spec=manifest) as (child, _):
        async with asyncio.timeout(DEADLINE_S):
            while len(model.asked) < questions:
                await asyncio.sleep(0.02)
        child.kill()
        await asyncio.wait_for(child.wait(), DEADLINE_S)
    assert place.switchboard.notifies == []


async def test_a_model_that_is_away_is_waited_for_within_the_grace_and_rules_do_not_stand_in(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    manifest = bills(model, runtime={"fallback": "rules"}, graceSeconds=60)
    model.behaviour = "503"
    await clock.at(6)
    async with place.specialist(spec=manifest):
        await adopted(place)
    await clock.at(7)
    async with place.specialist(spec=manifest):
        async with asyncio.timeout(DEADLINE_S):
            while not await place.pool.fetchval("SELECT count(*) FROM sessions WHERE status = 'failed'"):
                await asyncio.sleep(0.05)
        model.behaviour = at_once(DUE)
        [row] = await ended(place)
    assert row["error"] is None
    assert row["runs"] > 1
    assert await place.records() == []
    assert [line for _, _, line in told(place)] == ["The gas bill of 40 EUR is due on Friday."]


async def test_a_budget_that_is_used_up_is_told_in_one_line(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    place.switchboard.used_up = "budget_day_cents"
    manifest = bills(model, runtime={"price": {"inputCentsPerMillion": 10, "outputCentsPerMillion": 10}})
    manifest["budget"] = {"session": {"cents": 1}, "day": {"cents": 1}}
    await clock.at(6)
    async with place.specialist(spec=manifest):
        await adopted(place)
    await clock.at(7)
    async with place.specialist(spec=manifest):
        await ended(place)
    [(person, _, line)] = told(place)
    assert person == str(ADA)
    assert line == (
        "The schedule “bills”, due 08:00, came to no end: what it may take or cost is used up. Nothing was noted."
    )
    assert model.asked == []


async def test_one_for_somebody_whom_nobody_knows_does_not_run_and_the_owner_hears_it(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    await clock.at(6)
    async with place.specialist(spec=bills(model, to="Bernd")):
        await adopted(place)
    await clock.at(7)
    async with place.specialist(spec=bills(model, to="Bernd")):
        await ended(place)
    assert told(place) == [
        (
            None,
            "telegram",
            "The schedule “bills” is for “Bernd”, whom the contacts do not name; it does not run until they do.",
        )
    ]
    assert model.asked == []


async def test_while_switchboard_is_away_it_waits_and_is_done_when_it_is_back(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    away = True

    async def gate(tool: str, _: Any) -> None:
        if tool == "people.whom" and away:
            raise TargetUnavailable("the contacts are not loaded yet", retryable=True)

    place.switchboard.gate = gate
    await clock.at(6)
    async with place.specialist(spec=bills(model)):
        await adopted(place)
    await clock.at(7)
    async with place.specialist(spec=bills(model)):
        await place.switchboard.until(lambda: place.switchboard.order.count("people.whom") >= 2)
        away = False
        await ended(place)
    assert len(told(place)) == 1
    assert len(model.asked) == 1


async def test_a_schedule_with_another_hour_has_missed_nothing_before_and_one_that_is_gone_is_not_reported(
    place: Place, model: ModelServer, clock: Clock
) -> None:
    await clock.at(6)
    async with place.specialist(spec=bills(model)):
        await adopted(place)
    await clock.at(12, day=2)
    async with place.specialist(spec=bills(model, cron="0 8 * * *")):
        await place.switchboard.until(lambda: place.switchboard.beats)
        store = ScheduleStore(place.pool)
        async with asyncio.timeout(DEADLINE_S):
            while set((await store.standing()).through) != {("bills", "0 8 * * *", "UTC")}:
                await asyncio.sleep(0.05)
    await clock.at(12, day=4)
    async with place.specialist(spec=bills(model)):
        async with asyncio.timeout(DEADLINE_S):
            while set((await store.standing()).through) != {("bills", SEVEN, "UTC")}:
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
    assert place.switchboard.notifies == []
    assert model.asked == []


async def test_a_session_that_switched_something_and_was_cut_off_is_never_run_again(
    provisioned: Provision, tmp_path: Path, model: ModelServer
) -> None:
    """As routed work (D61): killed after the call, its end is uncertain, and told to whom it is for."""
    model.script = [at_once(Call.of("lamps_switch", room="kitchen", on=True)), "hang"]
    async with household(provisioned, tmp_path, "home") as place, lamp_server() as lamps:
        inhabited(place)
        clock, manifest = Clock(place), home(model, lamps)
        await clock.at(6)
        async with place.specialist(spec=manifest):
            await adopted(place)
        await clock.at(7)
        await killed(place, model, manifest, questions=2)
        await clock.at(7.02)
        async with place.specialist(spec=manifest):
            [row] = await ended(place)
    assert lamps.switched == [("kitchen", True)]
    assert "uncertain" in row["tags"]
    [(person, _, line)] = told(place)
    assert person == str(ADA)
    assert line.startswith("The schedule “bills”, due 08:00: I was interrupted while I worked on this")
    assert "This was done: lamps.switch (room: kitchen, on: true)." in line


async def test_a_call_of_which_nobody_knows_whether_it_was_done_is_told_though_the_model_would_say_nothing(
    provisioned: Provision, tmp_path: Path, model: ModelServer
) -> None:
    model.behaviour = in_turn(Call.of("lamps_switch", room="kitchen", on=True), Call.of("say_nothing"))
    async with household(provisioned, tmp_path, "home") as place, lamp_server() as lamps:
        inhabited(place)
        lamps.trouble = "lost"
        clock, manifest = Clock(place), home(model, lamps)
        await clock.at(6)
        async with place.specialist(spec=manifest):
            await adopted(place)
        await clock.at(7)
        async with place.specialist(spec=manifest):
            [row] = await ended(place)
    assert row["error"] is None
    [(_, _, line)] = told(place)
    assert line.startswith("This may have been done, or not: lamps.switch (room: kitchen, on: true).")


def home(model: ModelServer, lamps: LampServer) -> dict[str, Any]:
    """A butler that its manifest alone describes."""
    own = {"profile": None, "instructions": "You look after the lamps.", "triggers": ["lamps"]}
    tools = [{"name": "lamps", "url": lamps.url, "allow": ["list", "switch"], "timeoutSeconds": 2}]
    return {**bills(model, prompt="Turn on the kitchen lamp."), **own, "tools": tools}
