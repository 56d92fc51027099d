"""Edited messages: who is told of them with what, and what people see of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.problems import ContractViolation, FieldProblem
from butler_contracts.route import RouteEnvelopeV1
from tests.flow.household.test_people import ADA, BEN
from tests.flow.household.test_two_zones import writes
from tests.support.butlers import FakeButler, accepts, accepts_then_answers, answers, error_of, refuses
from tests.support.switchboard import MAILBOX, mail, telegram
from tests.support.switchboard_service import Household, Running

BILL = "I paid the gas bill of 40 euro"
MENDED = "I paid the gas bill of 44 euro"
WEIGHT = "My weight is 81.5 kg, blood pressure 120/80"
PROVEN = {"Authentication-Results": ["mx.example.org; dmarc=pass header.from=example.org"]}
EYE, CHECK = "👀", "✅"


def edited(number: int, text: str, **more: Any) -> Any:
    return telegram(number, text, message_id="77", supersedes="77", **more)


async def first(home: Household, running: Running, text: str = BILL, **more: Any) -> UUID:
    """The message before its edits, finished."""
    request = await running.accepted(telegram(1, text, message_id="77", **more))
    await home.settled(request)
    return request


def replies(home: Household) -> list[str]:
    return [str(one.delivery.message) for one in home.messenger.replies()]


def replaced(envelope: RouteEnvelopeV1) -> list[tuple[UUID, str]]:
    told = envelope.supersedes
    return [(part.request_id, part.segment_id) for part in told.parts] if told is not None else []


async def test_an_edit_of_a_finished_message_goes_to_the_butler_that_had_it_and_its_check_mark_stays(
    home: Household,
):
    async with home.run() as running:
        request = await first(home, running)
        edit = await running.accepted(edited(2, MENDED))
        row = await home.settled(edit)
        assert row["lifecycle_state"] == "parsed"
        assert home.messenger.reactions(request) == [EYE, CHECK]
        assert home.messenger.reactions(edit) == [CHECK]
    before, after = home.butler("finance").got
    assert before.supersedes is None
    assert replaced(after) == [(request, "s1")]
    assert after.input.prompt == MENDED


async def test_an_edit_of_an_unfinished_message_follows_it_at_once(home: Household):
    home.butler("finance").behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL, message_id="77"))
        await home.butler("finance").received()
        edit = await running.accepted(edited(2, MENDED))
        _, after = await home.butler("finance").received(2)
    assert after.request_context.request_id == edit
    assert replaced(after) == [(request, "s1")]


async def test_an_edit_of_an_edit_replaces_both_and_a_repeat_of_it_is_nothing_new(home: Household):
    async with home.run() as running:
        request = await first(home, running)
        once = await running.accepted(edited(2, MENDED))
        await home.settled(once)
        twice = await running.accepted(edited(3, BILL))
        assert await running.accepted(edited(3, BILL)) == twice
        await home.settled(twice)
    assert [replaced(envelope) for envelope in home.butler("finance").got] == [
        [],
        [(request, "s1")],
        [(once, "s1"), (request, "s1")],
    ]


async def test_an_edit_without_another_word_reaches_nobody(home: Household):
    async with home.run() as running:
        request = await first(home, running)
        edit = await running.accepted(edited(2, BILL))
        row = await home.settled(edit)
    assert row["lifecycle_state"] == "recorded"
    assert (await home.plan(edit))["reason"] == f"edit_without_change:{request}"
    assert home.butler("finance").requests() == [request]


async def test_a_text_that_becomes_anothers_is_taken_from_the_butler_that_had_it(home: Household):
    async with home.run() as running:
        request = await first(home, running)
        edit = await running.accepted(edited(2, WEIGHT))
        assert (await home.settled(edit))["lifecycle_state"] == "parsed"
    [new] = home.butler("health").got
    assert new.supersedes is None
    told = home.butler("finance").got[-1].supersedes
    assert told is not None
    assert told.moved_to == ("health",)
    assert replaced(home.butler("finance").got[-1]) == [(request, "s1")]


@pytest.mark.parametrize("limits", ["hours: {start: '03:00', end: '03:01'}", "butlers: [finance, general]"])
async def test_a_childs_edit_that_is_refused_is_taken_back_and_told_to_be_nowhere(
    home: Household, tmp_path: Path, limits: str
):
    async with home.run() as running:
        request = await first(home, running, sender="1002", chat="1002")
    await writes(home, tmp_path, ADA + BEN.format(own=f"role: child, limits: {{{limits}}}"))
    async with home.run() as running:
        edit = await running.accepted(edited(2, WEIGHT, sender="1002", chat="1002"))
        await home.settled(edit)
    assert home.butler("health").got == []
    told = home.butler("finance").got[-1]
    assert replaced(told) == [(request, "s1")]
    assert told.supersedes is not None
    assert told.supersedes.moved_to == ("switchboard",)
    assert any("ask Ada Example" in said or "for Ada Example" in said for said in replies(home))


async def test_a_strangers_edit_of_a_finished_message_is_recorded(home: Household):
    async with home.run() as running:
        request = await first(home, running, sender="6666", chat="6666")
        edit = await running.accepted(edited(2, MENDED, sender="6666", chat="6666"))
        assert (await home.settled(edit))["lifecycle_state"] == "recorded"
    assert (await home.plan(edit))["reason"] == f"edit_of_finished:{request}"
    assert home.butler("finance").requests() == [request]


async def test_one_member_does_not_change_what_another_one_said(home: Household):
    async with home.run() as running:
        await first(home, running)
        edit = await running.accepted(edited(2, MENDED, sender="1002"))
        await home.settled(edit)
    assert replaced(home.butler("finance").got[-1]) == []


async def test_an_edit_of_a_message_that_failed_is_worked_on(home: Household):
    home.butler("finance").behaviour = answers(error=error_of("validation_error"))
    async with home.run() as running:
        request = await first(home, running)
        home.butler("finance").behaviour = accepts_then_answers()
        edit = await running.accepted(edited(2, BILL))
        assert (await home.settled(edit))["lifecycle_state"] == "parsed"
    assert replaced(home.butler("finance").got[-1]) == [(request, "s1")]


async def test_a_butler_of_the_release_before_is_not_given_the_edit_as_one_more_message(home: Household):
    works = accepts_then_answers()
    unknown = FieldProblem("input.context.supersedes", "is not a known field", "only fields of this version")
    refusal = refuses(ContractViolation("route.v1", (unknown,)))

    async def of_the_release_before(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        return await (refusal if envelope.supersedes is not None else works)(butler, envelope)

    home.butler("finance").behaviour = of_the_release_before
    async with home.run() as running:
        await first(home, running)
        edit = await running.accepted(edited(2, MENDED))
        assert (await home.settled(edit))["lifecycle_state"] == "errored"
    [reply] = home.messenger.replies()
    assert "it cannot change yet what it made of the message before the edit" in (
        reply.delivery.message or ""
    )
    assert len(home.butler("finance").got) == 2


async def posted(running: Running, message_id: str, text: str, **more: Any) -> UUID:
    """A mail that supersedes `<first@x>`, unless it is that."""
    envelope = mail(message_id, text, **more).to_wire()
    if message_id != "<first@x>":
        envelope["event"]["supersedes"] = "<first@x>"
    envelope["event"]["external_thread_id"] = "<first@x>"
    token = running.household.keys.connector("imap", MAILBOX)
    request = UUID((await running.call(token, "ingestion.ingest", {"envelope": envelope}))["request_id"])
    await running.household.settled(request)
    return request


async def test_a_members_mail_supersedes_their_own_and_nobody_elses_does(home: Household):
    async with home.run() as running:
        request = await posted(running, "<first@x>", BILL, headers=PROVEN)
        await posted(running, "<forged@x>", MENDED)
        await posted(running, "<other@x>", MENDED, sender="shop@elsewhere.example")
        await posted(running, "<second@x>", MENDED, headers=PROVEN)
    assert [replaced(envelope) for envelope in home.butler("finance").got] == [[], [], [], [(request, "s1")]]
