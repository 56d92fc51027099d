"""The judge of `make bench-useful`: each verdict by example, and what must never be called useful."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bench.useful.conversations import Message
from bench.useful.facts import Moment, fact_of
from bench.useful.home import PLUMBING
from bench.useful.results import Result, compared, shares
from bench.useful.verdict import Heard, Kind, Verdict, judge

ZONE = ZoneInfo("Europe/Berlin")
SAID = datetime(2026, 11, 22, 16, 0, tzinfo=ZONE)
EXPENSE = {"kind": "expense", "title": "petrol", "occurred_on": "2026-11-22", "amount": 60, "currency": "EUR"}
PETROL = {"say": "Paid 60 EUR for petrol", "kept": [{"amount": 60, "currency": "EUR", "day": "2026-11-22"}]}


def verdict(
    message: dict[str, Any],
    *answers: str,
    rows: tuple[dict[str, Any], ...] = (),
    earlier: tuple[dict[str, Any], ...] = (),
    owner: tuple[str, ...] = (),
    language: str = "en",
    refused_before: bool = False,
) -> Verdict:
    """What the judge makes of these answers and of these new rows."""

    def facts(found):
        return tuple(fact_of("records", row, zone=ZONE, people={"c-1": "Leo Vogel"}) for row in found)

    heard = Heard(
        answers=answers,
        owner_told=owner,
        fresh=facts(rows),
        known=facts((*earlier, *rows)),
        moment=Moment(SAID, ZONE),
    )
    return judge(Message.model_validate(message), heard, language=language, refused_before=refused_before)


def test_what_is_kept_and_answered_is_useful() -> None:
    assert verdict(PETROL, "Noted: 60.00 EUR for petrol.", rows=(EXPENSE,)).kind == "useful"


def test_an_answer_without_a_row_is_not_useful() -> None:
    assert verdict(PETROL, "Noted: 60.00 EUR for petrol.").kind == "partly"


def test_a_row_without_an_answer_is_not_useful() -> None:
    assert verdict(PETROL, rows=(EXPENSE,)).kind == "useless"


def test_what_is_neither_kept_nor_shown_is_lost_without_a_word() -> None:
    met = {"kind": "interaction", "party": "Jonas", "occurred_on": "2026-11-22"}
    dinner = {"say": "Dinner with Jonas, 62 EUR", "kept": [{"amount": 62, "currency": "EUR"}]}
    assert verdict(dinner, "Noted: you met Jonas.", rows=(met,)).kind == "silent_loss"
    assert verdict(dinner, "Noted: you met Jonas. Not noted: “62 EUR”.", rows=(met,)).kind == "partly"


def test_a_reminder_that_is_only_a_note_is_lost_whatever_is_repeated() -> None:
    message = {
        "say": "Remind me tomorrow at 8 to call the school",
        "kept": [{"reminder": True, "day": "2026-11-23", "time": "08:00"}],
    }
    task = {"kind": "task", "occurred_on": "2026-11-23", "occurred_at": "08:00:00"}
    echo = "Kept as a task for Monday: “Remind me tomorrow at 8 to call the school”"
    assert verdict(message, echo, rows=(task,)).kind == "silent_loss"
    reminder = {"kind": "reminder", "due_at": "2026-11-23T07:00:00+00:00"}
    assert verdict(message, "I will remind you tomorrow at 08:00.", rows=(reminder,)).kind == "useful"


def test_what_to_be_reminded_of_stands_in_the_reminder_itself() -> None:
    message = {
        "say": "Remind me tomorrow at 8 to call the school",
        "kept": [{"reminder": True, "day": "2026-11-23", "time": "08:00", "words": "school"}],
    }
    kept = {
        "kind": "reminder", "due_at": "2026-11-23T07:00:00+00:00", "zone": "Europe/Berlin", "state": "waiting",
        "grace_seconds": 3600, "text": "call the school",
    }  # fmt: skip
    said = "I will remind you on Monday, 23 November 2026 at 08:00: call the school."
    assert verdict(message, said, rows=(kept,)).kind == "useful"
    assert verdict(message, said, rows=(kept | {"text": "feed the cat"},)).kind != "useful"
    assert verdict(message, "I cannot remind you of anything yet.").kind == "honest"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"kind": "note", "occurred_on": "2026-11-19"}, "2026-11-19, not 2026-11-26"),
        ({"kind": "appointment", "occurred_on": "2026-11-22"}, "2026-11-22, not 2026-11-26"),
        ({"kind": "appointment", "occurred_on": "2026-11-26", "occurred_at": "03:30:00"}, "not 15:30"),
    ],
)
def test_another_day_or_hour_is_a_wrong_fact(row: dict[str, Any], said: str) -> None:
    message = {
        "say": "Dentist on Thursday at 15:30",
        "kept": [{"words": "dentist", "day": "2026-11-26", "time": "15:30"}],
    }
    found = verdict(message, "Noted.", rows=({**row, "title": "dentist", "text": "Dentist on Thursday"},))
    assert found.kind == "wrong_fact"
    assert said in found.reasons[0]


def test_a_note_that_is_merely_filed_today_is_no_wrong_fact() -> None:
    message = {"say": "The MOT is due by 12 February", "kept": [{"words": "MOT", "day": "2027-02-12"}]}
    note = {"kind": "note", "occurred_on": "2026-11-22", "text": "The MOT is due by 12 February"}
    assert verdict(message, "Kept as a note: “The MOT is due by 12 February”", rows=(note,)).kind == "partly"


def test_a_childs_fever_under_the_mother_is_a_wrong_fact() -> None:
    message = {"say": "Leo has a fever, 38.9", "kept": [{"number": 38.9, "person": "Leo"}]}
    row = {"kind": "measurement", "title": "temperature", "quantity": 38.9, "text": "Leo has a fever, 38.9"}
    assert verdict(message, "Noted: temperature 38.9 °C.", rows=(row,)).kind == "wrong_fact"
    of_leo = {**row, "subject_contact": "c-1"}
    assert verdict(message, "Noted: Leo's temperature, 38.9 °C.", rows=(of_leo,)).kind == "useful"


def test_another_currency_is_a_wrong_fact() -> None:
    assert verdict(PETROL, "Noted.", rows=({**EXPENSE, "currency": "USD"},)).kind == "wrong_fact"


def test_another_amount_than_was_told_is_a_wrong_fact() -> None:
    found = verdict(PETROL, "Noted: 6.00 EUR.", rows=({**EXPENSE, "amount": 6},))
    assert (found.kind, found.reasons[0]) == ("wrong_fact", "kept as 6.0, not 60.0")


def test_what_was_earned_is_no_expense() -> None:
    message = {"say": "Got 20 EUR", "kept": [{"amount": 20, "currency": "EUR", "unlike": "expense"}]}
    row = {**EXPENSE, "amount": 20}
    assert verdict(message, "Noted: 20.00 EUR.", rows=(row,)).kind == "wrong_fact"
    assert verdict(message, "Noted: income of 20.00 EUR.", rows=({**row, "kind": "income"},)).kind == "useful"


def test_a_forwarded_mails_own_date_is_not_the_day_of_the_stay() -> None:
    message = {"say": "Hotel Rosa, 21 to 23 May", "kept": [{"words": "Rosa", "day": "2027-05-21"}]}
    stay = {"kind": "stay", "place": "Hotel Rosa", "details": {"until": "2027-05-21"}}
    wrong = {**stay, "occurred_on": "2027-04-14"}
    assert verdict(message, "Noted: Hotel Rosa.", rows=(wrong,)).kind == "wrong_fact"


def test_only_what_is_on_a_list_is_an_item() -> None:
    message = {"say": "add eggs", "kept": [{"words": "eggs", "item": True}]}
    note = {"kind": "note", "occurred_on": "2026-11-22", "text": "add eggs"}
    assert verdict(message, "Kept as a note: “add eggs”", rows=(note,)).kind == "partly"
    item = {"kind": "list_item", "title": "eggs", "text": "add eggs"}
    assert verdict(message, "Added: eggs.", rows=(item,)).kind == "useful"


def test_words_of_the_message_do_not_name_a_row_that_names_itself() -> None:
    """A tablet kept under another word of its sentence is not kept."""
    message = {"say": "enalapril 10 mg cada mañana", "kept": [{"words": "enalapril", "number": 10}]}
    row = {"kind": "medication", "title": "cada", "quantity": 10, "unit": "mg", "text": message["say"]}
    assert verdict(message, "Noted: cada 10 mg.", rows=(row,)).kind != "useful"


@pytest.mark.parametrize(
    "answer", ["Noted. I could read no measurement in it.", "Noted: a name I could not read."]
)
def test_kept_but_not_read_is_partly_right(answer: str) -> None:
    message = {"say": "Leo is allergic to penicillin", "kept": [{"words": "penicillin"}]}
    note = {"kind": "note", "occurred_on": "2026-11-22", "text": message["say"]}
    assert verdict(message, answer, rows=(note,)).kind == "partly"
    assert verdict(message, "Noted: Leo is allergic to penicillin.", rows=(note,)).kind == "useful"


def test_a_title_that_breaks_off_is_partly_right() -> None:
    row = {**EXPENSE, "title": "petrol for the"}
    assert verdict(PETROL, "Noted: 60.00 EUR for petrol for the.", rows=(row,)).kind == "partly"


def test_a_request_that_is_kept_as_a_note_is_useless_in_any_language() -> None:
    message = {"say": "Danke!", "answer": "."}
    note = {"kind": "note", "occurred_on": "2026-11-22", "text": "Danke!"}
    assert verdict(message, "Als Notiz behalten: „Danke!“", rows=(note,)).kind == "useless"
    assert verdict(message, "Gern.").kind == "useful"


def test_a_photo_may_be_kept_by_who_says_that_it_cannot_be_read() -> None:
    photo = {"photo": True, "refusal": "only"}
    assert verdict(photo, "I kept the photo, but I cannot read pictures.").kind == "honest"
    assert verdict(photo, "Kept.").kind == "useless"


def test_a_french_hour_is_an_hour() -> None:
    message = {"say": "à quelle heure ?", "answer": "15:30"}
    assert verdict(message, "Le rendez-vous est à 15h30.", language="fr").kind == "useful"


def test_a_row_that_was_taken_back_is_not_kept() -> None:
    gone = {**EXPENSE, "withdrawn_at": "2026-11-22T15:00:00+00:00"}
    assert verdict(PETROL, "Noted: 60.00 EUR.", rows=(gone,)).kind == "partly"


QUESTION = {"say": "How much for petrol?", "answer": r"\b60\b", "never": [r"\b66\b"]}


def test_a_question_is_answered_or_it_is_useless() -> None:
    assert verdict(QUESTION, "You spent 60.00 EUR on petrol.", earlier=(EXPENSE,)).kind == "useful"
    assert verdict(QUESTION, "I found nothing about that.").kind == "useless"
    assert verdict(QUESTION, "You spent 66.00 EUR on petrol.").kind == "wrong_fact"
    assert verdict(QUESTION).kind == "useless"


def test_what_was_refused_before_is_not_counted_as_a_wrong_fact_again() -> None:
    assert verdict(QUESTION, "You spent 66.00 EUR.", refused_before=True).kind == "partly"
    assert verdict(QUESTION, "No expense on petrol is recorded.", refused_before=True).kind == "honest"
    assert verdict(QUESTION, "No expense on petrol is recorded.").kind == "useless"


def test_a_question_answered_by_halves_is_partly_right() -> None:
    message = {"say": "What do we need?", "answer": ["milk", "bread"]}
    assert verdict(message, "On the list: milk.").kind == "partly"


def test_the_messages_own_words_are_no_answer() -> None:
    message = {"say": "cancel the dentist", "answer": "cancel|removed", "unwelcome": ["note of"]}
    assert verdict(message, "Kept as a note of Sunday: “cancel the dentist”").kind == "useless"
    assert verdict(message, "Sunday: “cancel the dentist”").kind == "useless"
    assert verdict(message, "[general] Done: the dentist is cancelled.").kind == "useful"
    removal = {"say": "please take the bread from the list", "answer": "bread"}
    assert verdict(removal, "Removed: “bread”.").kind == "useful"


WEATHER = {"say": "Will it rain?", "refusal": "only"}


def test_what_nobody_can_do_is_not_excused_by_an_earlier_refusal() -> None:
    assert verdict(WEATHER, "I found nothing about that.", refused_before=True).kind == "useless"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("I can't tell the weather.", "honest"),
        ("Das Wetter kann ich leider nicht sagen.", "honest"),
        ("Je ne peux pas dire le temps qu'il fera.", "honest"),
        ("No puedo decirte qué tiempo hará.", "honest"),
        ("I found nothing about that in 3 notes.", "useless"),
        ("Kept as a note: “Will it rain?”", "useless"),
        ("", "useless"),
    ],
)
def test_where_nobody_can_help_only_a_refusal_is_right(answer: str, kind: str) -> None:
    assert verdict(WEATHER, answer).kind == kind


def test_a_booking_for_what_nobody_did_is_a_wrong_fact() -> None:
    message = {"say": "Transfer 200 EUR to Tom", "refusal": "only"}
    assert verdict(message, "Noted: 200.00 EUR.", rows=({**EXPENSE, "amount": 200},)).kind == "wrong_fact"


def test_to_claim_and_to_refuse_at_once_is_partly_right_at_best() -> None:
    answer = "Noted: no amount could be read in it, so 60 is kept as a note."
    assert verdict(PETROL, answer).kind == "partly"
    assert verdict(PETROL, "Noted, but I cannot read the amount.").kind == "partly"
    assert verdict(PETROL, "I did not understand the amount. What did you pay?").kind == "honest"


def test_a_stranger_hears_nothing_and_the_owner_hears_who_it_was() -> None:
    message = {"say": "Did you get a parcel?", "owner": ["Patel", "parcel"]}
    told = "Mr Patel asks: did you get a parcel?"
    assert verdict(message, owner=(told,)).kind == "useful"
    assert verdict(message, owner=("424242 asks: did you get a parcel?",)).kind == "partly"
    assert verdict(message).kind == "silent_loss"
    assert verdict(message, "Yes!", owner=(told,)).kind == "wrong_fact"


def test_a_newsletter_is_passed_over() -> None:
    message = {"say": "Everything must go", "silent": True}
    assert verdict(message).kind == "useful"
    assert verdict(message, owner=("a newsletter came",)).kind == "useless"


def test_the_language_of_the_answer_is_told_apart_from_its_worth() -> None:
    german = {**PETROL, "say": "60 EUR für Benzin"}
    english = verdict(german, "Noted: 60.00 EUR for petrol on Sunday.", rows=(EXPENSE,), language="de")
    assert (english.kind, english.own_language) == ("useful", False)
    own = verdict(german, "Das ist für Benzin notiert.", rows=(EXPENSE,), language="de")
    assert own.own_language is True
    assert verdict(german, "👍", rows=(EXPENSE,), language="de").own_language is None


def test_minutes_are_counted_from_the_message() -> None:
    message = {"say": "Remind me in 20 minutes", "kept": [{"reminder": True, "time": "+20min"}]}
    due = (SAID + timedelta(minutes=20)).isoformat()
    assert (
        verdict(message, "I will remind you.", rows=({"kind": "reminder", "due_at": due},)).kind == "useful"
    )
    late = (SAID + timedelta(hours=20)).isoformat()
    assert (
        verdict(message, "I will remind you.", rows=({"kind": "reminder", "due_at": late},)).kind != "useful"
    )


def result(key: str, kind: Kind) -> Result:
    return Result(
        home="unseen", theme="money", conversation=key, number=1, language="en", via="telegram", said="hello",
        answers=(), owner_told=(), butlers=(), fresh=(), verdict=kind, reasons=(), own_language=None, seconds=0.1,
    )  # fmt: skip


def test_two_runs_are_compared_message_by_message() -> None:
    before = [result("a", "useful"), result("b", "useless"), result("c", "useful")]
    now = [result("a", "wrong_fact"), result("b", "honest"), result("d", "useful")]
    better, worse = compared(now, before)
    assert [line.split(":")[0] for line in better] == ["unseen/money/b/1"]
    assert [line.split(":")[0] for line in worse] == ["unseen/money/a/1"]


def test_a_table_counts_every_message_once() -> None:
    (money, everything) = shares([result("a", "useful"), result("b", "silent_loss")], lambda one: one.theme)
    assert money["messages"] == everything["messages"] == 2
    assert (money["useful %"], money["silent loss"]) == ("50", 1)


def test_a_pattern_with_a_sharp_s_finds_what_is_folded_and_what_is_not():
    wanted = {"say": "weiße Farbe fehlt", "kept": [{"words": "weiße Farbe"}], "answer": ["weiße Farbe"]}
    row = {"kind": "list_item", "title": "weiße Farbe", "occurred_on": "2026-11-22"}
    assert (
        verdict(wanted, "Auf die Einkaufsliste gesetzt: weiße Farbe.", rows=(row,), language="de").kind
        == "useful"
    )


def test_what_a_fact_was_before_a_change_is_no_fact():
    assert "record_changes" in PLUMBING


def test_a_task_that_is_done_is_no_note_of_what_was_asked() -> None:
    done = {"kind": "task", "title": "fix the tap", "occurred_on": "2026-11-22", "done_on": "2026-11-22"}
    message = {"say": "done with the tap", "answer": ["done"]}
    assert verdict(message, "Done: fix the tap.", rows=(done,)).kind == "useful"
    assert verdict(message, "Done: fix the tap.", rows=(done | {"done_on": None},)).kind == "useless"


def test_an_appointment_is_about_what_its_words_say() -> None:
    message = {
        "say": "Dentist for Leo on Thursday at 15:30",
        "kept": [{"words": "dentist", "person": "Leo", "day": "2026-11-26", "time": "15:30"}],
    }
    row = {
        "kind": "appointment", "party": "Leo", "occurred_on": "2026-11-26", "occurred_at": "15:30:00",
        "text": "Dentist for Leo on Thursday at 15:30",
    }  # fmt: skip
    assert verdict(message, "Noted.", rows=(row,)).kind == "useful"
    assert verdict(message, "Noted.", rows=(row | {"text": "Barber for Leo"},)).kind != "useful"
