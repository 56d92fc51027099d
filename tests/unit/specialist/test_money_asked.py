"""Questions about money: by shop, kind, person and period, what is more, who still owes, what a thing costs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.talks import Talks

TUESDAY = datetime(2027, 2, 9, 19, tzinfo=UTC)


def household() -> Talks:
    talks = Talks("Mara Vogel", "Tom Vogel", start=TUESDAY)
    for said in (
        "Spent 25 at Boots and 60 at H&M on Saturday",
        "Spent 52.10 at Aldi today",
        "Tom bought shoes yesterday for 79.90",
        "Spent 19.99 on a phone case on 28 January",
    ):
        talks.say(said)
    return talks


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("What did I spend at Boots?", "You spent 25.00 EUR at Boots"),
        ("How much did we spend on food this month?", "You spent 52.10 EUR on food"),
        ("How much did Tom spend?", "Tom spent 79.90 EUR so far"),
        ("How much did Tom spend on shoes?", "Tom spent 79.90 EUR on shoes so far: 79.90 EUR for shoes"),
        ("How much did Tom spend at Aldi?", "No expense of Tom at Aldi is recorded so far."),
        ("What was the most expensive thing this month?", "79.90 EUR for shoes"),
        ("Did we spend more than last month?", "You spent 217.00 EUR in February 2027 and 19.99 EUR in January 2027."),
        ("Did we spend more than last month?", "That is 197.01 EUR more."),
        ("Does the cinema cost 30 euros?", "I know no prices, only what I was told, and nothing fits that."),
        ("How many euros to the pound?", "I cannot look up rates"),
    ],
)  # fmt: skip
def test_a_question_is_answered_by_what_it_asks_for(asked: str, told: str) -> None:
    talks = household()
    said = talks.say(asked)
    assert told in said.answers["finance"]
    assert said.records == ()


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("lent Diego 10 euros for the bus", "does Diego owe me anything?", "Diego owes you 10.00 EUR"),
        ("lent Diego 10 euros for the bus", "does Becky owe me anything?", "No debt"),
        ("I owe Becky 40 euros", "who owes me money?", "No debt"),
        ("le debo 40 a Becky", "¿a quién le debo dinero?", "40,00 EUR"),
        ("j'ai prêté 30 € à Diego", "combien me doit Diego ?", "30,00 EUR"),
    ],
)
def test_a_debt_is_told_to_whoever_asks_for_it(told: str, asked: str, answer: str) -> None:
    talks = Talks(start=TUESDAY)
    talks.say(told)
    assert answer in talks.say(asked).answers["finance"]


def test_a_debt_is_said_from_where_the_asker_stands() -> None:
    talks = Talks("Becky Osei", "Diego Sanz", start=TUESDAY)
    talks.say("I lent Diego 10 euros for the bus", by="Becky Osei")
    said = talks.say("Do I owe anybody money?", by="Diego Sanz", chat="diego")
    assert "You owe Becky 10.00 EUR for bus" in said.answers["finance"]
