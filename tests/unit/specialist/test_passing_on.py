"""What rules pass on to another member: whom, in which words, and when they do not (ADR 0127)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.outside.model import Hand
from butler_specialist.people.neighbours import Neighbour
from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.model import Record
from butler_specialist.understanding.household import Whose

ADA, TOM, CLARA, BEN, BEN_TOO = (UUID(int=number) for number in range(1, 6))
NAMES = {ADA: "Ada Blum", TOM: "Tom Weber", CLARA: "Clara Blum", BEN: "Ben Blum", BEN_TOO: "Ben Stein"}
SUNDAY = datetime(2026, 11, 22, 12, tzinfo=ZoneInfo("Europe/Berlin"))


class Nothing:
    async def find(self, *_: Any, **__: Any) -> Sequence[Record]:
        return ()


ADAS = Answering(
    moment=SUNDAY,
    household=True,
    records=Nothing(),
    whose=Whose(str(ADA), {str(one): name for one, name in NAMES.items()}),
    others=tuple(
        Neighbour(one, name, None if one == CLARA else "telegram", "en")
        for one, name in NAMES.items()
        if one != ADA
    ),
    hand=Hand(UUID(int=11), "s1", UUID(int=12), UUID(int=13)),
)


async def heard(text: str, answering: Answering = ADAS) -> Reply:
    return await load_profile("general").respond(text, answering)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Tell Tom to pick up Leo at five", "pick up Leo at five"),
        ("let Tom know dinner's ready", "dinner's ready"),
        ("text Tom I'm late", "I'm late"),
        ("send Tom a message: the bus is late", "the bus is late"),
        (
            "could you tell Tom Weber that the plumber comes on Friday at 9?",
            "the plumber comes on Friday at 9",
        ),
        ("ask Tom if he can bring the drill", "ask Tom if he can bring the drill"),
        ("sag Tom, dass das Essen fertig ist", "das Essen fertig ist"),
        ("gib Tom Bescheid, dass ich später komme", "ich später komme"),
        ("dis à Tom de venir à 8h", "venir à 8h"),
        ("dile a Tom que compre pan", "compre pan"),
        ("tell Tom to buy milk, and we need eggs", "buy milk, and we need eggs"),
    ],
)
async def test_a_named_member_is_told_the_rest_of_the_sentence_as_it_was_written(
    text: str, words: str
) -> None:
    reply = await heard(text)
    assert [(one.contact_id, one.words) for one in reply.tellings] == [(TOM, words)]
    assert reply.records == ()
    assert words in text


async def test_the_rest_of_the_message_is_kept_and_answered_as_ever() -> None:
    reply = await heard("Add milk to the shopping list. Tell Tom that dinner is at 7")
    assert [record.title for record in reply.records] == ["milk"]
    assert [one.words for one in reply.tellings] == ["dinner is at 7"]
    assert reply.text.endswith("Passing it on:")


@pytest.mark.parametrize(
    "text",
    [
        "Tell Clara to call the school",
        "Tell Ben to call the school",
        "Tell Tom Baker that it is late",
        "Tell Eve to call the school",
        "Tell her to call the school",
        "Remind Tom to buy milk",
        "Sag Tom Bescheid",
    ],
    ids=["no address", "one of two", "somebody else", "nobody here", "a pronoun", "a reminder", "no words"],
)
async def test_who_is_not_one_member_that_can_be_written_to_is_told_nothing_and_the_answer_says_so(
    text: str,
) -> None:
    reply = await heard(text)
    assert reply.tellings == ()
    assert "so nobody was told" in reply.text or "also weiß es niemand" in reply.text


@pytest.mark.parametrize(
    "answering",
    [
        replace(ADAS, hand=None),
        replace(ADAS, in_group=True),
        replace(ADAS, others=()),
        replace(ADAS, claims=True),
    ],
    ids=["a child or a guest", "a group", "who may tell nobody", "others read the same"],
)
async def test_nothing_is_passed_on_but_for_an_adult_in_a_chat_of_their_own(answering: Answering) -> None:
    assert (await heard("Tell Tom to pick up Leo at five", answering)).tellings == ()


@pytest.mark.parametrize(
    "text",
    [
        "Subject: School\n\nTell Tom to pick up Leo at five",
        "See below\n> Tell Tom to pick up Leo at five",
        "I told Tom to pick up Leo at five",
        "Todo: tell Tom to pick up Leo",
    ],
    ids=["a mail", "a quote", "a report", "a task"],
)
async def test_only_a_request_in_the_writers_own_words_passes_anything_on(text: str) -> None:
    assert (await heard(text)).tellings == ()


async def test_more_people_than_one_message_may_tell_are_not_told_in_part() -> None:
    text = ". ".join(f"Tell Tom to call number {number}" for number in range(4))
    assert (await heard(text)).tellings == ()
