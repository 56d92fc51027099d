"""An edited message: which facts are the same, what becomes of them, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.language import Language
from butler_specialist.edits.respond import edited, overtaken_text
from butler_specialist.locale import texts_in
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.former import Former, FormerFact, said_last
from butler_specialist.store.model import Record, RecordChange, RecordDraft, as_draft
from butler_specialist.store.reminder_model import GRACE, Reminder, ReminderDraft
from tests.support.cost import costs_less_than

DAY = date(2026, 11, 21)
GROCERIES = RecordDraft(
    "expense", DAY, "60 EUR for groceries", title="groceries", amount=Decimal(60), currency="EUR"
)
TAXI = RecordDraft("expense", DAY, "12 EUR for a taxi", title="taxi", amount=Decimal(12), currency="EUR")
MILK = RecordDraft("list_item", DAY, "buy milk", title="milk", code="shopping")


def fact(said: RecordDraft, **now: Any) -> FormerFact:
    """A fact that was `said`; `now`: what somebody made of it since."""
    record = Record(**{name: getattr(said, name) for name in said.__dataclass_fields__}, record_id=uuid4())
    return FormerFact(replace(record, **now), said)


def result(*facts: FormerFact, say: tuple[RecordDraft, ...], language: Language = "en", **more: Any) -> Reply:
    former = Former(frozenset(), facts, frozenset(one.record.record_id for one in facts), **more)
    return edited(former, Reply(say, "Noted: it."), texts_in(language))


def of(amount: int, draft: RecordDraft = GROCERIES) -> RecordDraft:
    return replace(draft, amount=Decimal(amount))


def test_a_fact_that_is_otherwise_is_changed_in_its_place():
    before = fact(GROCERIES)
    reply = result(before, say=(of(66),))
    assert reply.records == ()
    [change] = reply.changes
    assert (change.record_id, change.version, change.cause) == (before.record.record_id, 1, "edited")
    assert change.after == of(66)
    assert reply.text == "Changed: 66.00 EUR instead of 60.00 EUR (groceries). Noted: it."


def test_every_value_that_is_otherwise_is_named():
    moved = replace(GROCERIES, occurred_on=date(2026, 11, 20), title="food")
    assert result(fact(GROCERIES), say=(moved,)).text.startswith(
        "Changed: “food”, Friday, 20 November 2026 instead of “groceries”, Saturday, 21 November 2026."
    )


def test_the_same_facts_in_another_order_are_the_same():
    reply = result(fact(GROCERIES), fact(TAXI), say=(TAXI, GROCERIES))
    assert (reply.records, reply.changes) == ((), ())
    assert reply.text == "Nothing changed: 12.00 EUR (taxi). Nothing changed: 60.00 EUR (groceries)."


def test_other_words_of_the_same_fact_are_kept_and_said_to_be_only_words():
    reply = result(fact(GROCERIES), say=(replace(GROCERIES, text="60 EUR for groceries!"),))
    assert [change.after.text for change in reply.changes if change.after] == ["60 EUR for groceries!"]
    assert reply.text.startswith("Only the words changed: 60.00 EUR (groceries).")


def test_what_is_gone_is_withdrawn_what_is_new_is_noted_and_the_rest_is_left_alone():
    milk = fact(MILK)
    reply = result(fact(GROCERIES), milk, say=(GROCERIES, TAXI))
    assert reply.records == (TAXI,)
    assert reply.changes == (RecordChange(milk.record.record_id, 1, "edited"),)
    assert reply.text == "Withdrawn: “milk”. Noted: it."


def test_a_sum_that_was_corrected_since_stays_corrected_when_the_edit_is_about_something_else():
    corrected = fact(GROCERIES, amount=Decimal(70), version=2)
    reply = result(corrected, say=(replace(GROCERIES, title="food"),))
    [change] = reply.changes
    assert change.after is not None
    assert (change.after.amount, change.after.title, change.version) == (Decimal(70), "food", 2)
    assert reply.text == (
        "Changed: “food” instead of “groceries”. "
        "What was changed since stays: 70.00 EUR (food), Saturday, 21 November 2026."
    )


def test_a_sum_that_was_corrected_since_is_not_put_back_by_an_edit_that_says_the_old_one():
    reply = result(fact(GROCERIES, amount=Decimal(70), version=2), say=(GROCERIES,))
    assert reply.changes == ()
    assert reply.text == "Nothing changed: 70.00 EUR (groceries)."


def test_a_task_that_was_done_since_stays_done():
    reply = result(fact(MILK, done_on=DAY, version=2), say=(replace(MILK, title="oat milk"),))
    [change] = reply.changes
    assert change.after is not None
    assert (change.after.title, change.after.done_on) == ("oat milk", DAY)
    assert reply.text == "Changed: “oat milk” instead of “milk”. Noted: it."


def test_what_was_taken_back_since_stays_so_until_the_edit_says_something_else():
    withdrawn = fact(GROCERIES, withdrawn=True, version=2)
    same = result(withdrawn, say=(GROCERIES,))
    assert (same.changes, same.text) == ((), "Nothing changed.")
    other = result(withdrawn, say=(of(66),))
    assert [change.after for change in other.changes] == [of(66)]
    assert other.text.startswith("Noted again: 66.00 EUR (groceries).")
    gone = result(withdrawn, say=(MILK,))
    assert (gone.changes, gone.records) == ((), (MILK,))


def test_what_the_profile_changes_itself_is_not_changed_twice():
    one = fact(GROCERIES)
    own = RecordChange(one.record.record_id, 1, "withdrawn")
    former = Former(frozenset(), (one,), frozenset({one.record.record_id}))
    assert edited(former, Reply((), "Withdrawn.", (own,)), texts_in("en")).changes == (own,)


def test_what_the_first_had_done_to_other_records_is_said_to_stay():
    assert "What the message had changed before stays so." in result(say=(), acted=True).text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Geändert: 66.00 EUR statt 60.00 EUR (groceries)."),
        ("fr", "Modifié : 66.00 EUR au lieu de 60.00 EUR (groceries)."),
        ("es", "Cambiado: 66.00 EUR en lugar de 60.00 EUR (groceries)."),
    ],
)
def test_it_is_said_in_the_writers_language(language: Language, said: str):
    assert result(fact(GROCERIES), say=(of(66),), language=language).text.startswith(said)


def test_words_that_were_edited_before_their_turn_are_said_to_count_no_more():
    assert overtaken_text("Ich habe 60 EUR für Milch bezahlt").startswith(
        "Du hast diese Nachricht inzwischen"
    )


def test_of_a_long_message_the_first_facts_are_named_and_the_others_counted():
    many = [replace(GROCERIES, title=f"thing {number}") for number in range(14)]
    text = result(*(fact(one) for one in many), say=tuple(of(66, one) for one in many)).text
    assert text.count("instead of") == 12
    assert "And 2 more." in text


def test_a_thousand_facts_that_look_alike_are_matched_at_once():
    alike = [fact(GROCERIES) for _ in range(1000)]

    def match() -> None:
        reply = result(*alike, say=tuple(of(number) for number in range(1000)))
        assert len(reply.changes) == 999

    assert costs_less_than(5, match)


def state(amount: int, *, withdrawn: bool = False) -> Record:
    return replace(fact(GROCERIES).record, amount=Decimal(amount), withdrawn=withdrawn, record_id=UUID(int=1))


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ([], state(60), 60),
        ([(state(60), True)], state(66), 66),
        ([(state(60), False)], state(70), 60),
        ([(state(60), False), (state(70), True)], state(66), 66),
        ([(state(60), True), (state(66), False)], state(70), 66),
        ([(state(60), True)], state(60, withdrawn=True), None),
        ([(state(60), False)], state(60, withdrawn=True), 60),
    ],
    ids=[
        "as it came",
        "edited",
        "corrected",
        "corrected, then edited",
        "edited, then corrected",
        "left out",
        "undone",
    ],
)
def test_what_a_message_said_last_is_told_from_what_others_made_of_it(
    before: list[tuple[Record, bool]], now: Record, said: int | None
):
    found = said_last(before, now)
    assert (found.amount if found is not None else None) == said
    assert found is None or type(found) is type(as_draft(now))


NINE = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)


def reminder(text: str, due_at: datetime = NINE) -> Reminder:
    return Reminder(uuid4(), uuid4(), text, due_at, "Europe/Berlin", None, GRACE, "waiting", "asked", "en")


def test_a_reminder_that_is_asked_for_otherwise_comes_once():
    same, former = reminder("water the plants"), reminder("call mum")
    later = ReminderDraft("call mum", NINE + timedelta(hours=1), "Europe/Berlin")
    asked = Reply((), "I will remind you.", reminders=(ReminderDraft(same.text, NINE, same.zone), later))
    reply = edited(Former(), asked, texts_in("en"), waiting=(same, former))
    assert reply.reminders == (later,)
    assert [stop.reminder_id for stop in reply.reminder_stops] == [former.reminder_id]
    assert reply.text == "The reminder of before is stopped: “call mum”. I will remind you."


def test_a_reminder_that_comes_by_itself_of_a_bill_is_not_stopped_by_an_edit_of_the_bill():
    automatic = replace(reminder("a bill of 60.00 EUR"), source="record", record_id=uuid4(), occasion="bills")
    reply = edited(Former(), Reply((), "Noted: it."), texts_in("en"), waiting=(automatic,))
    assert (reply.reminder_stops, reply.text) == ((), "Noted: it.")
