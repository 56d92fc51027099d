"""What a household's week found in its rules: no fact that nobody told, nothing told that is lost, no question kept."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pytest

from butler_kit.wording.folding import fold
from butler_specialist.profiles.finance.questions import answer as money_answer
from butler_specialist.profiles.reminding import heard_of
from butler_specialist.questions.periods import period_of
from butler_specialist.store.model import Record
from butler_specialist.understanding.about_me import asks_about_me
from butler_specialist.understanding.household import NOBODY
from butler_specialist.understanding.reading import read
from butler_specialist.understanding.told_words import FORGETS
from butler_switchboard.routing.everybody import asks_everybody
from tests.support.talks import SUNDAY, Said, Talks

SATURDAY = date(2026, 11, 28)
"""The one after the Sunday on which the talks begin."""


def kept(said: Said, kind: str) -> list[Record]:
    return [row for row in said.records if row.kind == kind]


@pytest.mark.parametrize(
    "said",
    ["our new neighbour is called Hassan", "My guinea pig is called Biscuit", "The boat was called Ida"],
)
def test_who_is_called_something_was_not_rung_up(said: str) -> None:
    heard = Talks().say(said)
    assert not kept(heard, "meeting")
    assert "on the phone" not in heard.text


def test_who_was_called_is_still_noted_as_rung_up() -> None:
    [row] = kept(Talks().say("I called Hassan yesterday"), "meeting")
    assert (row.party, row.details["by"]) == ("Hassan", "phone")


@pytest.mark.parametrize(
    ("said", "who", "substance"),
    [
        ("I must never be given penicillin, I'm allergic", None, "penicillin"),
        ("Never give Tom aspirin, he is allergic", "Tom Vogel", "aspirin"),
        ("Ich darf keine Erdbeeren essen, ich bin allergisch", None, "Erdbeeren"),
    ],
)
def test_what_is_ruled_out_beside_an_allergy_is_what_it_is_to(
    said: str, who: str | None, substance: str
) -> None:
    [row] = kept(Talks().say(said), "allergy")
    assert row.title == substance
    assert (row.party is None) is (who is None)


def test_an_allergy_that_is_denied_or_names_nothing_is_none() -> None:
    for said in ("I'm not allergic", "I am allergic", "No sugar for me, thanks"):
        assert not kept(Talks().say(said), "allergy")


def test_a_medicine_is_whose_name_stands_before_it() -> None:
    talks = Talks()
    [inhaler] = kept(talks.say("Leo's inhaler is two puffs in the morning and two at night"), "medication")
    [syrup] = kept(talks.say("Leo's ibuprofen is 5 ml every 8 hours"), "medication")
    assert (inhaler.party, inhaler.title) == ("Leo", "inhaler")
    assert (syrup.party, syrup.title, syrup.quantity) == ("Leo", "ibuprofen", Decimal(5))


def test_whom_a_dose_is_for_is_no_medicine() -> None:
    [row] = kept(Talks().say("Paracetamol for Leo 5 ml"), "medication")
    assert (row.title, row.party) == ("Paracetamol", "Leo")


def test_the_third_sum_of_a_row_is_kept_where_it_filled_the_tank() -> None:
    rows = kept(Talks().say("Spent 74.15 at Edeka, 22 at the butcher's and filled up for 61"), "expense")
    assert [row.amount for row in rows] == [Decimal("74.15"), Decimal(22), Decimal(61)]


def test_a_bill_in_a_rare_currency_is_a_bill() -> None:
    [row] = kept(Talks().say("The bill for Kaffee is 100.00 THB, room 12"), "bill")
    assert (row.amount, row.currency) == (Decimal("100.00"), "THB")


@pytest.mark.parametrize(
    "asked", ["Was muss diese Woche noch bezahlt werden?", "what needs to be paid this week?"]
)
def test_what_is_to_be_paid_asks_for_bills(asked: str) -> None:
    talks = Talks()
    talks.say("Electricity bill of 184,30 EUR, due on Saturday")
    # The talks begin on a Sunday: its week is over.
    assert "184" in talks.say(asked.replace("this week", "next week").replace("diese", "nächste")).text


@pytest.mark.parametrize("asked", ["what does that come to?", "and altogether now?", "und insgesamt jetzt?"])
def test_what_was_told_last_is_added_up_in_any_of_these_words(asked: str) -> None:
    talks = Talks()
    talks.say("12 euros for lunch and 7 euros for the bus")
    assert talks.say(asked).text.startswith(
        ("Together that is 19.00 EUR", "That was 19.00 EUR", "Das waren 19,00 EUR")
    )


def test_a_debt_is_a_clause_of_its_own() -> None:
    heard = Talks().say(
        "Dinner with the Brandts on Saturday at 8, remind me to buy wine, and Jonas owes me 20 euros"
    )
    [debt] = kept(heard, "debt")
    assert (debt.amount, debt.details["debtor"], debt.occurred_on) == (Decimal(20), "Jonas", SUNDAY.date())


@pytest.mark.parametrize(
    "said", ["Pizza night on Saturday at 6, everybody in?", "Samstag um 18 Uhr Pizza, passt euch das?"]
)
def test_what_only_asks_for_a_nod_tells_what_stands_before_it(said: str) -> None:
    [row] = kept(Talks().say(said), "appointment")
    assert (row.occurred_on, row.occurred_at) == (SATURDAY, time(18))


def test_who_asks_with_the_verb_first_asks_though_they_add_right() -> None:
    assert not Talks().say("Is pizza on Saturday, right?").records


def test_which_of_two_days_is_a_question_that_keeps_and_moves_nothing() -> None:
    talks = Talks()
    talks.say("my maths test is on Saturday")
    heard = talks.say("wait is the test today or tomorrow")
    assert not heard.records
    assert "maths test" in heard.text
    assert "Moved" not in heard.text


@pytest.mark.parametrize(
    "said",
    [
        "parents' evening is at 7 now",
        "change of plan, parents' evening is now at 7, same day",
        "the parents' evening starts at 7 instead",
    ],
)
def test_an_hour_that_holds_now_moves_what_was_noted(said: str) -> None:
    talks = Talks()
    talks.say("Parents' evening on Saturday at 19:30")
    heard = talks.say(said)
    assert not heard.records, "it is no further appointment"
    assert "from Saturday, 28 November 2026 at 19:30 to Saturday, 28 November 2026 at 19:00" in heard.text


def test_the_weekend_is_a_time_of_its_own() -> None:
    talks = Talks(start=SUNDAY + timedelta(days=2))
    talks.say("haircut on Thursday at 10")
    assert "nothing at the weekend" in talks.say("What is on at the weekend?").text
    talks.say("market on Saturday at 10")
    said = talks.say("What is on this weekend?").text
    assert "market" in said
    assert "haircut" not in said


def test_a_question_without_a_word_of_money_is_answered_with_no_sum() -> None:
    talks = Talks()
    talks.say("Paid 40 EUR for shoes")
    rows = talks.kept["finance"].rows
    said = money_answer(read("what is Mila making?", talks.now, whose=NOBODY), rows)
    assert said == "Nothing is recorded about that."
    assert "40" in talks.say("how much did we spend?").text


@pytest.mark.parametrize(
    "said", ["wish me luck!!", "drück mir die Daumen", "thanks for this week, good night"]
)
def test_what_is_said_in_passing_is_answered_and_not_kept(said: str) -> None:
    heard = Talks().say(said)
    assert heard.text
    assert not heard.records


def test_what_is_on_the_list_is_not_what_is_on_today() -> None:
    talks = Talks()
    talks.say("We need milk")
    assert not asks_everybody("so what's on the list now?")
    assert asks_everybody("so what's on now?")
    assert "milk" in talks.say("so what's on the list now?").text


def test_who_may_be_told_of_what_is_named_by_it_whatever_was_said_since() -> None:
    talks = Talks()
    talks.say("keep this between us: I got a telescope for 340 euros")
    talks.say("Dinner is ready")
    said = talks.say("you can let Tom know about the telescope now")
    assert said.butlers == {"finance"}
    assert said.text.startswith("Tom may be told from now on: 340.00 EUR")


def test_a_reminder_of_what_to_do_precedes_what_the_message_tells() -> None:
    moment = datetime(2026, 11, 22, 12, tzinfo=SUNDAY.tzinfo)
    said = "Dinner with the Brandts on Saturday at 8, remind me two days before to buy wine"
    heard = heard_of(read(said, moment), [], [], reachable=True)
    assert heard is not None
    [draft] = heard.drafts
    assert (draft.text, draft.due_at.date()) == ("buy wine", SATURDAY - timedelta(days=2))


def test_what_is_coming_up_this_month_is_not_over() -> None:
    moment = datetime(2026, 11, 22, 12, tzinfo=SUNDAY.tzinfo)
    period = period_of(read("What's coming up this month?", moment))
    assert period is not None
    assert (period.start, period.end) == (date(2026, 11, 22), date(2026, 12, 1))


@pytest.mark.parametrize(
    ("asked", "start"),
    [
        ("What is on next weekend?", SATURDAY + timedelta(days=7)),
        ("Was ist nächstes Wochenende los?", SATURDAY + timedelta(days=7)),
        ("Qu'est-ce qu'il y a le week-end prochain ?", SATURDAY + timedelta(days=7)),
        ("¿Qué hay el próximo fin de semana?", SATURDAY + timedelta(days=7)),
        ("What is on this weekend?", SATURDAY),
    ],
)
@pytest.mark.parametrize("day", [SATURDAY, SATURDAY + timedelta(days=1)])
def test_next_weekend_said_at_a_weekend_is_the_one_after_it(asked: str, start: date, day: date) -> None:
    period = period_of(read(asked, datetime.combine(day, time(12), SUNDAY.tzinfo)))
    assert period is not None
    assert (period.start, period.end) == (start, start + timedelta(days=2))


def test_next_weekend_said_in_the_week_is_the_coming_one() -> None:
    period = period_of(read("What is on next weekend?", SUNDAY + timedelta(days=2)))
    assert period is not None
    assert (period.start, period.label) == (SATURDAY, "at the weekend")


@pytest.mark.parametrize(
    ("asked", "start"),
    [
        ("How much did we spend since November 15?", date(2026, 11, 15)),
        ("How much did we spend since Nov. 15th?", date(2026, 11, 15)),
        ("How much did we spend since November?", date(2026, 11, 1)),
        ("How much did we spend since November 2025?", date(2025, 11, 1)),
    ],
)
def test_what_was_spent_since_a_day_of_a_month_is_not_since_its_first(asked: str, start: date) -> None:
    period = period_of(read(asked, SUNDAY))
    assert period is not None
    assert (period.start, period.end) == (start, None)


def test_a_present_is_called_what_it_is_and_not_after_its_occasion() -> None:
    [row] = kept(Talks().say("I got Tom a telescope for his birthday, 340 euros"), "expense")
    assert (row.title, row.amount) == ("telescope", Decimal(340))


def test_who_asks_for_a_secret_keeps_it_between_them_and_the_butler() -> None:
    said = Talks().say("can you keep a secret? i'm making mum a card for her birthday")
    assert said.text.endswith("I keep that between us.")
    assert len(said.records) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Was weißt du eigentlich über mich?",
        "so what do you know about me now?",
        "was weißt du denn so von mir",
    ],
)
def test_small_words_around_the_question_for_what_is_known_change_nothing(said: str) -> None:
    assert asks_about_me(said)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("you can forget the coriander thing", "the coriander thing"),
        ("vergiss das mit dem Koriander", "koriander"),
        ("du kannst das mit meinem Koriander vergessen", "koriander"),
        ("oublie ce que j'ai dit sur la coriandre", "la coriandre"),
        ("olvida lo del cilantro", "cilantro"),
    ],
)
def test_what_is_to_be_forgotten_is_named_as_people_name_it(said: str, named: str) -> None:
    found = FORGETS.match(fold(said))
    assert found is not None
    assert [one for one in found.groupdict().values() if one is not None] == [named]
