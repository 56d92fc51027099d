"""What is known of a person: remembered, recalled with its source, forgotten; nobody else is told any of it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from butler_kit.mcp import CachedMCPClient, ToolError
from butler_kit.time import ManualClock
from butler_specialist.memory.store import EVERYBODY
from butler_specialist.memory.upkeep import MemoryUpkeep
from tests.integration.specialist.household import Client, Place, envelope, request_context

ADA, BEN = UUID(int=0xADA), UUID(int=0xBE)
MEMORY = "[modules.memory]"

pytestmark = pytest.mark.parametrize("place", ["general"], indirect=True)


class Memory:
    """Switchboard's side of a butler's memory."""

    def __init__(self, place: Place, client: Client) -> None:
        self.place = place
        self.client = client

    async def call(self, tool: str, *, token: str | None = None, **args: Any) -> dict[str, Any]:
        given = token or self.place.keys.as_switchboard(self.place.name)
        client = CachedMCPClient(f"{self.client.base}/mcp", lambda: given, timeout_s=20.0)
        try:
            return await client.call(tool, args)
        finally:
            await client.aclose()

    async def remember(self, person: UUID, statement: str, **args: Any) -> dict[str, Any]:
        source = {"said_by": "1001", "said_through": "telegram"}
        args = {"idempotency_key": str(uuid4()), **source, **args}
        return await self.call("memory_remember", person=str(person), statement=statement, **args)

    async def recall(self, person: UUID, **args: Any) -> list[dict[str, Any]]:
        answer = await self.call("memory_recall", person=str(person), **args)
        memories: list[dict[str, Any]] = answer["memories"]
        return memories

    async def statements(self, person: UUID, **args: Any) -> list[str]:
        return [one["statement"] for one in await self.recall(person, **args)]


async def test_what_is_remembered_is_recalled_with_who_said_it_and_when(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        source = {"said_by": "ada@example.org", "said_through": "email"}
        kept = await memory.remember(ADA, "I am vegetarian", **source)
        assert kept == {"record_id": kept["record_id"], "known": False, "superseded": []}
        [known] = await memory.recall(ADA)
        assert (known["statement"], known["kind"], known["confidence"]) == ("I am vegetarian", "fact", 0.9)
        assert (known["said_by"], known["said_through"]) == ("ada@example.org", "email")
        assert {"said_at", "request_id"} <= known.keys()


async def test_nothing_of_another_person_is_recalled_or_forgotten(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        kept = await memory.remember(ADA, "My canary is CANARY-ADA-1")
        await memory.remember(BEN, "I like olives")
        assert "CANARY" not in str(await memory.recall(BEN))
        assert "CANARY" not in str(await memory.recall(BEN, query="canary"))
        forgotten = await memory.call(
            "memory_forget", person=str(BEN), idempotency_key="x", record_ids=[kept["record_id"]]
        )
        assert forgotten == {"forgotten": 0}
        assert await memory.statements(ADA) == ["My canary is CANARY-ADA-1"]


async def test_what_contradicts_takes_the_place_of_what_was_said_before_and_the_same_is_kept_once(
    place: Place,
) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        first = await memory.remember(ADA, "I live in Graz")
        second = await memory.remember(ADA, "I live in Linz")
        assert second["superseded"] == [first["record_id"]]
        again = await memory.remember(ADA, "i live in linz.")
        assert (again["known"], again["record_id"]) == (True, second["record_id"])
        [known] = await memory.recall(ADA)
        assert (known["statement"], known["confidence"]) == ("I live in Linz", 0.95)
        causes = await place.pool.fetch("SELECT cause FROM record_changes ORDER BY seq")
        assert [row["cause"] for row in causes] == ["superseded", "confirmed"]
        sources = await place.pool.fetch("SELECT DISTINCT source_channel, sender FROM record_changes")
        assert [tuple(row) for row in sources] == [("telegram", "1001")]


async def test_words_find_what_has_any_of_them_the_best_first(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        for said in ("I love to crack nuts", "I like walnut bread and nuts", "I live in Graz"):
            await memory.remember(ADA, said)
        assert await memory.statements(ADA, query="walnut nuts") == [
            "I like walnut bread and nuts",
            "I love to crack nuts",
        ]
        assert await memory.statements(ADA, query="crac") == ["I love to crack nuts"]
        assert await memory.statements(ADA, query="'); DROP & | ! :*") == []


async def test_an_order_that_comes_again_or_twice_at_once_keeps_one_record(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        first = await memory.remember(ADA, "I like olives", idempotency_key="once")
        assert (await memory.remember(ADA, "I like olives", idempotency_key="once"))["record_id"] == first[
            "record_id"
        ]
        for _ in range(2):
            await memory.remember(ADA, "i like olives.", idempotency_key="again")
        [known] = await memory.recall(ADA)
        assert known["confidence"] == 0.95, "confirmed once"
        await asyncio.gather(*(memory.remember(ADA, "I live in Graz") for _ in range(5)))
        assert sorted(await memory.statements(ADA)) == ["I like olives", "I live in Graz"]
        assert len(await place.records()) == 2


async def test_what_is_forgotten_is_recalled_no_more_and_everything_is_erased_at_once(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        kept = await memory.remember(ADA, "I like olives")
        await memory.remember(ADA, "I live in Graz")
        await memory.remember(BEN, "I live in Bonn")
        asked = {"person": str(ADA), "idempotency_key": "x"}
        one = await memory.call("memory_forget", **asked, record_ids=[kept["record_id"]])
        assert (one, await memory.statements(ADA)) == ({"forgotten": 1}, ["I live in Graz"])
        assert await memory.call("memory_forget", **asked, everything=True) == {"forgotten": 2}
        assert [row["title"] for row in await place.records()] == ["I live in Bonn"]
        assert await place.pool.fetchval("SELECT count(*) FROM record_changes") == 0


async def test_of_everybody_it_is_said_how_much_is_known_and_never_what(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        for person, statement in ((ADA, "I live in Graz"), (ADA, "I like olives"), (BEN, "I like CANARY-4")):
            await memory.remember(person, statement)
        gone = await memory.remember(BEN, "I work as a cook")
        await memory.call(
            "memory_forget", person=str(BEN), idempotency_key="x", record_ids=[gone["record_id"]]
        )
        await said(place, client, "The boiler rattles")
        await place.pool.execute("UPDATE route_inbox SET teller = $1", str(ADA))
        await memory.call("memory_consolidate")
        told = await memory.call("memory_people")
        assert "CANARY" not in str(told)
        counts = {
            one["person"]: (one["facts"], one["preferences"], one["episodes"]) for one in told["people"]
        }
        assert counts == {str(ADA): (1, 1, 1), str(BEN): (0, 1, 0)}


async def with_words(place: Place, *people: UUID) -> None:
    """A session of each, whose words are kept."""
    for person in people:
        session = uuid4()
        await place.pool.execute(
            "INSERT INTO sessions (session_id, kind, trigger_source, family, started_at, status)"
            " VALUES ($1, 'route', 'route', 'api', now(), 'completed')",
            session,
        )
        await place.pool.execute(
            "INSERT INTO session_transcripts (session_id, person, prompt, output) VALUES ($1, $2, 'read', '')",
            session,
            str(person),
        )


async def whose_words(place: Place) -> list[str]:
    return [row["person"] for row in await place.pool.fetch("SELECT person FROM session_transcripts")]


async def test_what_is_kept_of_a_persons_sessions_goes_with_what_they_want_forgotten(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        await memory.remember(ADA, "I live in Graz")
        await with_words(place, ADA, BEN)
        asked = {"person": str(ADA), "idempotency_key": "x"}
        assert await memory.call("memory_forget", **asked, everything=True) == {"forgotten": 2}
        assert await whose_words(place) == [str(BEN)]
        await memory.remember(BEN, "I live in Bonn")
        await with_words(place, ADA)
        who = request_context(source_sender_identity="2002", source_thread_identity="2002")
        said_by_ben = envelope("forget everything you know about me", butler=place.name, context=who)
        ben = {
            "contact_id": str(BEN),
            "name": "Ben",
            "addresses": [{"channel": "telegram", "value": "2002"}],
        }
        said_by_ben["input"]["context"] = {"people": {"sender": str(BEN), "members": [ben]}}
        await client.done(said_by_ben)
        assert await whose_words(place) == [str(ADA)]


async def test_an_order_to_forget_that_comes_again_after_it_was_undone_changes_nothing(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        kept = await memory.remember(ADA, "I like olives")
        asked: dict[str, Any] = {
            "person": str(ADA),
            "idempotency_key": "x",
            "record_ids": [kept["record_id"]],
        }
        await memory.call("memory_forget", **asked)
        await place.pool.execute("UPDATE records SET withdrawn_at = NULL, version = version + 1")
        await memory.call("memory_forget", **asked)
        assert await memory.statements(ADA) == ["I like olives"]


async def test_what_nobody_says_of_themselves_and_who_is_not_switchboard_are_refused(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        with pytest.raises(ToolError, match="says of themselves"):
            await memory.remember(ADA, "The key is under the mat")
        with pytest.raises(ToolError):
            await memory.call(
                "memory_recall", token=place.keys.butler("travel", receiver="general"), person=str(ADA)
            )


async def test_facts_are_shared_with_a_butler_that_the_manifest_names_and_never_what_was_spoken(
    place: Place,
) -> None:
    async with place.specialist(runtime=f'{MEMORY}\nshared_with = ["travel"]') as client:
        memory = Memory(place, client)
        await memory.remember(ADA, "I am vegetarian")
        await memory.remember(BEN, "I like CANARY-6")
        await said(place, client, "The boiler rattles")
        await place.pool.execute("UPDATE route_inbox SET teller = $1", str(ADA))
        await memory.call("memory_consolidate")

        async def shared(origin: str | None, **args: Any) -> dict[str, Any]:
            token = place.keys.as_switchboard(place.name, origin=origin)
            return await memory.call("memory_share", token=token, person=str(ADA), **args)

        told = await shared("travel")
        assert [one["statement"] for one in told["memories"]] == ["I am vegetarian"]
        assert (await shared("travel", query="boiler"))["episodes"] == []
        for origin in ("finance", None):
            with pytest.raises(ToolError, match=r"spec\.modules\.memory\.sharedWith"):
                await shared(origin)


async def test_a_butler_that_shares_with_nobody_has_no_tool_for_it(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        token = place.keys.as_switchboard(place.name, origin="travel")
        with pytest.raises(ToolError):
            await Memory(place, client).call("memory_share", token=token, person=str(ADA))


async def test_without_the_module_there_are_no_such_tools(place: Place) -> None:
    async with place.specialist() as client:
        with pytest.raises(ToolError):
            await Memory(place, client).recall(ADA)


async def said(place: Place, client: Client, text: str, *, sender: str = "1001", **context: Any) -> None:
    own = {"source_sender_identity": sender, "source_thread_identity": sender}
    who = request_context(**own | context)
    await client.done(envelope(text, butler=place.name, context=who))


async def test_consolidation_folds_a_thread_into_an_episode_once_and_leaves_strangers_out(
    place: Place,
) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        for text in ("The boiler rattles", "The boiler man came"):
            await said(place, client, text)
        await said(
            place, client, "CANARY of a stranger", sender="9", sender_class="other", reply_policy="none"
        )
        first = await memory.call("memory_consolidate")
        assert (first["messages"], (await memory.call("memory_consolidate"))["messages"]) == (3, 0)
        await said(place, client, "It is quiet now")
        await memory.call("memory_consolidate")
        rows = await place.pool.fetch("SELECT * FROM memory_episodes")
        [episode] = [dict(row) for row in rows]
        assert episode["person"] == "telegram:1001"
        assert episode["words"] == "The boiler rattles\nThe boiler man came\nIt is quiet now"


async def test_consolidation_merges_supersedes_and_drops_what_has_faded_or_is_over(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        for statement in ("I live in Graz", "I like olives", "I like tea", "I work as a cook"):
            await memory.remember(ADA, statement)
        titles = {row["title"]: row["record_id"] for row in await place.records()}
        for title, change in (
            ("I like olives", "title = 'I live in Linz', code = 'home'"),
            ("I like tea", "details = details || '{\"basis\": \"passing\"}', occurred_on = '2020-01-01'"),
            ("I work as a cook", 'details = details || \'{"until": "2020-01-01"}\''),
        ):
            await place.pool.execute(f"UPDATE records SET {change} WHERE record_id = $1", titles[title])
        assert (await memory.call("memory_consolidate"))["changed"] == 3
        assert await memory.statements(ADA) == ["I live in Linz"]
        causes = await place.pool.fetch("SELECT cause FROM record_changes")
        assert {row["cause"] for row in causes} == {"superseded", "faded", "expired"}
        assert (await memory.call("memory_consolidate"))["changed"] == 0


async def test_what_holds_until_a_day_holds_to_its_end_where_the_person_is(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        await memory.remember(ADA, "I work as a cook")
        await place.pool.execute('UPDATE records SET details = details || \'{"until": "2027-03-05"}\'')

        async def consolidated(now: str) -> int:
            clock = ManualClock(datetime.fromisoformat(now))
            zone = ZoneInfo("America/Los_Angeles")
            upkeep = MemoryUpkeep(place.pool, clock, lambda _: zone, half_life_days=90, episode_days=90)
            changed: int = (await upkeep.consolidate())["changed"]
            return changed

        assert await consolidated("2027-03-06T07:00:00+00:00") == 0
        assert await consolidated("2027-03-06T09:00:00+00:00") == 1


async def test_everything_is_forgotten_though_messages_are_just_being_folded(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        async with place.pool.acquire() as folding, folding.transaction():
            lock = "SELECT pg_advisory_xact_lock(hashtextextended('memory:' || $1, 0))"
            await folding.execute(lock, EVERYBODY)
            asked: dict[str, Any] = {"person": str(ADA), "idempotency_key": "x", "everything": True}
            forgetting = asyncio.create_task(memory.call("memory_forget", **asked))
            await asyncio.sleep(0.5)
            assert not forgetting.done(), "it waits for its turn"
        await forgetting


async def test_who_asks_to_be_forgotten_is_forgotten_also_where_only_episodes_are_known(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        await said(place, client, "The boiler rattles")
        await said(place, client, "I live upstairs", sender="2002")
        await memory.call("memory_consolidate")
        await said(place, client, "The boiler man came")
        together = {"answered": 0, "last": False, "of": "memory"}
        order = envelope(
            "forget everything you know about me",
            butler=place.name,
            context=request_context(source_sender_identity="1001", source_thread_identity="1001"),
        )
        order["input"]["context"] = {"together": together}
        before = len(place.switchboard.notifies)
        await client.done(order)
        assert len(place.switchboard.notifies) == before, "it knew no fact, and others are asked too"
        await memory.call("memory_consolidate")
        rows = await place.pool.fetch("SELECT person, words FROM memory_episodes")
        assert not [row["words"] for row in rows if "boiler" in row["words"]]
        assert {row["person"] for row in rows} >= {"telegram:2002"}


async def test_what_was_spoken_of_is_told_to_its_teller_alone_folded_or_not(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        memory = Memory(place, client)
        today = {"received_at": datetime.now(UTC).isoformat()}
        await said(place, client, "The boiler rattles")
        await said(place, client, "CANARY-5 mends the boiler", sender="2002")
        await memory.call("memory_consolidate")
        await said(place, client, "The boiler man came")
        for asked in ("what did we talk about about the boiler?", "what did we talk about today?"):
            await said(place, client, asked, **today)
            told = str(place.switchboard.notifies[-1].delivery.message)
            assert "“The boiler rattles”" in told
            assert "“The boiler man came”" in told
            assert "CANARY" not in told
            assert "what did we talk" not in told
        group = {"source_thread_identity": "-77"}
        await said(place, client, "The boiler is new", **group)
        await said(place, client, "what did we talk about about the boiler?", **group)
        told = str(place.switchboard.notifies[-1].delivery.message)
        assert "“The boiler is new”" in told
        assert "rattles" not in told
        await said(place, client, "forget everything you know about me")
        await said(place, client, "what did we talk about about the boiler?")
        told = str(place.switchboard.notifies[-1].delivery.message)
        assert told == "I do not remember that we talked about that."


async def test_the_clean_up_deletes_old_episodes_and_what_was_forgotten_long_ago(place: Place) -> None:
    async with place.specialist(runtime=f"{MEMORY}\nepisode_days = 10") as client:
        memory = Memory(place, client)
        await said(place, client, "The boiler rattles")
        await memory.call("memory_consolidate")
        kept = await memory.remember(ADA, "My canary is CANARY-1")
        await memory.call(
            "memory_forget", person=str(ADA), idempotency_key="x", record_ids=[kept["record_id"]]
        )
        assert await memory.call("memory_clean_up") == {"episodes": 0, "forgotten": 0}
        await place.pool.execute("UPDATE memory_episodes SET ended_at = now() - interval '11 days'")
        assert await memory.call("memory_clean_up") == {"episodes": 1, "forgotten": 0}
        await place.pool.execute(
            "UPDATE records SET withdrawn_at = now() - interval '31 days' WHERE kind = 'fact'"
        )
        assert await memory.call("memory_clean_up") == {"episodes": 0, "forgotten": 1}
        left = await place.pool.fetch("SELECT * FROM record_changes") + await place.pool.fetch(
            "SELECT * FROM records"
        )
        assert "CANARY" not in str(left)


async def test_in_the_chat_nothing_of_another_is_in_any_answer_view_or_operators_list(place: Place) -> None:
    async with place.specialist(runtime=MEMORY) as client:
        await said(place, client, "remember that my favourite word is CANARY-2")
        for asked in (
            "what do you know about me?",
            "what's my favourite word?",
            "what did you note?",
            "CANARY-2?",
        ):
            await said(place, client, asked, sender="2002")
        to_ben = [one.delivery.message for one in place.switchboard.notifies[1:]]
        assert len(to_ben) == 4
        assert "favourite word is" not in str(to_ben)
        await said(place, client, "what do you know about me?")
        assert "“my favourite word is CANARY-2”" in str(place.switchboard.notifies[-1].delivery.message)
        operator = place.keys.operator(receiver=place.name)
        assert "CANARY" not in (await client.get("/ops/v1/records", token=operator)).text
        assert await place.pool.fetch("SELECT * FROM dashboard_records") == []
        memory = Memory(place, client)
        await memory.call("memory_consolidate")
        await said(place, client, "CANARY-3 comes for dinner")
        await said(place, client, "forget everything you know about me")
        await memory.call("memory_consolidate")
        episodes = await place.pool.fetch("SELECT person, words FROM memory_episodes")
        assert {row["person"] for row in episodes} == {"telegram:1001", "telegram:2002"}
        assert "CANARY" not in str([row["words"] for row in episodes if row["person"] == "telegram:1001"])
        await said(place, client, "what do you know about me?")
        assert "I know nothing about you yet" in str(place.switchboard.notifies[-1].delivery.message)
