"""What is known of a person is merged, superseded and fades; what they say in a thread is one episode."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from butler_specialist.memory.decide import (
    confidence_of,
    consolidated,
    draft_of_statement,
    learned,
)
from butler_specialist.memory.episodes import GAP, Said, folded
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.about_me import statement_in

DAY = date(2026, 11, 24)
NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)


def kept(statement: str, number: int, *, day: date = DAY, asked: bool = True) -> Record:
    told = statement_in(statement)
    assert told is not None
    draft = draft_of_statement(replace(told, asked=asked), day)
    values = {item.name: getattr(draft, item.name) for item in fields(RecordDraft)}
    return Record(**values, seq=number, record_id=UUID(int=number))


def decided(*rows: Record, today: date = DAY) -> dict[int, str]:
    return {change.record_id.int: change.cause for change in consolidated(rows, today, 180)}


def test_the_same_twice_is_one_that_is_relied_on_more_whatever_the_order() -> None:
    first, second = kept("I am a cook", 1), kept("I am a cook.", 2)
    assert decided(first, second) == decided(second, first) == {2: "merged", 1: "confirmed"}


def test_of_what_contradicts_the_newest_stands_whatever_the_order() -> None:
    rows = [kept("I live in Graz", 1), kept("I live in Linz", 2), kept("I live in Bonn", 3)]
    assert decided(*rows) == decided(*reversed(rows)) == {1: "superseded", 2: "superseded"}
    assert decided(kept("I am a smoker", 1), kept("I am not a smoker any more", 2)) == {1: "superseded"}
    assert decided(kept("I am a cook", 1), kept("I am a father", 2)) == {}


def test_only_what_was_said_in_passing_is_dropped_for_its_age() -> None:
    later = DAY + timedelta(days=12 * 365)
    rows = kept("I like tea", 1, asked=False), kept("I like olives", 2)
    assert decided(*rows, today=later) == {1: "faded"}


def test_confidence_is_halved_after_each_half_life_and_grows_when_it_is_said_again() -> None:
    passing = kept("I like tea", 1, asked=False)
    assert confidence_of(passing, DAY, 180) == 0.6
    assert confidence_of(passing, DAY + timedelta(days=180), 180) == 0.3
    assert confidence_of(kept("I like tea", 1), DAY + timedelta(days=1800), 180) == 0.45


def test_a_new_word_supersedes_only_what_it_contradicts() -> None:
    known = [kept("I like tea", 1), kept("I live in Graz", 2)]
    told = learned(kept("I hate tea", 3), known)
    assert [one.record_id.int for one in told.supersedes] == [1]
    assert learned(kept("I like tea", 3), known).known is known[0]


def message(number: int, at: datetime, *, person: str = "ada", thread: str = "t") -> Said:
    return Said(UUID(int=number), person, "telegram", thread, at, f"words {number}")


def test_messages_are_one_episode_until_a_pause_of_one_person_and_thread() -> None:
    said = [
        message(1, NOON),
        message(2, NOON + GAP),
        message(3, NOON + 2 * GAP + timedelta(seconds=1)),
        message(4, NOON, person="ben"),
        message(5, NOON, thread="other"),
    ]
    episodes, places = folded(said, {})
    assert sorted((one.person, one.thread_key, one.words) for one in episodes) == [
        ("ada", "other", "words 5"),
        ("ada", "t", "words 1\nwords 2"),
        ("ada", "t", "words 3"),
        ("ben", "t", "words 4"),
    ]
    assert places[UUID(int=1)] == places[UUID(int=2)] != places[UUID(int=3)]


def test_in_two_batches_they_come_to_the_same_and_an_episode_is_bounded() -> None:
    said = [message(number, NOON + timedelta(minutes=number)) for number in range(1, 61)]
    whole, _ = folded(said, {})
    first, _ = folded(said[:30], {})
    second, _ = folded(said[30:], {("ada", "t"): first[-1]})
    assert second == whole
    assert [one.messages for one in whole] == [50, 10]
