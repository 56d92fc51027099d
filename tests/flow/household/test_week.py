"""A week in the life of a household under `butlers up`: what three people and a guest say, and what comes of it.

`examples/week` has the messages, and with each what a person would accept. What is known to fall short has
`accepts: false` there, so that these tests tell of an answer that has become good as of one that has become bad.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from uuid import UUID

import pytest
import pytest_asyncio

from tests.support.week import Heard, Looked, Played, Shown, load, played

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("week")]

WEEK = load()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def week(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The whole week, each sitting at its own moment, the household down in between."""
    return await played(WEEK, tmp_path_factory.mktemp("week"))


def shown(heard: Heard) -> str:
    """For a person who looks why."""
    answers = "".join(f"\n    → {answer}" for answer in (*heard.answers, *heard.apart))
    return f"{heard.where}: {heard.said.say!r}{answers}{''.join(f'{chr(10)}    ! {one}' for one in heard.against)}"


async def test_every_answer_is_one_that_a_person_would_accept(week: Played) -> None:
    against = [shown(one) for one in week.heard if one.said.accepts and not one.accepted]
    assert not against, "\n" + "\n".join(against)


async def test_what_is_known_to_fall_short_still_does(week: Played) -> None:
    good = [shown(one) for one in week.heard if not one.said.accepts and one.accepted]
    assert not good, "these have become good, take `accepts: false` away:\n" + "\n".join(good)


async def test_no_wrong_fact_is_kept_or_said_but_those_that_are_named(week: Played) -> None:
    named = {one.where for one in week.heard if one.said.wrong}
    wrong = {one.where for one in week.heard if one.verdict.kind == "wrong_fact"}
    assert wrong == named, "\n".join(shown(one) for one in week.heard if one.where in wrong ^ named)


async def test_nothing_private_reaches_anybody_else_before_it_is_shared(week: Played) -> None:
    assert list(week.crossed) == []


async def test_what_is_due_rings_though_the_household_was_down_in_between(week: Played) -> None:
    assert sum(len(sitting.rings) for sitting in WEEK.sittings) >= 2
    assert list(week.missed) == []


@pytest.mark.spec("SWB-24.2")
async def test_what_a_member_says_of_themselves_is_remembered_and_shown_with_its_day(week: Played) -> None:
    asked = [one for one in week.heard if one.said.remembered]
    assert len(asked) >= 3, "the week asks for what is known of who writes, and has it forgotten"
    assert not [shown(one) for one in asked if not one.accepted]


async def test_a_child_is_told_whom_to_ask_and_nothing_is_kept_of_it(week: Played) -> None:
    refused = [one for one in week.heard if one.said.by == "mila" and "ruth" in one.said.answer]
    assert len(refused) >= 2
    assert not [shown(one) for one in refused if one.kept or not one.accepted]


@pytest.fixture
def looked(week: Played) -> Looked:
    """The pages at the end of the week."""
    if week.looked is None:
        told = "the week is not looked at in a browser: no chromium here (tests/web/chromium.sh gets it)"
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)
    return week.looked


def plain(text: str) -> str:
    """Words alone, without who says them."""
    return " ".join(re.sub(r"^\[[a-z0-9-]+\] (?:\(\d+/\d+\) )?", "", text, flags=re.MULTILINE).split())


def beside(heard: Heard, shown: Mapping[UUID, Shown]) -> str | None:
    """What is wrong with how a message is shown; its answer may be cut, and of several stand one below the other.

    Of what somebody keeps to themselves lists say only that it is private (ADR 0122).
    """
    found = shown.get(heard.request_id)
    if found is None:
        return f"{heard.where}: not shown"
    if found.asked == "(private)":
        return f"{heard.where}: private, and answered {found.answer!r}" if found.answer else None
    if not found.asked.startswith("Subject:") and plain(heard.said.say)[:40] not in plain(found.asked):
        return f"{heard.where}: shown as {found.asked!r}"
    told = " ".join(map(plain, heard.answers))
    if not found.answer:
        return f"{heard.where}: {told!r} is not shown" if re.search(r"\w{3}", told) else None
    first = plain(found.answer.splitlines()[0])[:60]
    return None if first in told else f"{heard.where}: {first!r} is shown for {told!r}"


async def test_the_page_of_the_day_has_each_question_of_the_evening_with_its_answer(
    week: Played, looked: Looked
) -> None:
    evening = [one for one in week.heard if one.where.startswith(f"{WEEK.sittings[-1].id} ")]
    assert evening
    assert [wrong for one in evening if (wrong := beside(one, looked.today))] == []


async def test_the_list_of_requests_has_every_message_of_the_week_with_what_was_answered(
    week: Played, looked: Looked
) -> None:
    assert set(looked.requests) == looked.stored
    private = [one for one in looked.requests.values() if one.asked == "(private)"]
    assert 0 < len(private) < len(looked.requests) / 2
    assert [wrong for one in week.heard if (wrong := beside(one, looked.requests))] == []


async def test_every_record_of_the_week_is_listed_and_has_its_page(looked: Looked) -> None:
    assert looked.kept
    assert set(looked.pages) == looked.kept
    assert {status for status in looked.pages.values() if status != 200} == set()
    assert looked.errors == ()
