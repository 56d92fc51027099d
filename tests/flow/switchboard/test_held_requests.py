"""A child's request that needs a grown-up's word: kept, asked about, given to the butler once, or not (ADR 0124)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.request_approvals import approval_of, request_in
from tests.flow.household.test_people import ADA, BEN
from tests.flow.household.test_two_zones import writes
from tests.flow.switchboard.test_corrections import branches, told
from tests.flow.switchboard.test_edits import BILL, MENDED, WEIGHT, edited
from tests.flow.switchboard.test_learned import buttons, pressed
from tests.flow.switchboard.test_overrides import WHY, operator
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until

CHILD = "role: child, limits: {askFirst: [finance]}"
ASLEEP = 'role: child, limits: {askFirst: [finance], hours: {start: "03:00", end: "03:01"}}'
BARRED = "role: child, limits: {butlers: [general], askFirst: [health, finance]}"
EVERY = {"general", "health"}
SAID = (
    "I have asked Ada Example. With a yes it is done at once, and you need not write it again; "
    "I tell you if it is a no."
)
LEO = {"sender": "1002", "chat": "1002"}


@pytest.fixture
async def family(home: Household, tmp_path: Path) -> Household:
    """Ben is a child, whom Ada has to agree with before finance hears of it."""
    await writes(home, tmp_path, ADA + BEN.format(own=CHILD))
    home.messenger.grown_ups.names = ("Ada Example",)
    return home


async def held(home: Household, running: Running, number: int = 1, text: str = BILL, **more: Any) -> UUID:
    """A message of the child, once Ada is asked about it and the child knows."""
    request_id = await running.accepted(telegram(number, text, **{**LEO, **more}))

    async def known() -> bool:
        return (await holds(home, request_id)).get("asked") == ["Ada Example"]

    await until(known, what="who is asked is on record")
    return request_id


async def holds(home: Household, request_id: UUID) -> dict[str, Any]:
    row = await home.pool.fetchrow("SELECT plan FROM route_plan WHERE request_id = $1", request_id)
    found: dict[str, Any] = (row["plan"].get("held") or {}) if row is not None else {}
    return found


async def audited(home: Household, request_id: UUID) -> list[tuple[str, str]]:
    async def written() -> list[tuple[str, str]]:
        rows = await home.pool.fetch(
            "SELECT operation, actor FROM dashboard_audit_log WHERE request_id = $1 AND operation LIKE 'request.%'"
            " ORDER BY audit_id",
            request_id,
        )
        return [(row["operation"], row["actor"]) for row in rows]

    found: list[tuple[str, str]] = await until(written, what="audit entries")
    return found


async def test_a_yes_gives_the_butler_what_was_kept_once_and_the_child_writes_it_once(family: Household):
    async with family.run() as running:
        request_id = await held(family, running)
        assert told(family) == [SAID]
        assert family.butler("finance").got == []
        assert (await family.row(request_id))["final_state_at"] is None
        family.messenger.grown_ups.word = ("approved", "Ada Example")
        row = await family.settled(request_id)
        await until(lambda: _both(family, request_id), what="both audit entries")
    assert row["lifecycle_state"] == "parsed"
    assert family.butler("finance").requests() == [request_id]
    assert [one.input.prompt for one in family.butler("finance").got] == [BILL]
    assert await branches(family, request_id) == [("s1", "finance", "ok")]
    assert told(family) == [SAID]
    [asked] = family.messenger.grown_ups.asked.values()
    assert UUID(asked["call_id"]) == approval_of(request_id)
    assert (asked["origin_butler"], asked["channel"], asked["sender"]) == ("switchboard", "telegram", "1002")
    shown = request_in(asked["arguments"])
    assert (shown.butlers, shown.message, shown.urgent) == (("finance",), BILL, False)
    assert await audited(family, request_id) == [
        ("request.asked", "switchboard"),
        ("request.approved", "Ada Example"),
    ]
    assert family.messenger.grown_ups.unasked == []


async def _both(home: Household, request_id: UUID) -> bool:
    return len(await audited(home, request_id)) == 2


@pytest.mark.parametrize(
    ("word", "says"),
    [
        (("denied", "Ada Example"), f"Ada Example said no to “{BILL}”. You can talk about it together."),
        (
            ("expired", None),
            f"There was no answer from Ada Example in time, so nothing was done about “{BILL}”.",
        ),
    ],
)
async def test_a_no_and_no_answer_are_told_and_the_butler_hears_nothing(
    family: Household, word: tuple[str, str | None], says: str
):
    async with family.run() as running:
        request_id = await held(family, running)
        family.messenger.grown_ups.word = word
        row = await family.settled(request_id)
    assert row["lifecycle_state"] == "parsed"
    first, last = told(family)
    assert first == SAID
    assert last.startswith(says)
    assert family.butler("finance").got == []
    assert await family.subroutes(request_id) == []


async def test_where_nobody_can_be_asked_they_are_told_whom_to_talk_to_as_before(family: Household):
    family.messenger.grown_ups.names = ()
    async with family.run() as running:
        request_id = await running.accepted(telegram(1, BILL, **LEO))
        await family.settled(request_id)
    assert told(family) == [
        "Please talk to Ada Example about that first; Ada Example can then tell me what to do."
    ]
    assert (await holds(family, request_id))["word"] == "unasked"


async def test_later_messages_of_the_child_do_not_wait_behind_it(family: Household):
    async with family.run() as running:
        waiting = await held(family, running)
        other = await running.accepted(telegram(2, WEIGHT, **LEO))
        assert (await family.settled(other))["lifecycle_state"] == "parsed"
        assert (await family.row(waiting))["final_state_at"] is None
    assert family.butler("health").requests() == [other]


async def test_a_switchboard_that_is_started_anew_asks_once_and_goes_on_with_the_word(family: Household):
    async with family.run() as running:
        request_id = await held(family, running)
    family.messenger.grown_ups.word = ("approved", "Ada Example")
    async with family.run():
        await family.settled(request_id)
    assert len(family.messenger.grown_ups.asked) == 1
    assert told(family) == [SAID]
    assert family.butler("finance").requests() == [request_id]


async def test_two_switchboards_give_it_to_the_butler_once(family: Household):
    async with family.run() as one, family.run():
        request_id = await held(family, one)
        family.messenger.grown_ups.word = ("approved", "Ada Example")
        await family.settled(request_id)
    assert [one.subrequest.subrequest_id for one in family.butler("finance").got] == [
        row["subrequest_id"] for row in await family.subroutes(request_id)
    ]
    assert told(family) == [SAID]


async def test_an_edit_withdraws_the_question_and_its_words_are_asked_about_anew(family: Household):
    async with family.run() as running:
        first = await held(family, running, message_id="77")
        edit = await held(family, running, 2, MENDED, message_id="77", supersedes="77")
        assert (await family.settled(first))["lifecycle_state"] == "recorded"
        assert family.messenger.grown_ups.unasked == [approval_of(first)]
        family.messenger.grown_ups.word = ("approved", "Ada Example")
        await family.settled(edit)
    [got] = family.butler("finance").got
    assert (got.request_context.request_id, got.input.prompt, got.supersedes) == (edit, MENDED, None)
    assert told(family) == [SAID, SAID]


async def test_an_edit_for_a_butler_that_may_be_asked_goes_there_and_nobody_is_asked_any_more(
    family: Household,
):
    async with family.run() as running:
        first = await held(family, running, message_id="77")
        edit = await running.accepted(edited(2, WEIGHT, **LEO))
        assert (await family.settled(edit))["lifecycle_state"] == "parsed"
        await family.settled(first)
    assert family.butler("finance").got == []
    assert family.butler("health").requests() == [edit]
    assert family.messenger.grown_ups.unasked == [approval_of(first)]


async def test_an_edit_without_another_word_leaves_the_question_as_it_is(family: Household):
    async with family.run() as running:
        first = await held(family, running, message_id="77")
        await family.settled(await running.accepted(edited(2, BILL, **LEO)))
        assert (await holds(family, first))["word"] is None
        family.messenger.grown_ups.word = ("approved", "Ada Example")
        await family.settled(first)
    assert family.butler("finance").requests() == [first]
    assert family.messenger.grown_ups.unasked == []


async def test_its_writer_takes_it_back_by_a_button_and_nobody_else_does(family: Household):
    async with family.run() as running:
        request_id = await held(family, running)
        reference = buttons(family)["Take it back"]
        await pressed_open(family, running, 2, reference, sender="1001")
        assert (await holds(family, request_id))["word"] is None
        await pressed_open(family, running, 3, reference, sender="1002")
        assert (await family.settled(request_id))["lifecycle_state"] == "recorded"
        await pressed(family, running, 4, "Take it back", reference, sender="1002")
    words = told(family)
    assert "Only who wrote that message can take it back; nothing was changed." in words
    assert words.count(f"“{BILL}” is taken back, and nobody is asked about it any more.") == 2
    assert family.messenger.grown_ups.unasked == [approval_of(request_id)]
    assert family.butler("finance").got == []


async def pressed_open(
    home: Household, running: Running, number: int, reference: str, *, sender: str
) -> None:
    """A press, once it is done; another request may still wait."""
    await home.settled(
        await running.accepted(
            telegram(number, "Take it back", pressed=reference, message_id="77", sender=sender, chat=sender)
        )
    )


@pytest.mark.parametrize("verb", ["cancel", "complete"])
async def test_an_operator_who_ends_it_withdraws_the_question(family: Household, verb: str):
    async with family.run() as running, operator(running) as ops:
        request_id = await held(family, running)
        shown = (await ops.get(f"/requests/{request_id}")).json()
        assert (await ops.post(f"/requests/{request_id}/{verb}", json=WHY)).status_code == 200
        await family.settled(request_id)
    assert shown["plan"]["held"]["asked"] == ["Ada Example"]
    assert "finance gets it when Ada Example agrees" in json.dumps(shown["timeline"])
    assert family.messenger.grown_ups.unasked == [approval_of(request_id)]
    assert family.butler("finance").got == []


async def test_what_is_between_us_is_shown_to_nobody(family: Household):
    async with family.run() as running:
        request_id = await running.accepted(telegram(1, f"Keep this to yourself: {BILL}", **LEO))
        await family.settled(request_id)
    assert family.messenger.grown_ups.asked == {}
    assert told(family) == [
        "Please talk to Ada Example about that first; Ada Example can then tell me what to do."
    ]


async def test_who_says_that_it_is_urgent_is_asked_about_as_such(family: Household):
    async with family.run() as running:
        await held(family, running, text=f"It's urgent! {BILL}")
    [asked] = family.messenger.grown_ups.asked.values()
    assert request_in(asked["arguments"]).urgent


@pytest.mark.parametrize(("own", "butlers"), [(CHILD, EVERY), (ASLEEP, EVERY), (BARRED, {"general"})])
@pytest.mark.parametrize(
    "text", ["My brother is unconscious", "Ich kann nicht mehr atmen", "J'ai avalé de la javel"]
)
async def test_a_child_in_danger_is_answered_at_once_at_any_hour_and_nobody_is_asked(
    family: Household, tmp_path: Path, own: str, butlers: set[str], text: str
):
    await writes(family, tmp_path, ADA + BEN.format(own=own))
    async with family.run() as running:
        request_id = await running.accepted(telegram(1, text, **LEO))
        assert (await family.settled(request_id))["lifecycle_state"] == "parsed"
    [got] = [one for butler in family.butlers.values() for one in butler.got]
    assert got.request_context.request_id == request_id
    assert text in got.input.prompt
    assert got.target.butler in butlers
    assert family.messenger.grown_ups.asked == {}
    assert told(family) == []
