"""What members say of people is found after routing, where the household wants it, and goes when they ask."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest

from butler_kit.runtime import SessionJob
from butler_switchboard.dispatch.state import load_request
from butler_switchboard.extraction.readers import Readers
from butler_switchboard.extraction.rules.reading import RULES_VERSION, calls_for
from butler_switchboard.extraction.signals import SIGNAL_TOOL
from butler_switchboard.skills.inventory import RELATIONSHIP_EXTRACTOR, skill
from tests.support.model_api import Answer, Asked, Call, ModelServer
from tests.support.model_api.behaviour import Behaviour
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until
from tests.support.thinking import KEY, VARIABLE, spec

ON = "[routing]\nrelationship_extraction = true\n"
NUTS = "My sister Anna is allergic to nuts. I lent Ben 20 euros."
SKILL = skill(RELATIONSHIP_EXTRACTOR)


async def sent(home: Household, running: Running, number: int, text: str, **more: Any) -> UUID:
    """A message, once nothing is left to do for it."""
    request = await running.accepted(telegram(number, text, **more))
    await home.settled(request)
    return request


async def read(home: Household) -> None:
    """Wait until no message is left to be read."""

    async def empty() -> bool:
        return bool(await home.pool.fetchval("SELECT count(*) = 0 FROM extraction_queue"))

    await until(empty, what="an empty queue of extraction")


async def idle(self: Readers, stopping: asyncio.Event) -> None:
    await stopping.wait()


async def log(home: Household) -> list[tuple[Any, ...]]:
    rows = await home.pool.fetch(
        "SELECT request_id, signal_type, subject FROM extraction_log ORDER BY request_id, number"
    )
    return [tuple(row) for row in rows]


async def asked(running: Running, path: str) -> dict[str, Any]:
    """What the ops API tells an operator."""
    token = running.household.keys.operator()
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.get(f"{running.url}/ops/v1{path}", headers={"Authorization": f"Bearer {token}"})
    answer.raise_for_status()
    return dict(answer.json())


@pytest.mark.spec("SWB-26.1", "SWB-17.1")
async def test_what_a_member_says_of_people_is_found_and_shown_with_its_words_and_the_skills_version(
    home: Household,
):
    async with home.run(ON) as running:
        request = await sent(home, running, 1, NUTS)
        await read(home)
        [first, second] = (await asked(running, f"/requests/{request}"))["signals"]
    assert (first["signal_type"], first["subject"], first["evidence"]) == (
        "fact",
        "My sister Anna",
        "My sister Anna is allergic to nuts",
    )
    assert (first["confidence"], first["skill"], first["skill_version"]) == (0.9, SKILL.name, SKILL.version)
    assert (first["family"], first["model_version"]) == ("rules", RULES_VERSION)
    assert (second["signal_type"], second["subject"]) == ("loan", "Ben")
    row = await home.pool.fetchrow("SELECT * FROM extraction_log WHERE number = 1")
    ada = await home.pool.fetchval("SELECT contact_id FROM shared.contacts WHERE name = 'Ada Example'")
    assert row is not None
    assert (row["request_id"], row["person"]) == (request, ada)
    assert NUTS[row["evidence_start"] : row["evidence_end"]] == first["evidence"]
    session = await home.pool.fetchrow("SELECT * FROM sessions WHERE kind = 'extract'")
    assert session is not None
    assert (session["request_id"], session["prompt_version"]) == (request, SKILL.label)
    assert session["tool_calls"] == [], "what was found is in the log alone"


@pytest.mark.spec("SWB-17.1")
async def test_a_message_waits_in_the_table_and_the_next_life_reads_it_once(
    home: Household, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        patched.setattr(Readers, "run", idle)
        async with home.run(ON) as running:
            request = await sent(home, running, 1, NUTS)
            queued = await home.pool.fetch("SELECT item_id FROM extraction_queue")
            answered = await home.row(request)
    assert [row["item_id"] for row in queued] == [request]
    assert answered["lifecycle_state"] == "parsed", "nobody waits for what is found in a message"
    async with home.run(ON) as running:
        await read(home)
        async with home.pool.acquire() as connection:
            state = await load_request(connection, request)
        assert state is not None
        assert await running.switchboard.parts.extracting.after(state), "what ended is followed once more"
        assert await home.pool.fetchval("SELECT count(*) FROM extraction_queue") == 0
    assert await log(home) == [(request, "fact", "My sister Anna"), (request, "loan", "Ben")]


async def test_while_one_message_is_read_the_next_one_is_routed(
    home: Household, monkeypatch: pytest.MonkeyPatch
):
    begun, gate = asyncio.Event(), asyncio.Event()

    async def held(job: SessionJob) -> None:
        begun.set()
        await gate.wait()

    monkeypatch.setattr("butler_switchboard.extraction.extractor.extracting_program", lambda text, own: held)
    one_place = f"[runtime]\nmax_concurrent_sessions = 1\n\n{ON}session_timeout_s = 110\n"
    async with home.run(one_place) as running:
        await sent(home, running, 1, NUTS)
        await asyncio.wait_for(begun.wait(), 60)
        second = await sent(home, running, 2, "I paid the gas bill of 40 euro")
        assert (await home.row(second))["lifecycle_state"] == "parsed"
        reading = await home.pool.fetch("SELECT status FROM sessions WHERE kind = 'extract'")
        assert [row["status"] for row in reading] == ["running"]
        gate.set()
        await read(home)


@pytest.mark.spec("SWB-26.1")
async def test_a_household_that_did_not_ask_for_it_gets_nothing_found_and_is_told_so(home: Household):
    async with home.run() as running:
        await sent(home, running, 1, NUTS)
        skills = (await asked(running, "/skills"))["skills"]
    assert await home.pool.fetchval("SELECT count(*) FROM extraction_queue") == 0
    assert await log(home) == []
    assert await home.pool.fetchval("SELECT count(*) FROM sessions WHERE kind <> 'route'") == 0
    assert [(one["name"], one["in_use"]) for one in skills] == [
        ("message-triage", True),
        ("relationship-extractor", False),
    ]
    assert skills[1]["text"] == SKILL.text


async def test_who_asks_to_be_forgotten_takes_everything_along_and_nothing_of_others_even_where_it_is_off(
    home: Household, monkeypatch: pytest.MonkeyPatch
):
    async with home.run(ON) as running:
        await sent(home, running, 1, NUTS)
        kept = await sent(home, running, 2, "My brother got engaged", sender="1002", chat="1002")
        await read(home)
    assert len(await log(home)) == 3

    with monkeypatch.context() as patched:
        patched.setattr(Readers, "run", idle)
        async with home.run(ON) as running:
            await sent(home, running, 3, "My aunt died")
            assert await home.pool.fetchval("SELECT count(*) FROM extraction_queue") == 1
    async with home.run() as running:
        await sent(home, running, 4, "forget everything you know about me")
    assert await log(home) == [(kept, "life_event", "My brother")]
    assert await home.pool.fetchval("SELECT count(*) FROM extraction_queue") == 0


async def test_who_asks_to_be_forgotten_while_a_message_is_read_finds_nothing_written_of_it(
    home: Household, monkeypatch: pytest.MonkeyPatch
):
    begun, gate = asyncio.Event(), asyncio.Event()

    async def held(job: SessionJob) -> None:
        begun.set()
        await gate.wait()
        for call in calls_for(NUTS, ((0, len(NUTS)),)):
            await job.tools.call(SIGNAL_TOOL, call)

    async def over() -> bool:
        return bool(
            await home.pool.fetchval(
                "SELECT count(*) FROM sessions WHERE kind = 'extract' AND status <> 'running'"
            )
        )

    monkeypatch.setattr("butler_switchboard.extraction.extractor.extracting_program", lambda text, own: held)
    async with home.run(ON) as running:
        await sent(home, running, 1, NUTS)
        await asyncio.wait_for(begun.wait(), 60)
        await sent(home, running, 2, "forget everything you know about me")
        gate.set()
        await until(over, what="the end of the session")
    assert await log(home) == [], "the Switchboard has drained"


async def test_a_queue_that_is_full_leaves_a_message_out_and_its_writer_is_answered(
    home: Household, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Readers, "run", idle)
    monkeypatch.setattr("butler_switchboard.extraction.store.MOST_WAITING", 1)
    async with home.run(ON) as running:
        first = await sent(home, running, 1, NUTS)
        second = await sent(home, running, 2, "My brother got engaged")
    assert [row["item_id"] for row in await home.pool.fetch("SELECT item_id FROM extraction_queue")] == [
        first
    ]
    assert (await home.row(second))["lifecycle_state"] == "parsed"


async def test_an_edit_takes_the_place_of_what_was_found_in_its_message(home: Household):
    async with home.run(ON) as running:
        await sent(home, running, 1, "My sister Anna is allergic to nuts")
        await read(home)
        again = await sent(
            home, running, 2, "My sister Anna is allergic to milk", supersedes="1", message_id="1"
        )
        await read(home)
    assert [row[0] for row in await log(home)] == [again]


async def test_an_edit_that_makes_its_message_private_deletes_what_was_found_or_waits_to_be_read(
    home: Household, monkeypatch: pytest.MonkeyPatch
):
    said = "My sister Anna is allergic to nuts"
    async with home.run(ON) as running:
        await sent(home, running, 1, said)
        await read(home)
        assert len(await log(home)) == 1
        await sent(home, running, 2, f"{said}, keep that between us", supersedes="1", message_id="1")
        assert await log(home) == []
    monkeypatch.setattr(Readers, "run", idle)
    async with home.run(ON) as running:
        await sent(home, running, 3, said)
        assert await home.pool.fetchval("SELECT count(*) FROM extraction_queue") == 1
        await sent(home, running, 4, f"{said}, keep that between us", supersedes="3", message_id="3")
    assert await home.pool.fetchval("SELECT count(*) FROM extraction_queue") == 0


@pytest.fixture
async def model(home: Household) -> AsyncIterator[ModelServer]:
    home.more_environment[VARIABLE] = KEY
    async with ModelServer("route", key=KEY) as server:
        yield server


def extracts(*calls: Call) -> Behaviour:
    """Routes what is to be routed to general, and records those calls of what is to be read."""

    def behave(question: Asked) -> Answer:
        if question.results:
            return Answer("done")
        if "record_signal" not in json.dumps(question.body.get("tools", [])):
            return Answer(calls=(Call.route("general", question.payload),))
        return Answer(calls=calls)

    return behave


def thinking(model: ModelServer, **more: Any) -> dict[str, Any]:
    return {**spec(model, "openai", **more), "routing": {"relationshipExtraction": True}}


@pytest.mark.spec("SWB-26.1")
async def test_a_model_reads_with_the_skills_text_and_only_what_the_message_says_is_kept(
    home: Household, model: ModelServer
):
    def signal(quote: str, **more: Any) -> Call:
        said = {"type": "fact", "subject": "Anna", "quote": quote, "confidence": 0.8, **more}
        return Call.of("record_signal", **said)

    model.behaviour = extracts(
        signal("Anna cannot eat nuts"), signal("Anna is a spy"), signal("eat nuts", subject="the mayor")
    )
    async with home.run(spec=thinking(model)) as running:
        request = await sent(home, running, 1, "By the way: Anna cannot eat nuts")
        await read(home)
    assert await log(home) == [(request, "fact", "Anna")]
    row = await home.pool.fetchrow("SELECT * FROM extraction_log")
    assert row is not None
    assert (row["family"], row["model_version"], row["confidence"]) == ("api", "stub", 0.8)
    [question] = [one for one in model.asked if not one.results and one.system.startswith(SKILL.text)]
    assert question.payload == "By the way: Anna cannot eat nuts"
    assert "Anna cannot" not in question.system


async def test_rules_stand_in_for_a_model_that_cannot_be_had_and_say_so(home: Household, model: ModelServer):
    model.behaviour = "503"
    async with home.run(spec=thinking(model, fallback="rules")) as running:
        await sent(home, running, 1, NUTS)
        await read(home)
    rows = await home.pool.fetch("SELECT DISTINCT family, model_version FROM extraction_log")
    assert [tuple(row) for row in rows] == [("rules", RULES_VERSION)]


async def test_what_nobody_can_read_ends_after_its_tries_and_is_on_record(
    home: Household, model: ModelServer
):
    def behave(question: Asked) -> Answer:
        if "record_signal" in json.dumps(question.body.get("tools", [])):
            return Answer(calls=(Call.of("record_signal", type="no such type"),))
        return extracts()(question)

    model.behaviour = behave
    async with home.run(spec=thinking(model)) as running:
        request = await sent(home, running, 1, NUTS)
        await home.pool.execute("UPDATE extraction_queue SET failures = 2")
        await read(home)

        async def written() -> Any:
            return await home.pool.fetchrow(
                "SELECT * FROM dashboard_audit_log WHERE operation = 'extraction.given_up'"
            )

        entry = await until(written, what="the entry")
    assert (entry["request_id"], entry["result"]) == (request, "error")
    assert await log(home) == []


async def test_what_was_found_and_what_nobody_reads_go_when_their_time_is_over(home: Household):
    async with home.run(ON) as running:
        await sent(home, running, 1, NUTS)
        await read(home)
        long_ago = datetime.now(UTC) - timedelta(days=366)
        await home.pool.execute("UPDATE extraction_log SET extracted_at = $1 WHERE number = 1", long_ago)
        swept = await running.switchboard.parts.retention.sweep()
    assert swept.deleted["extraction_log"] == 1
    assert [kind for _, kind, _ in await log(home)] == ["loan"]
