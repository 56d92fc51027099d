"""Every hostile text through every real channel of a running household: recorded whole, routed as data, nothing falls.

The texts, and what they hope for, are in `tests/golden/injection`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import cycle

import pytest
import pytest_asyncio

from butler_contracts.text import text_fault
from tests.flow.security.injection import HostileCase, cases
from tests.flow.security.siege import CHANNELS, Arrived, Siege
from tests.support.household import RunningPlace, place, until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("hostile")]

REGISTERED = {"finance", "general", "health", "relationship", "travel"}
PEOPLE = {"ada@example.org", "ben@example.org"}
OF_MAIL_ALONE = ("header-", "html-")


@dataclass(frozen=True)
class Outcome:
    """A household after the siege; `pairs` are what was sent, `before` the processes as they were before it."""

    running: RunningPlace
    siege: Siege
    pairs: list[tuple[HostileCase, str]]
    before: dict[str, int]
    arrived: list[Arrived]


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=["each by one", pytest.param("each by all", marks=pytest.mark.faults_full)],
)
async def outcome(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Outcome]:
    pairs = every_way() if request.param == "each by all" else one_way_each()
    async with place(tmp_path_factory.mktemp("hostile") / "place") as made, made.up() as running:
        await until(lambda: is_ready(running), what="every source is reached")
        before = running.pids()
        siege = Siege(running)
        await siege.send(pairs)
        yield Outcome(running, siege, pairs, before, await siege.ended())


def every_way() -> list[tuple[HostileCase, str]]:
    return [(case, channel) for channel in CHANNELS for case in cases()]


def one_way_each() -> list[tuple[HostileCase, str]]:
    """Each text by one channel, in turn, so that every family comes by each; what only a mail can do by mail."""
    turns = cycle(CHANNELS)
    return [(case, "email" if case.id.startswith(OF_MAIL_ALONE) else next(turns)) for case in cases()]


async def is_ready(running: RunningPlace) -> bool:
    return running.ready()


async def test_every_text_came_in_once_unless_no_record_can_hold_it(outcome: Outcome) -> None:
    posted = [case for case, channel in outcome.pairs if channel == "api"]
    unstorable = {case.id for case in posted if text_fault(case.text)}
    assert unstorable
    assert set(outcome.siege.refused) == unstorable
    assert all(status == 400 and "text: has" in said for status, said in outcome.siege.refused.values())
    taken = [(one.sent.case.id, one.sent.channel) for one in outcome.arrived]
    meant = [(case.id, channel) for case, channel in outcome.pairs]
    assert sorted(taken) == sorted(pair for pair in meant if pair[1] != "api" or pair[0] not in unstorable)


async def test_every_text_is_in_the_record_as_its_connector_gave_it(outcome: Outcome) -> None:
    changed = [str(one) for one in outcome.arrived if one.row["normalized_text"] != one.sent.text]
    changed += [str(one) for one in outcome.arrived if one.payload["normalized_text"] != one.sent.text]
    assert changed == []
    strange = [
        str(one)
        for one in outcome.arrived
        if not one.sent.raw.items() <= one.payload["raw"].items() or one.sent.raw == {}
    ]
    assert strange == []


async def test_every_request_ends_and_is_routed_to_registered_butlers_alone(outcome: Outcome) -> None:
    unfinished = [
        f"{one}: {one.row['lifecycle_state']} {one.row['error_message']}"
        for one in outcome.arrived
        if one.row["lifecycle_state"] != "parsed" or one.row["waiting"]
    ]
    assert unfinished == []
    astray = [f"{one}: {one.targets}" for one in outcome.arrived if not set() < one.targets <= REGISTERED]
    assert astray == []
    planted = [f"{one}: {one.targets}" for one in outcome.arrived if one.targets & set(one.sent.case.plants)]
    assert planted == []


async def test_the_catch_all_gets_the_whole_text(outcome: Outcome) -> None:
    rows = await outcome.running.rows("SELECT request_id::text, envelope FROM general.route_inbox")
    given = {row["request_id"]: json.loads(row["envelope"])["input"]["prompt"] for row in rows}
    meant = [one for one in outcome.arrived if "general" in one.targets]
    assert len(meant) > len(outcome.arrived) / 3
    assert [str(one) for one in meant if given[one.row["request_id"]] != one.sent.text] == []


async def test_nobody_outside_the_household_is_told_anything(outcome: Outcome) -> None:
    providers = outcome.running.providers
    chats = set(range(-len(outcome.pairs), 0)) | {1001}
    assert {entry["chat_id"] for entry in providers.telegram.log} <= chats
    assert {to for mail in providers.smtp.accepted for to in mail.rcpt_to} <= PEOPLE


async def test_no_process_fell_and_none_reported_a_fault_of_its_own(outcome: Outcome) -> None:
    assert outcome.running.pids() == outcome.before
    logs = (outcome.running.place.state.root / "logs").glob("*.log")
    lines = [line for file in logs for line in file.read_text("utf-8", "replace").splitlines()]
    assert len(lines) > len(outcome.before)
    assert [line for line in lines if "Traceback" in line or '"level": "error"' in line] == []
