"""Who "his" and "her" are is told to a butler that did not hear the message before."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.rules.somebody import speaks_of_somebody, with_somebody

TELESCOPE = "keep this between us: I got Jonas a telescope for his birthday, 340 euros, already paid"


def said(text: str, *before: str, ago: int = 2, **about: Any) -> RoutingMessage:
    spoke = tuple(
        Spoken("finance", timedelta(minutes=ago), one, f"r{place}") for place, one in enumerate(before)
    )
    return RoutingMessage(text, **{"channel": "telegram", "spoke": spoke, **about})


@pytest.mark.parametrize(
    ("text", "before", "names"),
    [
        ("his birthday is on the 28th btw", TELESCOPE, "Jonas"),
        ("sein Geburtstag ist am 28.", "Ich habe für Jonas ein Fernrohr gekauft", "Jonas; Fernrohr"),
        ("her number is 0151 2345678", "Had lunch with Clara, 40 euro", "Clara"),
        ("son anniversaire est le 28", "J'ai acheté un cadeau pour Paul, 30 euros", "Paul"),
        ("su cumpleaños es el 28", "He comprado un regalo para Marta", "Marta"),
    ],
)
def test_the_names_of_the_message_before_go_with_a_statement_about_somebody(
    text: str, before: str, names: str
) -> None:
    assert with_somebody(text, said(text, before), "relationship") == f"{text}\n\n(Said before: {names})"


def test_it_is_the_last_message_that_names_somebody_and_nothing_but_names() -> None:
    text = "his birthday is on the 28th"
    shown = with_somebody(
        text, said(text, "paid 12 euro for lunch", TELESCOPE, "Had lunch with Clara"), "relationship"
    )
    assert shown.endswith("(Said before: Jonas)")
    assert "340" not in shown
    assert "telescope" not in shown


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Tom's birthday is on 4 June", {}),
        ("her husband Tom has his birthday on 4 June", {}),
        ("when is his birthday?", {}),
        ("my birthday is on the 28th", {}),
        ("his shoes cost 40 euro", {}),
        ("his birthday is on the 28th", {"ago": 45}),
        ("his birthday is on the 28th", {"sender_class": "other"}),
        ("his birthday is on the 28th", {"automatic": True}),
    ],
)
def test_whoever_names_somebody_or_asks_or_comes_late_is_passed_on_as_written(
    text: str, more: dict[str, Any]
) -> None:
    assert with_somebody(text, said(text, TELESCOPE, **more), "relationship") == text


def test_without_a_name_before_it_stays_as_written() -> None:
    text = "his birthday is on the 28th"
    assert speaks_of_somebody(said(text))
    before = said(text, "paid 12 euro for lunch on Friday in May")
    assert with_somebody(text, before, "relationship") == text


def test_what_the_same_butler_was_told_it_knows_itself() -> None:
    text = "his birthday is on 7 May"
    before = said(text, "Met Jonas at the lake", "I got Clara a telescope")
    assert with_somebody(text, before, "finance") == text
