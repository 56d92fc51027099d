"""What was spoken of is told in its teller's own words, each with its day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.route import TogetherV1
from butler_specialist.memory.episodes import Episode
from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from tests.golden.specialist.conversations import MemoryRecords

BERLIN = ZoneInfo("Europe/Berlin")
FRIDAY = datetime(2026, 11, 27, 9, 0, tzinfo=BERLIN)


def episode(days_ago: int, *said: str) -> Episode:
    at = FRIDAY - timedelta(days=days_ago)
    own = uuid5(UUID(int=days_ago), "\n".join(said))
    return Episode(own, "ada", "telegram", "1001", at, at, len(said), "\n".join(said))


@dataclass
class Spoken:
    """Episodes in memory, as `StoredEpisodes` gives them."""

    episodes: tuple[Episode, ...]

    async def between(self, start: datetime | None, end: datetime | None) -> Sequence[Episode]:
        found = [
            one
            for one in self.episodes
            if (start is None or one.ended_at >= start) and (end is None or one.begun_at < end)
        ]
        return sorted(found, key=lambda one: one.ended_at, reverse=True)


SAID = (
    episode(2, "The boiler rattles again", "what do you know about me?"),
    episode(8, "The boiler man came", "Clara lost a tooth"),
    episode(40, "We repainted the hall"),
)


async def asked(text: str, *said: Episode, **more: object) -> Reply:
    answering = Answering(FRIDAY, True, MemoryRecords(), memory=True, spoken=Spoken(said))
    return await load_profile("general").respond(text, replace(answering, **more))  # type: ignore[arg-type]


async def test_words_find_what_was_said_of_them_the_newest_day_first() -> None:
    told = await asked("what did we talk about about the boiler?", *SAID)
    assert told.text == (
        "This is what you wrote to me: “The boiler rattles again” (Wednesday, 25 November 2026) and "
        "“The boiler man came” (Thursday, 19 November 2026)."
    )
    assert not told.keeps


async def test_a_period_finds_what_was_said_in_it_and_no_question_about_what_is_known() -> None:
    told = await asked("what did we talk about last week?", *SAID)
    assert "The boiler man came” and “Clara lost a tooth” (Thursday, 19 November 2026)" in told.text
    assert "again" not in told.text
    everything = (await asked("what did we talk about?", *SAID)).text
    assert "repainted" in everything
    assert "know about me" not in everything


async def test_a_day_of_the_thing_itself_does_not_hide_the_talk_about_it() -> None:
    told = await asked("did we talk about the boiler yesterday?", *SAID)
    assert "rattles" in told.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("what did we talk about about the roof?", "I do not remember that we talked about that."),
        ("Worüber haben wir letzten Monat gesprochen?", "Ich erinnere mich an nichts, worüber wir"),
        ("de quoi avons-nous parlé ?", "Je ne me souviens de rien dont nous ayons parlé."),
        ("¿de qué hablamos?", "No recuerdo nada de lo que hayamos hablado."),
    ],
)
async def test_where_nothing_was_said_that_is_the_answer(text: str, said: str) -> None:
    assert (await asked(text)).text.startswith(said)


async def test_of_several_who_heard_nothing_is_silent_in_a_group_too_unless_nobody_did() -> None:
    text = "what did we talk about about the boiler?"
    for in_group in (False, True):
        for answered, last, silent in ((0, False, True), (1, True, True), (0, True, False)):
            together = TogetherV1(answered=answered, last=last, of="memory")
            assert (await asked(text, together=together, in_group=in_group)).silent is silent
            assert not (await asked(text, *SAID, together=together, in_group=in_group)).silent


async def test_without_a_memory_it_is_a_message_like_any() -> None:
    told = await asked("what did we talk about about the boiler?", *SAID, memory=False, spoken=None)
    assert "you wrote to me" not in told.text
